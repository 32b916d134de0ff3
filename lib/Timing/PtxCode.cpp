//===- PtxCode.cpp - PTX as machine code ----------------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Timing/PtxCode.h"
#include "PtxSchedule.h"
#include "fusion/Timing/PtxExpansion.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include <deque>

using namespace fusion;
using namespace fusion::timing;
using emulator::ExecutedInsts;
using emulator::PtxInst;
using emulator::PtxListing;
using emulator::StepAction;
using llvm::StringRef;

/// Stall counts that ptxas gives branches.
static constexpr unsigned kBranchStall = 5;
/// Instructions between two tries of a wait for an mbarrier, at most.
static constexpr unsigned kMostBetween = 16;

/// Bits of MemoryEffect.
static constexpr unsigned kShared = 1, kGlobal = 2, kLocal = 4, kAll = 255;

static bool hasModifier(StringRef opcode, StringRef modifier) {
  llvm::SmallVector<StringRef, 8> modifiers;
  opcode.split(modifiers, '.');
  return llvm::is_contained(modifiers, modifier);
}

static MemoryEffect effectOf(const PtxInst &inst) {
  StringRef opcode = inst.opcode, root = opcode.split('.').first;
  bool isStrong = false;
  for (StringRef modifier : {"volatile", "acquire", "release", "relaxed"})
    isStrong |= hasModifier(opcode, modifier);
  if (isStrong)
    return {kAll, kAll};
  switch (inst.step) {
  case StepKind::Mma:
    return {};
  case StepKind::GlobalLoad:
    // ld.global.nc reads what no one writes.
    return {hasModifier(opcode, "nc") ? 0 : kGlobal, 0};
  case StepKind::GlobalStore:
    return {0, kGlobal};
  case StepKind::SharedLoad:
  case StepKind::MatrixLoad:
    return {kShared, 0};
  case StepKind::SharedStore:
  case StepKind::MatrixStore:
    return {0, kShared};
  case StepKind::AsyncCopy:
    return {kGlobal, kShared};
  case StepKind::None:
    break;
  default:
    return {kAll, kAll};
  }
  if (root == "ld" || root == "st")
    return {hasModifier(opcode, "local") ? kLocal : 0,
            hasModifier(opcode, "local") && root == "st" ? kLocal : 0};
  static const llvm::StringSet<> orders = {
      "fence",   "membar",    "wgmma",      "cp",           "griddepcontrol",
      "call",    "nanosleep", "setmaxnreg", "mbarrier",     "bar",
      "discard", "trap",      "prefetch",   "applypriority"};
  return orders.contains(root) ? MemoryEffect{kAll, kAll} : MemoryEffect{};
}

/// Returns whether what follows an instruction in the text may not be executed
/// after it.
static bool endsRegion(StringRef root) {
  return root == "bra" || root == "brx" || root == "ret" || root == "exit" ||
         root == "call" || root == "trap";
}

/// What an instruction's result takes in an order that hides latencies.
static double scheduledLatency(const InstTiming &timing,
                               const Microarchitecture &micro) {
  if (timing.fixedLatency)
    return timing.fixedLatency + micro.crossLatency;
  switch (timing.kind) {
  case StepKind::GlobalLoad:
  case StepKind::Atomic:
    return micro.l2Latency;
  case StepKind::SharedLoad:
    return micro.sharedLatency;
  case StepKind::MatrixLoad:
    return micro.matrixLatency;
  default:
    return timing.isShuffle ? micro.shuffleLatency : timing.latency;
  }
}

/// Makes the code of a listing.
class PtxCode::Builder {
public:
  Builder(PtxCode &out, const PtxListing &listing, const ChipInfo &chip)
      : out(out), listing(listing), chip(chip),
        micro(microarchitectureOf(chip)), registers(listing.registers) {
    for (const PtxInst &inst : listing.insts)
      if (inst.step == StepKind::WarpgroupMma) {
        llvm::append_range(asyncRegisters, inst.reads);
        llvm::append_range(asyncRegisters, inst.writes);
      }
    llvm::sort(asyncRegisters);
    asyncRegisters.erase(llvm::unique(asyncRegisters), asyncRegisters.end());
  }

  void run() {
    findRegions();
    llvm::StringSet<> missing;
    for (Region &region : out.regions) {
      made.clear();
      for (unsigned i = region.first; i < region.end; ++i) {
        PtxExpansion expansion = expandPtx(listing.insts[i]);
        if (!expansion.isKnown &&
            missing.insert(listing.insts[i].opcode).second)
          out.unknown.push_back(listing.insts[i].opcode);
        expand(i, expansion);
      }
      region.firstInst = out.code.insts.size();
      append(made);
      region.endInst = out.code.insts.size();
    }
    for (auto [inst, number] : llvm::zip_equal(out.code.insts, out.numbers))
      if (inst.mnemonic() == "BRA" && listing.insts[number].target)
        inst.target =
            out.regions[out.regionOf[*listing.insts[number].target]].firstInst;
    out.code.trackedRegisters = registers;
    out.code.registers = listing.liveRegisters;
  }

private:
  struct Made {
    MachineInst inst;
    unsigned number = 0; ///< of the PTX instruction
    bool hasStep = false;
  };

  void findRegions() {
    std::vector<bool> begins(listing.insts.size() + 1);
    for (auto [i, inst] : llvm::enumerate(listing.insts)) {
      StringRef root = StringRef(inst.opcode).split('.').first;
      if (endsRegion(root))
        begins[i + 1] = true;
      if (inst.target)
        begins[*inst.target] = true;
      out.isPhaseWait.push_back(root == "mbarrier" &&
                                StringRef(inst.opcode).contains("_wait"));
    }
    for (unsigned i = 0; i < listing.insts.size(); ++i) {
      if (i == 0 || begins[i]) {
        out.regions.emplace_back();
        out.regions.back().first = i;
      }
      out.regions.back().end = i + 1;
      out.regionOf.push_back(out.regions.size() - 1);
    }
  }

  StringRef keep(std::string text) {
    out.texts.push_back(std::move(text));
    return out.texts.back();
  }

  void expand(unsigned number, const PtxExpansion &expansion) {
    const PtxInst &ptx = listing.insts[number];
    Made one;
    one.number = number;
    one.inst.line = ptx.line;
    if (ptx.hasGuard)
      one.inst.guard = Guard{0, false, false};
    one.inst.operands = keep("(" + ptx.opcode + ")");
    if (ptx.step == StepKind::WarpgroupMma)
      one.inst.operands =
          ptx.readsVector ? "R0, R0, gdesc[UR0], R0" : "R0, gdesc[UR0], R0";
    if (expansion.groups.empty()) {
      one.inst.opcode = "MOV";
      one.inst.isFree = true;
      one.inst.reads = ptx.reads;
      one.inst.writes = ptx.writes;
      made.push_back(std::move(one));
      return;
    }
    std::vector<unsigned> reads = ptx.reads;
    bool needsStep = ptx.step != StepKind::None;
    for (auto [i, group] : llvm::enumerate(expansion.groups)) {
      bool isLast = i + 1 == expansion.groups.size();
      std::vector<unsigned> next;
      for (const std::string &opcode : group) {
        Made each = one;
        each.inst.opcode = keep(opcode);
        each.inst.reads = reads;
        each.inst.control.stall = opcode == "BRA" ? kBranchStall : 1;
        if (isLast)
          each.inst.writes = ptx.writes;
        else
          each.inst.writes = {registers++};
        llvm::append_range(next, each.inst.writes);
        // Waits for TMA copies have the opcode of other waits.
        each.hasStep = needsStep && anchorKind(each.inst) != StepKind::None;
        needsStep &= !each.hasStep;
        made.push_back(std::move(each));
      }
      reads = std::move(next);
    }
    if (needsStep)
      made.back().hasStep = true;
  }

  /// Appends the instructions of a region in their order.
  void append(std::vector<Made> &insts) {
    std::vector<ScheduledInst> scheduled;
    std::deque<std::vector<unsigned>> withAsync;
    for (auto [i, one] : llvm::enumerate(insts)) {
      const PtxInst &ptx = listing.insts[one.number];
      InstTiming timing = timingOf(one.inst, chip, micro);
      ScheduledInst each;
      each.reads = one.inst.reads;
      each.writes = one.inst.writes;
      // What wgmma reads and writes is not waited for as a register.
      if (ptx.step == StepKind::WarpgroupMma ||
          ptx.step == StepKind::WarpgroupFence ||
          ptx.step == StepKind::WarpgroupWait) {
        withAsync.push_back(asyncRegisters);
        llvm::append_range(withAsync.back(), one.inst.writes);
        each.writes = withAsync.back();
      }
      each.effect = effectOf(ptx);
      each.latency = one.inst.isFree ? 0 : scheduledLatency(timing, micro);
      each.interval = timing.interval;
      each.pipe = unsigned(timing.pipe);
      each.isFree = one.inst.isFree;
      each.isLast = i + 1 == insts.size() &&
                    endsRegion(StringRef(ptx.opcode).split('.').first);
      scheduled.push_back(each);
    }
    for (unsigned i : orderOf(scheduled)) {
      out.numbers.push_back(insts[i].number);
      out.hasStep.push_back(insts[i].hasStep);
      out.code.insts.push_back(std::move(insts[i].inst));
    }
  }

  PtxCode &out;
  const PtxListing &listing;
  const ChipInfo &chip;
  const Microarchitecture &micro;
  unsigned registers;
  std::vector<unsigned> asyncRegisters; ///< of wgmma
  std::vector<Made> made;               ///< of the region at hand
};

PtxCode::PtxCode(const PtxListing &listing, const std::string &kernel,
                 const ChipInfo &chip) {
  texts.push_back(kernel);
  code.name = texts.back();
  Builder(*this, listing, chip).run();
}

/// Follows a warp through the code.
class PtxCode::Tracer {
public:
  Tracer(const PtxCode &code, llvm::ArrayRef<Step> steps)
      : code(code), steps(steps) {
    path.places.resize(steps.size());
  }

  MachinePath run(const ExecutedInsts &executed) {
    for (const Run &run : withoutRetries(executed.all())) {
      unsigned first = run.first, end = run.first + run.count;
      uint32_t order = run.order;
      while (first < end) {
        unsigned stop = std::min(end, code.regions[code.regionOf[first]].end);
        piece(first, stop, order);
        order += stop - first;
        first = stop;
      }
    }
    return std::move(path);
  }

private:
  struct Run : ExecutedInsts::Run {
    uint32_t order = 0; ///< instructions executed before it
  };

  /// Returns the runs without tries of waits for mbarriers that failed, and
  /// what came between them and the next try: their number depends on chance.
  std::vector<Run>
  withoutRetries(llvm::ArrayRef<ExecutedInsts::Run> runs) const {
    std::vector<Run> kept;
    std::optional<unsigned> awaited; // an instruction; others are left out
    size_t step = 0;
    uint32_t order = 0;
    for (size_t r = 0; r < runs.size(); ++r) {
      unsigned first = runs[r].first, end = first + runs[r].count;
      unsigned begin = first; // the next to keep
      for (unsigned i = first; i < end; ++i) {
        if (!code.isPhaseWait[i])
          continue;
        uint32_t at = order + (i - first);
        while (step < steps.size() && steps[step].order < at)
          ++step;
        if (awaited == i) {
          awaited.reset();
          begin = i;
        }
        bool hasFailed = step == steps.size() || steps[step].order != at;
        if (awaited || !hasFailed || !isTriedAgain(runs.drop_front(r), i))
          continue;
        if (i > begin)
          kept.push_back({{begin, i - begin}, order + (begin - first)});
        awaited = i;
      }
      if (!awaited && end > begin)
        kept.push_back({{begin, end - begin}, order + (begin - first)});
      order += runs[r].count;
    }
    return kept;
  }

  /// Returns whether an instruction of the first run is soon executed again.
  static bool isTriedAgain(llvm::ArrayRef<ExecutedInsts::Run> runs,
                           unsigned inst) {
    unsigned between = runs.front().first + runs.front().count - inst;
    for (const ExecutedInsts::Run &run : runs.drop_front()) {
      if (between > kMostBetween)
        return false;
      if (run.first <= inst && inst < run.first + run.count)
        return true;
      between += run.count;
    }
    return false;
  }

  /// Appends the instructions of a part of a region.
  void piece(unsigned first, unsigned end, uint32_t order) {
    const Region &region = code.regions[code.regionOf[first]];
    stepOf.assign(end - first, MachinePath::kNoStep);
    for (; nextStep < steps.size(); ++nextStep) {
      const Step &step = steps[nextStep];
      if (step.isFurther)
        continue;
      if (step.order >= order + (end - first))
        break;
      if (step.order < order)
        continue; // left out
      stepOf[step.order - order] = nextStep;
    }
    for (unsigned i = region.firstInst; i < region.endInst; ++i) {
      unsigned number = code.numbers[i];
      if (number < first || number >= end)
        continue;
      uint32_t step =
          code.hasStep[i] ? stepOf[number - first] : MachinePath::kNoStep;
      if (step != MachinePath::kNoStep)
        path.places[step] = path.insts.size();
      path.insts.push_back(i);
      path.steps.push_back(step);
    }
  }

  const PtxCode &code;
  llvm::ArrayRef<Step> steps;
  MachinePath path;
  std::vector<uint32_t> stepOf; ///< of the piece, by PTX instruction
  size_t nextStep = 0;
};

const MachinePath *PtxCode::path(const ExecutedInsts &executed,
                                 llvm::ArrayRef<Step> steps) {
  Key key;
  for (const ExecutedInsts::Run &run : executed.all())
    llvm::append_range(key,
                       std::initializer_list<uint32_t>{run.first, run.count});
  for (const Step &step : steps)
    key.push_back(step.isFurther ? ~0u : step.order);
  auto [entry, isNew] = known.try_emplace(std::move(key));
  if (isNew)
    entry->second = Tracer(*this, steps).run(executed);
  return &entry->second;
}
