#include "app/step_choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"

namespace app {
namespace {

using testing::AllOf;
using testing::HasSubstr;

const std::vector<core::Openable> kSteps{{"/m/model_000200.pt", "step 200", 200},
                                         {"/m/model_000100.pt", "step 100", 100}};

core::Error refusal(const std::vector<core::Openable>& offers, std::optional<std::int64_t> step) {
  try {
    chooseStep("/m", offers, step);
  } catch (const core::Error& error) {
    return error;
  }
  ADD_FAILURE() << "something was chosen";
  return {core::ErrorKind::Io, ""};
}

TEST(StepChoice, TheOnlyCheckpointNeedsNoStep) {
  EXPECT_EQ(chooseStep("/m", {{"/m/ckpt.pt", "ckpt.pt", std::nullopt}}, std::nullopt), "/m/ckpt.pt");
}

TEST(StepChoice, AStepNamesItsCheckpoint) {
  EXPECT_EQ(chooseStep("/m", kSteps, 100), "/m/model_000100.pt");
  EXPECT_EQ(chooseStep("/m", kSteps, 200), "/m/model_000200.pt");
}

TEST(StepChoice, SeveralWithoutAStepAreListed) {
  const core::Error error = refusal(kSteps, std::nullopt);
  EXPECT_EQ(error.kind(), core::ErrorKind::Mismatch);
  EXPECT_THAT(error.what(), AllOf(testing::StartsWith("/m: 2 checkpoints"), HasSubstr("--step")));
  EXPECT_EQ(error.details(),
            "--step 200  step 200  (/m/model_000200.pt)\n  --step 100  step 100  (/m/model_000100.pt)");
}

TEST(StepChoice, AStepThatIsNotThereIsNamedAndTheOthersListed) {
  const core::Error error = refusal(kSteps, 150);
  EXPECT_THAT(error.what(), HasSubstr("no step 150"));
  EXPECT_THAT(error.details(), AllOf(HasSubstr("--step 200"), HasSubstr("--step 100")));
  EXPECT_THAT(refusal({{"/m/ckpt.pt", "ckpt.pt", std::nullopt}}, 1).details(), HasSubstr("/m/ckpt.pt"));
}

TEST(StepChoice, OneStepOfTwoModelsIsNamedByItsPath) {
  const core::Error error =
      refusal({{"/b/d4/model_000100.pt", "d4, step 100", 100}, {"/b/d8/model_000100.pt", "d8, step 100", 100}}, 100);
  EXPECT_THAT(error.what(), AllOf(HasSubstr("2 checkpoints of step 100"), HasSubstr("path")));
}

}  // namespace
}  // namespace app
