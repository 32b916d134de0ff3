//===- ChainModelTest.cpp - Models of chains without IR -------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Analysis/Groups/ChainModel.h"
#include "ParsedGroup.h"

using namespace fusion;
using namespace fusion::test;

namespace {

// What the analysis of a program says, but for the result, which is f32 there.
TEST(ChainModel, IsThatOfTheProgram) {
  for (std::vector<int64_t> sizes : {std::vector<int64_t>{64, 32, 48},
                                     {128, 64, 96, 32},
                                     {64, 48, 80, 32, 96, 16}}) {
    ParsedGroup parsed(chainIR(sizes));
    ASSERT_TRUE(parsed.axes) << parsed.reason;
    const GroupModel &expected = parsed.model();
    GroupModel group = makeChainModel(
        {llvm::SmallVector<int64_t, 6>(sizes.begin(), sizes.end())});
    ASSERT_EQ(group.axes.size(), expected.axes.size());
    ASSERT_EQ(group.tensors.size(), expected.tensors.size());
    ASSERT_EQ(group.contractions.size(), expected.contractions.size());
    for (const Axis &axis : expected.axes) {
      auto number = group.findAxis(axis.name);
      ASSERT_TRUE(number) << axis.name;
      EXPECT_EQ(group.axes[*number].extent, axis.extent);
    }
    auto names = [](const GroupModel &model, llvm::ArrayRef<unsigned> axes) {
      std::string text;
      for (unsigned axis : axes)
        text += model.axes[axis].name;
      return text;
    };
    for (const GroupTensor &tensor : expected.tensors) {
      auto number = group.findTensor(tensor.name);
      ASSERT_TRUE(number) << tensor.name;
      const GroupTensor &own = group.tensors[*number];
      EXPECT_EQ(names(group, own.axes), names(expected, tensor.axes));
      EXPECT_EQ(own.role, tensor.role);
      EXPECT_EQ(own.contraction, tensor.contraction);
      EXPECT_EQ(own.operandNumber, tensor.operandNumber);
      if (tensor.role != TensorRole::Result) {
        EXPECT_EQ(own.elementBytes, tensor.elementBytes);
        EXPECT_EQ(own.alignment, tensor.alignment);
      }
    }
    for (auto [own, other] :
         llvm::zip(group.contractions, expected.contractions)) {
      EXPECT_EQ(names(group, own.lhsAxes), names(expected, other.lhsAxes));
      EXPECT_EQ(names(group, own.rhsAxes), names(expected, other.rhsAxes));
      EXPECT_EQ(names(group, own.reduction), names(expected, other.reduction));
      EXPECT_EQ(own.producer[0], other.producer[0]);
      EXPECT_EQ(own.producer[1], other.producer[1]);
      EXPECT_EQ(own.type, other.type);
      EXPECT_EQ(group.tensors[own.result].name,
                expected.tensors[other.result].name);
    }
  }
}

TEST(ChainModel, BatchesAreAnAxisOfEverything) {
  GroupModel group = makeChainModel({{128, 64, 96, 32}, 8});
  unsigned b = *group.findAxis("b");
  EXPECT_EQ(group.axes[b].extent, 8);
  for (unsigned tensor = 0; tensor < group.tensors.size(); ++tensor)
    EXPECT_TRUE(group.indexes(tensor, b));
  for (const Contraction &contraction : group.contractions)
    EXPECT_EQ(contraction.batch, (llvm::SmallVector<unsigned, 2>{b}));
}

} // namespace
