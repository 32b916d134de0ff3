//===- Emulator.h - Executes PTX on the CPU ---------------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The public face of the emulator: a parsed PTX module, a device memory, and
// the execution of one launch. It depends on the C++ library alone, so that it
// can test any compiler's PTX.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_EMULATOR_EMULATOR_H
#define FUSION_EMULATOR_EMULATOR_H

#include "fusion/Emulator/Machine/Launch.h"
#include "fusion/Emulator/Parse/Error.h"
#include "fusion/Emulator/TensorMapInfo.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fusion::emulator {

/// Global memory of the emulated device: allocations at fixed, deterministic
/// addresses with guard zones between them. An access that touches no
/// allocation, or crosses the end of one, is an error.
class Memory {
public:
  Memory();
  ~Memory();
  Memory(const Memory &) = delete;
  Memory &operator=(const Memory &) = delete;

  /// Reserves `bytes` (0 is allowed) at a multiple of `alignment` (a power of
  /// two) and returns the device address. The contents are indeterminate, and
  /// reads of them are a finding, until written by a kernel or `write`.
  uint64_t allocate(size_t bytes, size_t alignment = 256);
  /// Copies between host and device. Returns false if the range is not within
  /// one allocation.
  bool write(uint64_t address, const void *source, size_t bytes);
  bool read(uint64_t address, void *destination, size_t bytes) const;
  /// Frees an allocation. Returns false if `address` does not start one.
  bool free(uint64_t address);

  struct Impl;
  Impl &impl() { return *pimpl; }
  const Impl &impl() const { return *pimpl; }

private:
  std::unique_ptr<Impl> pimpl;
};

/// A parsed PTX module.
class Program {
public:
  /// Parses PTX text. On failure returns null and sets `error`.
  static std::unique_ptr<Program> parse(std::string_view ptx, Error &error);
  ~Program();

  /// Names of the entry functions, in source order.
  std::vector<std::string> kernels() const;
  /// The module's target, such as `sm_90a`.
  std::string target() const;

  struct Parameter {
    size_t bytes;     ///< size of the parameter
    size_t alignment; ///< its alignment in the parameter block
    bool isPointer;   ///< declared `.ptr`
  };
  /// Returns the parameters of an entry; nullopt if there is no such entry.
  std::optional<std::vector<Parameter>>
  parameters(std::string_view kernel) const;

  struct Impl;
  const Impl &impl() const { return *pimpl; }

private:
  explicit Program(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> pimpl;
};

/// Returns the number of clusters of a launch (of blocks, if it has no
/// clusters) that `processors` hold at a time. The grid and the parameters are
/// ignored. PTX does not say how many registers a thread has: as many as
/// .maxnreg or .minnctapersm leave room for, else any number of blocks has
/// room. Returns UINT32_MAX without GPCs, and nullopt, with `error` set, if the
/// kernel cannot be launched in this way.
std::optional<uint64_t> activeClusters(const Program &program,
                                       const Launch &launch,
                                       const Processors &processors,
                                       Error &error);

/// What a launch takes of a chip.
struct LaunchShape {
  std::array<uint32_t, 3> cluster{1, 1, 1}; ///< the kernel's, if it names one
  /// The demand of a block. Registers are those of .maxnreg, else 0.
  BlockDemand block;
  /// The most registers of a thread with which .minnctapersm is kept; 0: any.
  uint32_t mostRegisters = 0;
};

/// Returns the shape of a launch on `processors`. The parameters are ignored.
/// Returns nullopt, with `error` set, if the kernel cannot be launched so.
std::optional<LaunchShape> launchShape(const Program &program,
                                       const Launch &launch,
                                       const Processors &processors,
                                       Error &error);

/// Executes one launch to its end.
LaunchResult run(const Program &program, const Launch &launch, Memory &memory,
                 const Options &options = {});

} // namespace fusion::emulator

#endif // FUSION_EMULATOR_EMULATOR_H
