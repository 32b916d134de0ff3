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
    returns a handle to it. Those that they start from (fills, empty tensors) are
    copied into the group. The handles are consumed.

    Fails silenceably, and leaves everything as it was, where the operators are
    not all linalg operators on tensors of one block that is in no group, where
    something outside depends on some of them and others on it, or where they cannot
    be one kernel; the message says why.
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
  let summary = "Says how a group is to run";
  let description = [{
    Sets the schedule of every group of the handle. `fuse-search-schedules` keeps a
    schedule that is there and checks it against the chip.

    Fails silenceably, and changes nothing, where the handle has something that is no
    group, or the schedule does not fit one: names of axes or operators that it does
    not have, loops that do not order its operators. The message says why.
  }];
  let arguments = (ins TransformHandleTypeInterface:$groups,
                       Fuse_ScheduleAttr:$schedule);
  let assemblyFormat = "$groups `:` type($groups) `to` $schedule attr-dict";
}

#endif // FUSION_DIALECT_FUSE_TRANSFORMOPS_FUSETRANSFORMOPS_TD
