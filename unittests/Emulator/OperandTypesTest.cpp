//===- OperandTypesTest.cpp - Registers that instructions take ------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Hopper.h"
#include "TargetForms.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <map>
#include <set>

using namespace fusion::emulator;
using namespace fusion::emulator::test;

namespace {

using Names = std::vector<std::string>;

/// Registers of each width, by their types.
const Names &ofWidth(unsigned bits) {
  static const Names narrow{"%xb16", "%xu16", "%xs16", "%xf16"},
      word{"%xb32", "%xu32", "%xs32", "%xf32", "%xf16x2"},
      wide{"%xb64", "%xu64", "%xs64", "%xf64"}, none;
  return bits == 16 ? narrow : bits == 32 ? word : bits == 64 ? wide : none;
}

/// Of the registers that the forms name.
unsigned widthOf(const std::string &name) {
  static const std::map<std::string, unsigned> others{
      {"%s", 32}, {"%s1", 32},   {"%g", 64},
      {"%l", 64}, {"%f64a", 64}, {"%f64b", 64}};
  if (auto it = others.find(name); it != others.end())
    return it->second;
  if (name.size() != 3 || name[2] < '0' || name[2] > '9')
    return 0;
  switch (name[1]) {
  case 'h':
    return 16;
  case 'r':
  case 'f':
    return 32;
  case 'd':
    return 64;
  default:
    return 0;
  }
}

/// A kernel with these instructions, one to a line from line `first` on.
std::string module(const Names &instructions, unsigned &first) {
  std::string text =
      ".version 8.8\n.target sm_90a\n.address_size 64\n"
      ".const .align 16 .b8 cst[64];\n"
      ".visible .entry k(.param .u64 g) .maxntid 128 .minnctapersm 1\n{\n"
      ".reg .b32 %r<10>, %s, %s1;\n.reg .b64 %d<4>, %g, %l;\n"
      ".reg .f32 %f<6>;\n.reg .f64 %f64a, %f64b;\n.reg .pred %p<5>;\n"
      ".reg .b16 %h<3>;\n.reg .b128 %q<3>;\n.reg .b8 %b<3>;\n"
      ".shared .align 128 .b8 sm[4096];\n.local .align 16 .b8 lo[64];\n";
  for (unsigned bits : {16u, 32u, 64u})
    for (const std::string &name : ofWidth(bits))
      text += ".reg ." + name.substr(2) + " " + name + ";\n";
  first = unsigned(std::count(text.begin(), text.end(), '\n')) + 1;
  for (const std::string &instruction : instructions)
    text += instruction + "\n";
  return text + "ret;\n}\n";
}

/// What is said about a kernel with that instruction, and its line.
Error errorOf(const std::string &instruction, unsigned &line) {
  Error error;
  auto program = Program::parse(module({instruction}, line), error);
  if (!program)
    return error;
  Memory memory;
  Options options;
  options.instructionLimit = 1;
  LaunchResult result =
      run(*program, makeLaunch("k", {1, 1, 1}, {128, 1, 1}, uint64_t(0)),
          memory, options);
  return result.error ? *result.error : Error();
}

bool isAccepted(const std::string &instruction) {
  unsigned line;
  return errorOf(instruction, line).message.find("wrong type") ==
         std::string::npos;
}

/// The lines of the text that ptxas refuses, from `first` on.
std::set<unsigned> refused(const std::string &text, unsigned first) {
  std::string path = ::testing::TempDir() + "/fusion-operands.ptx";
  std::ofstream(path) << text;
  std::set<unsigned> lines;
  FILE *pipe =
      popen(("ptxas -arch=sm_90a -o /dev/null " + path + " 2>&1").c_str(), "r");
  char buffer[1024];
  while (pipe && std::fgets(buffer, sizeof(buffer), pipe)) {
    std::string message = buffer;
    size_t at = message.find("line ");
    if (at != std::string::npos && message.find("error") != std::string::npos)
      lines.insert(unsigned(std::stoul(message.substr(at + 5))) - first);
  }
  if (pipe)
    pclose(pipe);
  std::remove(path.c_str());
  return lines;
}

TEST(OperandTypes, AreThoseOfTheInstruction) {
  const std::array<const char *, 14> good{
      "add.u32 %xs32, %xb32, %xu32;",   "add.f32 %xf32, %xb32, %xf32;",
      "and.b32 %xf32, %xu32, %xf16x2;", "mov.b32 %xf32, %xs32;",
      "mov.f32 %xb32, %xf32;",          "fma.rn.f16 %xf16, %xb16, %xf16, %h1;",
      "add.f16x2 %xf16x2, %xb32, %r1;", "selp.b64 %xf64, %xu64, %xs64, %p1;",
      "setp.lt.s32 %p1, %xu32, %xb32;", "cvt.rn.f32.s32 %xf32, %xu32;",
      "ld.global.b32 %xf64, [%xu64];",  "st.global.f32 [%xs64], %xb64;",
      "mul.wide.s32 %xu64, %r1, %r1;",  "shl.b32 %xf32, %xf32, %xu32;"};
  for (const char *instruction : good)
    EXPECT_TRUE(isAccepted(instruction)) << instruction;
  const std::array<const char *, 14> bad{
      "add.u32 %r1, %xf32, %r1;",     "add.s32 %xf32, %r1, %r1;",
      "add.f32 %f1, %xu32, %f1;",     "mov.u32 %r1, %xf32;",
      "mov.f64 %xs64, %f64a;",        "fma.rn.f16 %h1, %h1, %xu16, %h1;",
      "add.f16x2 %r1, %xu32, %r1;",   "add.f16x2 %r1, %xf32, %r1;",
      "setp.lt.s32 %p1, %xf32, %r1;", "setp.lt.f32 %p1, %xs32, %f1;",
      "cvt.rn.f32.s32 %xu32, %r1;",   "ld.global.u32 %xf64, [%g];",
      "st.global.f32 [%g], %xu32;",   "shl.b32 %r1, %r1, %xf32;"};
  for (const char *instruction : bad) {
    unsigned line;
    Error error = errorOf(instruction, line);
    EXPECT_NE(error.message.find("has the wrong type for '"), std::string::npos)
        << instruction << ": " << error.message;
    EXPECT_EQ(error.line, line) << instruction;
  }
  unsigned line;
  EXPECT_EQ(errorOf("ld.global.u32 %r1, [%f64a];", line).message,
            "'%f64a' is no address");
}

/// Every register of every form in turn, as one of each type of its width.
TEST(OperandTypes, AsTheAssembler) {
  if (std::system("ptxas --version >/dev/null 2>&1") != 0)
    GTEST_SKIP() << "no ptxas";
  Names forms{
      "add.u32 %r1, %r1, %r1;",
      "add.f32 %f1, %f1, %f1;",
      "add.f64 %f64a, %f64a, %f64a;",
      "add.f16 %h1, %h1, %h1;",
      "add.f16x2 %r1, %r1, %r1;",
      "mul.wide.u16 %r1, %h1, %h1;",
      "mad.wide.u32 %d1, %r1, %r1, %d1;",
      "shr.s64 %d1, %d1, %r1;",
      "setp.lt.s32 %p1, %r1, %r1;",
      "setp.lt.f32 %p1, %f1, %f1;",
      "setp.eq.b64 %p1, %d1, %d1;",
      "set.lt.u32.f32 %r1, %f1, %f1;",
      "set.lt.f32.s32 %f1, %r1, %r1;",
      "selp.b32 %r1, %r1, %r1, %p1;",
      "selp.f32 %f1, %f1, %f1, %p1;",
      "slct.u64.f32 %d1, %d1, %d1, %f1;",
      "mov.u32 %r1, %r1;",
      "mov.b32 %r1, %r1;",
      "mov.f32 %f1, %f1;",
      "mov.u64 %d1, %d1;",
      "mov.b64 %d1, %d1;",
      "mov.f64 %f64a, %f64a;",
      "mov.u16 %h1, %h1;",
      "mov.b64 {%r1, %r2}, %d1;",
      "mov.b32 %r1, {%h1, %h2};",
      "mov.u32 %r1, %tid.x;",
      "mov.u64 %d1, %clock64;",
      "mov.u64 %d1, sm;",
      "cvt.rzi.u32.f32 %r1, %f1;",
      "cvt.rn.f32.s32 %f1, %r1;",
      "cvt.u64.u32 %d1, %r1;",
      "cvt.u16.u32 %h1, %r1;",
      "cvt.rn.f16.f32 %h1, %f1;",
      "cvt.f32.f16 %f1, %h1;",
      "cvt.rn.f16x2.f32 %r1, %f1, %f2;",
      "cvt.f64.f32 %f64a, %f1;",
      "ld.global.u32 %r1, [%g];",
      "ld.global.b32 %r1, [%g];",
      "ld.global.f32 %f1, [%g];",
      "ld.global.f64 %f64a, [%g];",
      "ld.global.u8 %r1, [%g];",
      "ld.global.b16 %h1, [%g];",
      "ld.global.v2.f32 {%f1, %f2}, [%g];",
      "st.global.u32 [%g], %r1;",
      "st.global.f32 [%g], %f1;",
      "st.global.b16 [%g], %h1;",
      "st.shared.v2.f32 [%s], {%f1, %f2};",
      "atom.global.add.u32 %r1, [%g], %r1;",
      "atom.global.add.f32 %f1, [%g], %f1;",
      "atom.global.cas.b32 %r1, [%g], %r1, %r1;",
      "atom.global.exch.b64 %d1, [%g], %d1;",
      "red.global.add.f64 [%g], %f64a;",
      "shfl.sync.bfly.b32 %r1|%p1, %r1, %r2, %r3, %r4;",
      "vote.sync.ballot.b32 %r1, %p1, -1;",
      "redux.sync.add.s32 %r1, %r1, %r2;",
      "match.any.sync.b32 %r1, %r1, %r2;",
      "popc.b64 %r1, %d1;",
      "bfe.u32 %r1, %r1, %r2, %r3;",
      "bfi.b32 %r1, %r1, %r2, %r3, %r4;",
      "prmt.b32 %r1, %r1, %r2, %r3;",
      "lop3.b32 %r1, %r1, %r2, %r3, 0x3f;",
      "shf.l.wrap.b32 %r1, %r1, %r2, %r3;",
      "rem.s64 %d1, %d1, %d1;",
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1,%f2,%f3,%f4}, "
      "{%r1,%r2,%r3,%r4}, {%r1,%r2}, {%f1,%f2,%f3,%f4};",
      "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%r1,%r2,%r3,%r4}, "
      "{%r1,%r2,%r3,%r4}, {%r1,%r2}, {%r1,%r2,%r3,%r4};",
      "cp.async.ca.shared.global [%s], [%g], 4, %r1;",
      "bar.sync %r1, %r2;",
      "vadd.s32.s32.s32 %r1, %r2, %r3;"};
  for (const TargetForm &form : targetForms)
    forms.push_back(form.instruction);
  std::set<unsigned> bad;
  {
    unsigned first;
    std::string text = module(forms, first);
    bad = refused(text, first);
  }
  Names all;
  for (unsigned i = 0; i < forms.size(); ++i) {
    const std::string &form = forms[i];
    if (bad.count(i)) // not of that target
      continue;
    for (size_t at = 0; (at = form.find('%', at)) != std::string::npos; ++at) {
      size_t end = form.find_first_not_of(
          "abcdefghijklmnopqrstuvwxyz_0123456789", at + 1);
      for (const std::string &name :
           ofWidth(widthOf(form.substr(at, end - at)))) {
        all.push_back(form.substr(0, at) + name + form.substr(end));
      }
    }
  }
  ASSERT_GT(all.size(), 4000u);
  unsigned first;
  std::string text = module(all, first);
  std::set<unsigned> lines = refused(text, first);
  ASSERT_GT(lines.size(), 1000u);
  // Nothing that ptxas takes is refused, but for an address in a register of
  // .f64. What it refuses is taken where a word is as good as another:
  // policies, prefetched addresses, states of mbarriers, fragments of A and B,
  // registers of .f16x2.
  const std::set<std::string> lenient{
      "applypriority", "atom", "cp",       "createpolicy", "discard", "ld",
      "mbarrier",      "mma",  "prefetch", "prefetchu",    "red",     "st",
      "wmma"};
  for (unsigned i = 0; i < all.size(); ++i) {
    unsigned line;
    std::string message = errorOf(all[i], line).message;
    bool isRefused = message.find("wrong type") != std::string::npos ||
                     message.find("is no address") != std::string::npos;
    if (!lines.count(i))
      EXPECT_FALSE(isRefused && all[i].find("[%xf64]") == std::string::npos)
          << all[i] << ": " << message;
    else if (!lenient.count(all[i].substr(0, all[i].find_first_of(". "))) &&
             all[i].find("%xf16x2") == std::string::npos)
      EXPECT_TRUE(isRefused) << all[i] << ": " << message;
  }
}

} // namespace
