//===- TensorMapInfo.cpp - Encoding of tensor maps ------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Emulator/TensorMapInfo.h"

#include "Emulator/Machine/TensorMap.h"

using namespace fusion::emulator;

std::optional<std::array<uint8_t, 128>>
fusion::emulator::encodeTensorMap(const TensorMapInfo &info,
                                  std::string &message) {
  auto fail = [&](std::string why) {
    message = std::move(why);
    return std::nullopt;
  };
  size_t rank = info.dims.size();
  if (rank < 1 || rank > 5)
    return fail("a tensor map has 1 to 5 dimensions, not " +
                std::to_string(rank));
  if (info.strides.size() + 1 != rank)
    return fail("a tensor map of " + std::to_string(rank) + " dimensions has " +
                std::to_string(rank - 1) + " strides");
  if (!info.im2col && info.box.size() != rank)
    return fail("the box has " + std::to_string(info.box.size()) +
                " dimensions, the tensor " + std::to_string(rank));
  if (!info.elementStrides.empty() && info.elementStrides.size() != rank)
    return fail("there are " + std::to_string(info.elementStrides.size()) +
                " element strides for " + std::to_string(rank) + " dimensions");
  TensorMapBytes map;
  std::memset(&map, 0, sizeof(map));
  map.magic = TensorMapBytes::kMagic;
  map.type = uint8_t(info.type);
  map.rank = uint8_t(rank);
  map.address = info.address;
  for (size_t d = 0; d < 5; ++d) {
    map.elementStride[d] = 1;
    map.box[d] = 1;
    map.dim[d] = 1;
  }
  for (size_t d = 0; d < rank; ++d) {
    if (!info.dims[d] || info.dims[d] > uint64_t(1) << 32)
      return fail("sizes of a tensor are 1 to 2^32, not " +
                  std::to_string(info.dims[d]));
    map.dim[d] = uint32_t(info.dims[d]);
    if (!info.elementStrides.empty()) {
      if (info.elementStrides[d] < 1 || info.elementStrides[d] > 8)
        return fail("element strides are 1 to 8, not " +
                    std::to_string(info.elementStrides[d]));
      // The hardware knows no stride of the innermost dimension without
      // interleave: it is ignored.
      if (d || info.interleaveBytes)
        map.elementStride[d] = uint8_t(info.elementStrides[d]);
    }
    if (info.im2col)
      continue;
    if (info.box[d] < 1 || info.box[d] > 256)
      return fail("sizes of a box are 1 to 256, not " +
                  std::to_string(info.box[d]));
    map.box[d] = uint16_t(info.box[d]);
  }
  for (size_t d = 0; d + 1 < rank; ++d)
    map.stride[d] = info.strides[d];
  switch (info.swizzleBytes) {
  case 0:
    break;
  case 32:
    map.swizzle = 1;
    break;
  case 64:
    map.swizzle = 2;
    break;
  case 128:
    map.swizzle = 3;
    break;
  default:
    return fail("there is no swizzle of " + std::to_string(info.swizzleBytes) +
                " bytes");
  }
  if (info.interleaveBytes != 0 && info.interleaveBytes != 16 &&
      info.interleaveBytes != 32)
    return fail("there is no interleave of " +
                std::to_string(info.interleaveBytes) + " bytes");
  map.interleave = uint8_t(info.interleaveBytes / 16);
  map.fill = info.fillNan;
  if (info.im2col) {
    const Im2colInfo &im2col = *info.im2col;
    if (rank < 3)
      return fail("an im2col tensor map has at least 3 dimensions");
    if (im2col.channelsPerPixel > 256 || im2col.pixelsPerColumn > 1024)
      return fail(
          "channels per pixel are 1 to 256, pixels per column 1 to 1024");
    map.im2col = 1;
    map.channels = uint16_t(im2col.channelsPerPixel);
    map.pixels = uint16_t(im2col.pixelsPerColumn);
    for (size_t s = 0; s < 3; ++s) {
      map.lower[s] = im2col.lowerCorner[s];
      map.upper[s] = im2col.upperCorner[s];
    }
  }
  std::string problem = checkTensorMap(map, 0, false);
  if (!problem.empty())
    return fail(problem);
  std::array<uint8_t, 128> bytes{};
  std::memcpy(bytes.data(), &map, sizeof(map));
  return bytes;
}
