//===- Simulation.cpp - Cycles of a launch --------------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Timing/Simulation.h"
#include "Processor.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include <cmath>
#include <deque>

using namespace fusion;
using namespace fusion::timing;

llvm::StringRef fusion::timing::waitName(Wait wait) {
  static constexpr llvm::StringRef names[kNumWaits] = {
      "latency",      "global",   "shared",   "special", "copies",
      "barrier",      "mbarrier", "cluster",  "tensor",  "pipe",
      "memory-queue", "fence",    "scheduler"};
  return names[unsigned(wait)];
}

namespace {

/// Places blocks on SMs and replays them.
class Grid {
public:
  Grid(const MachineKernel &kernel, llvm::ArrayRef<BlockWork> blocks,
       const SimulatedChip &chip, bool traces)
      : works(blocks), shape(chip), micro(microarchitectureOf(*chip.chip)),
        machine{kernel,
                *chip.chip,
                micro,
                {},
                MemorySystem(*chip.chip, micro, shareOf(chip)),
                Agenda(processorsOf(chip) * kSubPartitions),
                {},
                traces,
                {}} {
    for (const MachineInst &inst : kernel.insts)
      machine.timings.push_back(timingOf(inst, *chip.chip, micro));
    machine.result.insts.resize(kernel.insts.size());
    machine.ended = [this](Block &block, Cycles now) { ended(block, now); };
    for (auto [gpc, sms] : llvm::enumerate(chip.gpcs))
      for (unsigned i = 0; i < sms; ++i) {
        processors.emplace_back(machine, processors.size());
        free.push_back(chip.blocksPerSM);
        gpcOf.push_back(gpc);
      }
  }

  SimulationResult run() {
    place(0);
    while (machine.agenda.first() != kNever) {
      unsigned actor = machine.agenda.firstActor();
      processors[actor / kSubPartitions].issue(actor % kSubPartitions);
    }
    SimulationResult &result = machine.result;
    if (unfinished || next < works.size())
      result.problem = describeDeadlock();
    result.subPartitions = processors.size() * double(kSubPartitions);
    result.dramCycles = machine.memory.dramQueue().busyCycles();
    result.l2Cycles = machine.memory.l2Queue().busyCycles();
    for (const Processor &processor : processors)
      result.sharedCycles += processor.sharedCycles();
    return std::move(result);
  }

private:
  static unsigned processorsOf(const SimulatedChip &chip) {
    unsigned number = 0;
    for (unsigned sms : chip.gpcs)
      number += sms;
    return number;
  }
  static double shareOf(const SimulatedChip &chip) {
    return processorsOf(chip) /
           std::max<double>(chip.sharing, processorsOf(chip));
  }

  /// Returns the SMs for the blocks of a cluster, all of one GPC, those with
  /// the most room first; empty if there is no room.
  std::vector<unsigned> findRoom(unsigned blocks) const {
    std::vector<unsigned> best;
    unsigned bestRoom = 0;
    for (unsigned first = 0; first < processors.size();) {
      unsigned gpc = gpcOf[first], end = first;
      unsigned room = 0;
      std::vector<unsigned> candidates;
      for (; end < processors.size() && gpcOf[end] == gpc; ++end) {
        room += free[end];
        if (free[end])
          candidates.push_back(end);
      }
      first = end;
      if (room < blocks || room <= bestRoom)
        continue;
      llvm::sort(candidates, [&](unsigned a, unsigned b) {
        return free[a] != free[b] ? free[a] > free[b] : a < b;
      });
      // SMs are shared where a GPC has fewer than the cluster has blocks.
      std::vector<unsigned> left(free);
      best.clear();
      for (size_t i = 0; best.size() < blocks; ++i) {
        unsigned sm = candidates[i % candidates.size()];
        if (left[sm]) {
          best.push_back(sm);
          --left[sm];
        }
      }
      bestRoom = room;
    }
    return best;
  }

  /// Starts as many waiting clusters as there is room for.
  void place(Cycles now) {
    while (next < works.size()) {
      unsigned size =
          std::min<size_t>(shape.clusterBlocks, works.size() - next);
      std::vector<unsigned> sms = findRoom(size);
      if (sms.empty())
        return;
      auto cluster = std::make_shared<Cluster>();
      Cycles begin = now;
      for (unsigned i = 0; i < size; ++i) {
        blocks.emplace_back();
        Block &block = blocks.back();
        block.work = &works[next + i];
        block.cluster = cluster;
        block.warps.resize(block.work->warps.size());
        cluster->blocks.push_back(&block);
        cluster->live += block.warps.size();
        --free[sms[i]];
        begin = std::max(begin, processors[sms[i]].startSlot(now));
      }
      next += size;
      unfinished += size;
      for (unsigned i = 0; i < size; ++i)
        processors[sms[i]].start(*cluster->blocks[i],
                                 begin + micro.blockLatency);
    }
  }

  /// Returns what the first warp that has not ended waits for.
  std::string describeDeadlock() const {
    for (const Block &block : blocks)
      for (const Warp &warp : block.warps) {
        if (warp.hasEnded())
          continue;
        unsigned number = warp.work->path->insts[warp.next];
        const MachineInst &inst = machine.kernel.insts[number];
        Wait reason = readinessOf(machine, warp).reason;
        return ("blocks wait for one another without end: warp " +
                llvm::Twine(warp.index) + " of block " +
                llvm::Twine(block.work->block) + " for " + waitName(reason) +
                ", before '" + inst.opcode + "' (line " +
                llvm::Twine(inst.line) + ")")
            .str();
      }
    return "blocks have no room";
  }

  void ended(Block &block, Cycles now) {
    machine.result.cycles = std::max(machine.result.cycles, now);
    --unfinished;
    ++free[block.processor->number()];
    place(now);
  }

  llvm::ArrayRef<BlockWork> works;
  SimulatedChip shape;
  const Microarchitecture &micro;
  Machine machine;
  std::deque<Processor> processors;
  std::vector<unsigned> free;  ///< by SM: places for blocks
  std::vector<unsigned> gpcOf; ///< by SM
  std::deque<Block> blocks;
  size_t next = 0;       ///< the first block that waits
  size_t unfinished = 0; ///< blocks that have started and not ended
};

} // namespace

SimulationResult fusion::timing::simulate(const MachineKernel &kernel,
                                          llvm::ArrayRef<BlockWork> blocks,
                                          const SimulatedChip &chip,
                                          bool traces) {
  return Grid(kernel, blocks, chip, traces).run();
}
