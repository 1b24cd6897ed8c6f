// A file of named arrays: .npy (one), .npz or .safetensors. Opening reads the headers; arrays are read as a stream.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/arrays/element_type.h"
#include "core/arrays/npy_header.h"
#include "core/arrays/zip_members.h"
#include "core/checkpoint/file.h"
#include "core/checkpoint/safetensors_file.h"
#include "core/progress.h"

namespace core::arrays {

/// As its header describes it; the elements that the shape needs are in the file, and no more.
struct StoredArray {
  std::string name = {};  ///< "attn"; that of a .npy is empty
  ElementType type = {};
  Order order = Order::C;
  std::vector<std::int64_t> shape = {};
  std::uint64_t elements = 0;
  std::optional<std::uint64_t> offset = std::nullopt;  ///< of the first element in the file, where nothing is packed
  std::optional<ZipMember> member = std::nullopt;      ///< of an .npz, with the array's header
  std::uint64_t bytes() const { return elements * type.bytes; }
};

class ArrayFile {
 public:
  enum class Kind { Npy, Npz, Safetensors };

  /// By content. Errors: those of File; NotAModel, with what it looks like, for another kind of file; Corrupt,
  /// Truncated
  /// ("needs N bytes, the file has M"), TooLarge, Unsupported, with the array's name.
  explicit ArrayFile(checkpoint::File file);

  Kind kind() const { return m_kind; }
  const checkpoint::File& file() const { return m_safetensors ? m_safetensors->file() : *m_file; }
  const std::vector<StoredArray>& arrays() const { return m_arrays; }
  const StoredArray* find(std::string_view name) const;                        ///< null: there is none
  const std::map<std::string, std::string>& texts() const { return m_texts; }  ///< `__metadata__` of a safetensors file

  /// How sentences about an array begin: "/x/run.npz: the array 'attn'".
  std::string placeOf(const StoredArray& array) const;
  /// "'attn' (6, 6, 48, 48) <f4, 'logits' (48, 65) <f4", for a sentence.
  std::string listing() const;

  /// Calls use(piece) for the bytes of the array in the order of the file, in pieces of `pieceBytes`, the last one
  /// smaller; checks the checksum at the end. Errors: Cancelled, Truncated, Corrupt, Io; those of use().
  using Use = std::function<void(std::span<const std::byte> piece)>;
  void read(const StoredArray& array, std::uint64_t pieceBytes, const Progress& progress, const Use& use) const;

 private:
  void openNpy();
  void openNpz();
  void openSafetensors();

  Kind m_kind = Kind::Npy;
  std::unique_ptr<checkpoint::File> m_file;                    // null for safetensors
  std::unique_ptr<checkpoint::SafetensorsFile> m_safetensors;  // null for the others
  std::vector<StoredArray> m_arrays;
  std::map<std::string, std::string> m_texts;
};

}  // namespace core::arrays
