#include <QCheckBox>
#include <QComboBox>
#include <QDragEnterEvent>
#include <QLabel>
#include <QMimeData>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/support/qt_test.h"
#include "widgets/charts/bar_list.h"
#include "widgets/charts/row_chart.h"
#include "widgets/panels/inspector_panel.h"
#include "widgets/panels/look.h"
#include "widgets/panels/model_line.h"
#include "widgets/panels/prompt_panel.h"

using widgets::PromptPanel;

namespace {

/// A model that has a token for each byte, was trained on six and reads eight of them. It can't run. A special token
/// is found only at the beginning of a text.
class Bytes : public core::Session {
 public:
  explicit Bytes(std::vector<core::TokenText> prefix = {}, std::vector<core::TokenText> specials = {})
      : m_prefix(std::move(prefix)), m_specials(std::move(specials)) {
    m_info.config.context = 6, m_info.config.longestPrompt = 8, m_info.config.vocabulary = 256;
  }
  const core::ModelInfo& info() const override { return m_info; }
  bool hasTokenizer() const override { return true; }
  std::vector<core::TokenText> prefix() const override { return m_prefix; }
  std::vector<core::TokenText> specials() const override { return m_specials; }
  core::PromptCheck check(std::string_view text, core::Prefix prefix, core::Specials specials) const override {
    std::vector<core::TokenId> ids;
    if (prefix == core::Prefix::AsTrained)
      for (const core::TokenText& token : m_prefix) ids.push_back(token.id);
    for (const core::TokenText& token : m_specials) {
      if (specials != core::Specials::Tokens || !text.starts_with(token.bytes)) continue;
      ids.push_back(token.id);
      text.remove_prefix(token.bytes.size());
    }
    for (const char c : text) ids.push_back(static_cast<unsigned char>(c));
    return checkTokens(std::move(ids));
  }
  core::PromptCheck checkIds(std::string_view ids) const override { return core::checkIds(ids, m_info.config); }
  core::PromptCheck checkTokens(std::vector<core::TokenId> tokens) const override {
    return core::checkTokens(std::move(tokens), m_info.config);
  }
  std::vector<core::TokenText> texts(const std::vector<core::TokenId>& tokens) const override {
    std::vector<core::TokenText> texts;
    for (const core::TokenId id : tokens) {
      const auto special =
          std::find_if(m_specials.begin(), m_specials.end(), [&](const auto& t) { return t.id == id; });
      texts.push_back({id, special != m_specials.end() ? special->bytes : std::string(1, static_cast<char>(id)), "?"});
    }
    return texts;
  }
  std::shared_ptr<const core::Capture> run(const core::RunRequest&, const core::Progress&) const override { return {}; }
  std::vector<float> lastLogits(const core::RunRequest&, const core::Progress&) const override { return {}; }
  core::Generation generate(const core::RunRequest&, std::int64_t, const core::Sampling&, const core::OnToken&,
                            const core::Progress&) const override {
    return {};
  }

 private:
  core::ModelInfo m_info;
  std::vector<core::TokenText> m_prefix;
  std::vector<core::TokenText> m_specials;
};

class ReadyPrompt {
 public:
  explicit ReadyPrompt(const QString& text, std::vector<core::TokenText> prefix = {}) {
    panel.setSession(std::make_shared<Bytes>(std::move(prefix)));
    panel.setText(text);
    panel.show();
    wait();
  }
  void wait() {
    QVERIFY(QTest::qWaitFor([&] { return panel.check() != nullptr; }, 20'000));
  }
  QPushButton* button(const QString& text) {
    for (auto* candidate : panel.findChildren<QPushButton*>())
      if (candidate->text().startsWith(text)) return candidate;
    return nullptr;
  }
  PromptPanel panel;
};

core::TokenText token(const std::string& label) { return {0, label, label}; }

widgets::CellDetails details(core::Position query, core::Position key, bool visible, float weight,
                             core::Position firstKey = 0) {
  widgets::CellDetails result;
  result.cell = {query, key};
  result.visibleKeys = {firstKey, query + 1};
  result.visible = visible;
  result.weight = weight;
  return result;
}

}  // namespace

class PanelsTest : public support::QtTest {
  Q_OBJECT
 private Q_SLOTS:
  void sharesArePercentWithTheDigitsThatCount() {
    QCOMPARE(widgets::percentText(0.412), QString("41\u00a0%"));
    QCOMPARE(widgets::percentText(0.0116), QString("1.2\u00a0%"));
    QCOMPARE(widgets::percentText(0.0012), QString("0.12\u00a0%"));
    QCOMPARE(widgets::percentText(0.00001), QString("less than 0.01\u00a0%"));
    QCOMPARE(widgets::percentText(0), QString("0\u00a0%"));
    QCOMPARE(widgets::percentText(std::numeric_limits<double>::quiet_NaN()), QString("NaN"));
  }

  void aCellIsOneSentence() {
    const std::vector<core::TokenText> tokens{token("␣him"), token("⏎")};
    QCOMPARE(widgets::cellSentence(details(1, 0, true, 0.41f), tokens),
             QString("Query 1 ⏎ looks at key 0 ␣him: 41\u00a0% of its attention."));
    QCOMPARE(widgets::cellSentence(details(1, 1, true, 0.59f), tokens),
             QString("Query 1 ⏎ looks at itself: 59\u00a0% of its attention."));
    QCOMPARE(widgets::cellSentence(details(0, 1, false, 0), tokens),
             QString("Query 0 ␣him can't see key 1 ⏎: it comes later."));
    QCOMPARE(widgets::cellSentence(details(1, 0, false, 0, 1), tokens),
             QString("Query 1 ⏎ can't see key 0 ␣him: its window begins at key 1."));
    const std::vector<core::TokenText> three = {token("a"), token("b"), token("c")};
    widgets::CellDetails beyond = details(0, 2, false, 0);
    beyond.visibleKeys = {0, 2};  // a bidirectional window
    QCOMPARE(widgets::cellSentence(beyond, three), QString("Query 0 a can't see key 2 c: its window ends at key 1."));
  }

  void aModelIsOneLine() {
    core::ModelInfo info;
    core::ModelConfig& config = info.config;
    config.family = "nanoGPT";
    config.layers = config.heads = config.kvHeads = 6;
    config.headSize = 32, config.context = 256;
    info.storedType = "fp32";
    QCOMPARE(widgets::modelDetails(info),
             QString("nanoGPT · 6 layers × 6 heads · D 32 · context 256 · GELU erf · fp32 · CPU"));
    config.kvHeads = 2;
    QVERIFY(widgets::modelDetails(info).contains("6 heads on 2 kv"));
    config.family = "nanochat", config.version = "from 14 March 2026", config.mlp = core::Mlp::ReluSquared;
    QVERIFY(widgets::modelDetails(info).startsWith("nanochat · from 14 March 2026 · 6 layers"));
    QVERIFY(!widgets::modelDetails(info).contains("GELU"));
  }

  void aClickOnABarTellsWhich() {
    widgets::BarList list(4, Qt::blue);
    list.setBars({{"a", 0.5, {}}, {"b", 0.25, {}}});
    list.resize(300, list.sizeHint().height());
    QSignalSpy clicked(&list, &widgets::BarList::barClicked);
    const int row = list.height() / 4;
    QTest::mouseClick(&list, Qt::LeftButton, {}, {10, row + row / 2});
    QTest::mouseClick(&list, Qt::LeftButton, {}, {10, 3 * row + row / 2});  // no bar there
    QCOMPARE(clicked.size(), 1);
    QCOMPARE(clicked.first().first().toInt(), 1);
  }

  void chartsDrawWhateverTheNumbersAre() {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    widgets::RowChart chart(Qt::blue, Qt::red);
    widgets::BarList list(3, Qt::blue);
    for (QWidget* widget : std::initializer_list<QWidget*>{&chart, &list}) widget->resize(260, 100), widget->show();
    for (const std::vector<float>& row : {std::vector<float>{}, {1}, {nan, 0.5f}, std::vector<float>(5000, 0.0002f)}) {
      chart.setRow(row, row.empty() ? std::nullopt : std::optional<std::int64_t>(0));
      list.setBars({{"x", row.empty() ? 0.0 : static_cast<double>(row[0]), {}}});
      QVERIFY(!chart.grab().isNull());
      QVERIFY(!list.grab().isNull());
    }
  }

  void runWaitsForTheCheckOfWhatIsTyped() {
    ReadyPrompt user("abc");
    QSignalSpy run(&user.panel, &PromptPanel::runRequested);
    user.panel.setText("wxyz");
    user.panel.run();  // at once: the check of "wxyz" has not begun
    QTRY_COMPARE(run.size(), 1);
    QCOMPARE(run.first().first().value<std::vector<core::TokenId>>(), (std::vector<core::TokenId>{'w', 'x', 'y', 'z'}));
  }

  void runOfAPromptThatCanNotRunSaysWhy() {
    ReadyPrompt user("123456789");
    QSignalSpy run(&user.panel, &PromptPanel::runRequested);
    QSignalSpy cannot(&user.panel, &PromptPanel::cannotRun);
    user.panel.run();
    QTRY_COMPARE(cannot.size(), 1);
    QVERIFY(cannot.first().first().toString().contains("9 tokens"));
    QCOMPARE(run.size(), 0);
  }

  void aLetterThatWouldBeCutIsKeptAsIds() {
    ReadyPrompt user("1234567é");  // nine bytes; the first eight end inside the é
    QTest::mouseClick(user.button("Use first 8"), Qt::LeftButton);
    QTRY_COMPARE(user.panel.entry(), PromptPanel::Entry::Ids);
    QCOMPARE(user.panel.text(), QString("49, 50, 51, 52, 53, 54, 55, 195"));
  }

  void whatTrainingBeganATextWithIsPutThereAndMayBeLeftOut() {
    ReadyPrompt user("abc", {{200, "", "<|bos|>"}});
    auto* box = user.panel.findChild<QCheckBox*>();
    QVERIFY(box->isVisible() && box->isChecked());
    QCOMPARE(box->text(), QString("begin with <|bos|>"));
    QCOMPARE(user.panel.check()->tokens, (std::vector<core::TokenId>{200, 'a', 'b', 'c'}));
    QSignalSpy changed(&user.panel, &PromptPanel::prefixChanged);
    box->click();
    user.wait();
    QCOMPARE(changed.size(), 1);
    QCOMPARE(user.panel.check()->tokens, (std::vector<core::TokenId>{'a', 'b', 'c'}));
    QCOMPARE(user.panel.text(), QString("abc"));
    user.panel.setPrefix(core::Prefix::AsTrained);
    user.wait();
    QVERIFY(box->isChecked());
    user.panel.setEntry(PromptPanel::Entry::Ids);  // ids run exactly as given
    QCOMPARE(user.panel.text(), QString("200, 97, 98, 99"));
    QVERIFY(!box->isVisible());
    user.panel.setSession(std::make_shared<Bytes>());
    user.panel.setEntry(PromptPanel::Entry::Text);
    QVERIFY(!box->isVisible());
  }

  void theSpellingOfASpecialTokenIsTextUntilThatModeIsChosen() {
    using Ids = std::vector<core::TokenId>;
    const auto withSpecial = std::make_shared<Bytes>(std::vector<core::TokenText>{{200, "", "<|bos|>"}},
                                                     std::vector<core::TokenText>{{201, "<e>", "<e>"}});
    ReadyPrompt user("<e>a");
    auto* modes = user.panel.findChild<QComboBox*>();
    const int mode = modes->findText("text with special tokens");
    const auto isOffered = [&] {
      return bool(modes->model()->flags(modes->model()->index(mode, 0)) & Qt::ItemIsEnabled);
    };
    const auto choose = [&](int index) {
      modes->setCurrentIndex(index);
      Q_EMIT modes->activated(index);
      user.wait();
    };
    QVERIFY(mode >= 0 && !isOffered());
    user.panel.setSession(withSpecial);
    user.wait();
    QVERIFY(isOffered());
    QVERIFY(modes->itemData(mode, Qt::ToolTipRole).toString().contains("<e>"));
    QCOMPARE(user.panel.check()->tokens, (Ids{200, '<', 'e', '>', 'a'}));
    QSignalSpy changed(&user.panel, &PromptPanel::entryChanged);
    choose(mode);
    QCOMPARE(changed.size(), 1);
    QCOMPARE(user.panel.text(), QString("<e>a"));
    QCOMPARE(user.panel.check()->tokens, (Ids{200, 201, 'a'}));
    QVERIFY(user.panel.findChild<QCheckBox*>()->isVisible());
    choose(modes->findText("token ids"));
    QCOMPARE(user.panel.text(), QString("200, 201, 97"));
    QVERIFY(user.panel.textEntry() == PromptPanel::Entry::TextWithSpecials);
    user.panel.setEntry(user.panel.textEntry());
    user.wait();
    QCOMPARE(user.panel.text(), QString("<e>a"));
    QCOMPARE(user.panel.check()->tokens, (Ids{200, 201, 'a'}));
    user.panel.setSession(std::make_shared<Bytes>());  // the mode makes no difference to it
    user.wait();
    QVERIFY(user.panel.entry() == PromptPanel::Entry::Text && !isOffered());
    QCOMPARE(user.panel.text(), QString("<e>a"));
    QCOMPARE(user.panel.check()->tokens, (Ids{'<', 'e', '>', 'a'}));
  }

  void whatIsKeptOfATextWithSpecialTokensHasThem() {
    ReadyPrompt user("<e>23456789");
    user.panel.setSession(
        std::make_shared<Bytes>(std::vector<core::TokenText>{}, std::vector<core::TokenText>{{201, "<e>", "<e>"}}));
    user.panel.setEntry(PromptPanel::Entry::TextWithSpecials);
    user.wait();
    QTest::mouseClick(user.button("Use first 8"), Qt::LeftButton);
    QTRY_COMPARE(user.panel.text(), QString("<e>2345678"));
    user.wait();
    QCOMPARE(user.panel.check()->tokens, (std::vector<core::TokenId>{201, '2', '3', '4', '5', '6', '7', '8'}));
  }

  void whatIsKeptOfALongPromptLeavesRoomForItsFirstToken() {
    ReadyPrompt user("123456789", {{200, "", "<|bos|>"}});
    QCOMPARE(user.panel.check()->tokens.size(), std::size_t{10});
    QTest::mouseClick(user.button("Use last 8"), Qt::LeftButton);
    QTRY_COMPARE(user.panel.text(), QString("3456789"));
    user.wait();
    QVERIFY(user.panel.check()->canRun());
    user.panel.setText("123456789");
    user.wait();
    QTest::mouseClick(user.button("Use first 8"), Qt::LeftButton);
    QTRY_COMPARE(user.panel.text(), QString("1234567"));
  }

  void aPromptThatIsLongerThanTrainingSawRunsWithACalmNotice() {
    ReadyPrompt user("1234567");
    QVERIFY(user.panel.check()->canRun());
    QVERIFY(user.button("Run")->isEnabled());
    const QString notice = QString::fromStdString(user.panel.check()->notice);
    QVERIFY(!notice.isEmpty());
    const auto shown = [&]() -> QLabel* {
      for (auto* label : user.panel.findChildren<QLabel*>())
        if (label->isVisible() && label->text() == notice) return label;
      return nullptr;
    };
    QVERIFY(shown());
    QVERIFY(shown()->palette().color(QPalette::WindowText) != widgets::warningColor(user.panel.palette()));
    bool counted = false;
    for (auto* label : user.panel.findChildren<QLabel*>()) counted = counted || label->text() == "7 / 6 tokens";
    QVERIFY(counted);
  }

  void aLongPasteIsCountedAndKept() {
    ReadyPrompt user("a");
    QString text;
    for (int line = 0; line < 20'000; ++line) text += "to be or not to be\n";
    user.panel.setText(text);
    QTRY_VERIFY_WITH_TIMEOUT(user.panel.check() && user.panel.check()->tokens.size() == 380'000, 20'000);
    QCOMPARE(user.panel.text().size(), 380'000);
  }

  void dropsOfFilesPassThePromptBy() {
    ReadyPrompt user("abc");
    auto* edit = user.panel.findChild<QPlainTextEdit*>();
    QMimeData files;
    files.setUrls({QUrl::fromLocalFile("/tmp/model.pt")});
    QDragEnterEvent enter({5, 5}, Qt::CopyAction, &files, Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(edit->viewport(), &enter);
    QVERIFY(!enter.isAccepted());
    QCOMPARE(user.panel.text(), QString("abc"));
  }

  void bothPalettesAreReadable() {
    for (const auto appearance : {widgets::Appearance::Light, widgets::Appearance::Dark}) {
      widgets::apply(appearance);
      const QPalette palette = QApplication::palette();
      QCOMPARE(widgets::isDark(palette), appearance == widgets::Appearance::Dark);
      for (const QColor& text : {palette.color(QPalette::Text), widgets::mutedText(palette),
                                 widgets::goodColor(palette), widgets::warningColor(palette)})
        QVERIFY2(contrast(text, palette.color(QPalette::Base)) >= 4.5, qPrintable(text.name()));
    }
  }

 private:
  /// Source: WCAG 2, contrast ratio of relative luminances.
  static double contrast(const QColor& a, const QColor& b) {
    const auto luminance = [](const QColor& color) {
      const auto linear = [](double c) { return c <= 0.03928 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4); };
      return 0.2126 * linear(static_cast<double>(color.redF())) + 0.7152 * linear(static_cast<double>(color.greenF())) +
             0.0722 * linear(static_cast<double>(color.blueF()));
    };
    const double one = luminance(a), other = luminance(b);
    return (std::max(one, other) + 0.05) / (std::min(one, other) + 0.05);
  }
};

HEADSCOPE_QTEST_MAIN(PanelsTest)
#include "panels_test.moc"
