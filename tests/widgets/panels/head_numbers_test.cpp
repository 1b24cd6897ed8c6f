// The few numbers of the selected head, beside those of the head itself.
#include "widgets/panels/head_numbers.h"

#include <QLabel>

#include "core/attention_map.h"
#include "tests/support/files.h"
#include "tests/support/qt_test.h"
#include "tests/support/wait.h"

namespace {

using widgets::HeadNumbers;

core::HeadId id(int layer, int head) { return {core::Layer(layer), core::Head(head)}; }

/// Layers 0 and 1 of Mistral: both look through a window of 16 keys.
std::shared_ptr<const core::Capture> windowed(std::int64_t tokens) {
  static const auto session = core::Session::open(support::data("hf-mistral-window"), {}, core::Progress());
  std::vector<core::TokenId> ids;
  for (std::int64_t i = 0; i < tokens; ++i) ids.push_back((7 * i * i + i) % session->info().config.vocabulary);
  return session->run({ids, {}}, core::Progress());
}

core::HeadMetrics metricsOf(const std::shared_ptr<const core::Capture>& capture, core::HeadId head) {
  return core::headMetrics(std::make_shared<core::AttentionMap>(capture, head));
}

struct Shown {
  Shown() : reader(state, jobs, nullptr), numbers(reader) {}
  void show(const std::shared_ptr<const core::Capture>& capture) {
    state.setCapture(capture);
    settle();
  }
  void settle() {
    QVERIFY(support::waitFor([this] { return jobs.isIdle(); }));
  }
  /// Of the value with this name; null where it is not shown.
  QString value(const QString& name) const {
    for (const QLabel* label : numbers.findChildren<QLabel*>())
      if (label->accessibleName() == name && label->isVisibleTo(&numbers)) return label->text();
    return {};
  }

  widgets::JobRunner jobs;
  widgets::ViewState state;
  widgets::CellReader reader;
  HeadNumbers numbers;
};

}  // namespace

class HeadNumbersTest : public support::QtTest {
  Q_OBJECT
 private Q_SLOTS:

  void theyAreThoseOfTheSelectedHead() {
    const auto capture = windowed(60);
    Shown shown;
    shown.show(capture);
    for (const core::HeadId head : {id(1, 2), id(0, 0)}) {
      shown.state.setHead(head);
      QCOMPARE(shown.value("entropy"), QString("–"));
      shown.settle();
      const core::HeadMetrics metrics = metricsOf(capture, head);
      const auto text = [](double value, int digits) { return QString::number(value, 'f', digits); };
      QCOMPARE(shown.value("entropy"),
               text(metrics.entropy, 2) + " nats (" + text(metrics.effectiveKeys, 1) + " keys)");
      QCOMPARE(shown.value("distance"), text(metrics.meanDistance, 1) + " tokens");
      QCOMPARE(shown.value("previous token"), text(*metrics.previousToken, 2));
      QCOMPARE(shown.value("first key"), text(metrics.firstKey, 2));
      QCOMPARE(shown.value("window edge"), text(metrics.windowEdge.value(), 2));
    }
  }

  void theWindowsEdgeIsThereOnlyWhereAWindowCutsSomethingOff() {
    Shown shown;
    QVERIFY(shown.value("window edge").isNull());
    shown.show(windowed(10));
    QVERIFY(shown.value("window edge").isNull());
    QVERIFY(!shown.value("entropy").isNull());
    shown.show(windowed(60));
    QVERIFY(!shown.value("window edge").isNull());
    shown.state.setHead(id(1, 1));  // nothing moves while its numbers are read
    QCOMPARE(shown.value("window edge"), QString("–"));
  }

  void aNumberThatThereIsNotIsADash() {
    Shown shown;
    shown.show(windowed(1));
    QCOMPARE(shown.value("previous token"), QString("–"));
    QCOMPARE(shown.value("first key"), QString("1.00"));
  }

  void everyNumberTellsItsFormula() {
    Shown shown;
    for (const QLabel* label : shown.numbers.findChildren<QLabel*>()) {
      if (!label->accessibleName().isEmpty())
        QVERIFY2(label->toolTip().contains("p"), qPrintable(label->accessibleName()));
    }
  }
};

HEADSCOPE_QTEST_MAIN(HeadNumbersTest)
#include "head_numbers_test.moc"
