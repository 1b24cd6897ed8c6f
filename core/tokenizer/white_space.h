// \s of the upstream regex engines (Unicode's White_Space) for a PCRE2 character class.
// PCRE2's own \s also takes U+180E, which left the spaces in Unicode 6.3.
#pragma once

// A range comes last, so that a '-' which follows in a class stays a '-'.
#define HEADSCOPE_WHITE_SPACE \
  R"(\x{20}\x{85}\x{a0}\x{1680}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{9}-\x{d}\x{2000}-\x{200a})"

// All other characters.
#define HEADSCOPE_NO_WHITE_SPACE                                                         \
  R"(\x{0}-\x{8}\x{e}-\x{1f}\x{21}-\x{84}\x{86}-\x{9f}\x{a1}-\x{167f}\x{1681}-\x{1fff})" \
  R"(\x{200b}-\x{2027}\x{202a}-\x{202e}\x{2030}-\x{205e}\x{2060}-\x{2fff}\x{3001}-\x{10ffff})"
