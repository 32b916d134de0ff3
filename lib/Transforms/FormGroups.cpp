//===- FormGroups.cpp - fuse-form-groups
//--------------------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ChainRows.h"
#include "SharedHeads.h"
#include "fusion/Analysis/GroupAxes.h"
#include "fusion/Search/ScheduleSearch.h"
#include "fusion/Transforms/ChipOption.h"
#include "fusion/Transforms/GroupBuilder.h"
#include "fusion/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/SaveAndRestore.h"

namespace fusion {
#define GEN_PASS_DEF_FUSEFORMGROUPS
#include "fusion/Transforms/Passes.h.inc"
} // namespace fusion

using namespace mlir;
using namespace fusion;

namespace {

constexpr StringLiteral kCategory = "fuse";

std::string microseconds(double seconds) {
  return llvm::formatv("{0:F2} us", seconds * 1e6).str();
}

/// What the best schedule of a kernel is predicted to take, or why it has none.
struct Price {
  std::optional<double> time; ///< seconds
  std::string reason;         ///< where there is no time
  StringRef bound;            ///< what bounds the predicted time
  double flops = 0; ///< of the tensor cores, padding and recomputation included
  double bytes = 0; ///< moved between global memory and the chip
};

/// By the text of groups: equal parts, such as the layers of a network, are
/// searched once.
using PriceList = llvm::StringMap<Price>;

/// A part of a row as one kernel, with its price.
struct Part : Price {
  ChainRow::Operators operators; ///< in program order
  bool isChain = false; ///< they make a chain, whether it has a price or not
  double apart = 0;  ///< seconds of kernels of products that could have joined
  std::string joins; ///< why products join or do not, where some could
  double head = 0;   ///< seconds of kernels of what could have been in front
  std::string heads; ///< why that is in front or not, where some could be
};

class Partitioner {
public:
  Partitioner(func::FuncOp function, const ChipInfo &chip, bool forceFusion,
              bool skipMasked, PriceList &prices)
      : function(function), chip(chip), forceFusion(forceFusion),
        skipMasked(skipMasked), rewriter(function.getContext()),
        prices(prices) {}

  void run() {
    for (SharedHead &head : SharedHead::find(function))
      distribute(head);
    // What does not join is a row of its own.
    llvm::SmallPtrSet<Operation *, 16> tried;
    while (true) {
      std::vector<ChainRow> rows = collectChainRows(function, tried);
      bool isApart = false;
      for (ChainRow &row : rows) {
        for (const ChainRow::Link &link : row.links)
          tried.insert(link.product);
        isApart |= partition(row);
      }
      if (!isApart)
        break;
    }
    // Whatever is left becomes a group of its own.
    SmallVector<linalg::LinalgOp> rest;
    for (auto op : function.getBody().front().getOps<linalg::LinalgOp>())
      if (!isAbsorbed(op))
        rest.push_back(op);
    for (linalg::LinalgOp op : rest) {
      remark::missed(op.getLoc(),
                     remark::RemarkOpts::name("alone").category(kCategory))
          << (op->getName().getStringRef() +
              " becomes a kernel of its own: no product next to it takes it in")
                 .str();
      auto group = buildGroup<fuse::StitchOp>(rewriter, op);
      adoptGroup(rewriter, group, op);
    }
  }

private:
  /// A fill that only starts accumulators and results is copied into the groups
  /// that need it.
  static bool isAbsorbed(linalg::LinalgOp op) {
    if (!isa<linalg::FillOp>(op))
      return false;
    return llvm::all_of(op->getUses(), [](OpOperand &use) {
      auto user = dyn_cast<linalg::LinalgOp>(use.getOwner());
      return user && user.isDpsInit(&use);
    });
  }

  Part price(const ChainRow &row, unsigned first, unsigned last);
  Part price(const ChainRow &row, unsigned first, unsigned last, bool heads);
  Part price(const ChainRow &row, unsigned first, unsigned last, bool joined,
             bool heads);
  Part price(ChainRow::Operators operators, bool isSingle);
  const Price &search(fuse::ChainOp group, const GroupModel &model);
  double priceAlone(linalg::LinalgOp op) const;
  double price(const SharedHead &head);
  void distribute(SharedHead &head);
  /// Returns whether products that could have joined did not.
  bool partition(ChainRow &row);
  void remarkIntensity(const GroupAxes &axes);

  func::FuncOp function;
  const ChipInfo &chip;
  bool forceFusion, skipMasked;
  bool explains = true;
  IRRewriter rewriter;
  PriceList &prices;
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
  SearchOptions options;
  options.skipMasked = skipMasked;
  if (std::optional<SearchResult> found =
          searchSchedule(model, chip, price.reason, options)) {
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
      plan.time = best[start].time + part.time.value_or(kGenericPrice) +
                  part.apart + part.head;
      plan.kernels = best[start].kernels + 1;
      plan.start = start;
      if (best[end].kernels == 0 || better(plan, best[end]))
        best[end] = plan;
    }

  SmallVector<std::pair<unsigned, unsigned>> cuts;
  for (unsigned end = count; end > 0; end = best[end].start)
    cuts.push_back({best[end].start, end - 1});
  bool isApart = false;
  for (auto [first, last] : llvm::reverse(cuts)) {
    const Part &part = parts[first][last];
    Location loc = row.links[last].product.getLoc();
    isApart |= part.apart > 0;
    remarkEither(loc, part.apart > 0, "not-joined", "joined", part.joins);
    remarkEither(loc, part.head > 0, "head-apart", "head", part.heads);
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
      if (!joined.time)
        remark::missed(nextLoc, opts)
            << "not fused with the product before it: " + joined.reason;
      else
        remark::missed(nextLoc, opts)
            << llvm::formatv(
                   "not fused with the product before it: predicted {0} fused "
                   "against {1} separately; the fused kernel is bound by {2}, "
                   "computes {3:F1} times the flops and moves {4:F1} times the "
                   "bytes",
                   microseconds(*joined.time),
                   microseconds(part.time.value_or(kGenericPrice) +
                                next.time.value_or(kGenericPrice)),
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
    auto group = buildGroup<fuse::ChainOp>(rewriter, part.operators);
    adoptGroup(rewriter, group, part.operators);
  }
  return isApart;
}

namespace {

struct FormGroupsPass : fusion::impl::FuseFormGroupsBase<FormGroupsPass> {
  using FuseFormGroupsBase::FuseFormGroupsBase;

  void runOnOperation() override {
    FailureOr<const ChipInfo *> target = resolveChip(getOperation(), chip);
    if (failed(target))
      return signalPassFailure();
    PriceList prices;
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.isExternal())
        Partitioner(function, **target, forceFusion, skipMasked, prices).run();
  }
};

} // namespace
