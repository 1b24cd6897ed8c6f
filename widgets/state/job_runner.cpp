#include "widgets/state/job_runner.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <QSocketNotifier>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <new>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <thread>
#include <typeinfo>
#include <vector>

namespace widgets {

namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kProgressInterval{50};

/// The exception in flight as a core::Error. Core turns foreign exceptions into its own at its door, so what arrives
/// here as another type is a surprise, and says so.
core::Error currentError() {
  try {
    throw;
  } catch (const core::Error& error) {
    return error;
  } catch (const std::bad_alloc&) {
    return {core::ErrorKind::OutOfMemory,
            "There is not enough memory for this. Close other programs, or use a shorter prompt or a smaller model."};
  } catch (const std::system_error& error) {
    return {core::ErrorKind::Io, std::string("The operating system refused: ") + error.what(), typeid(error).name()};
  } catch (const std::exception& error) {
    return {core::ErrorKind::Unsupported,
            "This work stopped at an unexpected fault; what was open is unchanged. Please report the details.",
            std::string(typeid(error).name()) + ": " + error.what()};
  } catch (...) {
    return {core::ErrorKind::Unsupported, "This work stopped at an unexpected fault; what was open is unchanged.",
            "not a std::exception"};
  }
}

struct Job {
  QString key;
  JobPriority priority = JobPriority::View;
  std::function<void(const core::Progress&)> work;
  std::function<void()> done;
  std::function<void(const core::Error&)> failed;

  std::atomic<bool> stop{false};
  bool cancelled = false;  // read and written by the owner's thread only

  // Written by the worker before the job enters the outbox, read by the owner's thread after it left it.
  std::optional<core::Error> error;
};

/// What the worker tells the owner's thread: a step of a job, or (without a step) its end.
struct Message {
  std::shared_ptr<Job> job;
  struct Step {
    double fraction;
    std::string stage;
  };
  std::optional<Step> step;
};

}  // namespace

// The worker hands messages over in a queue of ours and wakes the owner by an eventfd. A posted Qt event would do too,
// but its memory goes from thread to thread under locks that ThreadSanitizer can't see in a Qt built without it.
struct JobRunner::Worker {
  std::mutex mutex;
  std::condition_variable wake;
  std::vector<std::shared_ptr<Job>> queue;  // in order of submission
  std::deque<Message> outbox;
  bool quit = false;
  int eventFd = -1;
  std::thread thread;

  // The owner's thread only.
  std::map<QString, std::shared_ptr<Job>> current;  // the one job of a key whose answer is still wanted
  std::set<QString> announcedBusy;
  std::set<std::shared_ptr<Job>> unfinished;  // queued or running, wanted or not

  void loop();
  void run(Job& job, const std::shared_ptr<Job>& self);
  void send(Message message);
  std::optional<Message> receive();
  bool unqueue(const std::shared_ptr<Job>& job);  // whether it was still waiting
};

void JobRunner::Worker::loop() {
  while (true) {
    std::shared_ptr<Job> job;
    {
      std::unique_lock lock(mutex);
      wake.wait(lock, [this] { return quit || !queue.empty(); });
      if (quit) return;
      const auto first = std::min_element(queue.begin(), queue.end(),
                                          [](const auto& a, const auto& b) { return a->priority < b->priority; });
      job = *first;
      queue.erase(first);
    }
    if (!job->stop) run(*job, job);
    // The last reference goes back, so that what the callbacks hold is destroyed in the owner's thread.
    send({std::move(job), std::nullopt});
  }
}

void JobRunner::Worker::run(Job& job, const std::shared_ptr<Job>& self) {
  std::optional<Clock::time_point> lastSent;
  const core::Progress progress([&](double fraction, std::string_view stage) {
    if (job.stop) return false;
    const Clock::time_point now = Clock::now();
    if (!lastSent || now - *lastSent >= kProgressInterval) {
      lastSent = now;
      send({self, Message::Step{fraction, std::string(stage)}});
    }
    return true;
  });
  try {
    job.work(progress);
  } catch (...) {
    job.error = currentError();
  }
}

void JobRunner::Worker::send(Message message) {
  {
    const std::lock_guard lock(mutex);
    outbox.push_back(std::move(message));
  }
  const std::uint64_t one = 1;
  // Fails only when 2^64 messages wait.
  [[maybe_unused]] const ssize_t written = write(eventFd, &one, sizeof one);
}

std::optional<Message> JobRunner::Worker::receive() {
  std::uint64_t one = 0;
  if (read(eventFd, &one, sizeof one) != sizeof one) return std::nullopt;
  const std::lock_guard lock(mutex);
  if (outbox.empty()) return std::nullopt;
  Message message = std::move(outbox.front());
  outbox.pop_front();
  return message;
}

bool JobRunner::Worker::unqueue(const std::shared_ptr<Job>& job) {
  const std::lock_guard lock(mutex);
  return std::erase(queue, job) > 0;
}

JobRunner::JobRunner(QObject* parent) : QObject(parent), m_worker(std::make_unique<Worker>()) {
  // As a semaphore it stays readable while messages wait, one read each: an exception in a callback loses none.
  m_worker->eventFd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC | EFD_SEMAPHORE);
  if (m_worker->eventFd < 0) throw std::system_error(errno, std::generic_category(), "eventfd");
  auto* notifier = new QSocketNotifier(m_worker->eventFd, QSocketNotifier::Read, this);
  connect(notifier, &QSocketNotifier::activated, this, [this] { deliver(); });
  m_worker->thread = std::thread([worker = m_worker.get()] { worker->loop(); });
}

JobRunner::~JobRunner() {
  {
    const std::lock_guard lock(m_worker->mutex);
    m_worker->quit = true;
    m_worker->queue.clear();
  }
  for (const auto& job : m_worker->unfinished) job->stop = true;
  m_worker->wake.notify_one();
  m_worker->thread.join();
  close(m_worker->eventFd);
}

void JobRunner::submitErased(const QString& key, JobPriority priority, std::function<void(const core::Progress&)> work,
                             std::function<void()> done, std::function<void(const core::Error&)> failed) {
  const auto job = std::make_shared<Job>();
  job->key = key;
  job->priority = priority;
  job->work = std::move(work);
  job->done = std::move(done);
  job->failed = std::move(failed);

  if (const auto old = m_worker->current.find(key); old != m_worker->current.end()) {
    old->second->stop = true;
    if (m_worker->unqueue(old->second)) m_worker->unfinished.erase(old->second);
  }
  m_worker->current[key] = job;
  m_worker->unfinished.insert(job);
  {
    const std::lock_guard lock(m_worker->mutex);
    m_worker->queue.push_back(job);
  }
  m_worker->wake.notify_one();
  announceBusy(key);
}

void JobRunner::cancel(const QString& key) {
  const auto found = m_worker->current.find(key);
  if (found == m_worker->current.end()) return;
  const std::shared_ptr<Job> job = found->second;
  job->cancelled = true;
  job->stop = true;
  // A queued job need not wait for the running one. Its answer comes from the event loop all the same.
  if (m_worker->unqueue(job)) m_worker->send({job, std::nullopt});
}

void JobRunner::cancelAll() {
  std::vector<QString> keys;
  for (const auto& [key, job] : m_worker->current) keys.push_back(key);
  for (const QString& key : keys) cancel(key);
}

bool JobRunner::isBusy(const QString& key) const { return m_worker->current.contains(key); }

bool JobRunner::isIdle() const { return m_worker->current.empty(); }

void JobRunner::deliver() {
  const std::optional<Message> message = m_worker->receive();
  if (!message) return;
  const std::shared_ptr<Job>& job = message->job;
  const auto found = m_worker->current.find(job->key);
  const bool wanted = found != m_worker->current.end() && found->second == job;

  if (message->step) {
    if (wanted && !job->cancelled)
      Q_EMIT progressed(job->key, message->step->fraction, QString::fromStdString(message->step->stage));
    return;
  }
  m_worker->unfinished.erase(job);
  if (!wanted) return;
  m_worker->current.erase(found);

  // Busy is announced after the callback, which may submit the next job of the same key; also when it throws.
  const QString key = job->key;
  try {
    if (job->cancelled)
      job->failed(core::Error(core::ErrorKind::Cancelled, "Cancelled."));
    else if (job->error)
      job->failed(*job->error);
    else
      job->done();
  } catch (...) {
    announceBusy(key);
    throw;
  }
  announceBusy(key);
}

void JobRunner::announceBusy(const QString& key) {
  const bool busy = isBusy(key);
  if (busy == m_worker->announcedBusy.contains(key)) return;
  if (busy)
    m_worker->announcedBusy.insert(key);
  else
    m_worker->announcedBusy.erase(key);
  Q_EMIT busyChanged(key, busy);
}

}  // namespace widgets
