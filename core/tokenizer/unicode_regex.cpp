#include "core/tokenizer/unicode_regex.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <ctime>
#include <limits>
#include <new>
#include <stdexcept>

#include "core/error.h"
#include "core/tokenizer/token_label.h"
#include "core/tokenizer/utf8.h"

namespace core::tokenizer {

namespace {

// A pattern that backtracks over a run of n spaces takes n steps of one match, so the limit grows with the text.
constexpr std::uint64_t kLeastSteps = 1'000'000;
constexpr std::uint64_t kStepsPerByte = 8;
constexpr std::uint32_t kHeapLimitKiB = 65'536;

// What a pattern from a file may take. Those that are known take a tenth of a microsecond for a byte; what goes through
// a megabyte again for each of its bytes would take hours, and no count of steps tells that.
constexpr double kLeastSeconds = 1;
constexpr double kSecondsPerByte = 2e-6;
constexpr std::chrono::milliseconds kBetweenLooks{20};

double threadSeconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

PCRE2_SPTR units(std::string_view text) { return reinterpret_cast<PCRE2_SPTR>(text.data()); }

std::string messageOf(int error) {
  std::array<PCRE2_UCHAR, 256> text{};
  if (pcre2_get_error_message(error, text.data(), text.size()) < 0) return "error " + std::to_string(error);
  return reinterpret_cast<const char*>(text.data());
}

}  // namespace

struct UnicodeRegex::Compiled {
  pcre2_code* code = nullptr;
  std::string spelling;
  std::string origin;
  ~Compiled() { pcre2_code_free(code); }
};

struct UnicodeRegex::Scanner::Memory {
  pcre2_match_data* data = nullptr;
  pcre2_match_context* context = nullptr;
  double started = threadSeconds();
  std::chrono::steady_clock::time_point looked = std::chrono::steady_clock::now();
  ~Memory() {
    pcre2_match_data_free(data);
    pcre2_match_context_free(context);
  }
};

UnicodeRegex::UnicodeRegex(std::string_view pattern) : UnicodeRegex(pattern, std::string(pattern), {}) {}

UnicodeRegex::UnicodeRegex(std::string_view pattern, std::string spelling, std::string origin) {
  auto compiled = std::make_unique<Compiled>();
  int error = 0;
  PCRE2_SIZE offset = 0;
  // UCP: \p{L} and the like follow Unicode for every character, not ASCII. \C would cut characters in two.
  constexpr std::uint32_t kOptions = PCRE2_UTF | PCRE2_UCP | PCRE2_NEVER_BACKSLASH_C;
  compiled->code = pcre2_compile(units(pattern), pattern.size(), kOptions, &error, &offset, nullptr);
  if (compiled->code == nullptr) {
    if (origin.empty()) throw std::logic_error("bad pattern " + spelling + " at " + std::to_string(offset));
    throw Error(ErrorKind::Unsupported, origin + ": the split pattern '" + visibleText(spelling.substr(0, 200)) +
                                            "' can't be used: " + messageOf(error) +
                                            ". Choose another tokenizer file.");
  }
  // No machine code is made of it: the interpreter counts every step, and a pattern from a file stays data.
  compiled->spelling = std::move(spelling);
  compiled->origin = std::move(origin);
  m_compiled = std::move(compiled);
}

UnicodeRegex::~UnicodeRegex() = default;

UnicodeRegex::Scanner::Scanner(const UnicodeRegex& regex, std::size_t textBytes)
    : m_regex(regex),
      m_memory(std::make_shared<Memory>()),
      m_seconds(kLeastSeconds + kSecondsPerByte * static_cast<double>(textBytes)) {
  m_memory->data = pcre2_match_data_create_from_pattern(regex.m_compiled->code, nullptr);
  m_memory->context = pcre2_match_context_create(nullptr);
  if (m_memory->data == nullptr || m_memory->context == nullptr) throw std::bad_alloc();
  pcre2_set_heap_limit(m_memory->context, kHeapLimitKiB);
}

void UnicodeRegex::Scanner::fail(const std::string& reason, std::string_view text) const {
  const std::string& origin = m_regex.m_compiled->origin;
  throw Error(ErrorKind::Unsupported, (origin.empty() ? std::string() : origin + ": ") + "the split pattern '" +
                                          visibleText(m_regex.m_compiled->spelling.substr(0, 200)) +
                                          "' fails on a text of " + std::to_string(text.size()) + " bytes: " + reason +
                                          ". Try a shorter text, or give its token ids.");
}

/// The thread's own clock, so that other work on the machine does not count; it is asked seldom, being slow.
void UnicodeRegex::Scanner::requireTime(std::string_view text) {
  const auto now = std::chrono::steady_clock::now();
  if (now - m_memory->looked < kBetweenLooks) return;
  m_memory->looked = now;
  if (threadSeconds() - m_memory->started > m_seconds) fail("it takes too long", text);
}

/// Each place is tried by itself: a search of PCRE2's own would not come back from a slow pattern.
std::optional<UnicodeRegex::Match> UnicodeRegex::Scanner::find(std::string_view text, std::size_t from) {
  const std::uint64_t steps = kLeastSteps + kStepsPerByte * text.size();
  pcre2_set_match_limit(m_memory->context, static_cast<std::uint32_t>(std::min<std::uint64_t>(
                                               steps, std::numeric_limits<std::uint32_t>::max())));
  const bool fromFile = !m_regex.m_compiled->origin.empty();
  for (std::size_t at = from; at <= text.size();) {
    const int count = pcre2_match(m_regex.m_compiled->code, units(text), text.size(), at,
                                  PCRE2_ANCHORED | PCRE2_NO_UTF_CHECK, m_memory->data, m_memory->context);
    if (fromFile) requireTime(text);
    if (count >= 0) {
      const PCRE2_SIZE* bounds = pcre2_get_ovector_pointer(m_memory->data);
      return Match{bounds[0], bounds[1]};
    }
    if (count == PCRE2_ERROR_NOMEMORY) throw std::bad_alloc();
    if (count != PCRE2_ERROR_NOMATCH) fail(messageOf(count), text);
    at += at < text.size() ? codePointAt(text, at).length : 1;
  }
  return std::nullopt;
}

bool UnicodeRegex::matches(std::string_view text) const {
  const std::optional<Match> match = Scanner(*this, text.size()).find(text, 0);
  return match && match->begin == 0 && match->end == text.size();
}

}  // namespace core::tokenizer
