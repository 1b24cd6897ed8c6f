#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/checkpoint/checkpoint.h"
#include "core/checkpoint/meta_pickle.h"
#include "tests/core/checkpoint/expect_error.h"
#include "tests/core/checkpoint/model_builder.h"
#include "tests/support/files.h"

namespace core::checkpoint {
namespace {

namespace fs = std::filesystem;
namespace op = support::pickle;
using support::ModelBuilder;
using Topic = ReportLine::Topic;

/// A meta.pkl as nanoGPT's prepare.py writes it: {'vocab_size': n, 'itos': {0: 'a' ...}, 'stoi': {...}}.
std::string metaOf(const std::vector<std::string>& characters) {
  std::string itos = "}(";
  for (std::size_t i = 0; i < characters.size(); ++i)
    itos += op::integer(static_cast<std::int64_t>(i)) + op::text(characters[i]);
  return op::whole(
      op::dict({{"vocab_size", op::integer(static_cast<std::int64_t>(characters.size()))}, {"itos", itos + "u"}}));
}

const std::vector<std::string> kFive = {"\n", "a", "b", "\xc3\xa9", "z"};

class NanogptTokenizer : public testing::Test {
 protected:
  NanogptTokenizer() {
    fs::create_directories(m_folder / "nanoGPT/out-tiny");
    m_model.more = {{"config", op::dict({{"dataset", op::text("tiny")}})}};
  }
  fs::path checkpointPath() const { return m_folder / "nanoGPT/out-tiny/ckpt.pt"; }
  Checkpoint open(const LoadOptions& options = {}) {
    support::writeFile(checkpointPath(), m_model.build());
    return load(checkpointPath(), options, Progress());
  }
  void writeMeta(const std::string& relative, const std::string& bytes) {
    fs::create_directories((m_folder / relative).parent_path());
    support::writeFile(m_folder / relative, bytes);
  }
  static std::vector<std::string> warnings(const Checkpoint& checkpoint) {
    std::vector<std::string> texts;
    for (const ReportLine& line : checkpoint.info.report) {
      if (line.topic == Topic::Warning) texts.push_back(line.text);
    }
    return texts;
  }

  support::TemporaryFolder m_folder;
  ModelBuilder m_model;
};

TEST_F(NanogptTokenizer, MetaPickleBesideTheCheckpoint) {
  writeMeta("nanoGPT/out-tiny/meta.pkl", metaOf(kFive));
  const Checkpoint checkpoint = open();
  ASSERT_NE(checkpoint.tokenizer, nullptr);
  EXPECT_EQ(checkpoint.tokenizer->encode("b\xc3\xa9\n").ids, (std::vector<TokenId>{2, 3, 0}));
  EXPECT_EQ(checkpoint.info.tokenizer, "5 characters (meta.pkl)");
  EXPECT_THAT(warnings(checkpoint), testing::IsEmpty());
}

TEST_F(NanogptTokenizer, MetaPickleInTheDatasetsFolderAsTrainingHadIt) {
  writeMeta("nanoGPT/data/tiny/meta.pkl", metaOf(kFive));
  EXPECT_EQ(open().tokenizer->size(), 5);
  fs::remove(m_folder / "nanoGPT/data/tiny/meta.pkl");
  writeMeta("nanoGPT/out-tiny/data/tiny/meta.pkl", metaOf(kFive));
  EXPECT_EQ(open().tokenizer->size(), 5);
}

TEST_F(NanogptTokenizer, DatasetNamesThatLeadElsewhereAreNotFollowed) {
  writeMeta("elsewhere/meta.pkl", metaOf(kFive));
  fs::create_directories(m_folder / "nanoGPT/data");
  support::writeFile(m_folder / "nanoGPT/data/x", "what is before the NUL of a name");
  for (const std::string& dataset :
       {std::string("../../elsewhere"), (m_folder / "elsewhere").string(), std::string("x\0y", 3)}) {
    EXPECT_EQ(findMetaPickle(checkpointPath(), dataset), std::nullopt) << dataset;
  }
}

TEST_F(NanogptTokenizer, ChosenByHandComesFirst) {
  writeMeta("nanoGPT/out-tiny/meta.pkl", metaOf(kFive));
  writeMeta("mine/meta.pkl", metaOf({"1", "2", "3", "4", "5"}));
  EXPECT_EQ(open({.tokenizer = m_folder / "mine/meta.pkl"}).tokenizer->bytes(0), "1");
}

TEST_F(NanogptTokenizer, ChosenByHandAndWrongIsAnError) {
  writeMeta("mine/meta.pkl", op::whole(op::dict({{"vocab_size", op::integer(5)}})));
  support::expectError(ErrorKind::NotAModel, {(m_folder / "mine/meta.pkl").string(), "no tokenizer"},
                       [&] { open({.tokenizer = m_folder / "mine/meta.pkl"}); });
  support::expectError(ErrorKind::NotFound, {"absent.pkl"}, [&] { open({.tokenizer = m_folder / "absent.pkl"}); });
}

TEST_F(NanogptTokenizer, T3_B2_SizeThatDiffersFromTheVocabularyWarnsWithBothNumbers) {
  writeMeta("nanoGPT/out-tiny/meta.pkl", metaOf({"a", "b", "c"}));
  EXPECT_THAT(warnings(open()), testing::ElementsAre(testing::AllOf(testing::HasSubstr("covers 3 ids"),
                                                                    testing::HasSubstr("model has 5"))));
  writeMeta("nanoGPT/out-tiny/meta.pkl", metaOf({"a", "b", "c", "d", "e", "f", "g"}));
  EXPECT_THAT(warnings(open()), testing::ElementsAre(testing::AllOf(testing::HasSubstr("covers 7 ids"),
                                                                    testing::HasSubstr("model has 5"))));
}

TEST_F(NanogptTokenizer, T4_WithoutTokenizerTheModelOpensWithAWarning) {
  const Checkpoint checkpoint = open();
  EXPECT_EQ(checkpoint.tokenizer, nullptr);
  EXPECT_EQ(checkpoint.info.tokenizer, "");
  EXPECT_THAT(warnings(checkpoint),
              testing::ElementsAre(testing::AllOf(testing::HasSubstr("No tokenizer"), testing::HasSubstr("data/tiny"),
                                                  testing::HasSubstr("token ids"))));
}

TEST_F(NanogptTokenizer, P13_InvalidUtf8InTheDatasetsNameIsShownEscaped) {
  m_model.more = {{"config", op::dict({{"dataset", op::text("t\x1b[31m\x7f\xc2\x85\xc2\xa0\xff")}})}};
  EXPECT_THAT(warnings(open()),
              testing::ElementsAre(testing::HasSubstr("'data/t\\x1b[31m\\x7f\\xc2\\x85\xc2\xa0\\xff'")));
}

TEST_F(NanogptTokenizer, DatasetThatIsNoTextIsNotNamed) {
  m_model.more = {{"config", op::dict({{"dataset", op::global("tiny", "Dataset")}})}};
  EXPECT_THAT(warnings(open()), testing::ElementsAre(testing::Not(testing::HasSubstr("data"))));
}

TEST_F(NanogptTokenizer, VocabularyOfGpt2WithoutMetaPickleTakesItsBpe) {
  for (const std::int64_t vocabulary : {50257, 50304}) {
    support::BuiltTensor& embedding = m_model.tensor("transformer.wte.weight");
    embedding.shape = {vocabulary, 4};
    embedding.bytes = support::floats(static_cast<std::size_t>(vocabulary) * 4);
    m_model.tensor("lm_head.weight").shape = embedding.shape;
    m_model.tensor("lm_head.weight").bytes = embedding.bytes;
    m_model.setArgument("vocab_size", op::integer(vocabulary));
    const Checkpoint checkpoint = open();
    ASSERT_NE(checkpoint.tokenizer, nullptr);
    EXPECT_EQ(checkpoint.tokenizer->size(), 50257);
    EXPECT_EQ(checkpoint.tokenizer->encode("Hello world").ids, (std::vector<TokenId>{15496, 995}));
    EXPECT_THAT(warnings(checkpoint), testing::IsEmpty()) << "padding above 50,257 is usual";
    EXPECT_EQ(checkpoint.info.config.vocabulary, vocabulary);
  }
}

TEST_F(NanogptTokenizer, BrokenMetaPickleBesideTheModelIsAWarningNotARefusal) {
  for (const std::string& bytes : {std::string("junk"), metaOf({"a", "a", "b", "c", "d"}), metaOf({"a", ""}),
                                   op::whole(op::global("os", "system"))}) {
    writeMeta("nanoGPT/out-tiny/meta.pkl", bytes);
    const Checkpoint checkpoint = open();
    EXPECT_EQ(checkpoint.tokenizer, nullptr);
    EXPECT_THAT(warnings(checkpoint), testing::ElementsAre(testing::HasSubstr("out-tiny/meta.pkl")));
  }
}

TEST_F(NanogptTokenizer, MetaPicklesThatAreNoCharacterTablesAreRefused) {
  const fs::path path = m_folder / "meta.pkl";
  const auto refuse = [&](ErrorKind kind, std::vector<std::string> parts, const std::string& bytes) {
    support::writeFile(path, bytes);
    parts.push_back(path.string());
    support::expectError(kind, parts, [&] { readMetaPickle(path); });
  };
  refuse(ErrorKind::Corrupt, {"'a'", "twice"}, metaOf({"a", "b", "a"}));
  refuse(ErrorKind::Corrupt, {"id 1"}, metaOf({"a", ""}));
  refuse(ErrorKind::Unsupported, {"'the'", "id 1", "words"}, metaOf({"a", "the"}));
  const auto itos = [](const std::string& pairs) { return op::whole(op::dict({{"itos", "}(" + pairs + "u"}})); };
  refuse(ErrorKind::Corrupt, {"the number 7"}, itos(op::integer(0) + op::text("a") + op::integer(7) + op::text("b")));
  refuse(ErrorKind::Corrupt, {"the number -1"}, itos(op::integer(-1) + op::text("a")));
  refuse(ErrorKind::Corrupt, {"id 1"}, itos(op::integer(0) + op::text("a") + op::integer(0) + op::text("b")));
  refuse(ErrorKind::Corrupt, {"the number 5"}, itos(op::integer(0) + op::integer(5)));
  refuse(ErrorKind::Corrupt, {"None", "as an id"}, itos(op::none() + op::text("a")));
  refuse(ErrorKind::Corrupt, {"True", "as an id"},
         itos(op::integer(0) + op::text("a") + op::boolean(true) + op::text("b")));
  refuse(ErrorKind::Corrupt, {"1 byte for the id 0"}, itos(op::integer(0) + std::string("C\x01") + "a"));
  refuse(ErrorKind::NotAModel, {"without a list of characters"}, op::whole(op::dict({{"itos", op::text("abc")}})));
  refuse(ErrorKind::NotAModel, {"a list"}, op::whole(op::list({})));
  refuse(ErrorKind::Unsafe, {"'os.system'"}, op::whole(op::reduce(op::global("os", "system"), {op::text("x")})));
  refuse(ErrorKind::TooLarge, {"8,388,609", "the limit for a meta.pkl is 8,388,608"}, std::string((8u << 20) + 1, 'N'));
}

}  // namespace
}  // namespace core::checkpoint
