//===- TensorHarness.h - Kernels with a tensor map --------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_UNITTESTS_EMULATOR_TENSORHARNESS_H
#define FUSION_UNITTESTS_EMULATOR_TENSORHARNESS_H

#include "Hopper.h"

#include "Emulator/Machine/TensorMap.h"

namespace fusion::emulator::test {

inline std::vector<uint8_t> encode(const TensorMapInfo &info) {
  std::string message;
  auto bytes = encodeTensorMap(info, message);
  EXPECT_TRUE(bytes) << message;
  return bytes ? std::vector<uint8_t>(bytes->begin(), bytes->end())
               : std::vector<uint8_t>(128);
}

/// A kernel with a tensor map `map` for its first parameter, then pointers.
inline std::string tensorKernel(unsigned pointers, unsigned shared,
                                const std::string &body) {
  std::string text = hopperKernel(pointers, shared,
                                  "mov.b64 %d31, map;\ncvta.param.u64 %d31, "
                                  "%d31;\n" +
                                      body);
  size_t at = text.find("k(") + 2;
  return text.insert(at, ".param .align 64 .b8 map[128], ");
}

inline Launch tensorLaunch(const std::vector<uint8_t> &map, uint64_t first,
                           uint64_t second = 0, bool two = false) {
  Launch launch = makeLaunch("k", {1, 1, 1}, {32, 1, 1}, first);
  if (two)
    launch.parameters.push_back(bytesOf(second));
  launch.parameters.insert(launch.parameters.begin(), map);
  return launch;
}

inline std::string coordinates(const std::vector<int> &at) {
  std::string text = "{";
  for (size_t d = 0; d < at.size(); ++d)
    text += (d ? ", " : "") + std::to_string(at[d]);
  return text + "}";
}

/// A tensor whose elements are their own indices, u16 or u32, and its map.
struct Tensor {
  std::vector<uint64_t> dims;
  std::vector<uint32_t> box, steps;
  unsigned bytes, swizzle;
  std::vector<uint64_t> strides{};
  std::vector<uint8_t> data{};

  void fill() {
    uint64_t pitch = (dims[0] * bytes + 15) / 16 * 16 + 16;
    strides.clear();
    for (size_t d = 1; d < dims.size(); ++d) {
      strides.push_back(pitch);
      pitch *= dims[d];
    }
    data.assign(pitch, 0xee);
    std::vector<int64_t> at(dims.size(), 0);
    uint32_t value = 1;
    while (true) {
      int64_t offset = place(at);
      std::memcpy(&data[size_t(offset)], &value, bytes);
      ++value;
      size_t d = 0;
      for (; d < dims.size(); ++d) {
        if (++at[d] < int64_t(dims[d]))
          break;
        at[d] = 0;
      }
      if (d == dims.size())
        return;
    }
  }
  /// Offset of an element, -1 outside.
  int64_t place(const std::vector<int64_t> &at) const {
    int64_t offset = at[0] * bytes;
    for (size_t d = 0; d < dims.size(); ++d) {
      if (at[d] < 0 || at[d] >= int64_t(dims[d]))
        return -1;
      if (d)
        offset += at[d] * int64_t(strides[d - 1]);
    }
    return offset;
  }
  TensorMapInfo info(uint64_t address, bool nan = false) const {
    TensorMapInfo info;
    info.type = bytes == 2 ? TensorMapType::BF16 : TensorMapType::F32;
    info.address = address;
    info.dims = dims;
    info.strides = strides;
    info.box = box;
    info.elementStrides = steps;
    info.swizzleBytes = swizzle;
    info.fillNan = nan;
    return info;
  }
  /// Calls visit(offset in shared memory, offset in the tensor or -1) for the
  /// elements of the box at `corner`.
  template <class Visit>
  void forBox(const std::vector<int> &corner, Visit visit) const {
    std::vector<uint32_t> counts(box.size());
    uint32_t total = 1;
    for (size_t d = 0; d < box.size(); ++d) {
      uint32_t step = d && !steps.empty() ? steps[d] : 1;
      counts[d] = (box[d] + step - 1) / step;
      total *= counts[d];
    }
    for (uint32_t i = 0; i < total; ++i) {
      std::vector<int64_t> at(box.size());
      uint32_t rest = i;
      for (size_t d = 0; d < box.size(); ++d) {
        uint32_t step = d && !steps.empty() ? steps[d] : 1;
        at[d] = corner[d] + int64_t(rest % counts[d]) * step;
        rest /= counts[d];
      }
      // 128-byte lines whose 16-byte chunks are exchanged.
      uint32_t dense = i * bytes, line = dense / 128, chunk = dense / 16 % 8;
      uint32_t with = swizzle == 128  ? line % 8
                      : swizzle == 64 ? line % 4
                      : swizzle == 32 ? line % 2
                                      : 0;
      visit(line * 128 + (chunk ^ with) * 16 + dense % 16, place(at));
    }
  }
  uint32_t boxBytes() const {
    uint32_t n = bytes;
    for (size_t d = 0; d < box.size(); ++d) {
      uint32_t step = d && !steps.empty() ? steps[d] : 1;
      n *= (box[d] + step - 1) / step;
    }
    return n;
  }
};

} // namespace fusion::emulator::test

#endif // FUSION_UNITTESTS_EMULATOR_TENSORHARNESS_H
