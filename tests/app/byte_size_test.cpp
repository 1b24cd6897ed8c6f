#include "app/byte_size.h"

#include <gtest/gtest.h>

namespace app {
namespace {

TEST(ByteSize, StepsBy1024) {
  EXPECT_EQ(parseByteSize("1B"), 1);
  EXPECT_EQ(parseByteSize("64K"), 65'536);
  EXPECT_EQ(parseByteSize("512m"), 536'870'912);
  EXPECT_EQ(parseByteSize("4G"), 4'294'967'296);
  EXPECT_EQ(parseByteSize("8589934591G"), 9'223'372'035'781'033'984);
}

TEST(ByteSize, RefusesWhatIsNoSize) {
  for (const char* text :
       {"", "4", "G", "-4G", "+4G", "0G", "1.5G", "4GB", "4 G", "4T", "nan", "8589934592G", "99999999999999999999B"})
    EXPECT_EQ(parseByteSize(text), std::nullopt) << text;
}

}  // namespace
}  // namespace app
