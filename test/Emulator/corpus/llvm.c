// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// C through the NVPTX backend of LLVM, whose PTX looks different from that of
// nvcc:
//   clang -x c --target=nvptx64-nvidia-cuda -march=sm_80 -O2 -ffp-contract=off
//     -S llvm.c -o llvm.ptx

typedef __attribute__((address_space(1))) float Global;
typedef float Vector __attribute__((vector_size(16)));

__attribute__((address_space(3))) float buffer[128];

__attribute__((noinline)) float helper(float x, int n) {
  float table[16];
  for (int i = 0; i < 16; i++)
    table[i] = x * i;
  float sum = 0;
  for (int i = 0; i < n; i++)
    sum += table[(i * 7) & 15];
  return sum;
}

__attribute__((device_kernel)) void mixture(Global *out, Global *in, int n) {
  int t = __nvvm_read_ptx_sreg_tid_x();
  buffer[t] = in[t];
  __syncthreads();
  float v = buffer[t ^ 1];
  if (t < n) {
    v = helper(v, t & 7);
  } else {
    switch (t & 7) {
    case 0: v = 1; break;
    case 1: v *= 2; break;
    case 2: v = __builtin_sqrtf(__builtin_fabsf(v)); break;
    case 3: v -= in[0]; break;
    case 4: v = __builtin_fabsf(v); break;
    case 5: v = v / 3.0f; break;
    default: v = (float)(long)(v * 100); break;
    }
  }
  __attribute__((address_space(1))) Vector *p =
      (__attribute__((address_space(1))) Vector *)(in + 128);
  Vector q = p[t];
  v += q[0] + q[1] * q[2] - q[3];
  _Float16 h = (_Float16)v;
  h = h * h + (_Float16)1.5;
  out[t] = v + (float)h;
}
