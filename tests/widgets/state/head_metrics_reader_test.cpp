// Numbers of heads, read one head after the other. Runs under ThreadSanitizer too.
#include "widgets/state/head_metrics_reader.h"

#include <QSignalSpy>
#include <semaphore>

#include "tests/core/stored_map.h"
#include "tests/support/qt_test.h"
#include "tests/support/wait.h"

namespace {

using widgets::HeadMetricsReader;

core::HeadId id(int layer, int head) { return {core::Layer(layer), core::Head(head)}; }

class Failing final : public core::MapSource {
 public:
  std::string identity() const override { return "failing"; }
  core::MapRect extent(core::Stage) const override { return {{0, 50}, {0, 50}}; }
  core::MapMask mask() const override { return core::AttentionMask(50); }
  core::MapValues rectangle(core::Stage, const core::MapRect&, const core::Progress&) const override {
    throw core::Error(core::ErrorKind::OutOfMemory, "This map needs 9 GiB.");
  }
};

HeadMetricsReader::Source maps(std::int64_t T) {
  return [T](core::HeadId head) { return support::causalMap(T, head.head.value); };
}

struct Read {
  Read() : reader(jobs, "numbers") {
    QObject::connect(&reader, &HeadMetricsReader::metricsReady, &reader,
                     [this](core::HeadId head) { order.push_back(head); });
  }
  bool settle() {
    return support::waitFor([this] { return jobs.isIdle() && reader.isComplete(); });
  }
  widgets::JobRunner jobs;
  HeadMetricsReader reader;
  std::vector<core::HeadId> order;
};

}  // namespace

class HeadMetricsReaderTest : public support::QtTest {
  Q_OBJECT
 private Q_SLOTS:

  void headsAreReadInTheOrderGiven() {
    Read user;
    const std::vector heads{id(1, 1), id(0, 0), id(0, 2)};
    user.reader.start(heads, maps(40));
    QVERIFY(user.settle());
    QCOMPARE(user.order, heads);
    for (const core::HeadId head : heads)
      QCOMPARE(user.reader.metrics(head)->entropy, core::headMetrics(support::causalMap(40, head.head.value)).entropy);
    QVERIFY(!user.reader.metrics(id(5, 5)));
  }

  void aLongHeadIsReadInPartsWithOtherWorkBetween() {
    // 6000 tokens take several jobs, and what is looked at comes between them.
    class Uniform final : public core::MapSource {
     public:
      std::string identity() const override { return "uniform"; }
      core::MapRect extent(core::Stage) const override { return {{0, 6000}, {0, 6000}}; }
      core::MapMask mask() const override { return core::AttentionMask(6000); }
      core::MapValues rectangle(core::Stage, const core::MapRect& rect, const core::Progress&) const override {
        return {rect.rows.size(), rect.columns.size(),
                std::vector<float>(static_cast<std::size_t>(rect.cells()), 0.001f)};
      }
    };
    Read user;
    QSignalSpy busy(&user.jobs, &widgets::JobRunner::busyChanged);
    std::binary_semaphore gate(0);
    user.jobs.submit<int>(
        "gate", widgets::JobPriority::View, [&](const core::Progress&) { return gate.acquire(), 0; }, [](int) {},
        [](const core::Error&) {});
    bool wasRead = true;
    user.reader.start({id(0, 0)}, [](core::HeadId) { return std::make_shared<Uniform>(); });
    QObject::connect(&user.jobs, &widgets::JobRunner::progressed, &user.reader, [&, isFirst = true]() mutable {
      if (!std::exchange(isFirst, false)) return;
      user.jobs.submit<int>(
          "look", widgets::JobPriority::Interactive, [](const core::Progress&) { return 0; },
          [&](int) { wasRead = user.reader.isComplete(); }, [](const core::Error&) {});
    });
    gate.release();
    QVERIFY(user.settle());
    QVERIFY(!wasRead);
    QVERIFY(user.reader.metrics(id(0, 0)));
  }

  void aHeadThatFailsIsSaidAndPassedOver() {
    Read user;
    QSignalSpy failed(&user.reader, &HeadMetricsReader::failed);
    user.reader.start({id(0, 0), id(0, 1)}, [](core::HeadId head) -> std::shared_ptr<const core::MapSource> {
      if (head == id(0, 0)) return std::make_shared<Failing>();
      return support::causalMap(40, 1);
    });
    QVERIFY(user.settle());
    QCOMPARE(failed.size(), 1);
    QCOMPARE(failed[0][0].toString(), QString("This map needs 9 GiB."));
    QVERIFY(!user.reader.metrics(id(0, 0)));
    QVERIFY(user.reader.metrics(id(0, 1)));
  }

  void anotherStartForgetsWhatWasBefore() {
    Read user;
    user.reader.start({id(0, 0), id(0, 1)}, maps(40));
    QVERIFY(support::waitFor([&] { return !user.order.empty(); }));
    user.reader.start({id(0, 1)}, maps(30));
    QVERIFY(!user.reader.metrics(id(0, 0)));
    QVERIFY(user.settle());
    QCOMPARE(user.reader.metrics(id(0, 1))->entropy, core::headMetrics(support::causalMap(30, 1)).entropy);
    QVERIFY(!user.reader.metrics(id(0, 0)));
  }

  void aReaderOfNothingIsComplete() {
    Read user;
    QVERIFY(user.reader.isComplete());
    user.reader.start({}, {});
    QVERIFY(user.reader.isComplete());
    QVERIFY(user.jobs.isIdle());
  }

  void eitherMayGoFirst() {
    auto jobs = std::make_unique<widgets::JobRunner>();
    HeadMetricsReader outlives(*jobs, "numbers");
    {
      HeadMetricsReader goes(*jobs, "others");
      goes.start({id(0, 0), id(0, 1)}, maps(40));
      outlives.start({id(0, 0), id(0, 1)}, maps(40));
    }
    jobs.reset();
    outlives.stop();
  }
};

HEADSCOPE_QTEST_MAIN(HeadMetricsReaderTest)
#include "head_metrics_reader_test.moc"
