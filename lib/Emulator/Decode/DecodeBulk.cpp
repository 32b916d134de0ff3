//===- DecodeBulk.cpp - Decoding of bulk and tensor copies ----------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emulator/Decode/DecodeBulk.h"

#include "Emulator/Decode/DecodeHints.h"
#include "Emulator/Execute/HandlersBulk.h"
#include "Emulator/Execute/HandlersCluster.h"
#include "Emulator/Execute/HandlersTensorMap.h"

#include <algorithm>

using namespace fusion::emulator;

namespace {

/// Where a copy goes and comes from: the first and the second space named.
enum class Side : uint8_t { None, Global, Shared, Cluster };

Side takeSide(Modifiers &modifiers) {
  switch (modifiers.takeOneOf({"global", "shared::cta", "shared::cluster"})) {
  case 0:
    return Side::Global;
  case 1:
    return Side::Shared;
  case 2:
    return Side::Cluster;
  default:
    return Side::None;
  }
}

int takeReduction(Modifiers &modifiers) {
  static const AtomicOp operations[] = {
      AtomicOp::Add, AtomicOp::Min, AtomicOp::Max, AtomicOp::Inc,
      AtomicOp::Dec, AtomicOp::And, AtomicOp::Or,  AtomicOp::Xor};
  int i = modifiers.takeOneOf(
      {"add", "min", "max", "inc", "dec", "and", "or", "xor"});
  return i < 0 ? -1 : int(operations[i]);
}

} // namespace

/// cp.async.bulk.commit_group, cp.async.bulk.wait_group{.read} n
static bool decodeBulkGroup(DecodeContext &context, Modifiers &modifiers) {
  const auto &operands = context.instruction->operands;
  if (modifiers.take("commit_group")) {
    if (!context.count(0, 0))
      return false;
    context.emit(bulkCommitHandler(), {});
    return true;
  }
  modifiers.take("wait_group");
  bool onlyRead = modifiers.take("read");
  if (!context.count(1, 1))
    return false;
  if (operands[0].kind != Operand::Kind::Integer ||
      operands[0].value > UINT32_MAX)
    return context.fail(
        "the operand of cp.async.bulk.wait_group is a constant");
  Inst &inst = context.emit(bulkWaitHandler(), {}, Flow::Checked);
  inst.imm = int64_t(operands[0].value);
  inst.a = onlyRead;
  return true;
}

static bool decodeTensorCopy(DecodeContext &context, Modifiers &modifiers,
                             bool reduces);

bool fusion::emulator::decodeBulk(DecodeContext &context, Modifiers &modifiers,
                                  bool reduces) {
  const auto &operands = context.instruction->operands;
  const auto &all = context.instruction->modifiers;
  auto has = [&](std::string_view name) {
    return std::find(all.begin(), all.end(), name) != all.end();
  };
  if (!reduces && (has("commit_group") || has("wait_group")))
    return decodeBulkGroup(context, modifiers);
  if (modifiers.take("tensor"))
    return decodeTensorCopy(context, modifiers, reduces);
  unsigned flags = reduces ? BulkReduces : 0;
  bool prefetches = modifiers.take("prefetch");
  Side to = Side::None, from;
  if (prefetches) {
    flags |= BulkPrefetch;
    if (reduces || !modifiers.take("L2"))
      return context.unsupported();
    from = takeSide(modifiers);
    if (from != Side::Global)
      return context.unsupported();
  } else {
    to = takeSide(modifiers);
    from = takeSide(modifiers);
  }
  bool toMbarrier = modifiers.take("mbarrier::complete_tx::bytes");
  bool toGroup = modifiers.take("bulk_group");
  bool multicast = modifiers.take("multicast::cluster");
  bool cacheHint = modifiers.take("L2::cache_hint");
  bool masked = modifiers.take("cp_mask");
  int operation = reduces ? takeReduction(modifiers) : 0;
  modifiers.take("noftz");
  Type type = reduces ? modifiers.takeType() : Type::None;
  bool toGlobal = to == Side::Global;
  if (!prefetches) {
    bool toCluster = to == Side::Cluster || to == Side::Shared;
    bool valid = toGlobal ? from == Side::Shared && toGroup && !toMbarrier
                          : toCluster && toMbarrier && !toGroup &&
                                (from == Side::Global
                                     ? !reduces
                                     : from == Side::Shared && !multicast);
    if (!valid || (multicast && toGlobal) || (masked && (!toGlobal || reduces)))
      return context.unsupported();
  }
  if (reduces && (operation < 0 || !bytesOf(type) || type == Type::Pred))
    return context.unsupported();
  Ref unused = context.scratchRef, destination = unused, place = unused, size,
      barrier = unused, mask = unused;
  size_t next = 0;
  size_t wanted = (prefetches ? 2
                   : toGlobal ? 3
                              : 4) +
                  multicast + cacheHint + masked;
  if (!context.count(wanted, wanted))
    return false;
  if (!prefetches &&
      !context.genericAddress(operands[next++], !toGlobal, destination))
    return false;
  if (!context.genericAddress(operands[next++], from != Side::Global, place) ||
      !context.source(operands[next++], Type::U32, size))
    return false;
  if (toMbarrier && !context.genericAddress(operands[next++], true, barrier))
    return false;
  if (multicast && !context.source(operands[next++], Type::U16, mask))
    return false;
  if (cacheHint && !decodeCachePolicy(context, operands[next++]))
    return false;
  if (masked && !context.source(operands[next++], Type::U16, mask))
    return false;
  flags |= (toGlobal ? BulkToGlobal : 0) |
           (from == Side::Global ? BulkFromGlobal : 0) |
           (multicast ? BulkMulticast : 0) | (masked ? BulkMasked : 0);
  Inst &inst =
      context.emit(bulkCopyHandler(), {destination, place, size, barrier, mask},
                   Flow::Checked);
  inst.a = uint8_t(flags);
  inst.b = uint8_t(operation);
  inst.c = uint8_t(type);
  // The order of CTAs shows in what they add up.
  if (reduces && toGlobal)
    context.code->communicates = true;
  return true;
}

/// cp{.reduce}.async.bulk{.prefetch}.tensor
static bool decodeTensorCopy(DecodeContext &context, Modifiers &modifiers,
                             bool reduces) {
  const auto &operands = context.instruction->operands;
  bool prefetches = modifiers.take("prefetch");
  int rank = modifiers.takeOneOf({"1d", "2d", "3d", "4d", "5d"}) + 1;
  if (!rank)
    return context.unsupported();
  unsigned dimensions = unsigned(rank);
  if (prefetches && !modifiers.take("L2"))
    return context.unsupported();
  Side to = prefetches ? Side::None : takeSide(modifiers);
  Side from = takeSide(modifiers);
  bool toGlobal = to == Side::Global;
  int mode = modifiers.takeOneOf({"tile", "im2col", "im2col_no_offs"});
  bool im2col = mode == 1 || mode == 2;
  bool toMbarrier = modifiers.take("mbarrier::complete_tx::bytes");
  bool toGroup = modifiers.take("bulk_group");
  bool multicast = modifiers.take("multicast::cluster");
  bool cacheHint = modifiers.take("L2::cache_hint");
  int operation = reduces ? takeReduction(modifiers) : 0;
  bool valid = prefetches ? from == Side::Global && !reduces
               : toGlobal ? from == Side::Shared && toGroup && !toMbarrier &&
                                !multicast && mode != 1
                          : from == Side::Global && toMbarrier && !toGroup &&
                                !reduces && mode != 2;
  if (!valid || operation < 0 || (im2col && dimensions < 3))
    return context.unsupported();
  bool offsets = im2col && !toGlobal;
  size_t wanted = (prefetches ? 1
                   : toGlobal ? 2
                              : 3) +
                  offsets + multicast + cacheHint;
  if (!context.count(wanted, wanted))
    return false;
  Ref unused = context.scratchRef;
  std::vector<Ref> refs(12, unused);
  size_t next = 0;
  const Operand *shared = nullptr;
  if (!prefetches && !toGlobal)
    shared = &operands[next++];
  const Operand &map = operands[next++];
  if (toGlobal)
    shared = &operands[next++];
  if (map.kind != Operand::Kind::Address || map.elements.size() != 2 ||
      map.elements[1].kind != Operand::Kind::Vector ||
      map.elements[1].elements.size() != dimensions)
    return context.fail("'" + std::string(context.instruction->opcode) +
                        "' requires a tensor map and " +
                        std::to_string(dimensions) + " coordinates");
  if (shared && !context.genericAddress(*shared, true, refs[0]))
    return false;
  if (!context.genericAddress(map, false, refs[1]))
    return false;
  for (unsigned d = 0; d < dimensions; ++d)
    if (!context.source(map.elements[1].elements[d], Type::S32, refs[2 + d]))
      return false;
  if (toMbarrier && !context.genericAddress(operands[next++], true, refs[10]))
    return false;
  if (offsets) {
    const Operand &list = operands[next++];
    if (list.kind != Operand::Kind::Vector ||
        list.elements.size() != dimensions - 2)
      return context.fail("'" + std::string(context.instruction->opcode) +
                          "' requires " + std::to_string(dimensions - 2) +
                          " im2col offsets");
    for (unsigned s = 0; s + 2 < dimensions; ++s)
      if (!context.source(list.elements[s], Type::U16, refs[7 + s]))
        return false;
  }
  if (multicast && !context.source(operands[next++], Type::U16, refs[11]))
    return false;
  if (cacheHint && !decodeCachePolicy(context, operands[next++]))
    return false;
  Inst &inst = context.emit(tensorCopyHandler(), refs, Flow::Checked);
  inst.a =
      uint8_t((toGlobal ? BulkToGlobal : BulkFromGlobal) |
              (reduces ? BulkReduces : 0) | (multicast ? BulkMulticast : 0) |
              (im2col ? BulkIm2col : 0) | (prefetches ? BulkPrefetch : 0));
  inst.b = uint8_t(operation);
  inst.d = uint8_t(dimensions);
  if (reduces)
    context.code->communicates = true;
  return true;
}

/// st.async{.weak}.shared::cluster.mbarrier::complete_tx::bytes{.vec}.type
/// red.async.relaxed.cluster.op.shared::cluster.mbarrier::….type
bool fusion::emulator::decodeAsyncStore(DecodeContext &context,
                                        std::string_view root,
                                        Modifiers &modifiers) {
  const auto &operands = context.instruction->operands;
  bool reduces = root == "red";
  modifiers.takeOneOf({"weak", "relaxed"});
  modifiers.take("cluster");
  bool toMbarrier = modifiers.take("mbarrier::complete_tx::bytes");
  bool cluster = modifiers.takeOneOf({"shared::cluster", "shared::cta"}) >= 0;
  int operation = reduces ? takeReduction(modifiers) : 0;
  int vector = reduces ? -1 : modifiers.takeOneOf({"v2", "v4"});
  Type type = modifiers.takeType();
  unsigned bytes = bytesOf(type), n = vector < 0 ? 1 : 2u << vector;
  if (!toMbarrier || !cluster || operation < 0 || type == Type::Pred ||
      (bytes != 4 && bytes != 8) || bytes * n > 16)
    return context.unsupported();
  if (!context.count(3, 3))
    return false;
  const Operand &values = operands[1];
  bool isVector = values.kind == Operand::Kind::Vector;
  if (isVector ? values.elements.size() != n : n != 1)
    return context.fail("'" + std::string(context.instruction->opcode) +
                        "' requires " + std::to_string(n) + " registers");
  std::vector<Ref> refs(2 + n);
  if (!context.genericAddress(operands[0], true, refs[0]) ||
      !context.genericAddress(operands[2], true, refs[1]))
    return false;
  for (unsigned i = 0; i < n; ++i)
    if (!context.source(isVector ? values.elements[i] : values, type,
                        refs[2 + i]))
      return false;
  Inst &inst = context.emit(asyncStoreHandler(), refs, Flow::Checked);
  inst.a = uint8_t(bytes);
  inst.b = uint8_t(operation);
  inst.c = uint8_t(type);
  inst.d = reduces;
  return true;
}

/// tensormap.replace.tile.field.space.b1024.type [a], {ordinal,} value
/// tensormap.cp_fenceproxy.….sync.aligned [to], [from], 128
bool fusion::emulator::decodeTensorMap(DecodeContext &context, std::string_view,
                                       Modifiers &modifiers) {
  const auto &operands = context.instruction->operands;
  Ref address;
  if (modifiers.take("cp_fenceproxy")) {
    bool known = modifiers.take("global") && modifiers.take("shared::cta") &&
                 modifiers.take("tensormap::generic") &&
                 modifiers.take("release") && modifiers.take("sync") &&
                 modifiers.take("aligned");
    modifiers.takeOneOf({"cta", "cluster", "gpu", "sys"});
    Ref from;
    if (!known)
      return context.unsupported();
    if (!context.count(3, 3) ||
        !context.genericAddress(operands[0], false, address) ||
        !context.genericAddress(operands[1], true, from))
      return false;
    context.emit(tensorMapCopyHandler(), {address, from}, Flow::WarpAligned);
    return true;
  }
  enum { Address, Rank, BoxDim, GlobalDim, GlobalStride, ElementStride };
  bool known = modifiers.take("replace") && modifiers.take("tile");
  int field = modifiers.takeOneOf(
      {"global_address", "rank", "box_dim", "global_dim", "global_stride",
       "element_stride", "elemtype", "interleave_layout", "swizzle_mode",
       "fill_mode", "swizzle_atomicity"});
  bool shared = modifiers.take("shared::cta");
  if (!shared)
    modifiers.take("global");
  known &= modifiers.take("b1024");
  Type type = modifiers.takeType();
  bool isWide = field == Address || field == GlobalStride;
  if (!known || field < 0 || type != (isWide ? Type::B64 : Type::B32))
    return context.unsupported();
  bool ordinal = field >= BoxDim && field <= ElementStride;
  if (!context.count(ordinal ? 3 : 2, ordinal ? 3 : 2) ||
      !context.genericAddress(operands[0], shared, address))
    return false;
  if (ordinal &&
      (operands[1].kind != Operand::Kind::Integer || operands[1].value > 4))
    return context.fail(
        "the dimension of tensormap.replace is a constant from 0 to 4");
  if (field > ElementStride) {
    // As ptxas has it: sm_100 and later have packed types, sm_103 a swizzle of
    // 96 bytes.
    const unsigned most[] = {context.module.target >= 100 ? 15u : 12u, 2,
                             context.module.target == 103 ? 4u : 3u, 1, 3};
    unsigned limit = most[field - ElementStride - 1];
    if (operands[1].kind != Operand::Kind::Integer || operands[1].value > limit)
      return context.fail("the value for '" +
                          std::string(context.instruction->opcode) +
                          "' is a constant from 0 to " + std::to_string(limit));
  }
  Ref value, wide = context.scratch(256);
  if (!context.source(operands.back(), type, value))
    return false;
  Inst &widen =
      context.emit(widenAddressHandler(), {wide, value}, Flow::Hidden);
  widen.c = uint8_t(bytesOf(type));
  Inst &inst =
      context.emit(tensorMapReplaceHandler(), {wide, address}, Flow::Checked);
  inst.a = uint8_t(field);
  inst.b = uint8_t(ordinal ? operands[1].value : 0);
  return true;
}
