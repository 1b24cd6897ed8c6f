#include "core/error.h"

namespace core {

std::string_view name(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::NotFound: return "NotFound";
    case ErrorKind::NoPermission: return "NoPermission";
    case ErrorKind::NotAFile: return "NotAFile";
    case ErrorKind::NotAModel: return "NotAModel";
    case ErrorKind::Truncated: return "Truncated";
    case ErrorKind::Corrupt: return "Corrupt";
    case ErrorKind::Unsupported: return "Unsupported";
    case ErrorKind::Unsafe: return "Unsafe";
    case ErrorKind::Mismatch: return "Mismatch";
    case ErrorKind::TooLarge: return "TooLarge";
    case ErrorKind::OutOfMemory: return "OutOfMemory";
    case ErrorKind::Cancelled: return "Cancelled";
    case ErrorKind::Io: return "Io";
  }
  return "?";
}

}  // namespace core
