//===- Remark.cpp - How passes say what they did --------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Support/Remark.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;
using namespace fusion;

std::optional<FileLineColLoc> fusion::findFileLocation(Location loc) {
  std::optional<FileLineColLoc> found;
  loc->walk([&](Location inner) {
    // A FileLineColLoc is a range of one place.
    auto range = dyn_cast<FileLineColRange>(inner);
    if (!range)
      return WalkResult::advance();
    found = FileLineColLoc::get(range.getFilename(), range.getStartLine(),
                                range.getStartColumn());
    return WalkResult::interrupt();
  });
  return found;
}

Location fusion::findPlace(ModuleOp module) {
  auto hasLine = [](Location loc) {
    std::optional<FileLineColLoc> file = findFileLocation(loc);
    return file && file->getLine() > 0;
  };
  if (hasLine(module.getLoc()))
    return module.getLoc();
  for (Operation &op : *module.getBody())
    if (hasLine(op.getLoc()))
      return op.getLoc();
  return module.getLoc();
}

static Location locate(Operation *op) {
  for (Operation *around = op; around; around = around->getParentOp())
    if (std::optional<FileLineColLoc> file = findFileLocation(around->getLoc()))
      return *file;
  return op->getLoc();
}

static StringRef nameFunction(Operation *op) {
  for (; op; op = op->getParentOp())
    if (!isa<ModuleOp>(op))
      if (auto symbol = dyn_cast<SymbolOpInterface>(op))
        if (StringAttr name = symbol.getNameAttr())
          return name.getValue();
  return {};
}

RemarkPlace::RemarkPlace(Operation *op)
    : loc(locate(op)), function(nameFunction(op)) {}

RemarkPlace::RemarkPlace(Value value) : loc(value.getLoc()) {
  Operation *op = value.getDefiningOp();
  if (!op)
    op = value.getParentBlock()->getParentOp();
  std::optional<FileLineColLoc> file = findFileLocation(loc);
  loc = file ? Location(*file) : locate(op);
  function = nameFunction(op);
}

void fusion::emitRemark(remark::RemarkKind kind, const RemarkPlace &place,
                        StringRef category, StringRef name,
                        llvm::function_ref<std::string()> text) {
  remark::detail::RemarkEngine *engine =
      place.loc.getContext()->getRemarkEngine();
  if (!engine)
    return;
  auto options = remark::RemarkOpts::name(name).category(category).function(
      place.function);
  auto emit = [&](remark::detail::InFlightRemark remark) {
    if (remark)
      remark << text();
  };
  switch (kind) {
  case remark::RemarkKind::RemarkPassed:
    return emit(engine->emitOptimizationRemark(place.loc, options));
  case remark::RemarkKind::RemarkMissed:
    return emit(engine->emitOptimizationRemarkMiss(place.loc, options));
  case remark::RemarkKind::RemarkFailure:
    return emit(engine->emitOptimizationRemarkFailure(place.loc, options));
  case remark::RemarkKind::RemarkAnalysis:
    return emit(engine->emitOptimizationRemarkAnalysis(place.loc, options));
  case remark::RemarkKind::RemarkUnknown:
    break;
  }
  llvm_unreachable("a remark has a kind");
}

void fusion::emitRemark(remark::RemarkKind kind, const RemarkPlace &place,
                        StringRef category, StringRef name, const Twine &text) {
  emitRemark(kind, place, category, name, [&] { return text.str(); });
}
