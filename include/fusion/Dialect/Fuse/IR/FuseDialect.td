//===- FuseDialect.td - The fuse dialect --------------------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_DIALECT_FUSE_IR_FUSEDIALECT_TD
#define FUSION_DIALECT_FUSE_IR_FUSEDIALECT_TD

include "mlir/IR/DialectBase.td"

def Fuse_Dialect : Dialect {
  let name = "fuse";
  let cppNamespace = "::fusion::fuse";
  let summary = "What becomes one kernel, and how it is scheduled";
  let description = [{
    Groups of linalg operators that become one kernel each, in destination-passing
    style and isolated from above, with the schedule that says how the kernel runs.
    No operator is re-invented here: footprints, reductions and parallel loops are
    read from the indexing maps and iterator types of the linalg operators inside.

    The legal phases of a group are:

    1. formed (`fuse-form-groups`): no schedule;
    2. scheduled (`fuse-search-schedules`, or by hand): `#fuse.schedule`, verified;
    3. split (`fuse-split-reductions`): a chain with a split reduction has become a
       partial group and a group that reduces the partial results;
    4. completed (`fuse-complete-schedules`): the schedule has a `codegen`, and the
       group the cost model's predictions;
    5. lowered (`fuse-lower-to-tile`): replaced by a `tile.launch` of a `tile.kernel`.
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
}

#endif // FUSION_DIALECT_FUSE_IR_FUSEDIALECT_TD
