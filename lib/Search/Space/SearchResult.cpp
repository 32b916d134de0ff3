//===- SearchResult.cpp - What a search found -----------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Search/Space/SearchResult.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include <limits>
#include <tuple>

using namespace fusion;

bool fusion::isBetter(const CostedSchedule &a, const CostedSchedule &b) {
  auto key = [](const CostedSchedule &costed) {
    int64_t occupancy = costed.cost.blocksPerSM * costed.schedule.warps;
    // One thread issues a TMA copy, instead of instructions of all threads.
    int64_t usesTMA =
        llvm::count_if(costed.schedule.places, [](const Placement &place) {
          return place.transport == fuse::Transport::TMA;
        });
    // Among schedules of equal time, features that cost something have to gain
    // something. Blocks of a cluster wait for one another, and so do warpgroups
    // under ping-pong scheduling. Producers take warps, and cross-iteration
    // overlap takes registers. Then, where a resource is the limit, the
    // schedule that waits least for it is better.
    return std::make_tuple(
        costed.modelSeconds, costed.schedule.clusterBlocks(),
        costed.schedule.producerWarps, costed.schedule.persistent,
        costed.schedule.isPingPong, costed.schedule.overlapsIterations(),
        -occupancy, costed.cost.pipeline,
        costed.footprint.globalLoadBytes + costed.footprint.globalStoreBytes,
        -usesTMA);
  };
  return key(a) < key(b);
}

bool fusion::measureRanking(std::vector<CostedSchedule> &ranking,
                            Measurement<Schedule> &measurement) {
  constexpr double never = std::numeric_limits<double>::infinity();
  std::vector<CostedSchedule> measured;
  bool hasRun = false;
  for (CostedSchedule &costed : ranking) {
    costed.measuredSeconds = measurement.measure(costed.schedule);
    hasRun |= costed.measuredSeconds.has_value();
    auto place = llvm::upper_bound(
        measured, costed.measuredSeconds.value_or(never),
        [&](double seconds, const CostedSchedule &other) {
          return seconds < other.measuredSeconds.value_or(never);
        });
    measured.insert(place, std::move(costed));
  }
  ranking = std::move(measured);
  return hasRun;
}

std::string fusion::withoutNumbers(llvm::StringRef reason) {
  std::string text;
  bool inNumber = false, inWord = false;
  for (char c : reason) {
    bool isDigit = c >= '0' && c <= '9';
    if (isDigit && (inNumber || !inWord)) {
      if (!inNumber)
        text += '#';
      inNumber = true;
      continue;
    }
    inNumber = false;
    inWord = llvm::isAlnum(c) || c == '_';
    text += c;
  }
  return text;
}

void fusion::countRejection(Refusals &rejections, llvm::StringRef reason,
                            int64_t candidates) {
  std::string text = withoutNumbers(reason);
  auto found = llvm::find_if(
      rejections, [&](const auto &entry) { return entry.first == text; });
  if (found == rejections.end())
    rejections.emplace_back(std::move(text), candidates);
  else
    found->second += candidates;
}

void fusion::sortRejections(Refusals &rejections) {
  llvm::sort(rejections, [](const auto &a, const auto &b) {
    return std::make_pair(-a.second, a.first) <
           std::make_pair(-b.second, b.first);
  });
}
