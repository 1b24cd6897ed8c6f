// What a process may do that loads an untrusted file: read files, take memory, say what came of it.
#pragma once

namespace support {

/// False in builds with a sanitizer, which has system calls and terabytes of address space of its own, and on
/// processors that the filter is not written for.
extern const bool kCanConfine;

/// From here on any other system call ends the process (SIGSYS): no program is started, nothing is written, renamed or
/// deleted, nothing is sent, no file is mapped and no memory becomes code. Every file that is opened is said on
/// standard error: "open /x/ckpt.pt".
void confineToReading();

/// At most 256 MiB of address space more than the process has now, and half a minute of the processor.
void limitResources();

}  // namespace support
