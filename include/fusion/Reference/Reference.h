//===- Reference.h - Executes the unfused module on the CPU -----*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The reference that results of compiled plans are compared with: the unfused
// module with the rules of fuse-explicit-numerics, lowered by upstream's passes
// and compiled for the host. Contractions run as vector code on all cores;
// every sum adds its terms in the order of the reduction loops.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_REFERENCE_REFERENCE_H
#define FUSION_REFERENCE_REFERENCE_H

#include "fusion/Runtime/HostTensor.h"
#include "mlir/IR/BuiltinOps.h"
#include <functional>
#include <memory>

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace fusion {

/// Adds the passes from an unfused module to the LLVM dialect.
void buildReferencePipeline(mlir::OpPassManager &manager);

/// Registers `reference-to-llvm`, the pipeline above.
void registerReferencePipeline();

/// Returns the element type of a scalar or tensor in MLIR; nullopt if the
/// runtime has no such type.
std::optional<ElementType> elementTypeOf(mlir::Type type);

class Reference {
public:
  /// Compiles a copy of `unfused`; diagnostics go to its context. `threads` is
  /// the number of host threads, 0 for one per core.
  static llvm::Expected<std::unique_ptr<Reference>>
  compile(mlir::ModuleOp unfused, unsigned threads = 0);
  ~Reference();

  struct Results {
    std::vector<HostTensor> tensors;
    /// Whether an integer division, or an element at an index outside of its
    /// tensor, had no defined value. Other implementations may then have other
    /// results.
    bool isUndefined = false;
  };

  /// Calls a public function. The inputs must have the types and static sizes
  /// of its signature, and sizes that fit together; results are row-major
  /// whatever their layout was. Unless `proceed` is null, any thread calls it;
  /// if it returns false, the work soon ends with an error.
  llvm::Expected<Results> run(llvm::StringRef function,
                              llvm::ArrayRef<HostTensor> inputs,
                              const std::function<bool()> &proceed = nullptr);

private:
  struct Impl;
  explicit Reference(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> pimpl;
};

} // namespace fusion

#endif // FUSION_REFERENCE_REFERENCE_H
