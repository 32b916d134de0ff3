//===- TensorMap.cpp - Tensor maps as 128 bytes ---------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emulator/Machine/TensorMap.h"

using namespace fusion::emulator;

// CUDA Driver API, cuTensorMapEncodeTiled and cuTensorMapEncodeIm2col.
static constexpr uint64_t kMaxStride = uint64_t(1) << 40;
// More than the shared memory of any chip; element strides make boxes smaller
// by up to 8 in every dimension.
static constexpr uint64_t kMaxBox = uint64_t(1) << 30;

TensorMapBytes fusion::emulator::unsetTensorMap() {
  TensorMapBytes map;
  std::memset(&map, 0, sizeof(map));
  map.magic = TensorMapBytes::kMagic;
  map.unsetDims = 31;
  return map;
}

/// The names of PTX ISA, "tensormap.replace", of a map that was made from
/// zeros: fields that it lacks.
static std::string unsetField(const TensorMapBytes &map) {
  if (!map.rank)
    return "rank";
  for (unsigned d = 0; d < map.rank && d < 5; ++d) {
    std::string number = " " + std::to_string(d);
    if (map.unsetDims >> d & 1)
      return "global_dim" + number;
    if (!map.box[d])
      return "box_dim" + number;
    if (!map.elementStride[d])
      return "element_stride" + number;
  }
  return "";
}

static std::string multiple(const char *what, uint64_t value, unsigned of) {
  return std::string(what) + " " + std::to_string(value) +
         " is no multiple of " + std::to_string(of) + " bytes";
}

std::string fusion::emulator::checkTensorMap(const TensorMapBytes &map,
                                             unsigned rank, bool im2col) {
  if (map.magic != TensorMapBytes::kMagic)
    return "the 128 bytes are no tensor map";
  if (std::string field = unsetField(map); !map.im2col && !field.empty())
    return "the field " + field + " of the tensor map is not set";
  if (map.type > 12 && map.type <= 15)
    return "tensor maps of packed types of 4 and 6 bits are not supported";
  if (map.swizzle == 4 || map.atomicity)
    return "swizzles of 96 bytes, and of other units than 16 bytes, are not "
           "supported";
  if (map.rank < 1 || map.rank > 5 || map.type > 12 || map.swizzle > 3 ||
      map.interleave > 2)
    return "the tensor map is invalid";
  if (rank && map.rank != rank)
    return "the tensor map has " + std::to_string(map.rank) +
           " dimensions, not " + std::to_string(rank);
  if (rank && bool(map.im2col) != im2col)
    return std::string("the tensor map is for mode ") +
           (map.im2col ? ".im2col" : ".tile");
  TensorBox box;
  box.map = map;
  box.im2col = map.im2col;
  unsigned alignment = map.interleave == 2 ? 32 : 16;
  if (map.address % alignment)
    return multiple("the address", map.address, alignment);
  for (unsigned d = 0; d + 1 < map.rank; ++d) {
    if (map.stride[d] % alignment)
      return multiple("the stride", map.stride[d], alignment);
    if (map.stride[d] >= kMaxStride)
      return "the stride " + std::to_string(map.stride[d]) + " is too large";
  }
  if (map.interleave && map.rank < 3)
    return "an interleaved tensor map has at least 3 dimensions";
  if (map.interleave == 2 && map.swizzle != 1)
    return "interleave 32B requires swizzle 32B";
  for (unsigned d = 0; d < map.rank; ++d)
    if (map.elementStride[d] < 1 || map.elementStride[d] > 8)
      return "element strides are 1 to 8";
  if (map.im2col) {
    if (map.rank < 3)
      return "an im2col tensor map has at least 3 dimensions";
    if (!map.channels || map.channels > 256 || !map.pixels || map.pixels > 1024)
      return "channels per pixel are 1 to 256, pixels per column 1 to 1024";
  } else {
    for (unsigned d = 0; d < map.rank; ++d)
      if (map.box[d] < 1 || map.box[d] > 256)
        return "sizes of a box are 1 to 256";
  }
  uint32_t row = box.rowBytes();
  uint64_t whole = row;
  if (map.im2col)
    whole *= map.pixels;
  else
    for (unsigned d = 1; d < map.rank; ++d)
      whole *= map.box[d]; // at most 2^43
  if (whole > kMaxBox)
    return "a box of " + std::to_string(whole) +
           " bytes does not fit into shared memory";
  if (map.interleave) {
    if (row != 16u * map.interleave)
      return "the innermost size of an interleaved box is one slice of " +
             std::to_string(16 * map.interleave) + " bytes, not " +
             std::to_string(row);
  } else if (row % 16) {
    return multiple("the innermost size of the box,", row, 16);
  }
  if (map.swizzle && row > (16u << map.swizzle))
    return "the innermost size of the box, " + std::to_string(row) +
           " bytes, exceeds the swizzle's " + std::to_string(16 << map.swizzle);
  return std::string();
}
