//===- TensorMapZerosTest.cpp - Tensor maps that kernels make -------------===//
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

/// A map made by the kernel itself out of 128 bytes of zeros: in global memory
/// where it stays, or in shared memory, from where `tensormap.cp_fenceproxy`
/// copies it. One box of 8 by 2 words at (20, 1) of a tensor of 24 by 4, from
/// p0 to p1 + 256; the map is at p1. `without` leaves one field out.
std::string mapOfZeros(bool inShared, const std::string &without = "",
                       const std::string &extra = "") {
  std::string space = inShared ? ".shared::cta" : ".global";
  std::string map = inShared ? "[%s]" : "[%p1]";
  std::string body = "setp.ne.s32 %q0, %t, 0;\nshl.b32 %r3, %t, 2;\n"
                     "cvt.u64.u32 %d1, %r3;\nadd.s32 %r4, %s, %r3;\n"
                     "add.s64 %d2, %p1, %d1;\nmov.u32 %r5, 0;\n";
  body +=
      inShared ? "st.shared.u32 [%r4], %r5;\n" : "st.global.u32 [%d2], %r5;\n";
  body += "bar.sync 0;\n@%q0 bra MADE;\n";
  auto replace = [&](const std::string &field, const std::string &value,
                     bool isWide = false) {
    if (field == without)
      return;
    std::string name = field, ordinal;
    if (size_t at = field.find(' '); at != std::string::npos) {
      name = field.substr(0, at);
      ordinal = field.substr(at + 1) + ", ";
    }
    std::string bits = isWide ? "64" : "32";
    std::string reg = isWide ? "%d5" : "%r5";
    bool isConstant = name == "elemtype" || name == "swizzle_mode" ||
                      name == "interleave_layout" || name == "fill_mode";
    if (!isConstant)
      body += "mov.b" + bits + " " + reg + ", " + value + ";\n";
    body += "tensormap.replace.tile." + name + space + ".b1024.b" + bits + " " +
            map + ", " + ordinal + (isConstant ? value : reg) + ";\n";
  };
  replace("global_address", "%p0", true);
  replace("rank", "1");
  replace("box_dim 0", "8");
  replace("box_dim 1", "2");
  replace("global_dim 0", "24");
  replace("global_dim 1", "4");
  replace("global_stride 0", "96", true);
  replace("element_stride 0", "1");
  replace("element_stride 1", "1");
  replace("elemtype", "7");
  replace("interleave_layout", "0");
  replace("swizzle_mode", "0");
  replace("fill_mode", "1");
  body += extra;
  if (!inShared)
    body += "fence.proxy.tensormap::generic.release.gpu;\n";
  body += "MADE:\nbar.sync 0;\n";
  if (inShared)
    body += "tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic."
            "release.gpu.sync.aligned [%p1], [%s], 128;\n";
  body += R"(
    fence.proxy.tensormap::generic.acquire.gpu [%p1], 128;
    add.s32 %r0, %s, 512;
    add.s32 %r7, %s, 256;
    @%q0 bra WAIT;
    mbarrier.init.shared::cta.b64 [%r0], 1;
    fence.proxy.async.shared::cta;
    mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r0], 64;
    cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r7], [%p1, {20, 1}], [%r0];
WAIT:
    bar.sync 0;
TRY:
    mbarrier.try_wait.parity.shared::cta.b64 %q1, [%r0], 0;
    @!%q1 bra TRY;
    setp.ge.s32 %q2, %t, 16;
    @%q2 bra OVER;
    ld.shared.u32 %r5, [%r4+256];
    st.global.u32 [%d2+256], %r5;
OVER:
)";
  return hopperKernel(2, 1024, body);
}

LaunchResult runMapOfZeros(const std::string &text,
                           std::vector<uint32_t> &results) {
  auto program = parse(text);
  if (!program)
    return {};
  Memory memory;
  std::vector<float> numbers(24 * 4);
  for (size_t i = 0; i < numbers.size(); ++i)
    numbers[i] = float(i);
  Array<float> source(memory, numbers);
  Array<uint32_t> out(memory, std::vector<uint32_t>(128));
  Options options;
  options.sanitize = true;
  LaunchResult result =
      run(*program, makeLaunch("k", {1, 1, 1}, {32, 1, 1}, source, out), memory,
          options);
  results = out.fetch();
  return result;
}

TEST(TensorMapZeros, EveryField) {
  for (bool inShared : {false, true}) {
    SCOPED_TRACE(inShared);
    std::string text = mapOfZeros(inShared);
    expectAssembles(text);
    std::vector<uint32_t> out;
    LaunchResult result = runMapOfZeros(text, out);
    ASSERT_FALSE(result.error) << result.error->message;
    EXPECT_TRUE(result.findings.empty()) << result.findings[0].message;
    for (unsigned row = 0; row < 2; ++row)
      for (unsigned i = 0; i < 8; ++i) {
        float value;
        std::memcpy(&value, &out[64 + row * 8 + i], 4);
        if (20 + i < 24)
          EXPECT_EQ(value, float((1 + row) * 24 + 20 + i));
        else
          EXPECT_EQ(out[64 + row * 8 + i], 0x7ff77ff7u);
      }
  }
}

/// Fields that are not set, or have values that do not exist.
TEST(TensorMapZeros, LackFields) {
  auto message = [](const std::string &without, const std::string &extra = "") {
    std::vector<uint32_t> out;
    LaunchResult result = runMapOfZeros(mapOfZeros(true, without, extra), out);
    return result.error ? result.error->message : std::string();
  };
  for (const char *field : {"rank", "box_dim 0", "box_dim 1", "global_dim 0",
                            "global_dim 1", "element_stride 1"})
    EXPECT_NE(message(field).find("the field " + std::string(field) +
                                  " of the tensor map is not set"),
              std::string::npos)
        << field << ": " << message(field);
  EXPECT_NE(message("global_address"), "");
  auto replaced = [&](const std::string &field, const std::string &value) {
    return message("", "tensormap.replace.tile." + field +
                           ".shared::cta.b1024.b32 [%s], " + value + ";\n");
  };
  EXPECT_EQ(replaced("swizzle_mode", "1"), "");
  EXPECT_NE(replaced("swizzle_mode", "4").find("is a constant from 0 to 3"),
            std::string::npos);
  EXPECT_NE(replaced("elemtype", "13").find("is a constant from 0 to 12"),
            std::string::npos);
  EXPECT_NE(replaced("elemtype", "%r5").find("is a constant from 0 to 12"),
            std::string::npos);
  EXPECT_NE(replaced("interleave_layout", "3").find("from 0 to 2"),
            std::string::npos);
  EXPECT_NE(replaced("fill_mode", "2").find("from 0 to 1"), std::string::npos);
  EXPECT_NE(replaced("swizzle_atomicity", "1").find("needs .target sm_100a"),
            std::string::npos);
  EXPECT_NE(replaced("box_dim", "0, 257").find("a value of 257"),
            std::string::npos);
}

} // namespace
