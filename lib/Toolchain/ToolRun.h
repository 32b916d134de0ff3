//===- ToolRun.h - Runs a program on files ----------------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_TOOLCHAIN_TOOLRUN_H
#define FUSION_LIB_TOOLCHAIN_TOOLRUN_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace fusion {

/// A temporary folder for the files of one run of a program; it is removed at
/// the end.
class ToolRun {
public:
  static llvm::Expected<ToolRun> create();
  ToolRun(ToolRun &&other) : folder(std::move(other.folder)) {
    other.folder.clear();
  }
  ~ToolRun();

  /// Returns the path of a file in the folder.
  std::string path(llvm::StringRef name) const;
  /// Writes a file into the folder.
  llvm::Error write(llvm::StringRef name, llvm::StringRef contents) const;
  /// Runs a program. What it prints goes to the file `out` of the folder, and
  /// errors have what it prints as errors.
  llvm::Error run(llvm::StringRef program,
                  llvm::ArrayRef<std::string> arguments,
                  llvm::StringRef out) const;
  /// Reads a file of the folder; an error names `program`, which should have
  /// written it.
  llvm::Expected<std::vector<char>> read(llvm::StringRef name,
                                         llvm::StringRef program) const;

private:
  ToolRun() = default;
  llvm::SmallString<128> folder;
};

} // namespace fusion

#endif // FUSION_LIB_TOOLCHAIN_TOOLRUN_H
