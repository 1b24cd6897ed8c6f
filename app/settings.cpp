#include "app/settings.h"

#include <QFileInfo>

namespace app {

using widgets::Appearance;

namespace {
constexpr int kRecentFiles = 10;
}

template <class Enum>
Enum Settings::choice(const QString& key, Enum fallback, Enum last) const {
  bool isNumber = false;
  const int value = m_store.value(key).toInt(&isNumber);
  return isNumber && 0 <= value && value <= static_cast<int>(last) ? static_cast<Enum>(value) : fallback;
}

void Settings::setWindow(const QByteArray& geometry, const QByteArray& docks) {
  m_store.setValue("window/geometry", geometry);
  m_store.setValue("window/docks", docks);
}

Appearance Settings::appearance() const { return choice("view/appearance", Appearance::System, Appearance::Dark); }

void Settings::setAppearance(Appearance appearance) {
  m_store.setValue("view/appearance", static_cast<int>(appearance));
}

QStringList Settings::recent() const {
  QStringList paths = allRecent();
  paths.removeIf([](const QString& path) { return !QFileInfo::exists(path); });
  return paths;
}

void Settings::addRecent(const QString& path) {
  QStringList paths = allRecent();  // a disk that is away now may come back
  paths.removeAll(path);
  paths.prepend(path);
  m_store.setValue("recent", QStringList(paths.mid(0, kRecentFiles)));
}

void Settings::removeRecent(const QString& path) {
  QStringList paths = allRecent();
  paths.removeAll(path);
  m_store.setValue("recent", paths);
}

void Settings::clearRecent() { m_store.remove("recent"); }

void Settings::setModel(const QString& model, const QString& tokenizer) {
  m_store.setValue("session/model", model);
  m_store.setValue("session/tokenizer", tokenizer);
}

widgets::PromptPanel::Entry Settings::entry() const {
  using Entry = widgets::PromptPanel::Entry;
  return choice("session/entry", Entry::Text, Entry::TextWithSpecials);
}

core::Prefix Settings::prefix() const {
  return choice("session/prefix", core::Prefix::AsTrained, core::Prefix::LeftOut);
}

void Settings::setPrompt(const QString& prompt, widgets::PromptPanel::Entry entry, core::Prefix prefix) {
  m_store.setValue("session/prompt", prompt);
  m_store.setValue("session/entry", static_cast<int>(entry));
  m_store.setValue("session/prefix", static_cast<int>(prefix));
}

void Settings::saveView(const widgets::ViewState& state) {
  m_store.setValue("view/layer", state.head().layer.value);
  m_store.setValue("view/head", state.head().head.value);
  m_store.setValue("view/stage", static_cast<int>(state.stage()));
  m_store.setValue("view/scale", static_cast<int>(state.colours().scale));
  m_store.setValue("view/colormap", static_cast<int>(state.colours().colormap));
  m_store.setValue("view/reduction", static_cast<int>(state.colours().reduction));
}

void Settings::restoreView(widgets::ViewState& state) const {
  // At the first start a head of the bundled model that does something one can see.
  state.setHead(
      {core::Layer(m_store.value("view/layer", 2).toInt()), core::Head(m_store.value("view/head", 2).toInt())});
  state.setStage(choice("view/stage", state.stage(), core::Stage::Reassembled));
  state.setScale(choice("view/scale", widgets::Scale::SquareRoot, widgets::Scale::Percentile));
  state.setColormap(choice("view/colormap", state.colours().colormap, widgets::ColormapName::Diverging));
  state.setReduction(choice("view/reduction", state.colours().reduction, core::Reduction::Mean));
}

}  // namespace app
