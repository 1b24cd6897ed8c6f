// What the window remembers between starts.
#pragma once

#include <QByteArray>
#include <QSettings>
#include <QString>
#include <QStringList>

#include "widgets/panels/look.h"
#include "widgets/panels/prompt_panel.h"
#include "widgets/state/view_state.h"

namespace app {

/// A thin layer over QSettings. Values that make no sense (a settings file can be edited) count as absent.
class Settings {
 public:
  Settings() = default;  ///< the user's
  explicit Settings(const QString& file) : m_store(file, QSettings::IniFormat) {}

  QByteArray geometry() const { return m_store.value("window/geometry").toByteArray(); }
  QByteArray docks() const { return m_store.value("window/docks").toByteArray(); }
  void setWindow(const QByteArray& geometry, const QByteArray& docks);
  void forgetWindow() { m_store.remove("window"); }

  widgets::Appearance appearance() const;
  void setAppearance(widgets::Appearance appearance);

  /// Newest first, at most ten, without those that are gone.
  QStringList recent() const;
  void addRecent(const QString& path);
  void removeRecent(const QString& path);
  bool remembers(const QString& path) const { return allRecent().contains(path); }  ///< also when it is gone
  void clearRecent();

  QString model() const { return m_store.value("session/model").toString(); }
  QString tokenizer() const { return m_store.value("session/tokenizer").toString(); }
  void setModel(const QString& model, const QString& tokenizer);

  QString prompt() const { return m_store.value("session/prompt").toString(); }
  widgets::PromptPanel::Entry entry() const;
  core::Prefix prefix() const;
  void setPrompt(const QString& prompt, widgets::PromptPanel::Entry entry, core::Prefix prefix);

  void saveView(const widgets::ViewState& state);
  void restoreView(widgets::ViewState& state) const;

  void sync() { m_store.sync(); }

 private:
  template <class Enum>
  Enum choice(const QString& key, Enum fallback, Enum last) const;

  QStringList allRecent() const { return m_store.value("recent").toStringList(); }

  QSettings m_store;
};

}  // namespace app
