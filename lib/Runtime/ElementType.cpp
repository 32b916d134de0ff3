//===- ElementType.cpp - Types of tensor elements -------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Runtime/ElementType.h"

#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/ErrorHandling.h"
#include <array>
#include <cmath>
#include <cstring>
#include <vector>

using namespace fusion;
using llvm::APFloat;
using llvm::APInt;

namespace {

struct TypeInfo {
  ElementType type;
  llvm::StringLiteral name;
  uint8_t bytes;
  bool isFloat;
};

constexpr TypeInfo typeTable[] = {
    {ElementType::I1, "i1", 1, false},
    {ElementType::I8, "i8", 1, false},
    {ElementType::I16, "i16", 2, false},
    {ElementType::I32, "i32", 4, false},
    {ElementType::I64, "i64", 8, false},
    {ElementType::Index, "index", 8, false},
    {ElementType::F16, "f16", 2, true},
    {ElementType::BF16, "bf16", 2, true},
    {ElementType::F32, "f32", 4, true},
    {ElementType::F64, "f64", 8, true},
    {ElementType::F8E4M3FN, "f8E4M3FN", 1, true},
    {ElementType::F8E5M2, "f8E5M2", 1, true},
    {ElementType::F8E4M3, "f8E4M3", 1, true},
    {ElementType::F8E3M4, "f8E3M4", 1, true},
    {ElementType::F8E4M3FNUZ, "f8E4M3FNUZ", 1, true},
    {ElementType::F8E5M2FNUZ, "f8E5M2FNUZ", 1, true},
    {ElementType::F8E4M3B11FNUZ, "f8E4M3B11FNUZ", 1, true},
    {ElementType::F8E8M0FNU, "f8E8M0FNU", 1, true},
};

const TypeInfo &info(ElementType type) {
  const TypeInfo &entry = typeTable[static_cast<size_t>(type)];
  assert(entry.type == type && "the table follows the enumeration");
  return entry;
}

const llvm::fltSemantics &semantics(ElementType type) {
  switch (type) {
  case ElementType::F16:
    return APFloat::IEEEhalf();
  case ElementType::BF16:
    return APFloat::BFloat();
  case ElementType::F8E4M3FN:
    return APFloat::Float8E4M3FN();
  case ElementType::F8E5M2:
    return APFloat::Float8E5M2();
  case ElementType::F8E4M3:
    return APFloat::Float8E4M3();
  case ElementType::F8E3M4:
    return APFloat::Float8E3M4();
  case ElementType::F8E4M3FNUZ:
    return APFloat::Float8E4M3FNUZ();
  case ElementType::F8E5M2FNUZ:
    return APFloat::Float8E5M2FNUZ();
  case ElementType::F8E4M3B11FNUZ:
    return APFloat::Float8E4M3B11FNUZ();
  case ElementType::F8E8M0FNU:
    return APFloat::Float8E8M0FNU();
  default:
    llvm_unreachable("not a narrow floating-point type");
  }
}

/// All values of a type of at most 16 bits, decoded once.
const std::vector<float> &decodeTable(ElementType type) {
  auto build = [](ElementType type) {
    unsigned bits = info(type).bytes * 8;
    std::vector<float> table(size_t(1) << bits);
    for (size_t code = 0; code < table.size(); ++code) {
      APFloat value(semantics(type), APInt(bits, code));
      bool losesInfo;
      // A NaN of a format without a fraction would become infinite.
      if (value.isNaN())
        value = APFloat::getNaN(APFloat::IEEEsingle(), value.isNegative());
      else
        value.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven,
                      &losesInfo);
      table[code] = value.convertToFloat();
    }
    return table;
  };
  static const std::array<std::vector<float>, std::size(typeTable)> tables =
      [&] {
        std::array<std::vector<float>, std::size(typeTable)> all;
        for (const TypeInfo &entry : typeTable)
          if (entry.isFloat && entry.bytes <= 2)
            all[static_cast<size_t>(entry.type)] = build(entry.type);
        return all;
      }();
  return tables[static_cast<size_t>(type)];
}

template <typename T> T load(const void *element) {
  T value;
  std::memcpy(&value, element, sizeof(T));
  return value;
}

template <typename T> void store(void *element, T value) {
  std::memcpy(element, &value, sizeof(T));
}

} // namespace

llvm::StringRef fusion::elementTypeName(ElementType type) {
  return info(type).name;
}

std::optional<ElementType> fusion::parseElementType(llvm::StringRef name) {
  for (const TypeInfo &entry : typeTable)
    if (entry.name == name)
      return entry.type;
  return std::nullopt;
}

size_t fusion::elementBytes(ElementType type) { return info(type).bytes; }
bool fusion::isFloat(ElementType type) { return info(type).isFloat; }

int64_t fusion::elementToInteger(ElementType type, const void *element) {
  switch (type) {
  case ElementType::I1:
    return load<uint8_t>(element) != 0;
  case ElementType::I8:
    return load<int8_t>(element);
  case ElementType::I16:
    return load<int16_t>(element);
  case ElementType::I32:
    return load<int32_t>(element);
  case ElementType::I64:
  case ElementType::Index:
    return load<int64_t>(element);
  default:
    llvm_unreachable("not an integer type");
  }
}

double fusion::elementToDouble(ElementType type, const void *element) {
  if (!isFloat(type))
    return static_cast<double>(elementToInteger(type, element));
  switch (elementBytes(type)) {
  case 1:
    return decodeTable(type)[load<uint8_t>(element)];
  case 2:
    return decodeTable(type)[load<uint16_t>(element)];
  case 4:
    return load<float>(element);
  default:
    return load<double>(element);
  }
}

void fusion::elementFromInteger(ElementType type, int64_t value,
                                void *element) {
  if (type == ElementType::I1)
    store<uint8_t>(element, value & 1);
  else if (isFloat(type))
    elementFromDouble(type, static_cast<double>(value), element);
  else
    std::memcpy(element, &value, elementBytes(type)); // little endian
}

void fusion::elementFromDouble(ElementType type, double value, void *element) {
  if (!isFloat(type))
    return elementFromInteger(type, static_cast<int64_t>(value), element);
  if (type == ElementType::F64)
    return store(element, value);
  if (type == ElementType::F32)
    return store(element, static_cast<float>(value));
  APFloat rounded(value);
  bool losesInfo;
  // A format without a sign has no negative numbers.
  if (!APFloat::semanticsHasSignedRepr(semantics(type)) && value < 0)
    rounded = APFloat::getNaN(semantics(type));
  rounded.convert(semantics(type), APFloat::rmNearestTiesToEven, &losesInfo);
  uint64_t bits = rounded.bitcastToAPInt().getZExtValue();
  std::memcpy(element, &bits, elementBytes(type));
}
