//===- LaunchTimer.h - The time of a launch ---------------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Brings an execution on the emulator and machine code together:
//
//   auto code = assembleForTiming(ptx, options);
//   auto timer = LaunchTimer::create(*code, program, launch, options);
//   timer->record(emulatorOptions);
//   LaunchResult result = run(program, launch, memory, emulatorOptions);
//   auto timing = timer->time(result.recordings, l2);
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_TIMING_LAUNCHTIMER_H
#define FUSION_TIMING_LAUNCHTIMER_H

#include "fusion/Emulator/Emulator.h"
#include "fusion/Timing/CodeChoice.h"
#include "fusion/Timing/PtxCode.h"
#include "fusion/Timing/Simulation.h"
#include "llvm/Support/Error.h"

namespace fusion::timing {

struct TimerOptions {
  const ChipInfo *chip = nullptr;
  CodeChoice code = CodeChoice::Best;
  /// Whether L2 begins with what the same launch has left there.
  bool isWarm = false;
  bool traces = false; ///< of one SM
  /// How many blocks are simulated at most; of larger grids a sample is.
  uint64_t blocks = 1056;
  /// How many waves of blocks are executed, the first of the grid; 0: all. A
  /// wave is as many blocks as all SMs hold at once.
  uint64_t waves = 0;
  /// How many PTX instructions of warps are simulated at most, all together: a
  /// few seconds. Of longer executions fewer blocks are.
  uint64_t instructions = uint64_t(1) << 24;
};

/// The time of a launch, and where it goes.
struct LaunchTiming {
  double seconds = 0;       ///< with what a launch without work takes
  double launchSeconds = 0; ///< of these, without work
  double clockHz = 0;       ///< of the SMs
  /// The waves of the launch over the executed ones.
  double repetitions = 1;
  uint64_t blocks = 0, executedBlocks = 0, simulatedBlocks = 0;
  unsigned processors = 0, simulatedProcessors = 0; ///< SMs with blocks
  unsigned blocksPerSM = 0;
  /// What was replayed. It lives as long as this.
  std::shared_ptr<const MachineKernel> kernel;
  bool isPtx = false; ///< rather than machine code
  std::string reason; ///< of PTX: why there is no machine code
  /// Steps of the execution without a place in the machine code, and anchors of
  /// the machine code without a step, of the simulated warps.
  uint64_t missing = 0, passed = 0, steps = 0;
  /// Opcodes of the kernel that are not in the table of pipes, or of
  /// expansions.
  std::vector<std::string> unknownOpcodes;
  SimulationResult simulation;
};

/// The machine code of a program, or the reason why PTX is replayed.
struct AssembledCode {
  std::shared_ptr<const MachineCode> code; ///< null: there is none
  std::string reason;
};

/// Assembles PTX with ptxas and disassembles it, unless the options choose PTX.
/// There is no code if one of the two programs is missing, which is an error if
/// the options choose machine code. What the programs reject is an error.
llvm::Expected<AssembledCode> assembleForTiming(llvm::StringRef ptx,
                                                const TimerOptions &options);

class LaunchTimer {
public:
  /// `code` is that of the program for the chip.
  static llvm::Expected<LaunchTimer> create(const AssembledCode &code,
                                            const emulator::Program &program,
                                            const emulator::Launch &launch,
                                            const TimerOptions &options);

  /// Lets the emulator record what the timing needs.
  void record(emulator::Options &options) const;
  /// Returns the time of the execution that was recorded. `l2` is what launches
  /// before have left in L2, and has afterwards what this one leaves.
  llvm::Expected<LaunchTiming>
  time(llvm::ArrayRef<emulator::BlockRecording> recordings,
       emulator::SectorCache &l2) const;

private:
  LaunchTimer() = default;

  using Recordings = llvm::ArrayRef<emulator::BlockRecording>;

  llvm::Error setCode(const AssembledCode &assembled);
  /// The SMs and blocks that are simulated.
  struct Sample {
    std::vector<unsigned> gpcs;   ///< SMs of each
    std::vector<uint64_t> blocks; ///< cluster by cluster
    unsigned processors = 0;      ///< SMs of the chip that have blocks
  };

  void chooseExecuted();
  Sample sample(uint64_t most, llvm::ArrayRef<uint64_t> candidates) const;
  llvm::Expected<Sample> sampleOf(Recordings recordings) const;
  std::vector<BlockWork> workOf(const Sample &sample, Recordings recordings,
                                llvm::ArrayRef<BlockLevels> levels) const;
  std::string followMachineCode(std::vector<BlockWork> &works,
                                PathFinder &finder, LaunchTiming &timing) const;

  TimerOptions options;
  emulator::Launch launch; ///< with the kernel's cluster
  std::shared_ptr<const MachineCode> code;
  std::shared_ptr<const FlowGraph>
      graph;          ///< of the code; null: PTX is replayed
  std::string reason; ///< of that
  emulator::PtxListing listing;
  unsigned blocksPerSM = 1;
  unsigned clusterBlocks = 1;
  uint64_t l1Bytes = 0;   ///< of an SM, beside shared memory
  uint64_t clusters = 1;  ///< that are executed
  double repetitions = 1; ///< see LaunchTiming
  Sample recorded;        ///< with steps
};

} // namespace fusion::timing

#endif // FUSION_TIMING_LAUNCHTIMER_H
