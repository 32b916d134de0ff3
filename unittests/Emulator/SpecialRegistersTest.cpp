//===- SpecialRegistersTest.cpp - Special registers -----------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every register of the PTX ISA's chapter "Special Registers" reads.
//
//===----------------------------------------------------------------------===//

#include "Hopper.h"

using namespace fusion::emulator;
using namespace fusion::emulator::test;

namespace {

/// The register as thread 37 of block (1,0,0) sees it: 40 threads in each of
/// four blocks, in clusters of two, with 64 bytes of static and 512 of dynamic
/// shared memory.
LaunchResult read(const std::string &name, uint64_t &value) {
  bool isLong = name.find("64") != std::string::npos ||
                name == "%globaltimer" || name == "%gridid" ||
                name == "%current_graph_exec";
  std::string text = hopperKernel(
      1, 64,
      std::string(isLong ? "mov.u64 %d0, " : "mov.u32 %r0, ") + name + ";\n" +
          (isLong ? "" : "cvt.u64.u32 %d0, %r0;\n") +
          "setp.ne.u32 %q0, %t, 37;\n@%q0 ret;\n"
          "setp.ne.u32 %q0, %c, 1;\n@%q0 ret;\n"
          "st.global.u64 [%p0], %d0;\n");
  if (name.find("%envreg32") && name.find("%pm8") && name.find("%nosuch"))
    expectAssembles(text);
  auto program = parse(text);
  Memory memory;
  Array<uint64_t> out(memory, std::vector<uint64_t>(1, ~uint64_t(0)));
  Launch launch = makeLaunch("k", {4, 1, 1}, {40, 1, 1}, out);
  launch.cluster = {2, 1, 1};
  launch.dynamicSharedMemory = 512;
  LaunchResult result = run(*program, launch, memory);
  value = out.fetch()[0];
  return result;
}

TEST(SpecialRegisters, HaveTheirValues) {
  struct Known {
    const char *name;
    uint64_t value;
  };
  for (const Known &known :
       std::initializer_list<Known>{{"%tid.x", 37},
                                    {"%tid.y", 0},
                                    {"%tid.z", 0},
                                    {"%ntid.x", 40},
                                    {"%ntid.y", 1},
                                    {"%ntid.z", 1},
                                    {"%laneid", 5},
                                    {"%warpid", 1},
                                    {"%nwarpid", 2},
                                    {"%ctaid.x", 1},
                                    {"%ctaid.y", 0},
                                    {"%ctaid.z", 0},
                                    {"%nctaid.x", 4},
                                    {"%nctaid.y", 1},
                                    {"%nctaid.z", 1},
                                    {"%smid", 0},
                                    {"%nsmid", 1},
                                    {"%gridid", 0},
                                    {"%clusterid.x", 0},
                                    {"%nclusterid.x", 2},
                                    {"%cluster_ctaid.x", 1},
                                    {"%cluster_nctaid.x", 2},
                                    {"%cluster_nctaid.z", 1},
                                    {"%cluster_ctarank", 1},
                                    {"%cluster_nctarank", 2},
                                    {"%lanemask_eq", 0x20},
                                    {"%lanemask_le", 0x3f},
                                    {"%lanemask_lt", 0x1f},
                                    {"%lanemask_ge", 0xffffffe0},
                                    {"%lanemask_gt", 0xffffffc0},
                                    {"%dynamic_smem_size", 512},
                                    {"%current_graph_exec", 0},
                                    {"%pm0", 0},
                                    {"%pm7", 0},
                                    {"%pm0_64", 0},
                                    {"%pm7_64", 0},
                                    {"%envreg0", 0},
                                    {"%envreg31", 0}}) {
    uint64_t value;
    LaunchResult result = read(known.name, value);
    EXPECT_FALSE(result.error) << known.name << ": " << result.error->message;
    EXPECT_EQ(value, known.value) << known.name;
  }
}

TEST(SpecialRegisters, OthersRead) {
  std::vector<std::string> names = {"%clock",
                                    "%clock_hi",
                                    "%clock64",
                                    "%globaltimer",
                                    "%globaltimer_lo",
                                    "%globaltimer_hi",
                                    "%reserved_smem_offset_begin",
                                    "%reserved_smem_offset_end",
                                    "%reserved_smem_offset_cap",
                                    "%reserved_smem_offset_0",
                                    "%reserved_smem_offset_1"};
  for (unsigned i = 0; i < 8; ++i) {
    names.push_back("%pm" + std::to_string(i));
    names.push_back("%pm" + std::to_string(i) + "_64");
  }
  for (unsigned i = 0; i < 32; ++i)
    names.push_back("%envreg" + std::to_string(i));
  for (const std::string &name : names) {
    uint64_t value;
    LaunchResult result = read(name, value);
    EXPECT_FALSE(result.error) << name << ": " << result.error->message;
  }
}

TEST(SpecialRegisters, SharedMemoryIsTold) {
  // What is reserved belongs to the aggregate size alone.
  uint64_t total, aggregate;
  read("%total_smem_size", total);
  read("%aggr_smem_size", aggregate);
  EXPECT_EQ(total, 512 + 64u);
  EXPECT_EQ(aggregate, 512 + 64u);
}

TEST(SpecialRegisters, UnknownOnesAreErrors) {
  for (const char *name : {"%envreg32", "%pm8", "%nosuch"}) {
    uint64_t value;
    LaunchResult result = read(name, value);
    ASSERT_TRUE(result.error) << name;
    EXPECT_EQ(result.error->message,
              "unknown register '" + std::string(name) + "'");
    EXPECT_NE(result.error->line, 0u);
  }
  // Where no special register may stand, either.
  auto message = [](const std::string &instruction) -> std::string {
    Memory memory;
    auto program = parse(".version 8.0\n.target sm_80\n.address_size 64\n"
                         ".visible .entry k()\n{\n.reg .b32 %r<2>;\n" +
                         instruction + ";\nret;\n}\n");
    LaunchResult result =
        run(*program, makeLaunch("k", {1, 1, 1}, {1, 1, 1}), memory, Options());
    return result.error ? result.error->message : "";
  };
  EXPECT_EQ(message("add.u32 %r0, %r1, %r9999"), "unknown register '%r9999'");
  EXPECT_EQ(message("mov.u32 %r0, %tid"),
            "'%tid' is a vector, of which '%tid.x' is an element");
  EXPECT_EQ(message("mov.u32 %r0, %cluster_ctarank"),
            "'%cluster_ctarank' needs .target sm_90, and the module has sm_80");
}

/// As operands of conversions, of 16 bits, and in two words.
TEST(SpecialRegisters, OfOtherWidths) {
  std::string text =
      hopperKernel(1, 16,
                   "mov.u16 %h0, %tid.x;\ncvt.u32.u16 %r0, %h0;\n"
                   "cvt.u64.u32 %d2, %ntid.x;\ncvt.u32.u64 %r1, %d2;\n"
                   "mov.b64 {%r2, %r3}, %clock64;\ncvt.u64.u32 %d1, %clock;\n"
                   "cvt.u32.u64 %r4, %d1;\nsub.u32 %r2, %r4, %r2;\n"
                   "mov.u32 %r5, %globaltimer_hi;\nor.b32 %r3, %r3, %r5;\n"
                   "setp.ne.u32 %q0, %t, 5;\n"
                   "@!%q0 st.global.v4.u32 [%p0], {%r0, %r1, %r2, %r3};\n");
  expectAssembles(text);
  auto program = parse(text);
  ASSERT_TRUE(program);
  Memory memory;
  Array<uint32_t> out(memory, std::vector<uint32_t>(4));
  runOk(*program, makeLaunch("k", {1, 1, 1}, {8, 1, 1}, out), memory);
  out.fetch();
  EXPECT_EQ(out.host[0], 5u);
  EXPECT_EQ(out.host[1], 8u);
  EXPECT_GT(out.host[2], 0u); // later
  EXPECT_LT(out.host[2], 10000u);
  EXPECT_EQ(out.host[3], 0u); // the high words
}

/// Early PTX moves all four elements at once.
TEST(SpecialRegisters, FourAtOnce) {
  std::string text = hopperKernel(
      1, 16,
      "mov.v4.u32 {%r0, %r1, %r2, %r3}, %ntid;\n"
      "setp.ne.u32 %q0, %t, 3;\n@!%q0 mov.v4.u32 {%r4, %r1, _, _}, %ctaid;\n"
      "@!%q0 st.global.v4.u32 [%p0], {%r0, %r1, %r2, %r3};\n");
  auto program = parse(text);
  ASSERT_TRUE(program);
  Memory memory;
  Array<uint32_t> out(memory, std::vector<uint32_t>(4));
  runOk(*program, makeLaunch("k", {1, 3, 1}, {8, 2, 3}, out), memory);
  out.fetch();
  EXPECT_EQ(out.host[0], 8u);
  EXPECT_LT(out.host[1], 3u);
  EXPECT_EQ(out.host[2], 3u);
  EXPECT_EQ(out.host[3], 0u);
}

} // namespace
