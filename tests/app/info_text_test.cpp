#include "app/info_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace app {
namespace {

using testing::HasSubstr;
using testing::Not;

core::ModelInfo sample() {
  core::ModelInfo info;
  info.path = "/models/x/ckpt.pt";
  info.name = "x";
  info.config = {"nanoGPT", 2, 8, 2, 16, 128, 256, 50304, 1e-5, core::Gelu::Tanh, false, true};
  info.storedType = "bf16";
  info.parameters = 1234567;
  info.bytesRead = 2469134;
  info.report = {{core::ReportLine::Topic::Family, "nanoGPT"},
                 {core::ReportLine::Topic::Warning, "half of it is zero"}};
  return info;
}

TEST(InfoText, AlignsItsColumns) {
  EXPECT_EQ(infoText(sample()),
            "x\n"
            "  file         /models/x/ckpt.pt\n"
            "  family       nanoGPT\n"
            "  layers       2\n"
            "  heads        8 of size 16, on 2 key/value heads\n"
            "  embedding    128\n"
            "  context      256 tokens\n"
            "  vocabulary   50,304\n"
            "  activation   GELU (tanh)\n"
            "  biases       no\n"
            "  output head  tied to the embedding\n"
            "  parameters   1,234,567\n"
            "  weights      bf16, 2,469,134 bytes read\n"
            "  tokenizer    none: give prompts as --tokens, or a file with --tokenizer\n"
            "  device       CPU\n"
            "load report\n"
            "  family   nanoGPT\n"
            "  warning  half of it is zero\n");
}

TEST(InfoText, LeavesOutAnEmptyReport) {
  core::ModelInfo info = sample();
  info.report.clear();
  EXPECT_THAT(infoText(info), Not(HasSubstr("report")));
}

TEST(InfoJson, HasStableKeys) {
  const auto json = nlohmann::json::parse(infoJson(sample()));
  EXPECT_EQ(json, nlohmann::json::parse(R"({
    "schema": 1, "name": "x", "path": "/models/x/ckpt.pt", "family": "nanoGPT", "layers": 2, "heads": 8, "kv_heads": 2,
    "head_size": 16, "embedding": 128, "context": 256, "vocabulary": 50304, "norm_epsilon": 1e-5, "gelu": "tanh",
    "bias": false, "tied_head": true, "parameters": 1234567, "stored_type": "bf16", "bytes_read": 2469134,
    "tokenizer": null, "device": "CPU",
    "report": [{"topic": "family", "text": "nanoGPT"}, {"topic": "warning", "text": "half of it is zero"}]})"));
}

TEST(InfoJson, StaysJsonWhenAPathIsNotUtf8) {
  core::ModelInfo info = sample();
  info.path = "/models/\xFF\"\n/ckpt.pt";
  EXPECT_EQ(nlohmann::json::parse(infoJson(info))["path"], "/models/\uFFFD\"\n/ckpt.pt");
}

TEST(Grouped, PutsACommaBetweenThousands) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1000), "1,000");
  EXPECT_EQ(grouped(1234567), "1,234,567");
  EXPECT_EQ(grouped(-123), "-123");
  EXPECT_EQ(grouped(-1234), "-1,234");
}

}  // namespace
}  // namespace app
