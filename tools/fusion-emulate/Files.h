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

/// A whole file, or what a pipe has; false, with `problem` set, where that
/// fails.
bool readFile(const std::string &path, std::vector<uint8_t> &contents,
              std::string &problem);
/// False where that fails.
bool writeFile(const std::string &path, const void *data, size_t size);

/// The contents of a regular file, as many bytes as it says it has: others may
/// never end. False, with `problem` set, where that cannot be.
bool readBuffer(const std::string &path, std::vector<uint8_t> &contents,
                std::string &problem);

/// Whether the file can be written, or made; leaves it as it is. `problem` says
/// why not.
bool canWriteFile(const std::string &path, std::string &problem);

/// The same for all names of a file, which need not be there yet.
std::string identifyFile(const std::string &path);

} // namespace fusion::emulator

#endif // FUSION_TOOLS_FUSIONEMULATE_FILES_H
