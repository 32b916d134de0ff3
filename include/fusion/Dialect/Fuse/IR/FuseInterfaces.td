//===- FuseInterfaces.td - Interface of fused groups --------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_DIALECT_FUSE_IR_FUSEINTERFACES_TD
#define FUSION_DIALECT_FUSE_IR_FUSEINTERFACES_TD

include "mlir/IR/OpBase.td"

def Fuse_FusedGroupOpInterface
    : OpInterface<"FusedGroupOpInterface"> {
  let cppNamespace = "::fusion::fuse";
  let description = [{
    A group of operators that becomes one kernel; every implementer is a
    `DestinationStyleOpInterface` too. What its axes and tensors are
    called is computed by `fusion/Analysis/Groups/GroupAxes.h`.
  }];
  let methods = [
    InterfaceMethod<[{The linalg operators in program order, fills included.}],
      "::llvm::SmallVector<::mlir::linalg::LinalgOp>", "getOperators", (ins), [{}], [{
        ::llvm::SmallVector<::mlir::linalg::LinalgOp> result;
        for (::mlir::Operation &op : $_op->getRegion(0).front())
          if (auto linalgOp = ::mlir::dyn_cast<::mlir::linalg::LinalgOp>(op))
            result.push_back(linalgOp);
        return result;
      }]>,
    InterfaceMethod<[{The values that the group yields, one for each result.}],
      "::mlir::OperandRange", "getYieldedValues", (ins), [{}], [{
        return $_op->getRegion(0).front().getTerminator()->getOperands();
      }]>,
    InterfaceMethod<[{The argument inside that stands for an `ins` operand.}],
      "::mlir::BlockArgument", "getInputArgument", (ins "unsigned":$index), [{}], [{
        return $_op->getRegion(0).front().getArgument(index);
      }]>,
    InterfaceMethod<[{The argument inside that stands for an `outs` operand.}],
      "::mlir::BlockArgument", "getInitArgument", (ins "unsigned":$index), [{}], [{
        return $_op->getRegion(0).front().getArgument(
            $_op.getNumDpsInputs() + index);
      }]>,
    InterfaceMethod<[{The schedule, or null where none has been chosen yet.}],
      "::fusion::fuse::ScheduleAttr", "getGroupSchedule", (ins), [{}], [{
        return $_op->template getAttrOfType<::fusion::fuse::ScheduleAttr>("schedule");
      }]>,
    InterfaceMethod<[{Sets the schedule.}],
      "void", "setGroupSchedule", (ins "::fusion::fuse::ScheduleAttr":$schedule),
      [{}], [{ $_op->setAttr("schedule", schedule); }]>,
    InterfaceMethod<[{The ranges of a reduction that the group evaluates apart, or null.}],
      "::fusion::fuse::PartialAttr", "getGroupPartial", (ins), [{}], [{
        return $_op->template getAttrOfType<::fusion::fuse::PartialAttr>("partial");
      }]>,
    InterfaceMethod<[{The cost model's predictions for the schedule, or null.}],
      "::mlir::DictionaryAttr", "getGroupPredicted", (ins), [{}], [{
        return $_op->template getAttrOfType<::mlir::DictionaryAttr>("predicted");
      }]>,
    InterfaceMethod<[{Sets the predictions for the schedule.}],
      "void", "setGroupPredicted", (ins "::mlir::DictionaryAttr":$predicted),
      [{}], [{ $_op->setAttr("predicted", predicted); }]>
  ];
}

#endif // FUSION_DIALECT_FUSE_IR_FUSEINTERFACES_TD
