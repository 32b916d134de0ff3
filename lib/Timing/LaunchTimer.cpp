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
#include "llvm/ADT/StringSwitch.h"
#include <cmath>
#include <numeric>
#include <set>

using namespace fusion;
using namespace fusion::timing;
using emulator::BlockRecording;
using emulator::Recorded;

/// The steps and anchors of an execution that may differ from those of its
/// path, as a share of the steps. Beyond that the PTX says more of the
/// execution.
static constexpr double kMostDifferent = 0.05;

std::optional<CodeChoice> fusion::timing::codeChoiceOf(llvm::StringRef name) {
  return llvm::StringSwitch<std::optional<CodeChoice>>(name)
      .Case("best", CodeChoice::Best)
      .Case("sass", CodeChoice::Sass)
      .Case("ptx", CodeChoice::Ptx)
      .Default(std::nullopt);
}

llvm::Expected<AssembledCode>
fusion::timing::assembleForTiming(llvm::StringRef ptx,
                                  const TimerOptions &options) {
  if (options.code == CodeChoice::Ptx)
    return AssembledCode{nullptr, "it was asked for"};
  std::optional<std::string> ptxas = findPtxas();
  std::optional<std::string> nvdisasm = findNvidiaTool("nvdisasm");
  if (!ptxas || !nvdisasm) {
    std::string missing = ptxas ? "nvdisasm" : "ptxas";
    if (options.code == CodeChoice::Best)
      return AssembledCode{nullptr, "there is no " + missing};
    return llvm::createStringError(
        "machine code needs " + missing +
        ", on PATH, under CUDA_HOME, or from PyPI (nvidia-cuda-nvcc, "
        "nvidia-cuda-nvdisasm)");
  }
  auto cubin = assemblePtx(*ptxas, ptx, options.chip->arch, PtxLines::With);
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
  return AssembledCode{std::make_shared<const MachineCode>(std::move(*code)),
                       ""};
}

/// Returns the registers of a thread that ptxas is expected to take: what is
/// alive and a few, at most what the block leaves.
static unsigned registersOf(const emulator::PtxListing &listing,
                            const emulator::LaunchShape &shape,
                            const SMResources &sm) {
  constexpr unsigned kFew = 8;
  unsigned most = std::min<unsigned>(
      kMaxRegistersPerThread, sm.registers / (shape.block.warps * kWarpSize));
  if (shape.mostRegisters)
    most = std::min(most, shape.mostRegisters);
  return std::min(listing.liveRegisters + kFew, most);
}

/// Sets the code to replay: the machine code, or the PTX with a reason.
llvm::Error LaunchTimer::setCode(const AssembledCode &assembled) {
  code = assembled.code;
  reason = assembled.reason;
  if (!code)
    return llvm::Error::success();
  const MachineKernel *kernel = code->find(launch.kernel);
  if (!kernel)
    return llvm::createStringError("the machine code has no kernel '" +
                                   launch.kernel + "'");
  std::optional<FlowGraph> built = FlowGraph::build(*kernel, reason);
  if (built)
    graph = std::make_shared<const FlowGraph>(std::move(*built));
  else if (options.code == CodeChoice::Sass)
    return llvm::createStringError(reason);
  return llvm::Error::success();
}

llvm::Expected<LaunchTimer>
LaunchTimer::create(const AssembledCode &code, const emulator::Program &program,
                    const emulator::Launch &launch,
                    const TimerOptions &options) {
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

  if (llvm::Error failure = timer.setCode(code))
    return failure;
  auto listing = emulator::listPtx(program, launch.kernel, error);
  if (!listing)
    return llvm::createStringError(error.message);
  timer.listing = std::move(*listing);
  unsigned registers = timer.graph
                           ? timer.graph->kernel().registers
                           : registersOf(timer.listing, *shape, processors.sm);

  // A kernel that reallocates registers starts with those of .maxnreg.
  if (!shape->block.registers)
    shape->block.registers = registers;
  timer.blocksPerSM = fusion::blocksPerSM(processors.sm, shape->block);
  if (!timer.blocksPerSM)
    return llvm::createStringError("no SM has room for a block of '" +
                                   launch.kernel + "'");
  // What blocks leave of the memory that L1 shares with them.
  uint64_t shared = timer.blocksPerSM * (shape->block.sharedMemory +
                                         processors.sm.sharedMemoryReserved);
  const Microarchitecture &micro = microarchitectureOf(chip);
  timer.l1Bytes = micro.l1Bytes - std::min<uint64_t>(shared, micro.l1Bytes);
  timer.chooseExecuted();
  std::vector<uint64_t> candidates(timer.clusters);
  std::iota(candidates.begin(), candidates.end(), 0);
  timer.recorded = timer.sample(options.blocks, candidates);
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

/// Returns the recording of a block, or null.
static const BlockRecording *find(llvm::ArrayRef<BlockRecording> recordings,
                                  uint64_t block) {
  const BlockRecording *found = llvm::partition_point(
      recordings, [&](const BlockRecording &one) { return one.block < block; });
  return found != recordings.end() && found->block == block ? found : nullptr;
}

/// Chooses blocks and SMs: all that are executed, or as many SMs as have the
/// share of the blocks that is allowed, `most`, with one cluster out of each of
/// as many equal spans of the candidates.
LaunchTimer::Sample
LaunchTimer::sample(uint64_t most, llvm::ArrayRef<uint64_t> candidates) const {
  const ChipInfo &chip = *options.chip;
  Sample sample;
  uint64_t blocks = clusters * clusterBlocks;
  uint64_t usable = std::max<uint64_t>(
      activeClusters(chip.gpcs, blocksPerSM, clusterBlocks), 1);
  // Blocks go to SMs of their own first.
  sample.processors = std::min<uint64_t>(chip.numSMs, blocks);
  uint64_t chosen = clusters;
  if (blocks <= most) {
    for (const GpcGroup &group : chip.gpcs)
      sample.gpcs.insert(sample.gpcs.end(), group.count, group.sms);
  } else {
    double share = double(most) / double(blocks);
    // If the grid does not fill the chip, its SMs have fewer blocks.
    uint64_t filled = std::min(usable, clusters);
    unsigned perSM = std::min<uint64_t>(
        blocksPerSM, (blocks + sample.processors - 1) / sample.processors);
    // SMs whose places are filled by whole clusters, as on the chip.
    uint64_t together = std::max<uint64_t>(uint64_t(share * double(filled)), 1);
    uint64_t places = together * clusterBlocks;
    unsigned sms = (places + perSM - 1) / perSM;
    if (clusterBlocks > 1)
      sms = std::max(sms, std::min(clusterBlocks, chip.numSMs));
    sample.gpcs = {sms};
    together = std::max<uint64_t>(uint64_t(sms) * perSM / clusterBlocks, 1);
    // What cannot be filled on the chip counts as if it were not there.
    sample.processors = std::min<uint64_t>(
        sample.processors, (usable * clusterBlocks + perSM - 1) / perSM);
    share = double(together) / double(filled);
    chosen = std::min<uint64_t>(candidates.size(),
                                uint64_t(std::ceil(share * double(clusters))));
  }
  uint64_t number = candidates.size();
  for (uint64_t i = 0; i < chosen; ++i) {
    uint64_t begin = number * i / chosen, end = number * (i + 1) / chosen;
    uint64_t cluster =
        candidates[begin + mix(i) % std::max<uint64_t>(end - begin, 1)];
    llvm::append_range(sample.blocks,
                       emulator::blocksOfCluster(launch, cluster));
  }
  return sample;
}

/// Returns the blocks to simulate of those with steps: all, or as many as
/// execute the instructions that are allowed.
llvm::Expected<LaunchTimer::Sample>
LaunchTimer::sampleOf(Recordings recordings) const {
  uint64_t executed = 0;
  for (uint64_t block : recorded.blocks) {
    const BlockRecording *recording = find(recordings, block);
    if (!recording)
      return llvm::createStringError("block " + llvm::Twine(block) +
                                     " was not recorded");
    for (const emulator::ExecutedInsts &warp : recording->executed)
      executed += warp.size();
  }
  if (executed <= options.instructions)
    return recorded;
  double share = double(options.instructions) / double(executed);
  llvm::DenseSet<uint64_t> known(recorded.blocks.begin(),
                                 recorded.blocks.end());
  std::vector<uint64_t> candidates;
  for (uint64_t i = 0; i < clusters; ++i)
    if (known.contains(emulator::blocksOfCluster(launch, i).front()))
      candidates.push_back(i);
  return sample(uint64_t(share * double(recorded.blocks.size())), candidates);
}

void LaunchTimer::record(emulator::Options &emulation) const {
  emulation.clusters = clusters;
  llvm::DenseSet<uint64_t> chosen(recorded.blocks.begin(),
                                  recorded.blocks.end());
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

/// Returns the steps of the simulated blocks.
std::vector<BlockWork>
LaunchTimer::workOf(const Sample &sample, Recordings recordings,
                    llvm::ArrayRef<BlockLevels> levels) const {
  std::vector<BlockWork> works;
  for (uint64_t block : sample.blocks) {
    const BlockRecording *recording = find(recordings, block);
    works.push_back({block, {}, &levels[recording - recordings.begin()]});
    for (const std::vector<Step> &steps : recording->warps)
      works.back().warps.push_back({nullptr, steps});
  }
  return works;
}

/// Finds the paths of warps through the machine code. Returns why they say
/// little of the execution, or an empty text.
std::string LaunchTimer::followMachineCode(std::vector<BlockWork> &works,
                                           PathFinder &finder,
                                           LaunchTiming &timing) const {
  for (BlockWork &work : works)
    for (WarpWork &warp : work.warps) {
      warp.path = finder.find(warp.steps);
      if (!warp.path)
        return "no way through the machine code of '" + launch.kernel +
               "' fits the execution";
      timing.missing += warp.path->missing;
      timing.passed += warp.path->passed;
    }
  uint64_t different = timing.missing + timing.passed;
  if (double(different) <= kMostDifferent * double(timing.steps) ||
      options.code == CodeChoice::Sass)
    return "";
  return "of " + std::to_string(timing.steps) + " steps and anchors " +
         std::to_string(different) + " do not fit the machine code";
}

llvm::Expected<LaunchTiming>
LaunchTimer::time(llvm::ArrayRef<BlockRecording> recordings,
                  emulator::SectorCache &l2) const {
  const ChipInfo &chip = *options.chip;
  const Microarchitecture &micro = microarchitectureOf(chip);
  auto sample = sampleOf(recordings);
  if (!sample)
    return sample.takeError();
  LaunchTiming timing;
  timing.blocks = emulator::countClusters(launch) * clusterBlocks;
  timing.executedBlocks = recordings.size();
  timing.repetitions = repetitions;
  timing.simulatedBlocks = sample->blocks.size();
  timing.processors = sample->processors;
  timing.blocksPerSM = blocksPerSM;
  for (unsigned sms : sample->gpcs)
    timing.simulatedProcessors += sms;

  CacheShape shape;
  shape.l1Bytes = l1Bytes;
  shape.processors = sample->processors;
  shape.resident = blocksPerSM;
  shape.isWarm = options.isWarm;
  std::vector<BlockLevels> levels = findLevels(recordings, shape, l2);

  std::vector<BlockWork> works = workOf(*sample, recordings, levels);
  for (const BlockWork &work : works)
    for (const WarpWork &warp : work.warps)
      timing.steps += warp.steps.size();
  SimulatedChip simulatedChip;
  simulatedChip.chip = &chip;
  simulatedChip.gpcs = sample->gpcs;
  simulatedChip.sharing = sample->processors;
  simulatedChip.blocksPerSM = blocksPerSM;
  simulatedChip.clusterBlocks = clusterBlocks;
  // Returns why blocks do not end, or an empty text.
  auto replay = [&]() -> std::string {
    timing.simulation =
        simulate(*timing.kernel, works, simulatedChip, options.traces);
    const std::string &problem = timing.simulation.problem;
    return problem.empty() ? "" : "'" + launch.kernel + "': " + problem;
  };
  std::string why = reason;
  if (graph) {
    PathFinder finder(*graph, listing.insts);
    timing.kernel = {code, &graph->kernel()};
    why = followMachineCode(works, finder, timing);
    if (why.empty())
      why = replay();
  }
  if (!why.empty()) {
    if (options.code == CodeChoice::Sass)
      return llvm::createStringError(why);
    auto ptx = std::make_shared<PtxCode>(listing, launch.kernel, chip);
    for (BlockWork &work : works)
      for (auto [i, warp] : llvm::enumerate(work.warps))
        warp.path =
            ptx->path(find(recordings, work.block)->executed[i], warp.steps);
    timing.kernel = {ptx, &ptx->kernel()};
    timing.isPtx = true;
    timing.reason = why;
    timing.missing = timing.passed = 0;
    timing.unknownOpcodes = ptx->unknownOpcodes();
    if (std::string problem = replay(); !problem.empty())
      return llvm::createStringError(problem);
  }
  std::set<std::string> unknown;
  for (const MachineInst &inst : timing.kernel->insts)
    if (!timingOf(inst, chip, micro).isKnown)
      unknown.insert(inst.opcode.str());
  llvm::append_range(timing.unknownOpcodes, unknown);
  timing.launchSeconds = micro.launchSeconds;
  timing.clockHz = loadedClock(timing.simulation, chip, micro);
  timing.seconds = timing.launchSeconds +
                   repetitions * timing.simulation.cycles / timing.clockHz;
  return timing;
}
