//===- Ptxas.h - NVIDIA's PTX assembler -------------------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_RUNTIME_PTXAS_H
#define FUSION_RUNTIME_PTXAS_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <string>
#include <vector>

namespace fusion {

/// Returns the path of ptxas: from PATH, `bin` under CUDA_HOME, or NVIDIA's
/// PyPI packages (`nvidia/cu*/bin` in the site-packages of an active virtual
/// environment, of the build's, or of the user). Returns nullopt if there is no
/// ptxas.
std::optional<std::string> findPtxas();

/// Assembles PTX for `arch` (such as `sm_90a`) into a cubin. The error has the
/// message of ptxas.
llvm::Expected<std::vector<char>>
assemblePtx(llvm::StringRef ptxas, llvm::StringRef ptx, llvm::StringRef arch);

} // namespace fusion

#endif // FUSION_RUNTIME_PTXAS_H
