//===- Evaluate.h - One instruction over many inputs ------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Wraps an instruction into a kernel that loads its operands, executes it and
// stores the result, thread by thread.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_UNITTESTS_EMULATOR_EVALUATE_H
#define FUSION_UNITTESTS_EMULATOR_EVALUATE_H

#include "Harness.h"

namespace fusion::emulator::test {

/// A kernel of ".param .u64" pointers: registers %d (width `out`), %a0, %a1, …
/// (widths `in`), all in bits; `body` is PTX. Thread i works on element i.
inline std::string wrap(const std::string &body, unsigned out,
                        const std::vector<unsigned> &in) {
  std::ostringstream text;
  bool isNewer = false;
  for (const char *form :
       {"f32x2", "n.f32.f16", "n.f32.bf16", "rz.f32.f16", "rz.f32.bf16"})
    isNewer |= body.find(form) != std::string::npos;
  text << ".version 8.6\n.target " << (isNewer ? "sm_100" : "sm_90")
       << "\n.address_size 64\n"
       << ".visible .entry k(.param .u64 d";
  for (size_t i = 0; i < in.size(); ++i)
    text << ", .param .u64 p" << i;
  text << ")\n{\n.reg .b32 %t<4>;\n.reg .b64 %o<4>;\n.reg .pred %p<8>;\n"
       << ".reg .b16 %h<8>;\n.reg .b32 %r<16>;\n.reg .b64 %q<16>;\n"
       << ".reg .b" << out << " %d;\n";
  for (size_t i = 0; i < in.size(); ++i)
    text << ".reg .b" << in[i] << " %a" << i << ";\n";
  text << "mov.u32 %t0, %ctaid.x;\nmov.u32 %t1, %ntid.x;\nmov.u32 %t2, "
          "%tid.x;\nmad.lo.s32 %t0, %t0, %t1, %t2;\n";
  auto place = [&](const std::string &parameter, unsigned bits) {
    text << "ld.param.u64 %o0, [" << parameter << "];\n"
         << "mul.wide.u32 %o1, %t0, " << bits / 8 << ";\n"
         << "add.s64 %o0, %o0, %o1;\n";
  };
  for (size_t i = 0; i < in.size(); ++i) {
    place("p" + std::to_string(i), in[i]);
    text << "ld.global.b" << in[i] << " %a" << i << ", [%o0];\n";
  }
  text << body << "\n";
  place("d", out);
  text << "st.global.b" << out << " [%o0], %d;\nret;\n}\n";
  return text.str();
}

/// Runs it. The inputs have the same length, which is filled up to whole blocks
/// by repeating the last element.
template <class D, class... S>
std::vector<D> evaluate(const std::string &body, std::vector<S>... inputs) {
  size_t n = std::get<0>(std::tie(inputs...)).size();
  size_t padded = (n + 127) / 128 * 128;
  auto program = parse(wrap(body, sizeof(D) * 8, {unsigned(sizeof(S) * 8)...}));
  if (!program || !n)
    return {};
  (inputs.resize(padded, inputs.back()), ...);
  Memory memory;
  Array<D> out(memory, std::vector<D>(padded));
  Launch launch = makeLaunch("k", {uint32_t(padded / 128), 1, 1}, {128, 1, 1},
                             out, Array<S>(memory, inputs)...);
  LaunchResult result = run(*program, launch, memory);
  EXPECT_FALSE(result.error) << body << ": " << result.error->message;
  std::vector<D> values = out.fetch();
  values.resize(n);
  return values;
}

template <class T> std::vector<T> randomBits(size_t n, unsigned seed) {
  std::mt19937_64 generator(seed);
  std::vector<T> values(n);
  for (T &value : values) {
    uint64_t bits = generator();
    // Edges and small numbers often enough.
    switch (generator() % 8) {
    case 0:
      bits = bits % 3 - 1;
      break;
    case 1:
      bits = (uint64_t(1) << (sizeof(T) * 8 - 1)) - bits % 2;
      break;
    case 2:
      bits %= 70;
      break;
    default:
      break;
    }
    std::memcpy(&value, &bits, sizeof(T));
  }
  return values;
}

} // namespace fusion::emulator::test

#endif // FUSION_UNITTESTS_EMULATOR_EVALUATE_H
