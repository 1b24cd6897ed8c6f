#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <utility>

#include "core/checkpoint/checkpoint.h"
#include "core/verify.h"
#include "tests/core/checkpoint/expect_error.h"
#include "tests/core/checkpoint/model_builder.h"
#include "tests/core/checkpoint/zip_builder.h"
#include "tests/support/files.h"

namespace core::checkpoint {
namespace {

namespace op = support::pickle;
using support::expectError;
using support::ModelBuilder;
using support::ZipBuilder;
using support::ZipFields;
using support::ZipMember;

class TorchArchive : public testing::Test {
 protected:
  std::filesystem::path path() const { return m_folder / "ckpt.pt"; }
  Checkpoint open(const std::string& bytes) {
    support::writeFile(path(), bytes);
    return load(path(), {}, Progress());
  }
  /// The refusal names the file and `parts`.
  void refuse(ErrorKind kind, std::vector<std::string> parts, const std::string& bytes) {
    parts.push_back(path().string());
    expectError(kind, parts, [&] { open(bytes); });
  }

  support::TemporaryFolder m_folder;
  ZipBuilder m_zip = ModelBuilder().archive();
};

TEST_F(TorchArchive, OpensWhatTorchSaveWrites) { EXPECT_EQ(open(m_zip.build()).tensors.size(), 10u); }

TEST_F(TorchArchive, OpensWithoutZip64Records) {
  m_zip.zip64End = false;
  EXPECT_EQ(open(m_zip.build()).tensors.size(), 10u);
}

TEST_F(TorchArchive, OpensWithSizesInTheLocalHeaders) {
  for (const char* name : {"ckpt/data.pkl", "ckpt/data/0"}) {
    m_zip.member(name).local.flags = m_zip.member(name).central.flags = 0;
  }
  EXPECT_EQ(open(m_zip.build()).tensors.size(), 10u);
}

TEST_F(TorchArchive, Z1_CutFileIsTruncatedWithBothNumbers) {
  ModelBuilder model;
  model.tensor("transformer.wpe.weight").bytes.resize(400'000, 'x');
  const std::string whole = model.build();
  for (const std::size_t percent : {25u, 50u, 99u}) {
    const std::string cut = whole.substr(0, whole.size() * percent / 100);
    std::string length = std::to_string(cut.size());
    length.insert(length.size() - 3, ",");
    // 400,000 bytes of wpe and 4 x (20 + 4 + 48 + 16 + 4 + 64 + 64 + 4) of the others
    refuse(ErrorKind::Truncated, {"cut short", length, percent < 99 ? "400,896" : "cut short", "Download"}, cut);
  }
}

TEST_F(TorchArchive, Z1_FileCutWithinItsPickleIsTruncated) {
  refuse(ErrorKind::Truncated, {"cut short", "200 bytes"}, m_zip.build().substr(0, 200));
}

TEST_F(TorchArchive, Z1_FileCutWithinItsFirstHeaderIsTruncated) {
  for (const std::size_t size : {20u, 30u, 35u, 43u})  // 30 of the header, 13 of the name
    refuse(ErrorKind::Truncated, {"list of contents", std::to_string(size) + " bytes"}, m_zip.build().substr(0, size));
}

// What the pickle of a cut file says is counted as far as it is of the form that torch writes.
TEST_F(TorchArchive, Z1_CutFileIsMeasuredByItsStoragesAlone) {
  const auto storage = [](const std::string& type, const std::string& key, std::int64_t elements) {
    return op::tuple({op::text("storage"), op::global("torch", type), key, op::text("cpu"), op::integer(elements)}) +
           "Q";
  };
  const std::vector<std::string> right = {storage("FloatStorage", op::text("0"), 100'000),
                                          storage("HalfStorage", op::text("1"), 100'000)};
  for (const std::string& odd :
       {op::tuple({op::text("storage"), op::global("torch", "FloatStorage")}) + "Q", op::integer(7) + "Q",
        storage("NewStorage", op::text("2"), 100'000), storage("FloatStorage", op::integer(2), 100'000),
        storage("ByteStorage", op::text("2"), -1)}) {
    ZipBuilder zip;
    zip.add("m/data.pkl", op::whole(op::list({right[0], odd, right[1]})));
    zip.add("m/data/0", std::string(1'000, 'x'));
    const std::string whole = zip.build();
    refuse(ErrorKind::Truncated, {"its tensors alone take 600,000"}, whole.substr(0, whole.find("PK\x01\x02") - 500));
  }
}

TEST_F(TorchArchive, Z2_EntryOutsideTheFileIsCorrupt) {
  m_zip.member("ckpt/data/3").headerOffset = 0x10000000;
  refuse(ErrorKind::Corrupt, {"'ckpt/data/3'", "268,435,456"}, m_zip.build());
}

TEST_F(TorchArchive, Z2_EntryThatPointsAtNoHeaderIsCorrupt) {
  m_zip.member("ckpt/data/3").headerOffset = 7;
  refuse(ErrorKind::Corrupt, {"'ckpt/data/3'", "byte 7"}, m_zip.build());
}

TEST_F(TorchArchive, Z2_EntryThatPointsAtSomethingElseIsCorrupt) {
  m_zip.afterwards = [](std::string& file) { file[file.find("ckpt/data/3") - 30] = 'Q'; };
  refuse(ErrorKind::Corrupt, {"'ckpt/data/3'", "no such member"}, m_zip.build());
}

TEST_F(TorchArchive, Z2_MemberLongerThanTheFileIsCorrupt) {
  ZipMember& member = m_zip.member("ckpt/data/3");
  member.central.size = member.central.compressedSize = 0x7fffffff;
  refuse(ErrorKind::Corrupt, {"'ckpt/data/3'", "2,147,483,647"}, m_zip.build());
}

TEST_F(TorchArchive, Z3_ClaimedCountBeyondTheDirectoryIsCorrupt) {
  m_zip.claimedEntries = 65'535;
  refuse(ErrorKind::Corrupt, {"65,535 members"}, m_zip.build());
  m_zip.claimedEntries = std::uint64_t{1} << 32;
  refuse(ErrorKind::Corrupt, {"4,294,967,296 members"}, m_zip.build());
  m_zip.claimedEntries = 1;
  refuse(ErrorKind::Corrupt, {"after the last entry"}, m_zip.build());
}

TEST_F(TorchArchive, Z3_DirectoryThatIsNotWhereItIsSaidToBeIsCorrupt) {
  const std::string directory = "PK\x01\x02";
  const auto refuseAfter = [&](const char* part, const std::function<void(std::string&)>& change) {
    m_zip.afterwards = change;
    refuse(ErrorKind::Corrupt, {part}, m_zip.build());
  };
  refuseAfter("entry 1 of the", [&](std::string& file) { file[file.find(directory)] = 'Q'; });
  refuseAfter("runs past the directory's end",
              [&](std::string& file) { file.replace(file.rfind(directory) + 28, 2, "\xff\xff"); });
  m_zip.zip64End = false;
  refuseAfter("must end at byte", [](std::string& file) { file.insert(file.size() - 22, "gap"); });
}

TEST_F(TorchArchive, Z3_BytesBehindTheEndRecordAreThoseOfACutFile) {
  m_zip.afterwards = [](std::string& file) { file += 'x'; };
  refuse(ErrorKind::Truncated, {"list of contents", "missing"}, m_zip.build());
}

TEST_F(TorchArchive, Z3_DirectoriesBeyondTheLimitsAreTooLarge) {
  constexpr std::uint64_t kMembers = 200'001;
  m_zip.claimedEntries = kMembers;
  for (const std::uint64_t size : {kMembers * 46, (std::uint64_t{64} << 20) + 46}) {
    m_zip.afterwards = [&](std::string& file) {
      const std::size_t begin = file.find("PK\x01\x02");
      std::string ends = file.substr(file.size() - 22 - 20 - 56);
      const std::uint64_t end = begin + size, offset = begin;
      std::memcpy(ends.data() + 40, &size, 8);
      std::memcpy(ends.data() + 48, &offset, 8);
      std::memcpy(ends.data() + 56 + 8, &end, 8);
      std::memset(ends.data() + 76 + 12, 0xff, 8);  // "see zip64"
      file.resize(begin);
      file += std::string(size, '\0') + ends;
    };
    refuse(ErrorKind::TooLarge, {"200,000", "67,108,864"}, m_zip.build());
    m_zip.claimedEntries = 1;
  }
}

TEST_F(TorchArchive, PartsOfAZipInSeveralAreUnsupported) {
  constexpr std::size_t kEnd = 22, kLocator = kEnd + 20, kEnd64 = kLocator + 56;
  for (const std::size_t fromEnd : {kEnd - 4, kEnd - 6, kLocator - 4, kEnd64 - 16, kEnd64 - 20}) {
    m_zip.afterwards = [&](std::string& file) { file[file.size() - fromEnd] = 1; };
    refuse(ErrorKind::Unsupported, {"several parts", "Join them and open the whole"}, m_zip.build());
  }
}

TEST_F(TorchArchive, Z4_Zip64FieldsOpen) {
  for (const char* name : {"ckpt/data.pkl", "ckpt/data/0", "ckpt/data/3", "ckpt/version"})
    m_zip.member(name).zip64 = true;
  EXPECT_EQ(open(m_zip.build()).tensors.size(), 10u);
  m_zip.member("ckpt/data/3").local.flags = m_zip.member("ckpt/data/3").central.flags = 0;
  EXPECT_EQ(open(m_zip.build()).tensors.size(), 10u) << "sizes in the local zip64 field";
}

/// A field of the directory: its id, its length and what is in it.
std::string field(std::uint16_t id, const std::vector<std::uint64_t>& numbers) {
  const auto length = static_cast<std::uint16_t>(8 * numbers.size());
  std::string bytes(4, '\0');
  std::memcpy(bytes.data(), &id, 2);
  std::memcpy(bytes.data() + 2, &length, 2);
  for (const std::uint64_t number : numbers) bytes.append(reinterpret_cast<const char*>(&number), 8);
  return bytes;
}

TEST_F(TorchArchive, Z4_FieldsOfOtherKindsArePassedOver) {
  ZipMember& member = m_zip.member("ckpt/data/3");
  member.zip64 = true;
  member.extra = field(0x000a, {1, 2, 3});
  EXPECT_EQ(open(m_zip.build()).tensors.size(), 10u);
}

TEST_F(TorchArchive, Z4_Zip64FieldHasOnlyTheNumbersThatDidNotFit) {
  const std::uint64_t place = m_zip.build().find("ckpt/data/3") - 30;
  m_zip.member("ckpt/data/3").headerOffset = 0xffffffff;
  m_zip.member("ckpt/data/3").extra = field(1, {place});
  EXPECT_EQ(open(m_zip.build()).tensors.size(), 10u);
}

TEST_F(TorchArchive, Z4_Zip64FieldThatIsTooShortIsCorrupt) {
  ZipMember& member = m_zip.member("ckpt/data/3");
  member.zip64 = true;
  member.local.flags = member.central.flags = 0x0800;
  m_zip.afterwards = [](std::string& file) {
    const std::size_t name = file.find("ckpt/data/3");
    file[name + 11 + 2] = 8;  // of the local field's length, so that half of it is the next field
  };
  refuse(ErrorKind::Corrupt, {"'ckpt/data/3'", "described in two ways", "4,294,967,295 bytes"}, m_zip.build());
  m_zip.afterwards = [](std::string& file) { file[file.rfind("ckpt/data/3") + 11 + 2] = 8; };
  refuse(ErrorKind::Corrupt, {"'ckpt/data/3'", "zip64 field", "too short"}, m_zip.build());
}

TEST_F(TorchArchive, Z5_zip64SizesNearTwoToThe64AreCorrupt) {
  for (const std::uint64_t size : {~std::uint64_t{0}, ~std::uint64_t{0} - 30, std::uint64_t{1} << 63}) {
    ZipMember& member = m_zip.member("ckpt/data/3");
    member.zip64 = true;
    member.central.size = member.central.compressedSize = size;
    refuse(ErrorKind::Corrupt, {"'ckpt/data/3'"}, m_zip.build());
  }
}

TEST_F(TorchArchive, Z5_zip64OffsetsNearTwoToThe64AreCorrupt) {
  ZipMember& member = m_zip.member("ckpt/data/3");
  member.zip64 = true;
  member.headerOffset = ~std::uint64_t{0} - 10;
  refuse(ErrorKind::Corrupt, {"'ckpt/data/3'", "18,446,744,073,709,551,605"}, m_zip.build());
}

TEST_F(TorchArchive, Z5_zip64DirectoryNearTwoToThe64IsCorrupt) {
  m_zip.afterwards = [](std::string& file) {
    const std::size_t end64 = file.size() - 22 - 20 - 56;
    file.replace(end64 + 40, 16, std::string(16, '\xff'));           // size and offset
    file.replace(file.size() - 22 + 12, 8, std::string(8, '\xff'));  // "see zip64"
  };
  refuse(ErrorKind::Corrupt, {"18,446,744,073,709,551,615"}, m_zip.build());
}

TEST_F(TorchArchive, Z5_zip64DirectoryWhoseEndWrapsAroundIsCorrupt) {
  m_zip.afterwards = [](std::string& file) {
    const std::size_t end64 = file.size() - 22 - 20 - 56;
    const std::uint64_t offset = ~std::uint64_t{0} - 9, size = end64 + 10;  // together `end64`
    std::memcpy(file.data() + end64 + 40, &size, 8);
    std::memcpy(file.data() + end64 + 48, &offset, 8);
    file.replace(file.size() - 22 + 12, 8, std::string(8, '\xff'));  // "see zip64"
  };
  refuse(ErrorKind::Corrupt, {"its directory is said to be", "18,446,744,073,709,551,606"}, m_zip.build());
}

TEST_F(TorchArchive, TwoEndRecordsThatDisagreeAreCorrupt) {
  for (const auto& [place, what] : {std::pair<std::size_t, const char*>{32, "number of members"},
                                    {40, "size of the directory"},
                                    {48, "place of the directory"}}) {
    m_zip.afterwards = [&, at = place](std::string& file) { file[file.size() - 22 - 20 - 56 + at] ^= 1; };
    refuse(ErrorKind::Corrupt, {"disagree", what}, m_zip.build());
  }
}

TEST_F(TorchArchive, Zip64EndRecordThatIsNotWhereItBelongsIsCorrupt) {
  constexpr std::size_t kLocator = 22 + 20, kEnd64 = kLocator + 56;
  for (const auto& [fromEnd, part] : {std::pair<std::size_t, const char*>{kLocator - 8, "where it belongs"},
                                      {kEnd64, "is not one"},
                                      {kEnd64 - 4, "is not one"}}) {
    m_zip.afterwards = [&, at = fromEnd](std::string& file) { file[file.size() - at] ^= 1; };
    refuse(ErrorKind::Corrupt, {"zip64 end record", part}, m_zip.build());
  }
}

TEST_F(TorchArchive, Z6_DeflatedMembersAreUnsupported) {
  ZipMember& member = m_zip.member("ckpt/data/3");
  member.local.method = member.central.method = 8;
  refuse(ErrorKind::Unsupported, {"'ckpt/data/3'", "method 8", "torch.save"}, m_zip.build());
}

TEST_F(TorchArchive, Z7_BombIsTooLargeByItsClaim) {
  ZipMember& member = m_zip.member("ckpt/data.pkl");
  member.local.method = member.central.method = 8;
  member.zip64 = true;
  member.central.size = std::uint64_t{4} << 30;
  refuse(ErrorKind::TooLarge, {"'ckpt/data.pkl'", "4,294,967,296"}, m_zip.build());
}

TEST_F(TorchArchive, Z8_OverlappingMembersAreCorrupt) {
  // One member's data hold a whole second member, header and all.
  ZipBuilder inner;
  inner.add("ckpt/data/99", "inside");
  std::string bytes = inner.build();
  bytes.resize(bytes.find("PK\x01\x02"));
  m_zip.add("ckpt/data/98", bytes);
  ZipMember& second = m_zip.add("ckpt/data/99", "inside");
  second.writeData = false;
  const std::string whole = m_zip.build();
  second.headerOffset = whole.find(bytes);
  refuse(ErrorKind::Corrupt, {"'ckpt/data/99'", "overlaps", "'ckpt/data/98'"}, m_zip.build());
}

TEST_F(TorchArchive, Z8_TwoEntriesForOneMemberAreCorrupt) {
  ZipMember twin = m_zip.member("ckpt/data/3");
  twin.headerOffset = m_zip.build().find("ckpt/data/3") - 30;
  twin.writeData = false;
  m_zip.add("x", "") = twin;
  refuse(ErrorKind::Corrupt, {"'ckpt/data/3'", "there twice"}, m_zip.build());
}

TEST_F(TorchArchive, Z8_TwoNamesForOneMemberAreCorrupt) {
  ZipMember twin = m_zip.member("ckpt/data/3");
  twin.headerOffset = m_zip.build().find("ckpt/data/3") - 30;
  twin.writeData = false;
  twin.central.name = "ckpt/data/77";
  m_zip.add("x", "") = twin;
  refuse(ErrorKind::Corrupt, {"'ckpt/data/77'", "described in two ways", "'ckpt/data/3'"}, m_zip.build());
}

TEST_F(TorchArchive, Z10_NamesThatLeadOutAreUnsafe) {
  for (const char* name : {"../x", "ckpt/../../x", "/etc/x", "ckpt\\x"}) {
    ZipBuilder zip = m_zip;
    zip.add(name, "x");
    refuse(ErrorKind::Unsafe, {name == std::string("ckpt\\x") ? "backslash" : name}, zip.build());
  }
  ZipBuilder zip = m_zip;
  zip.add(std::string("ckpt/a\0b", 8), "x");
  refuse(ErrorKind::Unsafe, {"ckpt/a\\x00b", "NUL"}, zip.build());
  zip = m_zip;
  zip.add("", "x");
  refuse(ErrorKind::Unsafe, {"empty name"}, zip.build());
}

TEST_F(TorchArchive, Z10_SymbolicLinkIsUnsafe) {
  m_zip.add("ckpt/link", "/etc/passwd").attributes = 0120777u << 16;
  refuse(ErrorKind::Unsafe, {"'ckpt/link'", "symbolic link"}, m_zip.build());
}

TEST_F(TorchArchive, Z10_NothingIsWrittenFromAnArchive) {
  m_zip.add("../escaped", "x");
  EXPECT_ANY_THROW(open(m_zip.build()));
  EXPECT_FALSE(std::filesystem::exists(m_folder.path().parent_path() / "escaped"));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(m_folder.path()), {}), 1) << "only ckpt.pt";
}

TEST_F(TorchArchive, Z12_EncryptedMemberIsUnsupported) {
  ZipMember& member = m_zip.member("ckpt/data/3");
  for (const std::uint16_t flags : std::initializer_list<std::uint16_t>{
           0x0809, 0x0849, 0x2808}) {  // with a password, strongly, with a masked header
    member.local.flags = member.central.flags = flags;
    refuse(ErrorKind::Unsupported, {"'ckpt/data/3'", "encrypted"}, m_zip.build());
  }
}

TEST_F(TorchArchive, UnknownFlagsAreUnsupported) {
  ZipMember& member = m_zip.member("ckpt/data/3");
  member.local.flags = member.central.flags = 0x0818;
  refuse(ErrorKind::Unsupported, {"'ckpt/data/3'", "0x0818"}, m_zip.build());
}

TEST_F(TorchArchive, Z13_BadCrcOfATensorOpensWithAWarningThatNamesIt) {
  ZipMember& member = m_zip.member("ckpt/data/3");
  member.central.crc = member.descriptor.crc = 0x12345678;
  const Checkpoint checkpoint = open(m_zip.build());
  const auto& report = checkpoint.info.report;
  EXPECT_TRUE(std::any_of(report.begin(), report.end(), [](const ReportLine& line) {
    return line.topic == ReportLine::Topic::Warning && line.text.find("'data/3'") != std::string::npos;
  }));
}

TEST_F(TorchArchive, Z13_GoodCrcsGiveNoWarning) {
  const Checkpoint checkpoint = open(m_zip.build());
  for (const ReportLine& line : checkpoint.info.report)
    EXPECT_THAT(line.text, testing::Not(testing::HasSubstr("checksum")));
}

TEST_F(TorchArchive, Z13_VerifyReadsEveryMemberAndRefusesTheOnesThatDiffer) {
  support::writeFile(path(), m_zip.build());
  EXPECT_EQ(verifyChecksums(path(), Progress()).members, static_cast<std::int64_t>(m_zip.size()));
  for (const char* name : {"ckpt/data.pkl", "ckpt/version"}) {  // members that opening does not check
    ZipBuilder zip = ModelBuilder().archive();
    ZipMember& member = zip.member(name);
    member.central.crc = member.descriptor.crc = 0x12345678;
    support::writeFile(path(), zip.build());
    EXPECT_EQ(load(path(), {}, Progress()).tensors.size(), 10u) << name;
    expectError(ErrorKind::Corrupt, {path().string(), "'" + std::string(name).substr(5) + "'", "checksum", "1 of "},
                [&] { verifyChecksums(path(), Progress()); });
  }
}

TEST_F(TorchArchive, VerifyRefusesOtherFilesAsWhatTheyAre) {
  ZipBuilder zip;
  zip.add("word/document.xml", "<w:document>");
  for (const std::string& bytes : {std::string("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", 16), zip.build()}) {
    support::writeFile(path(), bytes);
    std::string opening;
    try {
      load(path(), {}, Progress());
    } catch (const Error& error) {
      opening = error.what();
    }
    ASSERT_FALSE(opening.empty());
    expectError(ErrorKind::NotAModel, {opening}, [&] { verifyChecksums(path(), Progress()); });
  }
}

TEST_F(TorchArchive, VerifyReadsTheFolderOfTheModelOnly) {
  ZipMember& member = m_zip.add("readme.txt", "hello");
  member.central.crc = member.descriptor.crc = 0x12345678;
  support::writeFile(path(), m_zip.build());
  EXPECT_EQ(verifyChecksums(path(), Progress()).members, static_cast<std::int64_t>(m_zip.size()) - 1);
}

TEST_F(TorchArchive, Z14_WithoutFolderIsCorrupt) {
  ZipBuilder zip;
  zip.add("data.pkl", ModelBuilder().pickleBytes());
  zip.add("data/0", "x");
  refuse(ErrorKind::Corrupt, {"'data.pkl'", "folder"}, zip.build());
}

TEST_F(TorchArchive, Z14_WithoutPickleIsCorrupt) {
  m_zip.remove("ckpt/data.pkl");
  refuse(ErrorKind::Corrupt, {"data.pkl"}, m_zip.build());
}

TEST_F(TorchArchive, Z14_PickleFartherDownIsNotTheModels) {
  m_zip.add("ckpt/more/data.pkl", "x");
  EXPECT_EQ(open(m_zip.build()).tensors.size(), 10u);
  m_zip.remove("ckpt/data.pkl");
  refuse(ErrorKind::Corrupt, {"no member <folder>/data.pkl"}, m_zip.build());
}

TEST_F(TorchArchive, Z14_AnythingThatTorchSavesShowsThatItIsTorchs) {
  for (const char* name : {"m/.format_version", "m/data/0", "m/more/data.pkl"}) {
    ZipBuilder zip;
    zip.add(name, "x");
    refuse(ErrorKind::Corrupt, {"no member <folder>/data.pkl"}, zip.build());
  }
}

TEST_F(TorchArchive, Z15_ConstantsOrCodeShowAProgram) {
  for (const char* name : {"ckpt/constants.pkl", "ckpt/code/__torch__.py"}) {
    ZipBuilder zip = m_zip;
    zip.add(name, "x");
    refuse(ErrorKind::Unsupported, {name, "TorchScript program"}, zip.build());
  }
  ZipBuilder alone;
  alone.add("m/constants.pkl", "x");
  refuse(ErrorKind::Unsupported, {"TorchScript program"}, alone.build());
}

TEST_F(TorchArchive, Z14_TwoPicklesAreCorrupt) {
  m_zip.add("other/data.pkl", ModelBuilder().pickleBytes());
  refuse(ErrorKind::Corrupt, {"2 pickles", "'other/data.pkl'"}, m_zip.build());
}

TEST_F(TorchArchive, Z14_BigEndianIsUnsupported) {
  m_zip.remove("ckpt/byteorder");
  m_zip.add("ckpt/byteorder", "big");
  refuse(ErrorKind::Unsupported, {"'ckpt/byteorder'", "'big'"}, m_zip.build());
}

TEST_F(TorchArchive, Z14_ByteOrderThatIsNoWordIsTooLarge) {
  m_zip.remove("ckpt/byteorder");
  m_zip.add("ckpt/byteorder", "little endian it is");
  refuse(ErrorKind::TooLarge, {"'byteorder'", "19 bytes", "16"}, m_zip.build());
}

TEST_F(TorchArchive, Z14_WithoutByteOrderOpens) {
  m_zip.remove("ckpt/byteorder");
  EXPECT_EQ(open(m_zip.build()).tensors.size(), 10u);
}

TEST_F(TorchArchive, Z19_AbsentStorageIsCorruptWithItsKey) {
  m_zip.remove("ckpt/data/3");
  refuse(ErrorKind::Corrupt, {"'data/3'", "'transformer.h.0.attn.c_attn.weight'"}, m_zip.build());
}

TEST_F(TorchArchive, LocalHeaderWithAnotherNameIsCorrupt) {
  m_zip.member("ckpt/data/3").local.name = "ckpt/data/X";
  refuse(ErrorKind::Corrupt, {"'ckpt/data/3'", "'ckpt/data/X'"}, m_zip.build());
}

TEST_F(TorchArchive, LocalHeaderWithOtherFlagsIsCorrupt) {
  m_zip.member("ckpt/data/3").local.flags = 0x0008;
  refuse(ErrorKind::Corrupt, {"'ckpt/data/3'", "flags 0x0008"}, m_zip.build());
}

TEST_F(TorchArchive, LocalHeaderWithAnotherMethodIsCorrupt) {
  m_zip.member("ckpt/data/3").local.method = 8;
  refuse(ErrorKind::Corrupt, {"'ckpt/data/3'", "method 8"}, m_zip.build());
}

TEST_F(TorchArchive, LocalHeaderWithAnotherSizeOrChecksumIsCorrupt) {
  ZipMember& member = m_zip.member("ckpt/data/3");
  const ZipFields right = member.local;
  member.central.flags = 0x0800;
  for (const std::uint32_t wrong : {100u, 0u}) {
    for (const auto& set : {+[](ZipFields&local, std::uint32_t number) { local.size = number; },
                            +[](ZipFields&local, std::uint32_t number) { local.compressedSize = number; },
                            +[](ZipFields&local, std::uint32_t number) { local.crc = number; }}) {
      member.local = right;
      member.local.flags = 0x0800;
      set(member.local, wrong);
      refuse(ErrorKind::Corrupt, {"'ckpt/data/3'", "described in two ways", "192 bytes"}, m_zip.build());
    }
  }
}

// Numbers in front of a member that a descriptor follows are 0 or right: a third is what another reader would take.
TEST_F(TorchArchive, LocalHeaderThatSaysMoreThanItsDescriptorIsCorrupt) {
  for (const std::size_t place : {14u, 18u, 22u}) {  // crc, both sizes
    m_zip.afterwards = [&](std::string& file) { file[file.find("ckpt/data/3") - 30 + place] = 100; };
    refuse(ErrorKind::Corrupt, {"'ckpt/data/3'", "described in two ways"}, m_zip.build());
  }
}

TEST_F(TorchArchive, DescriptorWithAnotherNumberIsCorrupt) {
  ZipMember& member = m_zip.member("ckpt/data/3");
  const ZipFields right = member.descriptor;
  for (const bool zip64 : {false, true}) {
    member.zip64 = zip64;
    for (const auto& spoil :
         {+[](ZipFields& fields) { fields.size = 100; }, +[](ZipFields& fields) { fields.compressedSize = 100; },
          +[](ZipFields& fields) { fields.crc ^= 1; }}) {
      member.descriptor = right;
      spoil(member.descriptor);
      refuse(ErrorKind::Corrupt, {"'ckpt/data/3'", "descriptor"}, m_zip.build());
    }
  }
}

TEST_F(TorchArchive, StoredMemberWithTwoSizesIsCorrupt) {
  m_zip.member("ckpt/data/3").central.compressedSize = 100;
  refuse(ErrorKind::Corrupt, {"'ckpt/data/3'", "192", "100"}, m_zip.build());
}

TEST_F(TorchArchive, MissingZip64FieldIsCorrupt) {
  ZipMember& member = m_zip.member("ckpt/data/3");
  member.central.size = member.central.compressedSize = 0xffffffff;
  refuse(ErrorKind::Corrupt, {"'ckpt/data/3'", "zip64"}, m_zip.build());
}

}  // namespace
}  // namespace core::checkpoint
