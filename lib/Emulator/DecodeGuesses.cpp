//===- DecodeGuesses.cpp - Loads that only guess what a CAS will find -----===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   old = *place;
//   do old = atomicCAS(place, assumed = old, f(assumed)); while (old !=
//   assumed);
//
// The first load is weak, hence it races with the atomics of other threads. But
// whatever it gives, nothing but that CAS depends on it: with another value the
// CAS fails, and tells the right one. Such loads are not reported. What is
// followed through the program:
//
//   guess     the value, copied: may be what the CAS compares with
//   made      what was made of it: may be what the CAS stores
//   told      what the CAS gave; whether it is the guess decides the loop
//
// Any other use of guess or made, and the load is an ordinary one.
//
//===----------------------------------------------------------------------===//

#include "ControlFlow.h"
#include "Decoder.h"
#include "RegisterAllocation.h"

#include <algorithm>

using namespace fusion::emulator;

namespace {

bool has(const Instruction &inst, std::string_view modifier) {
  return std::find(inst.modifiers.begin(), inst.modifiers.end(), modifier) !=
         inst.modifiers.end();
}

bool isCas(const Instruction &inst) {
  return inst.root == "atom" && has(inst, "cas") && inst.operands.size() >= 4;
}

bool isSamePlace(const Operand &x, const Operand &y) {
  auto simple = [](const Operand &operand) {
    return operand.kind == Operand::Kind::Address &&
           operand.elements.size() == 1 &&
           (operand.elements[0].kind == Operand::Kind::Register ||
            operand.elements[0].kind == Operand::Kind::Variable);
  };
  return simple(x) && simple(y) && x.offset == y.offset &&
         x.elements[0].kind == y.elements[0].kind &&
         x.elements[0].index == y.elements[0].index &&
         x.elements[0].offset == y.elements[0].offset;
}

/// Whether a result depends on nothing but the operands, and does nothing else.
bool isPure(std::string_view root) {
  static const std::string_view roots[] = {
      "abs",  "add",   "addc", "and",      "bfe",   "bfi",  "bfind", "bmsk",
      "brev", "clz",   "cnot", "copysign", "cvt",   "div",  "dp2a",  "dp4a",
      "ex2",  "fma",   "fns",  "lg2",      "lop3",  "mad",  "mad24", "madc",
      "max",  "min",   "mov",  "mul",      "mul24", "neg",  "not",   "or",
      "popc", "prmt",  "rcp",  "rem",      "rsqrt", "sad",  "selp",  "set",
      "setp", "shf",   "shl",  "shr",      "sin",   "slct", "sqrt",  "sub",
      "subc", "szext", "tanh", "testp",    "xor",   "cos"};
  return std::find(std::begin(roots), std::end(roots), root) != std::end(roots);
}

/// What a register may hold.
enum Holds : uint8_t { Guess = 1, Made = 2, Told = 4 };
using State = std::vector<uint8_t>; ///< by register

class Follower {
public:
  Follower(const Function &function, const ControlFlow &flow)
      : function(function), flow(flow) {
    for (const Instruction &inst : function.body)
      mentions.push_back(mentionsOf(inst));
  }

  /// Whether nothing but a CAS uses what instruction `index` loads.
  bool isGuess(uint32_t index) {
    load = index;
    std::vector<State> entry(flow.blocks.size());
    std::vector<uint32_t> work;
    for (uint32_t b = 0; b < flow.blocks.size(); ++b)
      if (flow.blocks[b].begin <= index && index < flow.blocks[b].end) {
        entry[b].assign(function.registers.size(), 0);
        work.push_back(b);
      }
    while (!work.empty()) {
      uint32_t b = work.back();
      work.pop_back();
      State state = entry[b];
      for (uint32_t i = flow.blocks[b].begin; i < flow.blocks[b].end; ++i)
        if (!step(i, state))
          return false;
      for (uint32_t next : flow.blocks[b].successors) {
        bool changed = entry[next].empty();
        entry[next].resize(state.size(), 0);
        for (size_t r = 0; r < state.size(); ++r) {
          changed |= (state[r] & ~entry[next][r]) != 0;
          entry[next][r] |= state[r];
        }
        if (changed)
          work.push_back(next);
      }
    }
    return true;
  }

private:
  static uint8_t holdsOf(const Operand &operand, const State &state) {
    return operand.kind == Operand::Kind::Register ? state[operand.index] : 0;
  }

  bool step(uint32_t i, State &state) const {
    const Instruction &inst = function.body[i];
    uint8_t used = 0;
    for (uint32_t r : mentions[i].uses)
      used |= state[r];
    uint8_t result = 0;
    if (i == load) {
      if (used & (Guess | Made))
        return false;
      result = Guess;
    } else if (isCas(inst) &&
               isSamePlace(inst.operands[1], function.body[load].operands[1])) {
      // The guess is compared as it is, and is no address or guard.
      uint8_t compared = holdsOf(inst.operands[2], state);
      if ((compared & Made) ||
          ((inst.guard != kNone ? state[inst.guard] : 0) & (Guess | Made)) ||
          ((holdsOf(inst.operands[3], state) & (Guess | Made)) &&
           !(compared & (Guess | Told))))
        return false;
      result = Told;
    } else if (used & (Guess | Made)) {
      if (!isPure(inst.root))
        return false;
      result = Made;
      if (inst.root == "mov" && inst.guard == kNone)
        result = used;
      else if (decides(inst, state))
        result = 0;
    } else if (used && inst.root == "mov" && inst.guard == kNone) {
      result = used;
    }
    for (uint32_t r : mentions[i].definitions)
      state[r] = inst.guard == kNone ? result : uint8_t(state[r] | result);
    return true;
  }

  /// Whether what the CAS found is the guess.
  static bool decides(const Instruction &inst, const State &state) {
    if (inst.root != "setp" || inst.guard != kNone ||
        inst.operands.size() != 3 || !(has(inst, "eq") || has(inst, "ne")))
      return false;
    uint8_t x = holdsOf(inst.operands[1], state),
            y = holdsOf(inst.operands[2], state);
    return !((x | y) & Made) && ((x == Told && y) || (y == Told && x));
  }

  const Function &function;
  const ControlFlow &flow;
  std::vector<Mentions> mentions;
  uint32_t load = 0;
};

} // namespace

void Decoder::collectGuesses(const ControlFlow &flow) {
  guesses.clear();
  const auto &body = current->body;
  if (!watched || std::none_of(body.begin(), body.end(), isCas))
    return;
  // Programs that nobody wrote are not to exhaust the memory.
  constexpr uint64_t kMostStates = uint64_t(1) << 24;
  if (uint64_t(current->registers.size()) * flow.blocks.size() > kMostStates)
    return;
  guesses.resize(body.size());
  Follower follower(*current, flow);
  for (uint32_t i = 0; i < body.size(); ++i) {
    const Instruction &inst = body[i];
    guesses[i] =
        inst.root == "ld" && inst.operands.size() == 2 &&
        inst.operands[0].kind == Operand::Kind::Register &&
        std::any_of(body.begin(), body.end(),
                    [&](const Instruction &other) {
                      return isCas(other) &&
                             isSamePlace(other.operands[1], inst.operands[1]);
                    }) &&
        follower.isGuess(i);
  }
}
