//===- TensorModesTest.cpp - im2col, interleaved maps, prefetches ---------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Expected values follow the PTX ISA, "Tensor copies: im2col mode" and
// "Interleave layout", by lists of positions.
//
//===----------------------------------------------------------------------===//

#include "TensorHarness.h"

using namespace fusion::emulator;
using namespace fusion::emulator::test;

namespace {

const char *const complete = "mbarrier::complete_tx::bytes";

std::string braces(const std::string &prefix, size_t count) {
  std::string text = "{";
  for (size_t i = 0; i < count; ++i)
    text += (i ? ", " : "") + prefix + std::to_string(i);
  return text + "}";
}

/// One thread issues `copy` of `bytes` to shared memory, where `copy` may name
/// the mbarrier %r0; then all of it goes to p0.
std::string loadKernel(const std::string &copy, uint32_t bytes) {
  uint32_t padded = (bytes + 127) / 128 * 128;
  return tensorKernel(1, padded + 8,
                      "add.s32 %r0, %s, " + std::to_string(padded) +
                          ";\nsetp.ne.s32 %q0, %t, 0;\n@%q0 bra WAIT;\n"
                          "mbarrier.init.shared::cta.b64 [%r0], 1;\n"
                          "fence.mbarrier_init.release.cluster;\n"
                          "mbarrier.arrive.expect_tx.shared::cta.b64 _, "
                          "[%r0], " +
                          std::to_string(bytes) + ";\n" + copy +
                          "\nWAIT:\nbar.sync 0;\nTRY:\n"
                          "mbarrier.try_wait.parity.shared::cta.b64 %q1, "
                          "[%r0], 0;\n@!%q1 bra TRY;\nshl.b32 %r1, %t, 2;\n"
                          "COPY:\nsetp.ge.u32 %q2, %r1, " +
                          std::to_string(bytes) +
                          ";\n@%q2 bra END;\nadd.s32 %r2, %s, %r1;\n"
                          "ld.shared.u32 %r3, [%r2];\ncvt.u64.u32 %d1, %r1;\n"
                          "add.s64 %d1, %d1, %p0;\nst.global.u32 [%d1], %r3;\n"
                          "add.s32 %r1, %r1, 128;\nbra COPY;\nEND:\n");
}

/// A tensor C, W (, H (, D)), N of f32 that are their own places plus one.
struct Images {
  std::vector<int> dims;         ///< C first, N last
  std::vector<int> lower, upper; ///< of the spatial ones
  std::vector<uint32_t> steps;   ///< of the spatial ones
  uint32_t channels, pixels;

  size_t spatial() const { return dims.size() - 2; }
  size_t elements() const {
    size_t n = 1;
    for (int d : dims)
      n *= size_t(d);
    return n;
  }
  TensorMapInfo info(uint64_t address) const {
    TensorMapInfo info;
    info.type = TensorMapType::F32;
    info.address = address;
    uint64_t pitch = 4;
    for (size_t d = 0; d < dims.size(); ++d) {
      info.dims.push_back(uint64_t(dims[d]));
      pitch *= uint64_t(dims[d]);
      if (d + 1 < dims.size())
        info.strides.push_back(pitch);
    }
    Im2colInfo im2col{};
    for (size_t s = 0; s < spatial(); ++s) {
      im2col.lowerCorner[s] = int16_t(lower[s]);
      im2col.upperCorner[s] = int16_t(upper[s]);
    }
    im2col.channelsPerPixel = channels;
    im2col.pixelsPerColumn = pixels;
    info.im2col = im2col;
    info.elementStrides.assign(dims.size(), 1);
    for (size_t s = 0; s < spatial(); ++s)
      info.elementStrides[1 + s] = steps[s];
    return info;
  }
  /// The base positions from `first` (W, H, D, N) on: within an image those of
  /// the bounding box [lower, size + upper), the first dimension fastest.
  std::vector<std::vector<int>> positions(const std::vector<int> &first) const {
    std::vector<std::vector<int>> all;
    size_t start = SIZE_MAX;
    for (int n = 0; n < dims.back() + 3; ++n) {
      std::vector<std::vector<int>> image{{}};
      for (size_t s = spatial(); s-- > 0;) {
        std::vector<std::vector<int>> next;
        for (const auto &outer : image)
          for (int x = lower[s]; x < dims[1 + s] + upper[s];
               x += int(steps[s])) {
            next.push_back(outer);
            next.back().insert(next.back().begin(), x);
          }
        image = next;
      }
      for (auto &position : image) {
        position.push_back(n);
        if (position == first)
          start = all.size();
        all.push_back(position);
      }
    }
    EXPECT_LT(start + pixels, all.size());
    return {all.begin() + ptrdiff_t(start),
            all.begin() + ptrdiff_t(start + pixels)};
  }
  /// Index of the element, -1 outside.
  int64_t place(int channel, const std::vector<int> &position,
                const std::vector<int> &offsets) const {
    int64_t index = 0;
    for (size_t d = dims.size(); d-- > 0;) {
      int x = d == 0 ? channel : position[d - 1];
      if (d > 0 && d - 1 < offsets.size())
        x += offsets[d - 1];
      if (x < 0 || x >= dims[d])
        return -1;
      index = index * dims[d] + x;
    }
    return index;
  }
};

void checkIm2col(const Images &images, int channel,
                 const std::vector<int> &first,
                 const std::vector<int> &offsets) {
  SCOPED_TRACE(coordinates(first) + " + " + coordinates(offsets));
  std::string rank = std::to_string(images.dims.size());
  std::vector<int> at = first;
  at.insert(at.begin(), channel);
  std::string copy;
  for (size_t s = 0; s < offsets.size(); ++s)
    copy += "mov.b16 %h" + std::to_string(s) + ", " +
            std::to_string(offsets[s]) + ";\n";
  copy += "cp.async.bulk.tensor." + rank + "d.shared::cluster.global.im2col." +
          complete + " [%s], [%d31, " + coordinates(at) + "], [%r0], " +
          braces("%h", offsets.size()) + ";";
  std::string text = loadKernel(copy, images.channels * images.pixels * 4);
  expectAssembles(text);
  auto program = parse(text);
  ASSERT_TRUE(program);
  Memory memory;
  std::vector<float> data(images.elements());
  for (size_t i = 0; i < data.size(); ++i)
    data[i] = float(i + 1);
  Array<float> source(memory, data);
  Array<float> out(memory,
                   std::vector<float>(images.channels * images.pixels, -1));
  LaunchResult result = runOk(
      *program, tensorLaunch(encode(images.info(source.address)), out.address),
      memory);
  out.fetch();
  auto positions = images.positions(first);
  uint64_t inside = 0;
  for (uint32_t p = 0; p < images.pixels; ++p)
    for (uint32_t c = 0; c < images.channels; ++c) {
      int64_t place = images.place(channel + int(c), positions[p], offsets);
      inside += place >= 0;
      ASSERT_EQ(out.host[p * images.channels + c],
                place < 0 ? 0 : float(place + 1))
          << p << ", " << c;
    }
  EXPECT_EQ(result.counters.globalLoadBytes, 4 * inside);
}

TEST(TensorModes, Im2colDimensions) {
  // A filter of 3 along W; of 3 x 3; of 2 x 3 x 2.
  for (int tap : {0, 1, 2})
    checkIm2col({{8, 9, 3}, {-1}, {-1}, {1}, 8, 16}, 0, {3, 0}, {tap});
  checkIm2col({{8, 7, 5, 2}, {-1, -1}, {-1, -1}, {1, 1}, 4, 48}, 4, {-1, 2, 0},
              {2, 1});
  for (int tap : {0, 1})
    checkIm2col({{4, 5, 4, 3, 2}, {0, -1, 0}, {-1, -1, -1}, {1, 1, 1}, 4, 50},
                0, {2, 1, 0, 0}, {tap, 2, 1 - tap});
}

TEST(TensorModes, Im2colStrides) {
  // Every second position, and on into the next image.
  checkIm2col({{4, 9, 3}, {-1}, {-1}, {2}, 4, 12}, 0, {-1, 0}, {1});
  checkIm2col({{4, 9, 7, 2}, {-1, -1}, {-1, -1}, {2, 3}, 4, 20}, 0, {1, 2, 0},
              {2, 0});
  checkIm2col({{4, 6, 4, 3, 2}, {0, 0, 0}, {0, 0, 0}, {3, 1, 2}, 4, 20}, 0,
              {0, 1, 0, 0}, {0, 0, 0});
}

TEST(TensorModes, Im2colBorders) {
  // Channels and images that are not there are zero.
  checkIm2col({{4, 6, 2}, {0}, {0}, {1}, 8, 16}, 0, {0, 0}, {0});
  checkIm2col({{8, 6, 2}, {0}, {0}, {1}, 8, 8}, 4, {2, 1}, {0});
  // A bounding box within the image, and one larger than it.
  checkIm2col({{4, 8, 6, 2}, {2, 1}, {-3, -2}, {1, 1}, 4, 16}, 0, {3, 2, 0},
              {0, 1});
  checkIm2col({{4, 3, 3, 2}, {-2, -2}, {1, 1}, {1, 1}, 4, 60}, 0, {-2, -2, 0},
              {1, 0});
}

/// Stores have no offsets; what is outside is not written.
TEST(TensorModes, Im2colStores) {
  Images images{{4, 5, 4, 2}, {0, 0}, {1, 0}, {1, 1}, 4, 32};
  std::string text = tensorKernel(
      1, 512,
      "shl.b32 %r1, %t, 4;\nadd.s32 %r1, %s, %r1;\nmul.lo.u32 %r2, %t, 4;\n"
      "add.s32 %r3, %r2, 1;\nadd.s32 %r4, %r2, 2;\nadd.s32 %r5, %r2, 3;\n"
      "st.shared.v4.u32 [%r1], {%r2, %r3, %r4, %r5};\n"
      "fence.proxy.async.shared::cta;\nbar.sync 0;\n"
      "setp.ne.s32 %q0, %t, 0;\n@%q0 ret;\n"
      "cp.async.bulk.tensor.4d.global.shared::cta.im2col_no_offs.bulk_group "
      "[%d31, {0, 1, 2, 0}], [%s];\n"
      "cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;\n");
  expectAssembles(text);
  auto program = parse(text);
  ASSERT_TRUE(program);
  Memory memory;
  Array<uint32_t> tensor(memory,
                         std::vector<uint32_t>(images.elements(), 9999));
  LaunchResult result = runOk(
      *program, tensorLaunch(encode(images.info(tensor.address)), 0), memory);
  std::vector<uint32_t> expected(images.elements(), 9999);
  auto positions = images.positions({1, 2, 0});
  uint64_t inside = 0;
  for (uint32_t p = 0; p < images.pixels; ++p)
    for (int c = 0; c < 4; ++c)
      if (int64_t place = images.place(c, positions[p], {}); place >= 0) {
        expected[size_t(place)] = p * 4 + uint32_t(c);
        ++inside;
      }
  EXPECT_EQ(tensor.fetch(), expected);
  EXPECT_EQ(result.counters.globalStoreBytes, 4 * inside);
  EXPECT_LT(inside, uint64_t(images.pixels) * 4);
}

/// Slices of 16 or 32 bytes, each a row of the box.
TEST(TensorModes, Interleave) {
  for (unsigned slice : {16u, 32u}) {
    SCOPED_TRACE(slice);
    // Channels of one slice, W, H, slices, as NC/8HWC8 has them.
    constexpr uint32_t W = 6, H = 3, S = 4;
    uint32_t words = slice / 4;
    std::vector<uint32_t> data(words * W * H * S);
    for (uint32_t i = 0; i < data.size(); ++i)
      data[i] = i + 1;
    std::string copy =
        std::string("cp.async.bulk.tensor.4d.shared::cluster.global.tile.") +
        complete + " [%s], [%d31, {0, 4, 1, 2}], [%r0];";
    std::string text = loadKernel(copy, slice * 4 * 2 * 3);
    expectAssembles(text);
    auto program = parse(text);
    ASSERT_TRUE(program);
    Memory memory;
    Array<uint32_t> source(memory, data);
    TensorMapInfo info;
    info.type = TensorMapType::F16;
    info.address = source.address;
    info.dims = {slice / 2, W, H, S};
    info.strides = {slice, slice * W, slice * W * H};
    info.box = {slice / 2, 4, 2, 3};
    info.interleaveBytes = slice;
    info.swizzleBytes = slice == 32 ? 32 : 0;
    Array<uint32_t> out(memory, std::vector<uint32_t>(words * 24, 77));
    runOk(*program, tensorLaunch(encode(info), out.address), memory);
    out.fetch();
    for (uint32_t row = 0; row < 24; ++row) {
      uint32_t w = 4 + row % 4, h = 1 + row / 4 % 2, s = 2 + row / 8;
      bool inside = w < W && h < H && s < S;
      for (uint32_t k = 0; k < words; ++k) {
        uint32_t at = row * slice + k * 4;
        // Swizzle 32B: the two chunks of every other line of 128 bytes.
        if (slice == 32)
          at ^= (at >> 7 & 1) << 4;
        EXPECT_EQ(out.host[at / 4],
                  inside ? ((s * H + h) * W + w) * words + k + 1 : 0)
            << row << ", " << k;
      }
    }
    // A box that is not one slice wide, and a bad alignment.
    std::string message;
    info.box[0] = slice;
    EXPECT_FALSE(encodeTensorMap(info, message));
    EXPECT_NE(message.find("slice"), std::string::npos) << message;
    info.box[0] = slice / 2;
    info.strides[0] += 8;
    EXPECT_FALSE(encodeTensorMap(info, message));
    EXPECT_NE(message.find("multiple of " + std::to_string(slice)),
              std::string::npos)
        << message;
  }
}

/// A prefetch changes nothing that can be seen.
TEST(TensorModes, Prefetch) {
  Tensor tensor{{40, 12}, {16, 4}, {}, 4, 0};
  tensor.fill();
  std::string text = tensorKernel(
      1, 16,
      "setp.ne.s32 %q0, %t, 0;\n@%q0 ret;\n"
      "cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%d31, {32, 10}];\n"
      "cp.async.bulk.prefetch.tensor.2d.L2.global [%d31, {-4, 0}];\n"
      "cp.async.bulk.prefetch.L2.global [%p0], 64;\n"
      "prefetch.tensormap [%d31];\nprefetch.global.L2 [%p0];\n");
  expectAssembles(text);
  auto program = parse(text);
  ASSERT_TRUE(program);
  Memory memory;
  Array<uint8_t> source(memory, tensor.data);
  Array<uint8_t> out(memory, std::vector<uint8_t>(64, 5));
  LaunchResult result = runOk(
      *program, tensorLaunch(encode(tensor.info(source.address)), out.address),
      memory);
  EXPECT_EQ(out.fetch(), std::vector<uint8_t>(64, 5));
  EXPECT_EQ(source.fetch(), tensor.data);
  EXPECT_EQ(result.counters.globalLoadBytes, 0u);
  // In mode im2col with offsets, and through a map of the other mode.
  Images images{{8, 7, 5, 2}, {-1, -1}, {-1, -1}, {1, 1}, 8, 32};
  std::string im2col = tensorKernel(
      1, 16,
      "mov.b16 %h0, 1;\nmov.b16 %h1, 2;\n"
      "cp.async.bulk.prefetch.tensor.4d.L2.global.im2col [%d31, {0, -1, -1, "
      "0}], {%h0, %h1};\n");
  expectAssembles(im2col);
  program = parse(im2col);
  ASSERT_TRUE(program);
  runOk(*program,
        tensorLaunch(encode(images.info(source.address)), out.address), memory);
  LaunchResult bad = run(
      *program, tensorLaunch(encode(tensor.info(source.address)), out.address),
      memory);
  EXPECT_TRUE(bad.error);
}

} // namespace
