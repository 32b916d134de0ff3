//===- Ptxas.cpp - NVIDIA's PTX assembler ---------------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Runtime/Ptxas.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

using namespace fusion;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

/// Entries of `folder` whose names start with `prefix`, the last name first:
/// the newest version.
static std::vector<std::string> entries(const llvm::Twine &folder,
                                        llvm::StringRef prefix) {
  std::vector<std::string> found;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; it != end && !error;
       it.increment(error))
    if (path::filename(it->path()).starts_with(prefix))
      found.push_back(it->path());
  llvm::sort(found, std::greater<>());
  return found;
}

std::optional<std::string> fusion::findPtxas() {
  if (auto onPath = llvm::sys::findProgramByName("ptxas"))
    return *onPath;
  std::vector<std::string> folders;
  if (auto home = llvm::sys::Process::GetEnv("CUDA_HOME"))
    folders.push_back(*home + "/bin");

  std::vector<std::string> environments;
  if (auto active = llvm::sys::Process::GetEnv("VIRTUAL_ENV"))
    environments.push_back(*active);
  // build/bin/fusion-run, build/venv
  static const char anchor = 0;
  std::string self =
      fs::getMainExecutable(nullptr, const_cast<char *>(&anchor));
  environments.push_back(
      (path::parent_path(path::parent_path(self)) + "/venv").str());
  llvm::SmallString<128> user;
  if (path::home_directory(user))
    environments.push_back((user + "/.local").str());
  for (const std::string &environment : environments)
    for (const std::string &python : entries(environment + "/lib", "python3"))
      for (const std::string &cuda :
           entries(python + "/site-packages/nvidia", "cu"))
        folders.push_back(cuda + "/bin");
  for (const std::string &folder : folders)
    if (fs::can_execute(folder + "/ptxas"))
      return folder + "/ptxas";
  return std::nullopt;
}

llvm::Expected<std::vector<char>> fusion::assemblePtx(llvm::StringRef ptxas,
                                                      llvm::StringRef ptx,
                                                      llvm::StringRef arch) {
  llvm::SmallString<128> folder;
  if (std::error_code error = fs::createUniqueDirectory("fusion", folder))
    return llvm::createStringError("temporary folder: " + error.message());
  llvm::scope_exit cleanup([&] { fs::remove_directories(folder); });
  std::string input = (folder + "/kernels.ptx").str();
  std::string output = (folder + "/kernels.cubin").str();
  std::string log = (folder + "/log").str();
  {
    std::error_code error;
    llvm::raw_fd_ostream os(input, error);
    os << ptx;
    os.close();
    if (error || os.has_error()) {
      os.clear_error();
      return llvm::createStringError(input + ": cannot be written");
    }
  }
  std::string archOption = ("-arch=" + arch).str();
  llvm::StringRef arguments[] = {ptxas, archOption, "-o", output, input};
  std::optional<llvm::StringRef> redirects[] = {"", log, log};
  std::string problem;
  int status = llvm::sys::ExecuteAndWait(ptxas, arguments, std::nullopt,
                                         redirects, 0, 0, &problem);
  if (status != 0) {
    if (auto text = llvm::MemoryBuffer::getFile(log))
      problem += (*text)->getBuffer().rtrim();
    return llvm::createStringError(ptxas + ": " + problem);
  }
  auto cubin = llvm::MemoryBuffer::getFile(output, /*IsText=*/false,
                                           /*RequiresNullTerminator=*/false);
  if (!cubin)
    return llvm::createStringError(ptxas + ": " + cubin.getError().message());
  return std::vector<char>((*cubin)->getBufferStart(),
                           (*cubin)->getBufferEnd());
}
