//===- LinearLayoutTest.cpp - Values, canonical form, reshaping, queries --===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LayoutSpec.h"

#include "gtest/gtest.h"

#include <map>

using namespace fusion;
using namespace fusion::test;
using D = LayoutDim;
using Coords = llvm::SmallVector<int64_t>;

namespace {

struct Count {
  size_t functions = 0; ///< different functions
  size_t forms = 0;     ///< ways to write them
};

/// Checks, over every way to write every layout of the given sizes: values are
/// those of the definition; == is equality of functions; equal layouts have
/// equal hashes, different ones different texts; the text reads back.
void checkAll(const NamedSizes &ins, const NamedSizes &outs, Count &count) {
  std::vector<D> outDims;
  for (auto [dim, size] : outs)
    outDims.push_back(dim);
  std::map<std::vector<int64_t>, LinearLayout> byTable;
  std::map<std::string, std::vector<int64_t>> byText;
  forAllSpecs(ins, outs, [&](const Spec &spec) {
    LinearLayout layout = spec.layout();
    std::vector<int64_t> table = spec.table();
    ++count.forms;
    ASSERT_EQ(tableOf(layout, ins, outDims), table) << layout.str();
    auto [it, isNew] = byTable.try_emplace(table, layout);
    ASSERT_TRUE(it->second == layout)
        << it->second.str() << " and " << layout.str();
    ASSERT_EQ(hash_value(it->second), hash_value(layout));
    if (!isNew)
      return;
    ++count.functions;
    std::string text = layout.str();
    auto [other, isNewText] = byText.try_emplace(text, table);
    ASSERT_TRUE(isNewText) << text;
    std::string error;
    auto back = LinearLayout::parse(text, &error);
    ASSERT_TRUE(back.has_value()) << text << ": " << error;
    ASSERT_TRUE(*back == layout) << text << " reads back as " << back->str();
  });
}

TEST(LinearLayout, EqualityIsOfFunctionsOneInputOneOutput) {
  Count count;
  for (int64_t in = 1; in <= 8; ++in)
    for (int64_t out = 1; out <= 24; ++out)
      checkAll({{D::Lane, in}}, {{D::Dim0, out}}, count);
  for (int64_t in : {12, 18})
    for (int64_t out : {4, 6, 8, 9, 12, 18})
      checkAll({{D::Lane, in}}, {{D::Dim0, out}}, count);
  EXPECT_GT(count.forms, count.functions + count.functions / 4);
}

TEST(LinearLayout, EqualityIsOfFunctionsTwoInputs) {
  Count count;
  for (int64_t r : {2, 3, 4, 6})
    for (int64_t l : {2, 3, 4})
      for (int64_t out : {4, 6, 8, 9, 12, 18, 24})
        checkAll({{D::Register, r}, {D::Lane, l}}, {{D::Dim0, out}}, count);
  EXPECT_GT(count.forms, count.functions + count.functions / 4);
}

TEST(LinearLayout, EqualityIsOfFunctionsTwoOutputs) {
  Count count;
  for (int64_t in : {2, 3, 4, 6, 8, 12})
    for (int64_t out0 : {2, 3, 4, 6, 12})
      for (int64_t out1 : {2, 4, 6})
        checkAll({{D::Lane, in}}, {{D::Dim0, out0}, {D::Dim1, out1}}, count);
  EXPECT_GT(count.forms, count.functions + count.functions / 4);
}

TEST(LinearLayout, EqualityIsOfFunctionsTwoByTwo) {
  Count count;
  for (int64_t r : {2, 4})
    for (int64_t l : {2, 3, 4})
      for (int64_t out0 : {2, 3, 4, 6})
        checkAll({{D::Register, r}, {D::Lane, l}},
                 {{D::Dim0, out0}, {D::Dim1, 4}}, count);
  EXPECT_GT(count.forms, count.functions);
}

TEST(LinearLayout, TheExampleOfTheHeader) {
  LinearLayout tile =
      layoutOf("register: 2*[0,1]; lane: 2*[0,2] 4*[1,0] -> [4, 4]");
  for (int64_t lane = 0; lane < 8; ++lane)
    for (int64_t reg = 0; reg < 2; ++reg)
      EXPECT_EQ(tile.coords(reg, lane, 0),
                (Coords{lane / 2, lane % 2 * 2 + reg}));
  LinearLayout swizzled =
      layoutOf("offset: x[0,1] x[0,2] x[1,1] x[2,2] -> [4, 4]");
  for (int64_t offset = 0; offset < 16; ++offset) {
    int64_t row = offset / 4;
    EXPECT_EQ(swizzled.applyTo(D::Dim0, {{D::Offset, offset}}), row);
    EXPECT_EQ(swizzled.applyTo(D::Dim1, {{D::Offset, offset}}),
              (offset % 4) ^ row);
  }
  auto inverse = swizzled.invert();
  ASSERT_TRUE(inverse);
  auto address = compose(tile, *inverse);
  ASSERT_TRUE(address);
  EXPECT_EQ(address->str(),
            "register: x[1]; lane: x[2] x[5] x[10] -> [offset: 16]");
}

TEST(LinearLayout, Factories) {
  LinearLayout unit = LinearLayout::empty();
  EXPECT_TRUE(unit.inDims().empty());
  EXPECT_TRUE(unit.outDims().empty());
  EXPECT_EQ(unit.totalInSize(), 1);
  EXPECT_EQ(unit.str(), "-> []");

  LinearLayout eighty = LinearLayout::identity(D::Register, D::Dim1, 80);
  EXPECT_EQ(eighty.inSize(D::Register), 80);
  EXPECT_EQ(eighty.outSize(D::Dim1), 80);
  for (int64_t r = 0; r < 80; ++r)
    EXPECT_EQ(eighty.applyTo(D::Dim1, {{D::Register, r}}), r);
  EXPECT_EQ(eighty.str(), "register: 80*[1] -> [dim1: 80]");

  // An input of size 1 does not exist, an output of size 1 does.
  LinearLayout one = LinearLayout::identity(D::Warp, D::Dim0, 1);
  EXPECT_FALSE(one.hasIn(D::Warp));
  EXPECT_TRUE(one.hasOut(D::Dim0));
  EXPECT_EQ(one, layoutOf("-> [1]"));
  EXPECT_NE(one, unit);

  LinearLayout replicas = LinearLayout::broadcast(D::Warp, 6);
  EXPECT_EQ(replicas.inSize(D::Warp), 6);
  EXPECT_TRUE(replicas.outDims().empty());

  LinearLayout bits = LinearLayout::fromBits(
      {{D::Register, {{1, 0}, {0, 2}}}, {D::Lane, {{1, 1}}}},
      {{D::Dim0, 2}, {D::Dim1, 4}});
  for (int64_t r = 0; r < 4; ++r)
    for (int64_t l = 0; l < 2; ++l)
      EXPECT_EQ(bits.coords(r, l, 0), (Coords{(r & 1) ^ l, (r & 2) ^ l}));
}

TEST(LinearLayout, InputsCountModuloTheirSize) {
  LinearLayout layout = LinearLayout::identity(D::Warp, D::Dim0, 3);
  EXPECT_EQ(layout.coords(0, 0, 4), layout.coords(0, 0, 1));
  EXPECT_EQ(layout.coords(7, 5, 2), layout.coords(0, 0, 2));
}

TEST(LinearLayout, DigitsAreTheLongestRuns) {
  LinearLayout layout = LinearLayout::identity(D::Warp, D::Dim0, 2) *
                        LinearLayout::identity(D::Warp, D::Dim0, 3) *
                        LinearLayout::identity(D::Warp, D::Dim0, 2);
  auto digits = layout.digits(D::Warp);
  ASSERT_EQ(digits.size(), 1u);
  EXPECT_EQ(digits[0].radix, 12);
  EXPECT_EQ(digits[0].weight, 1);
  EXPECT_FALSE(digits[0].isXor);
  EXPECT_EQ(layout, LinearLayout::identity(D::Warp, D::Dim0, 12));

  auto mixed =
      layoutOf("lane: x[1,1] 3*[4,0] x[1,2] -> [12, 4]").digits(D::Lane);
  ASSERT_EQ(mixed.size(), 3u);
  EXPECT_TRUE(mixed[0].isXor);
  EXPECT_FALSE(mixed[1].isXor);
  EXPECT_EQ(mixed[1].weight, 2);
  EXPECT_EQ(mixed[2].weight, 6);
  EXPECT_EQ(mixed[2].steps[1], 2);
}

TEST(LinearLayout, Reshaping) {
  LinearLayout layout =
      layoutOf("register: 2*[0,1] 3*[4,0]; lane: 4*[1,0] 2*[0,2]; "
               "warp: 2*[0,4] 2*[0,0] -> [12, 8]");
  LinearLayout transposed = layout.transposeOuts({1, 0});
  LinearLayout threads = layout.concatIns(D::Lane, D::Warp);
  LinearLayout rest = layout.sublayout({D::Lane, D::Warp}, {D::Dim0, D::Dim1});
  EXPECT_EQ(transposed.outSize(D::Dim0), 8);
  for (int64_t r = 0; r < 6; ++r)
    for (int64_t l = 0; l < 8; ++l)
      for (int64_t w = 0; w < 4; ++w) {
        Coords c = layout.coords(r, l, w);
        EXPECT_EQ(transposed.coords(r, l, w), (Coords{c[1], c[0]}));
        EXPECT_EQ(layout.removeOut(D::Dim0).coords(r, l, w), (Coords{c[1]}));
        EXPECT_EQ(layout.reduceOut(0).coords(r, l, w), (Coords{c[1]}));
        EXPECT_EQ(rest.coords(r, l, w), layout.coords(0, l, w));
        EXPECT_EQ(threads.coords(r, l + 8 * w, 0), c);
      }
  EXPECT_EQ(layout.removeOut(D::Dim0).outDims().front(), D::Dim1);
  EXPECT_EQ(layout.removeOut(D::Dim0).inSize(D::Register), 6);
  EXPECT_EQ(layout.reduceOut(0).outDims().front(), D::Dim0);
  EXPECT_EQ(layout.sublayout({D::Lane}, {D::Dim0}).outSize(D::Dim0), 12);
  LinearLayout renamed =
      layout.renameOut(D::Dim1, D::Offset).renameIn(D::Warp, D::Block);
  EXPECT_EQ(renamed.inSize(D::Block), 4);
  EXPECT_EQ(renamed.inSize(D::Warp), 1);
  EXPECT_EQ(renamed.outSize(D::Offset), 8);
  EXPECT_EQ(renamed.outDims().front(), D::Offset);
  EXPECT_EQ(renamed.renameOut(D::Offset, D::Dim1).renameIn(D::Block, D::Warp),
            layout);
  // Three coordinates, cyclically: output i is the old output permutation[i].
  LinearLayout cube =
      layoutOf("lane: 2*[1,0,0] 3*[0,1,0] 5*[0,0,1] -> [2,3,5]");
  EXPECT_EQ(cube.transposeOuts({2, 0, 1}).str(),
            "lane: 2*[0,1,0] 3*[0,0,1] 5*[1,0,0] -> [5, 2, 3]");
}

TEST(LinearLayout, FreeDigits) {
  LinearLayout layout = layoutOf(
      "register: 2*[1]; lane: 4*[0] 2*[2] 4*[0]; warp: 3*[4] 6*[0] -> [12]");
  EXPECT_EQ(layout.broadcastMask(D::Register), 0);
  EXPECT_EQ(layout.broadcastMask(D::Lane), 0b11011);
  for (int64_t l = 0; l < 32; ++l)
    EXPECT_EQ(layout.coords(1, l, 2), layout.coords(1, l & ~0b11011, 2));
  auto free = layout.freeDigits(D::Warp);
  ASSERT_EQ(free.size(), 1u);
  EXPECT_EQ(free[0].weight, 3);
  EXPECT_EQ(free[0].radix, 6);
  EXPECT_EQ(layout.broadcastMask(D::Warp), 0);
  // The lowest digit of a free index of 6 is a bit of it.
  EXPECT_EQ(layoutOf("warp: 6*[0] -> [1]").broadcastMask(D::Warp), 1);
}

/// contiguousRegisters by its definition.
int64_t contiguousByDefinition(const LinearLayout &layout, D out) {
  int64_t best = 1;
  int64_t regs = layout.inSize(D::Register), lanes = layout.inSize(D::Lane);
  for (int64_t n = 2; n <= regs && regs % n == 0; n *= 2) {
    for (int64_t l = 0; l < lanes; ++l)
      for (int64_t r = 0; r < regs; ++r) {
        auto base = layout.apply({{D::Register, r / n * n}, {D::Lane, l}});
        auto value = layout.apply({{D::Register, r}, {D::Lane, l}});
        for (auto [b, v] : llvm::zip(base, value)) {
          int64_t expected = b.first == out ? b.second + r % n : b.second;
          if (v.second != expected || (b.first == out && b.second % n != 0))
            return best;
        }
      }
    best = n;
  }
  return best;
}

TEST(LinearLayout, ContiguousRegisters) {
  LinearLayout wide = layoutOf("register: 8*[0,1] 3*[0,8] -> [1, 24]");
  EXPECT_EQ(wide.contiguousRegisters(D::Dim1), 8);
  EXPECT_EQ(wide.contiguousRegisters(D::Dim0), 1);
  EXPECT_EQ(layoutOf("register: x[1] x[2]; lane: x[2] -> [8]")
                .contiguousRegisters(D::Dim0),
            2);
  size_t long_ = 0;
  for (int64_t r : {2, 4, 6, 8})
    for (int64_t l : {1, 2})
      forAllSpecs({{D::Register, r}, {D::Lane, l}},
                  {{D::Dim0, 12}, {D::Dim1, 2}}, [&](const Spec &spec) {
                    LinearLayout layout = spec.layout();
                    for (D out : {D::Dim0, D::Dim1}) {
                      int64_t n = contiguousByDefinition(layout, out);
                      ASSERT_EQ(layout.contiguousRegisters(out), n)
                          << layout.str();
                      long_ += n > 2;
                    }
                  });
  EXPECT_GT(long_, 0u);
}

/// registerPermutation by its definition.
std::optional<Coords> permutationByDefinition(const LinearLayout &src,
                                              const LinearLayout &dst,
                                              int64_t lanes) {
  Coords result;
  for (int64_t r = 0; r < dst.inSize(D::Register); ++r) {
    int64_t p = 0;
    for (; p < src.inSize(D::Register); ++p) {
      bool same = true;
      for (int64_t l = 0; l < lanes; ++l)
        same &= dst.coords(r, l, 0) == src.coords(p, l, 0);
      if (same)
        break;
    }
    if (p == src.inSize(D::Register))
      return std::nullopt;
    result.push_back(p);
  }
  return result;
}

TEST(LinearLayout, RegisterPermutationExhaustively) {
  for (auto [regs, out] :
       {std::pair<int64_t, int64_t>{4, 8}, {6, 12}, {4, 6}, {4, 12}}) {
    std::map<std::vector<int64_t>, LinearLayout> distinct;
    forAllSpecs({{D::Register, regs}, {D::Lane, 2}}, {{D::Dim0, out}},
                [&](const Spec &spec) {
                  distinct.try_emplace(spec.table(), spec.layout());
                });
    size_t found = 0;
    for (auto &[table, src] : distinct)
      for (auto &[table2, dst] : distinct) {
        auto expected = permutationByDefinition(src, dst, 2);
        auto actual = registerPermutation(src, dst);
        ASSERT_EQ(actual, expected) << src.str() << " to " << dst.str();
        found += actual.has_value();
      }
    EXPECT_GT(found, distinct.size());
    EXPECT_LT(found, distinct.size() * distinct.size());
  }
}

TEST(LinearLayout, RegisterPermutationNeedsTheSameTile) {
  LinearLayout layout = layoutOf("register: 4*[1] -> [4]");
  EXPECT_FALSE(registerPermutation(layout, layoutOf("register: 4*[1] -> [8]")));
  EXPECT_FALSE(
      registerPermutation(layout, layoutOf("register: 4*[1,0] -> [4, 1]")));
  // Replicas on either side: the smallest register.
  LinearLayout twice = layoutOf("register: 2*[0] 4*[1]; warp: 2*[0] -> [4]");
  EXPECT_EQ(registerPermutation(twice, layout), (Coords{0, 2, 4, 6}));
  EXPECT_EQ(registerPermutation(layout, twice),
            (Coords{0, 0, 1, 1, 2, 2, 3, 3}));
}

TEST(LinearLayout, ShuffleOnly) {
  LinearLayout rows =
      layoutOf("register: 4*[0,1]; lane: 4*[1,0]; warp: 2*[4,0] -> [8, 4]");
  LinearLayout cols =
      layoutOf("register: 4*[1,0]; lane: 4*[0,1]; warp: 2*[4,0] -> [8, 4]");
  LinearLayout across = layoutOf(
      "register: 4*[0,1]; lane: 2*[4,0] 2*[1,0]; warp: 2*[2,0] -> [8, 4]");
  LinearLayout everywhere =
      layoutOf("register: 8*[1,0]; lane: 4*[0,1]; warp: 2*[0,0] -> [8, 4]");
  EXPECT_TRUE(shuffleOnly(rows, cols));
  EXPECT_FALSE(shuffleOnly(rows, across));
  EXPECT_FALSE(shuffleOnly(rows, everywhere));
  EXPECT_TRUE(shuffleOnly(everywhere, rows));
  EXPECT_FALSE(registerPermutation(rows, cols).has_value());
  EXPECT_FALSE(shuffleOnly(rows, layoutOf("lane: 8*[1] -> [8]")));
}

} // namespace
