//===- Assembler.h - Single instructions, and what ptxas says ---*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_UNITTESTS_EMULATOR_ASSEMBLER_H
#define FUSION_UNITTESTS_EMULATOR_ASSEMBLER_H

#include "Hopper.h"

#include <algorithm>
#include <fstream>
#include <set>

namespace fusion::emulator::test {

using Names = std::vector<std::string>;

/// Registers of each width, by their types.
inline const Names &ofWidth(unsigned bits) {
  static const Names narrow{"%xb16", "%xu16", "%xs16", "%xf16"},
      word{"%xb32", "%xu32", "%xs32", "%xf32", "%xf16x2"},
      wide{"%xb64", "%xu64", "%xs64", "%xf64"}, none;
  return bits == 16 ? narrow : bits == 32 ? word : bits == 64 ? wide : none;
}

/// A kernel with these instructions, one to a line from line `first` on. What
/// they name is declared, and what `declarations` adds.
inline std::string kernelOf(const std::string &target,
                            const std::vector<std::string> &instructions,
                            unsigned &first,
                            const std::string &declarations = "") {
  std::string text =
      ".version 8.8\n.target " + target +
      "\n.address_size 64\n"
      ".const .align 16 .b8 cst[64];\n"
      ".visible .entry k(.param .u64 g) .maxntid 128 .minnctapersm 1\n{\n"
      ".reg .b32 %r<10>, %s, %s1;\n.reg .b64 %d<4>, %g, %l;\n"
      ".reg .f32 %f<6>;\n.reg .f64 %f64a, %f64b;\n.reg .pred %p<5>;\n"
      ".reg .b16 %h<3>;\n.reg .b128 %q<3>;\n.reg .b8 %b<3>;\n"
      ".shared .align 128 .b8 sm[4096];\n.local .align 16 .b8 lo[64];\n" +
      declarations;
  first = unsigned(std::count(text.begin(), text.end(), '\n')) + 1;
  for (const std::string &instruction : instructions)
    text += instruction + "\n";
  return text + "ret;\n}\n";
}

/// With registers of every type.
inline std::string module(const Names &instructions, unsigned &first,
                          const std::string &target = "sm_90a") {
  std::string registers;
  for (unsigned bits : {16u, 32u, 64u})
    for (const std::string &name : ofWidth(bits))
      registers += ".reg ." + name.substr(2) + " " + name + ";\n";
  return kernelOf(target, instructions, first, registers);
}

/// What is said about a kernel with that instruction, and its line.
inline Error errorOf(const std::string &instruction, unsigned &line,
                     const std::string &target = "sm_90a") {
  Error error;
  auto program = Program::parse(module({instruction}, line, target), error);
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

/// Whether an error of a launch is the decoder's.
inline bool isRefusal(const std::string &message) {
  for (const char *part :
       {"wrong type", "too wide", "no address", "different types",
        "operand of mov and cvt alone", "unsupported instruction",
        "is a vector of", "requires an address", "as a narrow value"})
    if (message.find(part) != std::string::npos)
      return true;
  return message.find("operands") != std::string::npos;
}

inline bool isAccepted(const std::string &instruction) {
  unsigned line;
  return !isRefusal(errorOf(instruction, line).message);
}

/// The lines of the text that ptxas refuses, from `first` on.
inline std::set<unsigned> refused(const std::string &text, unsigned first,
                                  const std::string &target = "sm_90a") {
  std::string path = ::testing::TempDir() + "/fusion-operands.ptx";
  std::ofstream(path) << text;
  std::set<unsigned> lines;
  FILE *pipe = popen(
      ("ptxas -arch=" + target + " -o /dev/null " + path + " 2>&1").c_str(),
      "r");
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

inline bool hasAssembler() {
  return std::system("ptxas --version >/dev/null 2>&1") == 0;
}

} // namespace fusion::emulator::test

#endif // FUSION_UNITTESTS_EMULATOR_ASSEMBLER_H
