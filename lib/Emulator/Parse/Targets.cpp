//===- Targets.cpp - Which target has which instruction -------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The "Target ISA Notes" of the PTX ISA, as ptxas enforces them:
// unittests/Emulator/TargetsTest.cpp compares. Targets before sm_70 are taken
// for it.
//
//===----------------------------------------------------------------------===//

#include "Emulator/Parse/Targets.h"

#include <algorithm>
#include <unordered_map>

using namespace fusion::emulator;

namespace {

/// From an architecture on; on it alone and only where its features that no
/// later one has are asked for (sm_90a); in its family where such are (sm_100a,
/// sm_103f); from it on where such are (sm_90a, sm_100a, sm_100f).
enum Kind : uint8_t { Onwards, Only, Family, Specific };

/// The families of PTX ISA, ".target": sm_100 and sm_103 are one, sm_101 (now
/// sm_110) is none of it.
bool isOfFamily(unsigned target, unsigned arch) {
  return target >= arch && target / 10 == arch / 10 && target != 101;
}

struct Need {
  unsigned arch;
  Kind kind;

  bool isMetBy(const Module &module) const {
    switch (kind) {
    case Onwards:
      return module.target >= arch;
    case Only:
      return module.target == arch && module.targetSuffix == 'a';
    case Family:
      return isOfFamily(module.target, arch) && module.targetSuffix;
    case Specific:
      return module.target >= arch && module.targetSuffix;
    }
    return false;
  }
  std::string name() const {
    return "sm_" + std::to_string(arch) + (kind == Onwards ? "" : "a");
  }
  bool isBeyond(const Need &other) const {
    return arch != other.arch ? arch > other.arch : kind > other.kind;
  }
};

/// What an instruction looks like, its first word (*: any), and what must then
/// be true of it: it has the modifier `m`; has none of that name (`!m`), one
/// with `m` in it (`~m`), ends with the modifiers `=m.n`, or has at least `#n`
/// operands.
struct Rule {
  std::string_view form;
  Need need;
};

constexpr Rule kRules[] = {
    {"mma", {70, Onwards}},
    {"wmma", {70, Onwards}},
    {"ldmatrix", {75, Onwards}},
    {"movmatrix", {75, Onwards}},
    {"mma m8n8k16", {75, Onwards}},
    {"mma m8n8k32", {75, Onwards}},
    {"mma m8n8k128", {75, Onwards}},
    {"mma m16n8k8", {75, Onwards}},
    {"mma m16n8k4", {80, Onwards}},
    {"mma m16n8k16", {80, Onwards}},
    {"mma m16n8k32", {80, Onwards}},
    {"mma m16n8k64", {80, Onwards}},
    {"mma m16n8k128", {80, Onwards}},
    {"mma m16n8k256", {80, Onwards}},
    {"mma bf16", {80, Onwards}},
    {"mma tf32", {80, Onwards}},
    {"mma f64", {80, Onwards}},
    {"mma and", {80, Onwards}},
    {"mma sp", {80, Onwards}},
    {"mma sp::ordered_metadata", {80, Onwards}},
    {"mma e4m3", {89, Onwards}},
    {"mma e5m2", {89, Onwards}},
    {"mma f64 m16n8k4", {90, Onwards}},
    {"mma f64 m16n8k8", {90, Onwards}},
    {"mma f64 m16n8k16", {90, Onwards}},
    {"wmma bf16", {80, Onwards}},
    {"wmma tf32", {80, Onwards}},
    {"wmma f64", {80, Onwards}},
    {"wmma and", {80, Onwards}},
    {"stmatrix", {90, Onwards}},
    {"wgmma", {90, Only}},
    {"setmaxnreg", {90, Specific}},
    {"tensormap replace", {90, Specific}},
    {"tensormap swizzle_atomicity", {100, Specific}},
    {"tensormap", {90, Onwards}},
    {"cp async", {80, Onwards}},
    {"cp async bulk", {90, Onwards}},
    {"cp reduce", {90, Onwards}},
    {"mbarrier", {80, Onwards}},
    {"mbarrier try_wait", {90, Onwards}},
    {"mbarrier expect_tx", {90, Onwards}},
    {"mbarrier complete_tx", {90, Onwards}},
    {"mbarrier relaxed", {90, Onwards}},
    {"mbarrier arrive !noComplete #3", {90, Onwards}},
    {"mbarrier arrive_drop !noComplete #3", {90, Onwards}},
    {"st async", {90, Onwards}},
    {"red async", {90, Onwards}},
    {"mapa", {90, Onwards}},
    {"getctarank", {90, Onwards}},
    {"elect", {90, Onwards}},
    {"griddepcontrol", {90, Onwards}},
    {"barrier cluster", {90, Onwards}},
    {"* cluster", {90, Onwards}},
    {"* ~::cluster", {90, Onwards}},
    {"fence mbarrier_init", {90, Onwards}},
    {"fence async", {90, Onwards}},
    {"fence ~sync_restrict", {90, Onwards}},
    {"fence ~tensormap::", {90, Onwards}},
    {"fence ~async::", {90, Onwards}},
    {"prefetch tensormap", {90, Onwards}},
    {"prefetch ~evict", {80, Onwards}},
    {"applypriority", {80, Onwards}},
    {"discard", {80, Onwards}},
    {"createpolicy", {80, Onwards}},
    {"redux", {80, Onwards}},
    {"redux f32", {100, Family}},
    {"* L2::cache_hint", {80, Onwards}},
    {"ld L2::256B", {80, Onwards}},
    {"cp L2::256B", {80, Onwards}},
    {"fma bf16", {80, Onwards}},
    {"fma bf16x2", {80, Onwards}},
    {"fma relu", {80, Onwards}},
    {"fma oob", {90, Onwards}},
    {"add f32 f16", {100, Onwards}},
    {"add f32 bf16", {100, Onwards}},
    {"sub f32 f16", {100, Onwards}},
    {"sub f32 bf16", {100, Onwards}},
    {"fma f32 f16", {100, Onwards}},
    {"fma f32 bf16", {100, Onwards}},
    {"min f16", {80, Onwards}},
    {"min f16x2", {80, Onwards}},
    {"min bf16", {80, Onwards}},
    {"min bf16x2", {80, Onwards}},
    {"max f16", {80, Onwards}},
    {"max f16x2", {80, Onwards}},
    {"max bf16", {80, Onwards}},
    {"max bf16x2", {80, Onwards}},
    {"neg bf16", {80, Onwards}},
    {"neg bf16x2", {80, Onwards}},
    {"abs bf16", {80, Onwards}},
    {"abs bf16x2", {80, Onwards}},
    {"min NaN", {80, Onwards}},
    {"max NaN", {80, Onwards}},
    {"min xorsign", {86, Onwards}},
    {"max xorsign", {86, Onwards}},
    {"min relu s32", {90, Onwards}},
    {"max relu s32", {90, Onwards}},
    {"min relu s16x2", {90, Onwards}},
    {"max relu s16x2", {90, Onwards}},
    {"min s16x2", {90, Onwards}},
    {"min u16x2", {90, Onwards}},
    {"max s16x2", {90, Onwards}},
    {"max u16x2", {90, Onwards}},
    {"add s16x2", {90, Onwards}},
    {"add u16x2", {90, Onwards}},
    {"add bf16", {90, Onwards}},
    {"add bf16x2", {90, Onwards}},
    {"sub bf16", {90, Onwards}},
    {"sub bf16x2", {90, Onwards}},
    {"mul bf16", {90, Onwards}},
    {"mul bf16x2", {90, Onwards}},
    {"ex2 bf16", {90, Onwards}},
    {"ex2 bf16x2", {90, Onwards}},
    {"tanh bf16", {90, Onwards}},
    {"tanh bf16x2", {90, Onwards}},
    {"set bf16", {90, Onwards}},
    {"set bf16x2", {90, Onwards}},
    {"setp bf16", {90, Onwards}},
    {"setp bf16x2", {90, Onwards}},
    {"cvt bf16", {80, Onwards}},
    {"cvt bf16x2", {80, Onwards}},
    {"cvt f16x2", {80, Onwards}},
    {"cvt tf32", {80, Onwards}},
    {"cvt e4m3x2", {89, Onwards}},
    {"cvt e5m2x2", {89, Onwards}},
    {"cvt tf32 rn", {90, Onwards}},
    {"cvt tf32 rz", {90, Onwards}},
    {"cvt bf16 f16", {90, Onwards}},
    {"cvt bf16 f64", {90, Onwards}},
    {"cvt bf16 s16", {90, Onwards}},
    {"cvt bf16 u16", {90, Onwards}},
    {"cvt bf16 s32", {90, Onwards}},
    {"cvt bf16 u32", {90, Onwards}},
    {"cvt bf16 s64", {90, Onwards}},
    {"cvt bf16 u64", {90, Onwards}},
    {"cvt bf16 s8", {90, Onwards}},
    {"cvt bf16 u8", {90, Onwards}},
    {"cvt ftz =f32.bf16", {90, Onwards}},
    {"cvt =bf16.bf16", {90, Onwards}},
    {"cvt bf16 sat", {90, Onwards}},
    {"atom b128", {90, Onwards}},
    {"atom bf16", {90, Onwards}},
    {"atom bf16x2", {90, Onwards}},
    {"red bf16", {90, Onwards}},
    {"red bf16x2", {90, Onwards}},
    {"atom v2", {90, Onwards}},
    {"atom v4", {90, Onwards}},
    {"atom v8", {90, Onwards}},
    {"red v2", {90, Onwards}},
    {"red v4", {90, Onwards}},
    {"red v8", {90, Onwards}},
    {"cvt relu", {80, Onwards}},
    {"add f32x2", {100, Onwards}},
    {"sub f32x2", {100, Onwards}},
    {"mul f32x2", {100, Onwards}},
    {"fma f32x2", {100, Onwards}},
    {"cvt tf32 satfinite rn", {100, Onwards}},
    {"cp cp_mask", {100, Onwards}},
    {"min f32 #4", {100, Onwards}},
    {"max f32 #4", {100, Onwards}},
};

/// Special registers by how their names begin.
constexpr Rule kRegisters[] = {
    {"%cluster", {90, Onwards}},
    {"%nclusterid", {90, Onwards}},
    {"%is_explicit_cluster", {90, Onwards}},
    {"%aggr_smem_size", {90, Onwards}},
    {"%reserved_smem_offset", {80, Onwards}},
};

std::string_view nextWord(std::string_view &text) {
  std::string_view word = text.substr(0, text.find(' '));
  text.remove_prefix(std::min(text.size(), word.size() + 1));
  return word;
}

bool fits(const Instruction &inst, std::string_view form) {
  const auto &modifiers = inst.modifiers;
  auto has = [&](std::string_view text) {
    return std::find(modifiers.begin(), modifiers.end(), text) !=
           modifiers.end();
  };
  auto contains = [&](std::string_view text) {
    return std::any_of(modifiers.begin(), modifiers.end(),
                       [&](std::string_view modifier) {
                         return modifier.find(text) != std::string_view::npos;
                       });
  };
  nextWord(form);
  while (!form.empty()) {
    std::string_view word = nextWord(form), rest = word.substr(1);
    bool holds;
    switch (word[0]) {
    case '!':
      holds = !has(rest);
      break;
    case '~':
      holds = contains(rest);
      break;
    case '=':
      holds = inst.opcode.size() > rest.size() &&
              inst.opcode.substr(inst.opcode.size() - rest.size()) == rest;
      break;
    case '#':
      holds = inst.operands.size() >= size_t(rest[0] - '0');
      break;
    default:
      holds = has(word);
      break;
    }
    if (!holds)
      return false;
  }
  return true;
}

const std::vector<const Rule *> &rulesOf(std::string_view root) {
  static const auto rules = [] {
    std::unordered_map<std::string_view, std::vector<const Rule *>> byRoot;
    for (const Rule &rule : kRules) {
      std::string_view form = rule.form;
      byRoot[nextWord(form)].push_back(&rule);
    }
    return byRoot;
  }();
  static const std::vector<const Rule *> none;
  auto it = rules.find(root);
  return it == rules.end() ? none : it->second;
}

} // namespace

bool fusion::emulator::isTarget(unsigned number, std::string_view suffix) {
  // With the suffixes that it has: a, of itself alone; f, of its family.
  static constexpr std::pair<unsigned, std::string_view> targets[] = {
      {10, ""},    {11, ""},    {12, ""},    {13, ""},    {20, ""},
      {21, ""},    {30, ""},    {32, ""},    {35, ""},    {37, ""},
      {50, ""},    {52, ""},    {53, ""},    {60, ""},    {61, ""},
      {62, ""},    {70, ""},    {72, ""},    {75, ""},    {80, ""},
      {82, ""},    {86, ""},    {87, ""},    {88, ""},    {89, ""},
      {90, "a"},   {100, "af"}, {101, "af"}, {103, "af"}, {110, "af"},
      {120, "af"}, {121, "af"}};
  auto it = std::find_if(std::begin(targets), std::end(targets),
                         [&](const auto &t) { return t.first == number; });
  return it != std::end(targets) &&
         (suffix.empty() || (suffix.size() == 1 && it->second.find(suffix) !=
                                                       std::string_view::npos));
}

std::string fusion::emulator::missingTarget(const Module &module,
                                            const Instruction &inst) {
  const Need *worst = nullptr;
  std::string_view who;
  auto consider = [&](const Rule &rule, std::string_view name) {
    if (rule.need.isMetBy(module) || (worst && !rule.need.isBeyond(*worst)))
      return;
    worst = &rule.need;
    who = name;
  };
  for (std::string_view root : {inst.root, std::string_view("*")})
    for (const Rule *rule : rulesOf(root))
      if (fits(inst, rule->form))
        consider(*rule, inst.opcode);
  for (const Operand &operand : inst.operands)
    if (operand.kind == Operand::Kind::Special)
      for (const Rule &rule : kRegisters)
        if (operand.name.substr(0, rule.form.size()) == rule.form)
          consider(rule, operand.name);
  if (!worst)
    return "";
  return "'" + std::string(who.substr(0, 120)) + "' needs .target " +
         worst->name();
}
