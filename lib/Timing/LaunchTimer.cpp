//===- LaunchTimer.cpp - The time of a launch -----------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Timing/LaunchTimer.h"
#include "fusion/Toolchain/Nvdisasm.h"
#include "fusion/Toolchain/Ptxas.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>
#include <set>

using namespace fusion;
using namespace fusion::timing;
using emulator::BlockRecording;
using emulator::Recorded;

llvm::Expected<std::shared_ptr<const MachineCode>>
fusion::timing::assembleForTiming(llvm::StringRef ptx, const ChipInfo &chip) {
  std::optional<std::string> ptxas = findPtxas();
  std::optional<std::string> nvdisasm = findNvidiaTool("nvdisasm");
  if (!ptxas || !nvdisasm)
    return llvm::createStringError(
        llvm::Twine("the timing needs ") + (ptxas ? "nvdisasm" : "ptxas") +
        ", on PATH, under CUDA_HOME, or from PyPI (nvidia-cuda-nvcc, "
        "nvidia-cuda-nvdisasm)");
  auto cubin = assemblePtx(*ptxas, ptx, chip.arch, PtxLines::With);
  if (!cubin)
    return cubin.takeError();
  auto listing = disassembleCubin(*nvdisasm, *cubin);
  if (!listing)
    return listing.takeError();
  std::string reason;
  std::optional<MachineCode> code =
      MachineCode::parse(std::move(*listing), reason);
  if (!code)
    return llvm::createStringError(*nvdisasm + ": " + reason);
  return std::make_shared<const MachineCode>(std::move(*code));
}

llvm::Expected<LaunchTimer> LaunchTimer::create(
    std::shared_ptr<const MachineCode> code, const emulator::Program &program,
    const emulator::Launch &launch, const TimerOptions &options) {
  const ChipInfo &chip = *options.chip;
  LaunchTimer timer;
  timer.options = options;
  timer.launch = launch;
  Processors processors = processorsOf(chip);
  emulator::Error error;
  auto shape = emulator::launchShape(program, launch, processors, error);
  if (!shape)
    return llvm::createStringError(error.message);
  timer.launch.cluster = shape->cluster;
  timer.clusterBlocks =
      shape->cluster[0] * shape->cluster[1] * shape->cluster[2];

  timer.code = std::move(code);
  const MachineKernel *kernel = timer.code->find(launch.kernel);
  if (!kernel)
    return llvm::createStringError("the machine code has no kernel '" +
                                   launch.kernel + "'");
  std::string reason;
  std::optional<FlowGraph> graph = FlowGraph::build(*kernel, reason);
  if (!graph)
    return llvm::createStringError(reason);
  timer.graph = std::make_shared<const FlowGraph>(std::move(*graph));

  // A kernel that reallocates registers starts with those of .maxnreg.
  if (!shape->block.registers)
    shape->block.registers = kernel->registers;
  timer.blocksPerSM = fusion::blocksPerSM(processors.sm, shape->block);
  if (!timer.blocksPerSM)
    return llvm::createStringError("no SM has room for a block of '" +
                                   launch.kernel + "'");
  // What blocks leave of the memory that L1 shares with them.
  uint64_t shared = timer.blocksPerSM * (shape->block.sharedMemory +
                                         processors.sm.sharedMemoryReserved);
  const Microarchitecture &micro = microarchitectureOf(chip);
  timer.l1Bytes = micro.l1Bytes - std::min<uint64_t>(shared, micro.l1Bytes);
  timer.sample();
  return timer;
}

/// Mixes the bits of a number (splitmix64, Steele, Lea and Flood, 2014).
static uint64_t mix(uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

/// Chooses the clusters that are executed: all, or those of the first waves.
void LaunchTimer::chooseExecuted() {
  uint64_t all = emulator::countClusters(launch);
  uint64_t wave = std::max<uint64_t>(
      activeClusters(options.chip->gpcs, blocksPerSM, clusterBlocks), 1);
  clusters = all;
  if (!options.waves || all / wave < options.waves)
    return;
  clusters = options.waves * wave;
  // Blocks of the last wave, which may not be full, are spread over all SMs.
  double last = double(all % wave) / double(wave);
  double waves = double(all / wave) +
                 std::ceil(last * double(blocksPerSM)) / double(blocksPerSM);
  repetitions = waves / double(options.waves);
}

/// Chooses the blocks and the SMs that are simulated: all, or as many SMs as
/// have the share of the blocks that is allowed, with one cluster out of each
/// of as many equal spans of the grid.
void LaunchTimer::sample() {
  const ChipInfo &chip = *options.chip;
  chooseExecuted();
  uint64_t blocks = clusters * clusterBlocks;
  uint64_t usable = std::max<uint64_t>(
      activeClusters(chip.gpcs, blocksPerSM, clusterBlocks), 1);
  // Blocks go to SMs of their own first.
  processors = std::min<uint64_t>(chip.numSMs, blocks);
  uint64_t chosen = clusters;
  if (blocks <= options.blocks) {
    for (const GpcGroup &group : chip.gpcs)
      gpcs.insert(gpcs.end(), group.count, group.sms);
  } else {
    double share = double(options.blocks) / double(blocks);
    // SMs whose places are filled by whole clusters, as on the chip.
    uint64_t together = std::max<uint64_t>(uint64_t(share * double(usable)), 1);
    uint64_t places = together * clusterBlocks;
    gpcs = {unsigned((places + blocksPerSM - 1) / blocksPerSM)};
    if (clusterBlocks > 1)
      gpcs[0] = std::max(gpcs[0], std::min(clusterBlocks, chip.numSMs));
    together =
        std::max<uint64_t>(uint64_t(gpcs[0]) * blocksPerSM / clusterBlocks, 1);
    // What cannot be filled on the chip counts as if it were not there.
    processors = std::min<uint64_t>(
        processors, (usable * clusterBlocks + blocksPerSM - 1) / blocksPerSM);
    share = double(together) / double(usable);
    chosen = std::min<uint64_t>(clusters,
                                uint64_t(std::ceil(share * double(clusters))));
  }
  for (uint64_t i = 0; i < chosen; ++i) {
    uint64_t begin = clusters * i / chosen, end = clusters * (i + 1) / chosen;
    uint64_t cluster = begin + mix(i) % std::max<uint64_t>(end - begin, 1);
    llvm::append_range(simulated, emulator::blocksOfCluster(launch, cluster));
  }
}

void LaunchTimer::record(emulator::Options &emulation) const {
  emulation.clusters = clusters;
  llvm::DenseSet<uint64_t> chosen(simulated.begin(), simulated.end());
  emulation.records = [chosen = std::move(chosen)](uint64_t block) {
    return chosen.contains(block) ? Recorded::Steps : Recorded::Sectors;
  };
}

/// Returns the clock, which the power of busy tensor cores lowers: in
/// proportion to the share of the cycles in which they are.
static double loadedClock(const SimulationResult &simulation,
                          const ChipInfo &chip,
                          const Microarchitecture &micro) {
  double all = simulation.cycles * simulation.subPartitions;
  if (!micro.tensorClockHz || micro.tensorClockHz >= chip.clockHz || !all)
    return chip.clockHz;
  double busy = std::min(1.0, simulation.pipes[unsigned(Pipe::Tensor)] / all);
  return chip.clockHz - busy * (chip.clockHz - micro.tensorClockHz);
}

llvm::Expected<LaunchTiming>
LaunchTimer::time(llvm::ArrayRef<BlockRecording> recordings,
                  emulator::SectorCache &l2) const {
  const ChipInfo &chip = *options.chip;
  const Microarchitecture &micro = microarchitectureOf(chip);
  LaunchTiming timing;
  timing.blocks = emulator::countClusters(launch) * clusterBlocks;
  timing.executedBlocks = recordings.size();
  timing.repetitions = repetitions;
  timing.simulatedBlocks = simulated.size();
  timing.processors = processors;
  timing.blocksPerSM = blocksPerSM;
  for (unsigned sms : gpcs)
    timing.simulatedProcessors += sms;

  CacheShape shape;
  shape.l1Bytes = l1Bytes;
  shape.processors = processors;
  shape.resident = blocksPerSM;
  shape.isWarm = options.isWarm;
  std::vector<BlockLevels> levels = findLevels(recordings, shape, l2);

  PathFinder finder(*graph);
  std::vector<BlockWork> works;
  for (uint64_t block : simulated) {
    const BlockRecording *found =
        llvm::partition_point(recordings, [&](const BlockRecording &one) {
          return one.block < block;
        });
    if (found == recordings.end() || found->block != block)
      return llvm::createStringError("block " + llvm::Twine(block) +
                                     " was not recorded");
    const BlockRecording &recording = *found;
    BlockWork work{block, {}, &levels[found - recordings.begin()]};
    for (const std::vector<Step> &steps : recording.warps) {
      const MachinePath *path = finder.find(steps);
      if (!path)
        return llvm::createStringError("no way through the machine code of '" +
                                       launch.kernel + "' fits the execution");
      work.warps.push_back({path, steps});
      timing.missing += path->missing;
      timing.passed += path->passed;
      timing.steps += steps.size();
    }
    works.push_back(std::move(work));
  }

  SimulatedChip simulatedChip;
  simulatedChip.chip = &chip;
  simulatedChip.gpcs = gpcs;
  simulatedChip.sharing = processors;
  simulatedChip.blocksPerSM = blocksPerSM;
  simulatedChip.clusterBlocks = clusterBlocks;
  timing.simulation =
      simulate(graph->kernel(), works, simulatedChip, options.traces);
  if (!timing.simulation.problem.empty())
    return llvm::createStringError("'" + launch.kernel +
                                   "': " + timing.simulation.problem);
  std::set<std::string> unknown;
  for (const MachineInst &inst : kernel().insts)
    if (!timingOf(inst, chip, micro).isKnown)
      unknown.insert(inst.opcode.str());
  timing.unknownOpcodes.assign(unknown.begin(), unknown.end());
  timing.launchSeconds = micro.launchSeconds;
  timing.clockHz = loadedClock(timing.simulation, chip, micro);
  timing.seconds = timing.launchSeconds +
                   repetitions * timing.simulation.cycles / timing.clockHz;
  return timing;
}
