//===- OperatorKinds.cpp - What an operator of a chain is -----------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Analysis/Groups/OperatorKinds.h"
#include "FoldedScales.h"
#include "fusion/Analysis/Groups/Windows.h"
#include "fusion/Dialect/Fuse/IR/Exponentials.h"
#include "fusion/Support/ElementBytes.h"
#include "mlir/Dialect/Linalg/IR/LinalgInterfaces.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace fusion;

/// Whether the body is made of scalar operations on its arguments, constants,
/// loop indices and elements of tensors at places that it computes.
static bool hasScalarBody(linalg::LinalgOp op) {
  for (Operation &inner : op.getBlock()->without_terminator()) {
    if (isa<linalg::IndexOp, tensor::ExtractOp>(inner))
      continue;
    StringRef dialect = inner.getName().getDialectNamespace();
    if ((dialect != "arith" && dialect != "math") || inner.getNumRegions() != 0)
      return false;
    for (Value operand : inner.getOperands())
      if (operand.getParentBlock() != op.getBlock() &&
          !matchPattern(operand, m_Constant()))
        return false;
  }
  return true;
}

bool fusion::isPointwise(linalg::LinalgOp op) {
  if (op.getNumDpsInits() != 1 || op.getNumLoops() != op.getNumParallelLoops())
    return false;
  for (AffineMap map : op.getIndexingMapsArray())
    if (!map.isProjectedPermutation())
      return false;
  // One point of the result for every iteration, whose old value is not read.
  OpOperand *init = op.getDpsInitOperand(0);
  if (!op.getMatchingIndexingMap(init).isPermutation() ||
      op.payloadUsesValueFromOperand(init))
    return false;
  return hasScalarBody(op);
}

bool fusion::isElementwise(linalg::LinalgOp op) {
  return !isa<linalg::FillOp>(op) && op.getNumLoops() != 0 &&
         !readsByIndex(op) && isPointwise(op);
}

bool fusion::readsByIndex(linalg::LinalgOp op) {
  return !op.getBlock()->getOps<tensor::ExtractOp>().empty();
}

bool fusion::isContractionBody(linalg::LinalgOp op) {
  if (!linalg::isaContractionOpInterface(op))
    return isConvolution(op);
  std::optional<ContractionLoops> loops = inferContractionLoops(op);
  return loops && !loops->k.empty();
}

bool fusion::isContraction(linalg::LinalgOp op) {
  if (!isContractionBody(op))
    return false;
  std::optional<ContractionLoops> loops = inferContractionLoops(op);
  return !loops->m.empty() && !loops->n.empty();
}

bool fusion::accumulatesFromZero(linalg::LinalgOp contraction) {
  auto fill =
      contraction.getDpsInitOperand(0)->get().getDefiningOp<linalg::FillOp>();
  return fill && (matchPattern(fill.getInputs()[0], m_AnyZeroFloat()) ||
                  matchPattern(fill.getInputs()[0], m_Zero()));
}

static constexpr ScalarWork kPolynomials{16, 1};
/// Functions that reduce their argument or join several polynomials. As counted
/// on the emulator: instructions of a thread that evaluates one f32 element of
/// a tensor with elements in [-1, 1), less those of a thread that adds.
static constexpr ScalarWork kTwoPolynomials{33, 1}, kQuotients{54, 1},
    kReduced{90, 1}, kPower{197, 1};

/// What one operation becomes (docs/numerics.md): a special function with what
/// scales its argument or result, or polynomials.
ScalarWork fusion::countScalarWork(Operation *op, bool isInChain) {
  return llvm::TypeSwitch<Operation *, ScalarWork>(op)
      .Case<arith::ConstantOp, linalg::IndexOp, arith::BitcastOp>(
          [](auto) { return ScalarWork{0, 0}; })
      .Case<math::RsqrtOp, math::Log2Op>([](auto) { return ScalarWork{0, 1}; })
      .Case<math::LogOp>([](auto) { return ScalarWork{1, 1}; })
      // Results below the normal numbers take a comparison and two
      // multiplications.
      .Case<math::Exp2Op>([](auto exponential) {
        return ScalarWork{exponential->hasAttr(fuse::kFlushAttrName) ? 0 : 3,
                          1};
      })
      .Case<math::ExpOp>([=](auto exponential) {
        if (!exponential->hasAttr(fuse::kFlushAttrName))
          return ScalarWork{4, 1};
        return ScalarWork{isInChain && isFolded(exponential) ? 0 : 1, 1};
      })
      .Case<arith::MulFOp>([=](auto product) {
        return ScalarWork{isInChain && isFoldedScale(product) ? 0 : 1, 0};
      })
      .Case<math::AbsFOp, math::FmaOp, math::CopySignOp>(
          [](auto) { return ScalarWork{1, 0}; })
      // Correctly rounded.
      .Case<arith::DivFOp, math::SqrtOp>([](auto) { return ScalarWork{8, 1}; })
      .Case<math::Atan2Op>([](auto) { return kTwoPolynomials; })
      .Case<math::TanOp, math::ErfcOp, math::AcosOp>(
          [](auto) { return kQuotients; })
      .Case<math::SinOp, math::CosOp, math::SinhOp, math::CoshOp, math::AsinhOp,
            math::AcoshOp, math::AtanhOp>([](auto) { return kReduced; })
      .Case<math::PowFOp>([](auto) { return kPower; })
      // Polynomials, and their quotient.
      .Default([](Operation *other) {
        return isa<math::MathDialect>(other->getDialect()) ? kPolynomials
                                                           : ScalarWork{1, 0};
      });
}

bool fusion::evaluatesPolynomials(linalg::LinalgOp op) {
  return llvm::any_of(
      op.getBlock()->without_terminator(), [](Operation &inner) {
        return countScalarWork(&inner).plain >= kPolynomials.plain;
      });
}

ScalarWork fusion::countScalarWork(linalg::LinalgOp op, bool isInChain) {
  ScalarWork work;
  for (Operation &inner : op.getBlock()->without_terminator())
    work += countScalarWork(&inner, isInChain);
  return work;
}

/// The kind of a combining operation.
static std::optional<arith::AtomicRMWKind> kindOf(Operation *op) {
  using Kind = arith::AtomicRMWKind;
  return llvm::TypeSwitch<Operation *, std::optional<Kind>>(op)
      .Case<arith::AddFOp>([](auto) { return Kind::addf; })
      .Case<arith::MulFOp>([](auto) { return Kind::mulf; })
      .Case<arith::MaximumFOp>([](auto) { return Kind::maximumf; })
      .Case<arith::MinimumFOp>([](auto) { return Kind::minimumf; })
      .Case<arith::MaxNumFOp>([](auto) { return Kind::maxnumf; })
      .Case<arith::MinNumFOp>([](auto) { return Kind::minnumf; })
      .Case<arith::AddIOp>([](auto) { return Kind::addi; })
      .Case<arith::MulIOp>([](auto) { return Kind::muli; })
      .Case<arith::MaxSIOp>([](auto) { return Kind::maxs; })
      .Case<arith::MaxUIOp>([](auto) { return Kind::maxu; })
      .Case<arith::MinSIOp>([](auto) { return Kind::mins; })
      .Case<arith::MinUIOp>([](auto) { return Kind::minu; })
      .Case<arith::AndIOp>([](auto) { return Kind::andi; })
      .Case<arith::OrIOp>([](auto) { return Kind::ori; })
      .Case<arith::XOrIOp>([](auto) { return Kind::xori; })
      .Default([](Operation *) { return std::nullopt; });
}

std::optional<ReductionBody> fusion::matchReduction(linalg::LinalgOp op) {
  if (isContraction(op))
    return std::nullopt;
  return matchCombination(op);
}

std::optional<ReductionBody> fusion::matchCombination(linalg::LinalgOp op) {
  std::optional<ReductionBody> body = matchCombiner(op);
  if (!body)
    return std::nullopt;
  auto fill = op.getDpsInitOperand(0)->get().getDefiningOp<linalg::FillOp>();
  Attribute initial;
  if (!fill || !matchPattern(fill.getInputs()[0], m_Constant(&initial)))
    return std::nullopt;
  body->initial = cast<TypedAttr>(initial);
  return body;
}

std::optional<ReductionBody> fusion::matchCombiner(linalg::LinalgOp op) {
  if (isa<linalg::FillOp>(op) || op.getNumDpsInits() != 1 ||
      op.getNumReductionLoops() == 0)
    return std::nullopt;
  for (AffineMap map : op.getIndexingMapsArray())
    if (!map.isProjectedPermutation())
      return std::nullopt;
  OpOperand *init = op.getDpsInitOperand(0);
  BlockArgument accumulator = op.getMatchingBlockArgument(init);
  Operation *combiner =
      op.getBlock()->getTerminator()->getOperand(0).getDefiningOp();
  if (!combiner || !accumulator.hasOneUse())
    return std::nullopt;
  std::optional<arith::AtomicRMWKind> kind = kindOf(combiner);
  if (!kind || *accumulator.getUsers().begin() != combiner ||
      !hasScalarBody(op))
    return std::nullopt;
  Value combined =
      combiner->getOperand(combiner->getOperand(0) == accumulator ? 1 : 0);
  return ReductionBody{*kind, combined, /*initial=*/{}};
}

bool fusion::isIdempotent(arith::AtomicRMWKind kind) {
  using Kind = arith::AtomicRMWKind;
  switch (kind) {
  case Kind::maximumf:
  case Kind::maxnumf:
  case Kind::minimumf:
  case Kind::minnumf:
  case Kind::maxs:
  case Kind::maxu:
  case Kind::mins:
  case Kind::minu:
  case Kind::andi:
  case Kind::ori:
    return true;
  default:
    return false;
  }
}

TypedAttr fusion::reductionIdentity(OpBuilder &b, Location loc,
                                    const ReductionBody &body) {
  using Kind = arith::AtomicRMWKind;
  Type type = body.combined.getType();
  auto infinity = [&](bool negative) {
    return FloatAttr::get(
        type,
        APFloat::getInf(cast<FloatType>(type).getFloatSemantics(), negative));
  };
  // Upstream's is NaN, which these drop like any other; but a maximum of
  // numbers that starts from it cannot be told from one that is NaN.
  if (body.kind == Kind::maxnumf || body.kind == Kind::maximumf)
    return infinity(true);
  if (body.kind == Kind::minnumf || body.kind == Kind::minimumf)
    return infinity(false);
  return arith::getIdentityValueAttr(body.kind, type, b, loc);
}

TypedAttr fusion::reductionStart(OpBuilder &b, Location loc,
                                 const ReductionBody &body) {
  auto number = dyn_cast<FloatAttr>(body.initial);
  bool dropsNaN = body.kind == arith::AtomicRMWKind::maxnumf ||
                  body.kind == arith::AtomicRMWKind::minnumf;
  if (dropsNaN && number && number.getValue().isNaN())
    return reductionIdentity(b, loc, body);
  return body.initial;
}
