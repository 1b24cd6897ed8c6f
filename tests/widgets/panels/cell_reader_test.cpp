// The numbers beside the map, against upstream's: tests/data/nanogpt-shakespeare-char.
#include "widgets/panels/cell_reader.h"

#include <QLabel>
#include <QSignalSpy>
#include <algorithm>
#include <cmath>
#include <semaphore>

#include "tests/support/files.h"
#include "tests/support/qt_test.h"
#include "tests/support/reference.h"
#include "widgets/panels/inspector_panel.h"
#include "widgets/panels/token_strip.h"

namespace {

using widgets::Cell;
using widgets::CellReader;
using widgets::JobRunner;
using widgets::ViewState;

constexpr int kPatience = 60'000;  // milliseconds; for machines under load
constexpr core::HeadId kHead{core::Layer(2), core::Head(2)};

std::shared_ptr<const core::Session> session() {
  static const auto opened = core::Session::open(support::repository("models/shakespeare-char"), {}, core::Progress());
  return opened;
}

std::shared_ptr<const core::Capture> run(const std::string& prompt) {
  return session()->run({session()->check(prompt).tokens, {}}, core::Progress());
}

const support::Reference& reference() {
  static const auto read = support::readReference(support::data("nanogpt-shakespeare-char"));
  return read;
}

/// softmax of a row of the reference's logits.
std::vector<double> probabilities(core::Position after) {
  const auto begin = reference().logits.begin() + after * reference().vocabulary;
  std::vector<double> result(begin, begin + reference().vocabulary);
  const double largest = *std::max_element(result.begin(), result.end());
  double sum = 0;
  for (double& value : result) sum += value = std::exp(value - largest);
  for (double& value : result) value /= sum;
  return result;
}

struct Read {
  Read() {
    state.setHead(kHead);
    reader.setSession(session());
  }
  bool settle() {
    return QTest::qWaitFor([this] { return jobs.isIdle(); }, kPatience);
  }
  /// The worker does nothing else until the semaphore is released.
  void hold(std::binary_semaphore& gate) {
    jobs.submit<int>(
        "hold", widgets::JobPriority::Interactive,
        [&gate](const core::Progress&) {
          gate.acquire();
          return 0;
        },
        [](int) {}, [](const core::Error&) {});
  }

  ViewState state;
  JobRunner jobs;
  CellReader reader{state, jobs, nullptr};
};

void compare(double got, double expected, double tolerance) {
  const QByteArray numbers = QString("%1 is not %2").arg(got, 0, 'g', 9).arg(expected, 0, 'g', 9).toUtf8();
  QVERIFY2(std::abs(got - expected) <= tolerance, numbers.constData());
}

}  // namespace

class CellReaderTest : public support::QtTest {
  Q_OBJECT
 private Q_SLOTS:
  void aCellsNumbersAreUpstreams() {
    // score and lse in float64 by nanoGPT's formulas from the weights of the checkpoint: q . k / sqrt(32).
    struct Row {
      Cell cell;
      double score, lse;
    };
    Read user;
    user.state.setCapture(run(reference().prompt));
    for (const Row& row : {Row{{40, 35}, -4.558731651, -0.08991826330}, Row{{20, 3}, -3.112805089, 1.153949694},
                           Row{{47, 46}, -3.341892872, -0.3644304966}, Row{{5, 9}, -1.610766929, -0.2335728089}}) {
      user.state.setPinned(row.cell);
      QVERIFY(user.settle());
      const auto& details = user.reader.details();
      QVERIFY(details && details->cell == row.cell && details->head == kHead);
      QCOMPARE(details->visible, row.cell.key <= row.cell.query);
      compare(static_cast<double>(details->score.value()), row.score, 2e-4);
      compare(static_cast<double>(details->lse.value()), row.lse, 2e-4);
      for (core::Position other = 0; other < reference().size; ++other) {
        const auto index = static_cast<std::size_t>(other);
        compare(static_cast<double>(details->row.at(index)),
                static_cast<double>(reference().weight(2, 2, row.cell.query, other)), 1e-5);
        compare(static_cast<double>(details->column.at(index)),
                static_cast<double>(reference().weight(2, 2, other, row.cell.key)), 1e-5);
      }
      compare(static_cast<double>(details->weight),
              static_cast<double>(reference().weight(2, 2, row.cell.query, row.cell.key)), 1e-5);
    }
  }

  void withoutACellTheLastQueryAndItsLargestKeyAreRead() {
    Read user;
    user.state.setCapture(run(reference().prompt));
    QVERIFY(user.settle());
    const core::Position last = reference().size - 1;
    core::Position largest = 0;
    for (core::Position key = 1; key <= last; ++key)
      if (reference().weight(2, 2, last, key) > reference().weight(2, 2, last, largest)) largest = key;
    QVERIFY(user.reader.details().has_value());
    QVERIFY(user.reader.details()->cell == (Cell{last, largest}));
  }

  void nextTokensAreTheSoftmaxOfUpstreamsLogits() {
    Read user;
    user.state.setCapture(run(reference().prompt));
    for (const core::Position after : {core::Position{12}, reference().size - 1}) {
      user.state.setPinned(Cell{after, 0});
      QVERIFY(user.settle());
      const auto& next = user.reader.nextTokens();
      QVERIFY(next && next->after == after);
      QCOMPARE(next->best.size(), std::size_t{8});
      const std::vector<double> expected = probabilities(after);
      std::vector<double> falling = expected;
      std::sort(falling.begin(), falling.end(), std::greater<>());
      for (std::size_t i = 0; i < next->best.size(); ++i) {
        const auto& candidate = next->best[i];
        compare(candidate.probability, falling[i], 1e-4);
        compare(candidate.probability, expected.at(static_cast<std::size_t>(candidate.token.id)), 1e-4);
      }
    }
  }

  void theInspectorShowsThem() {
    Read user;
    widgets::InspectorPanel inspector(user.state, user.reader);
    user.state.setCapture(run(reference().prompt));
    user.state.setPinned(Cell{40, 35});
    QVERIFY(user.settle());
    QStringList texts;
    for (const QLabel* label : inspector.findChildren<QLabel*>()) texts << label->text();
    for (const char* number : {"-4.559", "visible", "0.0115", "-0.08992"})
      QVERIFY2(texts.contains(number), qPrintable(texts.join(" | ")));
  }

  void numbersOfTheCaptureBeforeAreGoneAtOnce() {
    Read user;
    widgets::InspectorPanel inspector(user.state, user.reader);
    widgets::TokenStrip strip(user.state, user.reader);
    inspector.resize(280, 700);
    strip.resize(600, 100);
    user.state.setCapture(run("ROMEO:\nWhat light through yonder"));
    QVERIFY(user.settle());
    QVERIFY(user.reader.details() && user.reader.nextTokens());

    std::binary_semaphore gate(0);
    user.hold(gate);
    user.state.setCapture(run("JULIET"));
    const bool gone = !user.reader.details() && !user.reader.nextTokens() && !user.reader.metrics();
    inspector.grab();
    strip.grab();
    QTest::mousePress(strip.viewport(), Qt::LeftButton, {}, strip.chipRect(4).center());
    const std::optional<Cell> pinned = user.state.pinned();
    gate.release();
    QVERIFY(gone);
    QVERIFY(pinned && pinned->query == 4 && pinned->key <= 4);
    QVERIFY(user.settle());
    QVERIFY(user.reader.details() && user.reader.details()->cell == *pinned);
    QCOMPARE(user.reader.details()->row.size(), std::size_t{6});
  }

  void nextTokensThatFailedAreReadAgain() {
    Read user;
    user.state.setCapture(run("ROMEO"));
    QSignalSpy failed(&user.reader, &CellReader::failed);
    user.jobs.cancel("next tokens");
    QVERIFY(user.settle());
    QCOMPARE(failed.size(), 1);
    QVERIFY(!user.reader.nextTokens());
    user.state.setPinned(Cell{4, 1});  // the last query, as before
    QVERIFY(user.settle());
    QVERIFY(user.reader.nextTokens() && user.reader.nextTokens()->after == 4);
  }
};

HEADSCOPE_QTEST_MAIN(CellReaderTest)
#include "cell_reader_test.moc"
