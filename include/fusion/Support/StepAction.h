//===- StepAction.h - Where long passes can be stopped ----------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_SUPPORT_STEPACTION_H
#define FUSION_SUPPORT_STEPACTION_H

#include "mlir/IR/Action.h"
#include "mlir/IR/MLIRContext.h"

namespace fusion {

/// Dispatched again and again by passes that take long, from any thread. A
/// handler of the context's actions that leaves one out, and from then on all,
/// has the pass end soon and fail, without a word.
class StepAction : public mlir::tracing::ActionImpl<StepAction> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(StepAction)
  using ActionImpl::ActionImpl;
  static constexpr llvm::StringLiteral tag = "fuse-step";
};

/// Whether the work is to go on.
inline bool goesOn(mlir::MLIRContext *context) {
  bool isPerformed = false;
  context->executeAction<StepAction>([&] { isPerformed = true; }, {});
  return isPerformed;
}

} // namespace fusion

#endif // FUSION_SUPPORT_STEPACTION_H
