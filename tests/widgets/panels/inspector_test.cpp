// What the inspector says of a row that has no weights.
#include "widgets/panels/inspector_panel.h"

#include <QLabel>
#include <limits>

#include "tests/support/changed_model.h"
#include "tests/support/files.h"
#include "tests/support/qt_test.h"

namespace {

using widgets::BadScores;
using widgets::Cell;

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr int kPatience = 60'000;  // milliseconds; for machines under load

const std::vector<core::TokenText>& tokens() {
  static const std::vector<core::TokenText> four{{0, "a", "a"}, {0, "b", "b"}, {0, "%1", "%1"}, {0, "d", "d"}};
  return four;
}

/// Of a cell of query 3 under a causal mask whose row has no weights.
QString sentence(const BadScores& bad, core::Position key = 0, float lse = kNaN) {
  widgets::CellDetails details;
  details.cell = {3, key};
  details.visibleKeys = {0, 4};
  details.visible = true;
  details.weight = kNaN;
  details.lse = lse;
  details.bad = bad;
  return widgets::cellSentence(details, tokens());
}

/// A model in which the token 9 is not a number, after six tokens of which it is the fourth.
struct Damaged {
  explicit Damaged(core::MaskKind mask) {
    const support::TemporaryFolder folder;
    support::writeChangedModel("hf-qwen2-bias", {{"model.embed_tokens.weight", 9 * 64, 1, kNaN}}, folder.path());
    const auto session = core::Session::open(folder.path(), {}, core::Progress());
    core::RunRequest request{{1, 2, 3, 9, 4, 5}, {}};
    request.overrides.mask = mask;
    reader.setSession(session);
    state.setCapture(session->run(request, core::Progress()));
  }
  const std::optional<widgets::CellDetails>& at(Cell cell) {
    state.setPinned(cell);
    if (!QTest::qWaitFor([this] { return jobs.isIdle(); }, kPatience)) qFatal("the worker does not end");
    return reader.details();
  }
  bool shows(const QString& text) const {
    for (const QLabel* label : inspector.findChildren<QLabel*>())
      if (label->text() == text) return true;
    return false;
  }

  widgets::ViewState state;
  widgets::JobRunner jobs;
  widgets::CellReader reader{state, jobs, nullptr};
  widgets::InspectorPanel inspector{state, reader};
};

}  // namespace

class InspectorTest : public support::QtTest {
  Q_OBJECT
 private Q_SLOTS:

  void aRowWithoutWeightsSaysWhichScoresTheReasonAre() {
    QCOMPARE(sentence({kNaN, 1, 2}), QString("Query 3 d has no weights: its score with key 2 %1 is NaN."));
    QCOMPARE(sentence({kInfinity, 2, 1}),
             QString("Query 3 d has no weights: 2 of its 4 scores are ∞, the first with key 1 b."));
    QCOMPARE(sentence({-kInfinity, 4, 0}), QString("Query 3 d has no weights: all its 4 scores are -∞."));
    QCOMPARE(sentence({}, 0, kInfinity), QString("Query 3 d has no weights: the log-sum-exp of its scores is ∞."));
  }

  void theReasonIsThatOfTheScoresThatTheQuerySees() {
    Damaged causal(core::MaskKind::Causal);
    QVERIFY(!causal.at({2, 0})->bad.has_value());
    QVERIFY(causal.shows("visible"));
    for (const core::Position query : {4, 5}) {
      const auto& bad = causal.at({query, 0})->bad;
      QVERIFY(bad && std::isnan(bad->value));
      QCOMPARE(bad->count, 1);
      QCOMPARE(bad->firstKey, 3);
    }
    QVERIFY(causal.shows("Query 5 #5 has no weights: its score with key 3 #9 is NaN."));
    QVERIFY(causal.shows("NaN"));  // weight and lse
    causal.at({3, 1});
    QVERIFY(causal.shows("Query 3 #9 has no weights: all its 4 scores are NaN."));
    causal.at({3, 5});
    QVERIFY(
        causal.shows("Query 3 #9 can't see key 5 #5: it comes later. "
                     "Query 3 #9 has no weights: all its 4 scores are NaN."));
    causal.inspector.resize(280, 600);
    QVERIFY(!causal.inspector.grab().isNull());  // a chart of NaN

    Damaged both(core::MaskKind::Bidirectional);
    both.at({0, 0});
    QVERIFY(both.shows("Query 0 #1 has no weights: its score with key 3 #9 is NaN."));
  }
};

HEADSCOPE_QTEST_MAIN(InspectorTest)
#include "inspector_test.moc"
