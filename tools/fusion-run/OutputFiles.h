//===- OutputFiles.h - Files that fusion-run writes -------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_TOOLS_FUSIONRUN_OUTPUTFILES_H
#define FUSION_TOOLS_FUSIONRUN_OUTPUTFILES_H

#include "Options.h"
#include "llvm/Support/Error.h"

namespace fusion::run {

/// Writes a file as a whole; the error names it.
llvm::Error writeText(const std::string &path, llvm::StringRef text);

/// Makes the folder for tensors, and checks that this folder and the files of
/// the options can be written. Files keep their contents.
llvm::Error prepareOutputs(const Options &options);

} // namespace fusion::run

#endif // FUSION_TOOLS_FUSIONRUN_OUTPUTFILES_H
