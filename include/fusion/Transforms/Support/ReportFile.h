//===- ReportFile.h - Reports of passes as files --------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_TRANSFORMS_SUPPORT_REPORTFILE_H
#define FUSION_TRANSFORMS_SUPPORT_REPORTFILE_H

#include "mlir/IR/Location.h"
#include "llvm/Support/LogicalResult.h"

namespace fusion {

/// Writes `text` to the file at `path`, or nothing where the path is empty.
/// A file that cannot be written is an error at `loc` that calls it the `what`.
llvm::LogicalResult writeReport(mlir::Location loc, llvm::StringRef what,
                                llvm::StringRef path, llvm::StringRef text);

/// Whether two paths lead to one file, which need not be there yet: spelled in
/// two ways, or through links. Empty paths lead to none.
bool leadToSameFile(llvm::StringRef path, llvm::StringRef other);

} // namespace fusion

#endif // FUSION_TRANSFORMS_SUPPORT_REPORTFILE_H
