//===- StitchCompositions.cpp - Values that threads share out ----------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Emits operators with warp or block composition in a layout of their own, and
// the conversions between it and the layout of the group.
//
//===----------------------------------------------------------------------===//

#include "StitchLowering.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace fusion;

/// Converts a tile between the layout of a composition and that of the group.
Value StitchLowering::convert(Value tile, RankedTensorType type,
                              Composition scheme) {
  bool isInWarp = sharing && scheme == Composition::Warp,
       // Rows of any length, as tiles of an axis may be narrower than 16 bytes.
      isPadded = sharing && !isInWarp && type.getRank() > 1;
  return tile::ConvertLayoutOp::create(b, loc, type, tile,
                                       /*offset=*/IntegerAttr(), isPadded,
                                       isInWarp);
}

/// Returns an input in the layout of `reader`.
Value StitchLowering::sharedInputOf(unsigned input, unsigned reader,
                                    Scope &home) {
  Value &known = home.sharedInputs[input];
  if (!known) {
    llvm::SaveAndRestore<std::optional<unsigned>> inLayout(sharing, reader);
    known = load(group.inputs[input], home);
  }
  return known;
}

/// Returns an operator's result for what is being emitted: in the layout of a
/// composition if both have one.
Value StitchLowering::operatorOf(unsigned number, const Scope &scope) const {
  auto find = [&](llvm::DenseMap<unsigned, Value> Scope::*tiles) {
    Value known = (scope.*tiles).lookup(number);
    return known ? known : (rows.*tiles).lookup(number);
  };
  bool isAlike = sharing &&
                 schedule.schemeOf(number) == schedule.schemeOf(*sharing) &&
                 sorted(group.loops[number]) == sorted(group.loops[*sharing]);
  return find(isAlike ? &Scope::sharedOperators : &Scope::operators);
}

/// Emits an operator with a composition. Returns its result in the layout of
/// the group, or null if nothing reads it there.
Value StitchLowering::emitShared(unsigned number, Scope &scope) {
  linalg::LinalgOp linalgOp = group.operators()[number];
  loc = linalgOp.getLoc();
  llvm::SaveAndRestore<std::optional<unsigned>> inLayout(sharing, number);
  Value own = emitScalar(
      number, linalgOp.getBlock()->getTerminator()->getOperand(0), scope);
  scope.sharedOperators[number] = own;
  if (!isExchanged(group, schedule, passes, number))
    return {};
  SmallVector<unsigned, 4> axes = sorted(group.loops[number]);
  Type element = cast<RankedTensorType>(own.getType()).getElementType();
  auto type = tile::withLayout(
      cast<RankedTensorType>(own.getType()),
      tile::LayoutAttr::get(element.getContext(),
                            layoutOf(group, schedule, component, axes)));
  return convert(own, type, schedule.schemeOf(number));
}
