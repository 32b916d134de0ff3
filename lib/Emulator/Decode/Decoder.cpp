//===- Decoder.cpp - From syntax to executable instructions ---------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emulator/Decode/Decoder.h"

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

bool Decoder::fail(const std::string &message) {
  error.message = message;
  error.line = instruction ? instruction->line : 0;
  return false;
}

bool Decoder::unsupported() {
  return fail("unknown or unsupported instruction '" +
              std::string(instruction->opcode.substr(0, 120)) + "'");
}

static void forEachOperand(const std::vector<Operand> &operands,
                           const std::function<void(const Operand &)> &visit) {
  for (const Operand &operand : operands) {
    visit(operand);
    forEachOperand(operand.elements, visit);
  }
}

bool Decoder::collectFunctions(uint32_t kernel) {
  functionOf.assign(module.functions.size(), kNone);
  functions.push_back(kernel);
  functionOf[kernel] = 0;
  auto reach = [&](uint32_t index) {
    const Function &callee = module.functions[index];
    if (!callee.hasBody)
      // printf writes to a buffer that is never read here.
      return callee.name == "vprintf" || callee.name == "__assertfail" ||
             callee.name == "malloc" || callee.name == "free" ||
             fail("function '" + std::string(callee.name) +
                  "' is not defined in this module");
    if (functionOf[index] == kNone) {
      functionOf[index] = uint32_t(functions.size());
      functions.push_back(index);
    }
    return true;
  };
  // Tables of functions, such as virtual ones, may name other tables.
  std::vector<bool> seen(module.variables.size());
  auto reachTables = [&](uint32_t variable) {
    std::vector<uint32_t> tables{variable};
    while (!tables.empty()) {
      uint32_t table = tables.back();
      tables.pop_back();
      if (seen[table])
        continue;
      seen[table] = true;
      for (const auto &relocation : module.variables[table].relocations)
        if (relocation.function == kNone)
          tables.push_back(relocation.variable);
        else if (!reach(relocation.function))
          return false;
    }
    return true;
  };
  for (size_t i = 0; i < functions.size(); ++i)
    for (const Instruction &inst : module.functions[functions[i]].body) {
      bool ok = true;
      instruction = &inst;
      forEachOperand(inst.operands, [&](const Operand &operand) {
        if (operand.kind == Operand::Kind::Function)
          ok = ok && reach(operand.index);
        else if (operand.kind == Operand::Kind::Variable)
          ok = ok && reachTables(operand.index);
      });
      if (!ok)
        return false;
    }
  instruction = nullptr;
  code->functionOf = functionOf;
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
    for (const Instruction &inst : module.functions[function].body)
      forEachOperand(inst.operands, [&](const Operand &operand) {
        if (operand.kind == Operand::Kind::Variable &&
            module.variables[operand.index].space == Space::Shared)
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
      code->reservedSharedBytes = kReserved;
  };
  for (uint32_t function : functions)
    for (const Instruction &inst : module.functions[function].body)
      forEachOperand(inst.operands, reserve);
  offset = code->reservedSharedBytes;
  for (uint32_t index : used) {
    const Variable &variable = module.variables[index];
    if (!variable.bytes) {
      dynamicAlignment = std::max(dynamicAlignment, variable.alignment);
      continue;
    }
    offset = alignTo(offset, variable.alignment);
    sharedOffsets[index] = uint32_t(offset);
    offset += variable.bytes;
  }
  if (offset > (1u << 30))
    return fail("too much shared memory");
  code->staticShared = uint32_t(offset);
  code->dynamicSharedOffset = uint32_t(alignTo(offset, dynamicAlignment));
  for (uint32_t index : used)
    if (!module.variables[index].bytes)
      sharedOffsets[index] = code->dynamicSharedOffset;
  return true;
}

/// Places parameters and local variables in a frame.
bool Decoder::layoutFunction(uint32_t index) {
  const Function &function = module.functions[functions[index]];
  CodeFunction &out = code->functions[index];
  out.source = &function;
  uint64_t parameterBytes = 0, localBytes = 0;
  auto place = [&](uint32_t variable, uint64_t &bytes) {
    const Variable &v = module.variables[variable];
    bytes = alignTo(bytes, v.alignment);
    frameOffsets[variable] = uint32_t(bytes);
    bytes += v.bytes;
  };
  auto formal = [&](const Formal &f, std::vector<ParameterPlace> &list) {
    ParameterPlace p;
    if (f.variable != kNone) {
      place(f.variable, parameterBytes);
      p.offset = frameOffsets[f.variable];
      p.bytes = uint32_t(module.variables[f.variable].bytes);
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
        return fail("a kernel's parameters are in .param space");
      place(f.variable, entryBytes);
      code->entryParameterOffsets.push_back(frameOffsets[f.variable]);
    }
    code->entryParameterBytes = uint32_t(entryBytes);
  } else {
    for (const Formal &f : function.parameters)
      formal(f, out.parameters);
    for (const Formal &f : function.results)
      formal(f, out.results);
  }
  for (uint32_t variable : function.variables) {
    if (frameOffsets.count(variable))
      continue;
    Space space = module.variables[variable].space;
    if (space == Space::Param)
      place(variable, parameterBytes);
    else if (space == Space::Local)
      place(variable, localBytes);
  }
  if (parameterBytes > (1u << 20) || localBytes > (1u << 24))
    return fail("function '" + std::string(function.name) +
                "' needs too much local or parameter memory");
  out.parameterBytes = uint32_t(alignTo(parameterBytes, 16));
  out.localBytes = uint32_t(alignTo(localBytes, 16));
  return true;
}

std::unique_ptr<Code> Decoder::run(uint32_t kernel) {
  code = std::make_unique<Code>();
  code->source = &module.functions[kernel];
  if (!collectFunctions(kernel))
    return nullptr;
  if (!layoutShared())
    return nullptr;
  code->functions.resize(functions.size());
  for (uint32_t i = 0; i < functions.size(); ++i)
    if (!layoutFunction(i))
      return nullptr;
  for (uint32_t i = 0; i < functions.size(); ++i)
    if (!decodeFunction(i))
      return nullptr;
  code->constants.reserve(constantBytes.size());
  if (!constantBytes.empty())
    std::memcpy(code->constants.data(), constantBytes.data(),
                constantBytes.size());
  return std::move(code);
}

bool Decoder::decodeFunction(uint32_t index) {
  current = &module.functions[functions[index]];
  currentIndex = index;
  CodeFunction &out = code->functions[index];

  // Place 0 is for sinks, results that are never read. 512 bytes hold 32 lanes
  // of b128.
  ControlFlow flow = analyzeControlFlow(*current);
  uint64_t bytes = 512;
  std::vector<uint32_t> places = allocateRegisters(*current, flow, bytes);
  if (bytes > (1u << 28)) {
    instruction = nullptr;
    return fail("function '" + std::string(current->name) +
                "' has too many registers");
  }
  frameBytes = uint32_t(bytes);
  scratchRef = 0;
  slots.clear();
  for (uint32_t place : places)
    slots.push_back(place | BaseFrame);
  for (auto *list : {&out.parameters, &out.results})
    for (ParameterPlace &place : *list)
      if (place.inRegister)
        place.reg = slots[place.reg];

  collectWatched();
  collectUpdates();
  collectGuesses(flow);
  std::vector<uint32_t> pcOfInstruction(current->body.size() + 1, kNone);
  size_t firstInst = code->insts.size();
  out.entry = uint32_t(firstInst);
  size_t firstTarget = code->targets.size();
  // Jumps of the blocks, and what leads to latches in place of their headers.
  std::vector<std::pair<size_t, uint32_t>> endOfBlock; // instructions, block
  std::vector<uint32_t> pcOfLatch(flow.latches.size(), kNone);
  size_t latch = 0;
  for (size_t i = 0; i < flow.order.size(); ++i) {
    const Block &block = flow.blocks[flow.order[i]];
    pcOfInstruction[block.begin] = uint32_t(code->insts.size());
    for (pc = block.begin; pc < block.end; ++pc) {
      instruction = &current->body[pc];
      if (!watchedRegisters.empty())
        emitWatch();
      if (!decode(*instruction))
        return false;
    }
    uint32_t next = flow.order[i] + 1;
    if (block.fallsThrough) {
      bool latchFollows =
          latch < flow.latches.size() && flow.latches[latch].after == i;
      if (i + 1 == flow.order.size() || flow.order[i + 1] != next ||
          latchFollows) {
        Inst &jump = emit(nullptr, {}, Flow::Jump);
        jump.guard = kNone;
        jump.target = flow.blocks[next].begin;
      }
    } else if (flow.order[i] + 1 == flow.blocks.size()) {
      // Running off the end returns.
      Inst &ret = emit(nullptr, {}, Flow::Return);
      ret.guard = kNone;
    }
    endOfBlock.push_back({code->insts.size(), flow.order[i]});
    for (; latch < flow.latches.size() && flow.latches[latch].after == i;
         ++latch) {
      pcOfLatch[latch] = uint32_t(code->insts.size());
      Inst &jump = emit(nullptr, {}, Flow::Jump);
      jump.guard = kNone;
      jump.target = flow.blocks[flow.latches[latch].header].begin;
      endOfBlock.push_back({code->insts.size(), kNone});
    }
  }
  out.end = uint32_t(code->insts.size());
  std::map<std::pair<uint32_t, uint32_t>, uint32_t> latchOf; // source, target
  for (size_t i = 0; i < flow.latches.size(); ++i)
    for (uint32_t from : flow.latches[i].sources)
      latchOf[{from, flow.blocks[flow.latches[i].header].begin}] = pcOfLatch[i];
  for (size_t i = firstInst, b = 0; i < code->insts.size(); ++i) {
    while (i >= endOfBlock[b].first)
      ++b;
    Inst &inst = code->insts[i];
    if (inst.flow != Flow::Jump && inst.flow != Flow::Branch)
      continue;
    auto found = latchOf.find({endOfBlock[b].second, inst.target});
    inst.target =
        found != latchOf.end() ? found->second : pcOfInstruction[inst.target];
  }
  for (size_t i = firstTarget; i < code->targets.size(); ++i)
    code->targets[i] = pcOfInstruction[code->targets[i]];
  out.registerBytes = uint32_t(alignTo(frameBytes, 64));
  return true;
}

bool Decoder::decode(const Instruction &inst) {
  static const std::unordered_map<std::string_view, Method> methods = [] {
    std::unordered_map<std::string_view, Method> map;
    auto add = [&](Method method,
                   std::initializer_list<std::string_view> roots) {
      for (std::string_view root : roots)
        map[root] = method;
    };
    add(&Decoder::decodeArithmetic,
        {"add", "sub", "mul", "mad", "fma",  "div",      "rem",
         "abs", "neg", "min", "max", "sqrt", "rcp",      "rsqrt",
         "sin", "cos", "lg2", "ex2", "tanh", "copysign", "testp"});
    add(&Decoder::decodeInteger,
        {"mul24", "mad24", "sad",  "popc", "clz",  "bfind", "brev",
         "bfe",   "bfi",   "prmt", "lop3", "shf",  "dp4a",  "dp2a",
         "bmsk",  "szext", "fns",  "addc", "subc", "madc"});
    add(&Decoder::decodeVideo,
        {"vadd",  "vsub",  "vabsdiff",  "vmin",  "vmax",  "vset",
         "vshl",  "vshr",  "vmad",      "vadd2", "vsub2", "vabsdiff2",
         "vmin2", "vmax2", "vavrg2",    "vset2", "vadd4", "vsub4",
         "vmin4", "vmax4", "vabsdiff4", "vset4", "vavrg4"});
    add(&Decoder::decodeStack, {"alloca", "stacksave", "stackrestore"});
    add(&Decoder::decodeLogic,
        {"and", "or", "xor", "not", "cnot", "shl", "shr"});
    add(&Decoder::decodeCompare, {"setp", "set"});
    add(&Decoder::decodeSelect, {"selp", "slct"});
    add(&Decoder::decodeAccess, {"ld", "ldu", "st"});
    add(&Decoder::decodeAtomic, {"atom", "red"});
    add(&Decoder::decodeMatrixAccess, {"ldmatrix", "stmatrix"});
    add(&Decoder::decodeMatrixMove, {"movmatrix"});
    add(&Decoder::decodeAddress, {"cvta", "isspacep"});
    add(&Decoder::decodeControl,
        {"bra", "brx", "ret", "exit", "trap", "brkpt"});
    add(&Decoder::decodeWmma, {"wmma"});
    add(&Decoder::decodeBarrier, {"bar", "barrier"});
    add(&Decoder::decodeMbarrier, {"mbarrier"});
    add(&Decoder::decodeCluster, {"mapa", "getctarank"});
    add(&Decoder::decodeWgmma, {"wgmma"});
    add(&Decoder::decodeTensorMap, {"tensormap"});
    add(&Decoder::decodeWarp,
        {"shfl", "vote", "match", "redux", "activemask", "elect"});
    add(&Decoder::decodeFence, {"membar", "fence"});
    add(&Decoder::decodeHint,
        {"nanosleep", "prefetch", "prefetchu", "pmevent", "griddepcontrol",
         "setmaxnreg", "applypriority", "discard", "createpolicy"});
    return map;
  }();
  auto known = methods.find(inst.root);
  if (known == methods.end() || known->second != &Decoder::decodeVideo) {
    const Operand *selected = nullptr, *minus = nullptr;
    forEachOperand(inst.operands, [&](const Operand &operand) {
      if (!operand.selector.empty())
        selected = &operand;
      if (operand.minus)
        minus = &operand;
    });
    if (selected)
      return fail("'" + std::string(selected->name.substr(0, 80)) +
                  "': only video instructions have selectors");
    if (minus)
      return fail("'-" + std::string(minus->name.substr(0, 80)) +
                  "': only vmad negates operands");
  }
  size_t before = code->insts.size();
  Modifiers modifiers(inst);
  bool ok;
  if (inst.root == "cvt")
    ok = decodeConvert(modifiers);
  else if (inst.root == "mov")
    ok = decodeMove(modifiers);
  else if (inst.root == "cp")
    ok = decodeAsync(modifiers);
  else if (inst.root == "mma")
    ok = decodeMma(modifiers);
  else if (inst.root == "call")
    ok = decodeCall(modifiers);
  else {
    if (known == methods.end())
      return unsupported();
    ok = (this->*known->second)(inst.root, modifiers);
  }
  if (!ok) {
    if (error.message.empty())
      return unsupported();
    return false;
  }
  if (!modifiers.empty())
    return unsupported();
  if (std::string missing = module.target ? missingTarget(module, inst) : "";
      !missing.empty())
    return fail(missing + ", and the module has sm_" +
                std::to_string(module.target) +
                (module.targetSuffix ? std::string(1, module.targetSuffix)
                                     : std::string()));
  // The guard holds for everything that the instruction became; hidden parts
  // run for all lanes, which is harmless.
  for (size_t i = before; i < code->insts.size(); ++i) {
    Inst &made = code->insts[i];
    if (inst.guard != kNone && made.flow != Flow::Hidden) {
      made.guard = slots[inst.guard];
      made.guardFlip = inst.guardNegated ? ~0u : 0;
    }
  }
  return true;
}
