//===- SearchReportTest.cpp - Why others were not chosen ------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Search/Chains/SearchReport.h"
#include "gtest/gtest.h"

using namespace fusion;

namespace {

/// What is said of `other`, which is as fast as `chosen`.
std::string whyNotOf(const Schedule &other, const Schedule &chosen) {
  CostedSchedule one, two;
  one.schedule = other;
  two.schedule = chosen;
  for (CostedSchedule *costed : {&one, &two})
    costed->modelSeconds = costed->cost.total = 1e-6;
  return whyNot(one, two);
}

// The reason names the schedule that has the one thing in which two differ.
TEST(SearchReport, SaysWhichOfTwoHasWhat) {
  Schedule without;
  without.contractions.resize(1);
  struct {
    const char *what;
    void (*set)(Schedule &);
  } const things[] = {
      {"persistent blocks", [](Schedule &s) { s.persistent = true; }},
      {"ping-pong scheduling", [](Schedule &s) { s.isPingPong = true; }},
      {"cross-iteration overlap",
       [](Schedule &s) { s.contractions.front().stages = 2; }},
  };
  for (const auto &[what, set] : things) {
    Schedule with = without;
    set(with);
    EXPECT_EQ(whyNotOf(with, without), std::string("as fast, with ") + what);
    EXPECT_EQ(whyNotOf(without, with), std::string("as fast, without ") + what);
  }
}

} // namespace
