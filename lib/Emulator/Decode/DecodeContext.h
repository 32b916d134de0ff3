//===- DecodeContext.h - The instruction that is being decoded --*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// DecodeOperands.cpp checks types and widths of operands; DecodeSpecial.cpp has
// special registers.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_EMULATOR_DECODE_DECODECONTEXT_H
#define FUSION_LIB_EMULATOR_DECODE_DECODECONTEXT_H

#include "Emulator/Execute/HandlerTable.h"
#include "Emulator/Machine/Code.h"
#include "Emulator/Machine/Warp.h"

#include <map>
#include <memory>
#include <unordered_map>

namespace fusion::emulator {

/// The .b type of the same width.
Type bitsLike(Type type);

/// What decoders of instructions share: the instruction, the places of its
/// operands, and the code that they emit. Functions that return bool return
/// false after an error.
class DecodeContext {
public:
  DecodeContext(const Module &module, Error &error)
      : module(module), error(error), table(handlerTable()) {}

  bool fail(const std::string &message);
  bool unsupported();

  bool source(const Operand &operand, Type type, Ref &ref);
  /// Resolves a register at least as wide as `bytes`, or a constant of `bytes`.
  bool wideSource(const Operand &operand, Type type, Ref &ref, unsigned &width);
  bool destination(const Operand &operand, Type type, Ref &ref);
  bool wideDestination(const Operand &operand, Type type, Ref &ref,
                       unsigned &width);
  bool predicateSource(const Operand &operand, Ref &ref, bool &negated);
  /// Resolves a predicate. A hidden instruction carries out its negation.
  bool predicateValue(const Operand &operand, Ref &ref);
  bool address(const Operand &operand, Ref &ref, unsigned &width,
               int64_t &offset, Space *space = nullptr);
  /// Resolves an address as a generic one of 64 bits. `sharedSpace`: it was
  /// given in the shared window.
  bool genericAddress(const Operand &operand, bool sharedSpace, Ref &ref);
  Ref constant(uint64_t value, unsigned bytes);
  Ref scratch(unsigned bytes);
  bool count(size_t least, size_t most);
  /// Resolves the registers of a vector that is a fragment of an MMA. `type` is
  /// the type of the elements in a register.
  bool fragment(const Operand &operand, Type type, size_t registers,
                bool isDestination, std::vector<Ref> &refs);
  bool specialSource(std::string_view name, Type type, Ref &ref);

  Inst &emit(Handler handler, std::initializer_list<Ref> operands,
             Flow flow = Flow::Next);
  Inst &emit(Handler handler, const std::vector<Ref> &operands, Flow flow);

  const Module &module;
  Error &error;
  const HandlerTable &table;
  std::unique_ptr<Code> code;
  std::vector<uint32_t>
      functionOf; ///< module index to index in `code`, or kNone
  std::unordered_map<uint32_t, uint32_t> sharedOffsets;
  std::unordered_map<uint32_t, uint32_t> frameOffsets; ///< of local and param
  std::vector<uint8_t> constantBytes;

  // State of the function that is being decoded.
  const Function *current = nullptr;
  std::vector<Ref> slots;
  std::vector<bool> guesses; ///< by instruction: loads of OrderGuess
  std::vector<bool> updates; ///< by instruction: strong stores of OrderUpdate
  uint32_t frameBytes = 0;
  Ref scratchRef = 0;
  uint32_t pc = 0;       ///< instruction in the body
  uint32_t numbered = 0; ///< instructions of the functions before
  const Instruction *instruction = nullptr;

private:
  Ref special(Special which) const {
    return uint32_t(which) * 128 | BaseSpecial;
  }
  uint64_t variableAddress(uint32_t variable);
  bool specialByName(std::string_view name, Ref &ref) const;
  static bool isSpecial(std::string_view name);

  std::map<std::pair<unsigned, uint64_t>, Ref> constants;
};

} // namespace fusion::emulator

#endif // FUSION_LIB_EMULATOR_DECODE_DECODECONTEXT_H
