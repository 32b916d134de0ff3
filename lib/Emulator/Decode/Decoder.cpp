//===- Decoder.cpp - From syntax to executable instructions ---------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emulator/Decode/Decoder.h"
#include "Emulator/Decode/StepKinds.h"

#include "Emulator/Decode/DecodeArithmetic.h"
#include "Emulator/Decode/DecodeAsync.h"
#include "Emulator/Decode/DecodeBulk.h"
#include "Emulator/Decode/DecodeControl.h"
#include "Emulator/Decode/DecodeFences.h"
#include "Emulator/Decode/DecodeGuesses.h"
#include "Emulator/Decode/DecodeHints.h"
#include "Emulator/Decode/DecodeInteger.h"
#include "Emulator/Decode/DecodeMbarrier.h"
#include "Emulator/Decode/DecodeMemory.h"
#include "Emulator/Decode/DecodeMma.h"
#include "Emulator/Decode/DecodeMove.h"
#include "Emulator/Decode/DecodeStack.h"
#include "Emulator/Decode/DecodeUpdates.h"
#include "Emulator/Decode/DecodeVideo.h"
#include "Emulator/Decode/DecodeWgmma.h"
#include "Emulator/Decode/DecodeWmma.h"
#include "Emulator/Decode/RegisterAllocation.h"
#include "Emulator/Machine/Warp.h"
#include "Emulator/Parse/Targets.h"

#include <algorithm>
#include <functional>
#include <map>

using namespace fusion::emulator;

//===----------------------------------------------------------------------===//
// The kernel
//===----------------------------------------------------------------------===//

static void forEachOperand(const std::vector<Operand> &operands,
                           const std::function<void(const Operand &)> &visit) {
  for (const Operand &operand : operands) {
    visit(operand);
    forEachOperand(operand.elements, visit);
  }
}

bool Decoder::collectFunctions(uint32_t kernel) {
  context.functionOf.assign(context.module.functions.size(), kNone);
  functions.push_back(kernel);
  context.functionOf[kernel] = 0;
  auto reach = [&](uint32_t index) {
    const Function &callee = context.module.functions[index];
    if (!callee.hasBody)
      // printf writes to a buffer that is never read here.
      return callee.name == "vprintf" || callee.name == "__assertfail" ||
             callee.name == "malloc" || callee.name == "free" ||
             context.fail("function '" + std::string(callee.name) +
                          "' is not defined in this module");
    if (context.functionOf[index] == kNone) {
      context.functionOf[index] = uint32_t(functions.size());
      functions.push_back(index);
    }
    return true;
  };
  // Tables of functions, such as virtual ones, may name other tables.
  std::vector<bool> seen(context.module.variables.size());
  auto reachTables = [&](uint32_t variable) {
    std::vector<uint32_t> tables{variable};
    while (!tables.empty()) {
      uint32_t table = tables.back();
      tables.pop_back();
      if (seen[table])
        continue;
      seen[table] = true;
      for (const auto &relocation : context.module.variables[table].relocations)
        if (relocation.function == kNone)
          tables.push_back(relocation.variable);
        else if (!reach(relocation.function))
          return false;
    }
    return true;
  };
  for (size_t i = 0; i < functions.size(); ++i)
    for (const Instruction &inst :
         context.module.functions[functions[i]].body) {
      bool ok = true;
      context.instruction = &inst;
      forEachOperand(inst.operands, [&](const Operand &operand) {
        if (operand.kind == Operand::Kind::Function)
          ok = ok && reach(operand.index);
        else if (operand.kind == Operand::Kind::Variable)
          ok = ok && reachTables(operand.index);
      });
      if (!ok)
        return false;
    }
  context.instruction = nullptr;
  context.code->functionOf = context.functionOf;
  return true;
}

static uint64_t alignTo(uint64_t value, uint64_t alignment) {
  return (value + alignment - 1) & ~(alignment - 1);
}

/// Places static variables in the order of their declaration. All unsized
/// arrays begin after them.
bool Decoder::layoutShared() {
  std::vector<uint32_t> used;
  for (uint32_t function : functions)
    for (const Instruction &inst : context.module.functions[function].body)
      forEachOperand(inst.operands, [&](const Operand &operand) {
        if (operand.kind == Operand::Kind::Variable &&
            context.module.variables[operand.index].space == Space::Shared)
          used.push_back(operand.index);
      });
  std::sort(used.begin(), used.end());
  used.erase(std::unique(used.begin(), used.end()), used.end());
  uint64_t offset = 0, dynamicAlignment = 16;
  // The system reserves 1 KB of every block (CUDA C++ Programming Guide,
  // "Shared Memory"), which is laid out only if a kernel uses it.
  constexpr uint32_t kReserved = 1024;
  auto reserve = [&](const Operand &operand) {
    if (operand.kind == Operand::Kind::Special &&
        operand.name.substr(0, 21) == "%reserved_smem_offset")
      context.code->reservedSharedBytes = kReserved;
  };
  for (uint32_t function : functions)
    for (const Instruction &inst : context.module.functions[function].body)
      forEachOperand(inst.operands, reserve);
  offset = context.code->reservedSharedBytes;
  for (uint32_t index : used) {
    const Variable &variable = context.module.variables[index];
    if (!variable.bytes) {
      dynamicAlignment = std::max(dynamicAlignment, variable.alignment);
      continue;
    }
    offset = alignTo(offset, variable.alignment);
    context.sharedOffsets[index] = uint32_t(offset);
    offset += variable.bytes;
  }
  if (offset > (1u << 30))
    return context.fail("too much shared memory");
  context.code->staticShared = uint32_t(offset);
  context.code->dynamicSharedOffset =
      uint32_t(alignTo(offset, dynamicAlignment));
  for (uint32_t index : used)
    if (!context.module.variables[index].bytes)
      context.sharedOffsets[index] = context.code->dynamicSharedOffset;
  return true;
}

/// Places parameters and local variables in a frame.
bool Decoder::layoutFunction(uint32_t index) {
  const Function &function = context.module.functions[functions[index]];
  CodeFunction &out = context.code->functions[index];
  out.source = &function;
  uint64_t parameterBytes = 0, localBytes = 0;
  auto place = [&](uint32_t variable, uint64_t &bytes) {
    const Variable &v = context.module.variables[variable];
    bytes = alignTo(bytes, v.alignment);
    context.frameOffsets[variable] = uint32_t(bytes);
    bytes += v.bytes;
  };
  auto formal = [&](const Formal &f, std::vector<ParameterPlace> &list) {
    ParameterPlace p;
    if (f.variable != kNone) {
      place(f.variable, parameterBytes);
      p.offset = context.frameOffsets[f.variable];
      p.bytes = uint32_t(context.module.variables[f.variable].bytes);
    } else {
      p.inRegister = true;
      p.reg = f.reg; // becomes a slot when the function is decoded
      p.registerBytes = uint8_t(bytesOf(function.registers[f.reg].type));
      p.bytes = p.registerBytes;
    }
    list.push_back(p);
  };
  if (function.isEntry) {
    uint64_t entryBytes = 0;
    for (const Formal &f : function.parameters) {
      if (f.variable == kNone)
        return context.fail("a kernel's parameters are in .param space");
      place(f.variable, entryBytes);
      context.code->entryParameterOffsets.push_back(
          context.frameOffsets[f.variable]);
    }
    context.code->entryParameterBytes = uint32_t(entryBytes);
  } else {
    for (const Formal &f : function.parameters)
      formal(f, out.parameters);
    for (const Formal &f : function.results)
      formal(f, out.results);
  }
  for (uint32_t variable : function.variables) {
    if (context.frameOffsets.count(variable))
      continue;
    Space space = context.module.variables[variable].space;
    if (space == Space::Param)
      place(variable, parameterBytes);
    else if (space == Space::Local)
      place(variable, localBytes);
  }
  if (parameterBytes > (1u << 20) || localBytes > (1u << 24))
    return context.fail("function '" + std::string(function.name) +
                        "' needs too much local or parameter memory");
  out.parameterBytes = uint32_t(alignTo(parameterBytes, 16));
  out.localBytes = uint32_t(alignTo(localBytes, 16));
  return true;
}

std::unique_ptr<Code> Decoder::run(uint32_t kernel) {
  context.code = std::make_unique<Code>();
  context.code->source = &context.module.functions[kernel];
  if (!collectFunctions(kernel))
    return nullptr;
  if (!layoutShared())
    return nullptr;
  context.code->functions.resize(functions.size());
  for (uint32_t i = 0; i < functions.size(); ++i)
    if (!layoutFunction(i))
      return nullptr;
  for (uint32_t i = 0; i < functions.size(); ++i)
    if (!decodeFunction(i))
      return nullptr;
  context.code->constants.reserve(context.constantBytes.size());
  if (!context.constantBytes.empty())
    std::memcpy(context.code->constants.data(), context.constantBytes.data(),
                context.constantBytes.size());
  return std::move(context.code);
}

bool Decoder::decodeFunction(uint32_t index) {
  context.current = &context.module.functions[functions[index]];
  CodeFunction &out = context.code->functions[index];

  // Place 0 is for sinks, results that are never read. 512 bytes hold 32 lanes
  // of b128.
  ControlFlow flow = analyzeControlFlow(*context.current);
  uint64_t bytes = 512;
  std::vector<uint32_t> places =
      allocateRegisters(*context.current, flow, bytes);
  if (bytes > (1u << 28)) {
    context.instruction = nullptr;
    return context.fail("function '" + std::string(context.current->name) +
                        "' has too many registers");
  }
  context.frameBytes = uint32_t(bytes);
  context.scratchRef = 0;
  context.slots.clear();
  for (uint32_t place : places)
    context.slots.push_back(place | BaseFrame);
  for (auto *list : {&out.parameters, &out.results})
    for (ParameterPlace &place : *list)
      if (place.inRegister)
        place.reg = context.slots[place.reg];

  watches.clear();
  context.updates.clear();
  context.guesses.clear();
  if (watched) {
    watches.collect(context);
    context.updates = findUpdates(*context.current);
    context.guesses = findGuesses(*context.current, flow);
  }
  std::vector<uint32_t> pcOfInstruction(context.current->body.size() + 1,
                                        kNone);
  size_t firstInst = context.code->insts.size();
  out.entry = uint32_t(firstInst);
  out.firstNumber = context.numbered;
  size_t firstTarget = context.code->targets.size();
  // Jumps of the blocks, and what leads to latches in place of their headers.
  std::vector<std::pair<size_t, uint32_t>> endOfBlock; // instructions, block
  std::vector<uint32_t> pcOfLatch(flow.latches.size(), kNone);
  size_t latch = 0;
  for (size_t i = 0; i < flow.order.size(); ++i) {
    const Block &block = flow.blocks[flow.order[i]];
    pcOfInstruction[block.begin] = uint32_t(context.code->insts.size());
    for (context.pc = block.begin; context.pc < block.end; ++context.pc) {
      context.instruction = &context.current->body[context.pc];
      if (!watches.empty())
        watches.emit(context);
      if (!decode(*context.instruction))
        return false;
    }
    uint32_t next = flow.order[i] + 1;
    if (block.fallsThrough) {
      bool latchFollows =
          latch < flow.latches.size() && flow.latches[latch].after == i;
      if (i + 1 == flow.order.size() || flow.order[i + 1] != next ||
          latchFollows) {
        Inst &jump = context.emit(nullptr, {}, Flow::Jump);
        jump.guard = kNone;
        jump.target = flow.blocks[next].begin;
      }
    } else if (flow.order[i] + 1 == flow.blocks.size()) {
      // Running off the end returns.
      Inst &ret = context.emit(nullptr, {}, Flow::Return);
      ret.guard = kNone;
    }
    endOfBlock.push_back({context.code->insts.size(), flow.order[i]});
    for (; latch < flow.latches.size() && flow.latches[latch].after == i;
         ++latch) {
      pcOfLatch[latch] = uint32_t(context.code->insts.size());
      Inst &jump = context.emit(nullptr, {}, Flow::Jump);
      jump.guard = kNone;
      jump.target = flow.blocks[flow.latches[latch].header].begin;
      endOfBlock.push_back({context.code->insts.size(), kNone});
    }
  }
  out.end = uint32_t(context.code->insts.size());
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> latchOf; // source, target
  for (size_t i = 0; i < flow.latches.size(); ++i)
    for (uint32_t from : flow.latches[i].sources)
      latchOf[{from, flow.blocks[flow.latches[i].header].begin}] = pcOfLatch[i];
  for (size_t i = firstInst, b = 0; i < context.code->insts.size(); ++i) {
    while (i >= endOfBlock[b].first)
      ++b;
    Inst &inst = context.code->insts[i];
    if (inst.flow != Flow::Jump && inst.flow != Flow::Branch)
      continue;
    auto found = latchOf.find({endOfBlock[b].second, inst.target});
    inst.target =
        found != latchOf.end() ? found->second : pcOfInstruction[inst.target];
  }
  for (size_t i = firstTarget; i < context.code->targets.size(); ++i)
    context.code->targets[i] = pcOfInstruction[context.code->targets[i]];
  context.code->numbers.resize(context.code->insts.size(), kNone);
  context.numbered += uint32_t(context.current->body.size());
  out.registerBytes = uint32_t(alignTo(context.frameBytes, 64));
  return true;
}

/// Decodes an instruction by the first part of its opcode.
using Method = bool (*)(DecodeContext &, std::string_view, Modifiers &);

/// Returns which method decodes an instruction, by the first part of its
/// opcode.
static const std::unordered_map<std::string_view, Method> &methods() {
  static const std::unordered_map<std::string_view, Method> methods = [] {
    std::unordered_map<std::string_view, Method> map;
    auto add = [&](Method method,
                   std::initializer_list<std::string_view> roots) {
      for (std::string_view root : roots)
        map[root] = method;
    };
    add(decodeArithmetic,
        {"add", "sub", "mul", "mad", "fma",  "div",      "rem",
         "abs", "neg", "min", "max", "sqrt", "rcp",      "rsqrt",
         "sin", "cos", "lg2", "ex2", "tanh", "copysign", "testp"});
    add(decodeInteger,
        {"mul24", "mad24", "sad",  "popc", "clz",  "bfind", "brev",
         "bfe",   "bfi",   "prmt", "lop3", "shf",  "dp4a",  "dp2a",
         "bmsk",  "szext", "fns",  "addc", "subc", "madc"});
    add(decodeVideo,
        {"vadd",  "vsub",  "vabsdiff",  "vmin",  "vmax",  "vset",
         "vshl",  "vshr",  "vmad",      "vadd2", "vsub2", "vabsdiff2",
         "vmin2", "vmax2", "vavrg2",    "vset2", "vadd4", "vsub4",
         "vmin4", "vmax4", "vabsdiff4", "vset4", "vavrg4"});
    add(decodeStack, {"alloca", "stacksave", "stackrestore"});
    add(decodeLogic, {"and", "or", "xor", "not", "cnot", "shl", "shr"});
    add(decodeCompare, {"setp", "set"});
    add(decodeSelect, {"selp", "slct"});
    add(decodeAccess, {"ld", "ldu", "st"});
    add(decodeAtomic, {"atom", "red"});
    add(decodeMatrixAccess, {"ldmatrix", "stmatrix"});
    add(decodeMatrixMove, {"movmatrix"});
    add(decodeAddress, {"cvta", "isspacep"});
    add(decodeControl, {"bra", "brx", "ret", "exit", "trap", "brkpt"});
    add(decodeWmma, {"wmma"});
    add(decodeBarrier, {"bar", "barrier"});
    add(decodeMbarrier, {"mbarrier"});
    add(decodeCluster, {"mapa", "getctarank"});
    add(decodeWgmma, {"wgmma"});
    add(decodeTensorMap, {"tensormap"});
    add(decodeWarp, {"shfl", "vote", "match", "redux", "activemask", "elect"});
    add(decodeFence, {"membar", "fence"});
    add(decodeHint,
        {"nanosleep", "prefetch", "prefetchu", "pmevent", "griddepcontrol",
         "setmaxnreg", "applypriority", "discard", "createpolicy"});
    return map;
  }();
  return methods;
}

/// Fails if an instruction has operands that video instructions alone have:
/// parts of registers and negated ones.
static bool checkOperands(DecodeContext &context, const Instruction &inst) {
  const Operand *selected = nullptr, *minus = nullptr;
  forEachOperand(inst.operands, [&](const Operand &operand) {
    if (!operand.selector.empty())
      selected = &operand;
    if (operand.minus)
      minus = &operand;
  });
  if (selected)
    return context.fail("'" + std::string(selected->name.substr(0, 80)) +
                        "': only video instructions have selectors");
  if (minus)
    return context.fail("'-" + std::string(minus->name.substr(0, 80)) +
                        "': only vmad negates operands");
  return true;
}

bool Decoder::decode(const Instruction &inst) {
  auto known = methods().find(inst.root);
  if ((known == methods().end() || known->second != decodeVideo) &&
      !checkOperands(context, inst))
    return false;
  size_t before = context.code->insts.size();
  Modifiers modifiers(inst);
  bool ok;
  if (inst.root == "cvt")
    ok = decodeConvert(context, modifiers);
  else if (inst.root == "mov")
    ok = decodeMove(context, modifiers);
  else if (inst.root == "cp")
    ok = decodeAsync(context, modifiers);
  else if (inst.root == "mma")
    ok = decodeMma(context, modifiers);
  else if (inst.root == "call")
    ok = decodeCall(context, modifiers);
  else {
    if (known == methods().end())
      return context.unsupported();
    ok = known->second(context, inst.root, modifiers);
  }
  if (!ok) {
    if (context.error.message.empty())
      return context.unsupported();
    return false;
  }
  if (!modifiers.empty())
    return context.unsupported();
  if (std::string missing =
          context.module.target ? missingTarget(context.module, inst) : "";
      !missing.empty())
    return context.fail(missing + ", and the module has sm_" +
                        std::to_string(context.module.target) +
                        (context.module.targetSuffix
                             ? std::string(1, context.module.targetSuffix)
                             : std::string()));
  // The guard holds for everything that the instruction became; hidden parts
  // run for all lanes, which is harmless.
  std::vector<uint32_t> &numbers = context.code->numbers;
  numbers.resize(context.code->insts.size(), kNone);
  bool isFirst = true;
  for (size_t i = before; i < context.code->insts.size(); ++i) {
    Inst &made = context.code->insts[i];
    if (made.flow != Flow::Hidden) {
      if (isFirst && made.flow != Flow::Jump)
        numbers[i] = context.numbered + context.pc;
      isFirst = false;
      made.step = stepKind(inst);
      made.passesL1 = passesL1(inst);
    }
    if (inst.guard != kNone && made.flow != Flow::Hidden) {
      made.guard = context.slots[inst.guard];
      made.guardFlip = inst.guardNegated ? ~0u : 0;
    }
  }
  return true;
}
