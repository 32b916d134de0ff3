//===- Evolution.h - MCFuser's evolutionary search ------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// MCFuser, algorithm 1: among N random candidates the n best by the model are
// measured. Unless the search has converged, N parents are drawn with weight
// 1/t and one tile size of each is changed. A space needs these members:
//
//   using Candidate = ...;                        // plain data with ==
//   Candidate random(Random &) const;
//   Candidate mutate(const Candidate &, Random &) const;
//   double estimate(const Candidate &) const;     // seconds, infinity: none
//
// Threads may call `estimate` concurrently.
//
// Random numbers are drawn by one thread and estimates are stored by their
// index in the population. An equal seed thus gives an equal answer for any
// number of threads.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_SEARCH_SPACE_EVOLUTION_H
#define FUSION_SEARCH_SPACE_EVOLUTION_H

#include "fusion/Search/Space/Random.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <thread>
#include <vector>

namespace fusion {

/// How candidates are measured: on a device or an emulator. Without a
/// measurement the estimate is used instead, and the result says so.
template <typename Candidate> class Measurement {
public:
  virtual ~Measurement() = default;
  virtual llvm::StringRef name() const = 0; ///< "device", "emulator"
  /// Returns seconds, or nullopt if the candidate does not run.
  virtual std::optional<double> measure(const Candidate &candidate) = 0;
};

/// When the search stops, and its result.
enum class Convergence : uint8_t {
  /// As printed: when this round's best differs from the best before by less
  /// than ε. The result is *this round's* best, which may be the worse one.
  /// Parents come from the last population alone.
  Printed,
  /// Fusion's: when `patience` rounds in a row have improved the best by less
  /// than ε. The result is the best of all, and a quarter of the parents are
  /// the best found before.
  BestOfAll,
};

struct EvolutionOptions {
  unsigned population = 256; ///< N, which the paper does not give
  unsigned measured = 8;     ///< n
  double epsilon = 0.01;     ///< ε, relative to the best time; not given either
  Convergence convergence = Convergence::BestOfAll;
  unsigned patience = 8;
  unsigned reported = 16; ///< best candidates to report
  unsigned maxRounds = 200;
  uint64_t seed = 0;
  unsigned threads = 1;
};

template <typename Candidate> struct EvolutionResult {
  Candidate best;
  /// The runners-up, best first; at most `EvolutionOptions::reported`.
  std::vector<Candidate> others;
  double seconds;             ///< measured, or estimated without a measurement
  llvm::StringRef measuredBy; ///< empty without one
  unsigned rounds = 0;
  uint64_t estimates = 0, measurements = 0;
  bool hasConverged = false; ///< else `maxRounds` was reached
};

/// One search; call `evolve` to run it.
template <typename Space> class Evolution {
public:
  using Candidate = typename Space::Candidate;

  Evolution(const Space &space, const EvolutionOptions &options,
            Measurement<Candidate> *measurement,
            llvm::ArrayRef<Candidate> seeds)
      : space(space), options(options), measurement(measurement), seeds(seeds),
        numbers(options.seed) {}

  /// Runs the search. Returns nullopt if no candidate is legal.
  std::optional<EvolutionResult<Candidate>> run() {
    EvolutionResult<Candidate> result{};
    if (measurement)
      result.measuredBy = measurement->name();
    std::vector<Candidate> population(options.population);
    for (auto [index, candidate] : llvm::enumerate(population))
      candidate = index < seeds.size() ? seeds[index] : space.random(numbers);
    unsigned idleRounds = 0;
    double best = std::numeric_limits<double>::infinity();
    while (result.rounds < options.maxRounds && !result.hasConverged) {
      ++result.rounds;
      std::vector<double> times = estimate(population);
      result.estimates += times.size();
      std::optional<Timed> top =
          measureTop(population, times, result.measurements);
      if (top) {
        bool isClose = std::isfinite(best) &&
                       std::abs(top->seconds - best) < options.epsilon * best;
        bool isPrinted = options.convergence == Convergence::Printed;
        bool improves = top->seconds < best;
        idleRounds = isClose || !improves ? idleRounds + 1 : 0;
        result.hasConverged =
            isPrinted ? isClose : idleRounds >= options.patience;
        if (improves || (isPrinted && isClose)) {
          result.best = top->candidate;
          result.seconds = best = top->seconds;
        }
      }
      if (!result.hasConverged)
        population = breed(population, times);
    }
    if (!std::isfinite(best))
      return std::nullopt;
    for (const Timed &timed : elite)
      if (!(timed.candidate == result.best))
        result.others.push_back(timed.candidate);
    return result;
  }

private:
  struct Timed {
    Candidate candidate;
    double seconds;
  };

  std::vector<double> estimate(const std::vector<Candidate> &population) const {
    std::vector<double> times(population.size());
    auto work = [&](size_t first, size_t last) {
      for (size_t i = first; i < last; ++i)
        times[i] = space.estimate(population[i]);
    };
    size_t threads = std::max(1u, options.threads);
    std::vector<std::thread> others;
    for (size_t t = 1; t < threads; ++t)
      others.emplace_back(work, population.size() * t / threads,
                          population.size() * (t + 1) / threads);
    work(0, population.size() / threads);
    for (std::thread &other : others)
      other.join();
    return times;
  }

  /// Measures the n best of the round, each candidate once in a search. Returns
  /// the best that runs, or nullopt.
  std::optional<Timed> measureTop(const std::vector<Candidate> &population,
                                  const std::vector<double> &times,
                                  uint64_t &measurements) {
    std::vector<size_t> order(population.size());
    for (size_t i = 0; i < order.size(); ++i)
      order[i] = i;
    llvm::sort(order, [&](size_t a, size_t b) {
      return std::make_pair(times[a], a) < std::make_pair(times[b], b);
    });
    std::optional<Timed> top;
    std::vector<Candidate> chosen;
    for (size_t i : order) {
      if (chosen.size() == options.measured || !std::isfinite(times[i]))
        break;
      if (llvm::is_contained(chosen, population[i]))
        continue;
      chosen.push_back(population[i]);
      std::optional<double> seconds = times[i];
      if (measurement)
        seconds = measureOnce(population[i], measurements);
      if (!seconds)
        continue;
      if (!top || *seconds < top->seconds)
        top = Timed{population[i], *seconds};
      remember({population[i], *seconds});
    }
    return top;
  }

  std::optional<double> measureOnce(const Candidate &candidate,
                                    uint64_t &measurements) {
    for (const auto &[known, seconds] : history)
      if (known == candidate)
        return seconds;
    ++measurements;
    std::optional<double> seconds = measurement->measure(candidate);
    history.emplace_back(candidate, seconds);
    return seconds;
  }

  /// The best so far. Parents are the first n of them.
  void remember(const Timed &timed) {
    if (llvm::any_of(elite, [&](const Timed &other) {
          return other.candidate == timed.candidate;
        }))
      return;
    auto place = llvm::upper_bound(elite, timed.seconds,
                                   [](double seconds, const Timed &other) {
                                     return seconds < other.seconds;
                                   });
    elite.insert(place, timed);
    if (elite.size() > std::max(options.measured, options.reported))
      elite.pop_back();
  }

  std::vector<Candidate> breed(const std::vector<Candidate> &population,
                               const std::vector<double> &times) {
    std::vector<Candidate> next;
    size_t parents = std::min<size_t>(elite.size(), options.measured);
    if (options.convergence == Convergence::BestOfAll && parents > 0)
      for (size_t i = 0; i < population.size() / 4; ++i)
        next.push_back(space.mutate(elite[i % parents].candidate, numbers));
    std::vector<double> sums;
    double sum = 0;
    for (double seconds : times)
      sums.push_back(sum += std::isfinite(seconds) ? 1 / seconds : 0);
    while (next.size() < population.size()) {
      if (sum == 0) {
        next.push_back(space.random(numbers));
        continue;
      }
      size_t parent =
          llvm::upper_bound(sums, numbers.fraction() * sum) - sums.begin();
      next.push_back(space.mutate(
          population[std::min(parent, population.size() - 1)], numbers));
    }
    return next;
  }

  const Space &space;
  const EvolutionOptions &options;
  Measurement<Candidate> *measurement;
  llvm::ArrayRef<Candidate> seeds;
  Random numbers;
  std::vector<Timed> elite;
  std::vector<std::pair<Candidate, std::optional<double>>> history;
};

/// Searches `space`, with `measurement` unless that is null. The first
/// population starts with `seeds`. Returns nullopt if no candidate is legal.
template <typename Space>
std::optional<EvolutionResult<typename Space::Candidate>>
evolve(const Space &space, const EvolutionOptions &options,
       Measurement<typename Space::Candidate> *measurement = nullptr,
       llvm::ArrayRef<typename Space::Candidate> seeds = {}) {
  return Evolution<Space>(space, options, measurement, seeds).run();
}

} // namespace fusion

#endif // FUSION_SEARCH_SPACE_EVOLUTION_H
