#include "tests/core/checkpoint/nanochat_folder.h"

#include <algorithm>
#include <cstdio>
#include <functional>
#include <numeric>
#include <stdexcept>

#include "tests/support/files.h"

namespace support {

NanochatFolder::NanochatFolder(NanochatVersion version, int width) {
  const int kv = width / 2;
  meta = {{"step", 100},
          {"model_config",
           {{"sequence_len", 1024},
            {"vocab_size", 100},
            {"n_layer", 3},
            {"n_head", 4},
            {"n_kv_head", 2},
            {"n_embd", width}}}};
  if (version != NanochatVersion::October2025) meta["model_config"]["window_pattern"] = "SSL";
  add("transformer.wte.weight", {128, width});
  for (int n = 0; n < 3; ++n) {
    const std::string h = "transformer.h." + std::to_string(n);
    add(h + ".attn.c_q.weight", {width, width});
    add(h + ".attn.c_k.weight", {kv, width});
    add(h + ".attn.c_v.weight", {kv, width});
    add(h + ".attn.c_proj.weight", {width, width});
    add(h + ".mlp.c_fc.weight", {4 * width, width});
    add(h + ".mlp.c_proj.weight", {width, 4 * width});
    if (version < NanochatVersion::January16 || n == 1) continue;
    add(h + ".attn.ve_gate.weight", {2, version == NanochatVersion::January16 ? 32 : 12});
    add("value_embeds." + std::to_string(n) + ".weight", {128, kv});
  }
  add("lm_head.weight", {128, width});
  if (version >= NanochatVersion::January11) {
    add("resid_lambdas", {3});
    add("x0_lambdas", {3});
  }
  if (version >= NanochatVersion::March14) {
    add("smear_gate.weight", {1, 24});
    add("smear_lambda", {1});
    add("backout_lambda", {1});
  }
}

BuiltTensor& NanochatFolder::tensor(const std::string& name) {
  const auto found =
      std::find_if(tensors.begin(), tensors.end(), [&](const BuiltTensor& built) { return built.name == name; });
  if (found == tensors.end()) throw std::logic_error("no tensor " + name);
  return *found;
}

void NanochatFolder::add(const std::string& name, std::vector<std::int64_t> shape) {
  const auto count = std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
  BuiltTensor built;
  built.name = name;
  built.bytes = floats(static_cast<std::size_t>(count), static_cast<float>(100 * tensors.size()));
  built.shape = std::move(shape);
  built.key = std::to_string(tensors.size());
  tensors.push_back(built);
}

std::string NanochatFolder::modelBytes() const { return archiveOf(pickle::whole(stateDict(tensors)), tensors).build(); }

std::filesystem::path NanochatFolder::write(const std::filesystem::path& folder, int step) const {
  char digits[16];
  std::snprintf(digits, sizeof digits, "%06d", step);
  std::filesystem::create_directories(folder);
  const std::filesystem::path model = folder / ("model_" + std::string(digits) + ".pt");
  writeFile(model, modelBytes());
  nlohmann::json own = meta;
  own["step"] = step;
  writeFile(folder / ("meta_" + std::string(digits) + ".json"), own.dump());
  return model;
}

}  // namespace support
