//===- ReportFile.cpp - Reports of passes as files ------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Transforms/ReportFile.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

llvm::LogicalResult fusion::writeReport(MLIRContext &context,
                                        llvm::StringRef what,
                                        llvm::StringRef path,
                                        llvm::StringRef text) {
  if (path.empty())
    return success();
  std::error_code error;
  llvm::raw_fd_ostream file(path, error);
  if (!error) {
    file << text;
    file.close();
    error = file.error();
  }
  if (!error)
    return success();
  file.clear_error();
  return emitError(UnknownLoc::get(&context), "cannot write the ")
         << what << " to '" << path << "': " << error.message();
}
