#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "core/checkpoint/checkpoint.h"
#include "core/verify.h"
#include "tests/core/checkpoint/expect_error.h"
#include "tests/core/checkpoint/model_builder.h"
#include "tests/core/checkpoint/zip_builder.h"
#include "tests/support/files.h"

namespace core::checkpoint {
namespace {

using support::expectError;
using support::ModelBuilder;
using support::ZipBuilder;
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

TEST_F(TorchArchive, Z2_EntryOutsideTheFileIsCorrupt) {
  m_zip.member("ckpt/data/3").headerOffset = 0x10000000;
  refuse(ErrorKind::Corrupt, {"'ckpt/data/3'", "268,435,456"}, m_zip.build());
}

TEST_F(TorchArchive, Z2_EntryThatPointsAtNoHeaderIsCorrupt) {
  m_zip.member("ckpt/data/3").headerOffset = 7;
  refuse(ErrorKind::Corrupt, {"'ckpt/data/3'", "byte 7"}, m_zip.build());
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

TEST_F(TorchArchive, Z4_Zip64FieldsOpen) {
  for (const char* name : {"ckpt/data.pkl", "ckpt/data/0", "ckpt/data/3", "ckpt/version"})
    m_zip.member(name).zip64 = true;
  EXPECT_EQ(open(m_zip.build()).tensors.size(), 10u);
  m_zip.member("ckpt/data/3").local.flags = m_zip.member("ckpt/data/3").central.flags = 0;
  EXPECT_EQ(open(m_zip.build()).tensors.size(), 10u) << "sizes in the local zip64 field";
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

TEST_F(TorchArchive, TwoEndRecordsThatDisagreeAreCorrupt) {
  m_zip.afterwards = [](std::string& file) { file[file.size() - 22 - 20 - 56 + 32] = 1; };
  refuse(ErrorKind::Corrupt, {"disagree", "number of members"}, m_zip.build());
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

TEST_F(TorchArchive, Z14_TwoPicklesAreCorrupt) {
  m_zip.add("other/data.pkl", ModelBuilder().pickleBytes());
  refuse(ErrorKind::Corrupt, {"2 pickles", "'other/data.pkl'"}, m_zip.build());
}

TEST_F(TorchArchive, Z14_BigEndianIsUnsupported) {
  m_zip.remove("ckpt/byteorder");
  m_zip.add("ckpt/byteorder", "big");
  refuse(ErrorKind::Unsupported, {"'ckpt/byteorder'", "'big'"}, m_zip.build());
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

TEST_F(TorchArchive, LocalHeaderWithAnotherMethodIsCorrupt) {
  m_zip.member("ckpt/data/3").local.method = 8;
  refuse(ErrorKind::Corrupt, {"'ckpt/data/3'", "method 8"}, m_zip.build());
}

TEST_F(TorchArchive, LocalHeaderWithAnotherSizeIsCorrupt) {
  ZipMember& member = m_zip.member("ckpt/data/3");
  member.local.flags = member.central.flags = 0x0800;
  member.local.size = member.local.compressedSize = 100;
  refuse(ErrorKind::Corrupt, {"'ckpt/data/3'", "100 bytes", "192 bytes"}, m_zip.build());
}

TEST_F(TorchArchive, DescriptorWithAnotherSizeIsCorrupt) {
  m_zip.member("ckpt/data/3").descriptor.size = 100;
  refuse(ErrorKind::Corrupt, {"'ckpt/data/3'", "descriptor"}, m_zip.build());
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
