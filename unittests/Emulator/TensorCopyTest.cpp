//===- TensorCopyTest.cpp - cp.async.bulk.tensor and tensor maps ----------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TensorHarness.h"

using namespace fusion::emulator;
using namespace fusion::emulator::test;

namespace {

void checkLoad(Tensor tensor, const std::vector<int> &corner,
               bool nan = false) {
  SCOPED_TRACE("at " + coordinates(corner) + ", swizzle " +
               std::to_string(tensor.swizzle));
  tensor.fill();
  uint32_t bytes = tensor.boxBytes(), padded = (bytes + 127) / 128 * 128;
  std::string rank = std::to_string(tensor.dims.size());
  std::string body = R"(
    add.s32 %r0, %s, )" +
                     std::to_string(padded) + R"(;
    setp.ne.s32 %q0, %t, 0;
    @%q0 bra WAIT;
    mbarrier.init.shared::cta.b64 [%r0], 1;
    fence.mbarrier_init.release.cluster;
    fence.proxy.async;
    mbarrier.arrive.expect_tx.shared::cta.b64 %d0, [%r0], )" +
                     std::to_string(bytes) + R"(;
    cp.async.bulk.tensor.)" +
                     rank +
                     "d.shared::cluster.global.tile.mbarrier::complete_tx::"
                     "bytes [%s], [%d31, " +
                     coordinates(corner) + R"(], [%r0];
    ld.shared.u32 %r9, [%s];
    st.global.u32 [%p0+)" +
                     std::to_string(padded) + R"(], %r9;
WAIT:
    bar.sync 0;
TRY:
    mbarrier.try_wait.parity.shared::cta.b64 %q1, [%r0], 0;
    @!%q1 bra TRY;
    mov.u32 %r2, %t;
COPY:
    shl.b32 %r3, %r2, 4;
    setp.ge.s32 %q2, %r3, )" +
                     std::to_string(padded) + R"(;
    @%q2 bra END;
    add.s32 %r4, %s, %r3;
    ld.shared.v4.u32 {%r5, %r6, %r7, %r8}, [%r4];
    cvt.u64.u32 %d1, %r3;
    add.s64 %d1, %d1, %p0;
    st.global.v4.u32 [%d1], {%r5, %r6, %r7, %r8};
    add.s32 %r2, %r2, 32;
    bra COPY;
END:
)";
  std::string text = tensorKernel(1, padded + 8, body);
  expectAssembles(text);
  auto program = parse(text);
  ASSERT_TRUE(program);
  Memory memory;
  Array<uint8_t> source(memory, tensor.data);
  Array<uint8_t> out(memory, std::vector<uint8_t>(padded + 4));
  LaunchResult result =
      runOk(*program,
            tensorLaunch(encode(tensor.info(source.address, nan)), out.address),
            memory);
  std::vector<uint8_t> expected(padded, 0xff);
  uint64_t inside = 0;
  tensor.forBox(corner, [&](uint32_t shared, int64_t place) {
    uint32_t value = !nan ? 0 : tensor.bytes == 2 ? 0x7ff7 : 0x7ff77ff7;
    if (place >= 0) {
      std::memcpy(&value, &tensor.data[size_t(place)], tensor.bytes);
      inside += tensor.bytes;
    }
    std::memcpy(&expected[shared], &value, tensor.bytes);
  });
  out.fetch();
  EXPECT_EQ(std::vector<uint8_t>(out.host.begin(), out.host.begin() + padded),
            expected);
  EXPECT_EQ(result.counters.globalLoadBytes, inside);
  // No thread sees the data before the phase has ended.
  EXPECT_EQ(out.host[padded], 0xff);
  EXPECT_EQ(out.host[padded + 3], 0xff);
}

TEST(TensorCopy, Dimensions) {
  checkLoad({{100}, {32}, {}, 2, 0}, {16});
  checkLoad({{40, 20}, {32, 8}, {}, 2, 0}, {8, 4});
  checkLoad({{24, 10, 6}, {16, 3, 2}, {}, 4, 0}, {4, 5, 2});
  checkLoad({{24, 5, 4, 6}, {8, 3, 2, 4}, {}, 4, 0}, {4, 1, 1, 1});
  checkLoad({{16, 4, 3, 4, 5}, {8, 2, 3, 2, 3}, {}, 2, 0}, {8, 1, 0, 2, 1});
}
TEST(TensorCopy, Swizzles) {
  for (unsigned swizzle : {0u, 32u, 64u, 128u})
    for (unsigned bytes : {2u, 4u}) {
      uint32_t inner = (swizzle ? swizzle : 64) / bytes;
      checkLoad({{128, 64}, {inner, 32}, {}, bytes, swizzle}, {8, 16});
      checkLoad({{128, 16, 8}, {inner, 4, 5}, {}, bytes, swizzle}, {0, 3, 1});
    }
}
TEST(TensorCopy, OutOfBounds) {
  for (bool nan : {false, true})
    for (unsigned bytes : {2u, 4u}) {
      checkLoad({{40, 20}, {32, 8}, {}, bytes, 0}, {24, 16}, nan);
      checkLoad({{40, 20}, {32, 8}, {}, bytes, 0}, {-8, -3}, nan);
      checkLoad({{40, 20}, {32, 8}, {}, bytes, 0}, {40, 0}, nan);
      checkLoad({{37, 9, 3}, {16, 4, 4}, {}, bytes, 32 * bytes / 2},
                {32, 7, -1}, nan);
    }
}
TEST(TensorCopy, ElementStrides) {
  checkLoad({{64, 40}, {16, 16}, {1, 2}, 2, 0}, {8, 3});
  checkLoad({{64, 40, 9}, {16, 9, 8}, {1, 4, 3}, 4, 64}, {0, 30, 2});
}

/// Store, with clipping, and the reductions.
void checkStore(Tensor tensor, const std::vector<int> &corner,
                const std::string &reduction) {
  SCOPED_TRACE(reduction + " at " + coordinates(corner));
  tensor.fill();
  uint32_t bytes = tensor.boxBytes(), padded = (bytes + 127) / 128 * 128;
  std::string rank = std::to_string(tensor.dims.size()) + "d";
  std::string opcode =
      reduction.empty()
          ? "cp.async.bulk.tensor." + rank + ".global.shared::cta.bulk_group"
          : "cp.reduce.async.bulk.tensor." + rank + ".global.shared::cta." +
                reduction + ".tile.bulk_group";
  std::string body = R"(
    mov.u32 %r2, %t;
FILL:
    shl.b32 %r3, %r2, 2;
    setp.ge.s32 %q2, %r3, )" +
                     std::to_string(padded) + R"(;
    @%q2 bra ISSUE;
    add.s32 %r4, %s, %r3;
    cvt.u64.u32 %d1, %r3;
    add.s64 %d1, %d1, %p0;
    ld.global.u32 %r5, [%d1];
    st.shared.u32 [%r4], %r5;
    add.s32 %r2, %r2, 32;
    bra FILL;
ISSUE:
    fence.proxy.async.shared::cta;
    bar.sync 0;
    setp.ne.s32 %q0, %t, 0;
    @%q0 bra END;
    )" + opcode + " [%d31, " +
                     coordinates(corner) + R"(], [%s];
    cp.async.bulk.commit_group;
    cp.async.bulk.wait_group.read 0;
    st.shared.u32 [%s], 0x12345678;
    cp.async.bulk.wait_group 0;
END:
)";
  std::string text = tensorKernel(1, padded, body);
  expectAssembles(text);
  auto program = parse(text);
  ASSERT_TRUE(program);
  Memory memory;
  std::vector<uint32_t> box(padded / 4);
  for (size_t i = 0; i < box.size(); ++i)
    box[i] = uint32_t(1000 + i * 3);
  Array<uint8_t> target(memory, tensor.data);
  Array<uint32_t> source(memory, box);
  TensorMapInfo info = tensor.info(target.address);
  info.type = TensorMapType::U32;
  LaunchResult result =
      runOk(*program, tensorLaunch(encode(info), source.address), memory);
  std::vector<uint8_t> expected = tensor.data;
  uint64_t inside = 0;
  tensor.forBox(corner, [&](uint32_t shared, int64_t place) {
    if (place < 0)
      return;
    inside += 4;
    uint32_t value = box[shared / 4], old;
    std::memcpy(&old, &expected[size_t(place)], 4);
    if (reduction == "add")
      value += old;
    else if (reduction == "max")
      value = std::max(value, old);
    else if (reduction == "xor")
      value ^= old;
    std::memcpy(&expected[size_t(place)], &value, 4);
  });
  EXPECT_EQ(target.fetch(), expected);
  EXPECT_EQ(result.counters.globalStoreBytes, inside);
}

TEST(TensorCopy, Stores) {
  for (std::string reduction : {"", "add", "max", "xor"}) {
    checkStore({{40, 20}, {32, 8}, {}, 4, 0}, {4, 8}, reduction);
    checkStore({{40, 20}, {32, 8}, {}, 4, 128}, {-4, 15}, reduction);
    checkStore({{12, 6, 7}, {8, 4, 4}, {}, 4, 32}, {8, 3, 5}, reduction);
  }
}

/// A copy in mode .im2col: positions of a 3x3 filter at one tap.
TEST(TensorCopy, Im2col) {
  constexpr int C = 8, W = 7, H = 5, N = 2, pixels = 40;
  std::vector<float> tensor(size_t(C * W * H * N));
  for (size_t i = 0; i < tensor.size(); ++i)
    tensor[i] = float(i + 1);
  TensorMapInfo info;
  info.dims = {C, W, H, N};
  info.strides = {C * 4, C * W * 4, C * W * H * 4};
  info.im2col = Im2colInfo{{-1, -1, 0}, {-1, -1, 0}, C, pixels};
  Memory memory;
  Array<float> source(memory, tensor);
  info.address = source.address;
  std::string body = R"(
    add.s32 %r0, %s, 2048;
    setp.ne.s32 %q0, %t, 0;
    @%q0 bra WAIT;
    mbarrier.init.shared::cta.b64 [%r0], 1;
    mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r0], 1280;
    mov.b16 %h0, 2;
    mov.b16 %h1, 1;
    cp.async.bulk.tensor.4d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes [%s], [%d31, {0, -1, -1, 0}], [%r0], {%h0, %h1};
WAIT:
    bar.sync 0;
TRY:
    mbarrier.try_wait.parity.shared::cta.b64 %q1, [%r0], 0;
    @!%q1 bra TRY;
    mov.u32 %r2, %t;
COPY:
    shl.b32 %r3, %r2, 2;
    add.s32 %r4, %s, %r3;
    ld.shared.u32 %r5, [%r4];
    cvt.u64.u32 %d1, %r3;
    add.s64 %d1, %d1, %p0;
    st.global.u32 [%d1], %r5;
    add.s32 %r2, %r2, 32;
    setp.lt.s32 %q2, %r2, 320;
    @%q2 bra COPY;
)";
  std::string text = tensorKernel(1, 2056, body);
  expectAssembles(text);
  auto program = parse(text);
  ASSERT_TRUE(program);
  Array<float> out(memory, std::vector<float>(C * pixels));
  runOk(*program, tensorLaunch(encode(info), out.address), memory);
  out.fetch();
  // Base positions run over [-1, W - 1) x [-1, H - 1): 7 x 5 of them.
  for (int p = 0; p < pixels; ++p)
    for (int c = 0; c < C; ++c) {
      int w = p % 7 - 1 + 2, h = p / 7 % 5 - 1 + 1, n = p / 35;
      float expected =
          w >= W || h >= H ? 0 : tensor[size_t(((n * H + h) * W + w) * C + c)];
      ASSERT_EQ(out.host[size_t(p * C + c)], expected) << p << ", " << c;
    }
}

TEST(TensorCopy, BadMaps) {
  TensorMapInfo good;
  good.type = TensorMapType::F16;
  good.address = 1024;
  good.dims = {64, 64};
  good.strides = {128};
  good.box = {32, 8};
  std::string message;
  EXPECT_TRUE(encodeTensorMap(good, message)) << message;
  auto expect = [&](auto change, const char *part) {
    TensorMapInfo info = good;
    change(info);
    message.clear();
    EXPECT_FALSE(encodeTensorMap(info, message));
    EXPECT_NE(message.find(part), std::string::npos) << message;
  };
  using Info = TensorMapInfo;
  expect([](Info &i) { i.dims = {}; }, "1 to 5 dimensions");
  expect([](Info &i) { i.dims[0] = 0; }, "sizes of a tensor");
  expect([](Info &i) { i.strides.clear(); }, "1 strides");
  expect([](Info &i) { i.strides[0] = 120; }, "no multiple of 16");
  expect([](Info &i) { i.address = 8; }, "no multiple of 16");
  expect([](Info &i) { i.box[1] = 257; }, "sizes of a box");
  expect([](Info &i) { i.box[0] = 12; }, "no multiple of 16");
  expect([](Info &i) { i.swizzleBytes = 32; }, "exceeds the swizzle's");
  expect([](Info &i) { i.swizzleBytes = 48; }, "no swizzle of 48");
  expect([](Info &i) { i.interleaveBytes = 16; }, "at least 3 dimensions");
  expect([](Info &i) { i.elementStrides = {1, 9}; }, "element strides");
}

/// Boxes begin at multiples of 16 bytes of a row, in whatever direction they
/// are copied; an H200 ends the kernel otherwise.
TEST(TensorCopy, BeginsOfBoxes) {
  Tensor tensor{{40, 12}, {16, 4}, {}, 4, 0};
  tensor.fill();
  const std::string load =
      "mbarrier.init.shared::cta.b64 [%s+512], 1;\n"
      "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_"
      "tx::bytes [%s], [%d31, CORNER], [%s+512];\n";
  const std::string store = "cp.async.bulk.tensor.2d.global.shared::cta."
                            "bulk_group [%d31, CORNER], [%s];\n";
  const std::string reduce = "cp.reduce.async.bulk.tensor.2d.global.shared::"
                             "cta.add.tile.bulk_group [%d31, CORNER], [%s];\n";
  for (std::string copy : {load, store, reduce})
    for (int x : {-4, -1, 0, 1, 2, 4, 36, 38}) {
      SCOPED_TRACE(copy + std::to_string(x));
      std::string corner = coordinates({x, -1});
      copy.replace(copy.find("CORNER"), 6, corner);
      auto program = parse(
          tensorKernel(1, 520, "setp.ne.s32 %q0, %t, 0;\n@%q0 ret;\n" + copy));
      copy.replace(copy.find(corner), corner.size(), "CORNER");
      ASSERT_TRUE(program);
      Memory memory;
      Array<uint8_t> target(memory, tensor.data);
      LaunchResult result =
          run(*program, tensorLaunch(encode(tensor.info(target.address)), 0),
              memory);
      std::string message = result.error ? result.error->message : "";
      EXPECT_EQ(bool(result.error), x % 4 != 0) << message;
      if (result.error)
        EXPECT_NE(message.find("multiples of 16 bytes"), std::string::npos)
            << message;
    }
}

/// Every field of a map in shared memory replaced, copied back and used.
TEST(TensorCopy, Replace) {
  std::string body = R"(
    setp.ne.s32 %q0, %t, 0;
    mov.u32 %r2, %t;
    shl.b32 %r3, %t, 2;
    cvt.u64.u32 %d1, %r3;
    add.s64 %d2, %d31, %d1;
    ld.u32 %r5, [%d2];
    add.s32 %r4, %s, %r3;
    st.shared.u32 [%r4], %r5;
    bar.sync 0;
    @%q0 bra PUBLISH;
    tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%s], %p0;
    mov.u32 %r6, 24;
    tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [%s], 0, %r6;
    mov.u64 %d3, 96;
    tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [%s], 0, %d3;
    mov.u32 %r6, 8;
    tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [%s], 0, %r6;
    mov.u32 %r6, 1;
    tensormap.replace.tile.element_stride.shared::cta.b1024.b32 [%s], 1, %r6;
    tensormap.replace.tile.rank.shared::cta.b1024.b32 [%s], %r6;
    tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [%s], 7;
    tensormap.replace.tile.interleave_layout.shared::cta.b1024.b32 [%s], 0;
    tensormap.replace.tile.swizzle_mode.shared::cta.b1024.b32 [%s], 1;
    tensormap.replace.tile.fill_mode.shared::cta.b1024.b32 [%s], 1;
PUBLISH:
    bar.sync 0;
    tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%p1], [%s], 128;
    fence.proxy.tensormap::generic.acquire.gpu [%p1], 128;
    add.s32 %r0, %s, 512;
    @%q0 bra WAIT;
    mbarrier.init.shared::cta.b64 [%r0], 1;
    mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r0], 64;
    cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%s], [%p1, {20, 1}], [%r0];
WAIT:
    bar.sync 0;
TRY:
    mbarrier.try_wait.parity.shared::cta.b64 %q1, [%r0], 0;
    @!%q1 bra TRY;
    ld.shared.u32 %r5, [%r4];
    add.s64 %d2, %p1, %d1;
    st.global.u32 [%d2+256], %r5;
)";
  std::string text = tensorKernel(2, 1024, body);
  expectAssembles(text);
  auto program = parse(text);
  ASSERT_TRUE(program);
  Memory memory;
  std::vector<float> numbers(24 * 4);
  for (size_t i = 0; i < numbers.size(); ++i)
    numbers[i] = float(i);
  Array<float> source(memory, numbers);
  Array<uint32_t> out(memory, std::vector<uint32_t>(128));
  TensorMapInfo info;
  info.type = TensorMapType::F16;
  info.address = 1024;
  info.dims = {64, 4};
  info.strides = {128};
  info.box = {32, 2};
  info.elementStrides = {1, 2};
  runOk(*program, tensorLaunch(encode(info), source.address, out.address, true),
        memory);
  out.fetch();
  for (unsigned row = 0; row < 2; ++row)
    for (unsigned i = 0; i < 8; ++i) {
      uint32_t bits = out.host[64 + row * 8 + i];
      float value;
      std::memcpy(&value, &bits, 4);
      if (20 + i < 24)
        EXPECT_EQ(value, float((1 + row) * 24 + 20 + i));
      else
        EXPECT_EQ(bits, 0x7ff77ff7u);
    }
}

} // namespace
