// A tokenizer.json, and a few texts encoded with it.
#include "core/checkpoint/tokenizer_json.h"

#include "core/error.h"
#include "tests/fuzz/encoded.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace core::checkpoint;
  try {
    const Json json = parseJson(fuzz::textOf(data, size), "input", kTokenizerJsonLimits);
    if (isTokenizerJson(json)) fuzz::requireEncodes(*readTokenizerJson(json, "input"));
  } catch (const core::Error&) {
  }
  return 0;
}
