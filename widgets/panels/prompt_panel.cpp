#include "widgets/panels/prompt_panel.h"

#include <QCheckBox>
#include <QComboBox>
#include <QDropEvent>
#include <QFontDatabase>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QMimeData>
#include <QPlainTextEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QStandardItemModel>

#include "widgets/panels/look.h"

namespace widgets {

namespace {

constexpr int kLongText = 20'000;  // characters; from here on a check waits for a pause in typing
constexpr std::chrono::milliseconds kShortDelay{20};
constexpr std::chrono::milliseconds kLongDelay{250};

QPushButton* button(const QString& text, const QString& toolTip, QWidget* parent) {
  auto* result = new QPushButton(text, parent);
  result->setToolTip(toolTip);
  return result;
}

}  // namespace

PromptPanel::PromptPanel(QWidget* parent) : QWidget(parent) {
  m_delay.setSingleShot(true);
  connect(&m_delay, &QTimer::timeout, this, [this] { startCheck(); });

  m_edit = new QPlainTextEdit(this);
  m_edit->setAccessibleName(tr("Prompt"));
  m_edit->setPlaceholderText(tr("Type a prompt"));
  m_edit->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
  m_edit->setTabChangesFocus(false);
  m_edit->installEventFilter(this);
  m_edit->viewport()->installEventFilter(this);
  m_edit->setMinimumHeight(2 * m_edit->fontMetrics().lineSpacing() + 12);
  connect(m_edit, &QPlainTextEdit::textChanged, this, [this] { textChanged(); });
  buildControls();
  showCheck();
}

void PromptPanel::buildControls() {
  m_run = button(tr("Run  Ctrl+⏎"), tr("Run the model on this prompt (Ctrl+Return)"), this);
  m_cancel = button(tr("Cancel"), tr("Stop the run (Esc)"), this);
  m_first = button({}, tr("Keep the first tokens of the prompt and remove the rest; Undo brings it back"), this);
  m_last = button({}, tr("Keep the last tokens of the prompt and remove the rest; Undo brings it back"), this);
  m_tokenizer =
      button(tr("Choose tokenizer…"), tr("The tokenizer.json, tokenizer.pkl or meta.pkl of this model (Ctrl+T)"), this);
  m_entryChoice = new QComboBox(this);
  m_entryChoice->addItems({tr("text"), tr("token ids"), tr("text with special tokens")});  // in the order of Entry
  m_entryChoice->setToolTip(tr("Type text, or token ids separated by commas or spaces"));
  m_entryChoice->setAccessibleName(tr("What the prompt is written in"));
  m_prefixBox = new QCheckBox(this);
  m_prefixBox->setChecked(true);
  m_prefixBox->hide();  // until a model with a prefix is there
  m_count = mutedLabel({}, this);
  m_problem = new QLabel(this);
  m_problem->setWordWrap(true);
  m_problem->setTextFormat(Qt::PlainText);
  m_progress = new QProgressBar(this);
  m_progress->setTextVisible(false);
  m_progress->setFixedHeight(5);
  m_progress->setRange(0, 1000);

  auto* buttons = new QHBoxLayout;
  buttons->addWidget(m_run);
  buttons->addWidget(m_cancel);
  buttons->addStretch(1);
  auto* choice = new QHBoxLayout;
  choice->addWidget(m_entryChoice);
  choice->addWidget(m_count, 1);
  auto* side = new QVBoxLayout;
  side->setSpacing(5);
  side->addLayout(buttons);
  side->addLayout(choice);
  side->addWidget(m_prefixBox);
  side->addWidget(m_progress);
  side->addStretch(1);

  auto* problem = new QHBoxLayout;
  problem->addWidget(m_problem, 1);
  problem->addWidget(m_first);
  problem->addWidget(m_last);
  problem->addWidget(m_tokenizer);
  auto* main = new QVBoxLayout;
  main->setSpacing(4);
  main->addWidget(m_edit, 1);
  main->addLayout(problem);
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(10, 2, 10, 6);
  layout->setSpacing(12);
  layout->addLayout(main, 1);
  layout->addLayout(side);

  connect(m_run, &QPushButton::clicked, this, [this] { run(); });
  connect(m_cancel, &QPushButton::clicked, this, [this] { Q_EMIT cancelRequested(); });
  connect(m_first, &QPushButton::clicked, this, [this] { keep(Part::First); });
  connect(m_last, &QPushButton::clicked, this, [this] { keep(Part::Last); });
  connect(m_tokenizer, &QPushButton::clicked, this, [this] { Q_EMIT tokenizerRequested(); });
  connect(m_prefixBox, &QCheckBox::clicked, this,
          [this](bool checked) { setPrefix(checked ? core::Prefix::AsTrained : core::Prefix::LeftOut); });
  connect(m_entryChoice, &QComboBox::activated, this, [this](int index) { setEntry(static_cast<Entry>(index)); });
}

void PromptPanel::setSession(std::shared_ptr<const core::Session> session) {
  m_session = std::move(session);
  showSpecialsChoice();
  m_delay.stop();
  showPrefixBox();
  startCheck();
}

void PromptPanel::showSpecialsChoice() {
  QStringList spellings;
  if (m_session)
    for (const core::TokenText& token : m_session->specials()) spellings << QString::fromStdString(token.label);
  const int index = static_cast<int>(Entry::TextWithSpecials);
  qobject_cast<QStandardItemModel*>(m_entryChoice->model())->item(index)->setEnabled(!spellings.isEmpty());
  m_entryChoice->setItemData(
      index,
      spellings.isEmpty()
          ? tr("For models whose tokenizer takes the spelling of a special token for text; this one has no such token")
          : tr("Where the text spells one of these tokens, it is that token: %1").arg(spellings.join("  ")),
      Qt::ToolTipRole);
  if (!m_session || !spellings.isEmpty()) return;
  m_textEntry = Entry::Text;
  if (m_entry == Entry::TextWithSpecials) setEntry(Entry::Text);
}

core::Specials PromptPanel::specials() const {
  return m_entry == Entry::TextWithSpecials ? core::Specials::Tokens : core::Specials::AsUpstream;
}

void PromptPanel::setPrefix(core::Prefix prefix) {
  if (m_prefix == prefix) return;
  m_prefix = prefix;
  m_prefixBox->setChecked(prefix == core::Prefix::AsTrained);
  m_delay.stop();
  startCheck();
  Q_EMIT prefixChanged(prefix);
}

void PromptPanel::showPrefixBox() {
  QString labels;
  if (m_session)
    for (const core::TokenText& token : m_session->prefix()) labels += QString::fromStdString(token.label);
  m_prefixBox->setText(tr("begin with %1").arg(QString(labels).replace('&', "&&")));
  m_prefixBox->setToolTip(
      tr("Training began every text with %1; without it the first token takes its place (Ctrl+Shift+B)").arg(labels));
  m_prefixBox->setVisible(!labels.isEmpty() && m_entry != Entry::Ids);  // ids run exactly as given
}

QString PromptPanel::text() const {
  // toPlainText() would turn no-break spaces into spaces: other tokens than were typed.
  QString raw = m_edit->document()->toRawText();
  raw.replace(QChar::ParagraphSeparator, '\n');
  return raw;
}

void PromptPanel::setText(const QString& text) {
  QTextCursor cursor(m_edit->document());
  cursor.select(QTextCursor::Document);
  cursor.insertText(text);
}

void PromptPanel::setEntry(Entry entry) {
  if (m_entry == entry) return;
  const bool isOtherText = m_entry == Entry::Ids || entry == Entry::Ids;
  QString other = m_textOfOtherEntry;
  if (entry == Entry::Ids && m_check) {
    QStringList ids;
    for (const core::TokenId id : m_check->tokens) ids << QString::number(id);
    other = ids.join(", ");
  }
  m_entry = entry;
  if (entry != Entry::Ids) m_textEntry = entry;
  m_entryChoice->setCurrentIndex(static_cast<int>(entry));
  if (isOtherText) {
    m_textOfOtherEntry = text();
    showPrefixBox();
    setText(other);
  }
  m_edit->setPlaceholderText(entry == Entry::Ids ? tr("Token ids, for example 18, 47, 56") : tr("Type a prompt"));
  textChanged();
  Q_EMIT entryChanged(entry);
}

void PromptPanel::run() {
  if (!m_session) return;
  m_runAfterCheck = true;
  if (!m_delay.isActive() && !m_checks.isBusy("check"))
    showCheck();
  else if (m_delay.isActive())
    m_delay.start(0);
}

void PromptPanel::textChanged() {
  m_check.reset();  // of another text
  m_delay.start(m_edit->document()->characterCount() > kLongText ? kLongDelay : kShortDelay);
}

void PromptPanel::startCheck() {
  m_check.reset();
  if (!m_session) {
    showCheck();
    return;
  }
  m_checks.submit<core::PromptCheck>(
      "check", JobPriority::Interactive,
      [session = m_session, entry = m_entry, prefix = m_prefix, specials = specials(),
       typed = text()](const core::Progress&) {
        const std::string utf8 = typed.toStdString();
        return entry == Entry::Ids ? session->checkIds(utf8) : session->check(utf8, prefix, specials);
      },
      [this](core::PromptCheck check) {
        if (m_delay.isActive()) return;  // typed on since; the next check is the one that counts
        m_check = std::move(check);
        showCheck();
        Q_EMIT checked();
      },
      [this](const core::Error& error) {
        // Only memory can fail here; the sentence stands where the reason of a prompt stands.
        m_problem->setText(error.what());
        m_problem->show();
        if (std::exchange(m_runAfterCheck, false)) Q_EMIT cannotRun(error.what());
      });
}

void PromptPanel::showCheck() {
  const bool tooLong = m_check && m_check->problem == core::PromptCheck::Problem::TooLong;
  const QString sentence = m_check ? QString::fromStdString(m_check->sentence) : QString();
  const QString notice = m_check && sentence.isEmpty() ? QString::fromStdString(m_check->notice) : QString();
  m_problem->setText(sentence.isEmpty() ? notice : sentence);
  m_problem->setVisible(!m_problem->text().isEmpty());
  m_first->setVisible(tooLong);
  m_last->setVisible(tooLong);
  m_tokenizer->setVisible(m_check && m_check->problem == core::PromptCheck::Problem::NoTokenizer);
  m_run->setEnabled(m_session && m_check && m_check->canRun());
  m_run->setToolTip(sentence.isEmpty() ? tr("Run the model on this prompt (Ctrl+Return)") : sentence);
  m_cancel->setVisible(m_running);
  m_progress->setVisible(m_running);
  if (!m_session) {
    m_count->setText(tr("no model"));
  } else if (m_check) {
    const core::ModelConfig& config = m_session->info().config;
    const bool counted = m_check->problem != core::PromptCheck::Problem::NotEncodable &&
                         m_check->problem != core::PromptCheck::Problem::NotATokenId;
    m_count->setText(
        tr("%1 / %2 tokens").arg(counted ? QString::number(m_check->tokens.size()) : "–").arg(config.context));
    m_count->setToolTip(
        config.longestPrompt > config.context
            ? tr("Training saw %1 tokens at once; the model can run %2").arg(config.context).arg(config.longestPrompt)
            : QString());
    m_first->setText(tr("Use first %1").arg(config.longestPrompt));
    m_last->setText(tr("Use last %1").arg(config.longestPrompt));
  }
  QPalette problemPalette = palette();
  // A notice is no error: it has the colour of what stands beside things.
  problemPalette.setColor(QPalette::WindowText, sentence.isEmpty() ? mutedText(palette()) : warningColor(palette()));
  m_problem->setPalette(problemPalette);
  if (!m_runAfterCheck || !m_check) return;
  m_runAfterCheck = false;
  if (m_check->canRun())
    Q_EMIT runRequested(m_check->tokens);
  else
    Q_EMIT cannotRun(sentence);
}

void PromptPanel::keep(Part part) {
  if (!m_check || !m_session) return;
  const auto limit = static_cast<std::ptrdiff_t>(m_session->info().config.longestPrompt);
  std::vector<core::TokenId> all = m_check->tokens;
  if (static_cast<std::ptrdiff_t>(all.size()) <= limit) return;
  // What the model puts before a text counts, but is not typed.
  std::vector<core::TokenId> before;
  if (m_entry != Entry::Ids && m_prefix == core::Prefix::AsTrained)
    for (const core::TokenText& token : m_session->prefix()) before.push_back(token.id);
  const auto prefix = static_cast<std::ptrdiff_t>(before.size());
  const std::ptrdiff_t rest = limit - prefix;
  if (rest <= 0) return;
  std::vector<core::TokenId> kept = part == Part::First ? std::vector(all.begin() + prefix, all.begin() + limit)
                                                        : std::vector(all.end() - rest, all.end());
  if (m_entry == Entry::Ids) return showKept(kept, {});
  struct Kept {
    std::vector<core::TokenId> tokens;  ///< with the prefix
    QString text;                       ///< null: only ids say exactly what is kept
  };
  // A token may end inside a letter, and a text that was cut may be other and more tokens than before.
  m_checks.submit<Kept>(
      "keep", JobPriority::Interactive,
      [session = m_session, choice = m_prefix, specials = specials(), before, kept](const core::Progress&) {
        std::string bytes;
        for (const core::TokenText& token : session->texts(kept)) bytes += token.bytes;
        const QString text = QString::fromStdString(bytes);
        Kept result{before, {}};
        result.tokens.insert(result.tokens.end(), kept.begin(), kept.end());
        if (text.toStdString() == bytes && session->check(bytes, choice, specials).canRun()) result.text = text;
        return result;
      },
      [this, typed = text()](const Kept& result) {
        if (typed == text()) showKept(result.tokens, result.text);  // else typed on since
      },
      [this](const core::Error& error) {
        m_problem->setText(error.what());
        m_problem->show();
      });
}

void PromptPanel::showKept(const std::vector<core::TokenId>& kept, const QString& text) {
  if (!text.isNull()) return setText(text);
  setEntry(Entry::Ids);
  QStringList ids;
  for (const core::TokenId id : kept) ids << QString::number(id);
  setText(ids.join(", "));
}

void PromptPanel::setRunning(bool running) {
  m_running = running;
  if (running) m_progress->setValue(0);
  m_cancel->setVisible(running);
  m_progress->setVisible(running);
}

void PromptPanel::setProgress(double fraction, const QString& stage) {
  m_progress->setValue(static_cast<int>(fraction * 1000));
  m_progress->setToolTip(stage);
}

bool PromptPanel::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::KeyPress) {
    auto* key = static_cast<QKeyEvent*>(event);
    const bool isReturn = key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter;
    if (isReturn && key->modifiers() & Qt::ShiftModifier) {
      // Qt would put in U+2028, which looks like a line end and is another token.
      m_edit->textCursor().insertBlock();
      return true;
    }
  }
  if (watched == m_edit->viewport() &&
      (event->type() == QEvent::DragEnter || event->type() == QEvent::DragMove || event->type() == QEvent::Drop)) {
    // Dropped files are for the window; the editor would type their names.
    if (auto* drop = static_cast<QDropEvent*>(event); drop->mimeData()->hasUrls()) {
      event->ignore();
      return true;
    }
  }
  return QWidget::eventFilter(watched, event);
}

void PromptPanel::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) showCheck();
}

}  // namespace widgets
