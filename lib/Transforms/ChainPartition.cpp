//===- ChainPartition.cpp - Chains of a function --------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ChainPartition.h"
#include "ChainRows.h"
#include "SharedHeads.h"
#include "StitchNeighbours.h"
#include "fusion/Analysis/GroupAxes.h"
#include "fusion/Analysis/Windows.h"
#include "fusion/Search/ScheduleSearch.h"
#include "fusion/Transforms/GroupBuilder.h"
#include "mlir/IR/Remarks.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace fusion;

namespace {

constexpr StringLiteral kCategory = "fuse";

std::string microseconds(double seconds) {
  return llvm::formatv("{0:F2} us", seconds * 1e6).str();
}

/// A part of a row as one kernel, with its price.
struct Part : Price {
  ChainRow::Operators operators; ///< in program order
  bool isChain = false; ///< they make a chain, whether it has a price or not
  double apart = 0;  ///< seconds of kernels of products that could have joined
  std::string joins; ///< why products join or do not, where some could
  double head = 0;   ///< seconds of kernels of what could have been in front
  std::string heads; ///< why that is in front or not, where some could be
  std::string borders; ///< why what stitched groups could have is in or not
  bool isLeft = false; ///< they have it
};

class Partitioner {
public:
  Partitioner(func::FuncOp function, const ChipInfo &chip,
              const ChainPartitionOptions &options, PriceList &prices)
      : function(function), chip(chip), options(options),
        forceFusion(options.forceFusion), rewriter(function.getContext()),
        prices(prices) {}

  void run() {
    remarkConvolutions();
    for (SharedHead &head : SharedHead::find(function))
      distribute(head);
    // What does not join is a row of its own.
    llvm::SmallPtrSet<Operation *, 16> tried;
    while (true) {
      std::vector<ChainRow> rows = collectChainRows(function, tried);
      bool isApart = false;
      if (options.explorer && !rows.empty() && !neighbours)
        neighbours.emplace(function, chip, *options.explorer);
      for (const ChainRow &row : rows)
        claim(row);
      for (ChainRow &row : rows) {
        for (const ChainRow::Link &link : row.links)
          tried.insert(link.product);
        isApart |= partition(row);
      }
      if (!isApart)
        break;
    }
  }

private:
  Part price(const ChainRow &row, unsigned first, unsigned last);
  Part price(const ChainRow &row, unsigned first, unsigned last, bool heads);
  Part price(const ChainRow &row, unsigned first, unsigned last, bool joined,
             bool heads);
  Part price(ChainRow::Operators operators, bool isSingle);
  const Price &search(fuse::ChainOp group, const GroupModel &model);
  double priceAlone(linalg::LinalgOp op) const;
  double price(const SharedHead &head);
  void distribute(SharedHead &head);
  Part compete(const ChainRow &row, unsigned first, unsigned last,
               const Part &part);
  void claim(const ChainRow &row);
  void remarkNeighbours(const Part &part);
  /// Returns whether products that could have joined did not.
  bool partition(ChainRow &row);
  void remarkIntensity(const GroupAxes &axes);
  void remarkConvolutions();

  func::FuncOp function;
  const ChipInfo &chip;
  const ChainPartitionOptions &options;
  bool forceFusion;
  bool explains = true;
  IRRewriter rewriter;
  PriceList &prices;
  std::optional<StitchNeighbours> neighbours;
};

} // namespace

/// A product that has no schedule runs in the generic form; a price that no
/// fused kernel reaches keeps it comparable.
static constexpr double kGenericPrice = 1.0;

/// What an operator takes as a kernel of its own: its bytes pass once.
double Partitioner::priceAlone(linalg::LinalgOp op) const {
  int64_t bytes = 0;
  for (Value value : op->getOperands())
    if (auto type = dyn_cast<ShapedType>(value.getType());
        type && type.hasStaticShape())
      bytes += type.getNumElements() *
               llvm::divideCeil(type.getElementTypeBitWidth(), 8);
  return predictStreaming(bytes, chip);
}

Part Partitioner::price(const ChainRow &row, unsigned first, unsigned last) {
  if (!row.hasHead(first, last))
    return price(row, first, last, /*heads=*/false);
  Part with = price(row, first, last, /*heads=*/true),
       without = price(row, first, last, /*heads=*/false);
  for (unsigned i = first; i <= last; ++i)
    for (linalg::LinalgOp op : row.links[i].head)
      without.head += priceAlone(op);
  if (!with.time) {
    without.heads =
        "the reductions in front of the product are kernels of their own: " +
        with.reason;
    return without;
  }
  double separate =
      without.time.value_or(kGenericPrice) + without.apart + without.head;
  bool pays = *with.time + with.apart <= separate;
  std::string numbers = llvm::formatv(
      "predicted {0} together against {1} apart",
      microseconds(*with.time + with.apart), microseconds(separate));
  with.heads =
      "the reductions in front of the product are in its kernel: " + numbers;
  without.heads =
      "the reductions in front of the product are kernels of their own: " +
      numbers;
  return pays || forceFusion ? with : without;
}

Part Partitioner::price(const ChainRow &row, unsigned first, unsigned last,
                        bool heads) {
  if (!row.hasJoined(first, last))
    return price(row, first, last, /*joined=*/false, heads);
  Part joined = price(row, first, last, /*joined=*/true, heads),
       apart = price(row, first, last, /*joined=*/false, heads);
  for (unsigned i = first; i <= last; ++i) {
    ChainRow::Operators operators = row.links[i].joined;
    if (operators.empty())
      continue;
    llvm::sort(operators, [](linalg::LinalgOp a, linalg::LinalgOp b) {
      return a->isBeforeInBlock(b);
    });
    apart.apart +=
        price(operators, /*isSingle=*/false).time.value_or(kGenericPrice);
  }
  if (!joined.time) {
    apart.joins =
        "not joined with the products whose values it meets: " + joined.reason;
    return apart;
  }
  double separate = apart.time.value_or(kGenericPrice) + apart.apart;
  bool pays = *joined.time <= separate;
  std::string numbers =
      llvm::formatv("predicted {0} joined against {1} apart",
                    microseconds(*joined.time), microseconds(separate));
  joined.joins = "joined with the products whose values it meets: " + numbers;
  apart.joins =
      "not joined with the products whose values it meets: " + numbers;
  return pays || forceFusion ? joined : apart;
}

Part Partitioner::price(const ChainRow &row, unsigned first, unsigned last,
                        bool joined, bool heads) {
  // Products are explained once.
  bool isSingle = first == last && (joined || !row.hasJoined(first, last)) &&
                  heads == row.hasHead(first, last);
  Part part =
      price(row.operators(first, last, /*all=*/true, joined, heads), isSingle);
  if (part.time)
    return part;
  Part less = price(row.operators(first, last, /*all=*/false, joined, heads),
                    isSingle && !part.isChain);
  if (!less.time)
    less.reason = part.reason;
  return less;
}

/// The operators that can be one group: those that need, through others outside
/// of it, what the group computes are left out, with what only they read.
/// `reason` is set where a product is among them.
static ChainRow::Operators withoutWaysBack(ArrayRef<linalg::LinalgOp> operators,
                                           std::string &reason) {
  llvm::SmallPtrSet<Operation *, 8> inside, behind;
  for (linalg::LinalgOp op : operators)
    inside.insert(op);
  linalg::LinalgOp first = operators.front(), last = operators.back();
  bool isCut = false;
  for (Operation &op : llvm::make_range(Block::iterator(first),
                                        std::next(Block::iterator(last)))) {
    llvm::SetVector<Value> read = valuesReadBy(op);
    auto isOf = [&](const llvm::SmallPtrSetImpl<Operation *> &set) {
      return llvm::any_of(read, [&](Value value) {
        return set.contains(value.getDefiningOp());
      });
    };
    if (!isOf(behind) && (inside.contains(&op) || !isOf(inside)))
      continue;
    behind.insert(&op);
    if (!inside.erase(&op))
      continue;
    isCut = true;
    if (auto product = dyn_cast<linalg::LinalgOp>(op); isContraction(product))
      reason = "it needs what an operator outside of the group makes of the "
               "group's values";
  }
  ChainRow::Operators rest;
  for (linalg::LinalgOp op : llvm::reverse(operators)) {
    if (!inside.contains(op))
      continue;
    if (isCut && !isContraction(op) && !op->use_empty() &&
        llvm::all_of(op->getUsers(),
                     [&](Operation *user) { return behind.contains(user); })) {
      // Makes operands of what is left out, or further results.
      bool isOperand = llvm::none_of(op.getDpsInputs(), [&](Value value) {
        return inside.contains(value.getDefiningOp());
      });
      if (isOperand) {
        behind.insert(op);
        continue;
      }
    }
    rest.push_back(op);
  }
  return {rest.rbegin(), rest.rend()};
}

const Price &Partitioner::search(fuse::ChainOp group, const GroupModel &model) {
  // The model follows from the group alone, which is isolated from above.
  std::string text;
  llvm::raw_string_ostream stream(text);
  group->print(stream, OpPrintingFlags().useLocalScope());
  auto [place, isNew] = prices.try_emplace(text);
  Price &price = place->second;
  if (!isNew)
    return price;
  SearchOptions search;
  search.skipMasked = options.skipMasked;
  if (std::optional<SearchResult> found =
          searchSchedule(model, chip, price.reason, search)) {
    price.time = found->cost.total;
    price.bound = found->cost.bound();
    price.flops = found->footprint.mmaFlops;
    price.bytes =
        found->footprint.globalLoadBytes + found->footprint.globalStoreBytes;
  }
  return price;
}

Part Partitioner::price(ChainRow::Operators operators, bool isSingle) {
  Part part;
  operators = withoutWaysBack(operators, part.reason);
  if (!part.reason.empty())
    return part;
  auto group = buildGroup<fuse::ChainOp>(rewriter, operators);
  part.operators = std::move(operators);
  FailureOr<GroupAxes> axes = GroupAxes::compute(
      cast<fuse::FusedGroupOpInterface>(group.getOperation()).getOperators(),
      cast<fuse::FusedGroupOpInterface>(group.getOperation())
          .getYieldedValues(),
      [&](const Twine &reason) { part.reason = reason.str(); });
  if (succeeded(axes)) {
    part.isChain = true;
    static_cast<Price &>(part) = search(group, axes->model);
    if (isSingle && explains)
      remarkIntensity(*axes);
  }
  // The destinations were made for this group.
  SmallVector<Value> inits(group.getInits());
  rewriter.eraseOp(group);
  for (Value init : inits)
    if (Operation *empty = init.getDefiningOp(); empty && empty->use_empty())
      rewriter.eraseOp(empty);
  return part;
}

/// The kernels of the products behind a head, each by itself, and of operators
/// that none of them takes in.
double Partitioner::price(const SharedHead &head) {
  llvm::SaveAndRestore<bool> silent(explains, false);
  llvm::SmallPtrSet<Operation *, 16> taken;
  double time = 0;
  for (ChainRow &row : collectChainRows(function))
    for (unsigned i = 0; i < row.links.size(); ++i) {
      ChainRow::Operators operators =
          row.operators(i, i, /*all=*/true, /*joined=*/true, /*heads=*/true);
      taken.insert_range(operators);
      if (llvm::none_of(head.products(), [&](linalg::LinalgOp product) {
            return llvm::is_contained(operators, product);
          }))
        continue;
      Part part = price(row, i, i);
      time += part.time.value_or(kGenericPrice) + part.apart + part.head;
    }
  for (linalg::LinalgOp op : head.all())
    if (!taken.contains(op))
      time += priceAlone(op);
  return time;
}

/// Lets each product behind a head compute it for itself where that pays.
void Partitioner::distribute(SharedHead &head) {
  double shared = price(head);
  head.copy(rewriter);
  double own = price(head);
  linalg::LinalgOp last = head.products().back();
  Location loc = last.getLoc();
  std::string numbers = llvm::formatv(
      "predicted {0} with copies of their own against {1} with kernels for it",
      microseconds(own), microseconds(shared));
  std::string what = llvm::formatv("what {0} products have in front of them",
                                   head.products().size());
  if (own <= shared || forceFusion) {
    remark::passed(loc,
                   remark::RemarkOpts::name("head-copied").category(kCategory))
        << "each computes for itself " + what + ": " + numbers;
    return;
  }
  remark::missed(loc,
                 remark::RemarkOpts::name("head-shared").category(kCategory))
      << "kernels of its own compute " + what + ": " + numbers;
  head.join(rewriter);
}

void Partitioner::remarkIntensity(const GroupAxes &axes) {
  for (unsigned i = 0; i < axes.operators.size(); ++i) {
    linalg::LinalgOp op = axes.operators[i];
    std::optional<unsigned> number = axes.productOf[i];
    if (!number)
      continue;
    const Product &product = axes.model.products[*number];
    // Sizes that are known at run time only have no intensity yet.
    if (llvm::any_of(product.axes, [&](unsigned axis) {
          return axes.model.axes[axis].isDynamic;
        }))
      continue;
    unsigned bytes = getElementTypeOrSelf(op->getOperand(0).getType())
                         .getIntOrFloatBitWidth() /
                     8;
    double phi = intensity(axes.model, product);
    double balance = machineBalance(product, std::max(1u, bytes), chip);
    remark::analysis(op.getLoc(),
                     remark::RemarkOpts::name("intensity").category(kCategory))
        << llvm::formatv("intensity of the product is {0:F1} flop per element "
                         "moved, the balance of {1} is {2:F1}: {3}-bound",
                         phi, chip.name, balance,
                         phi < balance ? "memory" : "compute")
               .str();
  }
}

/// Why convolutions are left to the generic form.
void Partitioner::remarkConvolutions() {
  for (auto op : function.getBody().front().getOps<linalg::LinalgOp>())
    if (std::optional<std::string> why = whyNoProduct(op))
      remark::missed(op.getLoc(),
                     remark::RemarkOpts::name("generic").category(kCategory))
          << "runs in the generic form: " + *why;
}

/// Says what was decided where there was something to decide: missed or passed.
static void remarkEither(Location loc, bool isMissed, StringRef missed,
                         StringRef passed, const std::string &text) {
  if (text.empty())
    return;
  if (isMissed)
    remark::missed(loc, remark::RemarkOpts::name(missed).category(kCategory))
        << text;
  else
    remark::passed(loc, remark::RemarkOpts::name(passed).category(kCategory))
        << text;
}

static ChainRow::Operators allOf(const ChainRow &row) {
  return row.operators(0, row.links.size() - 1, /*all=*/true, /*joined=*/true,
                       /*heads=*/true);
}

/// What stitched groups next to a part could have of it: what follows the last
/// product, or what stands in front of the first, goes to whom it saves more.
Part Partitioner::compete(const ChainRow &row, unsigned first, unsigned last,
                          const Part &part) {
  if (!neighbours || !part.time)
    return part;
  const ChainRow::Link &front = row.links[first], &end = row.links[last];
  ChainRow::Operators before = front.head;
  llvm::append_range(before, front.before);
  ChainRow::Operators far;
  for (linalg::LinalgOp op : end.after)
    if (!llvm::is_contained(end.directlyAfter, op))
      far.push_back(op);
  ChainRow::Operators both = before;
  llvm::append_range(both, end.after);
  Part best = part;
  double least = std::numeric_limits<double>::infinity();
  for (const ChainRow::Operators &list :
       {far, ChainRow::Operators(end.after), front.head, before, both}) {
    ChainRow::Operators rest, given;
    for (linalg::LinalgOp op : part.operators)
      (llvm::is_contained(list, op) ? given : rest).push_back(op);
    // Where nobody else could have them there is nothing to decide.
    if (given.empty() || neighbours->next(given).empty())
      continue;
    Part smaller = price(rest, /*isSingle=*/false);
    if (!smaller.time)
      continue;
    given.clear();
    for (linalg::LinalgOp op : part.operators)
      if (!llvm::is_contained(smaller.operators, op))
        given.push_back(op);
    std::optional<StitchNeighbours::Seconds> others = neighbours->price(given);
    if (!others)
      continue;
    double inside = *part.time + others->without,
           outside = *smaller.time + others->with;
    if (outside - inside >= least)
      continue;
    least = outside - inside;
    bool isLeft = outside < inside && !forceFusion;
    if (isLeft) {
      static_cast<Price &>(best) = smaller;
      best.operators = smaller.operators;
    }
    best.isLeft = isLeft;
    best.borders = llvm::formatv(
        "{0} operators next to stitched groups are {1}: predicted {2} for the "
        "chain and the groups around with them in the chain, {3} with them in "
        "the groups",
        given.size(), isLeft ? "left to these" : "the chain's",
        microseconds(inside), microseconds(outside));
  }
  if (best.isLeft)
    for (linalg::LinalgOp op : part.operators)
      if (!llvm::is_contained(best.operators, op))
        neighbours->release(op);
  return best;
}

void Partitioner::claim(const ChainRow &row) {
  if (neighbours)
    neighbours->claim(allOf(row));
}

/// Why operators that read the chain's values, or whose values it reads, are
/// in other kernels.
void Partitioner::remarkNeighbours(const Part &part) {
  if (!neighbours || !function.getContext()->getRemarkEngine())
    return;
  llvm::SaveAndRestore<bool> silent(explains, false);
  for (linalg::LinalgOp op : neighbours->next(part.operators)) {
    ChainRow::Operators all = part.operators;
    all.push_back(op);
    llvm::sort(all, [](linalg::LinalgOp a, linalg::LinalgOp b) {
      return a->isBeforeInBlock(b);
    });
    Part joined = price(all, /*isSingle=*/false);
    std::string why = joined.reason;
    if (joined.time && joined.operators.size() == all.size())
      why = llvm::formatv(
          "predicted {0} in the chain's kernel against {1} apart",
          microseconds(*joined.time),
          microseconds(*part.time + neighbours->price(op).value_or(0)));
    else if (why.empty())
      why = "it needs what another kernel makes of the chain's values";
    remark::missed(op.getLoc(),
                   remark::RemarkOpts::name("not-in-chain").category(kCategory))
        << "not in the kernel of the chain next to it: " + why;
  }
}

/// Seconds of a part as one kernel, and of what it leaves to others.
static double kernelTime(const Part &part) {
  return part.time.value_or(kGenericPrice) + part.apart + part.head;
}

bool Partitioner::partition(ChainRow &row) {
  unsigned count = row.links.size();
  // parts[i][j]: links i … j as one kernel.
  std::vector<std::vector<Part>> parts(count, std::vector<Part>(count));
  for (unsigned first = 0; first < count; ++first)
    for (unsigned last = first; last < count; ++last)
      parts[first][last] = price(row, first, last);

  struct Plan {
    double time = 0;
    unsigned kernels = 0;
    unsigned start = 0; ///< of the last part
  };
  std::vector<Plan> best(count + 1);
  auto better = [&](const Plan &a, const Plan &b) {
    if (forceFusion && a.kernels != b.kernels)
      return a.kernels < b.kernels;
    return a.time < b.time;
  };
  for (unsigned end = 1; end <= count; ++end)
    for (unsigned start = 0; start < end; ++start) {
      const Part &part = parts[start][end - 1];
      if (!part.time && start + 1 != end)
        continue;
      Plan plan;
      plan.time = best[start].time + kernelTime(part);
      plan.kernels = best[start].kernels + 1;
      plan.start = start;
      if (best[end].kernels == 0 || better(plan, best[end]))
        best[end] = plan;
    }

  // The row's time with links `first` up to `last` at least in one kernel that
  // begins with `first`.
  auto timeWith = [&](unsigned first, unsigned last) {
    std::vector<double> rest(count + 1, std::numeric_limits<double>::max());
    rest[count] = 0;
    double least = std::numeric_limits<double>::max();
    for (unsigned start = count; start-- > first;)
      for (unsigned end = start; end < count; ++end) {
        const Part &part = parts[start][end];
        if (!part.time && start != end)
          continue;
        double time = kernelTime(part) + rest[end + 1];
        if (start > first)
          rest[start] = std::min(rest[start], time);
        else if (end >= last)
          least = std::min(least, best[first].time + time);
      }
    return least;
  };

  SmallVector<std::pair<unsigned, unsigned>> cuts;
  for (unsigned end = count; end > 0; end = best[end].start)
    cuts.push_back({best[end].start, end - 1});
  // What the kernels of other rows and parts have is nobody's neighbour.
  if (neighbours)
    neighbours->release(allOf(row));
  if (neighbours)
    for (auto [first, last] : cuts)
      neighbours->claim(parts[first][last].operators);
  bool isApart = false;
  for (auto [first, last] : llvm::reverse(cuts)) {
    const Part part = compete(row, first, last, parts[first][last]);
    Location loc = row.links[last].product.getLoc();
    isApart |= part.apart > 0;
    remarkEither(loc, part.apart > 0, "not-joined", "joined", part.joins);
    remarkEither(loc, part.head > 0, "head-apart", "head", part.heads);
    remarkEither(loc, part.isLeft, "border-left", "border", part.borders);
    double separate = 0;
    for (unsigned i = first; i <= last; ++i)
      separate += parts[i][i].time.value_or(kGenericPrice) + parts[i][i].head;
    if (first != last)
      remark::passed(loc, remark::RemarkOpts::name("fused").category(kCategory))
          << llvm::formatv("fused {0} products into one kernel: predicted {1} "
                           "against {2} separately{3}",
                           last - first + 1, microseconds(*part.time),
                           microseconds(separate),
                           *part.time > separate ? " (forced)" : "")
                 .str();
    if (last + 1 < count) {
      // Why the cut: no legal kernel, or a dearer one.
      const Part &joined = parts[first][last + 1];
      const Part &next = parts[last + 1][last + 1];
      auto opts = remark::RemarkOpts::name("not-fused").category(kCategory);
      Location nextLoc = row.links[last + 1].product.getLoc();
      double apart = kernelTime(part) + kernelTime(next);
      if (!joined.time)
        remark::missed(nextLoc, opts)
            << "not fused with the product before it: " + joined.reason;
      else if (kernelTime(joined) < apart)
        remark::missed(nextLoc, opts)
            << llvm::formatv(
                   "not fused with the product before it: the two are "
                   "predicted {0} fused against {1} separately, but with "
                   "others the row is better cut here, {2} in all against {3}",
                   microseconds(kernelTime(joined)), microseconds(apart),
                   microseconds(best[count].time),
                   microseconds(timeWith(first, last + 1)))
                   .str();
      else
        remark::missed(nextLoc, opts)
            << llvm::formatv(
                   "not fused with the product before it: predicted {0} fused "
                   "against {1} separately; the fused kernel is bound by {2}, "
                   "computes {3:F1} times the flops and moves {4:F1} times the "
                   "bytes",
                   microseconds(kernelTime(joined)), microseconds(apart),
                   joined.bound, joined.flops / (part.flops + next.flops),
                   joined.bytes / (part.bytes + next.bytes))
                   .str();
    }
    if (!part.time) {
      remark::missed(loc,
                     remark::RemarkOpts::name("generic").category(kCategory))
          << "runs in the generic form: " + part.reason;
      continue;
    }
    remarkNeighbours(part);
    auto group = buildGroup<fuse::ChainOp>(rewriter, part.operators);
    adoptGroup(rewriter, group, part.operators);
  }
  return isApart;
}

void fusion::partitionChains(func::FuncOp function, const ChipInfo &chip,
                             const ChainPartitionOptions &options,
                             PriceList &prices) {
  Partitioner(function, chip, options, prices).run();
}
