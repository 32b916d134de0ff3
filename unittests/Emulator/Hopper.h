//===- Hopper.h - Kernels of sm_90a in tests --------------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===---------------------------------------------------------------------*- C++
//-*-===//

#ifndef FUSION_UNITTESTS_EMULATOR_HOPPER_H
#define FUSION_UNITTESTS_EMULATOR_HOPPER_H

#include "Harness.h"

#include <cstdio>
#include <cstdlib>

namespace fusion::emulator::test {

/// A kernel `k` with 64-bit parameters p0, p1, … in registers %p0, …; %t is
/// the thread's number, %c the CTA's. `shared` bytes lie at `smem`.
inline std::string hopperKernel(unsigned parameters, unsigned shared,
                                const std::string &body,
                                const std::string &declarations = "") {
  std::ostringstream text;
  text << ".version 8.6\n.target sm_90a\n.address_size 64\n"
       << ".visible .entry k(";
  for (unsigned i = 0; i < parameters; ++i)
    text << (i ? ", " : "") << ".param .u64 p" << i;
  text << ")" << "\n{\n"
       << ".shared .align 1024 .b8 smem[" << shared << "];\n"
       << ".reg .b64 %p<" << parameters + 1 << ">;\n.reg .b32 %t, %c, %s;\n"
       << ".reg .b32 %r<32>;\n.reg .b64 %d<32>;\n.reg .pred %q<8>;\n"
       << ".reg .b16 %h<8>;\n"
       << declarations;
  for (unsigned i = 0; i < parameters; ++i)
    text << "ld.param.u64 %p" << i << ", [p" << i << "];\n";
  text << "mov.u32 %t, %tid.x;\nmov.u32 %c, %ctaid.x;\nmov.u32 %s, smem;\n"
       << body << "ret;\n}\n";
  return text.str();
}

/// Where there is a ptxas, it takes the text.
inline void expectAssembles(const std::string &text) {
  static const bool present =
      std::system("ptxas --version >/dev/null 2>&1") == 0;
  if (!present)
    return;
  std::string path = ::testing::TempDir() + "/fusion-hopper-" +
                     std::to_string(std::hash<std::string>{}(text)) + ".ptx";
  std::ofstream(path) << text;
  std::string command = "ptxas -arch=sm_90a -o /dev/null " + path + " 2>&1";
  std::string output;
  FILE *pipe = popen(command.c_str(), "r");
  ASSERT_TRUE(pipe);
  char buffer[256];
  while (std::fgets(buffer, sizeof(buffer), pipe))
    output += buffer;
  EXPECT_EQ(pclose(pipe), 0) << output << text;
  std::remove(path.c_str());
}

} // namespace fusion::emulator::test

#endif // FUSION_UNITTESTS_EMULATOR_HOPPER_H
