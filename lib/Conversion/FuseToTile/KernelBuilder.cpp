//===- KernelBuilder.cpp - Kernels and launches for groups ----------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace fusion;

KernelBuilder::KernelBuilder(fuse::FusedGroupOpInterface group, StringRef name,
                             int64_t warps)
    : group(group), b(group.getContext()) {
  Location loc = group.getLoc();
  auto destination = cast<DestinationStyleOpInterface>(group.getOperation());
  Block &body = group->getRegion(0).front();
  auto access = [&](bool writes) {
    return DictionaryAttr::get(
        b.getContext(),
        b.getNamedAttr(tile::kAccessAttrName,
                       tile::AccessAttr::get(b.getContext(),
                                             writes ? tile::Access::Write
                                                    : tile::Access::Read)));
  };
  unsigned numInputs = destination.getNumDpsInputs();
  SmallVector<Type> types;
  SmallVector<Attribute> attributes;
  for (auto [index, argument] : llvm::enumerate(body.getArguments())) {
    auto tensor = dyn_cast<RankedTensorType>(argument.getType());
    types.push_back(
        tensor ? tile::PtrType::get(b.getContext(), tensor.getElementType())
               : argument.getType());
    attributes.push_back(tensor ? access(index >= numInputs)
                                : b.getDictionaryAttr({}));
  }
  SmallVector<std::pair<Value, int64_t>> dynamic;
  for (BlockArgument argument : body.getArguments())
    if (auto tensor = dyn_cast<RankedTensorType>(argument.getType()))
      for (int64_t d = 0; d < tensor.getRank(); ++d)
        if (tensor.isDynamicDim(d)) {
          dynamic.push_back({argument, d});
          types.push_back(b.getIndexType());
          attributes.push_back(b.getDictionaryAttr({}));
        }

  auto module = group->getParentOfType<ModuleOp>();
  b.setInsertionPointToEnd(module.getBody());
  kernelOp = tile::KernelOp::create(
      b, loc, name, b.getFunctionType(types, {}),
      /*sym_visibility=*/StringAttr(), b.getArrayAttr(attributes),
      /*res_attrs=*/ArrayAttr(), warps,
      /*shared_memory=*/IntegerAttr(), /*register_stages=*/IntegerAttr(),
      /*resident_blocks=*/IntegerAttr(), /*cluster=*/IntegerAttr(),
      /*producers=*/IntegerAttr(), /*register_budgets=*/DenseI64ArrayAttr(),
      /*ping_pong=*/false, /*unmasked_iterations=*/IntegerAttr());
  Block *entry = b.createBlock(&kernelOp.getBody(), {}, types,
                               SmallVector<Location>(types.size(), loc));
  for (auto [index, argument] : llvm::enumerate(body.getArguments()))
    arguments[argument] = entry->getArgument(index);
  for (auto [index, key] : llvm::enumerate(dynamic))
    sizes[key] = entry->getArgument(body.getNumArguments() + index);
  tile::ReturnOp::create(b, loc);
  b.setInsertionPoint(entry->getTerminator());
}

Value KernelBuilder::resultPointer(unsigned index) {
  return arguments.lookup(group.getInitArgument(index));
}

Value KernelBuilder::workspace(Type element, int64_t count) {
  unsigned index = group->getRegion(0).getNumArguments() + workspaces.size();
  workspaces.push_back(RankedTensorType::get({count}, element));
  auto access = b.getDictionaryAttr(b.getNamedAttr(
      tile::kAccessAttrName,
      tile::AccessAttr::get(b.getContext(), tile::Access::ReadWrite)));
  (void)kernelOp.insertArgument(index,
                                tile::PtrType::get(b.getContext(), element),
                                access, group.getLoc());
  return kernelOp.getArgument(index);
}

Value KernelBuilder::plainBuffer(Location loc, Type element, int64_t stages,
                                 int64_t rows, int64_t columns,
                                 tile::BufferSpace space, IntegerAttr ahead) {
  LinearLayout layout =
      LinearLayout::identity(LayoutDim::Offset, LayoutDim::Dim1, columns) *
      LinearLayout::identity(LayoutDim::Offset, LayoutDim::Dim0, rows);
  auto type = tile::BufferType::get(
      b.getContext(), stages, rows, columns, element,
      tile::LayoutAttr::get(b.getContext(), layout), space);
  return tile::AllocOp::create(b, loc, type, /*offset=*/IntegerAttr(), ahead,
                               /*pipelined=*/false,
                               /*registerStages=*/IntegerAttr());
}

Value KernelBuilder::constant(int64_t value) {
  Value &known = constants[value];
  if (!known) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&kernelOp.getBody().front());
    known = arith::ConstantIndexOp::create(b, group.getLoc(), value);
  }
  return known;
}

Value KernelBuilder::size(Value bodyArgument, int64_t dimension) {
  auto type = cast<RankedTensorType>(bodyArgument.getType());
  if (!type.isDynamicDim(dimension))
    return constant(type.getDimSize(dimension));
  return sizes.lookup({bodyArgument, dimension});
}

void KernelBuilder::setCodegen(const std::optional<Codegen> &codegen) {
  if (!codegen)
    return;
  kernelOp.setResidentBlocks(codegen->residentBlocks);
  if (codegen->hasRoleRegisters())
    kernelOp.setRegisterBudgets(ArrayRef<int64_t>{codegen->producerRegisters,
                                                  codegen->consumerRegisters});
  if (codegen->unmaskedIterations != Codegen().unmaskedIterations)
    kernelOp.setUnmaskedIterations(codegen->unmaskedIterations);
}

void KernelBuilder::finish(RewriterBase &rewriter, Value grid,
                           bool isPersistent) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(group);
  Location loc = group.getLoc();
  auto destination = cast<DestinationStyleOpInterface>(group.getOperation());
  SmallVector<Value> inputs(destination.getDpsInputs());
  SmallVector<Value> inits(destination.getDpsInits());
  SmallVector<Value> sizeValues;
  for (Value operand : group->getOperands())
    if (auto tensor = dyn_cast<RankedTensorType>(operand.getType()))
      for (int64_t d = 0; d < tensor.getRank(); ++d)
        if (tensor.isDynamicDim(d))
          sizeValues.push_back(
              tensor::DimOp::create(rewriter, loc, operand, d));
  SmallVector<Type> resultTypes(group->getResultTypes());
  for (RankedTensorType type : workspaces) {
    inits.push_back(tensor::EmptyOp::create(rewriter, loc, type.getShape(),
                                            type.getElementType()));
    resultTypes.push_back(type);
  }
  auto launch = tile::LaunchOp::create(
      rewriter, loc, resultTypes,
      FlatSymbolRefAttr::get(kernelOp.getNameAttr()), grid, inputs, inits,
      sizeValues, isPersistent, /*programmatic=*/false,
      group.getGroupSchedule(), group.getGroupPredicted());
  rewriter.replaceOp(group,
                     launch.getResults().take_front(group->getNumResults()));
}
