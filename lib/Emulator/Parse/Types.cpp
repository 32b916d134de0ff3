//===- Types.cpp - PTX types and state spaces -----------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emulator/Parse/Types.h"

#include <unordered_map>

using namespace fusion::emulator;

Type fusion::emulator::parseType(std::string_view text) {
  static const std::unordered_map<std::string_view, Type> types = {
      {"pred", Type::Pred},     {"b8", Type::B8},
      {"u8", Type::U8},         {"s8", Type::S8},
      {"b16", Type::B16},       {"u16", Type::U16},
      {"s16", Type::S16},       {"f16", Type::F16},
      {"bf16", Type::BF16},     {"b32", Type::B32},
      {"u32", Type::U32},       {"s32", Type::S32},
      {"f32", Type::F32},       {"tf32", Type::TF32},
      {"f16x2", Type::F16x2},   {"bf16x2", Type::BF16x2},
      {"u16x2", Type::U16x2},   {"s16x2", Type::S16x2},
      {"b64", Type::B64},       {"u64", Type::U64},
      {"s64", Type::S64},       {"f64", Type::F64},
      {"f32x2", Type::F32x2},   {"b128", Type::B128},
      {"e4m3", Type::E4M3},     {"e5m2", Type::E5M2},
      {"e4m3x2", Type::E4M3x2}, {"e5m2x2", Type::E5M2x2},
      {"u4", Type::U4},         {"s4", Type::S4},
      {"b1", Type::B1}};
  auto it = types.find(text);
  return it == types.end() ? Type::None : it->second;
}
