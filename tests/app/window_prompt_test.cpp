// The prompt of the window: as typed, as token ids, too long.
#include "tests/app/opened_window.h"

using support::kPatience;
using support::Opened;
using widgets::PromptPanel;

class WindowPromptTest : public support::QtTest {
  Q_OBJECT
 private Q_SLOTS:
  void typingAndRunningShowsThePromptOfThatMoment() {
    Opened user;
    QVERIFY(user.settle());
    user.type("JULIET:");
    QVERIFY(user.showsText("7 / 256 tokens"));
    QTest::keyClick(&user.edit(), Qt::Key_Return, Qt::ControlModifier);
    QTRY_COMPARE_WITH_TIMEOUT(user.state().capture()->size(), 7, kPatience);
    QVERIFY(user.settle());
    QCOMPARE(user.state().capture()->tokens().front().label, std::string("J"));
    QVERIFY(user.showsText("7 tokens"));  // the status bar
    QCOMPARE(user.find<PromptPanel>().text(), QString("JULIET:"));
  }

  void noBreakSpacesAndLineEndsAreKeptAsTyped() {
    Opened user;
    QVERIFY(user.settle());
    user.type(QString("a") + QChar(0xa0) + "b\nc");
    QCOMPARE(user.find<PromptPanel>().text(), QString("a") + QChar(0xa0) + "b\nc");
    QTest::keyClick(&user.edit(), Qt::Key_Return, Qt::ShiftModifier);
    QVERIFY(!user.find<PromptPanel>().text().contains(QChar(0x2028)));
  }

  void aPromptThatIsTooLongIsNeverCutSilently() {
    Opened user;
    QVERIFY(user.settle());
    QString text;
    while (text.size() < 300) text += "To be, or not to be ";
    text.resize(300);
    user.type(text);
    QVERIFY(user.showsText("300 tokens"));
    QVERIFY(user.showsText("300 / 256 tokens"));
    QVERIFY(!user.button("Run")->isEnabled());
    QCOMPARE(user.find<PromptPanel>().text(), text);

    QTest::mouseClick(user.button("Use last 256"), Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(user.button("Run")->isEnabled(), kPatience);
    QCOMPARE(user.find<PromptPanel>().text(), text.right(256));
    user.edit().undo();
    QTRY_VERIFY_WITH_TIMEOUT(!user.button("Run")->isEnabled(), kPatience);
    QCOMPARE(user.find<PromptPanel>().text(), text);
    QTest::mouseClick(user.button("Use first 256"), Qt::LeftButton);
    QTRY_VERIFY_WITH_TIMEOUT(user.button("Run")->isEnabled(), kPatience);
    QCOMPARE(user.find<PromptPanel>().text(), text.left(256));
  }

  void T7_LettersWithoutATokenAreNamedAndThePromptIsKept() {
    Opened user;
    QVERIFY(user.settle());
    user.type("café 5 €");
    for (const char* letter : {"é", "5", "€"}) QVERIFY2(user.showsText(QString("'%1'").arg(letter)), letter);
    QVERIFY(!user.button("Run")->isEnabled());
    QCOMPARE(user.find<PromptPanel>().text(), QString("café 5 €"));
  }

  void anEmptyPromptCanNotRunAndOneTokenCan() {
    Opened user;
    QVERIFY(user.settle());
    user.type("");
    QVERIFY(!user.button("Run")->isEnabled());
    QVERIFY(user.showsText("The prompt is empty"));
    user.type("A");
    QTest::mouseClick(user.button("Run"), Qt::LeftButton);
    QTRY_COMPARE_WITH_TIMEOUT(user.state().capture()->size(), 1, kPatience);
    QVERIFY(user.settle());
  }

  void tokenIdsAreTheTextsTokensAndRunAsGiven() {
    Opened user("Ay");
    QVERIFY(user.settle());
    const auto& tokens = user.state().capture()->tokens();
    user.action("Prompt as Token Ids")->trigger();
    QCOMPARE(user.find<PromptPanel>().text(), QString("%1, %2").arg(tokens[0].id).arg(tokens[1].id));
    user.type("0, 64, 65");
    QVERIFY(!user.button("Run")->isEnabled());
    QVERIFY(user.showsText("from 0 to 64"));
    user.type("0, 64, 1");
    QTest::mouseClick(user.button("Run"), Qt::LeftButton);
    QTRY_COMPARE_WITH_TIMEOUT(user.state().capture()->size(), 3, kPatience);
    user.action("Prompt as Token Ids")->trigger();
    QCOMPARE(user.find<PromptPanel>().text(), QString("Ay"));
  }
};

HEADSCOPE_WINDOW_TEST_MAIN(WindowPromptTest)
#include "window_prompt_test.moc"
