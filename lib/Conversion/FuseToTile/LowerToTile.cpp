//===- LowerToTile.cpp - fuse-lower-to-tile -------------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelBuilder.h"
#include "fusion/Analysis/Schedules/Schedule.h"
#include "fusion/Conversion/Passes.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

namespace fusion {
#define GEN_PASS_DEF_FUSELOWERTOTILE
#include "fusion/Conversion/Passes.h.inc"
} // namespace fusion

using namespace mlir;
using namespace fusion;

namespace {

struct LowerToTilePass : fusion::impl::FuseLowerToTileBase<LowerToTilePass> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    IRRewriter rewriter(&getContext());
    llvm::StringSet<> names;
    for (Operation &op : module.getBody()->getOperations())
      if (auto symbol = dyn_cast<SymbolOpInterface>(op))
        names.insert(symbol.getName());
    SmallVector<func::FuncOp> functions(module.getOps<func::FuncOp>());
    for (func::FuncOp function : functions) {
      SmallVector<fuse::FusedGroupOpInterface> groups;
      function.walk(
          [&](fuse::FusedGroupOpInterface group) { groups.push_back(group); });
      for (auto [index, group] : llvm::enumerate(groups)) {
        if (failed(checkBody(group)))
          return signalPassFailure();
        StringRef kind = isa<fuse::ChainOp>(group) ? "chain" : "stitch";
        std::string name = ptxIdentifier(
            (function.getName() + "_" + kind + "_" + Twine(index)).str());
        while (!names.insert(name).second)
          name += "_";
        if (failed(lower(rewriter, group, name)))
          return signalPassFailure();
      }
    }
    auto chip = module->getAttrOfType<fuse::ChipAttr>(fuse::kChipAttrName);
    if (chip && lookupChip(chip.getName())->hasProgrammaticLaunch)
      for (func::FuncOp function : functions)
        overlapLaunches(function);
  }

  /// All but the first launch begin under the one before. It is not known what
  /// runs before a function, nor whether that writes its inputs.
  static void overlapLaunches(func::FuncOp function) {
    bool isOperandA = true;
    function.walk([&](tile::LaunchOp launch) {
      launch.setProgrammatic(!isOperandA);
      isOperandA = false;
    });
  }

  /// Kernels keep their names in PTX, whose identifiers have letters, digits, _
  /// and $ (PTX ISA, "Identifiers"); functions may have any.
  static std::string ptxIdentifier(std::string name) {
    for (char &c : name)
      if (!llvm::isAlnum(c) && c != '_' && c != '$')
        c = '_';
    return llvm::isDigit(name.front()) ? "_" + name : name;
  }

  /// Only operators and what they start from can be lowered.
  static LogicalResult checkBody(fuse::FusedGroupOpInterface group) {
    for (Operation &op : group->getRegion(0).front().without_terminator()) {
      bool isScalarConstant = op.hasTrait<OpTrait::ConstantLike>() &&
                              op.getResult(0).getType().isIntOrIndexOrFloat();
      if (!isScalarConstant && !isa<linalg::LinalgOp, tensor::EmptyOp>(op))
        return op.emitOpError("cannot be lowered inside of a group");
    }
    return success();
  }

  static LogicalResult lower(RewriterBase &rewriter,
                             fuse::FusedGroupOpInterface group,
                             StringRef name) {
    fuse::ScheduleAttr schedule = group.getGroupSchedule();
    if (!schedule)
      return group.emitError("has no schedule; run fuse-search-schedules");
    if (isGenericSchedule(schedule))
      return lowerGeneric(rewriter, group, name);
    if (!isa<fuse::ChainOp>(group))
      return lowerStitch(rewriter, group, name);
    return lowerChain(rewriter, group, name);
  }
};

} // namespace
