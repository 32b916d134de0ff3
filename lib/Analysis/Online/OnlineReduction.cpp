//===- OnlineReduction.cpp - Reductions that run online -------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Analysis/Online/OnlineReduction.h"
#include "OnlineDerivation.h"

using namespace fusion;
using namespace mlir;

FailureOr<OnlineForm>
fusion::deriveOnline(const GroupAxes &group, unsigned axis,
                     llvm::function_ref<void(const Twine &)> explain,
                     bool ofReductions) {
  return OnlineDerivation(group, axis, explain, ofReductions).run();
}
