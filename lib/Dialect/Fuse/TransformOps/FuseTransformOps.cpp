//===- FuseTransformOps.cpp - Groups and schedules from scripts -----------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Dialect/Fuse/TransformOps/FuseTransformOps.h"
#include "fusion/Analysis/Chains/ReadChain.h"

#include "fusion/Analysis/Groups/GroupAxes.h"
#include "fusion/Analysis/Schedules/Schedule.h"
#include "fusion/Analysis/Stitching/StitchSchedule.h"
#include "fusion/Transforms/Partition/GroupBuilder.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace fusion;
using namespace fusion::fuse;

#define GET_OP_CLASSES
#include "fusion/Dialect/Fuse/TransformOps/FuseTransformOps.cpp.inc"

//===----------------------------------------------------------------------===//
// Forming groups
//===----------------------------------------------------------------------===//

namespace {

/// An operation and the reason why it cannot be part of a group.
struct Problem {
  Operation *op;
  std::string text;
};

/// The operators of `payload` in program order, without fills, which groups
/// copy.
std::optional<Problem> collect(ArrayRef<Operation *> payload,
                               SmallVectorImpl<linalg::LinalgOp> &operators) {
  for (Operation *op : payload) {
    auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
    if (!linalgOp || !linalgOp.hasPureTensorSemantics())
      return Problem{op, "is no linalg operator on tensors"};
    if (op->getParentOfType<FusedGroupOpInterface>())
      return Problem{op, "is in a group already"};
    if (op->getBlock() != payload.front()->getBlock())
      return Problem{op, "is in another block than the first operator"};
    if (!isa<linalg::FillOp>(op) && !llvm::is_contained(operators, linalgOp))
      operators.push_back(linalgOp);
  }
  llvm::sort(operators, [](linalg::LinalgOp a, linalg::LinalgOp b) {
    return a->isBeforeInBlock(b);
  });
  return std::nullopt;
}

/// Returns an operation outside of the group that depends on one operator and
/// feeds another. One kernel would then depend on its own result.
std::optional<Problem> findDetour(ArrayRef<linalg::LinalgOp> operators) {
  llvm::SmallPtrSet<Operation *, 16> group, behind;
  for (linalg::LinalgOp op : operators)
    group.insert(op);
  auto reads = [](Operation &op, const llvm::SmallPtrSetImpl<Operation *> &of) {
    bool found = false;
    op.walk([&](Operation *inner) {
      found |= llvm::any_of(inner->getOperands(), [&](Value operand) {
        return of.contains(operand.getDefiningOp());
      });
    });
    return found;
  };
  Operation *last = operators.back();
  for (Operation &op : llvm::make_range(operators.front()->getIterator(),
                                        std::next(last->getIterator()))) {
    if (group.contains(&op)) {
      if (reads(op, behind))
        return Problem{&op, "depends on the others by way of an operation that "
                            "is not among them"};
    } else if (reads(op, group) || reads(op, behind)) {
      behind.insert(&op);
    }
  }
  return std::nullopt;
}

/// Returns the reason why the operators of a group cannot be one kernel, or
/// nullopt.
template <typename GroupOp> std::optional<std::string> whyNot(GroupOp group) {
  std::string reason;
  auto note = [&](const Twine &why) { reason = why.str(); };
  auto op = cast<FusedGroupOpInterface>(group.getOperation());
  bool fits;
  if constexpr (std::is_same_v<GroupOp, ChainOp>)
    fits = succeeded(readChain(op.getOperators(), op.getYieldedValues(), note));
  else
    fits = succeeded(
        StitchGroup::compute(op.getOperators(), op.getYieldedValues(), note));
  return fits ? std::nullopt : std::optional(reason);
}

template <typename GroupOp, typename FormOp>
DiagnosedSilenceableFailure
form(FormOp form, transform::TransformRewriter &rewriter,
     transform::TransformResults &results, transform::TransformState &state) {
  SmallVector<Operation *> payload;
  for (Value handle : form.getOperators())
    llvm::append_range(payload, state.getPayloadOps(handle));
  SmallVector<linalg::LinalgOp> operators;
  std::optional<Problem> problem = collect(payload, operators);
  if (!problem && operators.empty())
    return form.emitSilenceableError() << "there are no operators to group";
  if (!problem)
    problem = findDetour(operators);
  if (problem) {
    DiagnosedSilenceableFailure failure = form.emitSilenceableError()
                                          << "the operators make no group";
    failure.attachNote(problem->op->getLoc())
        << "this operator " << problem->text;
    return failure;
  }

  rewriter.setInsertionPoint(operators.back());
  auto group = buildGroup<GroupOp>(rewriter, operators);
  if (std::optional<std::string> reason = whyNot(group)) {
    SmallVector<Value> inits(group.getInits());
    rewriter.eraseOp(group);
    for (Value init : inits)
      if (Operation *empty = init.getDefiningOp(); empty && empty->use_empty())
        rewriter.eraseOp(empty);
    DiagnosedSilenceableFailure failure =
        form.emitSilenceableError()
        << "the operators are not one kernel: " << *reason;
    failure.attachNote(operators.back()->getLoc()) << "the last of them";
    return failure;
  }
  adoptGroup(rewriter, group, operators);
  results.set(cast<OpResult>(form.getGroup()), {group.getOperation()});
  return DiagnosedSilenceableFailure::success();
}

} // namespace

DiagnosedSilenceableFailure
FormChainOp::apply(transform::TransformRewriter &rewriter,
                   transform::TransformResults &results,
                   transform::TransformState &state) {
  return form<ChainOp>(*this, rewriter, results, state);
}

DiagnosedSilenceableFailure
FormStitchOp::apply(transform::TransformRewriter &rewriter,
                    transform::TransformResults &results,
                    transform::TransformState &state) {
  return form<StitchOp>(*this, rewriter, results, state);
}

template <typename FormOp>
static void
addFormEffects(FormOp form,
               SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  transform::consumesHandle(form.getOperatorsMutable(), effects);
  transform::producesHandle(form->getOpResults(), effects);
  transform::modifiesPayload(effects);
}

void FormChainOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  addFormEffects(*this, effects);
}

void FormStitchOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  addFormEffects(*this, effects);
}

//===----------------------------------------------------------------------===//
// Schedules
//===----------------------------------------------------------------------===//

/// Returns the reason why `schedule` does not fit `group`, or nullopt.
static std::optional<std::string> whyNoFit(FusedGroupOpInterface group,
                                           ScheduleAttr schedule) {
  if (isGenericSchedule(schedule))
    return checkGenericSchedule(group, schedule);
  std::string reason;
  auto note = [&](const Twine &why) { reason = why.str(); };
  if (isa<StitchOp>(group)) {
    FailureOr<StitchGroup> axes = StitchGroup::compute(
        group.getOperators(), group.getYieldedValues(), note);
    if (succeeded(axes) && importStitching(schedule, *axes, note))
      return std::nullopt;
    return reason;
  }
  FailureOr<GroupAxes> axes =
      readChain(group.getOperators(), group.getYieldedValues(), note);
  if (succeeded(axes) && importSchedule(schedule, axes->model, note))
    return std::nullopt;
  return reason;
}

DiagnosedSilenceableFailure
SetScheduleOp::apply(transform::TransformRewriter &rewriter,
                     transform::TransformResults &,
                     transform::TransformState &state) {
  SmallVector<FusedGroupOpInterface> groups;
  for (Operation *op : state.getPayloadOps(getGroups())) {
    auto group = dyn_cast<FusedGroupOpInterface>(op);
    std::optional<std::string> reason =
        group ? whyNoFit(group, getSchedule()) : "it is no group";
    if (reason) {
      DiagnosedSilenceableFailure failure =
          emitSilenceableError() << "the schedule does not fit: " << *reason;
      failure.attachNote(op->getLoc()) << "the group";
      return failure;
    }
    groups.push_back(group);
  }
  for (FusedGroupOpInterface group : groups)
    rewriter.modifyOpInPlace(group,
                             [&] { group.setGroupSchedule(getSchedule()); });
  return DiagnosedSilenceableFailure::success();
}

void SetScheduleOp::getEffects(
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  transform::onlyReadsHandle(getGroupsMutable(), effects);
  transform::modifiesPayload(effects);
}

//===----------------------------------------------------------------------===//
// The extension
//===----------------------------------------------------------------------===//

namespace {

class FuseTransformDialectExtension
    : public transform::TransformDialectExtension<
          FuseTransformDialectExtension> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(FuseTransformDialectExtension)

  void init() {
    declareDependentDialect<FuseDialect>();
    declareGeneratedDialect<FuseDialect>();
    declareGeneratedDialect<linalg::LinalgDialect>();
    declareGeneratedDialect<tensor::TensorDialect>();
    registerTransformOps<
#define GET_OP_LIST
#include "fusion/Dialect/Fuse/TransformOps/FuseTransformOps.cpp.inc"
        >();
  }
};

} // namespace

void fusion::fuse::registerTransformDialectExtension(
    DialectRegistry &registry) {
  registry.addExtensions<FuseTransformDialectExtension>();
}
