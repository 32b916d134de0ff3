//===- SmallProgram.h - Kernels of a few lines ------------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_UNITTESTS_TIMING_SMALLPROGRAM_H
#define FUSION_UNITTESTS_TIMING_SMALLPROGRAM_H

#include "fusion/Timing/Simulation.h"
#include "gtest/gtest.h"
#include <deque>

namespace fusion::timing::test {

using Kind = StepKind;

inline const ChipInfo &hopper() { return *lookupChip("sm_90a"); }
inline const Microarchitecture &micro() {
  return microarchitectureOf(hopper());
}

/// When the first block of an SM may issue.
inline Cycles firstIssue() {
  return micro().blockInterval + micro().blockLatency;
}

/// An instruction; sets scoreboard `sets` and waits for `waits`, a mask.
struct Line {
  const char *opcode;
  unsigned stall = 1;
  std::optional<unsigned> sets = std::nullopt;
  unsigned waits = 0;
  const char *operands = "";
};

/// Kernels without branches, as the work of warps.
class Program {
public:
  explicit Program(std::vector<Line> lines) {
    for (const Line &line : lines) {
      MachineInst inst;
      inst.opcode = line.opcode;
      inst.operands = line.operands;
      inst.control.stall = line.stall;
      inst.control.writeScoreboard = line.sets;
      inst.control.waits = line.waits;
      kernel.insts.push_back(inst);
    }
  }

  /// Adds the path of a warp, from instruction `begin` to `end`, of which
  /// `steps` are the steps by instruction.
  WarpWork warp(unsigned begin, unsigned end,
                std::vector<std::pair<unsigned, Step>> steps = {}) {
    paths.emplace_back();
    MachinePath &path = paths.back();
    for (unsigned inst = begin; inst < end; ++inst)
      path.insts.push_back(inst);
    path.steps.assign(path.insts.size(), MachinePath::kNoStep);
    lists.emplace_back();
    for (auto &[inst, step] : steps) {
      uint32_t &first = path.steps[inst - begin];
      if (first == MachinePath::kNoStep)
        first = lists.back().size();
      lists.back().push_back(step);
    }
    return {&path, lists.back()};
  }
  /// Adds the path of a warp that executes the first `count` instructions
  /// `times` times, and then the rest. Each time has the same steps.
  WarpWork repeated(unsigned count, unsigned times,
                    const std::vector<std::pair<unsigned, Step>> &steps) {
    paths.emplace_back();
    lists.emplace_back();
    MachinePath &path = paths.back();
    for (unsigned time = 0; time < times; ++time)
      for (unsigned inst = 0; inst < count; ++inst) {
        path.insts.push_back(inst);
        path.steps.push_back(MachinePath::kNoStep);
        for (auto &[at, step] : steps)
          if (at == inst) {
            path.steps.back() = lists.back().size();
            lists.back().push_back(step);
          }
      }
    for (unsigned inst = count; inst < kernel.insts.size(); ++inst) {
      path.insts.push_back(inst);
      path.steps.push_back(MachinePath::kNoStep);
    }
    return {&path, lists.back()};
  }
  /// The path of a warp through all instructions.
  WarpWork warp(std::vector<std::pair<unsigned, Step>> steps = {}) {
    return warp(0, kernel.insts.size(), std::move(steps));
  }

  SimulationResult run(std::vector<std::vector<WarpWork>> blocks,
                       const ChipInfo &chip = hopper(), unsigned sms = 1,
                       unsigned cluster = 1) {
    std::vector<BlockWork> works;
    for (auto &warps : blocks)
      works.push_back({works.size(), warps, &levels});
    SimulatedChip simulated;
    simulated.chip = &chip;
    simulated.gpcs = {sms};
    simulated.sharing = sms;
    simulated.clusterBlocks = cluster;
    return simulate(kernel, works, simulated);
  }

  MachineKernel kernel;
  BlockLevels levels;

private:
  std::deque<MachinePath> paths;
  std::deque<std::vector<Step>> lists;
};

inline Step shared(unsigned wavefronts, Kind kind = Kind::SharedLoad) {
  Step step;
  step.kind = kind;
  step.wavefronts = wavefronts;
  return step;
}

} // namespace fusion::timing::test

#endif // FUSION_UNITTESTS_TIMING_SMALLPROGRAM_H
