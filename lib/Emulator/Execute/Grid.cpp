//===- Grid.cpp - Runs the clusters of a launch ---------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs the blocks of a grid in parallel. Blocks that communicate, or that run
// with sanitizers, run alternately on one host thread.
//
//===----------------------------------------------------------------------===//

#include "Emulator/Execute/Grid.h"

#include "Emulator/Execute/Cluster.h"
#include "Emulator/Execute/L2Model.h"
#include "Emulator/Sanitize/Sanitizer.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <set>
#include <thread>

using namespace fusion::emulator;

namespace {

// For CTAs that wait for one another: instructions until the next CTA runs, and
// the number of clusters that are resident even if the chip has room for fewer.
constexpr uint64_t kCtaQuantum = 1 << 14;
constexpr uint64_t kMostResident = 2048;
// Warp instructions between two checks of whether another CTA has failed or the
// launch is to stop.
constexpr uint64_t kFailureQuantum = 1 << 16;
// Time that the calling thread waits for others between two such checks.
constexpr std::chrono::milliseconds kPatience(20);
// Warp instructions until the first search for spinning warps.
constexpr uint64_t kFirstLook = 1 << 21;

class Grid {
public:
  Grid(const Code &code, const Launch &launch, const Options &options,
       DeviceMemory &memory, std::vector<uint8_t> parameters)
      : code(code), launch(launch), options(options), memory(memory),
        parameters(std::move(parameters)) {
    clusters = countClusters(launch);
    if (options.clusters)
      clusters = std::min(clusters, options.clusters);
    mostResident = std::clamp<uint64_t>(
        activeClusters(code, launch, options.processors), 1, kMostResident);
    if (options.l2Bytes)
      l2 = std::make_unique<L2Model>(options.l2Bytes);
    if (options.annotate || options.records)
      instCounters.resize(code.insts.size());
    if (options.sanitize)
      sanitizer = std::make_unique<GridSanitizer>(options.seed);
  }

  LaunchResult run() {
    unsigned threads =
        options.threads ? options.threads : std::thread::hardware_concurrency();
    threads = unsigned(std::min<uint64_t>(std::max(threads, 1u), clusters));
    // Sanitizers report the order of writes, which must not depend on chance.
    if (code.communicates || options.sanitize)
      runInTurns();
    else
      runInParallel(threads);
    finish();
    return std::move(result);
  }

private:
  void runInParallel(unsigned threads) {
    std::atomic<uint64_t> next{0};
    auto work = [&]() {
      ClusterExecutor executor(code, launch, options, memory, parameters.data(),
                               nullptr);
      for (uint64_t index; (index = next.fetch_add(1)) < clusters;) {
        if (index > failed.load() || isStopped())
          break;
        executor.start(index, l2 != nullptr, threads > 1);
        CtaStatus status = CtaStatus::Running;
        while (status == CtaStatus::Running && executor.cost() <= limit()) {
          status = executor.run(
              std::min(kFailureQuantum, limit() - executor.cost() + 1));
          if (index > failed.load() || isStopped())
            return;
        }
        std::lock_guard<std::mutex> guard(mutex);
        collect(executor, status);
        charge(executor);
      }
    };
    std::vector<std::thread> helpers;
    std::condition_variable ended;
    unsigned working = threads - 1;
    for (unsigned i = 1; i < threads; ++i)
      helpers.emplace_back([&]() {
        work();
        std::lock_guard<std::mutex> guard(mutex);
        --working;
        ended.notify_one();
      });
    work();
    {
      // The calling thread has to ask while the last clusters run.
      std::unique_lock<std::mutex> guard(mutex);
      while (!ended.wait_for(guard, kPatience, [&]() { return !working; })) {
        guard.unlock();
        isStopped();
        guard.lock();
      }
    }
    for (std::thread &helper : helpers)
      helper.join();
    if (stopped)
      failStopped();
  }

  /// Whether the caller wants the launch to end. Only the calling thread asks
  /// it.
  bool isStopped() {
    if (!stopped && options.proceed && std::this_thread::get_id() == caller &&
        !options.proceed())
      stopped = true;
    return stopped;
  }

  /// Returns the cluster that starts as number `position`. Other seeds start
  /// with another one, and every other seed runs backwards.
  uint64_t drawn(uint64_t position) const {
    if (!options.seed)
      return position;
    uint64_t first = options.seed * 0x9e3779b97f4a7c15u % clusters;
    uint64_t index = (position + first) % clusters;
    return options.seed % 2 ? clusters - 1 - index : index;
  }

  /// Returns the instructions until the next CTA runs, which vary widely with
  /// seeds.
  uint64_t quantum() {
    if (!options.seed)
      return kCtaQuantum;
    turn = (turn + options.seed) * 6364136223846793005u + 1442695040888963407u;
    return uint64_t(8) << (turn >> 32) % 12;
  }

  /// Runs CTAs alternately on one host thread, each until it ends or its
  /// quantum is over. Further CTAs become resident only while the earlier ones
  /// do not end.
  void runInTurns() {
    std::vector<std::unique_ptr<ClusterExecutor>> active, idle;
    uint64_t next = 0;
    size_t window = 1;
    while (next < clusters || !active.empty()) {
      while (active.size() < window && next < clusters) {
        if (idle.empty())
          idle.push_back(std::make_unique<ClusterExecutor>(
              code, launch, options, memory, parameters.data(),
              sanitizer.get()));
        active.push_back(std::move(idle.back()));
        idle.pop_back();
        active.back()->start(drawn(next++), l2 != nullptr, false);
        spent += active.back()->cost();
      }
      bool ended = false;
      for (size_t i = 0; i < active.size();) {
        if (spent > limit())
          return failLimit(active[i]->index);
        if (isStopped())
          return failStopped();
        uint64_t before = active[i]->cost();
        CtaStatus status =
            active[i]->run(std::min(quantum(), limit() - spent + 1));
        spent += active[i]->cost() - before;
        if (l2 && code.communicates)
          for (auto &executor : active[i]->executors)
            feed(executor->cta);
        if (status != CtaStatus::Failed && spent > limit())
          return failLimit(active[i]->index);
        if (status == CtaStatus::Running) {
          ++i;
          continue;
        }
        if (status == CtaStatus::Failed) {
          // Otherwise the awaited CTAs may not have begun.
          if (next == clusters || active.size() == mostResident)
            checkStuck(active, *active[i]);
          collect(*active[i], status);
          return;
        }
        collect(*active[i], status);
        ended = true;
        idle.push_back(std::move(active[i]));
        active.erase(active.begin() + ptrdiff_t(i));
      }
      if (looksForSpins(next) && lookForSpins(active))
        return;
      if (!ended)
        window = std::min(window * 2, mostResident);
    }
  }

  /// Handles that no CTA can continue: lanes held for others of their warps go
  /// first.
  bool letHeldGo(std::vector<std::unique_ptr<ClusterExecutor>> &active) {
    bool any = false;
    for (auto &cluster : active)
      any |= cluster->letHeldGo();
    return any;
  }

  /// Makes it a deadlock that a cluster has reached the instruction limit, if
  /// no running CTA can change what its warps poll.
  void checkStuck(std::vector<std::unique_ptr<ClusterExecutor>> &active,
                  ClusterExecutor &failed) {
    Fault *fault = nullptr;
    for (auto &executor : failed.executors)
      if (executor->cta.fault.isLimit)
        fault = &executor->cta.fault;
    if (!fault || !options.sanitize)
      return;
    std::vector<Finding> parties;
    Fault limit = std::exchange(*fault, Fault());
    // Released lanes may wait when they are checked again.
    bool isStuck = false;
    for (unsigned looks = 0; looks < 3 && !isStuck; ++looks) {
      isStuck = true;
      parties.clear();
      for (auto &cluster : active)
        for (auto &executor : cluster->executors)
          isStuck &= executor->cta.ended || executor->isStuck(parties);
      if (isStuck && letHeldGo(active))
        isStuck = false;
    }
    if (fault->set) // by a watched warp
      isStuck = false;
    *fault = std::move(limit);
    if (!isStuck || parties.empty())
      return;
    fault->kind = "deadlock";
    fault->message = "deadlock: " + fault->message +
                     "; all other threads have ended, wait or spin";
    fault->parties = std::move(parties);
  }

  /// Whether to look for spinning warps: with sanitizers, at growing intervals,
  /// once all CTAs have begun. Before, the awaited ones may not have.
  bool looksForSpins(uint64_t next) {
    if (!options.sanitize || spent < nextLook || next != clusters)
      return false;
    nextLook = 2 * spent;
    return true;
  }

  /// Whether one of the CTAs has failed, or all of them spin or wait, which is
  /// a deadlock.
  bool lookForSpins(std::vector<std::unique_ptr<ClusterExecutor>> &active) {
    std::vector<Executor *> executors;
    ClusterExecutor *failing = nullptr;
    for (auto &cluster : active)
      for (auto &executor : cluster->executors)
        if (!executor->cta.ended) {
          // Copies in flight may be what other threads wait for.
          if (executor->awaitsCopies())
            return false;
          executors.push_back(executor.get());
        }
    std::vector<Finding> parties;
    bool isStuck = true;
    for (Executor *executor : executors)
      isStuck = isStuck && executor->isStuck(parties);
    bool hasFailed = false;
    for (Executor *executor : executors)
      hasFailed |= executor->cta.fault.set;
    if (!hasFailed && isStuck && !letHeldGo(active))
      for (Executor *executor : executors)
        if (executor->failStuck(parties))
          break;
    for (auto &cluster : active)
      for (auto &executor : cluster->executors)
        if (executor->cta.fault.set)
          failing = cluster.get();
    if (failing)
      collect(*failing, CtaStatus::Failed);
    return failing;
  }

  uint64_t limit() const {
    return options.launchLimit ? options.launchLimit : UINT64_MAX / 2;
  }

  /// Adds executed instructions in the order of the clusters' indices, so that
  /// the cluster that exceeds the launch's limit is always the same.
  void charge(const ClusterExecutor &cluster) {
    if (spent > limit())
      return;
    size_t at = size_t(cluster.index - charged);
    costs.resize(std::max(costs.size(), at + 1));
    costs[at] = cluster.cost();
    for (; !costs.empty() && costs.front(); costs.pop_front(), ++charged) {
      spent += costs.front();
      if (spent <= limit())
        continue;
      if (charged < failed.load())
        failLimit(charged);
      return;
    }
  }

  void failLimit(uint64_t index) {
    auto id = firstCta(launch, index);
    failed = index;
    result.error =
        Error{"the launch has executed " + std::to_string(limit()) +
                  " warp instructions, its limit (kernel '" +
                  std::string(code.source->name) + "', block (" +
                  std::to_string(id[0]) + "," + std::to_string(id[1]) + "," +
                  std::to_string(id[2]) + "))",
              code.source->line};
  }

  /// Reports that the launch was stopped, unless a cluster has failed by
  /// itself.
  void failStopped() {
    if (!result.error)
      result.error =
          Error{"stopped (kernel '" + std::string(code.source->name) + "')",
                code.source->line};
  }

  /// Feeds a CTA's accesses to the L2 model. A CTA may discard lines that
  /// others wrote before, so the model sees accesses in the order in which CTAs
  /// run.
  void feed(Cta &cta) {
    l2->feed(cta.trace.data() + cta.fed, cta.trace.size() - cta.fed);
    if (cta.recorded == Recorded::Nothing)
      cta.trace.clear();
    cta.fed = cta.trace.size();
  }

  void collect(ClusterExecutor &cluster, CtaStatus status) {
    for (auto &executor : cluster.executors) {
      const Fault &fault = executor->cta.fault;
      if (status == CtaStatus::Failed && fault.set &&
          cluster.index < failed.load()) {
        failed = cluster.index;
        result.error = Error{fault.message, fault.line};
      }
      collect(*executor);
    }
  }

  void collect(Executor &executor) {
    Cta &cta = executor.cta;
    result.counters += cta.counters;
    for (size_t i = 0; i < cta.instCounters.size(); ++i)
      instCounters[i] += cta.instCounters[i];
    if (cta.recorded != Recorded::Nothing)
      result.recordings.push_back({cta.linear, std::move(cta.steps),
                                   std::move(cta.executed), cta.trace});
    if (executor.sanitizer)
      for (Finding &finding : executor.sanitizer->reports.findings)
        if (known.emplace(finding.kind, finding.line, finding.otherLine).second)
          result.findings.push_back(std::move(finding));
    // An error that ends the launch is a finding as well.
    if (options.sanitize && cta.fault.set && !cta.fault.kind.empty()) {
      Finding finding;
      finding.kind = cta.fault.kind;
      finding.kernel = std::string(code.source->name);
      finding.block = cta.id;
      finding.thread = cta.fault.thread;
      finding.line = cta.fault.line;
      finding.otherLine = cta.fault.otherLine;
      finding.message = cta.fault.message;
      if (cta.fault.parties.empty())
        result.findings.push_back(std::move(finding));
      for (Finding &party : cta.fault.parties)
        result.findings.push_back(std::move(party));
    }
    if (l2 && code.communicates) {
      feed(cta);
    } else if (l2) {
      // The model gets the accesses of CTAs in the order of their indices.
      traces.emplace(cta.linear, std::move(cta.trace));
      cta.trace = {};
      for (auto it = traces.find(fed); it != traces.end();
           it = traces.find(fed)) {
        l2->feed(it->second.data(), it->second.size());
        traces.erase(it);
        ++fed;
      }
    }
  }

  void finish() {
    if (result.error) {
      result.counters = Counters();
      return;
    }
    for (size_t i = 0; i < instCounters.size(); ++i) {
      if (instCounters[i] == Counters())
        continue;
      if (options.annotate)
        result.lines[code.insts[i].line] += instCounters[i];
      result.counters += instCounters[i];
    }
    if (l2)
      result.counters.dramBytes = l2->finish();
    std::sort(result.recordings.begin(), result.recordings.end(),
              [](const BlockRecording &a, const BlockRecording &b) {
                return a.block < b.block;
              });
  }

  const Code &code;
  const Launch &launch;
  const Options &options;
  DeviceMemory &memory;
  std::vector<uint8_t> parameters;
  uint64_t clusters;
  size_t mostResident; ///< clusters at a time
  std::mutex mutex;
  std::atomic<uint64_t> failed{UINT64_MAX};
  std::atomic<bool> stopped{false};
  const std::thread::id caller = std::this_thread::get_id();
  std::unique_ptr<L2Model> l2;
  std::unique_ptr<GridSanitizer> sanitizer;
  std::map<uint64_t, std::vector<uint64_t>> traces;
  uint64_t fed = 0;
  uint64_t turn = 0;
  /// Instructions of the clusters from `charged` on; 0: not at its end yet.
  std::deque<uint64_t> costs;
  uint64_t charged = 0, spent = 0;
  uint64_t nextLook = kFirstLook; ///< at this value of `spent`
  std::vector<Counters> instCounters;
  std::set<std::tuple<std::string, unsigned, unsigned>> known;
  LaunchResult result;
};

} // namespace

LaunchResult fusion::emulator::runGrid(const Code &code, const Launch &launch,
                                       const Options &options,
                                       DeviceMemory &memory,
                                       std::vector<uint8_t> parameters) {
  return Grid(code, launch, options, memory, std::move(parameters)).run();
}
