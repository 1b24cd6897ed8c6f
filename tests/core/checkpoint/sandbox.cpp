#include "tests/core/checkpoint/sandbox.h"

#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>

#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define HEADSCOPE_CAN_CONFINE 1
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <vector>
#endif

namespace support {

namespace {

[[noreturn]] void stop(const char* what) {
  std::perror(what);
  std::_Exit(70);
}

}  // namespace

void limitResources() {
  std::ifstream statm("/proc/self/statm");
  rlim_t pages = 0;
  if (!(statm >> pages)) stop("/proc/self/statm");
  const rlim_t now = pages * static_cast<rlim_t>(sysconf(_SC_PAGE_SIZE));
  const rlimit memory{now + (256u << 20), now + (256u << 20)}, processor{30, 30};
  if (setrlimit(RLIMIT_AS, &memory) != 0 || setrlimit(RLIMIT_CPU, &processor) != 0) stop("setrlimit");
}

#if defined(HEADSCOPE_CAN_CONFINE)

const bool kCanConfine = true;

namespace {

constexpr std::uint32_t kOurs = 0x4ead5c09;  // the sixth argument of the opens that the handler passes on

/// Passes an open on after saying what is opened. Without the mark it would come back here.
void onOpen(int, siginfo_t*, void* context) {
  const int error = errno;
  greg_t* registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
  const auto* path = reinterpret_cast<const char*>(registers[REG_RSI]);
  if ((registers[REG_RDX] & (O_WRONLY | O_RDWR | O_CREAT | O_TRUNC)) != 0)
    raise(SIGSYS);  // which is not allowed either
  for (const char* part : {"open ", path, "\n"}) {
    if (write(STDERR_FILENO, part, std::strlen(part)) < 0) break;
  }
  const long opened = syscall(SYS_openat, registers[REG_RDI], path, registers[REG_RDX], registers[REG_R10], 0, kOurs);
  registers[REG_RAX] = opened < 0 ? -errno : opened;
  errno = error;
}

constexpr std::uint32_t argument(int number) {
  return static_cast<std::uint32_t>(offsetof(seccomp_data, args) + 8 * static_cast<std::size_t>(number));
}

/// A condition that refuses a call: a comparison of one argument's lower half.
struct Unless {
  int argument;
  std::uint16_t comparison;
  std::uint32_t number;
  bool refusedWhen;
};

class Filter {
 public:
  Filter() {
    load(offsetof(seccomp_data, arch));
    jump(BPF_JEQ, AUDIT_ARCH_X86_64, 1, 0);
    give(SECCOMP_RET_KILL_PROCESS);
    load(offsetof(seccomp_data, nr));
  }

  void allow(long call, const std::vector<Unless>& conditions = {}) {
    jump(BPF_JEQ, static_cast<std::uint32_t>(call), 0, static_cast<std::uint8_t>(3 * conditions.size() + 1));
    for (const Unless& condition : conditions) {
      load(argument(condition.argument));
      jump(condition.comparison, condition.number, condition.refusedWhen ? 0 : 1, condition.refusedWhen ? 1 : 0);
      give(SECCOMP_RET_KILL_PROCESS);
    }
    give(SECCOMP_RET_ALLOW);
  }

  void handle(long call) {
    jump(BPF_JEQ, static_cast<std::uint32_t>(call), 0, 4);
    load(argument(5));
    jump(BPF_JEQ, kOurs, 0, 1);
    give(SECCOMP_RET_ALLOW);
    give(SECCOMP_RET_TRAP);
  }

  void start() {
    give(SECCOMP_RET_KILL_PROCESS);
    const sock_fprog program{static_cast<unsigned short>(m_code.size()), m_code.data()};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
      stop("prctl");
  }

 private:
  void load(std::size_t offset) {
    m_code.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<std::uint32_t>(offset)));
  }
  void jump(std::uint16_t comparison, std::uint32_t number, std::uint8_t whenTrue, std::uint8_t whenFalse) {
    const auto code = static_cast<std::uint16_t>(BPF_JMP | comparison | BPF_K);
    m_code.push_back(BPF_JUMP(code, number, whenTrue, whenFalse));
  }
  void give(std::uint32_t verdict) { m_code.push_back(BPF_STMT(BPF_RET | BPF_K, verdict)); }

  std::vector<sock_filter> m_code;
};

}  // namespace

void confineToReading() {
  struct sigaction action {};
  action.sa_sigaction = onOpen;
  action.sa_flags = SA_SIGINFO;
  if (sigaction(SIGSYS, &action, nullptr) != 0) stop("sigaction");

  const Unless runs{2, BPF_JSET, PROT_EXEC, true};
  Filter filter;
  filter.handle(SYS_openat);
  for (const long call :
       {SYS_read,       SYS_pread64,   SYS_close,     SYS_fstat,         SYS_stat,         SYS_lstat,
        SYS_newfstatat, SYS_statx,     SYS_lseek,     SYS_getdents64,    SYS_getcwd,       SYS_readlink,
        SYS_fcntl,      SYS_brk,       SYS_munmap,    SYS_mremap,        SYS_madvise,      SYS_futex,
        SYS_sysinfo,    SYS_getrandom, SYS_getrusage, SYS_clock_gettime, SYS_rt_sigreturn, SYS_exit_group}) {
    filter.allow(call);
  }
  filter.allow(SYS_write, {{0, BPF_JGT, STDERR_FILENO, true}});
  filter.allow(SYS_mprotect, {runs});
  filter.allow(SYS_mmap, {runs, {4, BPF_JEQ, ~std::uint32_t{0}, false}});  // memory, never a file
  filter.start();
}

#else

const bool kCanConfine = false;
void confineToReading() { stop("not on this computer"); }

#endif

}  // namespace support
