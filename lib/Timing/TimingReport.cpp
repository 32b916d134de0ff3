//===- TimingReport.cpp - The time of a launch, for readers ---------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Timing/TimingReport.h"
#include "fusion/Timing/CriticalPath.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace fusion;
using namespace fusion::timing;
namespace json = llvm::json;

/// Instructions of the hot loop that reports name.
static constexpr size_t kMostNamed = 8;

namespace {

/// What both kinds of reports say.
class Summary {
public:
  explicit Summary(const SimulationResult &simulation)
      : simulation(simulation) {}

  double issueShare() const {
    return share(double(simulation.issues), simulation.subPartitions);
  }
  double pipeShare(Pipe pipe) const {
    return share(simulation.pipes[unsigned(pipe)], simulation.subPartitions);
  }
  double dramShare() const { return share(simulation.dramCycles, 1); }
  double l2Share() const { return share(simulation.l2Cycles, 1); }
  double memoryShare() const {
    return share(simulation.sharedCycles,
                 simulation.subPartitions / kSubPartitions);
  }
  /// Cycles of all warps, with those of issues.
  double warpCycles() const {
    double sum = double(simulation.issues);
    for (double cycles : simulation.waits)
      sum += cycles;
    return sum;
  }
  double waitShare(Wait wait) const {
    double all = warpCycles();
    return all ? simulation.waits[unsigned(wait)] / all : 0;
  }

private:
  double share(double busy, double units) const {
    return simulation.cycles ? busy / (simulation.cycles * units) : 0;
  }

  const SimulationResult &simulation;
};

} // namespace

/// Returns the wait that most cycles before an instruction were for.
static Wait mainWait(const InstTotals &totals) {
  return Wait(llvm::max_element(totals.waits) - totals.waits.begin());
}

static double allWaits(const InstTotals &totals) {
  double sum = 0;
  for (double cycles : totals.waits)
    sum += cycles;
  return sum;
}

static std::string instText(const MachineInst &inst) {
  return (inst.opcode + " " + inst.operands).str();
}

/// Returns instructions of the hot loop, those with the most waits first.
static std::vector<unsigned> slowest(const HotLoop &loop,
                                     const SimulationResult &simulation) {
  std::vector<unsigned> insts;
  for (unsigned i = loop.begin; i < loop.end; ++i)
    if (allWaits(simulation.insts[i]) > 0)
      insts.push_back(i);
  llvm::sort(insts, [&](unsigned a, unsigned b) {
    double first = allWaits(simulation.insts[a]),
           second = allWaits(simulation.insts[b]);
    return first != second ? first > second : a < b;
  });
  insts.resize(std::min(insts.size(), kMostNamed));
  return insts;
}

static std::string withLine(const MachineInst &inst) {
  return instText(inst) + " (line " + std::to_string(inst.line) + ")";
}

namespace {

/// A critical path, for readers.
struct PathSummary {
  explicit PathSummary(const CriticalPath &path) {
    for (const PathLink &link : path.links)
      waits[unsigned(link.wait)] += link.cycles;
    std::vector<const PathLink *> byCycles;
    for (const PathLink &link : path.links)
      byCycles.push_back(&link);
    llvm::stable_sort(byCycles, [](const PathLink *a, const PathLink *b) {
      return a->cycles > b->cycles;
    });
    byCycles.resize(std::min(byCycles.size(), kMostNamed));
    // Links of a path lie in the order of time.
    llvm::sort(byCycles);
    longest = std::move(byCycles);
  }

  std::array<double, kNumWaits> waits{}; ///< cycles
  std::vector<const PathLink *> longest; ///< in the order of time
};

} // namespace

static void print(llvm::raw_ostream &os, const CriticalPath &path,
                  const MachineKernel &kernel) {
  PathSummary summary(path);
  os << llvm::format("critical path: %.0f cycles of an iteration in %zu waits:",
                     path.cycles, path.links.size());
  for (unsigned wait = 0; wait < kNumWaits; ++wait)
    if (summary.waits[wait] > 0)
      os << " " << waitName(Wait(wait))
         << llvm::format(" %.0f", summary.waits[wait]);
  os << "\n";
  for (const PathLink *link : summary.longest)
    os << llvm::format("  %7.1f cycles, ", link->cycles) << waitName(link->wait)
       << ": " << withLine(kernel.insts[link->from]) << ", then "
       << withLine(kernel.insts[link->inst]) << "\n";
}

static json::Object pathJson(const CriticalPath &path,
                             const MachineKernel &kernel) {
  PathSummary summary(path);
  json::Object waits;
  for (unsigned wait = 0; wait < kNumWaits; ++wait)
    if (summary.waits[wait] > 0)
      waits[waitName(Wait(wait))] = summary.waits[wait];
  json::Array longest;
  for (const PathLink *link : summary.longest) {
    const MachineInst &from = kernel.insts[link->from],
                      &inst = kernel.insts[link->inst];
    longest.push_back(json::Object{{"from", instText(from)},
                                   {"from_line", from.line},
                                   {"instruction", instText(inst)},
                                   {"line", inst.line},
                                   {"wait", waitName(link->wait)},
                                   {"cycles", link->cycles}});
  }
  return json::Object{{"cycles", path.cycles},
                      {"links", path.links.size()},
                      {"waits", std::move(waits)},
                      {"longest", std::move(longest)}};
}

std::string fusion::timing::toText(const LaunchTiming &timing,
                                   const ChipInfo &chip) {
  const MachineKernel &kernel = *timing.kernel;
  std::string text;
  llvm::raw_string_ostream os(text);
  const SimulationResult &simulation = timing.simulation;
  Summary summary(simulation);
  os << llvm::format("time: %.3f us on ", timing.seconds * 1e6) << chip.product
     << llvm::format(" (%.0f cycles, launch %.2f us)\n", simulation.cycles,
                     timing.launchSeconds * 1e6);
  os << "blocks: " << timing.blocks << " on " << timing.processors << " SMs, "
     << timing.blocksPerSM << " on each at a time; simulated "
     << timing.simulatedBlocks << " on " << timing.simulatedProcessors << "\n";
  if (timing.executedBlocks < timing.blocks)
    os << "executed: " << timing.executedBlocks
       << llvm::format(" blocks, whose cycles count %.2f times\n",
                       timing.repetitions);
  if (timing.isPtx)
    os << "machine code: none, PTX is replayed (" << timing.reason << ")\n";
  else
    os << "machine code: " << timing.steps << " steps, " << timing.missing
       << " without an instruction, " << timing.passed
       << " instructions without a step\n";
  if (!timing.unknownOpcodes.empty())
    os << "opcodes that are taken for integer arithmetic: "
       << llvm::join(timing.unknownOpcodes, ", ") << "\n";
  os << "busy:";
  auto percent = [&](llvm::StringRef name, double share) {
    if (share >= 0.005)
      os << " " << name << llvm::format(" %.0f%%", share * 100);
  };
  percent("issue", summary.issueShare());
  for (unsigned pipe = 0; pipe < kNumPipes; ++pipe)
    if (Pipe(pipe) != Pipe::Control && Pipe(pipe) != Pipe::Memory)
      percent(pipeName(Pipe(pipe)), summary.pipeShare(Pipe(pipe)));
  percent("memory-pipe", summary.memoryShare());
  percent("l2", summary.l2Share());
  percent("dram", summary.dramShare());
  os << "\nwarps wait for:";
  for (unsigned wait = 0; wait < kNumWaits; ++wait)
    percent(waitName(Wait(wait)), summary.waitShare(Wait(wait)));
  os << "\n";
  std::optional<HotLoop> loop = findHotLoop(kernel, simulation);
  if (!loop)
    return text;
  os << llvm::format("hot loop: lines %u to %u of the PTX, %u instructions, "
                     "%.1f cycles an iteration of a warp\n",
                     loop->firstLine, loop->lastLine, loop->instructions,
                     loop->cycles);
  for (unsigned i : slowest(*loop, simulation)) {
    const InstTotals &totals = simulation.insts[i];
    os << llvm::format("  %7.1f cycles, ",
                       allWaits(totals) / double(totals.issues))
       << waitName(mainWait(totals)) << ": " << withLine(kernel.insts[i])
       << "\n";
  }
  if (std::optional<CriticalPath> path = findCriticalPath(*loop, simulation))
    print(os, *path, kernel);
  return text;
}

json::Object fusion::timing::toJson(const LaunchTiming &timing,
                                    const ChipInfo &chip) {
  const MachineKernel &kernel = *timing.kernel;
  const SimulationResult &simulation = timing.simulation;
  Summary summary(simulation);
  json::Object pipes, waits;
  for (unsigned pipe = 0; pipe < kNumPipes; ++pipe)
    if (Pipe(pipe) != Pipe::Control && Pipe(pipe) != Pipe::Memory)
      pipes[pipeName(Pipe(pipe))] = summary.pipeShare(Pipe(pipe));
  pipes["issue"] = summary.issueShare();
  pipes["memory"] = summary.memoryShare();
  pipes["l2"] = summary.l2Share();
  pipes["dram"] = summary.dramShare();
  for (unsigned wait = 0; wait < kNumWaits; ++wait)
    waits[waitName(Wait(wait))] = summary.waitShare(Wait(wait));
  json::Object object{{"chip", chip.name},
                      {"code", timing.isPtx ? "ptx" : "sass"},
                      {"seconds", timing.seconds},
                      {"launch_seconds", timing.launchSeconds},
                      {"cycles", simulation.cycles},
                      {"clock_hz", timing.clockHz},
                      {"repetitions", timing.repetitions},
                      {"blocks", timing.blocks},
                      {"executed_blocks", timing.executedBlocks},
                      {"simulated_blocks", timing.simulatedBlocks},
                      {"processors", timing.processors},
                      {"simulated_processors", timing.simulatedProcessors},
                      {"blocks_per_processor", timing.blocksPerSM},
                      {"steps", timing.steps},
                      {"missing_steps", timing.missing},
                      {"passed_anchors", timing.passed},
                      {"unknown_opcodes", json::Array(timing.unknownOpcodes)},
                      {"issues", simulation.issues},
                      {"busy", std::move(pipes)},
                      {"waits", std::move(waits)}};
  if (timing.isPtx)
    object["reason"] = timing.reason;
  if (std::optional<HotLoop> loop = findHotLoop(kernel, simulation)) {
    json::Array insts;
    for (unsigned i : slowest(*loop, simulation)) {
      const InstTotals &totals = simulation.insts[i];
      insts.push_back(
          json::Object{{"instruction", instText(kernel.insts[i])},
                       {"line", kernel.insts[i].line},
                       {"wait", waitName(mainWait(totals))},
                       {"cycles", allWaits(totals) / double(totals.issues)}});
    }
    json::Object hot{{"first_line", loop->firstLine},
                     {"last_line", loop->lastLine},
                     {"instructions", loop->instructions},
                     {"cycles", loop->cycles},
                     {"slowest", std::move(insts)}};
    if (std::optional<CriticalPath> path = findCriticalPath(*loop, simulation))
      hot["critical_path"] = pathJson(*path, kernel);
    object["hot_loop"] = std::move(hot);
  }
  return object;
}

std::string fusion::timing::toListing(const LaunchTiming &timing) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "    issues   wait  for           line  instruction\n";
  for (auto [inst, totals] :
       llvm::zip_equal(timing.kernel->insts, timing.simulation.insts)) {
    double waits = totals.issues ? allWaits(totals) / double(totals.issues) : 0;
    os << llvm::format("%10llu %6.1f  ", (unsigned long long)totals.issues,
                       waits)
       << llvm::left_justify(waits ? waitName(mainWait(totals)) : "", 13)
       << llvm::format("%5u  ", inst.line) << instText(inst) << "\n";
  }
  return text;
}

std::string fusion::timing::toChromeTrace(const LaunchTiming &timing) {
  const MachineKernel &kernel = *timing.kernel;
  // Rows: the warps of each block, then the tensor cores.
  json::Array events;
  auto name = [&](int64_t process, int64_t thread, const std::string &text) {
    events.push_back(json::Object{{"ph", "M"},
                                  {"name", "thread_name"},
                                  {"pid", process},
                                  {"tid", thread},
                                  {"args", json::Object{{"name", text}}}});
  };
  constexpr int64_t tensorRow = 1000000;
  llvm::DenseSet<std::pair<int64_t, int64_t>> named;
  for (const TraceEvent &event : timing.simulation.trace) {
    bool isTensor = event.kind == TraceEvent::Kind::Tensor;
    int64_t process = isTensor ? tensorRow : int64_t(event.block);
    bool isBlock = event.kind == TraceEvent::Kind::Block;
    int64_t thread = isBlock ? -1 : int64_t(event.warp);
    if (named.insert({process, thread}).second)
      name(process, thread,
           isTensor  ? "tensor core " + std::to_string(thread)
           : isBlock ? "block " + std::to_string(event.block)
                     : "warp " + std::to_string(thread));
    json::Object span{{"ph", "X"},
                      {"pid", process},
                      {"tid", thread},
                      {"ts", event.begin},
                      {"dur", event.end - event.begin},
                      {"name", isBlock    ? "block"
                               : isTensor ? kernel.insts[event.inst].opcode
                                          : waitName(event.wait)}};
    if (!isBlock)
      span["args"] =
          json::Object{{"instruction", instText(kernel.insts[event.inst])},
                       {"line", kernel.insts[event.inst].line}};
    events.push_back(std::move(span));
  }
  std::string text;
  llvm::raw_string_ostream os(text);
  os << json::Value(json::Object{{"traceEvents", std::move(events)}}) << "\n";
  return text;
}
