//===- EntryPoint.h - Functions that C can call -----------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions of a module as functions of C, which execute their launches in
// order (docs/native-kernels.md). The header and the code are both made from
// these structs, so that they agree.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_TARGET_NATIVE_ENTRYPOINT_H
#define FUSION_LIB_TARGET_NATIVE_ENTRYPOINT_H

#include "fusion/Target/Plan/HostPlan.h"
#include "llvm/IR/Module.h"
#include <variant>
#include <vector>

namespace fusion {

/// A function of C.
struct EntryPoint {
  /// A number that is known when the function is called.
  struct Scalar {
    std::optional<unsigned> input; ///< of the function, or
    int64_t integer = 0;           ///< an integer, or
    std::optional<double> number;  ///< a floating-point number
    mlir::Type type;
  };
  struct Launch {
    std::string kernel;
    int64_t blocks = 0;
    /// For each argument of the kernel a buffer (`arg0`, `temp1`) or a number.
    std::vector<std::variant<std::string, Scalar>> arguments;
  };
  /// A result that is a number, or another buffer whose bytes are copied.
  struct Result {
    mlir::Type type;
    std::optional<Scalar> value;
    std::string alias;
    int64_t bytes = 0;
  };

  mlir::func::FuncOp function;
  std::string symbol;  ///< `fusion_` and the function's name
  std::string whyNone; ///< not empty: C cannot call it, for this reason
  std::vector<Launch> launches;
  std::vector<Result> results;
  llvm::SmallVector<int64_t> temporaryOffsets; ///< in the workspace
  int64_t workspaceBytes = 0;
  int64_t scratchBytes = 0; ///< of one worker
};

/// Alignments in bytes of what the caller of an entry point passes.
constexpr int64_t kWorkspaceAlignment = 256, kScratchAlignment = 64;

/// Returns the public functions of a lowered module. `constants` receives the
/// buffers `const0`, `const1`, … Errors are diagnosed.
mlir::FailureOr<std::vector<EntryPoint>>
describeEntryPoints(mlir::ModuleOp module,
                    llvm::SmallVectorImpl<mlir::DenseElementsAttr> &constants);

/// Adds the entry points and constants to the code of the kernels.
void addEntryPoints(llvm::Module &code, llvm::ArrayRef<EntryPoint> entries,
                    llvm::ArrayRef<mlir::DenseElementsAttr> constants);

} // namespace fusion

#endif // FUSION_LIB_TARGET_NATIVE_ENTRYPOINT_H
