// Index types that can't be mixed up: a head is not a layer.
#pragma once

#include <compare>
#include <cstdint>

namespace core {

/// An index counted from 0, distinct for each Tag.
template <class Tag>
struct Index {
  int value = 0;
  constexpr Index() = default;
  constexpr explicit Index(int v) : value(v) {}
  friend constexpr auto operator<=>(Index, Index) = default;
};

using Layer = Index<struct LayerTag>;
using Head = Index<struct HeadTag>;      ///< a query head, 0 .. H-1
using KvHead = Index<struct KvHeadTag>;  ///< a key/value head, 0 .. Hkv-1

/// One attention head of the model.
struct HeadId {
  Layer layer;
  Head head;
  friend constexpr auto operator<=>(const HeadId&, const HeadId&) = default;
};

using TokenId = std::int64_t;
using Position = std::int64_t;  ///< a token's place in the prompt, from 0; a row (query) or column (key) of a map

}  // namespace core
