//===- PtxSchedule.cpp - The order of instructions of a block -------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PtxSchedule.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <algorithm>

using namespace fusion::timing;

/// How far an instruction may come before others of the text. ptxas is bound by
/// its registers; an instruction that comes early holds some.
static constexpr unsigned kWindow = 40;

namespace {

/// Orders one block.
class Scheduler {
public:
  explicit Scheduler(llvm::ArrayRef<ScheduledInst> insts)
      : insts(insts), nodes(insts.size()) {
    for (unsigned i = 0; i < insts.size(); ++i)
      connect(i);
    for (unsigned i = insts.size(); i-- > 0;)
      for (auto [next, latency] : nodes[i].next)
        nodes[i].height =
            std::max(nodes[i].height, nodes[next].height + latency);
  }

  std::vector<unsigned> run() {
    std::vector<unsigned> order;
    double now = 0;
    unsigned oldest = 0;
    while (order.size() < insts.size()) {
      while (nodes[oldest].isDone)
        ++oldest;
      unsigned best = oldest;
      double bestTime = -1;
      unsigned end = std::min<size_t>(insts.size(), size_t(oldest) + kWindow);
      for (unsigned i = oldest; i < end; ++i) {
        if (nodes[i].isDone || nodes[i].waiting)
          continue;
        double time = std::max(now, timeOf(i));
        bool isBetter =
            time < bestTime ||
            (time == bestTime && nodes[i].height > nodes[best].height);
        if (bestTime < 0 || isBetter) {
          best = i;
          bestTime = time;
        }
      }
      now = bestTime;
      issue(best, now);
      order.push_back(best);
      if (!insts[best].isFree)
        now += 1;
    }
    return order;
  }

private:
  struct Node {
    llvm::SmallVector<std::pair<unsigned, double>, 4> next; ///< with latencies
    unsigned waiting = 0; ///< instructions before it that have not been issued
    double height = 0;    ///< latencies to the block's end
    double ready = 0;
    bool isDone = false;
  };
  struct Uses {
    std::optional<unsigned> writer;
    llvm::SmallVector<unsigned, 2> readers; ///< since the writer
  };

  void follow(unsigned before, unsigned after, double latency) {
    if (before == after)
      return;
    nodes[before].next.push_back({after, latency});
    ++nodes[after].waiting;
  }

  void read(Uses &uses, unsigned i, bool isValue) {
    if (uses.writer)
      follow(*uses.writer, i, isValue ? insts[*uses.writer].latency : 0);
    uses.readers.push_back(i);
  }
  void write(Uses &uses, unsigned i) {
    if (uses.writer)
      follow(*uses.writer, i, 0);
    for (unsigned reader : uses.readers)
      follow(reader, i, 0);
    uses.readers.clear();
    uses.writer = i;
  }

  /// Lets an instruction follow those before it that it depends on.
  void connect(unsigned i) {
    const ScheduledInst &inst = insts[i];
    for (unsigned reg : inst.reads)
      read(registers[reg], i, /*isValue=*/true);
    for (unsigned reg : inst.writes)
      write(registers[reg], i);
    for (unsigned bit = 0; bit < kBits; ++bit) {
      if (inst.effect.writes >> bit & 1)
        write(memory[bit], i);
      else if (inst.effect.reads >> bit & 1)
        read(memory[bit], i, /*isValue=*/false);
    }
    if (inst.isLast)
      for (unsigned before = 0; before < i; ++before)
        follow(before, i, 0);
  }

  double timeOf(unsigned i) const {
    double free = insts[i].isFree ? 0 : pipes.lookup(insts[i].pipe);
    return std::max(nodes[i].ready, free);
  }

  void issue(unsigned i, double now) {
    nodes[i].isDone = true;
    if (!insts[i].isFree)
      pipes[insts[i].pipe] = now + insts[i].interval;
    for (auto [next, latency] : nodes[i].next) {
      --nodes[next].waiting;
      nodes[next].ready = std::max(nodes[next].ready, now + latency);
    }
  }

  static constexpr unsigned kBits = 8;
  llvm::ArrayRef<ScheduledInst> insts;
  std::vector<Node> nodes;
  llvm::DenseMap<unsigned, Uses> registers;
  std::array<Uses, kBits> memory;
  llvm::DenseMap<unsigned, double> pipes; ///< when they are free
};

} // namespace

std::vector<unsigned>
fusion::timing::orderOf(llvm::ArrayRef<ScheduledInst> insts) {
  return Scheduler(insts).run();
}
