//===- Nvdisasm.h - NVIDIA's disassembler -----------------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_TOOLCHAIN_NVDISASM_H
#define FUSION_TOOLCHAIN_NVDISASM_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>

namespace fusion {

/// Returns the listing of a cubin with encodings and, if the cubin has them,
/// lines of the PTX (fusion/Timing/MachineCode.h reads it). `nvdisasm` is the
/// program's path. The error has its message.
llvm::Expected<std::string> disassembleCubin(llvm::StringRef nvdisasm,
                                             llvm::ArrayRef<char> cubin);

} // namespace fusion

#endif // FUSION_TOOLCHAIN_NVDISASM_H
