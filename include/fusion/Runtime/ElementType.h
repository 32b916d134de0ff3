//===- ElementType.h - Types of tensor elements -----------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The element types of the manifest (docs/manifest.md), their sizes and their
// conversion to and from double. No dependence on MLIR.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_RUNTIME_ELEMENTTYPE_H
#define FUSION_RUNTIME_ELEMENTTYPE_H

#include "llvm/ADT/StringRef.h"
#include <cstddef>
#include <cstdint>
#include <optional>

namespace fusion {

enum class ElementType : uint8_t {
  I1, ///< one byte, 0 or 1
  I8,
  I16,
  I32,
  I64,
  Index, ///< as I64
  F16,
  BF16,
  F32,
  F64,
  F8E4M3FN,
  F8E5M2,
  F8E4M3,
  F8E3M4,
  F8E4M3FNUZ,
  F8E5M2FNUZ,
  F8E4M3B11FNUZ,
  F8E8M0FNU,
};

/// The type as MLIR spells it (`f16`, `i1`, `f8E4M3FN`, `index` ...).
llvm::StringRef elementTypeName(ElementType type);
/// nullopt where the name is none of the list.
std::optional<ElementType> parseElementType(llvm::StringRef name);

/// Bytes of one element in memory.
size_t elementBytes(ElementType type);
bool isFloat(ElementType type);

/// The value of the element at `element`. Integers of more than 53 bits lose
/// their low bits.
double elementToDouble(ElementType type, const void *element);
/// The value of an integer element.
int64_t elementToInteger(ElementType type, const void *element);
/// Stores `value`, rounded to nearest even for floating-point types and
/// truncated for integers.
void elementFromDouble(ElementType type, double value, void *element);
void elementFromInteger(ElementType type, int64_t value, void *element);

} // namespace fusion

#endif // FUSION_RUNTIME_ELEMENTTYPE_H
