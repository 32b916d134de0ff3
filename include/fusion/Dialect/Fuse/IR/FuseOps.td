//===- FuseOps.td - Groups of the fuse dialect --------------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_DIALECT_FUSE_IR_FUSEOPS_TD
#define FUSION_DIALECT_FUSE_IR_FUSEOPS_TD

include "fusion/Dialect/Fuse/IR/FuseAttrs.td"
include "fusion/Dialect/Fuse/IR/FuseInterfaces.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/IR/OpBase.td"

class Fuse_GroupOp<string opMnemonic>
    : Op<Fuse_Dialect, opMnemonic, [
        AttrSizedOperandSegments, DestinationStyleOpInterface,
        IsolatedFromAbove, Pure, SingleBlockImplicitTerminator<"YieldOp">,
        DeclareOpInterfaceMethods<Fuse_FusedGroupOpInterface>]> {
  let arguments = (ins Variadic<AnyType>:$inputs,
                       Variadic<AnyRankedTensor>:$inits,
                       OptionalAttr<Fuse_ScheduleAttr>:$schedule,
                       OptionalAttr<Fuse_PartialAttr>:$partial,
                       OptionalAttr<DictionaryAttr>:$predicted);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getInitsMutable(); }
  }];
}

def Fuse_ChainOp : Fuse_GroupOp<"chain"> {
  let summary = "Contractions and the operators around them, as one kernel";
  let description = [{
    A chain holds one or more contractions and the element-wise operators before,
    between and after them. Operands enter through `ins`, results are written to
    `outs`; the body sees both as block arguments and nothing else from outside.
    A chain with `partial` evaluates each range of a reduction by itself, and the
    range is the first dimension of its results. `predicted` holds the cost model's
    predictions for the schedule, for reports (`fuse-complete-schedules`).

    ```mlir
    %e = fuse.chain ins(%a = %A : tensor<64x32xf16>, %b = %B : tensor<32x64xf16>)
                    outs(%o = %O : tensor<64x64xf32>) {
      %zero = arith.constant 0.0 : f32
      %init = linalg.fill ins(%zero : f32) outs(%o : tensor<64x64xf32>) -> tensor<64x64xf32>
      %c = linalg.matmul ins(%a, %b : tensor<64x32xf16>, tensor<32x64xf16>)
                         outs(%init : tensor<64x64xf32>) -> tensor<64x64xf32>
      fuse.yield %c : tensor<64x64xf32>
    } -> tensor<64x64xf32>
    ```
  }];
}

def Fuse_StitchOp : Fuse_GroupOp<"stitch"> {
  let summary = "Memory-intensive operators of one kernel";
  let description = [{
    A stitched group holds element-wise operators, broadcasts, reductions and layout
    changes (FusionStitching section 4). Its syntax is that of `fuse.chain`. A single
    operator that has no tile program is a stitched group whose schedule is the
    generic form: one thread computes one element of the result.
  }];
}

def Fuse_YieldOp : Op<Fuse_Dialect, "yield", [
    Pure, ReturnLike, Terminator, ParentOneOf<["ChainOp", "StitchOp"]>]> {
  let summary = "Ends a group and names its results";
  let arguments = (ins Variadic<AnyRankedTensor>:$values);
  let assemblyFormat = "attr-dict ($values^ `:` type($values))?";
  let builders = [OpBuilder<(ins), [{ build($_builder, $_state, ::mlir::ValueRange()); }]>];
}

#endif // FUSION_DIALECT_FUSE_IR_FUSEOPS_TD
