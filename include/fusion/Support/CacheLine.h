//===- CacheLine.h - Lines of the caches ------------------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_SUPPORT_CACHELINE_H
#define FUSION_SUPPORT_CACHELINE_H

#include <cstdint>

namespace fusion {

/// What one instruction discards (PTX ISA, "discard").
constexpr int64_t kLineBytes = 128;

} // namespace fusion

#endif // FUSION_SUPPORT_CACHELINE_H
