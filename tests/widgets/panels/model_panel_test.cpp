// The model panel: facts, windows of the layers, settings of the run; and the question which checkpoint to open.
#include "widgets/panels/model_panel.h"

#include <QComboBox>
#include <QDialog>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QSignalSpy>

#include "tests/support/qt_test.h"
#include "widgets/panels/checkpoint_dialog.h"
#include "widgets/panels/layer_table.h"
#include "widgets/panels/look.h"
#include "widgets/panels/model_facts.h"
#include "widgets/panels/settings_form.h"

namespace {

core::ModelInfo nanogpt() {
  core::ModelInfo info;
  core::ModelConfig& config = info.config;
  config.family = "nanoGPT";
  config.layers = 2, config.heads = config.kvHeads = 4, config.headSize = 16, config.embedding = 64;
  config.inner = 256, config.context = config.longestPrompt = 256;
  config.vocabulary = config.vocabularyRows = 65;
  config.windowRule.shortWindow = {128};
  config.trained.windows = {{}, {}};
  return info;
}

core::ModelInfo nanochat() {
  core::ModelInfo info = nanogpt();
  core::ModelConfig& config = info.config;
  config.family = "nanochat", config.version = "from 14 March 2026";
  config.layers = 4, config.kvHeads = 2;
  config.context = 512, config.longestPrompt = 5120;
  config.vocabularyRows = 128;
  config.norm = core::Norm::RmsNorm;
  config.positions = core::Positions::Rotary;
  config.qkNorm = core::QkNorm::Unit;
  config.mlp = core::Mlp::ReluSquared;
  config.tiedHead = false;
  config.nanochat = {true, true, 12, 3, true};
  config.windowRule = {"SSSL", {128}, {512}, "window_pattern of meta_000100.json; S is a quarter of the context"};
  config.trained = {.qkMultiplier = 1.2, .ropeBase = 100000, .softCap = 15, .windows = {{128}, {128}, {128}, {512}}};
  return info;
}

QString valueOf(const widgets::FactRows& rows, const QString& name) {
  for (const auto& [key, value] : rows)
    if (key == name) return value;
  return {};
}

struct Shown {
  explicit Shown(const core::ModelInfo& info, const core::Overrides& applied = {}) {
    panel.resize(280, 700);
    panel.setModel(info, applied);
    panel.show();
  }
  template <class Editor>
  Editor& field(const QString& name) const {
    for (auto* editor : panel.findChildren<Editor*>())
      if (editor->accessibleName() == name) return *editor;
    qFatal("there is no field %s", qPrintable(name));
  }
  QPushButton& button(const QString& text) const {
    for (auto* found : panel.findChildren<QPushButton*>())
      if (found->text() == text) return *found;
    qFatal("there is no button %s", qPrintable(text));
  }
  bool says(const QString& text) const {
    for (const auto* label : panel.findChildren<QLabel*>())
      if (!label->isHidden() && label->text().contains(text)) return true;
    return false;
  }
  core::Overrides chosen() { return spy.isEmpty() ? core::Overrides() : spy.last().first().value<core::Overrides>(); }

  widgets::ViewState state;
  widgets::ModelPanel panel{state};
  QSignalSpy spy{&panel, &widgets::ModelPanel::overridesChosen};
};

}  // namespace

class ModelPanelTest : public support::QtTest {
  Q_OBJECT
 private Q_SLOTS:
  void factsOfAModelAreRows() {
    const widgets::FactRows facts = widgets::modelFacts(nanochat());
    QCOMPARE(valueOf(facts, "family"), QString("nanochat, from 14 March 2026"));
    QCOMPARE(valueOf(facts, "heads"), QString("4 of size 16, on 2 key/value heads"));
    QVERIFY(valueOf(facts, "context").contains("512 tokens; runs up to"));
    QCOMPARE(valueOf(facts, "MLP"), QString("ReLU²"));
    QCOMPARE(valueOf(facts, "positions"), QString("RoPE"));
    QCOMPARE(valueOf(facts, "vocabulary"), QString("65, padded to 128 rows"));
    QCOMPARE(valueOf(facts, "biases"), QString("none"));
    QVERIFY(valueOf(facts, "more").contains("gate 3 × sigmoid of 12 channels"));
    QCOMPARE(valueOf(widgets::modelFacts(nanogpt()), "more"), QString());
    core::ModelInfo llama = nanochat();
    llama.config.ropeScaling = {core::RopeScaling::Rule::Llama3, 8, 1, 4, 8192};
    llama.config.biases.qkv = true;
    QVERIFY(valueOf(widgets::modelFacts(llama), "positions").startsWith("RoPE, llama3 scaling by 8 from 8"));
    QCOMPARE(valueOf(widgets::modelFacts(llama), "biases"), QString("q, k, v"));
  }

  void settingsAsTrainedAreRowsOfTheLoadReport() {
    const widgets::FactRows rows = widgets::trainedSettings(nanochat().config);
    QCOMPARE(valueOf(rows, "QK multiplier"), QString("1.2"));
    QCOMPARE(valueOf(rows, "RoPE base"), QString("100000"));
    QCOMPARE(valueOf(rows, "soft cap"), QString("15"));
    QCOMPARE(valueOf(rows, "windows"), QString("SSSL; S: i − j ≤ 128 (129 keys); window_pattern of meta_000100.json; S "
                                               "is a quarter of the context"));
    QCOMPARE(valueOf(rows, "GELU"), QString());
    QCOMPARE(valueOf(rows, "mask"), QString("causal"));
    const widgets::FactRows plain = widgets::trainedSettings(nanogpt().config);
    QCOMPARE(valueOf(plain, "GELU"), QString("erf"));
    QCOMPARE(valueOf(plain, "windows"), QString("LL; trained without windows; S would be i − j ≤ 128 (129 keys): a "
                                                "quarter of the context, up to a multiple of 128"));
  }

  void eachLayerSaysHowFarBackItLooks() {
    widgets::LayerTable table;
    const core::ModelConfig config = nanochat().config;
    table.setLayers(config, config.trained, 200);
    QCOMPARE(table.rowCount(), 4);
    const auto row = [&](int layer) {
      QStringList texts;
      for (int column = 0; column < table.columnCount(); ++column) texts << table.item(layer, column)->text();
      return texts;
    };
    QCOMPARE(row(2), (QStringList{"2 S", "i − j ≤ 128", "129", "129"}));
    QCOMPARE(row(3), (QStringList{"3 L", "i − j ≤ 512", "513", "200"}));
    table.setLayers(nanogpt().config, nanogpt().config.trained, std::nullopt);
    QCOMPARE(table.rowCount(), 2);
    QCOMPARE(row(1), (QStringList{"1 L", "none", "all", "–"}));
  }

  void underABidirectionalMaskTheRuleHasTwoSides() {
    widgets::LayerTable table;
    const core::ModelConfig config = nanochat().config;
    core::RunSettings settings = config.trained;
    settings.mask = core::MaskKind::Bidirectional;
    settings.windows = {{0}, {3}, {128}, {}};
    table.setLayers(config, settings, 200);
    const auto row = [&](int layer) {
      QStringList texts;
      for (int column = 0; column < table.columnCount(); ++column) texts << table.item(layer, column)->text();
      return texts;
    };
    QCOMPARE(table.horizontalHeaderItem(3)->text(), QString("fullest"));
    QCOMPARE(row(0), (QStringList{"0 S", "|i−j| ≤ 0", "1", "1"}));
    QCOMPARE(row(1), (QStringList{"1 S", "|i−j| ≤ 3", "7", "7"}));
    QCOMPARE(row(2), (QStringList{"2 S", "|i−j| ≤ 128", "257", "200"}));
    QCOMPARE(row(3), (QStringList{"3 L", "none", "all", "200"}));
    QVERIFY(table.item(3, 0)->toolTip().endsWith("every key"));
    table.setLayers(config, settings, 5);
    QCOMPARE(row(1).last(), QString("5"));
    settings.mask = core::MaskKind::Causal;
    table.setLayers(config, settings, 200);
    QCOMPARE(table.horizontalHeaderItem(3)->text(), QString("last row"));
    QCOMPARE(row(1), (QStringList{"1 S", "i − j ≤ 3", "4", "4"}));
  }

  void theWindowsOriginIsShown() {
    QVERIFY(Shown(nanochat()).says("window_pattern of meta_000100.json; S is a quarter of the context"));
  }

  void onlySettingsThatTheModelHasAUseForAreOffered() {
    const Shown chat(nanochat()), gpt(nanogpt());
    QVERIFY(chat.field<QComboBox>("GELU").isHidden() && !gpt.field<QComboBox>("GELU").isHidden());
    for (const char* name : {"QK multiplier", "RoPE base", "soft cap"})
      QVERIFY2(!chat.field<QLineEdit>(name).isHidden() && gpt.field<QLineEdit>(name).isHidden(), name);
    for (const Shown* shown : {&chat, &gpt}) QVERIFY(!shown->field<QLineEdit>("S window").isHidden());
  }

  void aFieldSaysHowTrainingHadIt() {
    const Shown user(nanochat());
    QCOMPARE(user.field<QLineEdit>("RoPE base").placeholderText(), QString("100000"));
    QCOMPARE(user.field<QLineEdit>("S window").placeholderText(), QString("128"));
    QCOMPARE(user.field<QComboBox>("pattern").lineEdit()->placeholderText(), QString("SSSL"));
    QVERIFY(user.field<QLineEdit>("RoPE base").toolTip().contains("100000 (from 14 March 2026)"));
    QVERIFY(user.field<QComboBox>("pattern").toolTip().contains("meta_000100.json"));
    for (const auto* edit : user.panel.findChildren<QLineEdit*>()) QCOMPARE(edit->text(), QString());
  }

  void returnAppliesWhatIsTyped() {
    Shown user(nanochat());
    QVERIFY(!user.button("Apply").isEnabled());
    QTest::keyClicks(&user.field<QLineEdit>("RoPE base"), "10,000");
    QVERIFY(user.button("Apply").isEnabled());
    QCOMPARE(user.spy.size(), 0);
    QTest::keyClick(&user.field<QLineEdit>("RoPE base"), Qt::Key_Return);
    QCOMPARE(user.spy.size(), 1);
    core::Overrides expected;
    expected.ropeBase = 10000;
    QVERIFY(user.chosen() == expected);
    QVERIFY(!user.button("Apply").isEnabled());

    QTest::keyClicks(user.field<QComboBox>("pattern").lineEdit(), "sl");
    QTest::keyClicks(&user.field<QLineEdit>("S window"), "64");
    user.button("Apply").click();
    expected.pattern = "sl";
    expected.shortWindow = 64;
    QVERIFY(user.chosen() == expected);

    user.button("As trained").click();
    QVERIFY(user.chosen() == core::Overrides());
    QCOMPARE(user.spy.size(), 3);
    QCOMPARE(user.field<QLineEdit>("RoPE base").text(), QString());
    QVERIFY(!user.button("As trained").isEnabled());
  }

  void aChosenGeluAppliesAtOnce() {
    Shown user(nanogpt());
    auto& gelu = user.field<QComboBox>("GELU");
    QCOMPARE(gelu.currentText(), QString("erf, as trained"));
    gelu.setFocus();
    QTest::keyClick(&gelu, Qt::Key_Down);
    QCOMPARE(user.spy.size(), 1);
    QVERIFY(user.chosen().gelu == core::Gelu::Tanh);
    QTest::keyClick(&gelu, Qt::Key_Up);
    QVERIFY(user.chosen() == core::Overrides());
  }

  void aChosenMaskAppliesAtOnce() {
    Shown user(nanogpt());
    auto& mask = user.field<QComboBox>("mask");
    QCOMPARE(mask.currentText(), QString("causal, as trained"));
    mask.setFocus();
    QTest::keyClick(&mask, Qt::Key_Down);
    QCOMPARE(user.spy.size(), 1);
    QVERIFY(user.chosen().mask == core::MaskKind::Bidirectional);
    user.button("As trained").click();
    QVERIFY(user.chosen() == core::Overrides());
    QCOMPARE(mask.currentText(), QString("causal, as trained"));
  }

  void thePatternMayBeAWidthForEachLayer() {
    Shown user(nanochat());
    auto& pattern = *user.field<QComboBox>("pattern").lineEdit();
    QTest::keyClicks(&pattern, "4, 128, all, 0");
    QTest::keyClick(&pattern, Qt::Key_Return);
    QCOMPARE(user.spy.size(), 1);
    QVERIFY((user.chosen().windows == std::vector<core::Window>{{4}, {128}, {}, {0}}));
    QVERIFY(!user.chosen().pattern);
    user.panel.setModel(nanochat(), user.chosen());
    QCOMPARE(pattern.text(), QString("4, 128, all, 0"));
    pattern.setText("SL");
    QTest::keyClick(&pattern, Qt::Key_Return);
    QVERIFY(!user.chosen().windows && user.chosen().pattern == "SL");
  }

  void widthsThatCanNotBeAreSaidAtTheField() {
    for (const auto& [text, reason] : {std::pair{"1, 2", "2 widths of windows"},
                                       {"1, 2, 3, 513", "to the context's 512"},
                                       {"1, x", "Width 2 of the windows is \"x\""},
                                       {"1,,2,3", "Width 2 of the windows is \"\""}}) {
      Shown user(nanochat());
      QTest::keyClicks(user.field<QComboBox>("pattern").lineEdit(), text);
      QVERIFY2(user.says(reason), reason);
      QVERIFY(!user.button("Apply").isEnabled());
    }
    Shown user(nanochat());
    QTest::keyClicks(user.field<QComboBox>("pattern").lineEdit(), "1, 2, 3, 4");
    QTest::keyClicks(&user.field<QLineEdit>("S window"), "64");
    QVERIFY(user.says("Give one of the two"));
    QVERIFY(!user.button("Apply").isEnabled());
  }

  void anSWindowGoesWithThePatternThatHasAnS() {
    Shown user(nanogpt());
    QTest::keyClicks(&user.field<QLineEdit>("S window"), "8");
    QVERIFY(user.says("no layer is an S layer"));
    QTest::keyClicks(user.field<QComboBox>("pattern").lineEdit(), "SL");
    QVERIFY(!user.says("no layer is an S layer"));
    user.button("Apply").click();
    core::Overrides expected;
    expected.pattern = "SL";
    expected.shortWindow = 8;
    QVERIFY(user.chosen() == expected);
    QTest::keyClicks(user.field<QComboBox>("pattern").lineEdit(), "X");
    QVERIFY(user.says("'X'") && !user.says("no layer is an S layer"));
  }

  void leavingThePatternAppliesNothing() {
    Shown user(nanochat());
    auto& box = user.field<QComboBox>("pattern");
    box.lineEdit()->setFocus();
    QTest::keyClicks(box.lineEdit(), "sl");  // also an item of the list, but for its case
    user.field<QLineEdit>("S window").setFocus();
    QCoreApplication::processEvents();
    QVERIFY(!box.lineEdit()->hasFocus());
    QCOMPARE(user.spy.size(), 0);
    QCOMPARE(box.lineEdit()->text(), QString("sl"));
    QVERIFY(user.button("Apply").isEnabled());
    box.setFocus();
    QTest::keyClick(box.lineEdit(), Qt::Key_Down);  // one of the list is chosen
    QCOMPARE(user.spy.size(), 1);
  }

  void C14_AnIllegalLetterIsSaidAtTheFieldAndNothingIsApplied() {
    Shown user(nanochat());
    QTest::keyClicks(user.field<QComboBox>("pattern").lineEdit(), "SSX");
    QVERIFY(user.says("'X'"));
    QVERIFY(!user.button("Apply").isEnabled());
    QTest::keyClick(user.field<QComboBox>("pattern").lineEdit(), Qt::Key_Return);
    QCOMPARE(user.spy.size(), 0);
    QTest::keyClick(user.field<QComboBox>("pattern").lineEdit(), Qt::Key_Backspace);
    QVERIFY(!user.says("'X'"));
    QVERIFY(user.button("Apply").isEnabled());
  }

  void R13_ANumberThatCanNotBeIsSaidAtTheField() {
    for (const auto& [name, text] : {std::pair{"RoPE base", "high"},
                                     {"RoPE base", "1"},
                                     {"QK multiplier", "0"},
                                     {"QK multiplier", "nan"},
                                     {"soft cap", "-1"},
                                     {"S window", "1.5"},
                                     {"S window", "-1"}}) {
      Shown user(nanochat());
      QTest::keyClicks(&user.field<QLineEdit>(name), text);
      QVERIFY2(!user.button("Apply").isEnabled(), text);
      QTest::keyClick(&user.field<QLineEdit>(name), Qt::Key_Return);
      QCOMPARE(user.spy.size(), 0);
      int problems = 0;
      for (const auto* label : user.panel.findChildren<QLabel*>())
        problems += !label->isHidden() &&
                    label->palette().color(QPalette::WindowText) == widgets::warningColor(user.panel.palette());
      QCOMPARE(problems, 1);
    }
  }

  void settingsThatCameWithTheModelStandInTheFields() {
    core::Overrides applied;
    applied.ropeBase = 500;
    applied.pattern = "L";
    Shown user(nanochat(), applied);
    QCOMPARE(user.field<QLineEdit>("RoPE base").text(), QString("500"));
    QCOMPARE(user.field<QComboBox>("pattern").lineEdit()->text(), QString("L"));
    QVERIFY(!user.button("Apply").isEnabled());
    QVERIFY(user.button("As trained").isEnabled());
    user.panel.setModel(nanogpt(), {});
    QCOMPARE(user.field<QComboBox>("pattern").lineEdit()->text(), QString());
    QCOMPARE(user.spy.size(), 0);
  }

  void differencesAreOneSentence() {
    QCOMPARE(widgets::differenceText({}), QString());
    QCOMPARE(widgets::differenceText({"RoPE base 10000 instead of 100000", "windows LLLL instead of SSSL"}),
             QString("differs from training: RoPE base 10000 instead of 100000; windows LLLL instead of SSSL"));
  }

  void F2_OfSeveralCheckpointsTheLastIsOfferedFirstAndKeysChoose() {
    const std::vector<core::Openable> offers{{"/m/model_000200.pt", "step 200", 200},
                                             {"/m/model_000100.pt", "step 100", 100},
                                             {"/m/model_000020.pt", "step 20", 20}};
    QWidget window;
    window.show();
    QStringList chosen;
    const auto ask = [&] {
      return widgets::chooseCheckpoint("/m", offers, &window, [&](const core::Openable& offer) {
        chosen << QString::fromStdString(offer.path.string());
      });
    };
    QTest::keyClick(ask()->findChild<QListWidget*>(), Qt::Key_Return);
    QTRY_COMPARE(chosen, QStringList{"/m/model_000200.pt"});

    QDialog* dialog = ask();
    auto* list = dialog->findChild<QListWidget*>();
    QCOMPARE(list->count(), 3);
    QTest::keyClick(list, Qt::Key_Down);
    QTest::keyClick(list, Qt::Key_Return);
    QTRY_COMPARE(chosen.size(), 2);
    QCOMPARE(chosen.last(), QString("/m/model_000100.pt"));

    dialog = ask();
    QSignalSpy rejected(dialog, &QDialog::rejected);
    QTest::keyClick(dialog->findChild<QListWidget*>(), Qt::Key_Escape);
    QCOMPARE(rejected.size(), 1);
    QCOMPARE(chosen.size(), 2);
  }
};

HEADSCOPE_QTEST_MAIN(ModelPanelTest)
#include "model_panel_test.moc"
