#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iostream>

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
  EXPECT_EQ(core::openPatterns(), "*.pt *.pth *.ckpt meta_*.json *.safetensors *.bin config.json *.index.json");
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
  expectError(ErrorKind::NotAFile, {m_folder.path().string(), "2 checkpoints", "'a.pt', 'b.pt'", "Choose one"},
              [&] { open(m_folder.path()); });
}

TEST_F(AnyFile, F2_FolderWithoutCheckpointSaysWhatWasLookedFor) {
  expectError(ErrorKind::NotAFile, {m_folder.path().string(), "folder", "ckpt.pt", "model_<step>.pt", "config.json"},
              [&] { open(m_folder.path()); });
}

// Root may read everything, so the child that opens the file gives that up first.
TEST_F(AnyFile, F3_UnreadableFileIsNoPermissionWithModeAndOwner) {
  const fs::path file = write("secret.pt", "x");
  ASSERT_EQ(chmod(m_folder.path().c_str(), 0755), 0);
  ASSERT_EQ(chmod(file.c_str(), geteuid() == 0 ? 0600 : 0000), 0);
  const std::string mode = geteuid() == 0 ? "rw-------" : "---------";
  EXPECT_EXIT(
      {
        if (geteuid() == 0 && setuid(65534) != 0) _exit(3);
        try {
          open(file);
        } catch (const Error& error) {
          const std::string sentence = error.what();
          const bool told = sentence.find(file.string()) != std::string::npos &&
                            sentence.find(mode) != std::string::npos && sentence.find("owner") != std::string::npos;
          _exit(error.kind() == ErrorKind::NoPermission && told ? 0 : 1);
        }
        _exit(2);
      },
      testing::ExitedWithCode(0), "");
}

TEST_F(AnyFile, F4_EmptyFileIsTruncated) {
  const fs::path file = write("ckpt.pt", "");
  expectError(ErrorKind::Truncated, {file.string(), "empty", "0 bytes"}, [&] { open(file); });
}

TEST_F(AnyFile, F5_FifoIsRefusedWithoutWaitingForAWriter) {
  ASSERT_EQ(mkfifo((m_folder / "pipe.pt").c_str(), 0600), 0);
  expectError(ErrorKind::NotAFile, {"pipe.pt", "FIFO"}, [&] { open(m_folder / "pipe.pt"); });
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

TEST_F(AnyFile, F12_SparseTebibyteSafetensorsIsRefusedWithoutReadingIt) {
  std::string head = "xxxxxxxx{\"a\":1}";
  const std::uint64_t claimed = std::uint64_t{1} << 39;
  std::memcpy(head.data(), &claimed, 8);
  const fs::path file = writeSparse(m_folder / "huge.safetensors", head, "");
  if (file.empty()) GTEST_SKIP() << "this file system has no files of 1 TiB";
  expectError(ErrorKind::TooLarge, {"549,755,813,888", "100,000,000"}, [&] { open(file); });
}

#if !defined(__SANITIZE_ADDRESS__)  // which reserves terabytes of address space for itself
void limitAddressSpace(rlim_t bytes) {
  const rlimit limit{bytes, bytes};
  if (setrlimit(RLIMIT_AS, &limit) != 0) _exit(3);
}

// 1.06 TiB of weights that are really in the file, as a hole, with a config and views that fit: nothing of it may be
// allocated.
TEST_F(AnyFile, F12_SparseTebibyteOfWeightsIsNeverAllocated) {
  namespace op = support::pickle;
  constexpr std::int64_t kWidth = 1 << 14, kContext = 1 << 24,
                         kElements = (std::int64_t{1} << 38) + (std::int64_t{1} << 34);
  support::ModelBuilder model;
  model.setArgument("n_embd", op::integer(kWidth));
  model.setArgument("block_size", op::integer(kContext));
  op::Pairs state;
  std::int64_t at = 0;
  const auto view = [&](const std::string& name, std::vector<std::int64_t> shape) {
    op::TensorSpec tensor;
    tensor.elements = kElements;
    tensor.offset = at++;
    tensor.sizes = std::move(shape);
    state.emplace_back(name, op::tensor(tensor));
  };
  view("transformer.wte.weight", {5, kWidth});
  view("transformer.wpe.weight", {kContext, kWidth});
  for (const char* name : {"transformer.h.0.ln_1.weight", "transformer.h.0.ln_2.weight", "transformer.ln_f.weight"})
    view(name, {kWidth});
  view("transformer.h.0.attn.c_attn.weight", {3 * kWidth, kWidth});
  view("transformer.h.0.attn.c_proj.weight", {kWidth, kWidth});
  view("transformer.h.0.mlp.c_fc.weight", {4 * kWidth, kWidth});
  view("transformer.h.0.mlp.c_proj.weight", {kWidth, 4 * kWidth});
  support::ZipBuilder zip;
  zip.add("ckpt/data.pkl",
          op::whole(op::dict({{"model", op::orderedDict(state)}, {"model_args", op::dict(model.modelArgs)}})));
  support::ZipMember& storage = zip.add("ckpt/data/0", "");
  storage.zip64 = true;
  storage.hole = static_cast<std::uint64_t>(4 * kElements);
  storage.central.size = storage.central.compressedSize = storage.descriptor.size = storage.descriptor.compressedSize =
      storage.hole;
  const fs::path file = m_folder / "ckpt.pt";
  if (!zip.writeSparse(file)) GTEST_SKIP() << "this file system has no files of 1 TiB";
  EXPECT_EXIT(
      {
        limitAddressSpace(512u << 20);
        try {
          open(file);
        } catch (const Error& error) {
          std::cerr << name(error.kind()) << " " << error.what();
          _exit(error.kind() == ErrorKind::OutOfMemory ? 0 : 1);
        }
        _exit(2);
      },
      testing::ExitedWithCode(0), "OutOfMemory .*ckpt.pt: its weights take 1,[0-9,]* bytes, this computer has");
}
#endif

TEST_F(AnyFile, F13_FileThatShrinksWhileItIsReadIsTruncated) {
  const fs::path path = write("ckpt.pt", std::string(10'000, 'x'));
  const File file(path);
  ASSERT_EQ(truncate(path.c_str(), 4'000), 0);
  expectError(ErrorKind::Truncated, {path.string(), "byte 4,000 of 10,000"}, [&] { file.read(0, 10'000); });
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
}

}  // namespace
}  // namespace core::checkpoint
