//===- InlineAssembly.h - Pieces of PTX -------------------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_CONVERSION_TILETOGPU_INLINEASSEMBLY_H
#define FUSION_LIB_CONVERSION_TILETOGPU_INLINEASSEMBLY_H

#include "fusion/Conversion/TileToThreads/ThreadBuilder.h"
#include "llvm/Support/raw_ostream.h"

namespace fusion {

/// Emits a piece of PTX without results that may access memory. `inputs` are
/// the constraints of the operands, which the text calls $0, $1, ...
void emitAssembly(ThreadBuilder &b, mlir::ValueRange operands,
                  llvm::StringRef text, llvm::StringRef inputs);

/// Builds one piece of PTX with results, which may access memory. Its operands
/// are numbered in the order in which they are added: results, then inputs.
class Assembly {
public:
  /// Adds a result that begins as `init`, or undefined if that is null, and
  /// returns its number.
  unsigned addResult(mlir::Type type, mlir::Value init);
  /// Adds an input with a constraint and returns its number. All results must
  /// have been added.
  unsigned addInput(mlir::Value value, char constraint);
  /// The text, to write to.
  llvm::raw_ostream &text() { return stream; }
  /// Emits the piece and returns the values of its results.
  Values create(ThreadBuilder &b);

private:
  llvm::SmallVector<mlir::Type> results;
  Values inits, inputs;
  llvm::SmallVector<char> inputConstraints;
  std::string code;
  llvm::raw_string_ostream stream{code};
};

} // namespace fusion

#endif // FUSION_LIB_CONVERSION_TILETOGPU_INLINEASSEMBLY_H
