//===- Module.h - The syntax tree of a PTX module ---------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the parser makes of PTX text. Names are resolved (registers, variables,
// functions, labels); opcodes are not yet understood: that is the decoder's
// work, at the launch of a kernel that contains them. Strings are views into
// the text that the module owns.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_EMULATOR_PARSE_MODULE_H
#define FUSION_LIB_EMULATOR_PARSE_MODULE_H

#include "Emulator/Parse/Types.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace fusion::emulator {

constexpr uint32_t kNone = UINT32_MAX;

struct Operand {
  enum class Kind : uint8_t {
    Register,  ///< index: of the function's registers
    Special,   ///< name: special register, `%tid.x`
    Integer,   ///< value
    Float,     ///< value: bits of the f32 (bytes 4) or f64 (bytes 8)
    Variable,  ///< index: of the module's variables, + offset
    Function,  ///< index: of the module's functions
    Label,     ///< index: instruction in the function; name
    Table,     ///< index: of the function's branch tables; name
    Prototype, ///< name of a .callprototype
    Vector,    ///< elements: `{a, b}`, and parameter lists of calls
    Address,   ///< `[elements[0] + offset]`; two-part tensor addresses
    Sink,      ///< `_`
    Pair,      ///< elements: `d|p`
  };
  Kind kind = Kind::Sink;
  bool negated = false; ///< `!p`
  bool minus = false;   ///< `-%r`, of vmad
  uint8_t bytes = 0;    ///< of a Float
  uint32_t index = kNone;
  uint64_t value = 0;
  int64_t offset = 0;
  std::string_view name;
  std::string_view selector; ///< of a register: `b0` of `%r1.b0`
  std::vector<Operand> elements;
};

struct Instruction {
  std::string_view root;                   ///< `ld`
  std::vector<std::string_view> modifiers; ///< `global`, `v4`, `f32`
  std::string_view opcode;                 ///< the whole, for messages
  uint32_t guard = kNone;                  ///< register index of `@p`
  bool guardNegated = false;
  std::vector<Operand> operands;
  unsigned line = 0;
  unsigned lastLine = 0; ///< of its semicolon
};

struct Register {
  std::string_view name;
  Type type = Type::None;
};

struct Variable {
  std::string_view name;
  Space space = Space::Generic;
  Type element = Type::None;
  uint64_t bytes = 0;
  uint64_t alignment = 1;
  bool isExtern = false;  ///< `.extern`; an unsized array has 0 bytes
  bool isPointer = false; ///< parameter declared `.ptr`
  unsigned line = 0;
  std::vector<uint8_t> initializer; ///< empty, or at most `bytes`
  /// Places in the initializer that hold addresses.
  struct Relocation {
    uint64_t offset;
    uint32_t variable; ///< kNone where it is a function's
    int64_t addend;
    unsigned bytes;
    bool generic;
    uint32_t function = kNone;
  };
  std::vector<Relocation> relocations;
  uint64_t address = 0; ///< of module-scope .global and .const variables
};

/// A formal parameter or return value: a variable of space Param, or a
/// register (the form without an ABI).
struct Formal {
  uint32_t variable = kNone;
  uint32_t reg = kNone;
};

struct Function {
  std::string_view name;
  bool isEntry = false;
  bool hasBody = false;
  unsigned line = 0;
  std::vector<Formal> parameters;
  std::vector<Formal> results;
  std::vector<Register> registers; ///< those the body mentions
  std::vector<uint32_t> variables; ///< declared in the body
  std::vector<Instruction> body;
  std::vector<std::vector<uint32_t>> branchTables;
  std::array<uint32_t, 3> maxThreads{0, 0, 0};      ///< .maxntid, 0 = none
  std::array<uint32_t, 3> requiredThreads{0, 0, 0}; ///< .reqntid
  std::array<uint32_t, 3> requiredCluster{0, 0, 0}; ///< .reqnctapercluster
  uint32_t maxRegisters = 0;                        ///< .maxnreg
  uint32_t leastBlocks = 0;                         ///< .minnctapersm
};

/// The address of a function as kernels see it, in every kernel of its module.
constexpr uint64_t functionAddress(uint32_t index) {
  return uint64_t(index) + 1;
}

struct Module {
  std::string text;
  uint64_t id = 0;       ///< different for every module of the process
  unsigned version = 0;  ///< major * 10 + minor
  unsigned target = 0;   ///< 80 of sm_80; 0: none was given
  char targetSuffix = 0; ///< a or f of sm_100f, or none
  std::vector<Variable> variables;
  std::vector<Function> functions;
  uint64_t variableBytes = 0; ///< of the module-scope global and const ones
};

} // namespace fusion::emulator

#endif // FUSION_LIB_EMULATOR_PARSE_MODULE_H
