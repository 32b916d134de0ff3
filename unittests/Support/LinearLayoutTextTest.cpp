//===- LinearLayoutTextTest.cpp - Printing and parsing --------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LayoutSpec.h"

#include "llvm/Support/MemoryBuffer.h"

#include "gtest/gtest.h"

using namespace fusion;
using namespace fusion::test;
using D = LayoutDim;

namespace {

TEST(LayoutText, Canonical) {
  // Bits that do not mix are repetitions; runs are one digit; blanks and order
  // do not matter.
  EXPECT_EQ(layoutOf(" lane :x[0,2]x[0,4] x[1,0] x[ 2, 0 ] x[4,0];"
                     "register: x[0,1] x[8,0]->[16,8] ")
                .str(),
            "register: 2*[0,1] 2*[8,0]; lane: 4*[0,2] 8*[1,0] -> [16, 8]");
  EXPECT_EQ(layoutOf("register: 1*[5] 2*[1]; warp: -> [2]").str(),
            "register: 2*[1] -> [2]");
  EXPECT_EQ(layoutOf("warp: 2*[0] 3*[0] -> [1]").str(), "warp: 6*[0] -> [1]");
  EXPECT_EQ(layoutOf("lane: 4*[] -> []").str(), "lane: 4*[] -> []");
  EXPECT_EQ(layoutOf("-> [1, 64]").str(), "-> [1, 64]");
  EXPECT_EQ(
      layoutOf("dim0: 4*[0,1]; dim1: 2*[1,0] -> [warp: 2, lane: 4]").str(),
      "dim0: 4*[1,0]; dim1: 2*[0,1] -> [lane: 4, warp: 2]");
  EXPECT_EQ(layoutOf("lane: 4*[1] -> [dim1: 4]").str(),
            "lane: 4*[1] -> [dim1: 4]");
  EXPECT_EQ(layoutOf("lane: 4*[1] -> [dim0: 4]").str(), "lane: 4*[1] -> [4]");
}

TEST(LayoutText, NumeralSystems) {
  // XOR at the places 3 and 6 of 12 is not XOR of the integers 3 and 9.
  LinearLayout layout = layoutOf("lane: x[3] x[9] -> [3*2*2]");
  EXPECT_EQ(layout.str(), "lane: x[3] x[9] -> [3*2*2]");
  EXPECT_EQ(layout.applyTo(D::Dim0, {{D::Lane, 3}}), 6);
  // At the places 1 and 2 it is.
  EXPECT_EQ(layoutOf("lane: x[1] x[3] -> [2*2*3]").str(),
            "lane: x[1] x[3] -> [12]");
}

TEST(LayoutText, RoundTripAtRandom) {
  RandomSpecs random(6);
  for (int n = 0; n < 5000; ++n) {
    LinearLayout layout = random
                              .next({D::Register, D::Lane, D::Warp},
                                    {D::Dim0, D::Dim1, D::Offset}, false)
                              .layout();
    std::string error;
    auto back = LinearLayout::parse(layout.str(), &error);
    ASSERT_TRUE(back.has_value()) << layout.str() << ": " << error;
    ASSERT_EQ(*back, layout) << layout.str();
  }
}

TEST(LayoutText, Errors) {
  const std::pair<const char *, const char *> cases[] = {
      {"", "expected the name of an input at column 1"},
      {"lane 4*[1] -> [4]", "expected ':' at column 6"},
      {"thread: 4*[1] -> [4]", "expected the name of an input at column 1"},
      {"lane: 4*[1]", "expected ';' or '->' at column 12"},
      {"lane: 4[1] -> [4]", "expected '*' at column 8"},
      {"lane: 4*1 -> [4]", "expected '[' at column 9"},
      {"lane: 4*[1 -> [4]", "expected ',' or ']' at column 12"},
      {"lane: 4*[-1] -> [4]", "expected a number up to 2^40 at column 10"},
      {"lane: 4*[99999999999999999999] -> [4]",
       "expected a number up to 2^40 at column 10"},
      {"lane: 4*[1] -> 4", "expected '[' at column 16"},
      {"lane: 4*[1] -> [4", "expected ',' or ']' at column 18"},
      {"lane: 4*[1] -> [4] x",
       "unexpected text behind the layout at column 20"},
      {"lane: 4*[1,1] -> [4]", "a digit of 'lane' has 2 steps for 1 outputs"},
      {"lane: 4*[1] -> [1, 1, 1, 1, 1, 1]",
       "a tile has at most 5 coordinates at column 32"},
      {"lane: 4*[1]; lane: 2*[4] -> [8]", "input 'lane' is given twice"},
      {"lane: 4*[1] -> [lane: 4, lane: 4]", "output 'lane' is given twice"},
      {"lane: 0*[1] -> [4]", "a radix must be positive"},
      {"lane: 1048576*[0] 1048576*[0] 2*[0] -> [4]",
       "input 'lane' is too large"},
      {"lane: 4*[1,1] -> [4, 4]", "a repetition moves along one output"},
      {"lane: 4*[1] 4*[1] -> [4]", "two digits move output 'dim0' by 1"},
      {"lane: 4*[1] x[2] -> [8]", "step 2 of output 'dim0' is no multiple of "
                                  "the 4 values inside it"},
      {"lane: 4*[1] -> [2]", "step 1 leaves output 'dim0' of size 2"},
      {"lane: 2*[4] -> [4]", "step 4 leaves output 'dim0' of size 4"},
      {"lane: x[4] -> [4]", "step 4 leaves output 'dim0' of size 4"},
      {"lane: 4*[1] -> [6]", "size 6 of output 'dim0' is no multiple of the 4 "
                             "values inside it"},
      {"lane: 4*[1] -> [0]", "size of output 'dim0' is out of range"},
      {"lane: 4*[1] -> [4*0]", "size of output 'dim0' is out of range"},
      {"lane: 4*[1] -> [1099511627776*2]",
       "size of output 'dim0' is out of range"},
      {"lane: 3*[2] -> [3*2]", "the numeral system of output 'dim0' has no "
                               "digit of radix 3 at 2"},
      {"lane: x[1] -> [3*2]", "step 1 of a bit needs binary digits of output "
                              "'dim0' that it does not have"},
      {"lane: x[12] -> [3*2*2]", "step 12 leaves output 'dim0' of size 12"},
      {"lane: 2*[1] x[1] -> [2*2]", "step 1 of a bit needs binary digits of "
                                    "output 'dim0' that it does not have"},
      {"lane: x[1] 2*[1] -> [2*2]", "two digits move output 'dim0' by 1"},
      {"lane: x[1] 2*[1] -> [4]", "two digits move output 'dim0' by 1"},
  };
  for (auto [text, message] : cases) {
    std::string error;
    EXPECT_FALSE(LinearLayout::parse(text, &error).has_value()) << text;
    EXPECT_EQ(error, message) << text;
    EXPECT_FALSE(LinearLayout::parse(text).has_value());
  }
}

TEST(LayoutText, EveryPrefixAndDeletionIsHandled) {
  const std::string text = "register: 2*[0,1] x[8,1]; lane: 4*[0,2] 8*[1,0]; "
                           "warp: 3*[16,0] -> [dim0: 48, dim1: 2*4]";
  layoutOf("register: 2*[0,1] x[8,2]; lane: 2*[0,4] 8*[1,0]; "
           "warp: 3*[16,0] -> [dim0: 48, dim1: 2*2*2]");
  for (size_t n = 0; n < text.size(); ++n) {
    std::string error;
    EXPECT_FALSE(LinearLayout::parse(text.substr(0, n), &error).has_value());
    EXPECT_FALSE(error.empty());
    // With a character missing it is a layout or an error, never both.
    std::string shorter = text.substr(0, n) + text.substr(n + 1);
    error.clear();
    bool parsed = LinearLayout::parse(shorter, &error).has_value();
    EXPECT_NE(parsed, !error.empty()) << shorter;
  }
}

TEST(LayoutText, ExamplesOfTheDocumentation) {
  auto file = llvm::MemoryBuffer::getFile(FUSION_DOCS_DIR "/layouts.md");
  ASSERT_TRUE(bool(file));
  llvm::SmallVector<llvm::StringRef> lines;
  (*file)->getBuffer().split(lines, '\n');
  size_t examples = 0;
  for (llvm::StringRef line : lines) {
    if (!line.consume_front("    ") || !line.contains("-> ["))
      continue;
    ++examples;
    EXPECT_EQ(layoutOf(line).str(), line);
  }
  EXPECT_GE(examples, 10u);
}

} // namespace
