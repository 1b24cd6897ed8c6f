// Where the prompt is typed: live token count, why it can't run, Run and Cancel.
#pragma once

#include <QTimer>
#include <QWidget>
#include <memory>

#include "core/session.h"
#include "widgets/state/job_runner.h"

class QCheckBox;
class QComboBox;
class QLabel;
class QPlainTextEdit;
class QProgressBar;
class QPushButton;

namespace widgets {

/// Text is never changed or cut but by the user. Counting happens on a worker of its own (it is no Torch work), so that
/// the count stays live during a run.
class PromptPanel : public QWidget {
  Q_OBJECT
 public:
  enum class Entry { Text, Ids, TextWithSpecials };

  explicit PromptPanel(QWidget* parent = nullptr);

  /// Checks the prompt anew; as text where the mode makes no difference to this model.
  void setSession(std::shared_ptr<const core::Session> session);
  void setEntry(Entry entry);  ///< ids take over the text's tokens; text comes back as it was
  Entry entry() const { return m_entry; }
  Entry textEntry() const { return m_textEntry; }  ///< what text was, or is, entered as
  void setText(const QString& text);               ///< can be undone
  QString text() const;                            ///< exactly as typed, with '\n' for line ends

  /// Whether text begins with what the model puts there; of no use to one that puts nothing there.
  void setPrefix(core::Prefix prefix);
  core::Prefix prefix() const { return m_prefix; }

  /// Asks for a run as soon as the prompt is checked; answers with runRequested or cannotRun.
  void run();

  void setRunning(bool running);
  void setProgress(double fraction, const QString& stage);

  /// The last check; null while there is no model or the check is under way.
  const core::PromptCheck* check() const { return m_check ? &*m_check : nullptr; }

 Q_SIGNALS:
  void runRequested(const std::vector<core::TokenId>& tokens);
  void cannotRun(const QString& sentence);
  void cancelRequested();
  void tokenizerRequested();
  void checked();
  void entryChanged(widgets::PromptPanel::Entry entry);
  void prefixChanged(core::Prefix prefix);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  enum class Part { First, Last };
  void buildControls();
  void textChanged();
  void startCheck();
  void showCheck();
  void keep(Part part);
  void showKept(const std::vector<core::TokenId>& kept, const QString& text);
  void showPrefixBox();
  void showSpecialsChoice();
  core::Specials specials() const;

  std::shared_ptr<const core::Session> m_session;
  std::optional<core::PromptCheck> m_check;
  Entry m_entry = Entry::Text;
  Entry m_textEntry = Entry::Text;
  core::Prefix m_prefix = core::Prefix::AsTrained;
  QString m_textOfOtherEntry;
  bool m_runAfterCheck = false;
  bool m_running = false;
  QTimer m_delay;
  QPlainTextEdit* m_edit;
  QComboBox* m_entryChoice;
  QCheckBox* m_prefixBox;
  QLabel* m_count;
  QLabel* m_problem;
  QPushButton *m_first, *m_last, *m_tokenizer, *m_run, *m_cancel;
  QProgressBar* m_progress;
  JobRunner m_checks;  // last: it joins its thread before anything above goes
};

}  // namespace widgets
