//===- BulkCopies.cpp - Data of bulk copies -------------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a copy does once it is due (Async.h); checks and counts were made when
// it was issued.
//
//===----------------------------------------------------------------------===//

#include "Emulator/Execute/BulkCopies.h"

#include "Emulator/Execute/Access.h"
#include "Emulator/Execute/Formats.h"
#include "Emulator/Execute/HandlersAsync.h"
#include "Emulator/Execute/HandlersAtomic.h"
#include "Emulator/Execute/Mbarrier.h"

#include <algorithm>

using namespace fusion::emulator;

namespace {

uint8_t *hostPointer(Cta &cta, uint64_t address, uint64_t bytes) {
  Allocation *allocation = holderOf(cta, address, address + bytes);
  return allocation ? allocation->data + (address - allocation->begin)
                    : nullptr;
}

/// Combines `bytes` of elements into `to`.
void reduce(const BulkCopy &copy, uint8_t *to, const uint8_t *from,
            uint64_t bytes, bool flush) {
  unsigned size = bytesOf(copy.type);
  for (uint64_t i = 0; i + size <= bytes; i += size) {
    uint64_t old = 0, value = 0;
    std::memcpy(&old, to + i, size);
    std::memcpy(&value, from + i, size);
    old =
        applyAtomic(AtomicOp(copy.operation), copy.type, flush, old, value, 0);
    std::memcpy(to + i, &old, size);
  }
}

void put(const BulkCopy &copy, uint8_t *to, const uint8_t *from, uint64_t bytes,
         bool flush) {
  if (copy.reduces)
    reduce(copy, to, from, bytes, flush);
  else
    std::memmove(to, from, bytes);
}

/// Calls visit(shared offset, offset in the row, bytes) for the pieces of a row
/// that the swizzle leaves together.
template <class Visit>
void forPieces(const BulkCopy &copy, uint32_t rowOffset, uint32_t bytes,
               Visit visit) {
  unsigned mode = copy.box->map.swizzle;
  uint32_t begin = copy.shared + rowOffset;
  if (!mode)
    return visit(begin, 0u, bytes);
  for (uint32_t i = 0; i < bytes;) {
    uint32_t n = std::min(16 - (begin + i) % 16, bytes - i);
    visit(swizzled(begin + i, mode), i, n);
    i += n;
  }
}

/// The elements outside of a tensor: 0, or NaN.
void fillOutside(const TensorBox &box, std::vector<uint8_t> &row) {
  std::fill(row.begin(), row.end(), 0);
  if (!box.map.fill)
    return;
  for (size_t i = 0; i + 2 <= row.size(); i += 2)
    std::memcpy(row.data() + i, &kOutOfBoundsNan, 2);
}

void loadBox(const BulkCopy &copy) {
  Cta &cta = *copy.sharedCta;
  std::vector<uint8_t> row(copy.box->rowBytes());
  copy.box->forRows(
      [&](uint64_t global, uint32_t offset, uint32_t first, uint32_t count) {
        if (count < row.size())
          fillOutside(*copy.box, row);
        if (count)
          if (const uint8_t *from = hostPointer(cta, global, count))
            std::memcpy(row.data() + first, from, count);
        forPieces(copy, offset, uint32_t(row.size()),
                  [&](uint32_t at, uint32_t i, uint32_t n) {
                    std::memcpy(cta.shared.data() + at, row.data() + i, n);
                  });
      });
}

void readShared(BulkCopy &copy) {
  const Cta &cta = *copy.sharedCta;
  copy.hasSource = true;
  copy.data.resize(copy.bytes);
  if (!copy.box) {
    std::memcpy(copy.data.data(), cta.shared.data() + copy.shared, copy.bytes);
    return;
  }
  uint32_t rowBytes = copy.box->rowBytes();
  for (uint32_t row = 0; row < copy.bytes; row += rowBytes)
    forPieces(copy, row, rowBytes, [&](uint32_t at, uint32_t i, uint32_t n) {
      std::memcpy(copy.data.data() + row + i, cta.shared.data() + at, n);
    });
}

void writeGlobal(const BulkCopy &copy) {
  Cta &cta = *copy.sharedCta;
  auto write = [&](uint64_t global, const uint8_t *from, uint32_t bytes) {
    if (uint8_t *to = hostPointer(cta, global, bytes))
      put(copy, to, from, bytes, copy.type == Type::F32);
  };
  if (!copy.box) {
    if (copy.mask == 0xffff)
      return write(copy.global, copy.data.data(), copy.bytes);
    for (uint32_t i = 0; i < copy.bytes; ++i)
      if ((copy.mask >> (i % 16)) & 1)
        write(copy.global + i, copy.data.data() + i, 1);
    return;
  }
  copy.box->forRows(
      [&](uint64_t global, uint32_t offset, uint32_t first, uint32_t count) {
        if (count)
          write(global, copy.data.data() + offset + first, count);
      });
}

} // namespace

Type fusion::emulator::tensorElement(uint8_t type) {
  static const Type types[] = {Type::U8,  Type::U16, Type::U32,  Type::S32,
                               Type::U64, Type::S64, Type::F16,  Type::F32,
                               Type::F32, Type::F64, Type::BF16, Type::F32,
                               Type::F32};
  return types[type];
}

/// PTX ISA, "cp.reduce.async.bulk" and "cp.reduce.async.bulk.tensor".
bool fusion::emulator::canReduce(AtomicOp op, Type type) {
  unsigned bytes = bytesOf(type);
  bool isInteger = !isFloat(type) && (bytes == 4 || bytes == 8);
  switch (op) {
  case AtomicOp::Add:
    return isInteger || isFloat(type);
  case AtomicOp::Min:
  case AtomicOp::Max:
    return isInteger || type == Type::F16 || type == Type::BF16;
  case AtomicOp::Inc:
  case AtomicOp::Dec:
    return type == Type::U32;
  case AtomicOp::And:
  case AtomicOp::Or:
  case AtomicOp::Xor:
    return isInteger;
  default:
    return false;
  }
}

void fusion::emulator::carryOut(BulkCopy &copy) {
  using Kind = BulkCopy::Kind;
  if (copy.kind == Kind::Arrive) {
    finishCopiesBefore(copy.issuer->warps[copy.warp], 1u << copy.lane,
                       copy.sequence);
    return;
  }
  if (copy.kind == Kind::SharedToGlobal) {
    readSource(copy);
    writeGlobal(copy);
    return;
  }
  Cta &cta = *copy.sharedCta;
  uint8_t *to = cta.shared.data() + copy.shared;
  if (copy.box) {
    loadBox(copy);
  } else if (copy.kind == Kind::GlobalToShared) {
    if (const uint8_t *from = hostPointer(cta, copy.global, copy.bytes))
      std::memcpy(to, from, copy.bytes);
  } else if (copy.kind == Kind::SharedToShared) {
    put(copy, to, copy.sourceCta->shared.data() + copy.source, copy.bytes,
        false);
  } else {
    put(copy, to, copy.data.data(), copy.bytes, false);
  }
}

void fusion::emulator::readSource(BulkCopy &copy) {
  if (!copy.hasSource)
    readShared(copy);
}
