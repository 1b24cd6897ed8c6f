#include "widgets/state/job_runner.h"

#include <QElapsedTimer>
#include <QSignalSpy>
#include <QThread>
#include <atomic>
#include <future>
#include <latch>
#include <new>
#include <stdexcept>
#include <vector>

#include "tests/support/qt_test.h"

using core::Error;
using core::ErrorKind;
using core::Progress;
using widgets::JobPriority;
using widgets::JobRunner;

namespace {

void unexpected(const Error& error) { QFAIL(error.what()); }

/// Occupies the worker until it is told to go on, or until it is stopped.
class Blocker {
 public:
  explicit Blocker(JobRunner& runner, const QString& key = "blocker") {
    runner.submit<int>(
        key, JobPriority::Interactive,
        [this](const Progress& progress) {
          m_started.count_down();
          while (!m_release) progress.report(0, "waiting");
          return 0;
        },
        [](int) {}, [this](const Error& error) { m_failed = error.kind(); });
    m_started.wait();
  }
  ~Blocker() { release(); }
  void release() { m_release = true; }
  std::optional<ErrorKind> failed() const { return m_failed; }

 private:
  std::latch m_started{1};
  std::atomic<bool> m_release{false};
  std::optional<ErrorKind> m_failed;
};

}  // namespace

class JobRunnerTest : public support::QtTest {
  Q_OBJECT
 private Q_SLOTS:
  void worksOnAnotherThreadAndAnswersInThisOne() {
    JobRunner runner;
    QThread* worker = nullptr;
    QThread* answered = nullptr;
    runner.submit<QThread*>(
        "a", JobPriority::View, [](const Progress&) { return QThread::currentThread(); },
        [&](QThread* thread) {
          worker = thread;
          answered = QThread::currentThread();
        },
        unexpected);
    QTRY_VERIFY(worker);
    QVERIFY(worker != QThread::currentThread());
    QCOMPARE(answered, QThread::currentThread());
  }

  void answersComeOnlyThroughTheEventLoop() {
    JobRunner runner;
    std::promise<void> worked;
    bool done = false;
    runner.submit<int>(
        "a", JobPriority::View,
        [&](const Progress&) {
          worked.set_value();
          return 1;
        },
        [&](int) { done = true; }, unexpected);
    worked.get_future().wait();
    QVERIFY(!done);
    QVERIFY(runner.isBusy("a"));
    QTRY_VERIFY(done);
    QVERIFY(!runner.isBusy("a"));
  }

  void aNewerJobReplacesTheQueuedOneOfItsKey() {
    JobRunner runner;
    Blocker blocker(runner);
    std::atomic<bool> oldRan{false};
    std::vector<int> results;
    runner.submit<int>(
        "map", JobPriority::View,
        [&](const Progress&) {
          oldRan = true;
          return 1;
        },
        [&](int value) { results.push_back(value); }, unexpected);
    runner.submit<int>(
        "map", JobPriority::View, [](const Progress&) { return 2; }, [&](int value) { results.push_back(value); },
        unexpected);
    blocker.release();
    QTRY_COMPARE(results, std::vector<int>{2});
    QVERIFY(!oldRan);
  }

  void aNewerJobStopsTheRunningOneOfItsKeySilently() {
    JobRunner runner;
    Blocker old(runner, "run");
    int result = 0;
    runner.submit<int>(
        "run", JobPriority::View, [](const Progress&) { return 2; }, [&](int value) { result = value; }, unexpected);
    QTRY_COMPARE(result, 2);
    QVERIFY(!old.failed());
  }

  void aReplacedJobThatHadFinishedDoesNotAnswer() {
    JobRunner runner;
    std::vector<int> results;
    std::promise<void> worked;
    runner.submit<int>(
        "a", JobPriority::View, [](const Progress&) { return 1; }, [&](int value) { results.push_back(value); },
        unexpected);
    runner.submit<int>(
        "b", JobPriority::View,
        [&](const Progress&) {
          worked.set_value();
          return 0;
        },
        [](int) {}, unexpected);
    worked.get_future().wait();  // so "a" has ended; its answer waits in the event loop
    runner.submit<int>(
        "a", JobPriority::View, [](const Progress&) { return 2; }, [&](int value) { results.push_back(value); },
        unexpected);
    QTRY_VERIFY(!runner.isBusy("a"));
    QCOMPARE(results, std::vector<int>{2});
  }

  void cancelStopsARunningJobWithinASecond() {
    JobRunner runner;
    Blocker job(runner, "run");
    QElapsedTimer timer;
    timer.start();
    runner.cancel("run");
    QVERIFY(!job.failed());  // not before the work has stopped
    QTRY_VERIFY(job.failed());
    QCOMPARE(*job.failed(), ErrorKind::Cancelled);
    QVERIFY(timer.elapsed() < 1000);
    QVERIFY(!runner.isBusy("run"));
  }

  void cancelOfAQueuedJobDoesNotWaitForTheRunningOne() {
    JobRunner runner;
    Blocker blocker(runner);
    std::optional<ErrorKind> kind;
    std::atomic<bool> ran{false};
    runner.submit<int>(
        "queued", JobPriority::View,
        [&](const Progress&) {
          ran = true;
          return 0;
        },
        [](int) { QFAIL("a cancelled job answered"); }, [&](const Error& error) { kind = error.kind(); });
    runner.cancel("queued");
    QTRY_VERIFY(kind);
    QCOMPARE(*kind, ErrorKind::Cancelled);
    QVERIFY(runner.isBusy("blocker"));
    QVERIFY(!ran);
  }

  void cancelAllReachesEveryJob() {
    JobRunner runner;
    Blocker blocker(runner);
    int cancelled = 0;
    for (const char* key : {"a", "b", "c"})
      runner.submit<int>(
          key, JobPriority::View, [](const Progress&) { return 0; }, [](int) {}, [&](const Error&) { ++cancelled; });
    runner.cancelAll();
    QTRY_COMPARE(cancelled, 3);
    QTRY_VERIFY(blocker.failed());
  }

  void waitingJobsStartByPriorityThenByAge() {
    JobRunner runner;
    Blocker blocker(runner);
    QStringList order;
    const auto add = [&](const QString& key, JobPriority priority) {
      runner.submit<int>(
          key, priority, [](const Progress&) { return 0; }, [&order, key](int) { order << key; }, unexpected);
    };
    add("thumbnail 1", JobPriority::Background);
    add("map", JobPriority::View);
    add("thumbnail 2", JobPriority::Background);
    add("run", JobPriority::Interactive);
    add("axis", JobPriority::View);
    blocker.release();
    QTRY_COMPARE(order.size(), 5);
    QCOMPARE(order, QStringList({"run", "map", "axis", "thumbnail 1", "thumbnail 2"}));
  }

  void everyExceptionArrivesAsAnError() {
    JobRunner runner;
    std::vector<Error> errors;
    const auto add = [&](const QString& key, std::function<int(const Progress&)> work) {
      runner.submit<int>(
          key, JobPriority::View, std::move(work), [](int) { QFAIL("no result was expected"); },
          [&](const Error& error) { errors.push_back(error); });
    };
    add("ours", [](const Progress&) -> int { throw Error(ErrorKind::Truncated, "file.pt ends early.", "at 12"); });
    add("memory", [](const Progress&) -> int { throw std::bad_alloc(); });
    add("system", [](const Progress&) -> int { throw std::system_error(ENOSPC, std::generic_category(), "file"); });
    add("foreign", [](const Progress&) -> int { throw std::logic_error("index 7"); });
    add("not an exception", [](const Progress&) -> int { throw 7; });
    QTRY_COMPARE(errors.size(), std::size_t{5});
    QCOMPARE(errors[0].kind(), ErrorKind::Truncated);
    QCOMPARE(errors[0].what(), "file.pt ends early.");
    QCOMPARE(errors[0].details(), std::string("at 12"));
    QCOMPARE(errors[1].kind(), ErrorKind::OutOfMemory);
    QCOMPARE(errors[2].kind(), ErrorKind::Io);
    QVERIFY(QString(errors[2].what()).contains("No space left on device"));
    QVERIFY(QString::fromStdString(errors[3].details()).contains("index 7"));
    QVERIFY(QString(errors[4].what()).contains("unexpected fault"));
  }

  void progressIsSentAtMostTwentyTimesASecond() {
    JobRunner runner;
    QSignalSpy steps(&runner, &JobRunner::progressed);
    bool done = false;
    QElapsedTimer timer;
    timer.start();
    runner.submit<int>(
        "run", JobPriority::View,
        [](const Progress& progress) {
          QElapsedTimer clock;
          clock.start();
          while (clock.elapsed() < 300) progress.report(static_cast<double>(clock.elapsed()) / 300, "layer");
          return 0;
        },
        [&](int) { done = true; }, unexpected);
    QTRY_VERIFY(done);
    QVERIFY2(steps.size() >= 3, qPrintable(QString::number(steps.size())));
    QVERIFY2(steps.size() <= timer.elapsed() / 50 + 1, qPrintable(QString::number(steps.size())));
    QCOMPARE(steps.first().at(0).toString(), QString("run"));
    QCOMPARE(steps.first().at(2).toString(), QString("layer"));
    QVERIFY(steps.first().at(1).toDouble() <= steps.last().at(1).toDouble());
  }

  void busyIsAnnouncedOnceForAKeyThatIsResubmittedByItsOwnAnswer() {
    JobRunner runner;
    QSignalSpy busy(&runner, &JobRunner::busyChanged);
    int runs = 0;
    std::function<void()> start = [&] {
      runner.submit<int>(
          "a", JobPriority::View, [](const Progress&) { return 0; },
          [&](int) {
            if (++runs < 3) start();
          },
          unexpected);
    };
    start();
    QTRY_COMPARE(runs, 3);
    QCOMPARE(busy.size(), 2);
    QCOMPARE(busy.at(0).at(1).toBool(), true);
    QCOMPARE(busy.at(1).at(1).toBool(), false);
  }

  void destructionStopsTheWorkAndNoResultArrivesAfterwards() {
    std::atomic<bool> running{false};
    std::atomic<bool> stopped{false};
    bool answered = false;
    QElapsedTimer timer;
    {
      JobRunner runner;
      std::latch started{1};
      runner.submit<int>(
          "run", JobPriority::View,
          [&](const Progress& progress) {
            running = true;
            started.count_down();
            try {
              while (true) progress.report(0, "working");
            } catch (...) {
              stopped = true;
              throw;
            }
            return 0;
          },
          [&](int) { answered = true; }, [&](const Error&) { answered = true; });
      for (int i = 0; i < 10; ++i)
        runner.submit<int>(
            QString("queued %1").arg(i), JobPriority::View, [](const Progress&) { return 0; },
            [&](int) { answered = true; }, unexpected);
      started.wait();
      timer.start();
    }
    QVERIFY(timer.elapsed() < 2000);
    QVERIFY(running && stopped);
    QCoreApplication::processEvents();
    QVERIFY(!answered);
  }
};

HEADSCOPE_QTEST_MAIN(JobRunnerTest)
#include "job_runner_test.moc"
