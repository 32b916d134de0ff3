//===- FuseTransformOps.td - Groups and schedules from scripts ----------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_DIALECT_FUSE_TRANSFORMOPS_FUSETRANSFORMOPS_TD
#define FUSION_DIALECT_FUSE_TRANSFORMOPS_FUSETRANSFORMOPS_TD

include "fusion/Dialect/Fuse/IR/FuseAttrs.td"
include "mlir/Dialect/Transform/IR/TransformDialect.td"
include "mlir/Dialect/Transform/Interfaces/TransformInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class FuseTransformOp<string mnemonic>
    : Op<Transform_Dialect, mnemonic, [
        DeclareOpInterfaceMethods<TransformOpInterface>,
        DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
        ReportTrackingListenerFailuresOpTrait]> {
  let cppNamespace = "::fusion::fuse";
}

class FormGroupOp<string mnemonic, string group>
    : FuseTransformOp<mnemonic> {
  let arguments = (ins Variadic<TransformHandleTypeInterface>:$operators);
  let results = (outs TransformHandleTypeInterface:$group);
  let assemblyFormat =
      "$operators attr-dict `:` functional-type(operands, results)";
  defvar text = [{
    Moves all operators of the handles, in program order, into one `}] # group # [{` and
    returns a handle to it. Fills and empty tensors that their results start from are
    copied into the group. The handles are consumed.

    Fails silenceably, without any change and with a message that says why, unless

    * all operators are linalg operators on tensors in one block outside of groups;
    * no operation outside of the group depends on one operator while another
      operator depends on it;
    * the operators can be one kernel.
  }];
  let description = text;
}

def FormChainOp : FormGroupOp<"fuse.form_chain", "fuse.chain"> {
  let summary = "Makes one chain of operators";
}

def FormStitchOp : FormGroupOp<"fuse.form_stitch", "fuse.stitch"> {
  let summary = "Makes one stitched group of operators";
}

def SetScheduleOp : FuseTransformOp<"fuse.set_schedule"> {
  let summary = "Sets the schedule of groups";
  let description = [{
    Sets the schedule of every group of the handle. `fuse-search-schedules` keeps a
    schedule that is already set and checks it against the chip.

    Fails silenceably, without any change and with a message that says why, where

    * the handle has an operation that is no group;
    * the schedule names axes or operators that a group does not have;
    * the schedule's loops do not order the operators of a group.
  }];
  let arguments = (ins TransformHandleTypeInterface:$groups,
                       Fuse_ScheduleAttr:$schedule);
  let assemblyFormat = "$groups `:` type($groups) `to` $schedule attr-dict";
}

#endif // FUSION_DIALECT_FUSE_TRANSFORMOPS_FUSETRANSFORMOPS_TD
