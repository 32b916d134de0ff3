//===- CHeader.cpp - Declarations for an object file ----------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Target/Native/CHeader.h"
#include "EntryPoint.h"
#include "NativeModule.h"
#include "fusion/Dialect/Tile/IR/NativeKernels.h"
#include "fusion/Target/Chips/ChipTable.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace fusion;

/// What every header declares, once for all headers of a program.
static constexpr const char *kCommon = R"c(
#ifndef FUSION_PARALLEL_FOR
#define FUSION_PARALLEL_FOR
/** Executes the blocks [first, end) with the scratch memory of a worker. */
typedef void (*fusion_body)(void *data, int64_t first, int64_t end,
                            int64_t worker);
/** Calls `body` with `data` for ranges that cover [0, count), each element once,
 *  and returns when all calls have. Calls at the same time have different
 *  workers, which count from 0. */
typedef void (*fusion_parallel_for)(void *context, fusion_body body,
                                    void *data, int64_t count);
#endif
)c";

/// Returns C's name of the elements of a type; bits where C has no such type.
static std::string elementName(Type type) {
  if (type.isF32())
    return "float";
  if (type.isF64())
    return "double";
  if (type.isIndex())
    return "int64_t";
  unsigned bits = std::max(8u, unsigned(type.getIntOrFloatBitWidth()));
  bool isSigned = isa<IntegerType>(type) && !type.isInteger(1);
  return (isSigned ? "int" : "uint") + std::to_string(bits) + "_t";
}

static std::string textOf(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

static void writeEntryPoint(llvm::raw_ostream &os, const EntryPoint &entry) {
  func::FuncOp function = entry.function;
  if (!entry.whyNone.empty()) {
    os << "\n/* '" << function.getName()
       << "' cannot be called from C: " << entry.whyNone << ". */\n";
    return;
  }
  std::string macro = StringRef(entry.symbol).upper();
  os << "\n#define " << macro << "_WORKSPACE_BYTES " << entry.workspaceBytes
     << "\n#define " << macro << "_SCRATCH_BYTES " << entry.scratchBytes
     << "\n/** " << function.getName() << ":\n";
  SmallVector<std::string> parameters;
  auto add = [&](const char *name, unsigned index, Type type, bool isResult) {
    std::string element = elementName(getElementTypeOrSelf(type));
    bool isPointer = isResult || isa<RankedTensorType>(type);
    parameters.push_back((isPointer && !isResult ? "const " : "") + element +
                         (isPointer ? " *" : " ") + name +
                         std::to_string(index));
    os << " *  " << name << index << ": " << textOf(type) << "\n";
  };
  for (auto [index, type] : llvm::enumerate(function.getArgumentTypes()))
    add("arg", index, type, /*isResult=*/false);
  for (auto [index, result] : llvm::enumerate(entry.results))
    add("result", index, result.type, /*isResult=*/true);
  os << " *  workspace: " << macro << "_WORKSPACE_BYTES, aligned to "
     << kWorkspaceAlignment << "\n *  scratch: " << macro
     << "_SCRATCH_BYTES for each worker, aligned to " << kScratchAlignment
     << "\n *  parallel_for: null to execute everything in the caller\n */\n";
  for (const char *parameter :
       {"void *workspace", "void *scratch", "fusion_parallel_for parallel_for",
        "void *context"})
    parameters.push_back(parameter);
  os << "void " << entry.symbol << "(" << llvm::join(parameters, ",\n    ")
     << ");\n";
}

static void writeKernels(llvm::raw_ostream &os, ModuleOp kernels) {
  for (auto kernel : kernels.getOps<LLVM::LLVMFuncOp>()) {
    if (kernel.isExternal() || !kernel.isPublic())
      continue;
    auto scratch = kernel->getAttrOfType<IntegerAttr>(tile::kScratchAttrName);
    os << "\n/** A kernel with " << (scratch ? scratch.getInt() : 0)
       << " bytes of scratch memory. */\nvoid " << kernel.getSymName()
       << "(const uint64_t *arguments, int64_t first, int64_t end,\n"
          "    void *scratch);\n";
  }
}

FailureOr<std::string> fusion::translateToCHeader(ModuleOp module) {
  FailureOr<const ChipInfo *> chip = nativeChipOf(module);
  if (failed(chip))
    return failure();
  SmallVector<DenseElementsAttr> constants;
  FailureOr<std::vector<EntryPoint>> entries =
      describeEntryPoints(module, constants);
  if (failed(entries))
    return failure();
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "/* Functions compiled for " << (*chip)->name
     << ". Buffers are dense, row-major and aligned to 16 bytes. Calls\n"
        " * may run at the same time with memory of their own. */\n"
        "#include <stdint.h>\n"
     << "\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n"
     << kCommon;
  for (const EntryPoint &entry : *entries)
    writeEntryPoint(os, entry);
  for (auto nested : module.getOps<ModuleOp>())
    if (nested->hasAttr(tile::kNativeAttrName))
      writeKernels(os, nested);
  os << "\n#ifdef __cplusplus\n}\n#endif\n";
  return text;
}
