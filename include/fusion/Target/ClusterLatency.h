//===- ClusterLatency.h - A column of the chip table ------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_TARGET_CLUSTERLATENCY_H
#define FUSION_TARGET_CLUSTERLATENCY_H

#include "fusion/Target/ChipTable.h"

namespace fusion {

/// Seconds from a multiprocessor to another one of its cluster.
double clusterLatency(const ChipInfo &chip);

} // namespace fusion

#endif // FUSION_TARGET_CLUSTERLATENCY_H
