//===- Replicas.h - Registers that hold the same elements -------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_CONVERSION_TILETOTHREADS_REPLICAS_H
#define FUSION_LIB_CONVERSION_TILETOTHREADS_REPLICAS_H

#include "fusion/Support/LinearLayout.h"

namespace fusion {

/// For each run of `width` consecutive registers the first register of the
/// first run that holds the same elements.
llvm::SmallVector<int64_t> firstReplicas(const LinearLayout &layout,
                                         int64_t width);

} // namespace fusion

#endif // FUSION_LIB_CONVERSION_TILETOTHREADS_REPLICAS_H
