//===- Ptxas.h - NVIDIA's PTX assembler -------------------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_TOOLCHAIN_PTXAS_H
#define FUSION_TOOLCHAIN_PTXAS_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <string>
#include <vector>

namespace fusion {

/// Returns the path of one of NVIDIA's programs, such as `ptxas`: from PATH,
/// `bin` under CUDA_HOME, or NVIDIA's PyPI packages (`nvidia/cu*/bin` in the
/// site-packages of an active virtual environment, of the build's, or of the
/// user). Returns nullopt if it is not there.
std::optional<std::string> findNvidiaTool(llvm::StringRef name);

/// Returns the path of ptxas, or nullopt.
std::optional<std::string> findPtxas();

/// Whether a cubin says which line of the PTX each instruction was made from.
/// The instructions are the same.
enum class PtxLines { Without, With };

/// Assembles PTX for `arch` (such as `sm_90a`) into a cubin. The error has the
/// message of ptxas.
llvm::Expected<std::vector<char>>
assemblePtx(llvm::StringRef ptxas, llvm::StringRef ptx, llvm::StringRef arch,
            PtxLines lines = PtxLines::Without);

} // namespace fusion

#endif // FUSION_TOOLCHAIN_PTXAS_H
