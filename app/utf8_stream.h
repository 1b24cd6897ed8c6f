// Bytes of tokens, which may be parts of characters, as text for a terminal.
#pragma once

#include <string>
#include <string_view>

namespace app {

/// Whole characters go through as they are. A character that is not yet whole is held back; bytes that can't become
/// one, and control characters other than tab and line ends (a terminal would obey them), come out as \x1b.
class Utf8Stream {
 public:
  std::string add(std::string_view bytes);
  std::string end();  ///< what is still held back, escaped

 private:
  std::string m_held;
};

}  // namespace app
