#include "core/model/model.h"

#include "core/error.h"
#include "core/model/gpt2_model.h"

namespace core::model {

std::shared_ptr<const Model> makeModel(checkpoint::Checkpoint& checkpoint) {
  const ModelConfig& config = checkpoint.info.config;
  if (config.family == "nanoGPT") return std::make_shared<Gpt2Model>(config, checkpoint.tensors);
  throw Error(ErrorKind::Unsupported, checkpoint.info.path.string() + " is of the family \"" + config.family +
                                          "\", which has no forward pass here; nanoGPT checkpoints can be opened.");
}

}  // namespace core::model
