// What a saved capture says of itself: one JSON object, UTF-8, without NaN.
//
//   schema         1; grows when a key changes its meaning
//   kind           "capture"
//   app            "Headscope 0.1.0"
//   model          name, path, family, version, layers, heads, kv_heads, head_size, embedding, context, vocabulary,
//                  parameters, stored_type, file_bytes (null for a folder)
//   prompt         the text of all tokens; null where a token stands for none
//   tokens         (T) labels, in which nothing is invisible
//   token_ids      (T)
//   token_bytes    (T) base64 of what each token stands for, "" for nothing
//   mask           "causal" or "bidirectional"
//   windows        (layers of the model) how many tokens back each looks; null: no limit
//   differences    phrases: what was not as training had it
//   path           how attention was computed
//   device, dtype, seconds, warnings
//   layers, heads  the true numbers of those in the file, in their order
//   rows, columns  null, or the queries, and [begin, end) of the keys, in the file
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/capture.h"
#include "core/export_plan.h"

namespace core {

/// The text of it. A number that is not finite is null; bytes that are not UTF-8 become U+FFFD.
std::string captureMeta(const Capture& capture, const ExportPlan& plan);

/// Of a part of any map: schema, kind "map", app, and these lines.
std::string mapMeta(const std::vector<std::pair<std::string, std::string>>& lines);

/// The same for a `__metadata__` of safetensors: meta, app, model, model_file, model_bytes, prompt.
std::map<std::string, std::string> captureTexts(const Capture& capture, const std::string& meta);

/// Bytes of a meta that is read.
inline constexpr std::uint64_t kLargestMeta = std::uint64_t{32} << 20;

/// What was read back, each as far as it is there and makes sense.
struct SavedMeta {
  std::string app;
  ModelInfo model;  ///< name, and of its config family, version, layers, heads, kvHeads, embedding, context, vocabulary
  std::vector<TokenText> tokens;  ///< (T); labels made anew from ids and bytes
  MaskKind mask = MaskKind::Causal;
  std::vector<Window> windows;  ///< (layers)
  std::vector<std::string> differences;
  std::vector<std::string> warnings;
  std::string path;
  std::string device;
  double seconds = 0;
  std::vector<int> layers;  ///< in the file
  std::vector<int> heads;
  bool allCells = true;  ///< the file has every query and key
};

/// Nothing for a text that is no meta of a capture of ours, so that another program's may have any form.
/// Errors: Corrupt, TooLarge, Unsupported (a later schema) for one that says it is and is not as above.
std::optional<SavedMeta> readMeta(std::string_view text, const std::string& origin);

}  // namespace core
