//===- Files.cpp - Whole files --------------------------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Files.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

using namespace fusion::emulator;
namespace fs = llvm::sys::fs;

// The largest size of a buffer, in bytes.
static constexpr uint64_t kMaxBufferBytes = uint64_t(1) << 34;

/// Opens a regular file, or a pipe if `mayBePipe`. Folders can be opened, but
/// not read, and devices may never end. Returns null, with `problem` set, on
/// failure.
static std::FILE *openFile(const std::string &path, bool mayBePipe,
                           fs::file_status &status, std::string &problem) {
  problem = "cannot read '" + path + "'";
  if (std::error_code error = fs::status(path, status)) {
    problem += ": " + error.message();
    return nullptr;
  }
  if (status.type() != fs::file_type::regular_file &&
      !(mayBePipe && status.type() == fs::file_type::fifo_file)) {
    problem += ", which is no regular file";
    return nullptr;
  }
  std::FILE *file = std::fopen(path.c_str(), "rb");
  if (!file)
    problem += std::string(": ") + std::strerror(errno);
  return file;
}

bool fusion::emulator::readFile(const std::string &path,
                                std::vector<uint8_t> &contents,
                                std::string &problem) {
  fs::file_status status;
  std::FILE *file = openFile(path, /*mayBePipe=*/true, status, problem);
  if (!file)
    return false;
  contents.clear();
  uint8_t buffer[65536];
  size_t n;
  while ((n = std::fread(buffer, 1, sizeof(buffer), file)) > 0)
    contents.insert(contents.end(), buffer, buffer + n);
  bool good = !std::ferror(file);
  std::fclose(file);
  return good;
}

bool fusion::emulator::writeFile(const std::string &path, const void *data,
                                 size_t size) {
  std::FILE *file = std::fopen(path.c_str(), "wb");
  if (!file)
    return false;
  bool good = size == 0 || std::fwrite(data, 1, size, file) == size;
  return std::fclose(file) == 0 && good;
}

bool fusion::emulator::canWriteFile(const std::string &path,
                                    std::string &problem) {
  problem = "cannot write '" + path + "': ";
  fs::file_status status;
  if (!fs::status(path, status)) {
    // Opening a pipe would wait for its reader.
    if (status.type() == fs::file_type::directory_file) {
      problem += "it is a folder";
      return false;
    }
    std::error_code error = fs::access(path, fs::AccessMode::Write);
    problem += error.message();
    return !error;
  }
  int descriptor;
  std::error_code error =
      fs::openFileForWrite(path, descriptor, fs::CD_CreateNew);
  if (!error) {
    fs::file_t file = fs::convertFDToNativeFile(descriptor);
    fs::closeFile(file);
    fs::remove(path);
  }
  problem += error.message();
  // A link whose target does not exist yet.
  return !error || error == std::errc::file_exists;
}

bool fusion::emulator::readBuffer(const std::string &path,
                                  std::vector<uint8_t> &contents,
                                  std::string &problem) {
  fs::file_status status;
  std::FILE *file = openFile(path, /*mayBePipe=*/false, status, problem);
  if (!file)
    return false;
  // A larger file needs far more memory than test machines have: sparse files,
  // /proc/kcore.
  bool good = status.getSize() <= kMaxBufferBytes;
  if (good) {
    contents.resize(status.getSize());
    good = std::fread(contents.data(), 1, contents.size(), file) ==
           contents.size();
  } else {
    problem += " of " + std::to_string(status.getSize()) +
               " bytes, more than " + std::to_string(kMaxBufferBytes);
  }
  std::fclose(file);
  return good;
}

std::string fusion::emulator::identifyFile(const std::string &path) {
  llvm::SmallString<256> real;
  if (!fs::real_path(path, real))
    return std::string(real);
  llvm::StringRef folder = llvm::sys::path::parent_path(path);
  if (fs::real_path(folder.empty() ? "." : folder, real))
    return path;
  llvm::sys::path::append(real, llvm::sys::path::filename(path));
  return std::string(real);
}
