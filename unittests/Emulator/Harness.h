//===- Harness.h - Runs kernels in tests ------------------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_UNITTESTS_EMULATOR_HARNESS_H
#define FUSION_UNITTESTS_EMULATOR_HARNESS_H

#include "fusion/Emulator/Emulator.h"

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <random>
#include <sstream>

namespace fusion::emulator::test {

inline std::string readText(const std::string &path) {
  std::ifstream stream(path, std::ios::binary);
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

/// A file of test/Emulator/corpus.
inline std::string corpus(const std::string &name) {
  return readText(std::string(FUSION_EMULATOR_CORPUS) + "/" + name);
}

inline std::unique_ptr<Program> parse(const std::string &text) {
  Error error;
  auto program = Program::parse(text, error);
  EXPECT_TRUE(program) << "line " << error.line << ": " << error.message;
  return program;
}

/// A device array with its contents on the host.
template <class T> struct Array {
  Memory &memory;
  std::vector<T> host;
  uint64_t address;

  Array(Memory &memory, std::vector<T> contents)
      : memory(memory), host(std::move(contents)),
        address(memory.allocate(host.size() * sizeof(T))) {
    if (!host.empty())
      EXPECT_TRUE(memory.write(address, host.data(), host.size() * sizeof(T)));
  }
  /// Uninitialised.
  Array(Memory &memory, size_t size)
      : memory(memory), host(size), address(memory.allocate(size * sizeof(T))) {
  }
  const std::vector<T> &fetch() {
    if (!host.empty())
      EXPECT_TRUE(memory.read(address, host.data(), host.size() * sizeof(T)));
    return host;
  }
};

template <class T> std::vector<uint8_t> bytesOf(const T &value) {
  std::vector<uint8_t> bytes(sizeof(T));
  std::memcpy(bytes.data(), &value, sizeof(T));
  return bytes;
}
template <class T> std::vector<uint8_t> bytesOf(const Array<T> &array) {
  return bytesOf(array.address);
}

template <class... Args>
Launch makeLaunch(const std::string &kernel, std::array<uint32_t, 3> grid,
                  std::array<uint32_t, 3> block, const Args &...args) {
  Launch launch;
  launch.kernel = kernel;
  launch.grid = grid;
  launch.block = block;
  launch.parameters = {bytesOf(args)...};
  return launch;
}

inline LaunchResult runOk(const Program &program, const Launch &launch,
                          Memory &memory, const Options &options = {}) {
  LaunchResult result = run(program, launch, memory, options);
  EXPECT_FALSE(result.error)
      << "line " << result.error->line << ": " << result.error->message;
  return result;
}

inline std::vector<float> uniform(size_t n, unsigned seed) {
  std::mt19937 generator(seed);
  std::vector<float> values(n);
  for (float &value : values)
    value = float(generator() >> 8) / float(1 << 23) - 1.0f;
  return values;
}

} // namespace fusion::emulator::test

#endif // FUSION_UNITTESTS_EMULATOR_HARNESS_H
