//===- DecodeSpecial.cpp - Decoding of special registers ------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emulator/Decode/DecodeContext.h"
#include "Emulator/Execute/HandlersConvert.h"
#include "Emulator/Execute/HandlersMisc.h"

using namespace fusion::emulator;

/// Special registers that hold nothing: fourth elements, performance monitors
/// (PTX ISA: undefined), and what the driver may set and does not.
static bool readsZero(std::string_view name) {
  auto isOneOf = [name](std::string_view prefix, std::string_view suffix,
                        unsigned count) {
    if (name.size() < prefix.size() + suffix.size() + 1 ||
        name.substr(0, prefix.size()) != prefix ||
        name.substr(name.size() - suffix.size()) != suffix)
      return false;
    std::string_view digits = name.substr(prefix.size());
    digits.remove_suffix(suffix.size());
    unsigned number = 0;
    for (char c : digits) {
      if (c < '0' || c > '9' || number > count)
        return false;
      number = number * 10 + unsigned(c - '0');
    }
    return number < count && (digits.size() == 1 || digits[0] != '0');
  };
  static constexpr std::string_view vectors[] = {
      "%tid",       "%ntid",       "%ctaid",         "%nctaid",
      "%clusterid", "%nclusterid", "%cluster_ctaid", "%cluster_nctaid"};
  for (std::string_view vector : vectors)
    if (name.size() == vector.size() + 2 &&
        name.substr(0, vector.size()) == vector &&
        name.substr(vector.size()) == ".w")
      return true;
  // No kernel is launched as part of a graph.
  return isOneOf("%pm", "", 8) || isOneOf("%pm", "_64", 8) ||
         name == "%current_graph_exec" || isOneOf("%envreg", "", 32);
}

static bool findSpecial(std::string_view name, Special &which) {
  static const std::unordered_map<std::string_view, Special> names = {
      {"%tid.x", Special::TidX},
      {"%tid.y", Special::TidY},
      {"%tid.z", Special::TidZ},
      {"%ntid.x", Special::NtidX},
      {"%ntid.y", Special::NtidY},
      {"%ntid.z", Special::NtidZ},
      {"%ctaid.x", Special::CtaidX},
      {"%ctaid.y", Special::CtaidY},
      {"%ctaid.z", Special::CtaidZ},
      {"%nctaid.x", Special::NctaidX},
      {"%nctaid.y", Special::NctaidY},
      {"%nctaid.z", Special::NctaidZ},
      {"%laneid", Special::LaneId},
      {"%warpid", Special::WarpId},
      {"%nwarpid", Special::NwarpId},
      {"%smid", Special::SmId},
      {"%nsmid", Special::NsmId},
      {"%lanemask_eq", Special::LanemaskEq},
      {"%lanemask_le", Special::LanemaskLe},
      {"%lanemask_lt", Special::LanemaskLt},
      {"%lanemask_ge", Special::LanemaskGe},
      {"%lanemask_gt", Special::LanemaskGt},
      {"%dynamic_smem_size", Special::DynamicSmemSize},
      {"%total_smem_size", Special::TotalSmemSize},
      {"%aggr_smem_size", Special::AggrSmemSize},
      {"%clusterid.x", Special::ClusterIdX},
      {"%clusterid.y", Special::ClusterIdY},
      {"%clusterid.z", Special::ClusterIdZ},
      {"%nclusterid.x", Special::NclusterIdX},
      {"%nclusterid.y", Special::NclusterIdY},
      {"%nclusterid.z", Special::NclusterIdZ},
      {"%cluster_ctaid.x", Special::ClusterCtaidX},
      {"%cluster_ctaid.y", Special::ClusterCtaidY},
      {"%cluster_ctaid.z", Special::ClusterCtaidZ},
      {"%cluster_nctaid.x", Special::ClusterNctaidX},
      {"%cluster_nctaid.y", Special::ClusterNctaidY},
      {"%cluster_nctaid.z", Special::ClusterNctaidZ},
      {"%cluster_ctarank", Special::ClusterCtarank},
      {"%cluster_nctarank", Special::ClusterNctarank},
      {"%reserved_smem_offset_begin", Special::ReservedSmemBegin},
      {"%reserved_smem_offset_end", Special::ReservedSmemEnd},
      {"%reserved_smem_offset_cap", Special::ReservedSmemCap},
      {"%reserved_smem_offset_0", Special::ReservedSmem0},
      {"%reserved_smem_offset_1", Special::ReservedSmem1},
      // What cooperative_groups/details/driver_abi.h reads.
      {"%envreg1", Special::GridWorkspaceHigh},
      {"%envreg2", Special::GridWorkspaceLow},
      {"%gridid", Special::GridId}};
  auto it = names.find(name);
  which = it == names.end() ? Special::Zero : it->second;
  return it != names.end() || readsZero(name);
}

bool DecodeContext::specialByName(std::string_view name, Ref &ref) const {
  Special which;
  if (!findSpecial(name, which))
    return false;
  ref = special(which);
  if (which == Special::GridWorkspaceLow || which == Special::GridWorkspaceHigh)
    code->hasGridWorkspace = true;
  return true;
}

/// Widths in bytes, of which there may be several, as ptxas has them: early PTX
/// had registers of 16 bits for threads and blocks.
static bool hasWidth(std::string_view name, unsigned bytes) {
  auto endsWith64 = name.size() > 3 && name.substr(name.size() - 3) == "_64";
  if (name == "%clock64" || name == "%globaltimer" ||
      name == "%current_graph_exec" || endsWith64)
    return bytes == 8;
  if (name == "%gridid")
    return bytes == 2 || bytes == 4 || bytes == 8;
  std::string_view base = name.substr(0, name.find('.'));
  if (base == "%tid" || base == "%ntid" || base == "%ctaid" ||
      base == "%nctaid")
    return bytes == 2 || bytes == 4;
  return bytes == 4;
}

static bool isClock(std::string_view name) {
  return name == "%clock" || name == "%clock_hi" || name == "%clock64" ||
         name == "%globaltimer" || name == "%globaltimer_lo" ||
         name == "%globaltimer_hi";
}

bool DecodeContext::isSpecial(std::string_view name) {
  Special which;
  return name == "%is_explicit_cluster" || isClock(name) ||
         findSpecial(name, which);
}

bool DecodeContext::specialSource(std::string_view name, Type type, Ref &ref) {
  std::string shown = "'" + std::string(name.substr(0, 80)) + "'";
  auto wrongType = [&] {
    return fail(shown + " has the wrong type for '" +
                std::string(instruction->opcode.substr(0, 120)) + "'");
  };
  if (name == "%is_explicit_cluster") {
    ref = special(Special::IsExplicitCluster);
    return type == Type::Pred || wrongType();
  }
  bool isTime = isClock(name);
  bool isHigh = name == "%clock_hi" || name == "%globaltimer_hi";
  Ref word = 0;
  if (!isTime && !specialByName(name, word))
    return fail(isSpecial(std::string(name) + ".x")
                    ? shown + " is a vector, of which '" + std::string(name) +
                          ".x' is an element"
                    : "unknown register " + shown);
  unsigned bytes = bytesOf(type);
  if (type == Type::Pred || isFloatLike(type) || !hasWidth(name, bytes))
    return wrongType();
  if (isTime) {
    ref = scratch(kLanes * bytes);
    Inst &inst = emit(clockHandler(), {ref}, Flow::Hidden);
    inst.a = uint8_t(bytes);
    inst.b = isHigh ? 32 : 0;
    return true;
  }
  ref = word;
  if (bytes == 4)
    return true;
  ref = scratch(kLanes * bytes);
  Inst &inst = emit(convertAnyHandler(), {ref, word}, Flow::Hidden);
  inst.c = uint8_t(bytes == 8 ? Type::U64 : Type::U16);
  inst.d = uint8_t(Type::U32);
  inst.imm = bytes | 4 << 8;
  return true;
}
