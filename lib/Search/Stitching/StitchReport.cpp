//===- StitchReport.cpp - What a search of stitching has found ------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Search/Stitching/StitchReport.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FormatVariadic.h"

using namespace fusion;
using llvm::json::Array;
using llvm::json::Object;

static double microseconds(double seconds) { return seconds * 1e6; }

static Object reportCost(const StitchCost &cost) {
  return Object{{"total_us", microseconds(cost.total)},
                {"memory_us", microseconds(cost.memory)},
                {"traffic_us", microseconds(cost.traffic)},
                {"latency_us", microseconds(cost.latency)},
                {"issue_us", microseconds(cost.issue)},
                {"instructions", cost.instructions},
                {"moved_bytes", cost.moved},
                {"compulsory_bytes", cost.compulsory},
                {"sectors", cost.sectors},
                {"waves", cost.waves}};
}

/// Why a schedule is not the chosen one. Seconds decide, but not within what
/// the evaluator cannot tell apart.
static std::string whyNot(const StitchCost &other, const StitchCost &chosen) {
  double slower = other.total / chosen.total - 1;
  constexpr double rounding = 1e-9;
  if (slower > rounding)
    return llvm::formatv("{0:F1} % slower: {1:F2} us instead of {2:F2} us",
                         100 * slower, microseconds(other.total),
                         microseconds(chosen.total));
  if (other.moved > chosen.moved)
    return llvm::formatv("moves {0:F0} bytes instead of {1:F0}", other.moved,
                         chosen.moved);
  if (other.sectors > chosen.sectors)
    return llvm::formatv("touches {0:F0} sectors instead of {1:F0}",
                         other.sectors, chosen.sectors);
  if (slower < -rounding)
    return llvm::formatv("{0:F1} % faster, which is within what the evaluator "
                         "can tell apart",
                         -100 * slower);
  return "as fast; the first one found was kept";
}

static Object reportSchedule(const StitchGroup &group,
                             const StitchResult &result,
                             const std::string &text) {
  Object tiles;
  for (auto [axis, mapping] :
       llvm::zip_equal(group.axes, result.schedule.threadMapping))
    tiles[axis.name] = mapping.tile;
  return Object{{"schedule", text},
                {"tiles", std::move(tiles)},
                {"warps", result.schedule.warps},
                {"blocks", countBlocks(group, result.schedule)},
                {"registers", result.cost.registers},
                {"shared_memory", result.cost.sharedMemory},
                {"blocks_per_sm", result.cost.blocksPerSM},
                {"cost", reportCost(result.cost)}};
}

Object fusion::reportStitching(llvm::StringRef name, const StitchGroup &group,
                               const StitchResult &chosen,
                               const StitchRanking &ranking, size_t most,
                               PrintStitching print) {
  Object axes;
  for (const StitchAxis &axis : group.axes)
    axes[axis.name] = axis.extent;
  Array operators;
  for (mlir::linalg::LinalgOp op : group.operators())
    operators.push_back(op->getName().getStringRef().str());
  Array entries;
  llvm::StringSet<> seen;
  auto add = [&](const StitchResult &result) {
    std::string text = print(result.schedule);
    if (entries.size() >= most || !seen.insert(text).second)
      return;
    Object entry = reportSchedule(group, result, text);
    if (!entries.empty())
      entry["why_not"] = whyNot(result.cost, chosen.cost);
    entries.push_back(std::move(entry));
  };
  add(chosen);
  for (const StitchResult &result : ranking.results())
    add(result);
  return Object{{"name", name.str()},
                {"axes", std::move(axes)},
                {"operators", std::move(operators)},
                {"candidates", chosen.candidates},
                {"legal", chosen.legal},
                {"ranking", std::move(entries)}};
}
