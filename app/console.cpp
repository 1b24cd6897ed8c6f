#include "app/console.h"

#include <unistd.h>

#include <csignal>
#include <iostream>

namespace app {

namespace {

// A signal handler can reach nothing but a global.
volatile std::sig_atomic_t g_cancelled = 0;
volatile std::sig_atomic_t g_says = 0;

void cancel(int) {
  g_cancelled = 1;
  // Some of LibTorch's kernels can't be stopped inside a call.
  constexpr std::string_view kText = "\nheadscope: stopping; a second Ctrl+C ends at once\n";
  if (g_says != 0) static_cast<void>(!::write(STDERR_FILENO, kText.data(), kText.size()));
}

void handle(int signal, void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESETHAND | SA_RESTART;
  ::sigaction(signal, &action, nullptr);
}

}  // namespace

Console::Console() : m_terminal(::isatty(STDERR_FILENO) == 1) {
  g_cancelled = 0;
  g_says = m_terminal ? 1 : 0;
  for (const int signal : {SIGINT, SIGTERM}) handle(signal, cancel);
}

Console::~Console() {
  clear();
  for (const int signal : {SIGINT, SIGTERM}) handle(signal, SIG_DFL);
}

core::Progress Console::progress() {
  return core::Progress([this](double fraction, std::string_view stage) {
    show(fraction, stage);
    return g_cancelled == 0;
  });
}

void Console::checkCancelled() const {
  if (g_cancelled != 0) throw core::Error(core::ErrorKind::Cancelled, "Cancelled.");
}

void Console::show(double fraction, std::string_view stage) {
  const int percent = static_cast<int>(fraction * 100);
  if (!m_terminal || percent == m_shownPercent) return;
  m_shownPercent = percent;
  std::cerr << "\r\033[K" << percent << " %  " << stage << std::flush;
}

void Console::clear() {
  if (m_shownPercent >= 0) std::cerr << "\r\033[K" << std::flush;
  m_shownPercent = -1;
}

}  // namespace app
