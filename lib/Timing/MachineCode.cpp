//===- MachineCode.cpp - Machine code of kernels, from nvdisasm -----------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Timing/MachineCode.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/Twine.h"

using namespace fusion::timing;
using llvm::StringRef;

IssueControl fusion::timing::decodeIssueControl(uint64_t upper) {
  auto bits = [&](unsigned from, unsigned count) {
    return static_cast<unsigned>(upper >> from & ((1u << count) - 1));
  };
  // The number that stands for no scoreboard.
  constexpr unsigned none = 7;
  auto scoreboard = [&](unsigned from) -> std::optional<unsigned> {
    unsigned number = bits(from, 3);
    return number == none ? std::nullopt : std::optional(number);
  };
  IssueControl control;
  control.stall = bits(41, 4);
  control.yields = bits(45, 1) == 0;
  control.writeScoreboard = scoreboard(46);
  control.readScoreboard = scoreboard(49);
  control.waits = bits(52, kScoreboards);
  return control;
}

bool MachineInst::hasModifier(StringRef modifier) const {
  llvm::SmallVector<StringRef, 6> parts;
  opcode.split(parts, '.');
  return llvm::is_contained(llvm::ArrayRef(parts).drop_front(), modifier);
}

namespace fusion::timing {

/// Reads a listing line by line.
class ListingReader {
public:
  ListingReader(MachineCode &code, std::string &reason)
      : code(code), reason(reason) {}

  bool run() {
    StringRef rest = *code.text;
    while (!rest.empty()) {
      StringRef line;
      std::tie(line, rest) = rest.split('\n');
      ++number;
      if (!read(line.rtrim('\r')))
        return false;
    }
    for (MachineKernel &kernel : code.found)
      if (!kernel.registers)
        kernel.registers = registerCounts.lookup(kernel.name);
    return finishKernel();
  }

private:
  bool fail(const llvm::Twine &what) {
    reason = ("line " + llvm::Twine(number) + " of the listing: " + what).str();
    return false;
  }

  bool read(StringRef line) {
    StringRef trimmed = line.trim();
    if (trimmed.consume_front("//## File")) {
      // `//## File ".nv_debug_ptx_txt", line 25`, with what was inlined behind.
      StringRef after = trimmed.split(", line ").second;
      if (after.consumeInteger(10, ptxLine))
        return fail("no number of a PTX line");
      return true;
    }
    if (trimmed.consume_front(".text.")) {
      if (!trimmed.consume_back(":"))
        return true;
      if (!finishKernel())
        return false;
      code.found.push_back({trimmed, registers, {}, 0});
      registers = 0;
      ptxLine = 0;
      return true;
    }
    if (trimmed.starts_with("//----- nvinfo"))
      isRegisterCount = trimmed.ends_with("EIATTR_REGCOUNT");
    else if (isRegisterCount)
      readRegisterCount(trimmed);
    // `.sectioninfo @"SHI_REGISTERS=40"` stands before the kernel on some
    // chips.
    if (trimmed.consume_front(".sectioninfo")) {
      StringRef number = trimmed.split("SHI_REGISTERS=").second;
      number.consumeInteger(10, registers);
      return true;
    }
    if (trimmed.starts_with(".L_") || trimmed.starts_with("$")) {
      if (!trimmed.consume_back(":") || code.found.empty())
        return true;
      labels[trimmed] = code.found.back().insts.size();
      // Functions that ptxas adds, such as slow paths of divisions, have no
      // line.
      if (trimmed.starts_with("$"))
        ptxLine = 0;
      return true;
    }
    if (!trimmed.starts_with("/*"))
      return true;
    return trimmed.contains(';') ? readInst(trimmed) : readUpper(trimmed);
  }

  /// Reads `/*0004*/ .word index@(kernel)` and the number behind it.
  void readRegisterCount(StringRef line) {
    if (!line.consume_front("/*"))
      return;
    StringRef word = line.split(".word").second.trim();
    if (word.consume_front("index@("))
      countedKernel = word.split(')').first;
    else if (uint64_t count; !word.getAsInteger(0, count))
      registerCounts[countedKernel] = static_cast<unsigned>(count);
  }

  /// Reads `/*0040*/ @!P0 BRA `(.L_x_1) ; /* 0x… */`.
  bool readInst(StringRef line) {
    if (code.found.empty())
      return fail("an instruction before the name of its kernel");
    MachineInst inst;
    inst.line = ptxLine;
    auto [address, rest] = line.drop_front(2).split("*/");
    if (address.trim().getAsInteger(16, inst.address))
      return fail("no address");
    auto [text, words] = rest.split(';');
    text = text.trim();
    if (text.consume_front("@")) {
      StringRef guard;
      std::tie(guard, text) = text.split(' ');
      if (!readGuard(guard, inst))
        return fail("no predicate '" + guard + "'");
    }
    std::tie(inst.opcode, inst.operands) = text.trim().split(' ');
    inst.operands = inst.operands.trim();
    if (inst.opcode.empty())
      return fail("no opcode");
    if (!words.contains("/*"))
      return fail("no encoding, as nvdisasm prints it with -hex");
    code.found.back().insts.push_back(inst);
    isComplete = false;
    return true;
  }

  bool readGuard(StringRef text, MachineInst &inst) {
    Guard guard{};
    guard.isNegated = text.consume_front("!");
    guard.isUniform = text.consume_front("U");
    if (!text.consume_front("P"))
      return false;
    // PT is always true.
    if (text == "T") {
      if (guard.isNegated)
        inst.guard = Guard{7, guard.isUniform, true};
      return true;
    }
    if (text.getAsInteger(10, guard.predicate))
      return false;
    inst.guard = guard;
    return true;
  }

  /// Reads `/* 0x000fe20000000800 */`, the upper half of the encoding.
  bool readUpper(StringRef line) {
    if (code.found.empty() || isComplete)
      return true;
    StringRef word = line.drop_front(2).split("*/").first.trim();
    uint64_t upper;
    if (!word.consume_front("0x") || word.getAsInteger(16, upper))
      return fail("no upper half of an encoding");
    code.found.back().insts.back().control = decodeIssueControl(upper);
    isComplete = true;
    return true;
  }

  /// Finds the instructions that the kernel's branches name.
  bool finishKernel() {
    if (code.found.empty())
      return true;
    if (!isComplete)
      return fail("the last instruction has half an encoding");
    for (MachineInst &inst : code.found.back().insts) {
      size_t at = inst.operands.find("`(");
      if (at == StringRef::npos)
        continue;
      StringRef label = inst.operands.drop_front(at + 2).split(')').first;
      auto place = labels.find(label);
      if (place != labels.end())
        inst.target = place->second;
    }
    labels.clear();
    return true;
  }

  MachineCode &code;
  std::string &reason;
  llvm::StringMap<unsigned> labels; ///< of the kernel at hand
  unsigned number = 0;              ///< of the listing's line
  unsigned ptxLine = 0;
  unsigned registers = 0;       ///< of the next kernel
  bool isRegisterCount = false; ///< whether the lines tell registers
  StringRef countedKernel;
  llvm::StringMap<unsigned> registerCounts; ///< by kernel
  bool isComplete = true; ///< the last instruction has both halves
};

} // namespace fusion::timing

std::optional<MachineCode> MachineCode::parse(std::string listing,
                                              std::string &reason) {
  MachineCode code(std::move(listing));
  if (!ListingReader(code, reason).run())
    return std::nullopt;
  if (code.found.empty()) {
    reason = "the listing has no kernel";
    return std::nullopt;
  }
  return code;
}

const MachineKernel *MachineCode::find(StringRef name) const {
  auto kernel = llvm::find_if(
      found, [&](const MachineKernel &each) { return each.name == name; });
  return kernel == found.end() ? nullptr : &*kernel;
}
