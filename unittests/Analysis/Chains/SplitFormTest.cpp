//===- SplitFormTest.cpp - Who computes what of a split running axis ------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Analysis/Chains/SplitForm.h"
#include "Between.h"

using namespace fusion;
using namespace fusion::test;
using llvm::SmallVector;

namespace {

struct Divided {
  std::unique_ptr<ParsedGroup> group;
  std::optional<SplitForm> form;
  std::string reason;

  const OnlineAxis &online() const { return group->model().online.front(); }
};

Divided divide(const std::string &text) {
  Divided result;
  result.group = std::make_unique<ParsedGroup>(text);
  EXPECT_TRUE(result.group->axes) << result.group->reason;
  if (!result.group->axes)
    return result;
  const OnlineForm *online = result.group->axes->onlineForms.front().get();
  EXPECT_TRUE(online) << result.group->model().online.front().whyNot;
  mlir::FailureOr<SplitForm> form =
      deriveSplit(*result.group->axes, result.group->axis("n"), *online,
                  [&](const llvm::Twine &why) { result.reason = why.str(); });
  if (mlir::succeeded(form))
    result.form = std::move(*form);
  EXPECT_EQ(result.reason, result.online().whyNotSplit);
  return result;
}

} // namespace

TEST(SplitForm, Softmax) {
  // Operators: s, max, exp, sum, p, the rounding, the product.
  Divided d =
      divide(softmaxHead()
                 .full("p", {"exp", "sum"}, "%r = arith.divf %a0, %a1 : f32")
                 .text("p"));
  ASSERT_TRUE(d.form) << d.reason;
  EXPECT_EQ(d.form->partial, (SmallVector<unsigned>{0, 1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(d.form->stored, (SmallVector<unsigned, 2>{0, 1}));
  ASSERT_EQ(d.form->results.size(), 1u);
  const MergedResult &result = d.form->results.front();
  EXPECT_TRUE(result.mergesSum);
  EXPECT_EQ(result.reductions, (SmallVector<unsigned, 2>{0, 1}));
  EXPECT_TRUE(result.operators.empty());
  EXPECT_TRUE(result.inputs.empty());
  // 4 bytes each of the accumulator, the maximum and the sum.
  ASSERT_EQ(d.online().merges.size(), 1u);
  EXPECT_EQ(d.online().merges[0].partialBytes, 12u);
  EXPECT_EQ(d.online().merges[0].otherBytes, 0u);
}

TEST(SplitForm, ResultsOfRows) {
  // The logarithm of the sum, scaled; the scale is read by what follows only.
  Between b = softmaxHead();
  b.row("lse", {"max", "sum", "scale"},
        "%l = math.log %a1 : f32\n%m = arith.addf %a0, %l : f32\n"
        "%r = arith.mulf %m, %a2 : f32")
      .full("p", {"exp", "sum"}, "%r = arith.divf %a0, %a1 : f32");
  Divided d = divide(b.text("p", {"lse", "max"}));
  ASSERT_TRUE(d.form) << d.reason;
  ASSERT_EQ(d.form->results.size(), 3u);
  const MergedResult &lse = d.form->results[1], &top = d.form->results[2];
  EXPECT_FALSE(lse.mergesSum);
  EXPECT_EQ(lse.reductions.size(), 2u);
  EXPECT_EQ(lse.operators.size(), 1u);
  EXPECT_EQ(lse.inputs.size(), 1u);
  // The maximum alone needs no sum.
  EXPECT_EQ(top.reductions, (SmallVector<unsigned, 2>{0}));
  EXPECT_TRUE(top.operators.empty());
  // Parts do not evaluate the logarithm, and the scale is not theirs.
  EXPECT_FALSE(llvm::is_contained(d.form->partial, lse.operators.front()));
  ASSERT_EQ(d.online().later.size(), 1u);
  EXPECT_EQ(
      d.group->axesOf(d.group->model().tensors[d.online().later.front()].name),
      "m");
  EXPECT_EQ(d.online().merges[1].partialBytes, 8u);
  EXPECT_EQ(d.online().merges[1].otherBytes, 4u);
  EXPECT_EQ(d.online().merges[2].partialBytes, 4u);
}

TEST(SplitForm, FactorsThatLeaveTakeTheirOperatorsAlong) {
  Between b;
  b.full("square", {"s"}, "%r = arith.mulf %a0, %a0 : f32")
      .reduce("sum", "square", "addf", "0.0")
      .row("rms", {"sum"},
           "%c = arith.constant 0.03125 : f32\n%m = arith.mulf %a0, %c : f32\n"
           "%r = math.rsqrt %m : f32")
      .full("p", {"s", "rms"}, "%r = arith.mulf %a0, %a1 : f32");
  Divided d = divide(b.text("p", {}, "bf16"));
  ASSERT_TRUE(d.form) << d.reason;
  ASSERT_EQ(d.form->results[0].operators.size(), 1u);
  EXPECT_FALSE(llvm::is_contained(d.form->partial,
                                  d.form->results[0].operators.front()));
}

TEST(SplitForm, OtherInputsOfRescaling) {
  // The factor of the exponent is part of the correction.
  Between b;
  b.reduce("max", "s", "maximumf", kNegInf)
      .full("exp", {"s", "max", "scale"},
            "%d = arith.subf %a0, %a1 : f32\n%w = arith.mulf %d, %a2 : f32\n"
            "%r = math.exp %w : f32");
  Divided d = divide(b.text("exp"));
  ASSERT_TRUE(d.form) << d.reason;
  EXPECT_EQ(d.form->results[0].inputs.size(), 1u);
  // The loop reads it as well.
  EXPECT_TRUE(d.online().later.empty());
}

TEST(SplitForm, DeclinesWithAReason) {
  // The largest of all rows' maxima.
  std::string text = softmaxHead().text("exp", {"max"});
  std::string all = R"x(%g0 = tensor.empty() : tensor<f32>
%g1 = linalg.fill ins(%max_c : f32) outs(%g0 : tensor<f32>) -> tensor<f32>
%g = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]} ins(%max : tensor<64xf32>) outs(%g1 : tensor<f32>) {
^bb0(%a: f32, %b: f32):
%c = arith.maximumf %a, %b : f32
linalg.yield %c : f32
} -> tensor<f32>
)x";
  auto replace = [&](const std::string &from, const std::string &to) {
    size_t at = text.rfind(from);
    text.replace(at, from.size(), to);
  };
  replace("return %e, %max : tensor<64x48xf32>, tensor<64xf32>",
          all + "return %e, %g : tensor<64x48xf32>, tensor<f32>");
  size_t at = text.find("(tensor<64x48xf32>, tensor<64xf32>)");
  text.replace(at, 35, "(tensor<64x48xf32>, tensor<f32>)");
  Divided d = divide(text);
  EXPECT_FALSE(d.form);
  EXPECT_EQ(d.reason, "linalg.generic sums up along another axis what the "
                      "partial results share");
}
