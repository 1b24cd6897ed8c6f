// P6 to P18: broken programs, and those that ask for too much.
#include <gtest/gtest.h>

#include <algorithm>

#include "core/checkpoint/checkpoint.h"
#include "tests/core/checkpoint/model_builder.h"
#include "tests/core/checkpoint/read_pickle.h"
#include "tests/support/files.h"

namespace core::checkpoint::pickle {
namespace {

using namespace std::string_literals;
using support::expectError;
namespace op = support::pickle;

TEST(Pickle, P6_MemoNumberBeyondTheCapIsCorrupt) {
  refuse(ErrorKind::Corrupt, {"4,294,967,295"}, "\x80\x02Nr\xff\xff\xff\xff."s);
  refuse(ErrorKind::Corrupt, {"18,446,744,073,709,551,615"}, "Np18446744073709551615\n.");
}

TEST(Pickle, P7_BrokenStacksAndContainersAreCorrupt) {
  refuse(ErrorKind::Corrupt, {"memo number 5"}, "\x80\x02h\x05."s);
  refuse(ErrorKind::Corrupt, {"memo number 5"}, "g5\n.");
  refuse(ErrorKind::Corrupt, {"stack empty"}, "\x80\x02\x85."s);
  refuse(ErrorKind::Corrupt, {"stack empty"}, "0N.");
  refuse(ErrorKind::Corrupt, {"stack empty"}, "N(R.");
  refuse(ErrorKind::Corrupt, {"no MARK"}, "Nt.");
  refuse(ErrorKind::Corrupt, {"no MARK"}, "\x80\x02}NNu."s);
  refuse(ErrorKind::Corrupt, {"3 keys and values"}, "\x80\x02}(K\x01K\x02K\x03u."s);
  refuse(ErrorKind::Corrupt, {"1 keys and values"}, "(Nd.");
  refuse(ErrorKind::Corrupt, {"a list of 0 items"}, "\x80\x02]NNs."s);
  refuse(ErrorKind::Corrupt, {"a dict of 0 keys"}, "\x80\x02}Na."s);
  refuse(ErrorKind::Corrupt, {"a dict of 0 keys"}, "\x80\x02}(NNe."s);
  refuse(ErrorKind::Corrupt, {"None"}, "NN\x90."s.insert(1, "("));
  refuse(ErrorKind::Corrupt, {"2 values"}, "NN.");
  refuse(ErrorKind::Corrupt, {"0 values"}, ".");
  refuse(ErrorKind::Corrupt, {"a MARK that nothing took"}, "N(.");
  refuse(ErrorKind::Corrupt, {"no pickle operation", "0xff"}, "\xff.");
}

TEST(Pickle, P7_CallsOfAndWithTheWrongThingAreCorrupt) {
  refuse(ErrorKind::Corrupt, {"the number 1", "called"}, op::whole(op::integer(1) + ")R"));
  refuse(ErrorKind::Corrupt, {"arguments", "None"}, op::whole(op::global("a", "B") + "NR"));
  refuse(ErrorKind::Corrupt, {"not of two texts"}, "\x80\x04K\x01K\x02\x93."s);
  refuse(ErrorKind::Corrupt, {"not of two texts"}, op::whole(op::text("a") + op::integer(1) + "\x93"));
  refuse(ErrorKind::Corrupt, {"not of two texts"}, op::whole(op::integer(1) + op::text("a") + "\x93"));
  refuse(ErrorKind::Corrupt, {"given a state"}, op::whole("K\x01}b"));
  refuse(ErrorKind::Corrupt, {"keywords"}, op::whole(op::global("a", "B") + ")N\x92"));
  refuse(ErrorKind::Corrupt, {"no class"}, "(o.");
  refuse(ErrorKind::Corrupt, {"OrderedDict", "the number 1"},
         op::whole(op::reduce(op::global("collections", "OrderedDict"), {op::integer(1)})));
  for (const std::string& pair : {op::integer(1), op::tuple({op::integer(1)}),
                                  op::tuple({op::none(), op::none(), op::none()}), op::dict({{"a", op::none()}})}) {
    refuse(ErrorKind::Corrupt, {"OrderedDict", "for a pair"},
           op::whole(op::reduce(op::global("collections", "OrderedDict"), {op::list({pair})})));
  }
  refuse(ErrorKind::Corrupt, {"'\xe2\x82\xac'", "not Latin-1"},
         op::whole(op::reduce(op::global("_codecs", "encode"), {op::text("\xe2\x82\xac"), op::text("latin1")})));
}

TEST(Pickle, P7_BadNumbersInTextAreCorrupt) {
  refuse(ErrorKind::Corrupt, {"'12x'"}, "I12x\n.");
  refuse(ErrorKind::Corrupt, {"'99999999999999999999'"}, "I99999999999999999999\n.");
  refuse(ErrorKind::Corrupt, {"'abc'"}, "Fabc\n.");
  refuse(ErrorKind::Corrupt, {"'--3'"}, "L--3L\n.");
  for (const char* line : {"L\n.", "LL\n."}) refuse(ErrorKind::Corrupt, {"'' is not a whole number"}, line);
  refuse(ErrorKind::Corrupt, {"'x' is not a memo number"}, "Np0\ngx\n.");
  refuse(ErrorKind::Corrupt, {"'x' is not a memo number"}, "Npx\n.");
  for (const char* text : {"abc", "'abc", "abc'", "'abc\"", "aba", "'", ""})
    refuse(ErrorKind::Corrupt, {"'" + std::string(text) + "'", "quotes"}, "S" + std::string(text) + "\n.");
  refuse(ErrorKind::Corrupt, {"length -1"}, "T\xff\xff\xff\xff."s);
  refuse(ErrorKind::Corrupt, {"length -2"}, "\x8b\xfe\xff\xff\xff."s);
}

TEST(Pickle, P9_SharedReferenceBombStaysSmall) {
  std::string bytes = "\x80\x02]q\x00."s;
  bytes.pop_back();
  for (int i = 0; i < 30; ++i)
    bytes += "]q"s + static_cast<char>(i + 1) + "(h" + static_cast<char>(i) + "h" + static_cast<char>(i) + "e";
  // The lists are left on the stack one above the other; a tuple of them all closes the pickle.
  const Document document = read(bytes.insert(2, "(") + "t.");
  EXPECT_EQ(document.root().items.size(), 31u);
  EXPECT_LT(document.values().size(), 50u);
}

TEST(Pickle, ListsThatContainThemselvesAreRead) {
  const Document document = read("\x80\x02]q\0h\0a."s);
  EXPECT_EQ(document.root().items[0], &document.root());
}

TEST(Pickle, P10_DeepNestingIsTooLarge) {
  const std::string deep(100'000, ']');
  refuse(ErrorKind::TooLarge, {"nesting > 256"}, deep + std::string(99'999, 'a') + ".");
  refuse(ErrorKind::TooLarge, {"nesting > 256"}, ")" + std::string(100'000, '\x85') + ".");
  refuse(ErrorKind::TooLarge, {"nesting > 256"}, std::string(100'000, '(') + ".");
  std::string dicts;
  for (int i = 0; i < 100'000; ++i) dicts += "}N";
  refuse(ErrorKind::TooLarge, {"nesting > 256"}, dicts + "N" + std::string(100'000, 's') + ".");
}

TEST(Pickle, P12_LengthsBeyondTheRestAreTruncated) {
  for (const char* code : {"\x8d", "\x8e", "\x96"}) {
    refuse(ErrorKind::Truncated, {"9,223,372,036,854,775,807 bytes", "3 are left"},
           "\x80\x04"s + code + "\xff\xff\xff\xff\xff\xff\xff\x7f" + "ab.");
    refuse(ErrorKind::Truncated, {"18,446,744,073,709,551,615 bytes"},
           "\x80\x04"s + code + std::string(8, '\xff') + "ab.");
  }
  refuse(ErrorKind::Truncated, {"4,294,967,295 bytes"}, "X\xff\xff\xff\xff"s);
  refuse(ErrorKind::Truncated, {"2 bytes", "1 are left"}, "M\x01");
  refuse(ErrorKind::Truncated, {"line has no end"}, "cos");
}

TEST(Pickle, P13_InvalidUtf8InAKeyIsShownEscaped) {
  const support::TemporaryFolder folder;
  support::ModelBuilder model;
  model.tensor("transformer.wpe.weight").name = "transformer.wp\xff\xed\xa0\x80.weight";
  support::writeFile(folder / "ckpt.pt", model.build());
  expectError(ErrorKind::Mismatch, {"transformer.wp\\xff\\xed\\xa0\\x80.weight"},
              [&] { load(folder / "ckpt.pt", {}, Progress()); });
}

TEST(Pickle, P14_WrongFramesAreCorrupt) {
  refuse(ErrorKind::Corrupt, {"frame", "100 bytes", "2 are left"}, "\x80\x04\x95\x64\0\0\0\0\0\0\0N."s);
  refuse(ErrorKind::Corrupt, {"18,446,744,073,709,551,615"}, "\x80\x04\x95"s + std::string(8, '\xff') + "N.");
  refuse(ErrorKind::Corrupt, {"inside a frame"}, "\x80\x04\x95\x0b\0\0\0\0\0\0\0\x95\x02\0\0\0\0\0\0\0N."s);
  refuse(ErrorKind::Corrupt, {"crosses the end of its frame"}, "\x80\x04\x95\x02\0\0\0\0\0\0\0M\x01\x02."s);
}

TEST(Pickle, P15_MissingStopIsTruncated) {
  refuse(ErrorKind::Truncated, {"STOP"}, "\x80\x02N");
  refuse(ErrorKind::Truncated, {"STOP"}, "");
}

TEST(Pickle, P15_BytesAfterStopAreCountedAndWarnedOf) {
  EXPECT_EQ(read("N.junk").trailingBytes(), 4u);
  const support::TemporaryFolder folder;
  const support::ModelBuilder model;
  support::ZipBuilder zip = model.archive();
  zip.remove("ckpt/data.pkl");
  zip.add("ckpt/data.pkl", model.pickleBytes() + op::whole(op::none()));  // two pickles in a row
  support::writeFile(folder / "ckpt.pt", zip.build());
  const Checkpoint checkpoint = load(folder / "ckpt.pt", {}, Progress());
  const auto& report = checkpoint.info.report;
  EXPECT_TRUE(std::any_of(report.begin(), report.end(), [](const ReportLine& line) {
    return line.topic == ReportLine::Topic::Warning && line.text.find("4 bytes") != std::string::npos;
  }));
}

TEST(Pickle, P16_OperationBudgetEndsFloods) {
  std::string flood;
  flood.reserve(64u << 20);
  while (flood.size() < (64u << 20)) flood += "N0";
  refuse(ErrorKind::TooLarge, {"4,000,000 operations"}, flood + "N.");
  refuse(ErrorKind::TooLarge, {"1,000,000 values"}, std::string(8u << 20, ']') + ".");
  refuse(ErrorKind::TooLarge, {"4,000,000 operations"}, std::string(8u << 20, 'N'));
}

TEST(PickleSafety, P16_PickleBeyondTheSizeLimitIsTooLarge) {
  const support::TemporaryFolder folder;
  support::ZipBuilder zip;
  zip.add("m/data.pkl", std::string((32u << 20) + 1, 'N'));
  support::writeFile(folder / "m.pt", zip.build());
  expectError(ErrorKind::TooLarge, {"'m/data.pkl'", "33,554,433", "33,554,432"},
              [&] { load(folder / "m.pt", {}, Progress()); });
}

TEST(Pickle, P18_NewerProtocolsAndOutOfBandBuffersAreUnsupported) {
  refuse(ErrorKind::Unsupported, {"protocol 6", "0 to 5"}, "\x80\x06N.");
  refuse(ErrorKind::Unsupported, {"protocol 255"}, "\x80\xffN.");
  refuse(ErrorKind::Unsupported, {"buffers outside"}, "\x80\x05\x97.");
  refuse(ErrorKind::Unsupported, {"buffers outside"}, "\x80\x05N\x98.");
  refuse(ErrorKind::Unsupported, {"extension registry"}, "\x80\x02\x82\x01.");
}

}  // namespace
}  // namespace core::checkpoint::pickle
