//===- PlanPage.h - A partition as a page -----------------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_SEARCH_STITCHING_PLANPAGE_H
#define FUSION_SEARCH_STITCHING_PLANPAGE_H

#include "llvm/Support/JSON.h"
#include <string>

namespace fusion {

/// A self-contained page of the plan report of fuse-form-groups: the graph of
/// each function in layers, its operators in boxes of their kernels, why
/// kernels are apart, and what other strategies would have done.
std::string renderPlan(const llvm::json::Value &report);

} // namespace fusion

#endif // FUSION_SEARCH_STITCHING_PLANPAGE_H
