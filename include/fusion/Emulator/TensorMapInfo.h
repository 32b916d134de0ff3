//===- TensorMapInfo.h - Tensor maps as the host makes them -----*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_EMULATOR_TENSORMAPINFO_H
#define FUSION_EMULATOR_TENSORMAPINFO_H

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace fusion::emulator {

/// Element types of tensor maps, numbered as by tensormap.replace (PTX ISA).
enum class TensorMapType : uint8_t {
  U8,
  U16,
  U32,
  S32,
  U64,
  S64,
  F16,
  F32,
  F32Ftz,
  F64,
  BF16,
  TF32,
  TF32Ftz,
};

/// The fields of a tensor map for mode .im2col in place of a box. The bounding
/// box of the one to three spatial dimensions (innermost first) is
/// [lowerCorner, size + upperCorner).
struct Im2colInfo {
  std::array<int16_t, 3> lowerCorner{0, 0, 0};
  std::array<int16_t, 3> upperCorner{0, 0, 0};
  uint32_t channelsPerPixel = 0;
  uint32_t pixelsPerColumn = 0;
};

/// A tensor in global memory and the box of it that one copy moves (PTX ISA,
/// "Tensors"; CUDA Driver API, cuTensorMapEncodeTiled). Innermost dimension
/// first, 1 to 5 of them.
struct TensorMapInfo {
  TensorMapType type = TensorMapType::F32;
  uint64_t address = 0;                 ///< a multiple of 16 bytes
  std::vector<uint64_t> dims;           ///< elements, 1 to 2^32 each
  std::vector<uint64_t> strides;        ///< bytes, of dimensions 1 and up
  std::vector<uint32_t> box;            ///< elements, 1 to 256 each
  std::vector<uint32_t> elementStrides; ///< 1 to 8; empty: all 1
  uint32_t swizzleBytes = 0;            ///< 0, 32, 64 or 128
  uint32_t interleaveBytes = 0;         ///< 0, 16 or 32
  bool fillNan = false;                 ///< outside of the tensor, not 0
  std::optional<Im2colInfo> im2col;     ///< in place of `box`
};

/// Returns the 128 bytes of a kernel parameter that describe the tensor map, in
/// the emulator's own encoding, which only the emulator reads. Returns nullopt,
/// with `message` set, if there can be no such tensor map.
std::optional<std::array<uint8_t, 128>>
encodeTensorMap(const TensorMapInfo &info, std::string &message);

} // namespace fusion::emulator

#endif // FUSION_EMULATOR_TENSORMAPINFO_H
