#include "widgets/panels/model_facts.h"

#include <QCoreApplication>
#include <QLocale>
#include <QStringList>

#include "core/overrides.h"

namespace widgets {

namespace {

QString text(const char* source) { return QCoreApplication::translate("widgets::ModelFacts", source); }

QString count(std::int64_t number) { return QLocale().toString(static_cast<qlonglong>(number)); }

QString familyText(const core::ModelConfig& config) {
  const QString family = QString::fromStdString(config.family);
  return config.version.empty() ? family : family + ", " + QString::fromStdString(config.version);
}

QString headsText(const core::ModelConfig& config) {
  const QString heads = text("%1 of size %2").arg(config.heads).arg(config.headSize);
  return config.kvHeads == config.heads
             ? heads
             : (config.kvHeads == 1 ? text("%1, on %2 key/value head") : text("%1, on %2 key/value heads"))
                   .arg(heads)
                   .arg(config.kvHeads);
}

QString contextText(const core::ModelConfig& config) {
  const QString context = text("%1 tokens").arg(count(config.context));
  if (config.longestPrompt <= config.context) return context;
  return text("%1; runs up to %2").arg(context, count(config.longestPrompt));
}

QString normText(const core::ModelConfig& config) {
  const QString name = config.norm == core::Norm::LayerNorm ? text("LayerNorm")
                       : config.nanochat.embeddingNorm      ? text("RMSNorm without weights")
                                                            : text("RMSNorm");
  return text("%1, ε %2").arg(name, QString::number(config.normEpsilon, 'g', 3));
}

QString qkNormText(core::QkNorm norm) {
  switch (norm) {
    case core::QkNorm::None: return text("none");
    case core::QkNorm::Weighted: return text("RMSNorm with weights, before RoPE");
    case core::QkNorm::Unit: return text("RMSNorm without weights, after RoPE");
  }
  return {};
}

QString mlpText(core::Mlp mlp) {
  switch (mlp) {
    case core::Mlp::Gelu: return "GELU";
    case core::Mlp::SwiGlu: return "SwiGLU";
    case core::Mlp::ReluSquared: return "ReLU²";
  }
  return {};
}

QString positionsText(const core::ModelConfig& config) {
  if (config.positions == core::Positions::Learned) return text("learned");
  const core::RopeScaling& scaling = config.ropeScaling;
  switch (scaling.rule) {
    case core::RopeScaling::Rule::None: return text("RoPE");
    case core::RopeScaling::Rule::Linear: return text("RoPE, linear scaling by %1").arg(settingText(scaling.factor));
    case core::RopeScaling::Rule::Llama3:
      return text("RoPE, llama3 scaling by %1 from %2 tokens")
          .arg(settingText(scaling.factor), count(scaling.originalContext));
    case core::RopeScaling::Rule::Factors: return text("RoPE, scaled by the factors in the file");
  }
  return {};
}

QString biasesText(const core::Biases& biases) {
  const std::pair<bool, QString> parts[] = {{biases.qkv, text("q, k, v")},
                                            {biases.out, text("output")},
                                            {biases.mlp, text("MLP")},
                                            {biases.norm, text("norms")}};
  QStringList present;
  for (const auto& [has, name] : parts)
    if (has) present << name;
  return present.isEmpty() ? text("none") : present.size() == 4 ? text("everywhere") : present.join(", ");
}

QString partsText(const core::NanochatParts& parts) {
  QStringList present;
  if (parts.embeddingNorm) present << text("norm of the embeddings");
  if (parts.lambdas) present << text("residual lambdas");
  if (parts.gateChannels > 0)
    present << text("value embeddings (gate %1 × sigmoid of %2 channels)")
                   .arg(settingText(parts.gateScale))
                   .arg(parts.gateChannels);
  if (parts.smear) present << text("smear and backout");
  return present.join(", ");
}

QString vocabularyText(const core::ModelConfig& config) {
  if (config.vocabularyRows <= config.vocabulary) return count(config.vocabulary);
  return text("%1, padded to %2 rows").arg(count(config.vocabulary), count(config.vocabularyRows));
}

}  // namespace

QString settingText(double value) { return QString::number(value, 'g', 7); }

QString windowText(core::Window window, core::MaskKind mask) {
  const std::optional<std::int64_t> keys = mostKeys(window, mask);
  if (keys) {
    return (*keys == 1 ? text("%1 (%2 key)") : text("%1 (%2 keys)")).arg(windowRuleText(window, mask)).arg(*keys);
  }
  return mask == core::MaskKind::Causal ? text("every key up to the query") : text("every key");
}

QString windowRuleText(core::Window window, core::MaskKind mask) {
  if (!window.limited()) return text("none");
  return (mask == core::MaskKind::Causal ? QString("i − j ≤ %1") : QString("|i−j| ≤ %1")).arg(window.left);
}

std::optional<std::int64_t> mostKeys(core::Window window, core::MaskKind mask) {
  if (!window.limited()) return std::nullopt;
  return mask == core::MaskKind::Causal ? window.left + 1 : 2 * window.left + 1;
}

QString maskText(core::MaskKind mask) {
  return mask == core::MaskKind::Causal ? text("causal") : text("bidirectional");
}

QString lettersOf(const std::vector<core::Window>& windows, const core::WindowRule& rule) {
  QString letters;
  for (const core::Window window : windows) letters += core::letterOf(window, rule);
  return letters;
}

FactRows modelFacts(const core::ModelInfo& info) {
  const core::ModelConfig& config = info.config;
  FactRows rows{
      {text("family"), familyText(config)},
      {text("layers"), QString::number(config.layers)},
      {text("heads"), headsText(config)},
      {text("embedding"), text("%1, MLP %2").arg(count(config.embedding), count(config.inner))},
      {text("context"), contextText(config)},
      {text("norm"), normText(config)},
      {text("QK norm"), qkNormText(config.qkNorm)},
      {text("MLP"), mlpText(config.mlp)},
      {text("positions"), positionsText(config)},
      {text("biases"), biasesText(config.biases)},
      {text("output head"), config.tiedHead ? text("tied to the embedding") : text("of its own")},
      {text("vocabulary"), vocabularyText(config)},
      {text("weights"), text("%1 parameters, %2").arg(count(info.parameters), QString::fromStdString(info.storedType))},
      {text("tokenizer"), info.tokenizer.empty() ? text("none") : QString::fromStdString(info.tokenizer)},
      {text("device"), QString::fromStdString(info.device)},
  };
  if (const QString parts = partsText(config.nanochat); !parts.isEmpty()) rows.insert(10, {text("more"), parts});
  return rows;
}

FactRows trainedSettings(const core::ModelConfig& config) {
  const core::OverridesInUse inUse = core::overridesInUse(config);
  const core::RunSettings& trained = config.trained;
  FactRows rows;
  if (inUse.gelu) rows.append({text("GELU"), trained.gelu == core::Gelu::Erf ? "erf" : "tanh"});
  if (inUse.qkMultiplier) rows.append({text("QK multiplier"), settingText(trained.qkMultiplier)});
  if (inUse.ropeBase) rows.append({text("RoPE base"), settingText(trained.ropeBase)});
  if (inUse.softCap) rows.append({text("soft cap"), trained.softCap > 0 ? settingText(trained.softCap) : text("none")});
  QStringList windows{lettersOf(trained.windows, config.windowRule)};
  const core::Window shortWindow = config.windowRule.shortWindow;
  const bool hasShort = windows.first().contains('S');
  if (hasShort) windows << text("S: %1").arg(windowText(shortWindow));
  windows << QString::fromStdString(core::windowOrigin(config, trained));
  if (!hasShort && shortWindow.limited()) {
    windows << text("S would be %1: %2")
                   .arg(windowText(shortWindow), QString::fromStdString(core::shortWindowOrigin(config)));
  }
  rows.append({text("windows"), windows.join("; ")});
  rows.append({text("mask"), maskText(trained.mask)});
  return rows;
}

}  // namespace widgets
