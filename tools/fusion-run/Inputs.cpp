//===- Inputs.cpp - Inputs of a function ----------------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Inputs.h"

#include "fusion/Reference/Reference.h"
#include "fusion/Runtime/Npy.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/Support/FormatVariadic.h"

using namespace fusion;
using namespace fusion::run;
using llvm::Twine;
using mlir::RankedTensorType;

static llvm::Error fail(mlir::func::FuncOp function, unsigned input,
                        const Twine &message) {
  return llvm::createStringError("input " + Twine(input) + " of '" +
                                 function.getName() + "' " + message);
}

static std::string typeText(mlir::Type type) {
  return llvm::formatv("{0}", type).str();
}

/// Returns whether the sizes fit a tensor type.
static bool fits(llvm::ArrayRef<int64_t> shape, RankedTensorType type) {
  if (!type)
    return shape.empty();
  if (int64_t(shape.size()) != type.getRank())
    return false;
  for (size_t d = 0; d < shape.size(); ++d)
    if (!type.isDynamicDim(d) && type.getDimSize(d) != shape[d])
      return false;
  return true;
}

/// Returns whether an operator divides integers by unchanged elements of
/// `argument`.
static bool isDivisor(mlir::Value argument) {
  auto divides = [](mlir::Value element) {
    return llvm::any_of(element.getUses(), [](mlir::OpOperand &use) {
      return use.getOperandNumber() == 1 &&
             llvm::isa<mlir::arith::DivSIOp, mlir::arith::DivUIOp,
                       mlir::arith::RemSIOp, mlir::arith::RemUIOp,
                       mlir::arith::CeilDivSIOp, mlir::arith::CeilDivUIOp,
                       mlir::arith::FloorDivSIOp>(use.getOwner());
    });
  };
  if (divides(argument))
    return true;
  return llvm::any_of(argument.getUses(), [&](mlir::OpOperand &use) {
    auto op = llvm::dyn_cast<mlir::linalg::LinalgOp>(use.getOwner());
    return op && divides(op.getMatchingBlockArgument(&use));
  });
}

/// Replaces generated divisors 0 and -1 by 1, so that quotients are defined.
static void avoidUndefinedDivision(HostTensor &tensor) {
  if (isFloat(tensor.type) || tensor.type == ElementType::I1)
    return;
  for (int64_t i = 0, e = tensor.elements(); i < e; ++i)
    if (int64_t value = elementToInteger(tensor.type, tensor.at(i));
        value == 0 || value == -1)
      elementFromInteger(tensor.type, 1, tensor.at(i));
}

llvm::Expected<std::vector<HostTensor>>
fusion::run::makeInputs(mlir::func::FuncOp function, const Options &options) {
  std::vector<HostTensor> inputs;
  llvm::SmallVector<bool> fromFile;
  for (auto [i, type] : llvm::enumerate(function.getArgumentTypes())) {
    std::optional<ElementType> element = elementTypeOf(type);
    auto tensor = mlir::dyn_cast<RankedTensorType>(type);
    if (!element || (mlir::isa<mlir::ShapedType>(type) && !tensor))
      return fail(function, i,
                  "of type " + typeText(type) + " cannot be executed");
    llvm::SmallVector<int64_t> shape;
    auto given = options.shapes.find(i);
    auto file = options.inputFiles.find(i);
    if (given != options.shapes.end()) {
      shape = given->second;
      if (!fits(shape, tensor))
        return fail(function, i,
                    "is " + typeText(type) + ", --shape says " +
                        shapeText(shape));
    } else if (tensor) {
      shape.assign(tensor.getShape().begin(), tensor.getShape().end());
    }
    if (file != options.inputFiles.end()) {
      llvm::Expected<HostTensor> read = readNpy(file->second, *element);
      if (!read)
        return read.takeError();
      if (!fits(read->shape, tensor) ||
          (given != options.shapes.end() && read->shape != shape))
        return fail(function, i,
                    "is " + typeText(type) + ", " + file->second + " holds " +
                        shapeText(read->shape));
      inputs.push_back(std::move(*read));
    } else {
      if (llvm::any_of(shape, mlir::ShapedType::isDynamic))
        return fail(function, i,
                    "is " + typeText(type) +
                        ": give its sizes by --shape=" + Twine(i) + ":AxB...");
      if (llvm::Expected<int64_t> bytes = checkedBytes(*element, shape); !bytes)
        return bytes.takeError();
      inputs.emplace_back(*element, shape);
    }
    fromFile.push_back(file != options.inputFiles.end());
  }
  fillInputs(inputs, options.seed, fromFile);
  for (size_t i = 0; i < inputs.size(); ++i)
    if (!fromFile[i] && isDivisor(function.getArgument(i)))
      avoidUndefinedDivision(inputs[i]);
  return inputs;
}

ElementType fusion::run::narrowestFloat(mlir::func::FuncOp function) {
  ElementType narrowest = ElementType::F64;
  auto visit = [&](mlir::Type type) {
    std::optional<ElementType> element = elementTypeOf(type);
    if (!element || !isFloat(*element))
      return;
    // Among types of one size, the one with the coarser rounding.
    double unit = defaultTolerance(*element, *element, 1).rtol;
    if (unit > defaultTolerance(narrowest, narrowest, 1).rtol)
      narrowest = *element;
  };
  for (mlir::Type type : function.getArgumentTypes())
    visit(type);
  for (mlir::Type type : function.getResultTypes())
    visit(type);
  function.walk([&](mlir::Operation *op) {
    for (mlir::Type type : op->getResultTypes())
      visit(type);
  });
  return narrowest;
}

unsigned fusion::run::countRoundings(mlir::func::FuncOp function,
                                     ElementType type) {
  llvm::DenseMap<mlir::Value, unsigned> before;
  unsigned most = 0;
  for (mlir::Operation &op : function.getOps()) {
    unsigned own = 0;
    for (mlir::Value operand : op.getOperands())
      own = std::max(own, before.lookup(operand));
    bool rounds = false;
    op.walk([&](mlir::Operation *inner) {
      rounds |=
          mlir::isa_and_nonnull<mlir::arith::ArithDialect,
                                mlir::math::MathDialect>(inner->getDialect()) &&
          !mlir::isa<mlir::arith::ConstantOp, mlir::arith::SelectOp>(inner) &&
          elementTypeOf(inner->getResult(0).getType()) == type;
    });
    own += rounds;
    for (mlir::Value result : op.getResults())
      before[result] = own;
    most = std::max(most, own);
  }
  return most;
}
