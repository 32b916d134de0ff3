//===- SearchReport.cpp - What a search has found, for people and tools ---===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Search/Chains/SearchReport.h"
#include "fusion/Analysis/Cost/PipelineModel.h"
#include "fusion/Analysis/Resources/RegisterBudgets.h"
#include "fusion/Analysis/Schedules/SplitReduction.h"
#include "fusion/Analysis/Schedules/TMASupport.h"
#include "fusion/Target/Chips/Hardware.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

using namespace fusion;
using llvm::json::Array;
using llvm::json::Object;

namespace {

double microseconds(double seconds) { return seconds * 1e6; }

Object reportCost(const Cost &cost) {
  return Object{{"total_us", microseconds(cost.total)},
                {"launch_us", microseconds(cost.launch)},
                {"combine_us", microseconds(cost.splitReduction)},
                {"dram_us", microseconds(cost.dram)},
                {"l2_us", microseconds(cost.l2)},
                {"shared_us", microseconds(cost.shared)},
                {"compute_us", microseconds(cost.compute)},
                {"issue_us", microseconds(cost.issue)},
                {"exposed_issue_us", microseconds(kExposedIssue * cost.issue)},
                {"pipeline_us", microseconds(cost.pipeline)},
                {"bound", cost.bound()},
                {"blocks_per_sm", cost.blocksPerSM},
                {"resident_blocks_per_sm", cost.residentBlocks},
                {"waves", cost.waves}};
}

Object reportFootprint(const Footprint &footprint) {
  return Object{{"blocks", footprint.blocks},
                {"global_load_bytes", footprint.globalLoadBytes},
                {"global_store_bytes", footprint.globalStoreBytes},
                {"compulsory_bytes", footprint.compulsoryBytes},
                {"mma_flops", footprint.mmaFlops},
                {"scalar_instructions", footprint.scalar.plain},
                {"special_instructions", footprint.scalar.special},
                {"shared_memory", footprint.sharedMemory},
                {"shared_traffic", footprint.sharedTraffic},
                {"registers", footprint.registers}};
}

Object reportSchedule(const Schedule &schedule, const GroupModel &group) {
  Object entry;
  for (const DimensionInfo &dimension : allDimensions())
    if (dimension.report)
      dimension.report(schedule, group, entry);
  return entry;
}

Array reportLoops(const GroupModel &group, const CostedSchedule &costed,
                  const ChipInfo &chip) {
  Array loops;
  if (chip.isCpu())
    return loops;
  PipelineLatency latency = predictPipeline(
      group, costed.schedule, costed.footprint, chip, PipelineForm::Continuous);
  for (const LoopLatency &loop : latency.loops)
    loops.push_back(Object{{"axis", group.axes[loop.axis].name},
                           {"iterations", loop.iterations},
                           {"stages", loop.stages},
                           {"load_us", microseconds(loop.load)},
                           {"use_us", microseconds(loop.use)},
                           {"total_us", microseconds(loop.total)},
                           {"bound", name(loop.bound)}});
  return loops;
}

/// Returns every model's predictions for a schedule; null for a model that does
/// not support the group.
Object reportModels(const GroupModel &group, const Schedule &schedule,
                    const ChipInfo &chip) {
  Object models;
  std::string reason;
  for (ModelKind kind : allModels()) {
    std::optional<double> seconds =
        predictSeconds(kind, group, schedule, chip, reason);
    models[name(kind)] = seconds ? llvm::json::Value(microseconds(*seconds))
                                 : llvm::json::Value(nullptr);
  }
  return models;
}

/// Returns the peak rate, in flops per second, of the contraction whose MMA is
/// the fastest.
double tensorRate(const GroupModel &group, const Schedule &schedule,
                  const ChipInfo &chip) {
  double most = 0;
  for (auto [contraction, mapping] :
       llvm::zip_equal(group.contractions, schedule.contractions))
    if (contraction.type)
      most =
          std::max(most, mmaRate(chip, *contraction.type, *mapping.intrinsic));
  return most > 0 ? most : chip.f32FlopsPerSecond;
}

/// Returns the flops of the group's operators, without padding and recomputed
/// values.
double usefulFlops(const GroupModel &group) {
  double flops = 0;
  for (const Contraction &contraction : group.contractions) {
    double points = 2;
    for (unsigned axis : contraction.axes)
      points *= group.axes[axis].extent;
    flops += points;
  }
  return flops;
}

/// Returns the bytes that the group has to read and write, without partial
/// results that a split stores and reads again.
int64_t usefulBytes(const GroupModel &group, Schedule schedule) {
  schedule.splits.assign(schedule.splits.size(), 1);
  int64_t bytes = 0;
  for (auto [index, tensor] : llvm::enumerate(group.tensors))
    if (tensor.role != TensorRole::Intermediate &&
        tensor.role != TensorRole::Rows && !tensor.pass)
      bytes += compulsoryBytes(group, schedule, index);
  return bytes;
}

} // namespace

std::string fusion::whyNot(const CostedSchedule &other,
                           const CostedSchedule &chosen) {
  double slower = other.modelSeconds / chosen.modelSeconds - 1;
  auto takes = [](double seconds, double instead) {
    return llvm::formatv("{0:F2} us instead of {1:F2} us",
                         microseconds(seconds), microseconds(instead))
        .str();
  };
  // Of other models only the whole is known.
  bool isOurs = other.modelSeconds == other.cost.total &&
                chosen.modelSeconds == chosen.cost.total;
  constexpr double rounding = 1e-9;
  if (slower < -rounding)
    return llvm::formatv(
               "{0:F1} % faster by the model, but evaluated only for the "
               "ranking, after a choice that is not proven: {1}",
               -100 * slower, takes(other.modelSeconds, chosen.modelSeconds))
        .str();
  if (slower <= 0) {
    if (!isOurs)
      return "as fast by the model; the first one found was kept";
    if (other.schedule.cluster != chosen.schedule.cluster)
      return llvm::formatv("as fast, in clusters of {0} blocks instead of {1}",
                           other.schedule.cluster, chosen.schedule.cluster)
          .str();
    if (other.schedule.producerWarps != chosen.schedule.producerWarps)
      return llvm::formatv("as fast, with {0} producers instead of {1}",
                           other.schedule.producerWarps,
                           chosen.schedule.producerWarps)
          .str();
    auto differsIn = [](bool isOfOther, llvm::StringRef what) {
      return llvm::formatv("as fast, {0} {1}", isOfOther ? "with" : "without",
                           what)
          .str();
    };
    if (other.schedule.persistent != chosen.schedule.persistent)
      return differsIn(other.schedule.persistent, "persistent blocks");
    if (other.schedule.isPingPong != chosen.schedule.isPingPong)
      return differsIn(other.schedule.isPingPong, "ping-pong scheduling");
    if (bool overlaps = other.schedule.overlapsIterations();
        overlaps != chosen.schedule.overlapsIterations())
      return differsIn(overlaps, "cross-iteration overlap");
    int64_t own = chosen.cost.blocksPerSM * chosen.schedule.warps,
            others = other.cost.blocksPerSM * other.schedule.warps;
    if (others < own)
      return llvm::formatv("as fast, with {0} warps on an SM instead of {1}",
                           others, own)
          .str();
    if (other.cost.pipeline > chosen.cost.pipeline)
      return "as fast, but blocks wait longer: " +
             takes(other.cost.pipeline, chosen.cost.pipeline);
    return "as fast; the one of fewer bytes, or found first, was kept";
  }
  std::string text = llvm::formatv("{0:F1} % slower: ", 100 * slower).str();
  if (!isOurs)
    return text + takes(other.modelSeconds, chosen.modelSeconds) +
           " by the model";
  // The time is the longest of the terms that overlap, plus the cross-block
  // reduction and a part of the issue slots.
  auto longest = [](const Cost &cost) {
    return std::max(cost.busiest(), cost.pipeline);
  };
  if (kExposedIssue * (other.cost.issue - chosen.cost.issue) >
      longest(other.cost) - longest(chosen.cost))
    return text + "issue slots take " +
           takes(other.cost.issue, chosen.cost.issue);
  if (other.cost.splitReduction - chosen.cost.splitReduction >
      longest(other.cost) - longest(chosen.cost))
    return text + "the cross-block reduction takes " +
           takes(other.cost.splitReduction, chosen.cost.splitReduction);
  // Compare the longest term of each.
  Cost kernel = other.cost, retained = chosen.cost;
  kernel.launch = kernel.splitReduction = retained.launch =
      retained.splitReduction = 0;
  return text +
         llvm::formatv("{0} takes {1:F2} us, the chosen one's {2} {3:F2} us",
                       kernel.bound(), microseconds(longest(kernel)),
                       retained.bound(), microseconds(longest(retained)))
             .str();
}

std::vector<OtherPolicy> fusion::evaluateOtherPolicies(const GroupModel &group,
                                                       const Schedule &chosen,
                                                       const ChipInfo &chip) {
  std::vector<OtherPolicy> others;
  if (chip.isCpu())
    return others;
  auto predict = [&](const Schedule &schedule) {
    return predictCost(group, schedule, computeFootprint(group, schedule),
                       chip);
  };
  double own = predict(chosen).total;
  auto rate = [&](const char *what, bool isChosen, auto &&change) {
    if (isChosen)
      return;
    Schedule schedule = chosen;
    change(schedule);
    std::optional<std::string> reason = whyNotLowered(schedule);
    if (std::optional<std::string> impossible =
            whyImpossible(group, schedule, chip))
      return others.push_back({what, *impossible, std::nullopt});
    Cost cost = predict(schedule);
    const char *byModel = cost.total < own ? "the search has not come by it"
                                           : "by the model it is no faster";
    others.push_back({what, reason.value_or(byModel), cost});
  };
  rate("persistent blocks", chosen.persistent,
       [](Schedule &s) { s.persistent = true; });
  // The chip has no hardware for it.
  if (!chip.hasTMA)
    return others;
  rate("clusters of two", chosen.cluster > 1,
       [](Schedule &s) { s.cluster = 2; });
  rate("producer warps", chosen.producerWarps > 0, [&](Schedule &s) {
    s.producerWarps = registerBudgets(s.warps, kWarpgroupWarps,
                                      /*blocksPerSM=*/1, chip)
                          ? kWarpgroupWarps
                          : 1;
  });
  if (group.contractions.size() > 1)
    rate("cross-iteration overlap", chosen.overlapsIterations(),
         [&](Schedule &s) {
           for (auto [contraction, mapping] :
                llvm::zip_equal(group.contractions, s.contractions))
             if (contraction.producer[mapping.isOperandA(0) ? 0 : 1])
               mapping.stages = 2;
         });
  if (group.contractions.size() > 1)
    rate("ping-pong scheduling", chosen.isPingPong,
         [&](Schedule &s) { s.isPingPong = true; });
  for (auto [tensor, info] : llvm::enumerate(group.tensors))
    if (info.role == TensorRole::Result)
      rate("TMA stores of results",
           chosen.places[tensor].transport == fuse::Transport::TMA,
           [&, tensor = tensor](Schedule &s) {
             s.places[tensor].space = fuse::Space::Shared;
             s.places[tensor].transport = fuse::Transport::TMA;
           });
  return others;
}

std::vector<ThreadCopiedOperand>
fusion::listCopiesByThreads(const GroupModel &group, const Schedule &schedule,
                            const SearchOptions &options,
                            const ChipInfo &chip) {
  std::vector<ThreadCopiedOperand> copies;
  if (!chip.hasTMA)
    return copies;
  std::string choice =
      options.space != SpaceKind::Default
          ? "space '" + name(options.space).str() + "' has no other copies"
      : options.randomSeed
          ? "it was drawn so"
          : "by the model TMA copies of all operands gain nothing";
  for (unsigned tensor : listCopied(group, schedule))
    if (schedule.places[tensor].transport != fuse::Transport::TMA)
      copies.push_back(
          {group.tensors[tensor].name,
           whyNotTMA(group, schedule, chip, tensor).value_or(choice)});
  return copies;
}

std::string fusion::describe(const Schedule &schedule,
                             const GroupModel &group) {
  std::string text;
  llvm::raw_string_ostream out(text);
  auto names = [&](llvm::ArrayRef<unsigned> axes) {
    std::string list;
    for (unsigned axis : axes)
      list += (list.empty() ? "" : ", ") + group.axes[axis].name;
    return list;
  };
  if (schedule.blocks.empty())
    out << "one block";
  else
    out << "blocks over " << names(schedule.blocks);
  for (const DimensionInfo &dimension : allDimensions())
    if (dimension.wordsOfGrid)
      out << dimension.wordsOfGrid(schedule);
  if (std::optional<unsigned> axis = schedule.splitAxis())
    out << "; the reduction over " << group.axes[*axis].name << " split over "
        << schedule.splitOf(*axis) << " blocks"
        << (schedule.splitInCluster ? " as a cluster" : "");
  for (auto [number, mapping] : llvm::enumerate(schedule.contractions)) {
    const GroupTensor &result =
        group.tensors[group.contractions[number].result];
    if (mapping.intrinsic->isMicroKernel()) {
      out << "; " << result.name << " by " << mapping.intrinsic->name
          << ", rows along " << group.axes[mapping.i1].name;
      continue;
    }
    out << "; " << result.name << " by " << mapping.warps[0] << " x "
        << mapping.warps[1] << " warps";
    if (result.role == TensorRole::Intermediate)
      out << (schedule.places[group.contractions[number].result].space ==
                      fuse::Space::Shared
                  ? " through shared memory"
                  : " in registers");
  }
  for (auto [number, mapping] : llvm::enumerate(schedule.contractions))
    if (mapping.stages > 1)
      out << "; " << group.valueName(number)
          << " overlaps with the next iteration's contractions";
  if (schedule.producerWarps > 0)
    out << "; " << schedule.producerWarps
        << (schedule.producerWarps == 1 ? " producer warp" : " producer warps");
  if (schedule.isPingPong)
    out << "; warpgroups of " << kWarpgroupWarps
        << " warps alternate on the tensor cores";
  for (auto [tensor, place] : llvm::zip_equal(group.tensors, schedule.places))
    if (place.space == fuse::Space::Packed)
      out << "; " << tensor.name << " packed";
  for (auto [tensor, place] : llvm::zip_equal(group.tensors, schedule.places))
    if (tensor.role == TensorRole::Result &&
        place.transport == fuse::Transport::TMA)
      out << "; " << tensor.name << " stored by TMA";
  for (const DimensionInfo &dimension : allDimensions())
    if (dimension.words)
      if (std::string more = dimension.words(schedule, group); !more.empty())
        out << "; " << more;
  return text;
}

/// Returns the number as JSON, as text if a double does not hold it exactly.
static llvm::json::Value exactly(WideCount number) {
  constexpr WideCount most = WideCount(1) << 53;
  if (number > most)
    return toText(number);
  return static_cast<int64_t>(number);
}

/// Reports the options besides the space, the model and the method.
static Object reportOptions(const SearchOptions &options) {
  Object entry{{"seed", static_cast<int64_t>(options.seed)},
               {"max_stages", options.maxStages},
               {"max_register_stages", options.maxRegisterStages}};
  if (options.randomSeed)
    entry["random_seed"] = static_cast<int64_t>(*options.randomSeed);
  if (options.space == SpaceKind::Default) {
    entry["effort"] = options.effort;
    return entry;
  }
  const PaperSpaceOptions &rules = options.rules;
  const bool isUsed[] = {rules.deduplicate, rules.completeIntermediates,
                         rules.padding != PaddingRule::None,
                         rules.limitSharedMemory};
  std::string digits;
  for (auto [number, uses] : llvm::enumerate(isUsed))
    if (uses)
      digits += static_cast<char>('1' + number);
  entry["rules"] = digits;
  entry["remove_dead_loops"] = rules.removeDeadLoops;
  entry["convergence"] =
      options.convergence == Convergence::Printed ? "printed" : "best-of-all";
  return entry;
}

/// Reports how many values each dimension has.
static Object reportChoices(const ChoiceCounts &counts,
                            const GroupModel &group) {
  using Scope = DimensionInfo::Scope;
  Object choices{{"points", counts.points}};
  for (const ChoiceCounts::Dimension &dimension : counts.dimensions) {
    if (dimension.scope == Scope::Schedule) {
      choices[dimension.name] = dimension.values.front();
      continue;
    }
    Object own;
    for (auto [element, count] :
         llvm::zip_equal(dimension.elements, dimension.values))
      own[dimension.scope == Scope::Axis ? group.axes[element].name
          : dimension.scope == Scope::Tensor
              ? group.tensors[element].name
              : group.tensors[group.contractions[element].result].name] = count;
    choices[dimension.name] = std::move(own);
  }
  return choices;
}

/// Reports how many expressions and candidates remain after each pruning rule.
static void reportCounts(const SpaceCounts &counts, Object &entry) {
  entry["expressions_raw"] = exactly(counts.expressions[0]);
  entry["expressions_after_rule1"] = exactly(counts.expressions[1]);
  entry["expressions_after_rule2"] = exactly(counts.expressions[2]);
  entry["raw"] = exactly(counts.candidates[0]);
  for (unsigned rule : {1, 2, 3, 4})
    entry["after_rule" + std::to_string(rule)] =
        exactly(counts.candidates[rule]);
  entry["counts_exact"] = counts.isExact;
  entry["after_rule4_in_elements"] = exactly(counts.afterRule4InElements);
  entry["padding"] = counts.padding == PaddingRule::None ? "none"
                     : counts.padding == PaddingRule::Printed
                         ? "printed"
                         : "least-of-trips";
  if (counts.paddingLoss)
    entry["rule3_loss"] = *counts.paddingLoss;
}

Object fusion::reportSearch(llvm::StringRef name, const GroupModel &group,
                            const SearchResult &result,
                            const SearchOptions &options,
                            const ChipInfo &chip) {
  Object axes;
  for (const Axis &axis : group.axes)
    axes[axis.name] = axis.extent;
  Array contractions;
  for (const Contraction &contraction : group.contractions) {
    Array loops;
    for (unsigned axis : contraction.axes)
      loops.push_back(group.axes[axis].name);
    contractions.push_back(
        Object{{"result", group.tensors[contraction.result].name},
               {"axes", std::move(loops)}});
  }
  Array ranking;
  for (const CostedSchedule &costed : result.ranking) {
    Object entry = reportSchedule(costed.schedule, group);
    entry["cost"] = reportCost(costed.cost);
    entry["model_us"] = microseconds(costed.modelSeconds);
    entry["by_model_us"] = reportModels(group, costed.schedule, chip);
    if (costed.measuredSeconds)
      entry["measured_us"] = microseconds(*costed.measuredSeconds);
    entry["footprint"] = reportFootprint(costed.footprint);
    entry["loops"] = reportLoops(group, costed, chip);
    if (&costed != &result.ranking.front())
      entry["why_not"] = whyNot(costed, result.ranking.front());
    ranking.push_back(std::move(entry));
  }
  double useful = usefulFlops(group);
  Array byThreads;
  for (const ThreadCopiedOperand &copy :
       listCopiesByThreads(group, result.schedule, options, chip))
    byThreads.push_back(
        Object{{"tensor", copy.tensor}, {"reason", copy.reason}});
  Array others;
  for (const OtherPolicy &other :
       evaluateOtherPolicies(group, result.schedule, chip)) {
    Object entry{{"what", other.what}, {"why_not", other.reason}};
    if (other.cost) {
      entry["total_us"] = microseconds(other.cost->total);
      entry["gain_us"] = microseconds(result.cost.total - other.cost->total);
    }
    others.push_back(std::move(entry));
  }
  Array rejections;
  for (const auto &[reason, count] : result.rejections)
    rejections.push_back(Object{{"reason", reason}, {"candidates", count}});
  Object entry{
      {"name", name.str()}, // values of StringRef do not own
      {"axes", std::move(axes)},
      {"products", std::move(contractions)},
      {"space", fusion::name(options.space).str()},
      {"model", fusion::name(options.model).str()},
      {"search",
       options.randomSeed ? "drawn" : fusion::name(result.method).str()},
      {"options", reportOptions(options)},
      {"proven", result.isProven},
      {"measured_by", result.measuredBy.empty()
                          ? llvm::json::Value("model")
                          : llvm::json::Value(result.measuredBy.str())},
      {"candidates", result.candidates},
      {"legal", result.legal},
      {"bounded", result.bounded},
      {"refused", std::move(rejections)},
      {"ranked_from", result.rankedFrom},
      {"in_words", describe(result.schedule, group)},
      {"would_give", std::move(others)},
      {"copied_by_threads", std::move(byThreads)},
      {"ranking", std::move(ranking)},
      {"roofline",
       Object{
           {"flop_per_byte", useful / usefulBytes(group, result.schedule)},
           {"flop_per_second", useful / result.cost.total},
           {"peak_flop_per_second", tensorRate(group, result.schedule, chip)},
           {"dram_bytes_per_second", chip.dramBytesPerSecond}}}};
  if (result.counts)
    reportCounts(*result.counts, entry);
  if (result.choices)
    entry["choices"] = reportChoices(*result.choices, group);
  return entry;
}

llvm::json::Value fusion::makeReport(const ChipInfo &chip,
                                     SearchReports reports) {
  return Object{{"version", 1},
                {"chip", chip.name},
                {"product", chip.product},
                {"groups", std::move(reports.groups)},
                {"stitched", std::move(reports.stitched)},
                {"not_searched", std::move(reports.left)}};
}
