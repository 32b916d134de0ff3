//===- Remark.h - How passes say what they did ------------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All passes emit remarks through `emitRemark`. Every remark thus has one text,
// the name of the function around it, and a line of a file if one is known.
// Upstream's engine writes neither by itself, and takes the file of a location
// only if that is a plain FileLineColLoc.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_SUPPORT_REMARK_H
#define FUSION_SUPPORT_REMARK_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/Twine.h"

namespace fusion {

/// Returns the first line and column of a file inside `loc`, which may be
/// fused, named or a call site, or nullopt if it names no file.
std::optional<mlir::FileLineColLoc> findFileLocation(mlir::Location loc);

/// Returns a location for remarks about a whole module. A module without the
/// keyword has line 0 of its file, so the location of its first operation is
/// used.
mlir::Location findPlace(mlir::ModuleOp module);

/// The source location and the function of a remark. Outlives the operation.
struct RemarkPlace {
  /// Takes the location of `op`, or of the nearest operation around `op` whose
  /// location names a file.
  explicit RemarkPlace(mlir::Operation *op);
  /// Takes the location of `value`, else the place of what defines `value`.
  explicit RemarkPlace(mlir::Value value);

  mlir::Location loc;
  /// The nearest symbol around the operation that is no module: a function or a
  /// kernel. Empty if there is no such symbol.
  llvm::StringRef function;
};

/// Emits the remark `name` of `category`. Calls `text` only if the remark is
/// enabled. `name` and `category` outlive the context.
void emitRemark(mlir::remark::RemarkKind kind, const RemarkPlace &place,
                llvm::StringRef category, llvm::StringRef name,
                llvm::function_ref<std::string()> text);
void emitRemark(mlir::remark::RemarkKind kind, const RemarkPlace &place,
                llvm::StringRef category, llvm::StringRef name,
                const llvm::Twine &text);

template <typename Text>
void remarkPassed(mlir::Operation *op, llvm::StringRef category,
                  llvm::StringRef name, const Text &text) {
  emitRemark(mlir::remark::RemarkKind::RemarkPassed, RemarkPlace(op), category,
             name, text);
}

template <typename Text>
void remarkMissed(mlir::Operation *op, llvm::StringRef category,
                  llvm::StringRef name, const Text &text) {
  emitRemark(mlir::remark::RemarkKind::RemarkMissed, RemarkPlace(op), category,
             name, text);
}

template <typename Text>
void remarkAnalysis(mlir::Operation *op, llvm::StringRef category,
                    llvm::StringRef name, const Text &text) {
  emitRemark(mlir::remark::RemarkKind::RemarkAnalysis, RemarkPlace(op),
             category, name, text);
}

} // namespace fusion

#endif // FUSION_SUPPORT_REMARK_H
