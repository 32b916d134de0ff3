//===- TargetsTest.cpp - Which target has which instruction ---------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Assembler.h"
#include "TargetForms.h"

#include <algorithm>
#include <set>

using namespace fusion::emulator;
using namespace fusion::emulator::test;

namespace {

const char *const targets[] = {"sm_75", "sm_80",  "sm_86", "sm_89",
                               "sm_90", "sm_90a", "sm_100"};

size_t indexOf(const std::string &target) {
  return size_t(std::find(std::begin(targets), std::end(targets), target) -
                std::begin(targets));
}

/// sm_100 has what sm_90 has, and nothing that is of sm_90a alone.
bool has(const std::string &target, const TargetForm &form) {
  if (target == "sm_100" && form.target == std::string("sm_90a"))
    return false;
  return indexOf(target) >= indexOf(form.target);
}

TEST(Targets, RefuseWhatTheyDoNotHave) {
  for (const TargetForm &form : targetForms)
    for (const char *target : targets) {
      unsigned line;
      Error error = errorOf(form.instruction, line, target);
      const std::string &message = error.message;
      if (has(target, form)) {
        EXPECT_EQ(message.find("needs .target"), std::string::npos) << message;
        EXPECT_EQ(message.find("unknown"), std::string::npos) << message;
        continue;
      }
      std::string wanted = std::string("' needs .target ") + form.target +
                           ", and the module has " + target;
      EXPECT_NE(message.find(wanted), std::string::npos)
          << form.instruction << ": " << message << ", not " << wanted;
      EXPECT_EQ(error.line, line);
    }
}

/// Features that are of one architecture alone, or also of later ones.
TEST(Targets, Features) {
  auto message = [](const char *target, const char *instruction) {
    unsigned line;
    return errorOf(instruction, line, target).message;
  };
  const char *fence = "wgmma.fence.sync.aligned;";
  const char *registers = "setmaxnreg.dec.sync.aligned.u32 40;";
  EXPECT_NE(message("sm_100a", fence).find("needs .target sm_90a"),
            std::string::npos);
  EXPECT_NE(message("sm_100", registers).find("needs .target sm_90a"),
            std::string::npos);
  for (const char *target : {"sm_90a", "sm_100a", "sm_100f", "sm_120a"})
    EXPECT_EQ(message(target, registers).find("needs .target"),
              std::string::npos);
  // A target of a family.
  const char *redux = "redux.sync.max.abs.NaN.f32 %f1, %f2, -1;";
  const char *atomicity =
      "tensormap.replace.tile.swizzle_atomicity.global.b1024.b32 [%g], 1;";
  for (const char *target :
       {"sm_90a", "sm_100", "sm_100a", "sm_100f", "sm_103a", "sm_103f",
        "sm_110a", "sm_120a", "sm_120f", "sm_121a"}) {
    bool isOfFamily = std::string(target).find("sm_10") == 0;
    bool hasFeatures = std::string(target).size() > 6;
    auto lacks = [&](const char *instruction) {
      return message(target, instruction).find("needs .target sm_100a") !=
             std::string::npos;
    };
    EXPECT_EQ(lacks(redux), !(isOfFamily && hasFeatures)) << target;
    EXPECT_EQ(lacks(atomicity), !hasFeatures) << target;
    if (!hasAssembler())
      continue;
    unsigned first;
    std::string text = kernelOf(target, {redux, atomicity}, first);
    std::set<unsigned> lines = refused(text, first, target);
    EXPECT_EQ(lacks(redux), lines.count(0) == 1) << target;
    EXPECT_EQ(lacks(atomicity), lines.count(1) == 1) << target;
  }
}

/// What ptxas says.
TEST(Targets, AsTheAssembler) {
  if (!hasAssembler())
    GTEST_SKIP() << "no ptxas";
  std::vector<std::string> all;
  for (const TargetForm &form : targetForms)
    all.push_back(form.instruction);
  for (const char *target : targets) {
    unsigned first;
    std::string text = kernelOf(target, all, first);
    std::set<unsigned> lines = refused(text, first, target);
    for (unsigned i = 0; i < all.size(); ++i)
      EXPECT_EQ(!lines.count(i), has(target, targetForms[i]))
          << target << ": " << all[i];
  }
}

} // namespace
