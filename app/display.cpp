#include "app/display.h"

#include <dlfcn.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <QDir>
#include <QFileInfo>
#include <QLibraryInfo>
#include <QString>
#include <cstdlib>
#include <cstring>
#include <memory>

namespace app {

namespace {

constexpr const char* kHeadlessHint =
    "Without a display, use `headscope render`, `headscope capture` or `headscope info` (`headscope --help` explains "
    "them), or `headscope --screenshot FILE` for a picture of the window.";

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

bool hasPlugin(const QString& platform) {
  QStringList folders{QLibraryInfo::path(QLibraryInfo::PluginsPath) + "/platforms"};
  folders += QString::fromStdString(environment("QT_QPA_PLATFORM_PLUGIN_PATH")).split(':', Qt::SkipEmptyParts);
  folders += QString::fromStdString(environment("QT_PLUGIN_PATH") + "/platforms");
  for (const QString& folder : folders)
    if (QDir(folder).exists("libq" + platform + ".so")) return true;
  return false;
}

/// Connects as Qt's plugin will, with libxcb and its rules of authorisation. Loaded by hand: the plugin needs the
/// library, the program does not.
bool x11Answers() {
  using Connect = void* (*)(const char*, int*);
  using HasError = int (*)(void*);
  using Disconnect = void (*)(void*);
  std::unique_ptr<void, int (*)(void*)> library(dlopen("libxcb.so.1", RTLD_NOW | RTLD_LOCAL), &dlclose);
  if (!library) return false;
  const auto connectTo = reinterpret_cast<Connect>(dlsym(library.get(), "xcb_connect"));
  const auto hasError = reinterpret_cast<HasError>(dlsym(library.get(), "xcb_connection_has_error"));
  const auto disconnect = reinterpret_cast<Disconnect>(dlsym(library.get(), "xcb_disconnect"));
  if (!connectTo || !hasError || !disconnect) return false;
  void* connection = connectTo(nullptr, nullptr);
  if (hasError(connection) != 0) {
    disconnect(connection);
    return false;
  }
  // Stays open to the end: a server that resets when its last client leaves would refuse Qt a moment later.
  static void* keptOpen = nullptr;
  keptOpen = connection;
  library.release();
  return keptOpen != nullptr;
}

bool waylandAnswers() {
  const std::string name = environment("WAYLAND_DISPLAY").empty() ? "wayland-0" : environment("WAYLAND_DISPLAY");
  const std::string path = name.front() == '/' ? name : environment("XDG_RUNTIME_DIR") + "/" + name;
  sockaddr_un address{};
  if (path.size() >= sizeof address.sun_path) return false;
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.c_str(), path.size());
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const bool answers = fd >= 0 && connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  if (fd >= 0) close(fd);
  return answers;
}

}  // namespace

bool hasPlatformPlugin(const char* platform) { return hasPlugin(platform); }

std::optional<std::string> displayProblem() {
  // "xcb", "offscreen:configfile=...", "wayland;xcb": Qt takes the first that works.
  const QString wanted = QString::fromStdString(environment("QT_QPA_PLATFORM"));
  const QStringList platforms =
      wanted.isEmpty() ? QStringList{"xcb", "wayland"} : wanted.split(';', Qt::SkipEmptyParts);
  bool anyPlugin = false;
  for (const QString& entry : platforms) {
    const QString platform = entry.section(':', 0, 0);
    const bool isWayland = platform.startsWith("wayland");
    if (!hasPlugin(isWayland ? "wayland-generic" : platform)) continue;
    anyPlugin = true;
    if (platform == "xcb" && !x11Answers()) continue;
    if (isWayland && !waylandAnswers()) continue;
    return std::nullopt;
  }
  if (!wanted.isEmpty() && !anyPlugin)
    return "Qt has no platform plugin for QT_QPA_PLATFORM=" + wanted.toStdString() +
           ". Unset it, or install the plugin. " + kHeadlessHint;
  const std::string display = environment("DISPLAY");
  const std::string wayland = environment("WAYLAND_DISPLAY");
  if (display.empty() && wayland.empty())
    return std::string("There is no display: neither DISPLAY nor WAYLAND_DISPLAY is set. ") + kHeadlessHint;
  return "No display server that this program can use answers at " +
         (display.empty() ? "WAYLAND_DISPLAY=" + wayland : "DISPLAY=" + display) + ". " + kHeadlessHint;
}

}  // namespace app
