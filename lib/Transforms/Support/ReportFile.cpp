//===- ReportFile.cpp - Reports of passes as files ------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Transforms/Support/ReportFile.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <filesystem>

using namespace mlir;

llvm::LogicalResult fusion::writeReport(Location loc, llvm::StringRef what,
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
  return emitError(loc, "cannot write the ")
         << what << " to '" << path << "': " << error.message();
}

/// Where a file will be made that is written to: behind links that lead to
/// nothing yet, in a folder that has one name.
static std::string findPlace(llvm::StringRef path) {
  constexpr unsigned maxLinks = 40; // as kernels follow
  std::filesystem::path place(path.str());
  std::error_code error;
  for (unsigned i = 0; i < maxLinks; ++i) {
    std::filesystem::path target = std::filesystem::read_symlink(place, error);
    if (error)
      break;
    place = place.parent_path() / target;
  }
  llvm::SmallString<128> folder;
  llvm::StringRef own = place.native(),
                  parent = llvm::sys::path::parent_path(own);
  if (llvm::sys::fs::real_path(parent.empty() ? "." : parent, folder))
    return place.native();
  llvm::sys::path::append(folder, llvm::sys::path::filename(own));
  return folder.str().str();
}

bool fusion::leadToSameFile(llvm::StringRef path, llvm::StringRef other) {
  if (path.empty() || other.empty())
    return false;
  return llvm::sys::fs::equivalent(path, other) ||
         findPlace(path) == findPlace(other);
}
