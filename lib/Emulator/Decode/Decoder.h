//===- Decoder.h - From syntax to executable instructions -------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One decoder makes the code of one kernel. It decodes all instructions of a
// kernel and of the functions that it calls when the kernel is launched,
// reachable or not. An unknown instruction is an error that names it.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_EMULATOR_DECODE_DECODER_H
#define FUSION_LIB_EMULATOR_DECODE_DECODER_H

#include "Emulator/Decode/ControlFlow.h"
#include "Emulator/Decode/Modifiers.h"
#include "Emulator/Execute/HandlerTable.h"
#include "Emulator/Execute/HandlersConvert.h"
#include "Emulator/Machine/Code.h"
#include "Emulator/Machine/Warp.h"

#include <map>

namespace fusion::emulator {

/// The .b type of the same width.
Type bitsLike(Type type);

class Decoder {
public:
  /// `watched`: sanitizers check registers of wgmma.
  Decoder(const Module &module, Error &error, bool watched)
      : module(module), error(error), watched(watched), table(handlerTable()) {}
  std::unique_ptr<Code> run(uint32_t kernel);

private:
  // Decoder.cpp
  bool collectFunctions(uint32_t kernel);
  bool layoutShared();
  bool layoutFunction(uint32_t index);
  bool decodeFunction(uint32_t index);
  bool decode(const Instruction &instruction);
  bool fail(const std::string &message);
  bool unsupported();

  // DecodeOperands.cpp
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
  Ref constant(uint64_t value, unsigned bytes);
  Ref special(Special which) const {
    return uint32_t(which) * 128 | BaseSpecial;
  }
  Ref scratch(unsigned bytes);
  uint64_t variableAddress(uint32_t variable);
  bool count(size_t least, size_t most);
  /// Resolves the registers of a vector that is a fragment of an MMA. `type` is
  /// the type of the elements in a register.
  bool fragment(const Operand &operand, Type type, size_t registers,
                bool isDestination, std::vector<Ref> &refs);

  // DecodeSpecial.cpp
  bool specialByName(std::string_view name, Ref &ref) const;
  static bool isSpecial(std::string_view name);
  bool specialSource(std::string_view name, Type type, Ref &ref);

  Inst &emit(Handler handler, std::initializer_list<Ref> operands,
             Flow flow = Flow::Next);
  Inst &emit(Handler handler, const std::vector<Ref> &operands, Flow flow);

  // DecodeArithmetic.cpp
  bool decodeArithmetic(std::string_view root, Modifiers &modifiers);
  bool hasFloatModifiers(FloatOp op, Type type) const;
  bool decodeFloat(FloatOp op, unsigned arity, Modifiers &modifiers, Type type);

  // DecodeInteger.cpp
  bool decodeInteger(std::string_view root, Modifiers &modifiers);
  bool decodeVideo(std::string_view root, Modifiers &modifiers);
  bool decodeLogic(std::string_view root, Modifiers &modifiers);

  // DecodeMove.cpp
  bool decodeCompare(std::string_view root, Modifiers &modifiers);
  bool decodeSelect(std::string_view root, Modifiers &modifiers);
  bool decodeConvert(Modifiers &modifiers);
  bool decodePack(Modifiers &modifiers);
  bool decodeMove(Modifiers &modifiers);

  // DecodeMemory.cpp
  bool policy(const Operand &operand);
  bool takeHints(std::string_view root, Modifiers &modifiers, uint8_t &order,
                 bool &cacheHint);
  bool decodeAccess(std::string_view root, Modifiers &modifiers);
  void noteScope(uint8_t order);
  bool decodeAtomic(std::string_view root, Modifiers &modifiers);
  bool decodeMatrixAccess(std::string_view root, Modifiers &modifiers);
  bool decodeMatrixMove(std::string_view root, Modifiers &modifiers);
  bool decodeAddress(std::string_view root, Modifiers &modifiers);

  // DecodeStack.cpp
  bool decodeStack(std::string_view root, Modifiers &modifiers);

  // DecodeAsync.cpp
  bool decodeAsync(Modifiers &modifiers);

  // DecodeControl.cpp
  bool decodeControl(std::string_view root, Modifiers &modifiers);
  bool decodeCall(Modifiers &modifiers);
  bool decodeBarrier(std::string_view root, Modifiers &modifiers);
  bool decodeWarp(std::string_view root, Modifiers &modifiers);
  bool parameterPlace(const Operand &operand, ParameterPlace &place);

  // DecodeHints.cpp
  bool decodeHint(std::string_view root, Modifiers &modifiers);
  bool decodePolicy(Modifiers &modifiers);
  bool decodeLine(Modifiers &modifiers, bool discards);
  bool decodeRegisterCount(Modifiers &modifiers);

  // DecodeFences.cpp
  bool decodeFence(std::string_view root, Modifiers &modifiers);
  bool decodeProxyFence(Modifiers &modifiers);
  void emitFence(bool narrow, bool isSequential);

  // DecodeMma.cpp
  bool decodeMma(Modifiers &modifiers);

  // DecodeWmma.cpp
  bool decodeWmma(std::string_view root, Modifiers &modifiers);
  bool decodeWmmaAccess(bool isStore, Modifiers &modifiers);

  // DecodeMbarrier.cpp
  /// Resolves an address as a generic one of 64 bits. `sharedSpace`: it was
  /// given in the shared window.
  bool genericAddress(const Operand &operand, bool sharedSpace, Ref &ref);
  bool decodeMbarrier(std::string_view root, Modifiers &modifiers);
  bool decodeAsyncArrive(Modifiers &modifiers);
  bool decodeCluster(std::string_view root, Modifiers &modifiers);
  bool decodeClusterBarrier(Modifiers &modifiers);

  // DecodeBulk.cpp
  bool decodeBulk(Modifiers &modifiers, bool reduces);
  bool decodeBulkGroup(Modifiers &modifiers);
  bool decodeTensorCopy(Modifiers &modifiers, bool reduces);
  bool decodeAsyncStore(std::string_view root, Modifiers &modifiers);
  bool decodeTensorMap(std::string_view root, Modifiers &modifiers);

  // DecodeWgmma.cpp
  bool decodeWgmma(std::string_view root, Modifiers &modifiers);
  void collectWatched();
  void emitWatch();

  // DecodeUpdates.cpp
  void collectUpdates();
  // DecodeGuesses.cpp
  void collectGuesses(const ControlFlow &flow);

  using Method = bool (Decoder::*)(std::string_view, Modifiers &);

  const Module &module;
  Error &error;
  bool watched;
  const HandlerTable &table;
  std::unique_ptr<Code> code;
  std::vector<uint32_t>
      functionOf; ///< module index to index in `code`, or kNone
  std::vector<uint32_t> functions; ///< the inverse
  std::unordered_map<uint32_t, uint32_t> sharedOffsets;
  std::unordered_map<uint32_t, uint32_t> frameOffsets; ///< of local and param
  std::map<std::pair<unsigned, uint64_t>, Ref> constants;
  std::vector<uint8_t> constantBytes;

  // State of the function that is being decoded.
  const Function *current = nullptr;
  uint32_t currentIndex = 0;
  std::vector<Ref> slots;
  std::unordered_map<uint32_t, uint32_t> watchedRegisters; ///< their numbers
  std::vector<bool> guesses; ///< by instruction: loads of OrderGuess
  std::vector<bool> updates; ///< by instruction: strong stores of OrderUpdate
  uint32_t frameBytes = 0;
  Ref scratchRef = 0;
  uint32_t pc = 0; ///< instruction in the body
  const Instruction *instruction = nullptr;
};

} // namespace fusion::emulator

#endif // FUSION_LIB_EMULATOR_DECODE_DECODER_H
