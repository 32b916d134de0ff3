//===- TargetsTest.cpp - Which target has which instruction ---------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Hopper.h"
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
      auto program = parse(kernelOf(target, {form.instruction}, line));
      ASSERT_TRUE(program) << form.instruction;
      Memory memory;
      Options options;
      options.instructionLimit = 1;
      LaunchResult result =
          run(*program, makeLaunch("k", {1, 1, 1}, {128, 1, 1}, uint64_t(0)),
              memory, options);
      std::string message = result.error ? result.error->message : "";
      if (has(target, form)) {
        EXPECT_EQ(message.find("needs .target"), std::string::npos) << message;
        EXPECT_EQ(message.find("unknown"), std::string::npos) << message;
        continue;
      }
      std::string wanted = std::string("' needs .target ") + form.target +
                           ", and the module has " + target;
      EXPECT_NE(message.find(wanted), std::string::npos)
          << form.instruction << ": " << message << ", not " << wanted;
      if (result.error)
        EXPECT_EQ(result.error->line, line);
    }
}

/// Features that are of one architecture alone, or also of later ones.
TEST(Targets, Features) {
  auto message = [](const char *target, const char *instruction) {
    unsigned line;
    auto program = parse(kernelOf(target, {instruction}, line));
    Memory memory;
    Options options;
    options.instructionLimit = 1;
    LaunchResult result =
        run(*program, makeLaunch("k", {1, 1, 1}, {128, 1, 1}, uint64_t(0)),
            memory, options);
    return result.error ? result.error->message : "";
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
}

/// What ptxas says.
TEST(Targets, AsTheAssembler) {
  if (std::system("ptxas --version >/dev/null 2>&1") != 0)
    GTEST_SKIP() << "no ptxas";
  std::vector<std::string> all;
  for (const TargetForm &form : targetForms)
    all.push_back(form.instruction);
  std::string path = ::testing::TempDir() + "/fusion-targets.ptx";
  for (const char *target : targets) {
    unsigned first;
    std::ofstream(path) << kernelOf(target, all, first);
    std::string command = "ptxas -arch=" + std::string(target) +
                          " -o /dev/null " + path + " 2>&1";
    FILE *pipe = popen(command.c_str(), "r");
    ASSERT_TRUE(pipe);
    std::set<unsigned> refused;
    char buffer[1024];
    while (std::fgets(buffer, sizeof(buffer), pipe)) {
      std::string text = buffer;
      size_t at = text.find("line ");
      if (at != std::string::npos && text.find("error") != std::string::npos)
        refused.insert(unsigned(std::stoul(text.substr(at + 5))) - first);
    }
    pclose(pipe);
    for (unsigned i = 0; i < all.size(); ++i)
      EXPECT_EQ(!refused.count(i), has(target, targetForms[i]))
          << target << ": " << all[i];
  }
  std::remove(path.c_str());
}

} // namespace
