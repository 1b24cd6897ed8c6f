#include "tests/support/process.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <stdexcept>

#include "tests/support/files.h"

namespace support {

namespace {

void redirect(const std::filesystem::path& file, int flags, int to) {
  const int opened = ::open(file.c_str(), flags, 0600);
  if (opened < 0 || ::dup2(opened, to) < 0) ::_exit(126);
}

}  // namespace

Process::Process(const std::filesystem::path& program, const std::vector<std::string>& arguments,
                 const std::map<std::string, std::string>& environment, const std::filesystem::path& outputFolder)
    : m_folder(outputFolder) {
  std::vector<char*> words{const_cast<char*>(program.c_str())};
  for (const std::string& argument : arguments) words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);

  m_pid = ::fork();
  if (m_pid < 0) throw std::runtime_error("cannot start a process");
  if (m_pid > 0) return;
  for (const auto& [name, value] : environment) {
    if (value.empty()) {
      ::unsetenv(name.c_str());
    } else {
      ::setenv(name.c_str(), value.c_str(), 1);
    }
  }
  redirect("/dev/null", O_RDONLY, STDIN_FILENO);
  redirect(m_folder / "stdout", O_WRONLY | O_CREAT | O_TRUNC, STDOUT_FILENO);
  redirect(m_folder / "stderr", O_WRONLY | O_CREAT | O_TRUNC, STDERR_FILENO);
  ::execv(program.c_str(), words.data());
  ::_exit(127);
}

void Process::signal(int number) const { ::kill(m_pid, number); }

bool Process::endsWithin(std::chrono::milliseconds time) const {
  const int handle = static_cast<int>(::syscall(SYS_pidfd_open, m_pid, 0));  // readable when the process has ended
  if (handle < 0) throw std::runtime_error("cannot watch a process");
  pollfd watched{handle, POLLIN, 0};
  const int ready = ::poll(&watched, 1, static_cast<int>(time.count()));
  ::close(handle);
  return ready > 0;
}

ProcessResult Process::wait() {
  int status = 0;
  while (::waitpid(m_pid, &status, 0) < 0) {
    if (errno != EINTR) throw std::runtime_error("cannot wait for a process");
  }
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return {code, readFile(m_folder / "stdout"), readFile(m_folder / "stderr")};
}

}  // namespace support
