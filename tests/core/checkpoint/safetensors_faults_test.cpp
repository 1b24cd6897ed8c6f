// S1 to S10, B13, B14: one fault at a time in a safetensors file that is otherwise right.
#include <functional>
#include <ostream>

#include "tests/core/checkpoint/safetensors_fixture.h"

namespace core::checkpoint {
namespace {

using namespace std::string_literals;
using support::floats;
using support::SafetensorsBuilder;
using support::SafetensorsEntry;

/// A file of two tensors, (2, 3) and (4); a tensor without name is left out.
struct Parts {
  SafetensorsBuilder file;
  SafetensorsEntry a{"a.weight", "F32", {2, 3}, floats(6), {}, {}};
  SafetensorsEntry b{"b.weight", "F32", {4}, floats(4), {}, {}};

  std::string build() const {
    SafetensorsBuilder whole = file;
    for (const SafetensorsEntry& entry : {a, b}) {
      if (!entry.name.empty()) whole.add(entry.name, {}, "") = entry;
    }
    return whole.build();
  }
};

/// One way to break it.
struct Fault {
  std::string name;
  std::function<void(Parts& file)> breakIt;
  ErrorKind kind;
  std::vector<std::string> parts;
};

void PrintTo(const Fault& fault, std::ostream* out) { *out << fault.name; }

class BrokenSafetensors : public Safetensors, public testing::WithParamInterface<Fault> {};

TEST_P(BrokenSafetensors, IsRefused) {
  Parts parts;
  EXPECT_EQ(open(parts.build()).entries().size(), 2u);
  GetParam().breakIt(parts);
  refuse(GetParam().kind, GetParam().parts, parts.build());
}

INSTANTIATE_TEST_SUITE_P(
    Rows, BrokenSafetensors,
    testing::Values(
        Fault{"S1_headerBeyondTheFile",
              [](Parts& p) { p.file.claimedLength = 1'000; },
              kTruncated,
              {"1,008", "file has"}},
        Fault{"S1_headerOfNothing", [](Parts& p) { p.file.claimedLength = 0; }, kCorrupt, {"0 bytes"}},
        Fault{"S1_headerAboveTheLimit",
              [](Parts& p) { p.file.claimedLength = 100'000'001; },
              kTooLarge,
              {"100,000,001", "100,000,000"}},
        Fault{"S1_B13_headerOf126Megabytes",
              [](Parts& p) { p.file.claimedLength = 126'000'000; },
              kTooLarge,
              {"126,000,000", "100,000,000"}},
        Fault{"S1_headerOfAllBytes",
              [](Parts& p) { p.file.claimedLength = ~std::uint64_t{0}; },
              kTooLarge,
              {"18,446,744,073,709,551,615"}},
        Fault{"S2_notUtf8",
              [](Parts& p) { p.file.headerText = "{\"\xff\":1}"; },
              kCorrupt,
              {"header", "byte 2", "UTF-8"}},
        Fault{"S2_notJson", [](Parts& p) { p.file.headerText = "{weights}"; }, kCorrupt, {"header", "byte 1"}},
        Fault{"S1_headerOfAllBytesAndNoBrace",
              [](Parts& p) {
                p.file.headerText = "[]";
                p.file.claimedLength = ~std::uint64_t{0};
              },
              kTooLarge,
              {"18,446,744,073,709,551,615"}},
        Fault{"S2_notAnObject", [](Parts& p) { p.file.headerText = "[1, 2]"; }, kCorrupt, {"'['", "byte 8"}},
        Fault{"S2_leadingWhiteSpace",
              [](Parts& p) { p.file.headerText = " " + SafetensorsBuilder().header(); },
              kCorrupt,
              {"' '", "byte 8"}},
        Fault{"S2_byteOrderMark", [](Parts& p) { p.file.headerText = "\xef\xbb\xbf{}"; }, kCorrupt, {"byte 8"}},
        Fault{"S2_notANumber",
              [](Parts& p) { p.a.text = R"({"dtype":"F32","shape":[NaN],"data_offsets":[0,24]})"; },
              kCorrupt,
              {"header", "byte "}},
        Fault{"S2_hugeNumber",
              [](Parts& p) { p.a.text = R"({"dtype":"F32","shape":[1e999],"data_offsets":[0,24]})"; },
              kCorrupt,
              {"header", "1e999"}},
        Fault{"S2_trailingBytes", [](Parts& p) { p.file.headerText = "{}  x"; }, kCorrupt, {"header", "byte 4"}},
        Fault{"S2_trailingNul", [](Parts& p) { p.file.headerText = "{}\0\0"s; }, kCorrupt, {"header", "byte 2"}},
        Fault{"S2_cutInTheMiddle", [](Parts& p) { p.file.claimedLength = 20; }, kCorrupt, {"header"}},
        Fault{"duplicateTensor", [](Parts& p) { p.b.name = "a.weight"; }, kCorrupt, {"'a.weight'", "twice"}},
        Fault{"duplicateKeyInATensor",
              [](Parts& p) { p.a.text = R"({"dtype":"F32","dtype":"F16","shape":[6],"data_offsets":[0,24]})"; },
              kCorrupt,
              {"'dtype'", "twice"}},
        Fault{"S5_overlap",
              [](Parts& p) {
                p.b.offsets = {20, 36};
              },
              kCorrupt,
              {"'b.weight'", "'a.weight'", "byte 20", "byte 24"}},
        Fault{"S5_same",
              [](Parts& p) {
                p.b.offsets = {0, 16};
              },
              kCorrupt,
              {"'a.weight'", "'b.weight'"}},
        Fault{"S5_reversed",
              [](Parts& p) {
                p.b.offsets = {40, 24};
              },
              kCorrupt,
              {"'b.weight'", "24", "40"}},
        Fault{"S5_negative",
              [](Parts& p) {
                p.b.offsets = {-16, 0};
              },
              kCorrupt,
              {"'b.weight'", "-16", "'data_offsets'"}},
        Fault{"S5_fractional",
              [](Parts& p) { p.b.text = R"({"dtype":"F32","shape":[4],"data_offsets":[24.0,40]})"; },
              kCorrupt,
              {"'b.weight'", "fractional"}},
        Fault{"S5_text",
              [](Parts& p) { p.b.text = R"({"dtype":"F32","shape":[4],"data_offsets":["24",40]})"; },
              kCorrupt,
              {"'b.weight'", "string"}},
        Fault{"S5_three",
              [](Parts& p) { p.b.text = R"({"dtype":"F32","shape":[4],"data_offsets":[24,40,40]})"; },
              kCorrupt,
              {"'b.weight'", "pair"}},
        Fault{"S5_pairIsAnObject",
              [](Parts& p) { p.b.text = R"({"dtype":"F32","shape":[4],"data_offsets":{"a":24,"b":40}})"; },
              kCorrupt,
              {"'b.weight'", "pair"}},
        Fault{"S5_none",
              [](Parts& p) { p.b.text = R"({"dtype":"F32","shape":[4]})"; },
              kCorrupt,
              {"'b.weight'", "has no 'data_offsets'"}},
        Fault{"S5_noShape",
              [](Parts& p) { p.b.text = R"({"dtype":"F32","data_offsets":[24,40]})"; },
              kCorrupt,
              {"'b.weight'", "has no 'shape'"}},
        Fault{"S8_noType",
              [](Parts& p) { p.b.text = R"({"shape":[4],"data_offsets":[24,40]})"; },
              kCorrupt,
              {"'b.weight'", "has no 'dtype'"}},
        Fault{"S5_above2To53",
              [](Parts& p) {
                p.b.offsets = {24, (std::int64_t{1} << 53) + 24};
              },
              kCorrupt,
              {"'b.weight'", "9,007,199,254,741,016"}},
        Fault{"S5_2To64",
              [](Parts& p) { p.b.text = R"({"dtype":"F32","shape":[4],"data_offsets":[24,18446744073709551616]})"; },
              kCorrupt,
              {"'b.weight'"}},
        Fault{"S5_shapeNegative", [](Parts& p) { p.b.shape = {-4}; }, kCorrupt, {"'b.weight'", "-4", "'shape'"}},
        Fault{"S5_shapeFractional",
              [](Parts& p) { p.b.text = R"({"dtype":"F32","shape":[4.5],"data_offsets":[24,40]})"; },
              kCorrupt,
              {"'b.weight'", "fractional", "'shape'"}},
        Fault{"S5_shapeNoList",
              [](Parts& p) { p.b.text = R"({"dtype":"F32","shape":4,"data_offsets":[24,40]})"; },
              kCorrupt,
              {"'b.weight'", "number", "'shape'"}},
        Fault{"S5_shapeOfOtherSize",
              [](Parts& p) { p.b.shape = {5}; },
              kCorrupt,
              {"'b.weight'", "(5)", "20 bytes", "16 bytes"}},
        Fault{"S5_shapeThatWraps",
              [](Parts& p) {
                p.b.shape = {std::int64_t{1} << 40, std::int64_t{1} << 40};
              },
              kCorrupt,
              {"'b.weight'", "1099511627776"}},
        Fault{"S5_shapeWhoseBitsWrap",
              [](Parts& p) {
                p.b.shape = {std::int64_t{1} << 51, std::int64_t{1} << 12};
              },
              kCorrupt,
              {"'b.weight'"}},
        Fault{"S5_shapeWhoseBitsWrapToNone",
              [](Parts& p) {
                p.b.shape = {std::int64_t{1} << 51, std::int64_t{1} << 12};
                p.b.bytes.clear();
              },
              kCorrupt,
              {"'b.weight'", "more bytes than there are numbers"}},
        Fault{"S5_shapeThatWrapsToNone",
              [](Parts& p) {
                p.b.shape = {std::int64_t{1} << 32, std::int64_t{1} << 32};
                p.b.bytes.clear();
              },
              kCorrupt,
              {"'b.weight'", "more bytes than there are numbers"}},
        Fault{"S5_tooManyDimensions",
              [](Parts& p) { p.b.shape = std::vector<std::int64_t>(65, 1); },
              kCorrupt,
              {"'b.weight'", "65 dimensions"}},
        Fault{"S5_notAnObject", [](Parts& p) { p.b.text = "[1]"; }, kCorrupt, {"'b.weight'", "array"}},
        Fault{"S6_hole",
              [](Parts& p) {
                p.b.offsets = {28, 44};
              },
              kCorrupt,
              {"'b.weight'", "'a.weight'", "4 bytes"}},
        Fault{"S6_holeAtTheBegin",
              [](Parts& p) {
                p.a.name = "";
                p.b.offsets = {8, 24};
              },
              kCorrupt,
              {"'b.weight'", "the header", "8 bytes"}},
        Fault{"S6_bytesAfterTheLast", [](Parts& p) { p.file.afterwards = "xy"; }, kCorrupt, {"2 bytes", "last tensor"}},
        Fault{"S6_B14_lastBeyondTheEnd",
              [](Parts& p) {
                p.b.bytes.resize(10);
                p.b.offsets = {24, 40};
              },
              kTruncated,
              {"expected 176 bytes", "has 170"}},
        Fault{"S8_unknownType", [](Parts& p) { p.b.dtype = "Q4_K"; }, kUnsupported, {"'b.weight'", "'Q4_K'"}},
        Fault{"S8_typeNoText",
              [](Parts& p) { p.b.text = R"({"dtype":32,"shape":[4],"data_offsets":[24,40]})"; },
              kCorrupt,
              {"'b.weight'", "'dtype'", "number"}},
        Fault{"S8_packedHalfByte",
              [](Parts& p) {
                p.b.dtype = "F4";
                p.b.shape = {31};
                p.b.bytes.resize(15);
              },
              kCorrupt,
              {"'b.weight'", "F4", "no whole number"}},
        Fault{
            "S10_metadataOfNumbers", [](Parts& p) { p.file.metadata = R"({"step":1})"; }, kCorrupt, {"'__metadata__'"}},
        Fault{"S10_metadataNoObject", [](Parts& p) { p.file.metadata = R"("pt")"; }, kCorrupt, {"'__metadata__'"}},
        Fault{"S10_metadataNested",
              [](Parts& p) { p.file.metadata = R"({"a":{"b":"c"}})"; },
              kCorrupt,
              {"'__metadata__'"}}),
    [](const auto& instance) { return instance.param.name; });

}  // namespace
}  // namespace core::checkpoint
