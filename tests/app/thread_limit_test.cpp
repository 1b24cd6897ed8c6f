#include "app/thread_limit.h"

#include <gtest/gtest.h>

namespace app {
namespace {

TEST(ThreadLimit, KeepsWhatIsSane) {
  for (const char* value : {"1", "2", "8", "4,2"}) EXPECT_EQ(saneThreadLimit(value, 8), std::nullopt) << value;
}

TEST(ThreadLimit, RemovesWhatIsNoNumberOfThreads) {
  for (const char* value : {"", "0", "-1", "abc", "2x", " 2"}) EXPECT_EQ(saneThreadLimit(value, 8), "") << value;
}

TEST(ThreadLimit, CutsToWhatTheMachineHas) {
  for (const char* value : {"9", "1000", "99999999999999999999999"}) EXPECT_EQ(saneThreadLimit(value, 8), "8") << value;
}

// Or the program would start itself anew without end.
TEST(ThreadLimit, KeepsItsOwnAnswers) {
  EXPECT_EQ(saneThreadLimit(saneThreadLimit("1000", 8).value(), 8), std::nullopt);
  EXPECT_EQ(saneThreadLimit(saneThreadLimit("1000", 1).value(), 1), std::nullopt);
}

}  // namespace
}  // namespace app
