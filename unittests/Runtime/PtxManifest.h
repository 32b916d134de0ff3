//===- PtxManifest.h - PTX for a device -------------------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_UNITTESTS_RUNTIME_PTXMANIFEST_H
#define FUSION_UNITTESTS_RUNTIME_PTXMANIFEST_H

#include "fusion/Runtime/Manifest.h"

namespace fusion {

/// Returns a manifest that has nothing but the code of its kernels.
inline Manifest withPtx(llvm::StringRef ptx) {
  Manifest manifest;
  manifest.ptx = ptx.str();
  return manifest;
}

} // namespace fusion

#endif // FUSION_UNITTESTS_RUNTIME_PTXMANIFEST_H
