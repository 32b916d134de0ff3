//===- Options.h - The command line of fusion-run ---------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_TOOLS_FUSIONRUN_OPTIONS_H
#define FUSION_TOOLS_FUSIONRUN_OPTIONS_H

#include "fusion/Runtime/HostTensor.h"
#include "fusion/Target/Chips/Processors.h"
#include "fusion/Timing/CodeChoice.h"
#include "llvm/ADT/SmallVector.h"
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace fusion::run {

enum class DeviceChoice { Emulator, Cuda, Cpu, Auto, Reference };

/// Returns the name of a device as the option has it.
llvm::StringRef nameOf(DeviceChoice device);

struct Options {
  std::string input = "-";
  std::string chip; ///< set by the parser
  /// The CPU whose instructions the code has; empty: the chip.
  std::string instructions;
  DeviceChoice device = DeviceChoice::Auto;
  std::string entry; ///< empty: every public function
  uint64_t seed = 0;
  std::map<unsigned, std::string> inputFiles;
  std::map<unsigned, llvm::SmallVector<int64_t>> shapes;
  std::string outputDir; ///< empty: nothing is written
  bool useReference = true;
  std::map<ElementType, Tolerance> tolerances;
  std::string passPipeline;
  bool forceFusion = false;
  unsigned measured = 0;    ///< schedules of each group, 0: the model decides
  std::string groupsFile;   ///< empty: groups are not written
  std::string f32Products;  ///< empty: as the module says
  std::string f8Products;   ///< the same
  std::string exponentials; ///< empty: as the module says
  bool sanitize = false;
  bool time = false;   ///< on the emulator or the CPU
  bool isWarm = false; ///< of the launches that are timed
  std::optional<timing::CodeChoice> timeCode; ///< what is replayed
  unsigned schedules = 1;
  unsigned threads = 0;  ///< of the CPU, as a device and for the reference
  int64_t waitLimit = 0; ///< tries of a wait for an mbarrier, 0: any number
  std::optional<uint64_t> activeClusters; ///< at most, of persistent kernels
  std::vector<GpcGroup> gpcs; ///< of the emulator; empty: the chip's
  std::string jsonFile;
  std::string manifestFile, ptxFile; ///< a plan compiled earlier
  /// Remarks of the compilation to print: a regular expression of categories.
  std::optional<std::string> remarks;
  bool help = false, version = false;
};

/// Parses the arguments after the program's name.
llvm::Expected<Options> parseOptions(llvm::ArrayRef<const char *> arguments);

extern const char *const helpText;

} // namespace fusion::run

#endif // FUSION_TOOLS_FUSIONRUN_OPTIONS_H
