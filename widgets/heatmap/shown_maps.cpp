#include "widgets/heatmap/shown_maps.h"

#include <QCoreApplication>
#include <algorithm>

#include "core/attention_map.h"
#include "core/word_map.h"
#include "core/words.h"
#include "widgets/heatmap/map_words.h"

namespace widgets {

namespace {

QString tr(const char* text) { return QCoreApplication::translate("Map", text); }

QString nameOf(core::HeadId head) {
  return tr(QT_TRANSLATE_NOOP("Map", "Layer %1, head %2")).arg(head.layer.value).arg(head.head.value);
}

QString kvOf(const core::Capture& capture, core::HeadId head) {
  return tr(QT_TRANSLATE_NOOP("Map", "kv %1")).arg(core::kvHeadOf(capture.model().config, head.head).value);
}

QString shortName(core::HeadId head) { return QStringLiteral("%1·%2").arg(head.layer.value).arg(head.head.value); }

std::vector<core::HeadId> headsOf(const core::Capture& capture, core::Layer layer) {
  std::vector<core::HeadId> heads;
  for (int h = 0; h < capture.model().config.heads; ++h) heads.push_back({layer, core::Head(h)});
  return heads;
}

/// What one side of a comparison is made of.
class Maker {
 public:
  Maker(const ViewState& state, const MapUnits& units) : m_state(state), m_units(units) {}

  core::MapPtr head(const std::shared_ptr<const core::Capture>& capture, core::HeadId head) const {
    return inUnits(std::make_shared<const core::AttentionMap>(capture, head, m_state.hiddenKeys()));
  }

  core::MapPtr mean(const std::shared_ptr<const core::Capture>& capture, const std::vector<core::HeadId>& heads) const {
    std::vector<core::MapPtr> maps;
    for (const core::HeadId head : heads)
      maps.push_back(std::make_shared<const core::AttentionMap>(capture, head, m_state.hiddenKeys()));
    return inUnits(std::make_shared<const core::MeanMap>(std::move(maps)));
  }

 private:
  core::MapPtr inUnits(core::MapPtr map) const {
    if (!m_units.areWords()) return map;
    return std::make_shared<const core::WordMap>(std::move(map), m_units.words());
  }

  const ViewState& m_state;
  const MapUnits& m_units;
};

std::vector<core::HeadId> shownAndPinned(const ViewState& state) {
  std::vector<core::HeadId> heads{state.head()};
  for (const core::HeadId head : state.pinnedHeads())
    if (head != state.head()) heads.push_back(head);
  return heads;
}

ShownMap meanMap(const ViewState& state, const Maker& maker) {
  std::vector<core::HeadId> heads = shownAndPinned(state);
  std::sort(heads.begin(), heads.end());
  QStringList names;
  for (const core::HeadId head : heads) names << shortName(head);
  return {heads.front(), tr(QT_TRANSLATE_NOOP("Map", "Mean of %1 heads")).arg(heads.size()), names.join(", "),
          maker.mean(state.capture(), heads)};
}

ShownMap differenceMap(const ViewState& state, const Maker& maker) {
  const auto& capture = state.capture();
  const Difference& with = state.difference();
  const auto& other = with.ofKeptRun && state.keptCapture() ? state.keptCapture() : capture;
  const auto layerMean = [](core::Layer layer) {
    return tr(QT_TRANSLATE_NOOP("Map", "layer %1, mean of its heads")).arg(layer.value);
  };
  const auto capital = [](QString text) { return text.left(1).toUpper() + text.mid(1); };

  const core::MapPtr first =
      with.firstIsMean ? maker.mean(capture, headsOf(*capture, state.head().layer)) : maker.head(capture, state.head());
  const QString firstName = with.firstIsMean ? capital(layerMean(state.head().layer)) : nameOf(state.head());
  core::MapPtr second;
  QString secondName;
  if (with.head) {
    const core::HeadId head{with.layer, *with.head};
    second = maker.head(other, head);
    secondName = nameOf(head).left(1).toLower() + nameOf(head).mid(1);
  } else {
    core::requireHead(other->model().config, {with.layer, core::Head(0)});
    second = maker.mean(other, headsOf(*other, with.layer));
    secondName = layerMean(with.layer);
  }
  if (with.ofKeptRun) secondName += tr(QT_TRANSLATE_NOOP("Map", " of the kept run"));
  if (with.stage && *with.stage != state.stage()) secondName += ", " + stageName(*with.stage);
  return {state.head(),
          firstName + QStringLiteral(" − ") + secondName,
          {},
          std::make_shared<const core::DifferenceMap>(first, second, state.stage(), with.stage)};
}

}  // namespace

bool showsWords(const ViewState& state) {
  return state.capture() && state.unit() == Unit::Words && state.stage() == core::Stage::Weights;
}

MapUnits::MapUnits(const ViewState& state) {
  if (!state.capture()) return;
  const auto add = [this](qsizetype index, const std::string& label) {
    m_labels << QStringLiteral("%1 · %2").arg(index).arg(QString::fromStdString(label));
  };
  if (showsWords(state)) {
    for (const core::Word& word : core::wordsOf(state.capture()->tokens())) {
      add(m_labels.size(), word.label);
      m_words.push_back(word.tokens);
    }
  } else {
    for (const core::TokenText& token : state.capture()->tokens()) add(m_labels.size(), token.label);
  }
}

core::Position MapUnits::ofToken(core::Position token) const {
  return areWords() ? core::wordOf(m_words, token) : token;
}

core::KeySet MapUnits::ofTokens(const core::KeySet& tokens) const {
  if (!areWords()) return tokens;
  std::vector<core::Position> words;
  for (const core::Position token : tokens.keys()) words.push_back(ofToken(token));
  return core::KeySet(std::move(words));
}

Cell MapUnits::toTokens(const Cell& cell) const {
  if (!areWords()) return cell;
  return {m_words.at(static_cast<std::size_t>(cell.query)).end - 1,
          m_words.at(static_cast<std::size_t>(cell.key)).begin};
}

std::vector<ShownMap> shownMaps(const ViewState& state, const MapUnits& units) {
  if (!state.capture()) return {};
  const Maker maker(state, units);
  if (state.shown() == Shown::Difference) return {differenceMap(state, maker)};
  if (state.shown() == Shown::Mean) return {meanMap(state, maker)};
  std::vector<ShownMap> maps;
  for (const core::HeadId head : shownAndPinned(state))
    maps.push_back({head, nameOf(head), kvOf(*state.capture(), head), maker.head(state.capture(), head)});
  return maps;
}

}  // namespace widgets
