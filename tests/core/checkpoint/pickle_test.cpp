// What is read, of every protocol.
#include <gtest/gtest.h>

#include "tests/core/checkpoint/pickle_builder.h"
#include "tests/core/checkpoint/read_pickle.h"

namespace core::checkpoint::pickle {
namespace {

using namespace std::string_literals;
namespace op = support::pickle;

TEST(Pickle, Protocol2Values) {
  const Document document =
      read(op::whole(op::list({op::none(), op::boolean(true), op::integer(-7), op::integer(std::int64_t{1} << 40),
                               op::real(0.25), op::text("h\xc3\xa9"), op::tuple({op::integer(1), op::integer(2)})})));
  const auto& items = document.root().items;
  ASSERT_EQ(items.size(), 7u);
  EXPECT_EQ(items[0]->kind, Kind::None);
  EXPECT_EQ(items[1]->integer, 1);
  EXPECT_EQ(items[2]->integer, -7);
  EXPECT_EQ(items[3]->integer, std::int64_t{1} << 40);
  EXPECT_EQ(items[4]->number, 0.25);
  EXPECT_EQ(items[5]->text, "h\xc3\xa9");
  EXPECT_EQ(items[6]->items[1]->integer, 2);
}

TEST(Pickle, Protocol0TextForms) {
  // pickle.dumps({'a': 1, 'b': (True, 2.5, None), u'\xe9\u20ac': [10**20, 3]}, 0) of Python 2, by hand
  const Document document = read(
      "(dp0\nS'a'\np1\nI1\nsS'b'\np2\n(I01\nF2.5\nNtp3\nsV\xe9\\u20ac\np4\n(lp5\nL100000000000000000000L\naL3L\nasS'"
      "x\\x41\\n'\ng1\ns.");
  const Value& root = document.root();
  EXPECT_EQ(find(root, "a")->integer, 1);
  EXPECT_EQ(find(root, "b")->items[0]->kind, Kind::Bool);
  EXPECT_EQ(find(root, "b")->items[1]->number, 2.5);
  const Value* list = find(root, "\xc3\xa9\xe2\x82\xac");
  ASSERT_NE(list, nullptr);
  EXPECT_EQ(list->items[0]->kind, Kind::BigInt);
  EXPECT_EQ(list->items[1]->integer, 3);
  EXPECT_EQ(find(root, "xA\n")->text, "a");
}

TEST(Pickle, Protocol1And3And4And5Forms) {
  EXPECT_EQ(read("]q\0(U\x02hiK\x05M\x00\x01"
                 "e."s)
                .root()
                .items[2]
                ->integer,
            256);
  EXPECT_EQ(read("\x80\x03"
                 "C\x02\xff\x00."s)
                .root()
                .text,
            "\xff\x00"s);
  const Document four = read(
      "\x80\x04\x95\x10\0\0\0\0\0\0\0\x8f\x94(K\x01K\x02\x90\x8c\x02hi\x94"
      "0h\0"
      "0."s);
  EXPECT_EQ(four.root().items.size(), 2u);
  EXPECT_EQ(read("\x80\x05\x96\x03\0\0\0\0\0\0\0abc."s).root().text, "abc");
}

TEST(Pickle, LongsOfEveryLength) {
  EXPECT_EQ(read("\x8a\0."s).root().integer, 0);
  EXPECT_EQ(read("\x8a\x01\xff."s).root().integer, -1);
  EXPECT_EQ(read("\x8a\x02\xff\x00."s).root().integer, 255);
  EXPECT_EQ(read("\x8a\x08\0\0\0\0\0\0\0\x80."s).root().integer, INT64_MIN);
  EXPECT_EQ(read("\x8a\x09\0\0\0\0\0\0\0\x80\0."s).root().kind, Kind::BigInt);
}

TEST(Pickle, OrderedDictIsADictAndItsAttributesAreLeftOut) {
  const Document document = read(op::whole(op::orderedDict({{"w", op::integer(3)}})));
  ASSERT_EQ(document.root().kind, Kind::Dict);
  EXPECT_EQ(find(document.root(), "w")->integer, 3);
  EXPECT_EQ(find(document.root(), "_metadata"), nullptr);
}

TEST(Pickle, Python2OrderedDictHasItsPairsAsArgument) {
  const Document document = read(op::whole(
      op::reduce(op::global("collections", "OrderedDict"), {op::list({op::list({op::text("w"), op::integer(3)})})})));
  EXPECT_EQ(find(document.root(), "w")->integer, 3);
}

TEST(Pickle, BytesOfProtocol2AreBytes) {
  const Document document =
      read(op::whole(op::reduce(op::global("_codecs", "encode"), {op::text("a\xc3\xbf"), op::text("latin1")})));
  EXPECT_EQ(document.root().kind, Kind::Bytes);
  EXPECT_EQ(document.root().text, "a\xff");
}

TEST(Pickle, OtherCallsOfTheSameFunctionsStayOpaque) {
  const auto kindOf = [](const std::string& name, const std::vector<std::string>& arguments) {
    const bool isDict = name == "OrderedDict";
    const std::string function = op::global(isDict ? "collections" : "_codecs", name);
    return read(op::whole(op::reduce(function, arguments))).root().kind;
  };
  const std::string bytes = "U\x06latin1";  // a text of protocol 1
  EXPECT_EQ(kindOf("encode", {op::text("a"), bytes}), Kind::Bytes);
  EXPECT_EQ(kindOf("OrderedDict", {op::integer(1), op::integer(2)}), Kind::Object);
  EXPECT_EQ(kindOf("encode", {op::text("a")}), Kind::Object);
  EXPECT_EQ(kindOf("encode", {op::text("a"), bytes, op::none()}), Kind::Object);
  EXPECT_EQ(kindOf("encode", {op::text("a"), op::text("utf-8")}), Kind::Object);
  EXPECT_EQ(kindOf("encode", {"C\x01"
                              "a",
                              bytes}),
            Kind::Object);
  EXPECT_EQ(kindOf("encode", {op::text("a"), "C\x06latin1"}), Kind::Object);
}

TEST(Pickle, EscapesThatAreNoneStayAsTheyAre) {
  for (const std::string text : {"\\x4", "\\x4Z", "\\xZZ", "\\q41", "abc\\"})
    EXPECT_EQ(read("S'" + text + "'\n.").root().text, text);
  for (const std::string text : {"\\u12", "\\u12G4", "\\U00110000", "\\x41", "\\"})
    EXPECT_EQ(read("V" + text + "\n.").root().text, text);
  EXPECT_EQ(read("V\\U0010ffff\n.").root().text, "\xf4\x8f\xbf\xbf");
}

TEST(Pickle, TheLastOfTwoEqualKeysCounts) {
  EXPECT_EQ(find(read(op::whole(op::dict({{"a", op::integer(1)}, {"a", op::integer(2)}}))).root(), "a")->integer, 2);
}

}  // namespace
}  // namespace core::checkpoint::pickle
