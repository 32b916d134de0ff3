//===- OnlineReductionTest.cpp - Running forms of reductions by algebra
//---------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Analysis/OnlineReduction.h"
#include "ParsedGroup.h"
#include <set>

using namespace fusion;
using namespace fusion::test;

namespace {

/// Two products with operators between them, written in a small language: the
/// scores are %s, `full` and `row` make element-wise operators on [m, n] and
/// [m], `reduce` a reduction along n; the second product multiplies %p.
class Between {
public:
  Between &full(llvm::StringRef name, llvm::ArrayRef<llvm::StringRef> inputs,
                llvm::StringRef body) {
    return add(name, inputs, body, "64x32xf32", /*rank=*/2, false, "");
  }
  Between &row(llvm::StringRef name, llvm::ArrayRef<llvm::StringRef> inputs,
               llvm::StringRef body) {
    return add(name, inputs, body, "64xf32", /*rank=*/1, false, "");
  }
  Between &reduce(llvm::StringRef name, llvm::StringRef input,
                  llvm::StringRef combiner, llvm::StringRef start) {
    std::string body = ("%r = arith." + combiner + " %a0, %out : f32").str();
    return add(name, {input}, body, "64xf32", 1, true, start);
  }
  /// The whole function; `p` is multiplied, `results` leave besides the
  /// product.
  std::string text(llvm::StringRef p,
                   llvm::ArrayRef<llvm::StringRef> results = {}) {
    std::string types = "tensor<64x48xf32>", values = "%e";
    for (llvm::StringRef result : results) {
      types +=
          rows.count(result.str()) ? ", tensor<64xf32>" : ", tensor<64x32xf32>";
      values += (", %" + result).str();
    }
    return "func.func @f(%q: tensor<64x16xf16>, %k: tensor<16x32xf16>, "
           "%v: tensor<32x48xf16>, %bias: tensor<64x32xf32>, %scale: "
           "tensor<64xf32>) -> (" +
           types + ") {\n%zero = arith.constant 0.0 : f32\n" +
           "%s0 = tensor.empty() : tensor<64x32xf32>\n"
           "%s1 = linalg.fill ins(%zero : f32) outs(%s0 : tensor<64x32xf32>) "
           "-> tensor<64x32xf32>\n"
           "%s = linalg.matmul ins(%q, %k : tensor<64x16xf16>, "
           "tensor<16x32xf16>) "
           "outs(%s1 : tensor<64x32xf32>) -> tensor<64x32xf32>\n" +
           code +
           "%h0 = tensor.empty() : tensor<64x32xf16>\n"
           "%h = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, "
           "j)>, "
           "affine_map<(i, j) -> (i, j)>], iterator_types = [\"parallel\", "
           "\"parallel\"]} "
           "ins(%" +
           p.str() +
           " : tensor<64x32xf32>) outs(%h0 : tensor<64x32xf16>) {\n"
           "^bb0(%x: f32, %y: f16):\n%t = arith.truncf %x : f32 to f16\n"
           "linalg.yield %t : f16\n} -> tensor<64x32xf16>\n"
           "%e0 = tensor.empty() : tensor<64x48xf32>\n"
           "%e1 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<64x48xf32>) "
           "-> tensor<64x48xf32>\n"
           "%e = linalg.matmul ins(%h, %v : tensor<64x32xf16>, "
           "tensor<32x48xf16>) "
           "outs(%e1 : tensor<64x48xf32>) -> tensor<64x48xf32>\n"
           "return " +
           values + " : " + types + "\n}\n";
  }

private:
  Between &add(llvm::StringRef name, llvm::ArrayRef<llvm::StringRef> inputs,
               llvm::StringRef body, llvm::StringRef type, unsigned rank,
               bool reduces, llvm::StringRef start) {
    bool loops2 = rank == 2 || reduces;
    std::string maps, values, types, arguments;
    for (auto [i, input] : llvm::enumerate(inputs)) {
      bool inputIsRow = rows.count(input.str()) || input == "scale";
      maps += std::string(i ? ", " : "") + "affine_map<(" +
              (loops2 ? "i, j" : "i") + ") -> (" + (inputIsRow ? "i" : "i, j") +
              ")>";
      values += (i ? ", %" : "%") + input.str();
      types += std::string(i ? ", " : "") +
               (inputIsRow ? "tensor<64xf32>" : "tensor<64x32xf32>");
      arguments += "%a" + std::to_string(i) + ": f32, ";
    }
    std::string n = name.str(), out = ("tensor<" + type + ">").str();
    std::string init = "%" + n + "_0";
    code += init + " = tensor.empty() : " + out + "\n";
    if (reduces) {
      code += "%" + n + "_c = arith.constant " + start.str() + " : f32\n%" + n +
              "_1 = linalg.fill ins(%" + n + "_c : f32) outs(" + init + " : " +
              out + ") -> " + out + "\n";
      init = "%" + n + "_1";
    }
    code += "%" + n + " = linalg.generic {indexing_maps = [" + maps +
            ", affine_map<(" + (loops2 ? "i, j" : "i") + ") -> (" +
            (rank == 2 ? "i, j" : "i") + ")>], iterator_types = [\"parallel\"" +
            (loops2 ? (reduces ? ", \"reduction\"" : ", \"parallel\"") : "") +
            "]} ins(" + values + " : " + types + ") outs(" + init + " : " +
            out + ") {\n^bb0(" + arguments + "%out: f32):\n" + body.str() +
            "\nlinalg.yield %r : f32\n} -> " + out + "\n";
    if (rank == 1)
      rows.insert(name.str());
    return *this;
  }

  std::string code;
  std::set<std::string> rows;
};

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

constexpr const char *kNegInf = "0xFF800000";

/// Up to the exponentials and their sum.
Between softmaxHead(llvm::StringRef scores = "s") {
  Between b;
  b.reduce("max", scores, "maximumf", kNegInf)
      .full("exp", {scores, "max"},
            "%d = arith.subf %a0, %a1 : f32\n%r = math.exp %d : f32")
      .reduce("sum", "exp", "addf", "0.0");
  return b;
}

} // namespace

TEST(OnlineReduction, Softmax) {
  Derived d =
      derive(softmaxHead()
                 .full("p", {"exp", "sum"}, "%r = arith.divf %a0, %a1 : f32")
                 .text("p"));
  ASSERT_TRUE(d.form) << d.reason;
  // The maximum runs and is read; the sum is corrected; the quotient leaves.
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
  Derived d = derive(b.text("p", {"lse"}));
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
      .reduce("top", "s", "maximumf", kNegInf)
      .full("p", {"s", "rms", "top"},
            "%x = arith.mulf %a1, %a0 : f32\n%r = arith.divf %x, %a2 : f32");
  Derived d = derive(b.text("p"));
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

TEST(OnlineReduction, DeclinesWithAReason) {
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
