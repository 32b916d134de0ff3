//===- CpuTraffic.cpp - Bytes that loops move between caches --------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Analysis/Cost/CpuTraffic.h"
#include "fusion/Target/Chips/RowBlocks.h"
#include "llvm/ADT/STLExtras.h"
#include <cmath>
#include <numeric>
#include <vector>

using namespace fusion;
using llvm::ArrayRef;
using llvm::SmallVector;

bool fusion::isDenseAlong(const GroupTensor &tensor, unsigned axis) {
  return tensor.alignment > 0 && !tensor.window && !tensor.axes.empty() &&
         tensor.axes.back() == axis;
}

double fusion::shareInDram(double bytes, const CpuInfo &cpu) {
  return std::min(1.0, 2 * bytes / cpu.l3Bytes);
}

/// Returns whether both operands of a contraction are dense along the reduced
/// axis, and the RHS, which is read in place, is not along its columns.
static bool canMultiplyRows(const GroupModel &group, const Schedule &schedule,
                            unsigned number, const CpuOperand &rhs) {
  const ContractionMapping &mapping = schedule.contractions[number];
  if (!rhs.isTransposed && group.axes[mapping.i2].extent != 1)
    return false;
  for (unsigned tensor : rhs.tensors)
    if (!isDenseAlong(group.tensors[tensor], mapping.r1))
      return false;
  CpuOperand lhs = cpuOperand(group, schedule, number, /*isLhs=*/true);
  return lhs.isCopied || !lhs.isTransposed;
}

CpuOperand fusion::cpuOperand(const GroupModel &group, const Schedule &schedule,
                              unsigned number, bool isLhs) {
  const Contraction &contraction = group.contractions[number];
  const ContractionMapping &mapping = schedule.contractions[number];
  unsigned side = isLhs == mapping.swapped ? 1 : 0;
  CpuOperand operand;
  operand.producer = contraction.producer[side];
  bool hasWindow = false, isPacked = false;
  for (auto [index, tensor] : llvm::enumerate(group.tensors)) {
    if (tensor.role != TensorRole::Operand || tensor.pass ||
        tensor.operandNumber != side ||
        (tensor.contraction != number &&
         !llvm::is_contained(tensor.sharedBy, number)))
      continue;
    operand.tensors.push_back(index);
    hasWindow |= tensor.window != nullptr;
    isPacked |= schedule.places[index].space == fuse::Space::Packed;
  }
  unsigned inner = isLhs ? mapping.r1 : mapping.i2;
  bool isComputed = contraction.computed[side];
  bool isOfDots = mapping.intrinsic->multipliesDots();
  if (operand.producer) {
    // The accumulators of the producer are dense along its columns.
    operand.isTransposed =
        !isLhs && schedule.contractions[*operand.producer].i2 != inner;
    operand.isCopied = operand.isCopiedLate =
        operand.isTransposed || isComputed || (isOfDots && !isLhs);
    return operand;
  }
  for (unsigned tensor : operand.tensors)
    operand.isTransposed |= group.indexes(tensor, inner) &&
                            !isDenseAlong(group.tensors[tensor], inner);
  operand.isOfRows = !isLhs && !isPacked && !isComputed && !hasWindow &&
                     canMultiplyRows(group, schedule, number, operand);
  if (operand.isOfRows) {
    operand.isTransposed = false;
    return operand;
  }
  bool isNeeded = isComputed || hasWindow ||
                  ((isOfDots || !isLhs) && operand.isTransposed) ||
                  (isOfDots && !isLhs);
  operand.isCopied = isPacked || isNeeded;
  operand.isCopiedLate = isComputed || hasWindow || (isNeeded && !isPacked);
  return operand;
}

/// Returns the bytes between neighbours of a dense tensor along an axis.
static double distanceAlong(const GroupModel &group, unsigned tensor,
                            unsigned axis) {
  const GroupTensor &info = group.tensors[tensor];
  double bytes = info.elementBytes;
  for (unsigned d = info.axes.size(); d-- > 0 && info.axes[d] != axis;)
    bytes *= group.axes[info.axes[d]].extent;
  return bytes;
}

namespace {

/// What an execution of some loops touches of a buffer: elements along each of
/// its axes.
using Ranges = SmallVector<double, 4>;

/// A tensor in memory, or tiles of it in scratch.
struct Buffer {
  SmallVector<unsigned, 4> axes; ///< slowest first
  Ranges limits;                 ///< the most elements along each axis
  double elementBytes = 0;
  double mostElements = 0;                ///< 0: no limit
  double weight = 1;                      ///< of the last access
  bool isScratch = false, isDense = true; ///< along the last axis
};

/// What some loops touch of a buffer, and the bytes that they move.
struct Use {
  Ranges ranges; ///< empty: nothing
  double moved = 0;
};
using Uses = std::vector<Use>; ///< by buffer

struct Access {
  unsigned buffer;
  Ranges ranges;
  double weight; ///< 2 for what is read and written
  /// What lines cost that no prefetcher has fetched from the next level,
  /// relative to all of them being fetched: into L1, and into L2.
  double missesL1 = 1, missesL2 = 1;
};

struct Node {
  unsigned axis = 0;
  double trips = 1;
  double range = 1; ///< elements along the axis, of all iterations
  bool isGrid = false;
  double cores = 1;            ///< that the iterations are distributed over
  SmallVector<Access, 4> body; ///< outside of the inner loops
  std::vector<Node> loops;
};

/// A level of cache that gets bytes from the next one.
struct Level {
  double bytes;
  double sets;   ///< 0: addresses are hashed
  bool isShared; ///< by all cores
  bool isFirst;  ///< L1
};

/// What a line costs that no prefetcher has fetched, as it is on another page
/// than the one before, relative to one that it has.
constexpr double kAcrossPages = 3;
/// Lines that are read in order before a prefetcher is ahead.
constexpr double kLinesBeforePrefetch = 3;

class Counter {
public:
  Counter(const GroupModel &group, const Schedule &schedule,
          const RetainedTiles &retained, ArrayRef<double> trips,
          const CpuInfo &cpu)
      : group(group), schedule(schedule), retained(retained), trips(trips),
        cpu(cpu), known(2 * group.tensors.size(), -1) {
    double left = cpu.cores;
    build(launch, schedule.tree, left);
    active = cpu.cores / left;
  }

  double count(const Level &level) const {
    Uses uses = ofBody(launch, level);
    double bytes = 0;
    for (auto [buffer, use] : llvm::zip_equal(buffers, uses)) {
      bytes += use.moved;
      if (!level.isShared || buffer.isScratch || use.ranges.empty())
        continue;
      double whole = bytesOf(buffer, use.ranges);
      bytes -= (1 - shareInDram(whole, cpu)) *
               std::min(use.moved, whole * buffer.weight);
    }
    return bytes;
  }

private:
  unsigned bufferOf(unsigned tensor, bool isScratch, double elementBytes,
                    ArrayRef<unsigned> slots);
  double tileOf(unsigned axis) const {
    return std::min<double>(schedule.tiles[axis], group.axes[axis].extent);
  }
  void addAccess(Node &node, unsigned buffer, double weight,
                 ArrayRef<std::pair<unsigned, double>> micro = {});
  void build(Node &parent, const TilingTree &items, double &cores);
  void addMisses(Access &access, unsigned tensor,
                 const ContractionMapping &mapping, bool isLhs,
                 bool isOfRows) const;
  void addContraction(Node &parent, unsigned number);
  double bytesOf(const Buffer &buffer, const Ranges &ranges) const;
  double occupied(const Buffer &buffer, const Ranges &ranges,
                  const Level &level) const;
  double workingSet(const Uses &uses, const Level &level, double copies) const;
  Uses ofBody(const Node &node, const Level &level) const;
  void repeat(const Node &node, const Level &level, Uses &uses) const;

  const GroupModel &group;
  const Schedule &schedule;
  const RetainedTiles &retained;
  ArrayRef<double> trips;
  const CpuInfo &cpu;
  std::vector<Buffer> buffers;
  SmallVector<int, 16> known; ///< buffers by tensor, in memory and in scratch
  Node launch;
  double active = 1; ///< cores
};

} // namespace

//===----------------------------------------------------------------------===//
// The nest
//===----------------------------------------------------------------------===//

unsigned Counter::bufferOf(unsigned tensor, bool isScratch, double elementBytes,
                           ArrayRef<unsigned> slots) {
  int &number = known[2 * tensor + isScratch];
  if (number >= 0)
    return number;
  const GroupTensor &info = group.tensors[tensor];
  number = buffers.size();
  Buffer &buffer = buffers.emplace_back();
  buffer.axes = info.axes;
  buffer.elementBytes = elementBytes;
  buffer.isScratch = isScratch;
  buffer.isDense = isScratch || info.alignment > 0;
  if (!isScratch && info.window)
    buffer.mostElements = info.window->touched;
  for (unsigned axis : info.axes)
    buffer.limits.push_back(isScratch && !llvm::is_contained(slots, axis)
                                ? tileOf(axis)
                                : group.axes[axis].extent);
  return number;
}

/// Adds an access to a tile, or to the elements of one micro-kernel.
void Counter::addAccess(Node &node, unsigned buffer, double weight,
                        ArrayRef<std::pair<unsigned, double>> micro) {
  Access access{buffer, {}, weight};
  buffers[buffer].weight = weight;
  for (unsigned axis : buffers[buffer].axes) {
    double range = tileOf(axis);
    for (auto [other, count] : micro)
      if (other == axis)
        range = std::min(range, count);
    access.ranges.push_back(range);
  }
  node.body.push_back(std::move(access));
}

/// Sets what is not prefetched of an operand that is read in place. Rows of an
/// RHS that lie in different pages are read a line each. Those of an LHS are
/// read for the length of a tile.
void Counter::addMisses(Access &access, unsigned tensor,
                        const ContractionMapping &mapping, bool isLhs,
                        bool isOfRows) const {
  auto isAcrossPages = [&](unsigned axis) {
    return distanceAlong(group, tensor, axis) >= kPageBytes;
  };
  if (!isLhs && !isOfRows) {
    if (isAcrossPages(mapping.r1))
      access.missesL1 = kAcrossPages;
    return;
  }
  if (!isAcrossPages(isLhs ? mapping.i1 : mapping.i2))
    return;
  double lines =
      std::max(1.0, tileOf(mapping.r1) * group.tensors[tensor].elementBytes /
                        cpu.lineBytes);
  access.missesL2 =
      1 + (kAcrossPages - 1) * std::min(1.0, kLinesBeforePrefetch / lines);
}

void Counter::addContraction(Node &parent, unsigned number) {
  const Contraction &contraction = group.contractions[number];
  const ContractionMapping &mapping = schedule.contractions[number];
  double bytes = contraction.type == MultiplicandType::F64 ? 8 : 4;
  bool isOfDots = mapping.intrinsic->multipliesDots();
  auto loop = [&](unsigned axis, int64_t step) {
    Node node;
    node.axis = axis;
    node.range = tileOf(axis);
    node.trips = std::ceil(node.range / step);
    return node;
  };
  RowBlock block{mapping.intrinsic->i1, mapping.intrinsic->i2};
  if (cpuOperand(group, schedule, number, /*isLhs=*/false).isOfRows)
    block = blockOfRows(tileOf(mapping.i1), tileOf(mapping.i2));
  Node rows = loop(mapping.i1, block.rows),
       columns = loop(mapping.i2, block.columns);
  std::pair<unsigned, double> micro[] = {{mapping.i1, double(block.rows)},
                                         {mapping.i2, double(block.columns)}};
  for (bool isLhs : {true, false}) {
    CpuOperand operand = cpuOperand(group, schedule, number, isLhs);
    if (operand.producer) {
      unsigned tensor = group.contractions[*operand.producer].result;
      addAccess(rows,
                bufferOf(tensor, /*isScratch=*/true, bytes,
                         retained.values[tensor].axes),
                1, micro);
    }
    for (unsigned tensor : operand.tensors) {
      double own = group.tensors[tensor].elementBytes;
      if (!operand.isCopied) {
        addAccess(rows, bufferOf(tensor, /*isScratch=*/false, own, {}), 1,
                  micro);
        addMisses(rows.body.back(), tensor, mapping, isLhs, operand.isOfRows);
        continue;
      }
      unsigned copy =
          bufferOf(tensor, /*isScratch=*/true, isOfDots ? own : bytes,
                   retained.values[tensor].axes);
      addAccess(rows, copy, 1, micro);
      if (!operand.isCopiedLate)
        continue;
      addAccess(parent, bufferOf(tensor, /*isScratch=*/false, own, {}), 1);
      addAccess(parent, copy, 1);
    }
  }
  unsigned result = bufferOf(contraction.result, /*isScratch=*/true, bytes,
                             retained.accumulators[number].axes);
  addAccess(rows, result, 2, micro);
  columns.loops.push_back(std::move(rows));
  parent.loops.push_back(std::move(columns));
  // Element-wise operators and reductions read the accumulators, and write
  // what the next contraction multiplies.
  if (contraction.perPoint.plain > 0 || contraction.perPoint.special > 0)
    addAccess(parent, result, 2);
}

void Counter::build(Node &parent, const TilingTree &items, double &cores) {
  for (const TilingNode &item : items) {
    const GroupTensor *tensor =
        item.isLoop() ? nullptr : &group.tensors[item.index];
    switch (item.kind) {
    case TilingNode::Kind::Loop: {
      Node node;
      node.axis = item.index;
      node.trips = trips[item.index];
      node.range = std::min<double>(group.axes[item.index].extent,
                                    node.trips * tileOf(item.index));
      node.isGrid = schedule.isBlockAxis(item.index);
      if (node.isGrid) {
        node.cores = std::min(node.trips, cores);
        cores /= node.cores;
      }
      build(node, item.children, cores);
      parent.loops.push_back(std::move(node));
      break;
    }
    case TilingNode::Kind::Load: {
      bool isPacked = schedule.places[item.index].space == fuse::Space::Packed;
      if (tensor->role == TensorRole::Operand && !tensor->pass && !isPacked)
        break; // read where it is multiplied
      addAccess(
          parent,
          bufferOf(item.index, /*isScratch=*/false, tensor->elementBytes, {}),
          1);
      if (isPacked)
        addAccess(parent,
                  bufferOf(item.index, /*isScratch=*/true, 4,
                           retained.values[item.index].axes),
                  1);
      break;
    }
    case TilingNode::Kind::Compute:
      if (tensor->role != TensorRole::Rows)
        addContraction(parent, tensor->contraction);
      break;
    case TilingNode::Kind::Store:
      // A line is read before it is written in part, and written back later.
      addAccess(
          parent,
          bufferOf(item.index, /*isScratch=*/false, tensor->elementBytes, {}),
          2);
      if (tensor->role == TensorRole::Result)
        addAccess(parent,
                  bufferOf(item.index, /*isScratch=*/true, 4,
                           retained.accumulators[tensor->contraction].axes),
                  1);
      break;
    }
  }
}

//===----------------------------------------------------------------------===//
// What loops touch and move
//===----------------------------------------------------------------------===//

double Counter::bytesOf(const Buffer &buffer, const Ranges &ranges) const {
  if (ranges.empty())
    return buffer.elementBytes;
  double elements = 1;
  for (double range : ranges)
    elements *= range;
  double bytes = elements * buffer.elementBytes, last = ranges.back();
  if (!buffer.isScratch) {
    // Whole lines, unless all rows follow one another.
    if (!buffer.isDense)
      bytes = elements * cpu.lineBytes;
    else if (last < buffer.limits.back()) {
      double row = last * buffer.elementBytes;
      bytes *= std::ceil(row / cpu.lineBytes) * cpu.lineBytes / row;
    }
    if (buffer.mostElements > 0)
      bytes = std::min(bytes, buffer.mostElements * buffer.elementBytes);
  }
  return bytes;
}

/// Returns the bytes of a cache that a buffer takes. Rows whose distance is a
/// multiple of many sets share few of them.
double Counter::occupied(const Buffer &buffer, const Ranges &ranges,
                         const Level &level) const {
  double bytes = bytesOf(buffer, ranges);
  if (level.sets == 0 || buffer.isScratch || ranges.size() < 2)
    return bytes;
  double distance = buffer.elementBytes, rows = 1;
  for (unsigned d = ranges.size() - 1; d > 0 && rows == 1; --d) {
    distance *= buffer.limits[d];
    if (ranges[d] < buffer.limits[d] || d + 1 < ranges.size())
      rows = ranges[d - 1];
  }
  if (rows == 1 || std::fmod(distance, cpu.lineBytes) != 0)
    return bytes;
  int64_t sets = level.sets;
  double distinct = sets / std::gcd<int64_t>(distance / cpu.lineBytes, sets);
  double lines = std::max(1.0, bytes / rows / cpu.lineBytes);
  double covered = std::min(level.sets, distinct * lines);
  double wanted = std::min(level.sets, rows * lines);
  return bytes * std::max(1.0, wanted / covered);
}

/// Returns the bytes of a level that `uses` take. Of scratch there are
/// `copies`.
double Counter::workingSet(const Uses &uses, const Level &level,
                           double copies) const {
  double bytes = 0;
  for (auto [buffer, use] : llvm::zip_equal(buffers, uses))
    if (!use.ranges.empty())
      bytes +=
          occupied(buffer, use.ranges, level) * (buffer.isScratch ? copies : 1);
  return bytes;
}

Uses Counter::ofBody(const Node &node, const Level &level) const {
  Uses uses(buffers.size());
  auto add = [&](unsigned buffer, const Ranges &ranges, double moved) {
    Use &use = uses[buffer];
    use.moved += moved;
    if (use.ranges.empty())
      use.ranges = ranges;
    else
      for (auto [own, other] : llvm::zip_equal(use.ranges, ranges))
        own = std::max(own, other);
  };
  for (const Access &access : node.body)
    add(access.buffer, access.ranges,
        access.weight * bytesOf(buffers[access.buffer], access.ranges) *
            (level.isFirst    ? access.missesL1
             : level.isShared ? 1
                              : access.missesL2));
  for (const Node &loop : node.loops) {
    Uses inner = ofBody(loop, level);
    repeat(loop, level, inner);
    for (auto [buffer, use] : llvm::enumerate(inner))
      if (!use.ranges.empty())
        add(buffer, use.ranges, use.moved);
  }
  return uses;
}

/// Extends what one iteration of a loop touches and moves to all of them.
void Counter::repeat(const Node &node, const Level &level, Uses &uses) const {
  double room = level.bytes;
  if (level.isShared && !node.isGrid)
    room /= active;
  bool fits = workingSet(uses, level,
                         level.isShared && node.isGrid ? active : 1) <= room;
  for (auto [buffer, use] : llvm::zip_equal(buffers, uses)) {
    if (use.ranges.empty())
      continue;
    const unsigned *found = llvm::find(buffer.axes, node.axis);
    bool isIndexed = found != buffer.axes.end();
    unsigned d = isIndexed ? found - buffer.axes.begin() : 0;
    double range = isIndexed ? std::min(node.range, buffer.limits[d]) : 0;
    if (isIndexed && range > use.ranges[d]) {
      double before = bytesOf(buffer, use.ranges), old = use.ranges[d];
      use.ranges[d] = range;
      use.moved *= fits ? bytesOf(buffer, use.ranges) / before : range / old;
      continue;
    }
    // Each core loads its own.
    if (!fits)
      use.moved *= node.trips;
    else if (!level.isShared)
      use.moved *= node.cores;
  }
}

CpuTraffic fusion::countCpuTraffic(const GroupModel &group,
                                   const Schedule &schedule,
                                   const RetainedTiles &retained,
                                   ArrayRef<double> trips, const CpuInfo &cpu) {
  Counter counter(group, schedule, retained, trips, cpu);
  // One way is left to what passes through.
  auto ofCore = [&](double bytes, double ways, bool isFirst) {
    return counter.count({bytes * (ways - 1) / ways,
                          bytes / ways / cpu.lineBytes, /*isShared=*/false,
                          isFirst});
  };
  CpuTraffic traffic;
  traffic.intoL1 = ofCore(cpu.l1Bytes, cpu.l1Ways, /*isFirst=*/true);
  traffic.intoL2 = ofCore(cpu.l2Bytes, cpu.l2Ways, /*isFirst=*/false);
  traffic.intoL3 = counter.count({double(cpu.l3Bytes), /*sets=*/0,
                                  /*isShared=*/true, /*isFirst=*/false});
  return traffic;
}
