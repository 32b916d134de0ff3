//===- Ptxas.cpp - NVIDIA's PTX assembler ---------------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Toolchain/Ptxas.h"
#include "ToolRun.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Program.h"

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

std::optional<std::string> fusion::findNvidiaTool(llvm::StringRef name) {
  if (auto onPath = llvm::sys::findProgramByName(name))
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
    if (std::string tool = folder + "/" + name.str(); fs::can_execute(tool))
      return tool;
  return std::nullopt;
}

std::optional<std::string> fusion::findPtxas() {
  return findNvidiaTool("ptxas");
}

llvm::Expected<std::vector<char>> fusion::assemblePtx(llvm::StringRef ptxas,
                                                      llvm::StringRef ptx,
                                                      llvm::StringRef arch,
                                                      PtxLines lines) {
  llvm::Expected<ToolRun> tool = ToolRun::create();
  if (!tool)
    return tool.takeError();
  if (llvm::Error error = tool->write("kernels.ptx", ptx))
    return error;
  std::vector<std::string> arguments = {"-arch=" + arch.str(), "-o",
                                        tool->path("kernels.cubin"),
                                        tool->path("kernels.ptx")};
  if (lines == PtxLines::With)
    arguments.push_back("-lineinfo");
  if (llvm::Error error = tool->run(ptxas, arguments, "log"))
    return error;
  return tool->read("kernels.cubin", ptxas);
}
