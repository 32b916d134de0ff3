//===- Passes.td - Transformation passes -------------------*- tablegen -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The passes of all folders, which make one page and one registration.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_TRANSFORMS_PASSES
#define FUSION_TRANSFORMS_PASSES

include "fusion/Transforms/Normalize/NormalizePasses.td"
include "fusion/Transforms/Partition/PartitionPasses.td"
include "fusion/Transforms/Scheduling/SchedulingPasses.td"

#endif // FUSION_TRANSFORMS_PASSES
