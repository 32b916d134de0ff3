//===- LaunchFuzzer.cpp - Any text as a launch file -----------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An error or a launch, which is then run, whatever its size. Files that it
// names are read, none is written.
//
//===----------------------------------------------------------------------===//

#include "LaunchFile.h"

using namespace fusion::emulator;

static const char *const kernel = R"(
.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 p, .param .u32 n)
{
  .reg .b32 %t, %n;
  .reg .b64 %p, %a;
  .reg .pred %q;
  ld.param.u64 %p, [p];
  ld.param.u32 %n, [n];
  mov.u32 %t, %tid.x;
  setp.ge.u32 %q, %t, %n;
  @%q ret;
  mul.wide.u32 %a, %t, 4;
  add.s64 %a, %a, %p;
  st.global.u32 [%a], %t;
  ret;
}
)";

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string_view text(reinterpret_cast<const char *>(data), size);
  LaunchFile file;
  std::string message;
  if (!parseLaunchFile("launch.json", text, file, message)) {
    if (message.empty())
      __builtin_trap();
    return 0;
  }
  static Error error;
  static auto program = Program::parse(kernel, error);
  Memory memory;
  std::vector<uint64_t> addresses;
  Launch launch = bindLaunch(file, memory, addresses);
  Options options;
  options.threads = 1 + size % 2;
  options.sanitize = size % 3 == 0;
  options.instructionLimit = 1000;
  options.launchLimit = 5000;
  run(*program, launch, memory, options);
  return 0;
}
