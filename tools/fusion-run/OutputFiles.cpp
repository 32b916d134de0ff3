//===- OutputFiles.cpp - Files that fusion-run writes ---------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OutputFiles.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

using namespace fusion;
using namespace fusion::run;
using llvm::Error;
namespace fs = llvm::sys::fs;

static Error failed(const std::string &path, std::error_code error) {
  return error ? llvm::createStringError(path + ": " + error.message())
               : Error::success();
}

Error fusion::run::writeText(const std::string &path, llvm::StringRef text) {
  std::error_code error;
  llvm::raw_fd_ostream os(path, error);
  if (!error) {
    os << text;
    os.close();
    error = os.error();
    os.clear_error();
  }
  return failed(path, error);
}

/// Returns the reason why `path` cannot be written. Opens no file that is
/// there: a pipe would wait for its reader.
static std::error_code checkFile(const std::string &path) {
  if (path == "-")
    return {};
  fs::file_status status;
  if (!fs::status(path, status))
    return status.type() == fs::file_type::directory_file
               ? std::make_error_code(std::errc::is_a_directory)
               : fs::access(path, fs::AccessMode::Write);
  int descriptor;
  std::error_code error =
      fs::openFileForWrite(path, descriptor, fs::CD_CreateNew);
  // A link whose target is still to be made.
  if (error == std::errc::file_exists)
    return {};
  if (error)
    return error;
  fs::file_t file = fs::convertFDToNativeFile(descriptor);
  fs::closeFile(file);
  return fs::remove(path);
}

Error fusion::run::prepareOutputs(const Options &options) {
  // The other files may lie in the folder.
  if (!options.outputDir.empty()) {
    std::error_code error = fs::create_directories(options.outputDir);
    if (!error)
      error = fs::is_directory(options.outputDir)
                  ? fs::access(options.outputDir, fs::AccessMode::Write)
                  : std::make_error_code(std::errc::not_a_directory);
    if (error)
      return failed(options.outputDir, error);
  }
  for (const std::string &path : {options.jsonFile, options.groupsFile})
    if (!path.empty())
      if (std::error_code error = checkFile(path))
        return failed(path, error);
  return Error::success();
}
