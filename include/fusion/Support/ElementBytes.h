//===- ElementBytes.h - Bytes of an element in memory -----------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_SUPPORT_ELEMENTBYTES_H
#define FUSION_SUPPORT_ELEMENTBYTES_H

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/Support/MathExtras.h"

namespace fusion {

/// Returns the whole bytes of an element in memory: 8 for an index, 1 for a
/// boolean; 0 for types that have no size of their own.
inline int64_t elementBytes(mlir::Type type) {
  type = mlir::getElementTypeOrSelf(type);
  if (type.isIndex())
    return mlir::IndexType::kInternalStorageBitWidth / 8;
  if (auto complex = mlir::dyn_cast<mlir::ComplexType>(type))
    return 2 * elementBytes(complex.getElementType());
  return type.isIntOrFloat() ? llvm::divideCeil(type.getIntOrFloatBitWidth(), 8)
                             : 0;
}

} // namespace fusion

#endif // FUSION_SUPPORT_ELEMENTBYTES_H
