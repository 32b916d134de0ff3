//===- RowStatisticsTest.cpp - Reductions before contractions -------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ParsedGroup.h"
#include "fusion/Analysis/Online/OnlineReduction.h"
#include "fusion/Analysis/Schedules/TilingTree.h"
#include <map>

using namespace fusion;
using namespace fusion::test;

namespace {

/// x [64, 128] in the prologue of a contraction with w [128, 32], in a small
/// language.
class Front {
public:
  explicit Front(std::string type = "f32") : type(std::move(type)) {
    if (this->type == "f32")
      return;
    full("wide", {"x"}, "%r = arith.extf %a0 : " + this->type + " to f32");
    value = "wide";
  }
  Front &full(llvm::StringRef name, std::vector<std::string> inputs,
              const std::string &body, std::string result = "f32") {
    return add(name, inputs, body, "64x128x" + result, false, "");
  }
  Front &row(llvm::StringRef name, std::vector<std::string> inputs,
             const std::string &body) {
    return add(name, inputs, body, "64xf32", false, "");
  }
  Front &reduce(llvm::StringRef name, const std::string &input,
                const std::string &combiner, llvm::StringRef start) {
    return add(name, {input}, "%r = arith." + combiner + " %a0, %out : f32",
               "64xf32", true, start);
  }
  /// Σ x² to 1/√mean, and x times it.
  Front &rms() {
    full("square", {value}, "%r = arith.mulf %a0, %a0 : f32");
    reduce("sum", "square", "addf", "0.0");
    row("scale", {"sum"},
        "%n = arith.constant 128.0 : f32\n%m = arith.divf %a0, %n : f32\n"
        "%r = math.rsqrt %m : f32");
    return full("y", {value, "scale"}, "%r = arith.mulf %a0, %a1 : f32");
  }
  std::string text(std::string y, std::vector<std::string> results = {}) {
    if (type != "f32") {
      full("rounded", {y}, "%r = arith.truncf %a0 : f32 to " + type, type);
      y = "rounded";
    }
    std::string types = "tensor<64x32xf32>", values = "%p";
    for (const std::string &result : results) {
      types += ", tensor<" + sizes[result] + ">";
      values += ", %" + result;
    }
    return "func.func @f(%x: tensor<64x128x" + type + ">, %w: tensor<128x32x" +
           type + ">, %g: tensor<128x" + type + ">) -> (" + types + ") {\n" +
           code +
           "%z = arith.constant 0.0 : f32\n"
           "%p0 = tensor.empty() : tensor<64x32xf32>\n"
           "%p1 = linalg.fill ins(%z : f32) outs(%p0 : tensor<64x32xf32>) -> "
           "tensor<64x32xf32>\n%p = linalg.matmul ins(%" +
           y + ", %w : tensor<64x128x" + type + ">, tensor<128x32x" + type +
           ">) outs(%p1 : tensor<64x32xf32>) -> tensor<64x32xf32>\n"
           "return " +
           values + " : " + types + "\n}\n";
  }
  std::string value = "x";

private:
  Front &add(llvm::StringRef name, const std::vector<std::string> &inputs,
             const std::string &body, const std::string &size, bool isReduction,
             llvm::StringRef start) {
    std::string n = name.str(), maps, ins, insTypes, block;
    bool isFull = size.find('x') != size.rfind('x') || isReduction;
    auto mapOf = [&](const std::string &of) {
      if (!isFull)
        return std::string("affine_map<(i) -> (i)>");
      return std::string(
          of.find('x') != of.rfind('x') ? "affine_map<(i, j) -> (i, j)>"
          : of.rfind("128", 0) == 0     ? "affine_map<(i, j) -> (j)>"
                                        : "affine_map<(i, j) -> (i)>");
    };
    for (auto [i, input] : llvm::enumerate(inputs)) {
      std::string of = input == "x"   ? "64x128x" + type
                       : input == "g" ? "128x" + type
                                      : sizes[input];
      maps += mapOf(of) + ", ";
      ins += (i ? ", %" : "%") + input;
      insTypes += (i ? ", tensor<" : "tensor<") + of + ">";
      block +=
          "%a" + std::to_string(i) + ": " + of.substr(of.rfind('x') + 1) + ", ";
    }
    std::string element = size.substr(size.rfind('x') + 1), out = "%e" + n;
    code += "%e" + n + " = tensor.empty() : tensor<" + size + ">\n";
    if (isReduction) {
      code += "%s" + n + " = arith.constant " + start.str() + " : f32\n%f" + n +
              " = linalg.fill ins(%s" + n + " : f32) outs(%e" + n +
              " : tensor<" + size + ">) -> tensor<" + size + ">\n";
      out = "%f" + n;
    }
    code += "%" + n + " = linalg.generic {indexing_maps = [" + maps +
            (isReduction ? "affine_map<(i, j) -> (i)>" : mapOf(size)) +
            "], iterator_types = [\"parallel\"" +
            (isReduction ? ", \"reduction\""
             : isFull    ? ", \"parallel\""
                         : "") +
            "]} ins(" + ins + " : " + insTypes + ") outs(" + out +
            " : tensor<" + size + ">) {\n^bb0(" + block + "%out: " + element +
            "):\n" + body + "\nlinalg.yield %r : " + element +
            "\n} -> tensor<" + size + ">\n";
    sizes[n] = size;
    return *this;
  }

  std::string type, code;
  std::map<std::string, std::string> sizes;
};

std::string place(const GroupModel &group, llvm::StringRef loops, int64_t k,
                  llvm::ArrayRef<StatisticsPlacement> passes = {}) {
  auto tree = parseLoops(
      loops, group, [](const llvm::Twine &why) { ADD_FAILURE() << why.str(); });
  llvm::SmallVector<int64_t> tiles(group.axes.size(), 16);
  tiles[*group.findAxis("k")] = k;
  return printTiling(placeStatements(group, *tree, tiles, {}, true, passes),
                     group);
}

} // namespace

TEST(RowStatistics, MeanSquare) {
  ParsedGroup group(Front().rms().text("y"));
  ASSERT_TRUE(group.axes) << group.reason;
  // x is read twice, by one axis.
  ASSERT_EQ(group.model().rowStatistics.size(), 1u);
  const RowStatistics &pass = group.model().rowStatistics.front();
  EXPECT_EQ(group.model().axisName(pass.axis), "k");
  EXPECT_EQ(group.model().tensorName(pass.rows), "D");
  ASSERT_EQ(pass.reads.size(), 1u);
  EXPECT_EQ(group.model().tensorName(pass.reads[0]), "A");
  EXPECT_EQ(group.model().tensorName(pass.prepassReads[0]), "A1");
  EXPECT_EQ(group.axesOf("D"), "m");
  EXPECT_TRUE(group.model().canRunWithContraction(pass));
  EXPECT_EQ(group.model().online[0].whyNotSplit,
            "they are in the prologue of the contraction that sums over it");
  EXPECT_EQ(place(group.model(), "mnk", 32), "mn(k(LA,LB,CD,CC),SC)");
  EXPECT_EQ(place(group.model(), "mnk", 32, StatisticsPlacement::Ahead),
            "m(k(LA1,CD),n(k(LA,LB,CC),SC))");
  EXPECT_EQ(place(group.model(), "mnk", 32, StatisticsPlacement::Resident),
            "m(k(LA),k(CD),n(k(LB,CC),SC))");
  // In one tile nothing is to choose.
  for (StatisticsPlacement each :
       {StatisticsPlacement::Together, StatisticsPlacement::Ahead,
        StatisticsPlacement::Resident})
    EXPECT_EQ(place(group.model(), "mnk", 128, each), "m(LA,CD,n(LB,CC,SC))");
  // Rows inside of the loop that reduces them.
  EXPECT_EQ(place(group.model(), "nkm", 32, StatisticsPlacement::Ahead),
            "n(k(LB,m(LA,CD,CC)),m(SC))");
}

TEST(RowStatistics, MeanAndVarianceAreTwoPasses) {
  Front front;
  front.reduce("sum", "x", "addf", "0.0")
      .row("mean", {"sum"},
           "%n = arith.constant 128.0 : f32\n%r = arith.divf %a0, %n : f32")
      .full("about", {"x", "mean"}, "%r = arith.subf %a0, %a1 : f32")
      .full("square", {"about"}, "%r = arith.mulf %a0, %a0 : f32")
      .reduce("var", "square", "addf", "0.0")
      .full("y", {"about", "var"}, "%r = arith.divf %a0, %a1 : f32");
  ParsedGroup group(front.text("y", {"mean"}));
  ASSERT_TRUE(group.axes) << group.reason;
  ASSERT_EQ(group.model().rowStatistics.size(), 2u);
  EXPECT_FALSE(
      group.model().canRunWithContraction(group.model().rowStatistics[0]));
  EXPECT_EQ(group.model().online[0].whyNot,
            "linalg.generic combines what depends on a result of its own loop "
            "in a way that cannot be corrected");
  // The mean leaves as a further result.
  EXPECT_EQ(place(group.model(), "mnk", 32),
            "m(k(LA1,CD),k(LA2,CE),n(k(LA,LB,CC),SC),SF)");
  EXPECT_EQ(
      place(group.model(), "mnk", 32,
            {StatisticsPlacement::Resident, StatisticsPlacement::Resident}),
      "m(k(LA),k(CD),k(CE),n(k(LB,CC),SC),SF)");
}

TEST(RowStatistics, FactorsLeaveBehindTypesWithRoom) {
  auto derive = [](const std::string &text) {
    ParsedGroup group(text);
    EXPECT_TRUE(group.axes) << group.reason;
    return group.axes ? group.model().online.front().whyNot : "no group";
  };
  Front wide("bf16");
  wide.rms().full("gained", {"y", "g"},
                  "%v = arith.extf %a1 : bf16 to f32\n"
                  "%r = arith.mulf %a0, %v : f32");
  EXPECT_EQ(derive(wide.text("gained")), "");
  // What was f16 stays f16 without its factor; a gain may take it out of range.
  EXPECT_EQ(derive(Front("f16").rms().text("y")), "");
  Front half("f16");
  half.rms().full("gained", {"y", "g"},
                  "%v = arith.extf %a1 : f16 to f32\n"
                  "%r = arith.mulf %a0, %v : f32");
  EXPECT_EQ(derive(half.text("gained")),
            "linalg.matmul multiplies a quotient or product that is rounded to "
            "f16 and may be out of its range without a factor that is known "
            "after the loop");
  // An exponential of what is at most zero is at most one.
  Front softmax("f16");
  softmax.reduce("top", "wide", "maximumf", "0xFF800000")
      .full("exp", {"wide", "top"},
            "%d = arith.subf %a0, %a1 : f32\n%r = math.exp %d : f32")
      .reduce("sum", "exp", "addf", "0.0")
      .full("y", {"exp", "sum"}, "%r = arith.divf %a0, %a1 : f32");
  EXPECT_EQ(derive(softmax.text("y")), "");
}

TEST(RowStatistics, DeclinesWithAReason) {
  // Along the columns of the operand, which the product does not sum over.
  ParsedGroup group(
      "func.func @f(%x: tensor<64x128xf32>, %w: tensor<128x32xf32>) -> "
      "tensor<64x32xf32> {\n%z = arith.constant 0.0 : f32\n"
      "%s0 = tensor.empty() : tensor<128xf32>\n"
      "%s1 = linalg.fill ins(%z : f32) outs(%s0 : tensor<128xf32>) -> "
      "tensor<128xf32>\n"
      "%s = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, "
      "affine_map<(i, j) -> (j)>], iterator_types = [\"reduction\", "
      "\"parallel\"]} ins(%x : tensor<64x128xf32>) outs(%s1 : "
      "tensor<128xf32>) {\n^bb0(%a: f32, %o: f32):\n%r = arith.addf %a, %o : "
      "f32\nlinalg.yield %r : f32\n} -> tensor<128xf32>\n"
      "%y0 = tensor.empty() : tensor<64x128xf32>\n"
      "%y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, "
      "affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], "
      "iterator_types = [\"parallel\", \"parallel\"]} ins(%x, %s : "
      "tensor<64x128xf32>, tensor<128xf32>) outs(%y0 : tensor<64x128xf32>) "
      "{\n^bb0(%a: f32, %b: f32, %o: f32):\n%r = arith.divf %a, %b : "
      "f32\nlinalg.yield %r : f32\n} -> tensor<64x128xf32>\n"
      "%p0 = tensor.empty() : tensor<64x32xf32>\n"
      "%p1 = linalg.fill ins(%z : f32) outs(%p0 : tensor<64x32xf32>) -> "
      "tensor<64x32xf32>\n"
      "%p = linalg.matmul ins(%y, %w : tensor<64x128xf32>, "
      "tensor<128x32xf32>) outs(%p1 : tensor<64x32xf32>) -> "
      "tensor<64x32xf32>\nreturn %p : tensor<64x32xf32>\n}\n");
  EXPECT_FALSE(group.axes);
  EXPECT_EQ(group.reason, "a reduction of a contraction's prologue is along "
                          "other axes than the contraction sums over");
}
