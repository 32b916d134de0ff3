//===- TensorMap.h - Tensor maps and the boxes they address -----*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The 128 bytes of a tensor map are the emulator's own encoding; programs see
// them as opaque. Swizzles: PTX ISA, "Tensors: Swizzling Modes".
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_EMULATOR_MACHINE_TENSORMAP_H
#define FUSION_LIB_EMULATOR_MACHINE_TENSORMAP_H

#include <cstdint>
#include <cstring>
#include <string>

namespace fusion::emulator {

/// What the 128 bytes hold.
struct TensorMapBytes {
  static constexpr uint32_t kMagic = 0x70616d74;
  uint32_t magic;
  uint8_t type, rank, interleave, swizzle, fill, im2col;
  uint16_t channels, pixels;
  int16_t lower[3], upper[3];
  uint16_t box[5];
  uint8_t elementStride[5];
  uint8_t unsetDims; ///< of a map that began as zeros: a bit for each dim[d]
  uint8_t atomicity; ///< PTX ISA, "Tensors: Swizzle Atomicity"; 0: 16 bytes
  uint8_t reserved;
  uint32_t dim[5]; ///< 0: 2^32
  uint64_t address;
  uint64_t stride[4];
};
static_assert(sizeof(TensorMapBytes) <= 128, "a tensor map has 128 bytes");

/// `address ^ pattern` of a swizzle mode (0 none, 1 32B, 2 64B, 3 128B):
/// 16-byte chunks are exchanged within 128 bytes.
constexpr uint32_t swizzled(uint32_t address, unsigned mode) {
  return address ^ ((address >> 3) & (((1u << mode) - 1) << 4));
}

/// One tensor copy: which elements, and where they lie in shared memory.
struct TensorBox {
  TensorMapBytes map;
  int64_t begin[5] = {};    ///< coordinates of the first element
  uint16_t offsets[3] = {}; ///< im2col
  bool im2col = false;
  bool scatterOffsets = false; ///< im2col: loads; stores have no offsets

  unsigned elementBytes() const;
  uint32_t rowBytes() const;    ///< of the innermost dimension
  uint32_t sharedBytes() const; ///< of the whole box

  /// Calls visit(global, shared, first, count): of the row at offset `shared`
  /// of the box the bytes [first, first + count) lie in the tensor, from
  /// `global` on; count 0 where the row is outside.
  template <class Visit> void forRows(Visit visit) const;

private:
  uint32_t extent(unsigned d) const {
    return (map.box[d] + map.elementStride[d] - 1u) / map.elementStride[d];
  }
  bool row(const int64_t *at, uint64_t &global, uint32_t &first,
           uint32_t &count) const;
};

inline unsigned TensorBox::elementBytes() const {
  static const uint8_t bytes[] = {1, 2, 4, 4, 8, 8, 2, 4, 4, 8, 2, 4, 4};
  return bytes[map.type];
}

inline uint32_t TensorBox::rowBytes() const {
  uint32_t n = im2col ? map.channels : map.box[0];
  return n * elementBytes();
}

inline uint32_t TensorBox::sharedBytes() const {
  uint32_t bytes = rowBytes();
  if (im2col)
    return bytes * map.pixels;
  for (unsigned d = 1; d < map.rank; ++d)
    bytes *= extent(d);
  return bytes;
}

inline bool TensorBox::row(const int64_t *at, uint64_t &global, uint32_t &first,
                           uint32_t &count) const {
  auto dim = [&](unsigned d) {
    return map.dim[d] ? int64_t(map.dim[d]) : int64_t(1) << 32;
  };
  first = count = 0;
  for (unsigned d = 1; d < map.rank; ++d)
    if (at[d] < 0 || at[d] >= dim(d))
      return false;
  unsigned bytes = elementBytes();
  int64_t n = rowBytes() / bytes;
  int64_t low = at[0] < 0 ? -at[0] : 0;
  int64_t high = at[0] + n > dim(0) ? dim(0) - at[0] : n;
  if (low >= high)
    return false;
  global = map.address + uint64_t(at[0] + low) * bytes;
  for (unsigned d = 1; d < map.rank; ++d)
    global += uint64_t(at[d]) * map.stride[d - 1];
  first = uint32_t(low) * bytes;
  count = uint32_t(high - low) * bytes;
  return true;
}

template <class Visit> void TensorBox::forRows(Visit visit) const {
  uint32_t shared = 0, bytes = rowBytes();
  int64_t at[5] = {begin[0], begin[1], begin[2], begin[3], begin[4]};
  auto emit = [&](const int64_t *place) {
    uint64_t global = 0;
    uint32_t first, count;
    row(place, global, first, count);
    visit(global, shared, first, count);
    shared += bytes;
  };
  if (im2col) {
    // Dimensions are C, the 1 to 3 spatial ones, N. The bounding box of the
    // spatial ones is [lower, dim + upper); `pixels` positions are visited in
    // it, in steps of the element strides, on into the following images.
    unsigned spatial = map.rank - 2u;
    for (uint32_t p = 0; p < map.pixels; ++p) {
      int64_t place[5] = {at[0], at[1], at[2], at[3], at[4]};
      for (unsigned s = 0; s < spatial; ++s)
        place[1 + s] += offsets[s];
      emit(place);
      unsigned s = 0;
      for (; s < spatial; ++s) {
        at[1 + s] += map.elementStride[1 + s];
        if (at[1 + s] < int64_t(map.dim[1 + s]) + map.upper[s])
          break;
        at[1 + s] = map.lower[s];
      }
      if (s == spatial)
        ++at[1 + spatial];
    }
    return;
  }
  uint32_t index[5] = {};
  while (true) {
    emit(at);
    unsigned d = 1;
    for (; d < map.rank; ++d) {
      at[d] += map.elementStride[d];
      if (++index[d] < extent(d))
        break;
      index[d] = 0;
      at[d] = begin[d];
    }
    if (d >= map.rank)
      return;
  }
}

/// The map that `tensormap.replace` finds in 128 bytes of zeros: none of its
/// sizes is set.
TensorMapBytes unsetTensorMap();

/// Empty where the bytes are a tensor map that a copy of `rank` dimensions can
/// use; else what is wrong.
std::string checkTensorMap(const TensorMapBytes &map, unsigned rank,
                           bool im2col);

} // namespace fusion::emulator

#endif // FUSION_LIB_EMULATOR_MACHINE_TENSORMAP_H
