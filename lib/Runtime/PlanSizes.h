//===- PlanSizes.h - The sizes of one call of a plan ------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_RUNTIME_PLANSIZES_H
#define FUSION_LIB_RUNTIME_PLANSIZES_H

#include "fusion/Runtime/DeviceCall.h"
#include "fusion/Runtime/Manifest.h"

namespace fusion {

/// Where the temporaries without an alias lie.
struct WorkspaceLayout {
  struct Temporary {
    unsigned index;
    std::optional<int64_t> offset; ///< in the workspace; else it stands alone
    int64_t bytes;
  };
  std::vector<Temporary> temporaries;
  int64_t bytes = 0;       ///< up to the last byte in use
  int64_t alignment = 256; ///< of the workspace's begin
};

/// What a call's sizes and scalar inputs say: the values of the plan's
/// expressions, whether its requirements hold, the shapes of the results.
class PlanSizes {
public:
  PlanSizes(const FunctionPlan &plan, std::vector<CallInput> inputs)
      : plan(plan), inputs(std::move(inputs)) {}

  /// Checks the inputs and the plan's requirements, evaluates the results'
  /// shapes. To be called before anything else.
  llvm::Error prepare();

  /// The value of an expression over the call's sizes. `activeClusters`: of the
  /// launch that it belongs to, where it may name them.
  llvm::Expected<int64_t>
  evaluate(const Expression &expression,
           std::optional<int64_t> activeClusters = std::nullopt) const;
  /// The value of an expression for a size, an offset or a grid (`what`), which
  /// must not be negative.
  llvm::Expected<int64_t>
  evaluateSize(const Expression &expression, const char *what,
               std::optional<int64_t> activeClusters = std::nullopt) const;

  /// The bytes of a number of type `type`; an integer that does not fit is an
  /// error. `what` names the number in errors.
  llvm::Expected<std::vector<uint8_t>> scalar(const ScalarValue &value,
                                              ElementType type,
                                              const llvm::Twine &what) const;

  llvm::ArrayRef<int64_t> resultShape(unsigned index) const {
    return resultShapes[index];
  }
  llvm::Expected<int64_t> resultBytes(unsigned index) const;

  llvm::Expected<WorkspaceLayout> layoutWorkspace() const;

  /// An error of this function.
  llvm::Error fail(const llvm::Twine &message) const;

private:
  llvm::Error checkInputs() const;
  llvm::Error evaluateShapes();

  const FunctionPlan &plan;
  std::vector<CallInput> inputs;
  std::vector<llvm::SmallVector<int64_t>> resultShapes;
};

} // namespace fusion

#endif // FUSION_LIB_RUNTIME_PLANSIZES_H
