//===- ParserTest.cpp - PTX that is wrong, and PTX that looks wrong -------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Harness.h"

using namespace fusion::emulator;
using namespace fusion::emulator::test;

namespace {

const char *const prologue = ".version 8.0\n.target sm_80\n.address_size 64\n";

/// The error of a text that does not parse, or whose kernel `k` does not run.
Error errorOf(const std::string &text) {
  Error error;
  auto program = Program::parse(prologue + text, error);
  if (!program)
    return error;
  Memory memory;
  Launch launch;
  launch.kernel = "k";
  Options options;
  options.instructionLimit = 100000;
  LaunchResult result = run(*program, launch, memory, options);
  EXPECT_TRUE(result.error) << "no error: " << text;
  return result.error.value_or(Error());
}

void expectError(const std::string &text, unsigned line,
                 const std::string &part) {
  Error error = errorOf(text);
  EXPECT_EQ(error.line, line) << error.message << "\n" << text;
  EXPECT_NE(error.message.find(part), std::string::npos) << error.message;
}

std::string kernel(const std::string &body) {
  return ".entry k()\n{\n" + body + "\nret;\n}\n";
}

TEST(Parser, NamesTheLine) {
  expectError(kernel("bogus.u32 %r1;"), 6, "instruction 'bogus.u32'");
  expectError(kernel("bogus.u32 1;"), 6, "instruction 'bogus.u32'");
  expectError(kernel(".reg .b32 %r<2>;\nadd.u32 %r1, %r1, %r2;"), 7, "'%r2'");
  expectError(kernel(".reg .b32 %r<2>;\nadd.u31 %r1, %r1, %r1;"), 7,
              "'add.u31'");
  expectError(kernel(".reg .b32 %r<2>;\nadd.u32.bogus %r1, %r1, %r1;"), 7,
              "'add.u32.bogus'");
  expectError(kernel("bra nowhere;"), 6, "'nowhere' is not defined");
  expectError(kernel("mov.u32 1, 2;"), 6, "not a register");
  expectError(kernel(".reg .b32 %r;\n.reg .b32 %r;"), 7, "redefinition");
  expectError(kernel(".reg .b32 %r<2>;\n.reg .b32 %r<4>;"), 7, "redefinition");
  // No register of a range has the range's name.
  std::string header = ".version 8.0\n.target sm_80\n.address_size 64\n";
  EXPECT_TRUE(parse(header + kernel(".reg .b16 %h, %h<8>;\nmov.u16 %h, 1;\n"
                                    "mov.u16 %h7, %h;")));
  EXPECT_TRUE(parse(header + kernel(".reg .b16 %h<8>;\n.reg .b32 %h;\n"
                                    "mov.u32 %h, 1;\nmov.u16 %h0, 2;")));
  expectError(kernel(".reg .b32 %r<2>;\nmov.u32 %r, 1;"), 7,
              "'%r' is not a register");
  expectError(kernel("{\n"), 10, "missing '}'");
  expectError(kernel("/* no end"), 6, "comment without end");
  expectError(kernel(".reg .b64 %d;\nadd.u32 %d, 1, 2;"), 7, "too wide");
  expectError(kernel(".reg .b32 %r;\nadd.f32 %r, 1, 2;"), 7, "integer");
  expectError(kernel(".reg .b32 %r;\nmov.u32 %r, 99999999999999999999;"), 7,
              "64 bits");
  expectError(kernel("@%p bra x;"), 6, "'%p' is not a predicate");
  expectError(kernel(".shared .b8 s[4000000000];"), 6, "too large");
  expectError(kernel(".shared .b8 s[1000000];\n.reg .b64 %d;\nmov.u64 %d, s;"),
              4, "shared memory");
  expectError("garbage", 4, "expected a directive");
  expectError(".global .u32 x = {1, 2};", 4, "too many initial values");
  expectError(".global .u64 x = y;", 4, "'y' is not a variable");
  expectError(".extern .func f;\n" + kernel("call f;"), 7,
              "'f' is not defined");
  expectError(".entry j() {}", 0, "no kernel 'k'");
}

TEST(Parser, UnknownInstructionsAreErrorsEvenWhereNobodyComes) {
  expectError(kernel("ret;\nfancy.new.instruction;"), 7,
              "'fancy.new.instruction'");
  // But a kernel that does not contain them runs.
  Error error;
  auto program = Program::parse(std::string(prologue) + kernel("") +
                                    ".entry other() { fancy.new; }",
                                error);
  ASSERT_TRUE(program) << error.message;
  Memory memory;
  Launch launch;
  launch.kernel = "k";
  EXPECT_FALSE(run(*program, launch, memory).error);
}

TEST(Parser, HostileTexts) {
  std::string deep;
  for (int i = 0; i < 100000; ++i)
    deep += "{";
  expectError(kernel(deep), 6, "too deeply");
  std::string vectors = "mov.b32 ";
  for (int i = 0; i < 100000; ++i)
    vectors += "{";
  expectError(kernel(vectors), 6, "too deeply");
  expectError(".global .u32 x = " + std::string(100000, '{') + ";", 4,
              "too deeply");
  // A range of registers costs nothing until they are used.
  Error error;
  EXPECT_TRUE(Program::parse(
      std::string(prologue) + kernel(".reg .b64 %r<4000000000>;"), error));
  EXPECT_FALSE(Program::parse("", error));
  EXPECT_FALSE(Program::parse(std::string("\0\xff\x80", 3), error));
  EXPECT_FALSE(Program::parse(".version", error));
  EXPECT_FALSE(Program::parse(".version 8.0 .entry", error));
  std::string rest = "\n.target sm_80\n.address_size 64\n" + kernel("");
  EXPECT_TRUE(Program::parse(".version 9.9" + rest, error));
  EXPECT_FALSE(Program::parse(".version 10.0" + rest, error));
  EXPECT_NE(error.message.find("10.0 is newer"), std::string::npos)
      << error.message;
}

/// The versions that ptxas takes, and later ones of PTX ISA 9, whose new
/// instructions are rejected one by one.
TEST(Parser, Versions) {
  bool compares = std::system("ptxas --version >/dev/null 2>&1") == 0;
  std::string path = ::testing::TempDir() + "/fusion-version.ptx";
  for (unsigned major = 0; major <= 10; ++major)
    for (unsigned minor = 0; minor <= 9; ++minor) {
      std::string version = std::to_string(major) + "." + std::to_string(minor);
      std::string text = ".version " + version + "\n.target sm_75\n";
      Error error;
      bool takes = bool(Program::parse(text, error));
      std::string why = major > 9 ? " is newer than this emulator knows"
                                  : "there is no PTX ISA " + version;
      if (!takes)
        EXPECT_NE(error.message.find(why), std::string::npos) << error.message;
      bool isNewer = major == 9 && minor > 0;
      if (isNewer || major == 10)
        EXPECT_EQ(takes, isNewer) << version;
      if (!compares || isNewer)
        continue;
      std::ofstream(path) << text;
      std::string command =
          "ptxas -arch=sm_75 -o /dev/null " + path + " >/dev/null 2>&1";
      EXPECT_EQ(takes, std::system(command.c_str()) == 0) << version;
    }
  std::remove(path.c_str());
  Error error;
  EXPECT_FALSE(Program::parse(".version 8.10\n.target sm_75\n", error));
  EXPECT_EQ(error.message, "there is no PTX ISA 8.10");
}

TEST(Parser, ScopesAndSpellings) {
  std::string text = std::string(prologue) + R"(
.file 1 "x.cu"
.global .align 4 .u32 table[4] = {1, 0x2, 03, -1};
.global .u64 pointer = generic(table)+8;
.const .f32 one = 0f3F800000;
.visible .entry k(.param .u64 .ptr .global .align 8 out)
.maxntid 32, 1, 1
.minnctapersm 1
{
  .loc 1 2 3
  .reg .pred %p<3>;
  .reg .b32 %r<8>, %x1;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, 5; // outer
  { .reg .b32 %r1; .reg .pred p;
    mov.u32 %r1, 7;
    setp.eq.u32 p, %r1, 7;
LOOP:
    @!p bra LOOP;
    mov.u32 %r2, %r1; }
  { .reg .b32 %r1;
LOOP: mov.u32 %r1, 1; }
  ld.global.u64 %rd2, [pointer];
  ld.u32 %r3, [%rd2+4];
  ld.global.u32 %r4, [table+4];
  ld.const.b32 %r5, [one];
  mov.u32 %x1, WARP_SZ;
  st.global.v4.u32 [%rd1], {%r1, %r2, %r3, %r4};
  st.global.v2.b32 [%rd1+0x10], {%r5, %x1};
  ret;
}
)";
  auto program = parse(text);
  ASSERT_TRUE(program);
  auto parameters = program->parameters("k");
  ASSERT_TRUE(parameters);
  EXPECT_TRUE(parameters->at(0).isPointer);
  EXPECT_EQ(parameters->at(0).bytes, 8u);
  Memory memory;
  Array<uint32_t> out(memory, std::vector<uint32_t>(6));
  runOk(*program, makeLaunch("k", {1, 1, 1}, {1, 1, 1}, out), memory);
  EXPECT_EQ(out.fetch(), (std::vector<uint32_t>{5, 7, ~0u, 2, 0x3f800000, 32}));
}

TEST(Parser, MutatedTexts) {
  // Every outcome is fine but a crash or a hang.
  std::mt19937 generator(1);
  for (std::string name : {"basics.ptx", "gemm.ptx"}) {
    std::string original = corpus(name);
    for (int round = 0; round < 150; ++round) {
      std::string text = original;
      for (unsigned edits = 1 + generator() % 8; edits; --edits) {
        size_t at = generator() % text.size();
        switch (generator() % 4) {
        case 0:
          text.erase(at, generator() % 20);
          break;
        case 1:
          text.insert(at,
                      text.substr(generator() % text.size(), generator() % 40));
          break;
        case 2:
          text[at] = char(generator() % 128);
          break;
        default:
          text[at] = "0123456789{}[]%.,;@"[generator() % 19];
          break;
        }
      }
      Error error;
      auto program = Program::parse(text, error);
      if (!program) {
        EXPECT_FALSE(error.message.empty());
        continue;
      }
      for (const std::string &kernel : program->kernels()) {
        Memory memory;
        uint64_t buffer = memory.allocate(1 << 16);
        Launch launch;
        launch.kernel = kernel;
        launch.grid = {2, 1, 1};
        launch.block = {64, 1, 1};
        launch.dynamicSharedMemory = 24576;
        auto parameters = program->parameters(kernel);
        for (const auto &parameter : *parameters) {
          std::vector<uint8_t> bytes(parameter.bytes);
          if (bytes.size() == 8)
            bytes = bytesOf(buffer);
          else if (!bytes.empty())
            bytes[0] = 64;
          launch.parameters.push_back(bytes);
        }
        Options options;
        options.instructionLimit = 3000;
        options.threads = 1;
        options.sanitize = round % 2;
        run(*program, launch, memory, options);
      }
    }
  }
}

} // namespace
