//===- Files.h - Whole files ------------------------------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_TOOLS_FUSIONEMULATE_FILES_H
#define FUSION_TOOLS_FUSIONEMULATE_FILES_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace fusion::emulator {

/// Reads a whole file, or a pipe to its end. Returns false, with `problem` set,
/// on failure.
bool readFile(const std::string &path, std::vector<uint8_t> &contents,
              std::string &problem);
/// Writes a file. Returns false on failure.
bool writeFile(const std::string &path, const void *data, size_t size);

/// Reads a regular file, as many bytes as its size says: other files may never
/// end. Returns false, with `problem` set, on failure.
bool readBuffer(const std::string &path, std::vector<uint8_t> &contents,
                std::string &problem);

/// Returns whether the file can be written or created, without changing it.
/// Otherwise `problem` says why not.
bool canWriteFile(const std::string &path, std::string &problem);

/// Returns an identity that is equal for all names of a file. The file need not
/// exist yet.
std::string identifyFile(const std::string &path);

} // namespace fusion::emulator

#endif // FUSION_TOOLS_FUSIONEMULATE_FILES_H
