//===- ModifiersTest.cpp - Which modifiers go together --------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Assembler.h"

#include <map>

using namespace fusion::emulator;
using namespace fusion::emulator::test;

namespace {

TEST(Modifiers, GoTogether) {
  const Names good{"cvt.rn.f32.bf16 %f1, %h1;",
                   "cvt.bf16.f16 %h1, %h1;",
                   "cvt.rzi.s32.f64 %r1, %f64a;",
                   "cvt.rni.f32.f32 %f1, %f1;",
                   "cvt.rna.tf32.f32 %r1, %f1;",
                   "ld.relaxed.gpu.L1::evict_last.global.u32 %r1, [%g];",
                   "ld.ca.nc.global.u32 %r1, [%g];",
                   "st.mmio.relaxed.sys.global.u32 [%g], %r1;",
                   "atom.acquire.global.add.u32 %r1, [%g], %r1;",
                   "red.release.gpu.global.add.u32 [%g], %r1;",
                   "red.global.max.noftz.v2.bf16x2 [%g], {%r1, %r2};",
                   "rcp.approx.ftz.f64 %f64a, %f64a;",
                   "ex2.approx.ftz.bf16 %h1, %h1;",
                   "div.full.f32 %f1, %f1, %f1;",
                   "min.xorsign.abs.f32 %f1, %f1, %f1;",
                   "mbarrier.arrive.relaxed.cluster.shared.b64 %d1, [%s];",
                   "mbarrier.complete_tx.relaxed.cta.shared.b64 [%s], %r1;"};
  const Names bad{"cvt.f16.f32 %h1, %f1;",
                  "cvt.rn.f64.f32 %f64a, %f1;",
                  "cvt.rn.s32.f32 %r1, %f1;",
                  "cvt.f32.s32 %f1, %r1;",
                  "cvt.rna.f32.f64 %f1, %f64a;",
                  "cvt.tf32.f32 %r1, %f1;",
                  "cvt.rn.tf32.f16 %r1, %h1;",
                  "cvt.rn.e4m3x2.f32 %h1, %f1, %f1;",
                  "ld.relaxed.global.u32 %r1, [%g];",
                  "ld.gpu.global.u32 %r1, [%g];",
                  "ld.release.gpu.global.u32 %r1, [%g];",
                  "ld.nc.u32 %r1, [%g];",
                  "ld.volatile.ca.global.u32 %r1, [%g];",
                  "ld.L2::nothing.global.u32 %r1, [%g];",
                  "st.ca.global.u32 [%g], %r1;",
                  "st.L2::128B.global.u32 [%g], %r1;",
                  "ldu.shared.u32 %r1, [%s];",
                  "atom.volatile.global.add.u32 %r1, [%g], %r1;",
                  "atom.global.add.f16 %h1, [%g], %h1;",
                  "atom.global.exch.b16 %h1, [%g], %h1;",
                  "red.acquire.gpu.global.add.u32 [%g], %r1;",
                  "red.global.max.noftz.bf16x2 [%g], %r1;",
                  "ex2.f32 %f1, %f1;",
                  "sqrt.f64 %f64a, %f64a;",
                  "fma.f32 %f1, %f1, %f1, %f1;",
                  "add.approx.f32 %f1, %f1, %f1;",
                  "min.xorsign.f32 %f1, %f1, %f1;",
                  "add.ftz.f64 %f64a, %f64a, %f64a;",
                  "mbarrier.arrive.release.shared.b64 %d1, [%s];",
                  "mbarrier.arrive.acquire.cta.shared.b64 %d1, [%s];",
                  "mbarrier.try_wait.cluster.shared.b64 %p1, [%s], %d1;",
                  "mbarrier.init.relaxed.cta.shared.b64 [%s], %r1;",
                  "redux.sync.add.b32 %r1, %r1, -1;",
                  "redux.sync.and.u32 %r1, %r1, -1;",
                  "redux.sync.max.abs.s32 %r1, %r1, -1;",
                  "redux.sync.min.NaN.u32 %r1, %r1, -1;",
                  "redux.sync.add.f32 %f1, %f1, -1;",
                  "tensormap.replace.tile.rank.global.b1024.b64 [%g], %d1;",
                  "tensormap.replace.tile.global_stride.global.b1024.b32 [%g], "
                  "0, %r1;",
                  "tensormap.replace.tile.fill_mode.global.b64 [%g], 1;"};
  for (const std::string &instruction : good)
    EXPECT_TRUE(isAccepted(instruction)) << instruction;
  for (const std::string &instruction : bad) {
    unsigned line;
    Error error = errorOf(instruction, line);
    EXPECT_NE(error.message.find("unknown or unsupported instruction '"),
              std::string::npos)
        << instruction << ": " << error.message;
    EXPECT_EQ(error.line, line) << instruction;
  }
}

/// What ptxas refuses; it looks for some errors only where there are no others.
std::set<unsigned> allRefused(const Names &all) {
  std::vector<unsigned> left(all.size());
  std::set<unsigned> bad;
  for (unsigned i = 0; i < all.size(); ++i)
    left[i] = i;
  while (true) {
    Names text;
    for (unsigned i : left)
      text.push_back(all[i]);
    unsigned first;
    std::string whole = module(text, first);
    std::set<unsigned> lines = refused(whole, first);
    if (lines.empty())
      return bad;
    std::vector<unsigned> good;
    for (unsigned i = 0; i < left.size(); ++i)
      if (lines.count(i))
        bad.insert(left[i]);
      else
        good.push_back(left[i]);
    left = std::move(good);
  }
}

TEST(Modifiers, AsTheAssembler) {
  if (!hasAssembler())
    GTEST_SKIP() << "no ptxas";
  Names all;
  // Conversions between all types.
  const std::map<std::string, std::string> registers{
      {"f16", "%h1"},  {"bf16", "%h1"}, {"f32", "%f1"}, {"f64", "%f64a"},
      {"tf32", "%r1"}, {"u8", "%r1"},   {"s32", "%r1"}, {"u64", "%d1"}};
  for (const auto &[to, d] : registers)
    for (const auto &[from, a] : registers)
      for (const char *rounding : {"", ".rn", ".rz", ".rzi", ".rna"})
        if (to != from)
          all.push_back("cvt" + std::string(rounding) + "." + to + "." + from +
                        " " + d + ", " + a + ";");
  // Orders, scopes and caches.
  for (const char *order :
       {"weak", "volatile", "relaxed", "acquire", "release", "acq_rel", "mmio",
        "mmio.relaxed", "ca", "cg", "wb", "nc", "weak.cg", "L1::evict_last",
        "L1::evict_last.cg", "L2::128B", "L2::evict_last"})
    for (const char *scope : {"", ".cta", ".gpu", ".sys"}) {
      std::string both = std::string(order) + scope;
      all.push_back("ld." + both + ".global.u32 %r1, [%g];");
      all.push_back("ld." + both + ".shared.u32 %r1, [%s];");
      all.push_back("st." + both + ".global.u32 [%g], %r1;");
      all.push_back("atom." + both + ".global.add.u32 %r1, [%g], %r1;");
      all.push_back("red." + both + ".global.add.u32 [%g], %r1;");
    }
  for (const char *operation : {"add", "min", "max"})
    for (const char *noftz : {"", ".noftz"})
      for (const char *type : {"f16", "bf16", "f32", "u32", "bf16x2"}) {
        std::string value = type[1] == '1' || type[4] == 0 ? "%h1" : "%r1";
        if (std::string(type) == "bf16x2" || type[1] == '3')
          value = "%r1";
        all.push_back("red.global." + std::string(operation) + noftz + "." +
                      type + " [%g], " + value + ";");
      }
  // Roundings and flags of floating-point operations.
  for (const char *root : {"add", "mul", "fma", "div", "sqrt", "rcp", "rsqrt",
                           "sin", "lg2", "ex2", "tanh", "min", "abs", "neg"}) {
    std::string name = root;
    unsigned arity =
        name == "fma"                                                      ? 3
        : name == "add" || name == "mul" || name == "div" || name == "min" ? 2
                                                                           : 1;
    for (const char *type : {"f32", "f64", "f16", "bf16"})
      for (const char *modifier :
           {"", ".rn", ".approx", ".full", ".approx.ftz", ".rn.ftz", ".sat",
            ".rn.sat", ".NaN", ".xorsign", ".xorsign.abs", ".rn.relu"}) {
        std::string text = name + modifier + "." + type;
        for (unsigned i = 0; i <= arity; ++i)
          text += (i ? ", " : " ") + registers.at(type);
        all.push_back(text + ";");
      }
  }
  for (const char *operation :
       {"arrive", "arrive_drop", "test_wait", "try_wait", "expect_tx",
        "complete_tx", "inval"})
    for (const char *order : {"", ".relaxed", ".acquire", ".release"})
      for (const char *scope : {"", ".cta", ".cluster"}) {
        std::string name = operation;
        bool waits = name.find("wait") != std::string::npos;
        all.push_back("mbarrier." + name + order + scope + ".shared.b64 " +
                      (waits             ? "%p1, [%s], %d1;"
                       : name[0] == 'a'  ? "%d1, [%s];"
                       : name == "inval" ? "[%s];"
                                         : "[%s], %r1;"));
      }
  std::set<unsigned> bad = allRefused(all);
  ASSERT_GT(all.size(), 1200u);
  ASSERT_GT(bad.size(), 500u);
  ASSERT_LT(bad.size(), all.size() - 200);
  for (unsigned i = 0; i < all.size(); ++i) {
    unsigned line;
    std::string message = errorOf(all[i], line).message;
    EXPECT_EQ(isRefusal(message), bad.count(i) == 1)
        << all[i] << ": " << message;
  }
}

} // namespace
