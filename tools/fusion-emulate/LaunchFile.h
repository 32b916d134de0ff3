//===- LaunchFile.h - Launch descriptions in JSON ---------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_TOOLS_FUSIONEMULATE_LAUNCHFILE_H
#define FUSION_TOOLS_FUSIONEMULATE_LAUNCHFILE_H

#include "fusion/Emulator/Emulator.h"

#include <optional>
#include <string>
#include <vector>

namespace fusion::emulator {

/// A device buffer that begins as the contents of a file.
struct FileBuffer {
  std::string path;
  std::string identity; ///< equal for names of the same file
  std::vector<uint8_t> contents;
  std::vector<std::string>
      writeBack;          ///< files that get the contents at the end
  bool isPending = false; ///< grids launched before may still access it
};

/// One argument: bytes, the address of `buffers[buffer]`, or a tensor map of
/// that buffer (with the address yet to be set).
struct LaunchArgument {
  std::vector<uint8_t> bytes;
  int buffer = -1;
  std::optional<TensorMapInfo> tensorMap;
};

struct LaunchFile {
  Launch launch; ///< without parameters
  std::vector<LaunchArgument> arguments;
  std::vector<FileBuffer> buffers;
};

/// Reads a launch file and the buffers that it names; paths are relative to the
/// launch file's folder. Returns false, with a message, on errors.
bool readLaunchFile(const std::string &path, LaunchFile &file,
                    std::string &message);

/// Reads a launch file, as `readLaunchFile`, from `text`, the contents of
/// `path`.
bool parseLaunchFile(const std::string &path, std::string_view text,
                     LaunchFile &file, std::string &message);

/// Returns the launch with its buffers allocated in `memory` and filled. Sets
/// `addresses` to the addresses of the buffers, in the order of `file.buffers`.
Launch bindLaunch(const LaunchFile &file, Memory &memory,
                  std::vector<uint64_t> &addresses);

} // namespace fusion::emulator

#endif // FUSION_TOOLS_FUSIONEMULATE_LAUNCHFILE_H
