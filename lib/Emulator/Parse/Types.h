//===- Types.h - PTX types and state spaces ---------------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The fundamental types of PTX (PTX ISA, "Types") and the packed ones that
// only instructions name. Registers know nothing but a width.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_EMULATOR_PARSE_TYPES_H
#define FUSION_LIB_EMULATOR_PARSE_TYPES_H

#include <cstdint>
#include <string_view>

namespace fusion::emulator {

enum class Type : uint8_t {
  None,
  Pred,
  B8,
  U8,
  S8,
  B16,
  U16,
  S16,
  F16,
  BF16,
  B32,
  U32,
  S32,
  F32,
  TF32,
  F16x2,
  BF16x2,
  U16x2,
  S16x2,
  B64,
  U64,
  S64,
  F64,
  F32x2,
  B128,
  E4M3,
  E5M2,
  E4M3x2,
  E5M2x2, // in 8- and 16-bit registers
  U4,
  S4,
  B1, // operand types of mma only
};

// Internal linkage: the copy of a file compiled for wide vectors must not be
// the one that the whole program links to.

/// Bytes of a value of that type in a register or in memory; 0 for types that
/// have no such form.
static constexpr unsigned bytesOf(Type type) {
  switch (type) {
  case Type::B8:
  case Type::U8:
  case Type::S8:
  case Type::E4M3:
  case Type::E5M2:
    return 1;
  case Type::B16:
  case Type::U16:
  case Type::S16:
  case Type::F16:
  case Type::BF16:
  case Type::E4M3x2:
  case Type::E5M2x2:
    return 2;
  case Type::Pred: // a warp's predicate is one 32-bit mask
  case Type::B32:
  case Type::U32:
  case Type::S32:
  case Type::F32:
  case Type::TF32:
  case Type::F16x2:
  case Type::BF16x2:
  case Type::U16x2:
  case Type::S16x2:
    return 4;
  case Type::B64:
  case Type::U64:
  case Type::S64:
  case Type::F64:
  case Type::F32x2:
    return 8;
  case Type::B128:
    return 16;
  case Type::None:
  case Type::U4:
  case Type::S4:
  case Type::B1:
    return 0;
  }
  return 0;
}

static constexpr bool isSigned(Type type) {
  return type == Type::S8 || type == Type::S16 || type == Type::S32 ||
         type == Type::S64 || type == Type::S4;
}

static constexpr bool isFloat(Type type) {
  return type == Type::F16 || type == Type::BF16 || type == Type::F32 ||
         type == Type::F64 || type == Type::TF32;
}

/// Also the packed ones with arithmetic of their own.
static constexpr bool isFloatLike(Type type) {
  return isFloat(type) || type == Type::F16x2 || type == Type::BF16x2 ||
         type == Type::F32x2;
}

/// What loads, stores, moves and selections name.
static constexpr bool isMemoryType(Type type) {
  switch (type) {
  case Type::B8:
  case Type::U8:
  case Type::S8:
  case Type::B16:
  case Type::U16:
  case Type::S16:
  case Type::B32:
  case Type::U32:
  case Type::S32:
  case Type::F32:
  case Type::B64:
  case Type::U64:
  case Type::S64:
  case Type::F64:
  case Type::B128:
    return true;
  default:
    return false;
  }
}

/// The type spelled by a modifier without its dot ("u32"), None where it is no
/// type.
Type parseType(std::string_view text);

enum class Space : uint8_t { Generic, Const, Global, Local, Param, Shared };

/// Generic addresses of the windows onto the spaces that are not global
/// memory, and of the variables of modules. Device allocations start above.
constexpr uint64_t kSharedWindow = uint64_t(0x7f00) << 32;
constexpr uint64_t kLocalWindow = uint64_t(0x7f01) << 32;
/// Where `alloca` takes local memory from, as an offset in that space.
constexpr uint64_t kLocalStack = uint64_t(1) << 30;
constexpr uint64_t kParamWindow = uint64_t(0x7f03) << 32;
constexpr uint64_t kWindowBytes = uint64_t(1) << 32;
constexpr uint64_t kModuleVariables = uint64_t(0x0600) << 32;
/// Every module has a region of its own for its variables; the regions are
/// given out in turn.
constexpr uint64_t kModuleVariableBytes = uint64_t(1) << 30;
constexpr uint64_t kModuleRegions = 1024;
constexpr uint64_t kAllocations = uint64_t(0x0700) << 32;

} // namespace fusion::emulator

#endif // FUSION_LIB_EMULATOR_PARSE_TYPES_H
