//===- StepKinds.cpp - How instructions are recorded ----------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emulator/Decode/StepKinds.h"

#include <algorithm>

using namespace fusion::emulator;

namespace {

class Opcode {
public:
  explicit Opcode(const Instruction &inst) : inst(inst) {}

  bool has(std::string_view modifier) const {
    return std::find(inst.modifiers.begin(), inst.modifiers.end(), modifier) !=
           inst.modifiers.end();
  }
  /// Returns the first modifier, or an empty text.
  std::string_view first() const {
    return inst.modifiers.empty() ? std::string_view() : inst.modifiers[0];
  }
  /// Returns the place of the first modifier that begins with `prefix`, or the
  /// number of modifiers.
  size_t find(std::string_view prefix) const {
    return size_t(std::find_if(inst.modifiers.begin(), inst.modifiers.end(),
                               [&](std::string_view modifier) {
                                 return modifier.substr(0, prefix.size()) ==
                                        prefix;
                               }) -
                  inst.modifiers.begin());
  }

  StepKind copy() const {
    if (has("prefetch") || !has("async"))
      return StepKind::None;
    if (!has("bulk")) {
      if (has("mbarrier"))
        return StepKind::Mbarrier;
      if (has("commit_group"))
        return StepKind::AsyncCommit;
      if (has("wait_group") || has("wait_all"))
        return StepKind::AsyncWait;
      return StepKind::AsyncCopy;
    }
    if (has("wait_group"))
      return StepKind::TMAWait;
    if (has("commit_group"))
      return StepKind::None;
    // The space of the destination stands first.
    return find("shared") < find("global") ? StepKind::TMALoad
                                           : StepKind::TMAStore;
  }

  StepKind warpgroup() const {
    if (has("mma_async"))
      return StepKind::WarpgroupMma;
    if (has("fence"))
      return StepKind::WarpgroupFence;
    return has("wait_group") ? StepKind::WarpgroupWait : StepKind::None;
  }

  /// A load or store. Other blocks' shared memory has generic addresses.
  StepKind access(StepKind global, StepKind shared) const {
    if (has("shared") || has("shared::cta"))
      return shared;
    bool isPrivate =
        find("param") < inst.modifiers.size() || has("local") || has("const");
    return isPrivate ? StepKind::None : global;
  }

private:
  const Instruction &inst;
};

} // namespace

bool fusion::emulator::passesL1(const Instruction &inst) {
  Opcode opcode(inst);
  if (inst.root == "atom" || inst.root == "red")
    return true;
  for (std::string_view modifier :
       {"cg", "cv", "volatile", "relaxed", "acquire", "mmio", "bulk"})
    if (opcode.has(modifier))
      return true;
  return false;
}

StepKind fusion::emulator::stepKind(const Instruction &inst) {
  Opcode opcode(inst);
  std::string_view root = inst.root;
  if (root == "mma" || (root == "wmma" && opcode.first() == "mma"))
    return StepKind::Mma;
  if (root == "wgmma")
    return opcode.warpgroup();
  if (root == "ldmatrix")
    return StepKind::MatrixLoad;
  if (root == "stmatrix")
    return StepKind::MatrixStore;
  if (root == "cp")
    return opcode.copy();
  if (root == "bar" || root == "barrier")
    return opcode.first() == "cluster" ? StepKind::ClusterBarrier
           : opcode.first() == "warp"  ? StepKind::None
                                       : StepKind::Barrier;
  if (root == "mbarrier")
    return opcode.first() == "pending_count" || opcode.first() == "inval"
               ? StepKind::None
               : StepKind::Mbarrier;
  if (root == "ld" || root == "ldu")
    return opcode.access(StepKind::GlobalLoad, StepKind::SharedLoad);
  if (root == "st")
    return opcode.access(StepKind::GlobalStore, StepKind::SharedStore);
  if (root == "atom" || root == "red")
    return StepKind::Atomic;
  return StepKind::None;
}
