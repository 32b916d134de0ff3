//===- ToolRun.cpp - Runs a program on files ------------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ToolRun.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

using namespace fusion;
namespace fs = llvm::sys::fs;

static constexpr llvm::StringLiteral kErrors = "errors";

llvm::Expected<ToolRun> ToolRun::create() {
  ToolRun run;
  if (std::error_code error = fs::createUniqueDirectory("fusion", run.folder))
    return llvm::createStringError("temporary folder: " + error.message());
  return run;
}

ToolRun::~ToolRun() {
  if (!folder.empty())
    fs::remove_directories(folder);
}

std::string ToolRun::path(llvm::StringRef name) const {
  return (folder + "/" + name).str();
}

llvm::Error ToolRun::write(llvm::StringRef name,
                           llvm::StringRef contents) const {
  std::error_code error;
  llvm::raw_fd_ostream os(path(name), error);
  os << contents;
  os.close();
  if (!error && !os.has_error())
    return llvm::Error::success();
  os.clear_error();
  return llvm::createStringError(path(name) + ": cannot be written");
}

llvm::Error ToolRun::run(llvm::StringRef program,
                         llvm::ArrayRef<std::string> arguments,
                         llvm::StringRef out) const {
  std::vector<llvm::StringRef> all = {program};
  all.insert(all.end(), arguments.begin(), arguments.end());
  std::string outPath = path(out), errorPath = path(kErrors);
  std::optional<llvm::StringRef> redirects[] = {"", outPath, errorPath};
  std::string problem;
  int status = llvm::sys::ExecuteAndWait(program, all, std::nullopt, redirects,
                                         0, 0, &problem);
  if (status == 0)
    return llvm::Error::success();
  for (const std::string &file : {errorPath, outPath})
    if (auto text = llvm::MemoryBuffer::getFile(file))
      problem += (*text)->getBuffer().rtrim();
  return llvm::createStringError(program + ": " + problem);
}

llvm::Expected<std::vector<char>> ToolRun::read(llvm::StringRef name,
                                                llvm::StringRef program) const {
  auto file = llvm::MemoryBuffer::getFile(path(name), /*IsText=*/false,
                                          /*RequiresNullTerminator=*/false);
  if (!file)
    return llvm::createStringError(program + ": " + file.getError().message());
  return std::vector<char>((*file)->getBufferStart(), (*file)->getBufferEnd());
}
