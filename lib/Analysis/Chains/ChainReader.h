//===- ChainReader.h - Reads the model of a chain from IR -------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_ANALYSIS_CHAINS_CHAINREADER_H
#define FUSION_LIB_ANALYSIS_CHAINS_CHAINREADER_H

#include "fusion/Analysis/Groups/GroupAxes.h"
#include "fusion/Analysis/Masks/MaskedAxes.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/Twine.h"

namespace fusion {

/// Returns what a value in a group's body is outside of it: the group's operand
/// for an argument of the body.
mlir::Value sourceOf(mlir::Value value);

/// Builds a GroupAxes step by step. Every step may decline with a reason.
class ChainReader {
public:
  using Explain = llvm::function_ref<void(const llvm::Twine &)>;

  ChainReader(llvm::ArrayRef<mlir::linalg::LinalgOp> operators,
              mlir::ValueRange results, Explain explain);

  mlir::FailureOr<GroupAxes> build() {
    if (mlir::failed(classify()) || mlir::failed(unifyLoops()) ||
        mlir::failed(nameAxes()) || mlir::failed(collectProducts()) ||
        mlir::failed(collectOperands()) || mlir::failed(collectResults()))
      return mlir::failure();
    nameTensors();
    prefetchLoad();
    deriveOnlineForms();
    // The elements of a window are not counted.
    if (llvm::none_of(group.model.tensors,
                      [](const GroupTensor &tensor) { return tensor.window; }))
      group.model.masked = deriveMaskedAxes(group);
    return std::move(group);
  }

private:
  mlir::LogicalResult decline(const llvm::Twine &reason) {
    explain(reason);
    return mlir::failure();
  }
  void orderProducts();
  mlir::LogicalResult classify();
  mlir::LogicalResult unifyLoops();
  mlir::LogicalResult nameAxes();
  mlir::LogicalResult collectProducts();
  mlir::LogicalResult collectOperands();
  mlir::LogicalResult collectResults();
  mlir::LogicalResult collectReductions();
  mlir::LogicalResult collectPasses();
  unsigned levelOf(unsigned op);
  mlir::LogicalResult checkRows(unsigned op);
  void prefetchLoad();
  mlir::LogicalResult collectJoins();
  void shareLoops(llvm::ArrayRef<unsigned> first,
                  llvm::EquivalenceClasses<unsigned> &classes);
  void shareFrontLoops(llvm::ArrayRef<unsigned> first,
                       llvm::EquivalenceClasses<unsigned> &classes);
  std::optional<unsigned> findShared(unsigned op, mlir::OpOperand *operand);
  std::optional<unsigned> findRead(unsigned op, mlir::OpOperand *operand,
                                   unsigned contraction, unsigned number);
  mlir::FailureOr<mlir::Value> handedValue(unsigned contraction);
  void nameTensors();
  void deriveOnlineForms();
  void describeSplit(OnlineAxis &online, const OnlineForm &form);

  /// Returns the operator of the group whose result is `value`.
  std::optional<unsigned> definer(mlir::Value value) const {
    auto it = definers.find(value);
    if (it == definers.end())
      return std::nullopt;
    return it->second;
  }
  std::string nextName(llvm::StringRef letter) {
    unsigned count = used[letter]++;
    return count == 0 ? letter.str() : (letter + llvm::Twine(count)).str();
  }
  /// Returns the axes that index an operand or a result of an operator, by
  /// dimension.
  llvm::SmallVector<unsigned, 4> axesOf(unsigned op, mlir::OpOperand *use);
  unsigned addTensor(mlir::Value value, TensorRole role, unsigned op,
                     mlir::OpOperand *use);
  unsigned addWindow(unsigned op, mlir::OpOperand *use);
  mlir::LogicalResult collectOperandsOf(unsigned op, unsigned contraction,
                                        TensorRole role,
                                        unsigned operandNumber);
  bool shareFront(unsigned op, unsigned contraction, unsigned number);

  mlir::ValueRange results;
  Explain explain;
  GroupAxes group;
  llvm::DenseMap<mlir::Value, unsigned> definers;
  llvm::StringMap<unsigned> used;
  /// By operator of a prologue: the first contraction whose operand depends on
  /// it, and the number of that operand. `levels` counts the reductions that
  /// follow each other up to the operator, itself included.
  llvm::SmallVector<std::optional<std::pair<unsigned, unsigned>>> precedes;
  llvm::SmallVector<std::optional<unsigned>> levels;
};

} // namespace fusion

#endif // FUSION_LIB_ANALYSIS_CHAINS_CHAINREADER_H
