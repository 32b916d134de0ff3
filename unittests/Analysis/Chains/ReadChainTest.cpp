//===- ReadChainTest.cpp - Axes and tensors of chains ---------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ParsedGroup.h"

using namespace fusion;
using namespace fusion::test;

TEST(ReadChain, NamesOfTheSourceDocuments) {
  ParsedGroup group(chainIR({100, 40, 72, 24}));
  ASSERT_TRUE(group.axes) << group.reason;
  // Numbered by first appearance: m, n, k of the first contraction, h of the
  // second.
  ASSERT_EQ(group.model().axes.size(), 4u);
  EXPECT_EQ(group.model().axes[group.axis("m")].extent, 100);
  EXPECT_EQ(group.model().axes[group.axis("k")].extent, 40);
  EXPECT_EQ(group.model().axes[group.axis("n")].extent, 72);
  EXPECT_EQ(group.model().axes[group.axis("h")].extent, 24);
  EXPECT_EQ(group.axesOf("A"), "mk");
  EXPECT_EQ(group.axesOf("B"), "kn");
  EXPECT_EQ(group.axesOf("C"), "mn");
  EXPECT_EQ(group.axesOf("D"), "nh");
  EXPECT_EQ(group.axesOf("E"), "mh");
}

TEST(ReadChain, RolesAndProducts) {
  ParsedGroup group(chainIR({100, 40, 72, 24}));
  ASSERT_TRUE(group.axes) << group.reason;
  auto role = [&](llvm::StringRef name) {
    return group.model().tensors[group.tensor(name)].role;
  };
  EXPECT_EQ(role("A"), TensorRole::Operand);
  EXPECT_EQ(role("D"), TensorRole::Operand);
  EXPECT_EQ(role("C"), TensorRole::Intermediate);
  EXPECT_EQ(role("E"), TensorRole::Result);
  ASSERT_EQ(group.model().contractions.size(), 2u);
  const Contraction &first = group.model().contractions[0];
  const Contraction &second = group.model().contractions[1];
  EXPECT_FALSE(first.producer[0] || first.producer[1]);
  EXPECT_EQ(second.producer[0], 0u);
  EXPECT_FALSE(second.producer[1]);
  EXPECT_EQ(second.reduction, first.rhsAxes);
  EXPECT_EQ(first.type, MultiplicandType::F16);
  EXPECT_TRUE(group.model().indexes(group.tensor("A"), group.axis("k")));
  EXPECT_FALSE(group.model().indexes(group.tensor("A"), group.axis("n")));
  EXPECT_FALSE(group.model().findAxis("q"));
  EXPECT_FALSE(group.model().findTensor("Q"));
}

TEST(ReadChain, LongChainsGoOnWithTheAlphabet) {
  ParsedGroup group(chainIR({16, 32, 48, 64, 80, 96}));
  ASSERT_TRUE(group.axes) << group.reason;
  ASSERT_EQ(group.model().contractions.size(), 4u);
  EXPECT_EQ(group.axesOf("G"), "mp");
  EXPECT_EQ(group.axesOf("I"), "mq");
  EXPECT_EQ(group.model().axes[group.axis("q")].extent, 96);
}

TEST(ReadChain, AlignmentIsWhatRowsAreMultiplesOf) {
  ParsedGroup group(chainIR({16, 20, 18, 17}));
  ASSERT_TRUE(group.axes) << group.reason;
  auto alignment = [&](llvm::StringRef name) {
    return group.model().tensors[group.tensor(name)].alignment;
  };
  EXPECT_EQ(alignment("A"), 8u); // 20 x 2 bytes
  EXPECT_EQ(alignment("B"), 4u); // 18 x 2
  EXPECT_EQ(alignment("D"), 2u); // 17 x 2
  EXPECT_EQ(alignment("E"), 4u); // 17 x 4
}

TEST(ReadChain, TransposedOperandsKeepTheirAxes) {
  ParsedGroup group(R"(
func.func @f(%a: tensor<40x100xf16>, %b: tensor<72x40xf16>) -> tensor<72x100xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<72x100xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<72x100xf32>) -> tensor<72x100xf32>
  %c = linalg.contract indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (n, m)>]
      ins(%a, %b : tensor<40x100xf16>, tensor<72x40xf16>) outs(%f : tensor<72x100xf32>) -> tensor<72x100xf32>
  return %c : tensor<72x100xf32>
})");
  ASSERT_TRUE(group.axes) << group.reason;
  EXPECT_EQ(group.axesOf("A"), "km");
  EXPECT_EQ(group.axesOf("B"), "nk");
  EXPECT_EQ(group.axesOf("C"), "nm");
}

TEST(ReadChain, BatchIsAnAxisOfAll) {
  ParsedGroup group(R"(
func.func @f(%a: tensor<3x16x32xbf16>, %b: tensor<3x32x48xbf16>) -> tensor<3x16x48xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<3x16x48xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<3x16x48xf32>) -> tensor<3x16x48xf32>
  %c = linalg.batch_matmul ins(%a, %b : tensor<3x16x32xbf16>, tensor<3x32x48xbf16>) outs(%f : tensor<3x16x48xf32>) -> tensor<3x16x48xf32>
  return %c : tensor<3x16x48xf32>
})");
  ASSERT_TRUE(group.axes) << group.reason;
  EXPECT_EQ(group.axesOf("A"), "bmk");
  EXPECT_EQ(group.axesOf("B"), "bkn");
  EXPECT_EQ(group.axesOf("C"), "bmn");
  EXPECT_EQ(group.model().contractions[0].batch.size(), 1u);
  EXPECT_EQ(group.model().contractions[0].type, MultiplicandType::BF16);
}

TEST(ReadChain, ElementwiseInputsAreOperandsBeforeAndExtrasAfter) {
  ParsedGroup group(R"(
func.func @f(%a: tensor<16x32xf16>, %s: tensor<32xf16>, %b: tensor<32x48xf16>, %bias: tensor<48xf32>) -> tensor<16x48xf32> {
  %z = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<16x32xf16>
  %scaled = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%a, %s : tensor<16x32xf16>, tensor<32xf16>) outs(%e0 : tensor<16x32xf16>) {
  ^bb0(%x: f16, %y: f16, %o: f16):
    %t = arith.mulf %x, %y : f16
    linalg.yield %t : f16
  } -> tensor<16x32xf16>
  %e = tensor.empty() : tensor<16x48xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<16x48xf32>) -> tensor<16x48xf32>
  %c = linalg.matmul ins(%scaled, %b : tensor<16x32xf16>, tensor<32x48xf16>) outs(%f : tensor<16x48xf32>) -> tensor<16x48xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%c, %bias : tensor<16x48xf32>, tensor<48xf32>) outs(%e : tensor<16x48xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %t = arith.addf %x, %y : f32
    %u = math.tanh %t : f32
    linalg.yield %u : f32
  } -> tensor<16x48xf32>
  return %r : tensor<16x48xf32>
})");
  ASSERT_TRUE(group.axes) << group.reason;
  // The LHS's inputs, then the RHS's, then the result; extras
  // last.
  EXPECT_EQ(group.axesOf("A"), "mk");
  EXPECT_EQ(group.axesOf("B"), "k");
  EXPECT_EQ(group.axesOf("C"), "kn");
  EXPECT_EQ(group.axesOf("D"), "mn");
  EXPECT_EQ(group.axesOf("E"), "n");
  const GroupTensor &scale = group.model().tensors[group.tensor("B")];
  EXPECT_EQ(scale.role, TensorRole::Operand);
  EXPECT_EQ(scale.operandNumber, 0u);
  EXPECT_EQ(group.model().tensors[group.tensor("E")].role, TensorRole::Extra);
  // An addition and tanh.
  EXPECT_EQ(group.model().contractions[0].perPoint.plain, 17);
  EXPECT_EQ(group.model().contractions[0].perPoint.special, 1);
  EXPECT_EQ(group.model().contractions[0].perRow.plain, 0);
}

TEST(ReadChain, DynamicExtents) {
  ParsedGroup group(R"(
func.func @f(%a: tensor<?x32xf16>, %b: tensor<32x48xf16>, %e: tensor<?x48xf32>) -> tensor<?x48xf32> {
  %z = arith.constant 0.0 : f32
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<?x48xf32>) -> tensor<?x48xf32>
  %c = linalg.matmul ins(%a, %b : tensor<?x32xf16>, tensor<32x48xf16>) outs(%f : tensor<?x48xf32>) -> tensor<?x48xf32>
  return %c : tensor<?x48xf32>
})");
  ASSERT_TRUE(group.axes) << group.reason;
  EXPECT_TRUE(group.model().axes[group.axis("m")].isDynamic);
  EXPECT_FALSE(group.model().axes[group.axis("n")].isDynamic);
}

TEST(ReadChain, ValuesAreWhatStandsForTheTensors) {
  ParsedGroup group(chainIR({16, 32, 48, 64}));
  ASSERT_TRUE(group.axes) << group.reason;
  auto function = *group.module->getOps<mlir::func::FuncOp>().begin();
  EXPECT_EQ(group.axes->values[group.tensor("A")], function.getArgument(0));
  EXPECT_EQ(group.axes->values[group.tensor("D")], function.getArgument(2));
  EXPECT_EQ(group.axes->tensorOf.lookup(function.getArgument(1)),
            group.tensor("B"));
  // The next contraction reads the intermediate after its conversion to f16.
  EXPECT_NE(group.axes->values[group.tensor("C")],
            group.axes->finalValues[group.tensor("C")]);
  EXPECT_EQ(group.model().tensors[group.tensor("C")].elementBytes, 2u);
  EXPECT_EQ(group.axes->finalValues[group.tensor("E")],
            function.front().getTerminator()->getOperand(0));
}
