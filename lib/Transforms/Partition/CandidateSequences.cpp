//===- CandidateSequences.cpp - Contractions that may be fused ------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CandidateSequences.h"
#include "fusion/Analysis/Groups/GroupAxes.h"
#include "fusion/Analysis/Groups/OperatorKinds.h"
#include "fusion/Analysis/Groups/Windows.h"
#include "fusion/Support/Remark.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace fusion;

CandidateSequence::Operators CandidateSequence::operators(unsigned first,
                                                          unsigned last,
                                                          bool all, bool joined,
                                                          bool heads) const {
  Operators result;
  for (unsigned i = first; i <= last; ++i) {
    if (heads)
      llvm::append_range(result, links[i].head);
    if (joined)
      llvm::append_range(result, links[i].joined);
    llvm::append_range(result, links[i].before);
    result.push_back(links[i].contraction);
    llvm::append_range(result, i == last && !all ? links[i].directlyAfter
                                                 : links[i].after);
  }
  llvm::sort(result, [](linalg::LinalgOp a, linalg::LinalgOp b) {
    return a->isBeforeInBlock(b);
  });
  return result;
}

bool CandidateSequence::hasJoined(unsigned first, unsigned last) const {
  return llvm::any_of(llvm::ArrayRef(links).slice(first, last - first + 1),
                      [](const Link &link) { return !link.joined.empty(); });
}

bool CandidateSequence::hasHead(unsigned first, unsigned last) const {
  return llvm::any_of(llvm::ArrayRef(links).slice(first, last - first + 1),
                      [](const Link &link) { return !link.head.empty(); });
}

namespace {

class Collector {
public:
  Collector(func::FuncOp function,
            const llvm::SmallPtrSetImpl<Operation *> &except, bool explains)
      : block(function.getBody().front()), taken(except.begin(), except.end()),
        explains(explains) {}

  std::vector<CandidateSequence> run() {
    std::vector<CandidateSequence> rows;
    for (auto op : block.getOps<linalg::LinalgOp>()) {
      if (!isContraction(op) || taken.contains(op))
        continue;
      CandidateSequence &sequence = rows.emplace_back();
      Value arriving;
      linalg::LinalgOp next = op;
      while (next) {
        CandidateSequence::Link &link = sequence.links.emplace_back();
        link.contraction = next;
        taken.insert(next);
        collectBefore(next, arriving, link.before);
        collectAfter(link);
        collectHead(link);
        std::tie(next, arriving) = follow(link);
      }
    }
    return rows;
  }

private:
  void collectBefore(linalg::LinalgOp reader, Value skip,
                     CandidateSequence::Operators &before);
  void collectAfter(CandidateSequence::Link &link);
  void collectHead(CandidateSequence::Link &link);
  void collectJoined(linalg::LinalgOp reader, CandidateSequence::Link &link);
  std::pair<linalg::LinalgOp, Value>
  follow(const CandidateSequence::Link &link);
  bool remarkEnd(Value value);

  Block &block;
  llvm::SmallPtrSet<Operation *, 16> taken;
  bool explains;
};

} // namespace

/// Adds to `before` the element-wise operators that only `reader` reads,
/// directly or through others, unless they compute on a contraction's values.
void Collector::collectBefore(linalg::LinalgOp reader, Value skip,
                              CandidateSequence::Operators &before) {
  SmallVector<Value> pending;
  for (OpOperand *operand : reader.getDpsInputOperands()) {
    if (operand->get() == skip)
      continue;
    if (!isContraction(reader) || !readsThroughWindow(*operand)) {
      pending.push_back(operand->get());
      continue;
    }
    // Tiles of an operator in front of a window would overlap. Padding around
    // it is a part of reading it.
    auto padding = operand->get().getDefiningOp<linalg::LinalgOp>();
    if (padding && matchPadding(padding) && padding->hasOneUse() &&
        !taken.contains(padding)) {
      taken.insert(padding);
      before.push_back(padding);
    }
  }
  while (!pending.empty()) {
    Value value = pending.pop_back_val();
    auto producer = value.getDefiningOp<linalg::LinalgOp>();
    if (!producer || !value.hasOneUse() || taken.contains(producer) ||
        !isElementwise(producer))
      continue;
    // Operands of a contraction pass through shared memory, which holds no
    // booleans.
    bool readsTruth =
        isContraction(reader) &&
        llvm::any_of(producer.getDpsInputs(), [](Value input) {
          return getElementTypeOrSelf(input.getType()).isInteger(1);
        });
    if (readsTruth)
      continue;
    // Operators on a contraction's values are its epilogue.
    if (llvm::any_of(producer.getDpsInputs(), [&](Value input) {
          auto op = input.getDefiningOp<linalg::LinalgOp>();
          return op && (isContraction(op) || taken.contains(op));
        }))
      continue;
    taken.insert(producer);
    before.push_back(producer);
    llvm::append_range(pending, producer.getDpsInputs());
  }
}

/// Adds the operators that lead to reductions in front of the link's
/// contractions. All of their values are read inside, except values of rows.
void Collector::collectHead(CandidateSequence::Link &link) {
  llvm::SmallPtrSet<Operation *, 8> readers{link.contraction};
  SmallVector<Value> pending;
  auto read = [&](linalg::LinalgOp op) {
    for (OpOperand *operand : op.getDpsInputOperands())
      if (!isContraction(op) || !readsThroughWindow(*operand))
        pending.push_back(operand->get());
  };
  read(link.contraction);
  for (const CandidateSequence::Operators *list : {&link.before, &link.joined})
    for (linalg::LinalgOp op : *list) {
      readers.insert(op);
      read(op);
    }
  llvm::SetVector<Operation *> found;
  while (!pending.empty()) {
    auto op = pending.pop_back_val().getDefiningOp<linalg::LinalgOp>();
    if (!op || op->getBlock() != &block || taken.contains(op) ||
        !(isElementwise(op) || matchReduction(op)) ||
        llvm::any_of(op.getDpsInputs(), [&](Value input) {
          auto producer = input.getDefiningOp<linalg::LinalgOp>();
          return producer &&
                 (isContraction(producer) ||
                  (taken.contains(producer) && !readers.contains(producer)));
        }))
      continue;
    if (found.insert(op))
      read(op);
  }
  int64_t rank =
      cast<ShapedType>(link.contraction->getOperand(0).getType()).getRank();
  auto leaves = [&](Operation *op) {
    return cast<ShapedType>(op->getResult(0).getType()).getRank() >= rank &&
           !llvm::all_of(op->getUsers(), [&](Operation *user) {
             return readers.contains(user) || found.contains(user);
           });
  };
  while (true) {
    auto *outside = llvm::find_if(found, leaves);
    if (outside == found.end())
      break;
    found.remove(*outside);
  }
  // Drop row statistics that no operator needs any more, too.
  auto isNeeded = [&](Operation *op) {
    return llvm::any_of(op->getUsers(), [&](Operation *user) {
      return readers.contains(user) || found.contains(user);
    });
  };
  while (true) {
    auto *idle =
        llvm::find_if(found, [&](Operation *op) { return !isNeeded(op); });
    if (idle == found.end())
      break;
    found.remove(*idle);
  }
  if (llvm::none_of(found, [](Operation *op) {
        return matchReduction(cast<linalg::LinalgOp>(op)).has_value();
      }))
    return;
  for (Operation *op : found) {
    taken.insert(op);
    link.head.push_back(cast<linalg::LinalgOp>(op));
  }
}

llvm::SetVector<Value> fusion::valuesReadBy(Operation &op) {
  llvm::SetVector<Value> values(op.operand_begin(), op.operand_end());
  getUsedValuesDefinedAbove(op.getRegions(), values);
  return values;
}

void Collector::collectAfter(CandidateSequence::Link &link) {
  // In program order, so that the operators that one depends on have been seen.
  llvm::SmallPtrSet<Operation *, 16> dependent{link.contraction},
      inside{link.contraction};
  for (Operation &op : llvm::make_range(
           std::next(Block::iterator(link.contraction.getOperation())),
           block.end())) {
    llvm::SetVector<Value> read = valuesReadBy(op);
    auto dependsOnLink = [&](Value value) {
      return dependent.contains(value.getDefiningOp());
    };
    if (llvm::none_of(read, dependsOnLink))
      continue;
    dependent.insert(&op);
    auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
    if (!linalgOp || taken.contains(&op) ||
        !(isElementwise(linalgOp) || matchReduction(linalgOp)) ||
        linalgOp.getNumLoops() > link.contraction.getNumParallelLoops() ||
        llvm::any_of(read, [&](Value value) {
          return dependsOnLink(value) &&
                 !inside.contains(value.getDefiningOp());
        }))
      continue;
    inside.insert(&op);
    taken.insert(&op);
    collectJoined(linalgOp, link);
    collectBefore(linalgOp, Value(), link.after);
    link.after.push_back(linalgOp);
  }
  // The operators that the contraction's value passes through, as long as
  // exactly one reads it.
  Value value = link.contraction->getResult(0);
  while (value.hasOneUse()) {
    auto user = dyn_cast<linalg::LinalgOp>(*value.getUsers().begin());
    if (!user || !inside.contains(user) || !isElementwise(user))
      break;
    link.directlyAfter.push_back(user);
    value = user->getResult(0);
  }
  // With the operators that only these read.
  for (linalg::LinalgOp op : link.after) {
    bool isRead = llvm::all_of(op->getUsers(), [&](Operation *user) {
      auto reader = dyn_cast<linalg::LinalgOp>(user);
      return reader && llvm::is_contained(link.directlyAfter, reader);
    });
    if (isRead && !inside.contains(op))
      link.directlyAfter.push_back(op);
  }
}

/// Adds the contractions whose values `reader` joins with the link's, with the
/// operators that only they read.
void Collector::collectJoined(linalg::LinalgOp reader,
                              CandidateSequence::Link &link) {
  for (Value input : reader.getDpsInputs()) {
    llvm::SmallPtrSet<Operation *, 8> found{reader};
    CandidateSequence::Operators operators;
    bool hasContraction = false;
    SmallVector<Value> pending{input};
    while (!pending.empty()) {
      auto op = pending.pop_back_val().getDefiningOp<linalg::LinalgOp>();
      if (!op || op->getBlock() != &block || taken.contains(op) ||
          found.contains(op) ||
          !(isElementwise(op) || isContraction(op) || matchReduction(op)) ||
          !llvm::all_of(op->getUsers(),
                        [&](Operation *user) { return found.contains(user); }))
        continue;
      found.insert(op);
      operators.push_back(op);
      hasContraction |= isContraction(op);
      for (OpOperand *operand : op.getDpsInputOperands()) {
        if (!isContraction(op) || !readsThroughWindow(*operand)) {
          pending.push_back(operand->get());
          continue;
        }
        auto padding = operand->get().getDefiningOp<linalg::LinalgOp>();
        if (padding && matchPadding(padding) && padding->hasOneUse() &&
            !taken.contains(padding) && found.insert(padding).second)
          operators.push_back(padding);
      }
    }
    if (!hasContraction)
      continue;
    for (linalg::LinalgOp op : operators)
      taken.insert(op);
    llvm::append_range(link.joined, operators);
  }
}

/// Returns the contraction that multiplies a value of the link, and that value,
/// provided that no other operator outside of the link reads it.
std::pair<linalg::LinalgOp, Value>
Collector::follow(const CandidateSequence::Link &link) {
  SmallVector<Value> values{link.contraction->getResult(0)};
  for (linalg::LinalgOp op : link.after)
    values.push_back(op->getResult(0));
  auto isInside = [&](Operation *user) {
    auto op = dyn_cast<linalg::LinalgOp>(user);
    return op && llvm::is_contained(link.after, op);
  };
  linalg::LinalgOp next;
  Value arriving;
  unsigned readers = 0;
  for (Value value : values)
    for (OpOperand &use : value.getUses()) {
      if (isInside(use.getOwner()))
        continue;
      auto reader = dyn_cast<linalg::LinalgOp>(use.getOwner());
      if (!reader || !isContraction(reader) || !reader.isDpsInput(&use) ||
          readsThroughWindow(use))
        continue;
      ++readers;
      next = reader;
      arriving = value;
    }
  bool leaves =
      arriving && llvm::any_of(arriving.getUsers(), [&](Operation *user) {
        return user != next && !isInside(user);
      });
  if (readers == 1 && !leaves && !taken.contains(next) &&
      next->getBlock() == &block)
    return {next, arriving};
  // The sequence ends with a value that other operators read; the last such
  // value says why.
  for (Value value : llvm::reverse(values))
    if (!llvm::all_of(value.getUsers(), isInside) && remarkEnd(value))
      break;
  return {};
}

/// Collects the uses of a value, and of its reshaped forms.
static void collectUses(Value value, SmallVectorImpl<OpOperand *> &uses) {
  for (OpOperand &use : value.getUses()) {
    if (isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(use.getOwner()))
      collectUses(use.getOwner()->getResult(0), uses);
    else
      uses.push_back(&use);
  }
}

/// Returns whether a use is a convolution's window, or the padding that the
/// window reads.
static bool isReadThroughWindow(OpOperand &use) {
  auto op = dyn_cast<linalg::LinalgOp>(use.getOwner());
  if (!op)
    op = use.getOwner()->getParentOfType<linalg::LinalgOp>();
  if (!op)
    return false;
  if (isContraction(op))
    return op.isDpsInput(&use) && readsThroughWindow(use);
  return matchPadding(op) && llvm::any_of(op->getUsers(), [](Operation *user) {
           auto reader = dyn_cast<linalg::LinalgOp>(user);
           return reader && isContraction(reader);
         });
}

/// Describes the sizes of a value that are known at run time only; empty if all
/// are static. Shapes of later values read them, so a value with such sizes is
/// hardly ever read once.
static std::string dynamicSizes(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || type.hasStaticShape())
    return {};
  SmallVector<int64_t> dimensions;
  for (int64_t d = 0; d < type.getRank(); ++d)
    if (type.isDynamicDim(d))
      dimensions.push_back(d);
  std::string text = dimensions.size() > 1 ? "the sizes of its dimensions "
                                           : "the size of its dimension ";
  llvm::raw_string_ostream os(text);
  llvm::interleave(dimensions, os, " and ");
  os << (dimensions.size() > 1 ? " are" : " is")
     << " dynamic, and tiles need static ones";
  return text;
}

/// Emits a remark that says why the chain ends with a value. Returns false if
/// no operator reads it.
bool Collector::remarkEnd(Value value) {
  SmallVector<OpOperand *> uses;
  collectUses(value, uses);
  auto *reader = llvm::find_if(uses, [](OpOperand *use) {
    return !use->getOwner()->hasTrait<OpTrait::IsTerminator>();
  });
  if (reader == uses.end())
    return false;
  if (!explains)
    return true;
  std::string reason = dynamicSizes(value);
  if (reason.empty() && uses.size() > 1)
    reason = llvm::formatv("it is read in {0} places", uses.size());
  else if (reason.empty() && taken.contains((*reader)->getOwner()))
    reason = "its reader is already in the chain of another operand";
  else if (reason.empty() && isReadThroughWindow(**reader))
    reason = "a convolution reads it through its window, so that tiles would "
             "overlap";
  else if (auto op = dyn_cast<linalg::LinalgOp>((*reader)->getOwner());
           reason.empty() && op && readsByIndex(op))
    reason = (op->getName().getStringRef() +
              " reads it, and reads elements of a tensor at computed indices "
              "(tensor.extract), which no chain does")
                 .str();
  else if (reason.empty())
    reason =
        ((*reader)->getOwner()->getName().getStringRef() +
         " reads it, which is neither a contraction nor element-wise nor a "
         "reduction that the chain can take in")
            .str();
  emitRemark(remark::RemarkKind::RemarkMissed, RemarkPlace(value), "fuse",
             "chain-ends", "the chain ends with this value: " + reason);
  return true;
}

std::vector<CandidateSequence> fusion::collectCandidateSequences(
    func::FuncOp function, const llvm::SmallPtrSetImpl<Operation *> &except,
    bool explains) {
  return Collector(function, except, explains).run();
}

std::vector<CandidateSequence>
fusion::collectCandidateSequences(func::FuncOp function) {
  llvm::SmallPtrSet<Operation *, 1> none;
  return collectCandidateSequences(function, none, /*explains=*/false);
}
