//===- OnlineReductionTest.cpp - Running forms of reductions by algebra ---===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Analysis/Online/OnlineReduction.h"
#include "Between.h"

using namespace fusion;
using namespace fusion::test;

namespace {

struct Derived {
  std::unique_ptr<ParsedGroup> group;
  std::optional<OnlineForm> form;
  std::string reason;
};

Derived derive(const std::string &text) {
  Derived result;
  result.group = std::make_unique<ParsedGroup>(text);
  EXPECT_TRUE(result.group->axes) << result.group->reason;
  if (!result.group->axes)
    return result;
  mlir::FailureOr<OnlineForm> form =
      deriveOnline(*result.group->axes, result.group->axis("n"),
                   [&](const llvm::Twine &why) { result.reason = why.str(); });
  if (mlir::succeeded(form))
    result.form = std::move(*form);
  return result;
}

} // namespace

TEST(OnlineReduction, Softmax) {
  Derived d =
      derive(softmaxHead()
                 .full("p", {"exp", "sum"}, "%r = arith.divf %a0, %a1 : f32")
                 .text("p"));
  ASSERT_TRUE(d.form) << d.reason;
  // The maximum runs and is read; the sum is rescaled; the quotient leaves.
  ASSERT_EQ(d.form->running.size(), 2u);
  EXPECT_EQ(print(d.form->running[0].factor), "1");
  EXPECT_TRUE(d.form->running[0].isGuarded);
  EXPECT_EQ(print(d.form->running[1].factor), "exp((before 0 - after 0))");
  EXPECT_FALSE(d.form->running[1].isGuarded);
  ASSERT_EQ(d.form->sums.size(), 1u);
  EXPECT_EQ(print(d.form->sums[0].factor), "exp((before 0 - after 0))");
  ASSERT_EQ(d.form->sums[0].deferred.size(), 1u);
  EXPECT_TRUE(d.form->sums[0].deferred[0].divides);
  EXPECT_EQ(d.form->skipped.size(), 1u);
}

TEST(OnlineReduction, StatisticsAndScoresOfAnyKind) {
  // Scale, bias, a clamp of the scores, the power of two, a factor of rows, and
  // the logarithm of the sum as a further result.
  Between b;
  b.full("scores", {"s", "bias", "scale"},
         "%m = arith.mulf %a0, %a2 : f32\n%w = arith.addf %m, %a1 : f32\n"
         "%r = math.tanh %w : f32")
      .reduce("max", "scores", "maxnumf", kNegInf)
      .full("exp", {"scores", "max", "scale"},
            "%d = arith.subf %a1, %a0 : f32\n%n = arith.negf %d : f32\n"
            "%w = arith.mulf %n, %a2 : f32\n%r = math.exp2 %w : f32")
      .reduce("sum", "exp", "addf", "0.0")
      .row("lse", {"max", "sum"},
           "%l = math.log %a1 : f32\n%r = arith.addf %a0, %l : f32")
      .full("p", {"exp", "sum"},
            "%i = arith.divf %a0, %a1 : f32\n%r = arith.negf %i : f32");
  Derived d = derive(b.text("p", {"lse"}, "bf16"));
  ASSERT_TRUE(d.form) << d.reason;
  EXPECT_EQ(print(d.form->sums[0].factor),
            "exp2((-(after 0 - before 0) * scalar of operator 3))");
  EXPECT_EQ(d.form->sums[0].deferred.size(), 1u);
}

TEST(OnlineReduction, WithoutSubtractionNothingRuns) {
  // The scale of an RMS norm, and what divides by a maximum, wait until the
  // end.
  Between b;
  b.full("square", {"s"}, "%r = arith.mulf %a0, %a0 : f32")
      .reduce("sum", "square", "addf", "0.0")
      .row("rms", {"sum"},
           "%c = arith.constant 0.03125 : f32\n%m = arith.mulf %a0, %c : f32\n"
           "%r = math.rsqrt %m : f32")
      .full("size", {"s"}, "%r = math.absf %a0 : f32")
      .reduce("top", "size", "maximumf", kNegInf)
      .full("p", {"s", "rms", "top"},
            "%x = arith.mulf %a1, %a0 : f32\n%r = arith.divf %x, %a2 : f32");
  Derived d = derive(b.text("p", {}, "bf16"));
  ASSERT_TRUE(d.form) << d.reason;
  for (const OnlineForm::Running &running : d.form->running) {
    EXPECT_EQ(print(running.factor), "1");
    EXPECT_FALSE(running.isGuarded);
  }
  EXPECT_EQ(print(d.form->sums[0].factor), "1");
  EXPECT_EQ(d.form->sums[0].deferred.size(), 2u);
}

TEST(OnlineReduction, Masks) {
  Between b = softmaxHead();
  b.full("kept", {"exp", "bias"},
         "%z = arith.constant 0.0 : f32\n%c = arith.cmpf ogt, %a1, %z : f32\n"
         "%r = arith.select %c, %a0, %z : f32");
  Derived d = derive(b.text("kept"));
  ASSERT_TRUE(d.form) << d.reason;
  EXPECT_EQ(print(d.form->sums[0].factor), "exp((before 0 - after 0))");
}

// Σ x_n d_n / 0 is the infinity that the sum's sign says, where a zero among
// the x_n makes Σ (x_n / 0) d_n NaN; and so on (DeferredFactors.cpp).
TEST(OnlineReduction, FactorsThatMayNotBeFinite) {
  const char *zero =
      "linalg.matmul divides by a result of its own loop that may "
      "be zero";
  const char *infinite = "linalg.matmul multiplies by a result of its own loop "
                         "that may be infinite";
  struct Case {
    const char *what, *reduced, *statistic, *applied, *reason;
  };
  const char *same = "%r = arith.addf %a0, %a0 : f32";
  const char *self = "%r = arith.mulf %a0, %a0 : f32";
  const char *divides = "%r = arith.divf %a0, %a1 : f32";
  const char *scales = "%r = arith.mulf %a0, %a1 : f32";
  const char *exponential = "%r = math.exp %a0 : f32";
  const char *guarded = "%c = arith.constant 1.0e-6 : f32\n"
                        "%r = arith.addf %a0, %c : f32";
  const char *rsqrtGuarded = "%c = arith.constant 1.0e-6 : f32\n"
                             "%x = arith.addf %a0, %c : f32\n"
                             "%r = math.rsqrt %x : f32";
  const char *inverse = "%c = arith.constant 1.0 : f32\n"
                        "%r = arith.divf %c, %a0 : f32";
  const Case cases[] = {
      // A sum of numbers of both signs; one of their squares, and with room
      // above 0.
      {"sum of either sign", same, "%r = math.absf %a0 : f32", divides, zero},
      {"squares", self, "%r = math.sqrt %a0 : f32", divides, nullptr},
      {"above zero", self, guarded, divides, nullptr},
      {"either sign above zero", same, guarded, divides, zero},
      {"reciprocal of squares", self, inverse, scales, nullptr},
      {"reciprocal of a sum", same, inverse, scales, infinite},
      {"rsqrt above zero", self, rsqrtGuarded, scales, nullptr},
      {"scaled by a sum", self, "%r = math.sqrt %a0 : f32", scales, infinite},
      {"scaled by a bounded number", same, "%r = math.tanh %a0 : f32", scales,
       nullptr},
      // Exponentials vanish without what they are made of being zero.
      {"of another number", exponential, "%r = math.absf %a0 : f32", divides,
       zero},
  };
  for (const Case &c : cases) {
    Between b;
    b.full("of", {"s"}, c.reduced)
        .reduce("sum", "of", "addf", "0.0")
        .row("statistic", {"sum"}, c.statistic)
        .full("p", {"s", "statistic"}, c.applied);
    Derived d = derive(b.text("p", {}, "bf16"));
    EXPECT_EQ(bool(d.form), c.reason == nullptr) << c.what << ": " << d.reason;
    if (c.reason)
      EXPECT_EQ(d.reason, c.reason) << c.what;
  }
}

TEST(OnlineReduction, DeclinesWithAReason) {
  // Scores may exceed what f16 holds where their quotients do not.
  Between scores;
  scores.full("size", {"s"}, "%r = math.absf %a0 : f32")
      .reduce("sum", "size", "addf", "0.0")
      .full("p", {"s", "sum"}, "%r = arith.divf %a0, %a1 : f32");
  EXPECT_TRUE(derive(scores.text("p", {}, "bf16")).form);
  EXPECT_EQ(derive(scores.text("p")).reason,
            "linalg.matmul multiplies a quotient or product that is rounded to "
            "f16 and may be out of its range without a factor that is known "
            "after the loop");
  // A value other than zero does not shrink with the rest.
  Between one = softmaxHead();
  one.full("kept", {"exp", "bias"},
           "%z = arith.constant 1.0 : f32\n%c = arith.cmpf ogt, %a1, %z : f32\n"
           "%r = arith.select %c, %a0, %z : f32");
  Derived d = derive(one.text("kept"));
  EXPECT_FALSE(d.form);
  EXPECT_EQ(d.reason, "linalg.matmul multiplies what depends on a result of "
                      "its own loop in a way that cannot be corrected");
  // The difference itself would need the sum of the other factors.
  Between mean;
  mean.reduce("sum", "s", "addf", "0.0")
      .full("p", {"s", "sum"}, "%r = arith.subf %a0, %a1 : f32");
  EXPECT_FALSE(derive(mean.text("p")).form);
  // A threshold.
  Between relu;
  relu.reduce("max", "s", "maximumf", kNegInf)
      .full("p", {"s", "max"},
            "%z = arith.constant 0.0 : f32\n%d = arith.subf %a0, %a1 : f32\n"
            "%r = arith.maximumf %d, %z : f32");
  EXPECT_FALSE(derive(relu.text("p")).form);
  // The variance about the mean.
  Between variance;
  variance.reduce("sum", "s", "addf", "0.0")
      .full("square", {"s", "sum"},
            "%d = arith.subf %a0, %a1 : f32\n%r = arith.mulf %d, %d : f32")
      .reduce("var", "square", "addf", "0.0")
      .full("p", {"s", "var"}, "%r = arith.divf %a0, %a1 : f32");
  Derived v = derive(variance.text("p"));
  EXPECT_FALSE(v.form);
  EXPECT_EQ(v.reason, "linalg.generic combines what depends on a result of its "
                      "own loop in a way that cannot be corrected");
  // Rounding to f16 keeps no differences.
  Between rounded;
  rounded.reduce("max", "s", "maximumf", kNegInf)
      .full(
          "exp", {"s", "max"},
          "%d = arith.subf %a0, %a1 : f32\n%h = arith.truncf %d : f32 to f16\n"
          "%w = arith.extf %h : f16 to f32\n%r = math.exp %w : f32");
  EXPECT_FALSE(derive(rounded.text("exp")).form);
}

TEST(OnlineReduction, RoomForConditionalRescaling) {
  auto softmax = [](const char *type) {
    return derive(
        softmaxHead()
            .full("p", {"exp", "sum"}, "%r = arith.divf %a0, %a1 : f32")
            .text("p", {}, type));
  };
  // exp(s - max) is at most 1: 2^15 is the last power of two in f16.
  Derived half = softmax("f16");
  ASSERT_TRUE(half.form) << half.reason;
  EXPECT_EQ(half.form->room, 15u);
  EXPECT_EQ(half.form->roomLimit, "values that linalg.generic rounds to f16");
  // The factor reads the maximum, reduction 0, alone.
  ASSERT_EQ(half.form->factorsOf(0).size(), 1u);
  EXPECT_EQ(print(half.form->factorsOf(0)[0]), "exp((before 0 - after 0))");
  EXPECT_TRUE(half.form->factorsOf(1).empty());
  // bf16 is as wide as f32, where a row of weights has a finite sum.
  Derived wide = softmax("bf16");
  ASSERT_TRUE(wide.form) << wide.reason;
  EXPECT_GT(wide.form->room, 100u);
  EXPECT_LT(wide.form->room, 126u);
  EXPECT_EQ(wide.form->roomLimit, "sums in f32");
}

TEST(OnlineReduction, NoRoomForConditionalRescaling) {
  // Nothing to correct.
  Between late;
  late.full("size", {"s"}, "%r = math.absf %a0 : f32")
      .reduce("max", "size", "maximumf", kNegInf)
      .full("p", {"s", "max"}, "%r = arith.divf %a0, %a1 : f32");
  Derived d = derive(late.text("p", {}, "bf16"));
  ASSERT_TRUE(d.form) << d.reason;
  EXPECT_EQ(d.form->room, 0u);
  EXPECT_EQ(d.form->roomLimit, "nothing is rescaled in the loop");
  // Two running values in one factor.
  Between two;
  two.reduce("max", "s", "maximumf", kNegInf)
      .reduce("least", "s", "minimumf", "0x7F800000")
      .full("p", {"s", "max", "least"},
            "%d = arith.subf %a0, %a1 : f32\n%e = math.exp %d : f32\n"
            "%w = arith.subf %a2, %a0 : f32\n%x = math.exp %w : f32\n"
            "%r = arith.mulf %e, %x : f32");
  Derived t = derive(two.text("p"));
  ASSERT_TRUE(t.form) << t.reason;
  EXPECT_EQ(t.form->room, 0u);
  EXPECT_EQ(t.form->roomLimit,
            "accumulators are rescaled by several running values at once");
}
