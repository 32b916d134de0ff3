//===- PtxFuzzer.cpp - Any text as PTX ------------------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whatever the text: an error or a result, within the instruction limit.
//
//===----------------------------------------------------------------------===//

#include "fusion/Emulator/Emulator.h"

#include <algorithm>

using namespace fusion::emulator;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Error error;
  auto program = Program::parse(
      std::string_view(reinterpret_cast<const char *>(data), size), error);
  if (!program)
    return 0;
  size_t runs = 0;
  for (const std::string &kernel : program->kernels()) {
    if (++runs > 4)
      break;
    auto parameters = program->parameters(kernel);
    if (!parameters)
      __builtin_trap();
    Memory memory;
    uint64_t buffer = memory.allocate(4096);
    std::vector<uint8_t> contents(2048, uint8_t(size));
    memory.write(buffer, contents.data(), contents.size());
    Launch launch;
    launch.kernel = kernel;
    launch.grid = {2, 1, 1};
    // Parts of warps, or the warpgroups that wgmma wants.
    launch.block = {size % 4 ? 40u : 256u, 1, 1};
    launch.cluster = {size % 11 ? 1u : 2u, 1, 1};
    launch.dynamicSharedMemory = 1024;
    for (const Program::Parameter &parameter : *parameters) {
      // Pointers point to the buffer, other values are small.
      std::vector<uint8_t> bytes(parameter.bytes, 0);
      uint64_t value = parameter.bytes == 8 ? buffer : 7;
      for (size_t i = 0; i < std::min<size_t>(bytes.size(), 8); ++i)
        bytes[i] = uint8_t(value >> (8 * i));
      launch.parameters.push_back(std::move(bytes));
    }
    Options options;
    options.threads = 1;
    options.seed = size % 3;
    options.sanitize = size % 2;
    options.annotate = size % 5 == 0;
    options.l2Bytes = size % 7 == 0 ? 4096 : 0;
    options.instructionLimit = 2000;
    options.launchLimit = 20000;
    run(*program, launch, memory, options);
  }
  return 0;
}
