//===- DecodeGuesses.cpp - Loads that only guess what a CAS will find -----===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   old = *place;
//   do old = atomicCAS(place, assumed = old, f(assumed));
//   while (old != assumed);
//
// The first load is weak, hence it races with the atomics of other threads. But
// nothing except that CAS depends on its value: with a wrong value the CAS
// fails and returns the right one. Such loads are not reported. The decoder
// follows these values through the program:
//
//   guess     the value, copied: may be what the CAS compares with
//   made      what was made of it: may be what the CAS stores
//   told      what the CAS gave; whether it is the guess decides the loop
//
// Any other use of guess or made, and the load is an ordinary one.
//
//===----------------------------------------------------------------------===//

#include "Emulator/Decode/DecodeGuesses.h"

#include "Emulator/Decode/RegisterAllocation.h"

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

/// The memory that an instruction accesses: a register or a variable, and an
/// offset from it in bytes.
struct Place {
  Operand::Kind kind = Operand::Kind::Sink; ///< Register or Variable, if known
  uint32_t index = kNone;
  int64_t offset = 0;

  bool operator==(const Place &other) const {
    return kind != Operand::Kind::Sink && kind == other.kind &&
           index == other.index && offset == other.offset;
  }
};

/// Finds the values that registers of addresses are made of. nvcc adds a
/// constant to the address for one access and writes it into the other. A
/// register stands for its operands if it is defined at one place, by a sum or
/// a copy of such registers. Its definition is then executed again before its
/// next use whenever theirs are.
class Places {
public:
  Places(const Function &function, const std::vector<Mentions> &mentions)
      : function(function), definition(function.registers.size(), kNone) {
    auto define = [&](uint32_t reg, uint32_t at) {
      definition[reg] = definition[reg] == kNone ? at : kSeveral;
    };
    for (uint32_t i = 0; i < mentions.size(); ++i)
      for (uint32_t reg : mentions[i].definitions)
        define(reg, i);
    for (const auto *formals : {&function.parameters, &function.results})
      for (const Formal &formal : *formals)
        if (formal.reg != kNone)
          define(formal.reg, kSeveral);
  }

  Place of(const Operand &address) const {
    Place place;
    if (address.kind != Operand::Kind::Address || address.elements.size() != 1)
      return place;
    add(place, address.elements[0]);
    place.offset += address.offset;
    // Chains are short, but a program may define registers in a cycle.
    for (unsigned depth = 0; depth < 16; ++depth) {
      if (place.kind != Operand::Kind::Register ||
          definition[place.index] >= function.body.size())
        return place;
      const Instruction &inst = function.body[definition[place.index]];
      size_t count = inst.operands.size();
      bool copies = inst.root == "mov" && count == 2,
           sums = inst.root == "add" && count == 3 &&
                  inst.operands[2].kind == Operand::Kind::Integer &&
                  isWide(inst);
      if (inst.guard != kNone || !(copies || sums) || !isOnce(inst.operands[1]))
        return place;
      if (sums)
        place.offset += int64_t(inst.operands[2].value);
      add(place, inst.operands[1]);
    }
    return Place();
  }

private:
  static constexpr uint32_t kSeveral = kNone - 1;
  static void add(Place &place, const Operand &base) {
    place.kind = Operand::Kind::Sink;
    if (base.kind != Operand::Kind::Register &&
        base.kind != Operand::Kind::Variable)
      return;
    place.kind = base.kind;
    place.index = base.index;
    place.offset += base.offset;
  }
  static bool isWide(const Instruction &inst) {
    return inst.modifiers.size() == 1 &&
           (inst.modifiers[0] == "s32" || inst.modifiers[0] == "u32" ||
            inst.modifiers[0] == "s64" || inst.modifiers[0] == "u64");
  }
  bool isOnce(const Operand &operand) const {
    return operand.kind == Operand::Kind::Variable ||
           (operand.kind == Operand::Kind::Register &&
            operand.selector.empty() &&
            definition[operand.index] < function.body.size());
  }

  const Function &function;
  std::vector<uint32_t> definition; ///< by register: instruction, or kSeveral
};

/// Whether an instruction's only effect is a result that depends on its
/// operands.
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

/// What a register may hold (see the top of the file).
enum Holds : uint8_t { Guess = 1, Made = 2, Told = 4 };
using State = std::vector<uint8_t>; ///< by register

class Follower {
public:
  Follower(const Function &function, const ControlFlow &flow)
      : function(function), flow(flow) {
    for (const Instruction &inst : function.body)
      mentions.push_back(mentionsOf(inst));
    Places all(function, mentions);
    for (const Instruction &inst : function.body) {
      bool accesses = inst.operands.size() >= 2 &&
                      (inst.root == "ld" || inst.root == "atom");
      places.push_back(accesses ? all.of(inst.operands[1]) : Place());
      if (isCas(inst))
        compared.push_back(places.back());
    }
  }

  /// Whether there is a CAS at the address that instruction `index` loads from.
  bool isCompared(uint32_t index) const {
    return std::find(compared.begin(), compared.end(), places[index]) !=
           compared.end();
  }

  /// Whether only a CAS uses the value that instruction `index` loads.
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
    } else if (isCas(inst) && places[i] == places[load]) {
      // The guess must be compared unchanged, and be no address or guard.
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

  /// Whether a comparison tells if the CAS found the guess.
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
  std::vector<Place> places, compared; ///< by instruction; `compared`: of CAS
  uint32_t load = 0;
};

} // namespace

std::vector<bool> fusion::emulator::findGuesses(const Function &function,
                                                const ControlFlow &flow) {
  const auto &body = function.body;
  if (std::none_of(body.begin(), body.end(), isCas))
    return {};
  // Artificial programs must not exhaust the memory.
  constexpr uint64_t kMostStates = uint64_t(1) << 24;
  if (uint64_t(function.registers.size()) * flow.blocks.size() > kMostStates)
    return {};
  std::vector<bool> guesses(body.size());
  Follower follower(function, flow);
  for (uint32_t i = 0; i < body.size(); ++i) {
    const Instruction &inst = body[i];
    guesses[i] = inst.root == "ld" && inst.operands.size() == 2 &&
                 inst.operands[0].kind == Operand::Kind::Register &&
                 follower.isCompared(i) && follower.isGuess(i);
  }
  return guesses;
}
