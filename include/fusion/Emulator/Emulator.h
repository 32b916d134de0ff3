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

#include "fusion/Target/Chips/Processors.h"
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fusion::emulator {

/// The reason why parsing or executing failed. `line` counts from 1 in the PTX
/// text; 0 if the error has no line.
struct Error {
  std::string message;
  unsigned line = 0;
};

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

/// One launch. A parameter is the little-endian bytes of its value, exactly as
/// long as the kernel declares it.
struct Launch {
  std::string kernel;
  std::array<uint32_t, 3> grid{1, 1, 1};
  std::array<uint32_t, 3> block{1, 1, 1};
  std::array<uint32_t, 3> cluster{1, 1, 1};
  uint32_t dynamicSharedMemory = 0; ///< bytes
  std::vector<std::vector<uint8_t>> parameters;
  /// Addresses in allocations that previous grids may still access, as this
  /// launch need not have waited for their end. Sanitizers require a
  /// griddepcontrol.wait before it accesses them.
  std::vector<uint64_t> pending;
};

struct Options {
  bool sanitize = false;
  bool annotate = false; ///< fill LaunchResult::lines
  uint64_t seed = 0;     ///< draws the order in which warps run
  unsigned threads = 0;  ///< host threads, 0 = all cores
  /// The most warp instructions that one warp, and that all warps of the launch
  /// together may execute, 0 = no limit. A block counts as at least one
  /// instruction.
  uint64_t instructionLimit = 0;
  uint64_t launchLimit = 0;
  uint64_t l2Bytes = 0; ///< capacity of the L2 model, 0 = no model
  /// The processors that blocks are placed on: no more clusters are resident at
  /// a time. Without GPCs there is always room.
  Processors processors;
  /// Called by the calling thread, and by no other, several times a second;
  /// `false` stops all host threads and ends the launch with an error.
  std::function<bool()> proceed;
};

/// Exact and repeatable; the definitions are in docs/emulator-reference.md.
struct Counters {
  uint64_t globalLoadBytes =
      0; ///< bytes of active lanes; cp.async by source size
  uint64_t globalStoreBytes = 0;
  uint64_t globalSectors = 0; ///< 32-byte sectors, counted per request
  uint64_t dramBytes = 0;     ///< by the L2 model
  uint64_t sharedWavefronts = 0;
  uint64_t sharedBankConflicts = 0; ///< wavefronts beyond the access's minimum
  uint64_t mmaFlops = 0;            ///< 2 x multiply-adds, padding included
  uint64_t instructions = 0;        ///< per warp
  uint64_t barriers = 0;

  Counters &operator+=(const Counters &other);
  bool operator==(const Counters &other) const;
};

/// What a sanitizer found. `kind` is one of the list "Findings" in
/// docs/emulator-reference.md.
struct Finding {
  std::string kind;
  std::string kernel;
  std::array<uint32_t, 3> block{0, 0, 0};
  std::array<uint32_t, 3> thread{0, 0, 0};
  unsigned line = 0;
  unsigned otherLine = 0; ///< the other access's line, 0 without one
  std::string message;
};

struct LaunchResult {
  /// The reason why the launch did not run to its end: bad launch, unknown
  /// instruction, trap, out-of-bounds access, deadlock, instruction limit, or
  /// `false` from Options::proceed.
  std::optional<Error> error;
  Counters counters;
  std::vector<Finding> findings;
  std::map<unsigned, Counters> lines; ///< by PTX line, with Options::annotate
};

/// Element types of tensor maps, numbered as by tensormap.replace (PTX ISA).
enum class TensorMapType : uint8_t {
  U8,
  U16,
  U32,
  S32,
  U64,
  S64,
  F16,
  F32,
  F32Ftz,
  F64,
  BF16,
  TF32,
  TF32Ftz,
};

/// The fields of a tensor map for mode .im2col in place of a box. The bounding
/// box of the one to three spatial dimensions (innermost first) is
/// [lowerCorner, size + upperCorner).
struct Im2colInfo {
  std::array<int16_t, 3> lowerCorner{0, 0, 0};
  std::array<int16_t, 3> upperCorner{0, 0, 0};
  uint32_t channelsPerPixel = 0;
  uint32_t pixelsPerColumn = 0;
};

/// A tensor in global memory and the box of it that one copy moves (PTX ISA,
/// "Tensors"; CUDA Driver API, cuTensorMapEncodeTiled). Innermost dimension
/// first, 1 to 5 of them.
struct TensorMapInfo {
  TensorMapType type = TensorMapType::F32;
  uint64_t address = 0;                 ///< a multiple of 16 bytes
  std::vector<uint64_t> dims;           ///< elements, 1 to 2^32 each
  std::vector<uint64_t> strides;        ///< bytes, of dimensions 1 and up
  std::vector<uint32_t> box;            ///< elements, 1 to 256 each
  std::vector<uint32_t> elementStrides; ///< 1 to 8; empty: all 1
  uint32_t swizzleBytes = 0;            ///< 0, 32, 64 or 128
  uint32_t interleaveBytes = 0;         ///< 0, 16 or 32
  bool fillNan = false;                 ///< outside of the tensor, not 0
  std::optional<Im2colInfo> im2col;     ///< in place of `box`
};

/// Returns the 128 bytes of a kernel parameter that describe the tensor map, in
/// the emulator's own encoding, which only the emulator reads. Returns nullopt,
/// with `message` set, if there can be no such tensor map.
std::optional<std::array<uint8_t, 128>>
encodeTensorMap(const TensorMapInfo &info, std::string &message);

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

/// Executes one launch to its end.
LaunchResult run(const Program &program, const Launch &launch, Memory &memory,
                 const Options &options = {});

} // namespace fusion::emulator

#endif // FUSION_EMULATOR_EMULATOR_H
