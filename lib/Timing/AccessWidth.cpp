//===- AccessWidth.cpp - Bytes that a lane accesses -----------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AccessWidth.h"
#include "fusion/Timing/Anchor.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include <map>

using namespace fusion;
using namespace fusion::timing;

static bool isLoad(StepKind kind) {
  return kind == StepKind::GlobalLoad || kind == StepKind::SharedLoad;
}

unsigned fusion::timing::loadedBytes(const emulator::PtxInst &inst) {
  if (!isLoad(inst.step))
    return 0;
  // `ld.shared.v4.b32`: the type comes last.
  llvm::SmallVector<llvm::StringRef> parts;
  llvm::StringRef(inst.opcode).split(parts, '.');
  unsigned bits = 0, elements = 1;
  if (parts.back().drop_while(llvm::isAlpha).getAsInteger(10, bits))
    return 0;
  for (llvm::StringRef part : parts)
    if (part.consume_front("v"))
      part.getAsInteger(10, elements);
  return bits / 8 * elements;
}

unsigned fusion::timing::loadedBytes(const MachineInst &inst) {
  if (!isLoad(anchorKind(inst)))
    return 0;
  for (auto [modifier, bytes] :
       {std::pair("128", 16), std::pair("64", 8), std::pair("U16", 2),
        std::pair("S16", 2), std::pair("U8", 1), std::pair("S8", 1)})
    if (inst.hasModifier(modifier))
      return bytes;
  return 4;
}

std::vector<unsigned>
fusion::timing::mergedExecutions(const MachineKernel &kernel,
                                 llvm::ArrayRef<emulator::PtxInst> ptx) {
  using Line = std::pair<StepKind, unsigned>;
  std::map<Line, unsigned> widest; // bytes, of the machine code
  for (const MachineInst &inst : kernel.insts)
    if (unsigned bytes = loadedBytes(inst)) {
      unsigned &most = widest[{anchorKind(inst), inst.line}];
      most = std::max(most, bytes);
    }
  // Loads that may be merged: of one width, by one address register.
  struct Group {
    unsigned bytes = 0;
    unsigned wide = 0, absent = 0; ///< lines, in the machine code
  };
  std::map<std::pair<unsigned, std::vector<uint32_t>>, Group> groups;
  std::map<Line, const Group *> groupOf;
  for (const emulator::PtxInst &inst : ptx) {
    unsigned bytes = loadedBytes(inst);
    if (!bytes)
      continue;
    Group &group = groups[{bytes, inst.reads}];
    group.bytes = bytes;
    Line line{inst.step, inst.line};
    auto found = widest.find(line);
    group.wide += found != widest.end() && found->second > bytes;
    group.absent += found == widest.end();
    groupOf[line] = &group;
  }
  std::vector<unsigned> executions;
  for (const MachineInst &inst : kernel.insts) {
    executions.push_back(1);
    auto found = groupOf.find({anchorKind(inst), inst.line});
    if (found == groupOf.end())
      continue;
    const Group &group = *found->second;
    unsigned loads = loadedBytes(inst) / group.bytes;
    if (loads > 1)
      executions.back() =
          std::max(1u, loads * group.wide / (group.wide + group.absent));
  }
  return executions;
}
