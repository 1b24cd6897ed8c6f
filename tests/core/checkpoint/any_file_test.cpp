#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/inotify.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstring>
#include <fstream>
#include <functional>
#include <iostream>
#include <utility>

#include "core/checkpoint/checkpoint.h"
#include "core/checkpoint/file.h"
#include "core/checkpoint/format.h"
#include "core/file_patterns.h"
#include "tests/core/checkpoint/expect_error.h"
#include "tests/core/checkpoint/model_builder.h"
#include "tests/support/files.h"

namespace core::checkpoint {
namespace {

namespace fs = std::filesystem;
using support::expectError;

class AnyFile : public testing::Test {
 protected:
  fs::path write(const std::string& name, const std::string& bytes) {
    support::writeFile(m_folder / name, bytes);
    return m_folder / name;
  }
  static void open(const fs::path& path) { load(path, {}, Progress()); }

  support::TemporaryFolder m_folder;
};

TEST_F(AnyFile, OpenDialogOffersTheNamesThatCheckpointsHave) {
  EXPECT_EQ(core::openPatterns(), "*.pt *.pth *.ckpt meta_*.json *.safetensors *.bin config.json *.index.json *.gguf");
}

TEST_F(AnyFile, F1_MissingFileIsNotFound) {
  expectError(ErrorKind::NotFound, {(m_folder / "gone.pt").string(), "no such file"},
              [&] { open(m_folder / "gone.pt"); });
  write("file", "x");
  expectError(ErrorKind::NotFound, {"file/ckpt.pt"}, [&] { open(m_folder / "file" / "ckpt.pt"); });
}

TEST_F(AnyFile, F2_FolderWithCkptOpensIt) {
  fs::create_directory(m_folder / "out-tiny");
  write("out-tiny/ckpt.pt", support::ModelBuilder().build());
  write("out-tiny/other.pt", "not opened");
  const Checkpoint checkpoint = load(m_folder / "out-tiny", {}, Progress());
  EXPECT_EQ(checkpoint.info.name, "out-tiny");
  EXPECT_EQ(checkpoint.info.path, m_folder / "out-tiny" / "ckpt.pt");
}

TEST_F(AnyFile, F2_FolderWithOneOtherCheckpointOpensIt) {
  write("best.pt", support::ModelBuilder().build());
  EXPECT_EQ(load(m_folder.path(), {}, Progress()).info.name, "best");
}

TEST_F(AnyFile, F2_FolderWithSeveralCheckpointsNamesThem) {
  write("a.pt", "x");
  write("b.pt", "x");
  write("notes.txt", "x");
  expectError(ErrorKind::NotAFile, {m_folder.path().string(), "2 checkpoints", "'a.pt', 'b.pt'", "Choose one"},
              [&] { open(m_folder.path()); });
}

TEST_F(AnyFile, F2_FolderWithoutCheckpointSaysWhatWasLookedFor) {
  expectError(ErrorKind::NotAFile, {m_folder.path().string(), "folder", "ckpt.pt", "model_<step>.pt", "config.json"},
              [&] { open(m_folder.path()); });
}

/// Opens as somebody who may read only what everybody may: root, who may read everything, gives that up first.
/// Says the refusal on standard error and ends with code 0 when it is NoPermission.
[[noreturn]] void openAsAnybody(const fs::path& path) {
  if (geteuid() == 0 && setuid(65534) != 0) _exit(3);
  try {
    load(path, {}, Progress());
  } catch (const Error& error) {
    std::cerr << error.what();
    _exit(error.kind() == ErrorKind::NoPermission ? 0 : 1);
  }
  _exit(2);
}

TEST_F(AnyFile, F3_UnreadableFileIsNoPermissionWithModeAndOwner) {
  const fs::path file = write("secret.pt", "x");
  ASSERT_EQ(chmod(m_folder.path().c_str(), 0755), 0);
  ASSERT_EQ(chmod(file.c_str(), geteuid() == 0 ? 0600 : 0000), 0);
  const std::string mode = geteuid() == 0 ? "rw-------" : "---------";
  EXPECT_EXIT(openAsAnybody(file), testing::ExitedWithCode(0),
              file.string() + ": it may not be read: its mode is " + mode + " and its owner is .*chmod");
}

TEST_F(AnyFile, F3_FoldersThatMayNotBeEnteredOrListedAreNoPermission) {
  ASSERT_EQ(chmod(m_folder.path().c_str(), 0755), 0);
  const fs::path folder = m_folder / "closed";
  fs::create_directory(folder);
  write("closed/ckpt.pt", support::ModelBuilder().build());
  ASSERT_EQ(chmod(folder.c_str(), geteuid() == 0 ? 0700 : 0000), 0);
  EXPECT_EXIT(openAsAnybody(folder / "ckpt.pt"), testing::ExitedWithCode(0),
              "closed/ckpt.pt: it may not be read: a folder on the way to it may not be entered");
  EXPECT_EXIT(openAsAnybody(folder), testing::ExitedWithCode(0), "closed: the folder can't be listed: .*Choose");
  ASSERT_EQ(chmod(folder.c_str(), 0700), 0);
}

TEST_F(AnyFile, F4_EmptyFileIsTruncated) {
  const fs::path file = write("ckpt.pt", "");
  expectError(ErrorKind::Truncated, {file.string(), "empty", "0 bytes"}, [&] { open(file); });
}

TEST_F(AnyFile, F5_FifoIsRefusedWithoutWaitingForAWriter) {
  ASSERT_EQ(mkfifo((m_folder / "pipe.pt").c_str(), 0600), 0);
  expectError(ErrorKind::NotAFile, {"pipe.pt", "FIFO"}, [&] { open(m_folder / "pipe.pt"); });
}

// To open a device can already do something.
TEST_F(AnyFile, F5_WhatIsNoFileIsNotEvenOpened) {
  const fs::path pipe = m_folder / "pipe.pt", file = write("ckpt.pt", "x");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const int watch = inotify_init1(IN_NONBLOCK);
  ASSERT_GE(watch, 0);
  ASSERT_GE(inotify_add_watch(watch, m_folder.path().c_str(), IN_OPEN), 0);
  char event[sizeof(inotify_event) + NAME_MAX + 1];
  EXPECT_THROW(File{pipe}, Error);
  EXPECT_LT(::read(watch, event, sizeof event), 0) << "somebody opened it";
  EXPECT_EQ(File(file).size(), 1u);
  EXPECT_GT(::read(watch, event, sizeof event), 0) << "the watch sees nothing";
  ::close(watch);
}

TEST_F(AnyFile, F5_DevicesAreRefused) {
  expectError(ErrorKind::NotAFile, {"/dev/zero", "device"}, [] { open("/dev/zero"); });
  expectError(ErrorKind::NotAFile, {"/dev/null", "device"}, [] { open("/dev/null"); });
}

TEST_F(AnyFile, F5_SocketIsRefused) {
  const int descriptor = socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string path = (m_folder / "s.pt").string();
  ASSERT_LT(path.size(), sizeof address.sun_path);
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  ASSERT_EQ(bind(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  expectError(ErrorKind::NotAFile, {"s.pt", "socket"}, [&] { open(path); });
  close(descriptor);
}

TEST_F(AnyFile, F9_TorchZipOpensWhateverItsName) {
  const fs::path file = write("model.safetensors", support::ModelBuilder().build());
  const Checkpoint checkpoint = load(file, {}, Progress());
  EXPECT_EQ(checkpoint.info.config.layers, 1);
  const auto& report = checkpoint.info.report;
  EXPECT_TRUE(std::any_of(report.begin(), report.end(), [](const ReportLine& line) {
    return line.text.find("'.safetensors'") != std::string::npos;
  }));
}

/// Writes `head`, then a hole up to 1 TiB, then `tail`.
fs::path writeSparse(const fs::path& path, const std::string& head, const std::string& tail) {
  constexpr off_t kTebibyte = off_t{1} << 40;
  support::writeFile(path, head);
  if (truncate(path.c_str(), kTebibyte) != 0) return {};
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(kTebibyte - static_cast<off_t>(tail.size()));
  file << tail;
  return path;
}

TEST_F(AnyFile, F12_SparseTebibyteOfNothingKnownIsRefusedWithoutReadingIt) {
  const fs::path file = writeSparse(m_folder / "huge.pt", "PK\x03\x04", "");
  if (file.empty()) GTEST_SKIP() << "this file system has no files of 1 TiB";
  expectError(ErrorKind::Truncated, {file.string(), "1,099,511,627,776"}, [&] { open(file); });
}

TEST_F(AnyFile, F12_SparseTebibytePickleIsRefusedWithoutReadingIt) {
  const fs::path file = writeSparse(m_folder / "huge.pkl", "\x80\x04}.", "");
  if (file.empty()) GTEST_SKIP() << "this file system has no files of 1 TiB";
  expectError(ErrorKind::NotAModel, {file.string(), "plain Python pickle", "1,099,511,627,776"}, [&] { open(file); });
}

TEST_F(AnyFile, F12_SparseTebibyteSafetensorsIsRefusedWithoutReadingIt) {
  std::string head = "xxxxxxxx{\"a\":1}";
  const std::uint64_t claimed = std::uint64_t{1} << 39;
  std::memcpy(head.data(), &claimed, 8);
  const fs::path file = writeSparse(m_folder / "huge.safetensors", head, "");
  if (file.empty()) GTEST_SKIP() << "this file system has no files of 1 TiB";
  expectError(ErrorKind::TooLarge, {"549,755,813,888", "100,000,000"}, [&] { open(file); });
}

TEST_F(AnyFile, F13_FileThatShrinksWhileItIsReadIsTruncated) {
  const fs::path path = write("ckpt.pt", std::string(10'000, 'x'));
  const File file(path);
  ASSERT_EQ(truncate(path.c_str(), 4'000), 0);
  expectError(ErrorKind::Truncated, {path.string(), "byte 4,000 of 10,000"}, [&] { file.read(0, 10'000); });
}

/// What another program does to the file between two reads.
std::function<void()> g_meanwhile;

ssize_t disturbedRead(int descriptor, void* into, std::size_t size, off_t offset) {
  if (size == 48) std::exchange(g_meanwhile, [] {})();  // the bytes of wpe
  return ::pread(descriptor, into, size, offset);
}

float firstPosition(const Checkpoint& checkpoint) {
  float first = 0;
  std::memcpy(&first, checkpoint.tensors.at("wpe.weight").data.get(), sizeof first);
  return first;
}

TEST_F(AnyFile, F13_FileThatIsReplacedWhileItIsReadIsTheOneThatWasOpened) {
  const fs::path path = write("ckpt.pt", support::ModelBuilder().build());
  write("other.pt", std::string(100, 'x'));
  g_meanwhile = [&] { fs::rename(m_folder / "other.pt", path); };
  EXPECT_EQ(firstPosition(loadFile(File(path, disturbedRead), {}, Progress())), 100.5f);
  expectError(ErrorKind::NotAModel, {path.string()}, [&] { open(path); });
}

TEST_F(AnyFile, F13_FileThatIsWrittenOverWhileItIsReadIsReadAsItThenIsWithAWarning) {
  const std::string bytes = support::ModelBuilder().build();
  const fs::path path = write("ckpt.pt", bytes);
  const std::size_t at = bytes.find(support::floats(12, 100));
  ASSERT_NE(at, std::string::npos);
  g_meanwhile = [&] {
    std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(at));
    file << support::floats(1, 7);
  };
  const Checkpoint checkpoint = loadFile(File(path, disturbedRead), {}, Progress());
  EXPECT_EQ(firstPosition(checkpoint), 7.5f);
  EXPECT_TRUE(std::any_of(checkpoint.info.report.begin(), checkpoint.info.report.end(), [](const ReportLine& line) {
    return line.topic == ReportLine::Topic::Warning && line.text.find("'data/1'") != std::string::npos;
  }));
}

TEST_F(AnyFile, F14_OpenedModelOutlivesItsFileAndReloadingSaysNotFound) {
  const fs::path file = write("ckpt.pt", support::ModelBuilder().build());
  const Checkpoint checkpoint = load(file, {}, Progress());
  fs::remove(file);
  float first = 0;
  std::memcpy(&first, checkpoint.tensors.at("wte.weight").data.get(), sizeof first);
  EXPECT_EQ(first, 0.5f);
  expectError(ErrorKind::NotFound, {file.string()}, [&] { open(file); });
}

ssize_t failingRead(int, void*, std::size_t, off_t) {
  errno = EIO;
  return -1;
}

/// One byte at a time, with an interruption before each.
ssize_t interruptedRead(int descriptor, void* into, std::size_t, off_t offset) {
  static bool interrupted = false;
  interrupted = !interrupted;
  if (interrupted) {
    errno = EINTR;
    return -1;
  }
  return ::pread(descriptor, into, 1, offset);
}

TEST_F(AnyFile, F15_ReadErrorIsIoWithTheSystemsText) {
  const fs::path path = write("ckpt.pt", std::string(100, 'x'));
  expectError(ErrorKind::Io, {path.string(), "10 bytes at byte 20", std::strerror(EIO), "errno 5", "Try again"},
              [&] { File(path, failingRead).read(20, 10); });
  expectError(ErrorKind::Io, {std::strerror(EIO)}, [&] { loadFile(File(path, failingRead), {}, Progress()); });
}

TEST_F(AnyFile, F15_ShortAndInterruptedReadsAreContinued) {
  const std::string bytes = support::ModelBuilder().build();
  const fs::path path = write("ckpt.pt", bytes);
  EXPECT_EQ(File(path, interruptedRead).read(0, bytes.size()), bytes);
  EXPECT_EQ(loadFile(File(path, interruptedRead), {}, Progress()).info.config.layers, 1);
}

TEST_F(AnyFile, ReadingBeyondTheEndAllocatesNothing) {
  const File file(write("ckpt.pt", std::string(100, 'x')));
  expectError(ErrorKind::Truncated, {"18,446,744,073,709,551,615 bytes", "has 100"},
              [&] { file.read(1, ~std::uint64_t{0}); });
  std::array<std::byte, 3> into{};
  expectError(ErrorKind::Truncated, {"3 bytes at byte 98 are needed, the file has 100"}, [&] { file.read(98, into); });
}

}  // namespace
}  // namespace core::checkpoint
