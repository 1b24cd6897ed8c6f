#include "core/tokenizer/unicode_regex.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <new>
#include <stdexcept>
#include <string>

namespace core::tokenizer {

namespace {

// Our patterns need a handful of steps a match; a limit keeps a future one from running away.
constexpr std::uint32_t kMatchLimit = 100'000;
constexpr std::uint32_t kHeapLimitKiB = 20'000;

PCRE2_SPTR units(std::string_view text) { return reinterpret_cast<PCRE2_SPTR>(text.data()); }

}  // namespace

struct UnicodeRegex::Compiled {
  pcre2_code* code = nullptr;
  pcre2_match_context* context = nullptr;
  ~Compiled() {
    pcre2_match_context_free(context);
    pcre2_code_free(code);
  }
};

UnicodeRegex::UnicodeRegex(std::string_view pattern) {
  auto compiled = std::make_unique<Compiled>();
  int error = 0;
  PCRE2_SIZE offset = 0;
  // UCP: \p{L} and the like follow Unicode for every character, not ASCII.
  compiled->code = pcre2_compile(units(pattern), pattern.size(), PCRE2_UTF | PCRE2_UCP, &error, &offset, nullptr);
  if (compiled->code == nullptr) {
    throw std::logic_error("bad pattern " + std::string(pattern) + " at " + std::to_string(offset));
  }
  compiled->context = pcre2_match_context_create(nullptr);
  if (compiled->context == nullptr) throw std::bad_alloc();
  pcre2_set_match_limit(compiled->context, kMatchLimit);
  pcre2_set_heap_limit(compiled->context, kHeapLimitKiB);
  // Only speed: where there is no JIT the interpreter gives the same matches.
  pcre2_jit_compile(compiled->code, PCRE2_JIT_COMPLETE);
  m_compiled = std::move(compiled);
}

UnicodeRegex::~UnicodeRegex() = default;

UnicodeRegex::Scanner::Scanner(const UnicodeRegex& regex, std::string_view text)
    : m_regex(regex),
      m_text(text),
      m_match(pcre2_match_data_create_from_pattern(regex.m_compiled->code, nullptr),
              [](void* match) { pcre2_match_data_free(static_cast<pcre2_match_data*>(match)); }) {
  if (!m_match) throw std::bad_alloc();
}

std::size_t UnicodeRegex::Scanner::matchAt(std::size_t at) {
  auto* match = static_cast<pcre2_match_data*>(m_match.get());
  const int count = pcre2_match(m_regex.m_compiled->code, units(m_text), m_text.size(), at,
                                PCRE2_ANCHORED | PCRE2_NO_UTF_CHECK, match, m_regex.m_compiled->context);
  if (count < 0) return 0;
  const PCRE2_SIZE* bounds = pcre2_get_ovector_pointer(match);
  return bounds[1] - bounds[0];
}

}  // namespace core::tokenizer
