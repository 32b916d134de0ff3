//===- TileToLoops.cpp - test-tile-to-loops -------------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileToLoops.h"
#include "LoopTarget.h"
#include "fusion/Conversion/TileToThreads/KernelEmitter.h"
#include "fusion/Conversion/TileToThreads/StoredElements.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;
using namespace fusion;
using namespace fusion::test;

namespace {

struct TileToLoopsPass : PassWrapper<TileToLoopsPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TileToLoopsPass)

  StringRef getArgument() const override { return "test-tile-to-loops"; }
  StringRef getDescription() const override {
    return "Lower block programs to loops over blocks and threads";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<func::FuncDialect, math::MathDialect, memref::MemRefDialect,
                    scf::SCFDialect, vector::VectorDialect>();
  }

  void runOnOperation() override {
    SmallVector<tile::KernelOp> kernels(
        getOperation().getOps<tile::KernelOp>());
    for (tile::KernelOp kernel : kernels) {
      if (failed(convert(kernel)))
        return signalPassFailure();
      kernel.erase();
    }
  }

  static Type argumentType(Type type) {
    auto pointer = dyn_cast<tile::PtrType>(type);
    return pointer ? MemRefType::get({}, memoryType(pointer.getElementType()))
                   : type;
  }

  LogicalResult convert(tile::KernelOp kernel) {
    OpBuilder b(kernel);
    Location loc = kernel.getLoc();
    std::string name = (kernel.getSymName() + "_loops").str();
    if (auto declared = getOperation().lookupSymbol<func::FuncOp>(name))
      declared.erase();
    SmallVector<Type> types =
        llvm::map_to_vector(kernel.getArgumentTypes(), argumentType);
    types.push_back(b.getIndexType());
    auto function =
        func::FuncOp::create(b, loc, name, b.getFunctionType(types, {}));
    b.setInsertionPointToStart(function.addEntryBlock());
    Value blocks = function.getArguments().back();
    auto loopTo = [&](Value bound) {
      Value zero = arith::ConstantIndexOp::create(b, loc, 0);
      Value one = arith::ConstantIndexOp::create(b, loc, 1);
      return scf::ForOp::create(b, loc, zero, bound, one);
    };
    scf::ForOp overBlocks = loopTo(blocks);
    func::ReturnOp::create(b, loc);
    b.setInsertionPointToStart(overBlocks.getBody());
    scf::ForOp overThreads = loopTo(
        arith::ConstantIndexOp::create(b, loc, kernel.getBlockThreads()));
    b.setInsertionPointToStart(overThreads.getBody());

    LoopTarget target(overBlocks.getInductionVar(),
                      overThreads.getInductionVar(), blocks);
    EmitterRegistry registry;
    addThreadEmitters(registry);
    return KernelEmitter(kernel, target, registry, b)
        .run(function.getArguments().drop_back());
  }
};

} // namespace

void fusion::test::registerTileToLoopsPass() {
  PassRegistration<TileToLoopsPass>();
}
