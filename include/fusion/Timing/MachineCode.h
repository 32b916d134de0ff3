//===- MachineCode.h - Machine code of kernels, from nvdisasm ---*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The machine code of a cubin as `nvdisasm -c -hex -gp` prints it. `ptxas
// -lineinfo` gives each instruction the line of PTX that it was made from; the
// code is the same without.
//
// An instruction of Volta and later chips has 128 bits. The compiler's
// scheduling stands in 21 of them (Z. Jia et al., "Dissecting the NVIDIA Volta
// GPU Architecture via Microbenchmarking", 2018): the cycles until the next
// instruction of the warp, and the scoreboards that it sets and waits for.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_TIMING_MACHINECODE_H
#define FUSION_TIMING_MACHINECODE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace fusion::timing {

/// The scoreboards of a warp, which instructions of unknown latency set.
constexpr unsigned kScoreboards = 6;

/// What the compiler decided about the issue of an instruction.
struct IssueControl {
  unsigned stall = 0; ///< cycles until the warp's next instruction may issue
  /// Whether the scheduler had better issue another warp next.
  bool yields = false;
  /// The scoreboard that is set until the result is written, or until the
  /// operands are read.
  std::optional<unsigned> writeScoreboard, readScoreboard;
  /// Bit i: waits until scoreboard i is clear.
  unsigned waits = 0;
};

/// Decodes the upper 64 bits of an instruction.
IssueControl decodeIssueControl(uint64_t upper);

/// A predicate register that decides whether lanes execute an instruction.
struct Guard {
  unsigned predicate;
  bool isUniform; ///< one value for the warp
  bool isNegated;
};

/// One instruction. Texts refer to the listing.
struct MachineInst {
  uint32_t address = 0; ///< bytes from the kernel's first instruction
  std::optional<Guard> guard;
  llvm::StringRef opcode;   ///< with modifiers: `LDG.E.128`
  llvm::StringRef operands; ///< `R4, desc[UR6][R2.64]`
  IssueControl control;
  unsigned line = 0; ///< of the PTX, from 1; 0 if it is not known
  /// The number of the instruction that a branch names, in the kernel.
  std::optional<unsigned> target;
  /// Registers that it reads and writes, by number, in code that was made of
  /// PTX (PtxCode.h). Machine code has scoreboards and stall counts for them.
  std::vector<unsigned> reads, writes;
  /// Takes no issue slot: what it writes is ready when what it reads is.
  bool isFree = false;

  /// Returns the opcode without modifiers.
  llvm::StringRef mnemonic() const { return opcode.split('.').first; }
  /// Returns whether the opcode has a modifier, such as `128`.
  bool hasModifier(llvm::StringRef modifier) const;
};

struct MachineKernel {
  llvm::StringRef name;
  unsigned registers = 0; ///< of a thread; 0 if the listing does not say
  std::vector<MachineInst> insts;
  /// The numbers of MachineInst::reads and writes; 0 in machine code.
  unsigned trackedRegisters = 0;
};

/// The machine code of a cubin.
class MachineCode {
public:
  /// Reads a listing of nvdisasm. Returns nullopt with `reason`, which names a
  /// line of the listing, if it is none or was made without `-hex`.
  static std::optional<MachineCode> parse(std::string listing,
                                          std::string &reason);

  llvm::ArrayRef<MachineKernel> kernels() const { return found; }
  /// Returns the kernel of this name, or null.
  const MachineKernel *find(llvm::StringRef name) const;

private:
  explicit MachineCode(std::string listing)
      : text(std::make_unique<std::string>(std::move(listing))) {}

  friend class ListingReader;
  std::unique_ptr<std::string> text; ///< stays in place when this is moved
  std::vector<MachineKernel> found;
};

} // namespace fusion::timing

#endif // FUSION_TIMING_MACHINECODE_H
