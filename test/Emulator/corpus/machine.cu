// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Types and the machine: bytes, 64- and 128-bit integers, 16- and 8-bit
// floating point, votes, calls, stacks.

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cstdint>

// Places where a pattern of up to 8 bytes starts; a byte per thread, reads
// that are not aligned put together by funnel shifts.
extern "C" __global__ void find_bytes(const uint32_t *text, int n, unsigned long long pattern,
                                      int length, uint8_t *found) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  int word = i / 4, shift = i % 4 * 8, words = (n + 3) / 4;
  auto at = [&](int w) { return w < words ? text[w] : 0u; };
  uint32_t a = at(word), b = at(word + 1), c = at(word + 2);
  unsigned long long here = (unsigned long long)__funnelshift_r(b, c, shift) << 32 | __funnelshift_r(a, b, shift);
  unsigned long long mask = length == 8 ? ~0ull : (1ull << 8 * length) - 1;
  found[i] = i + length <= n && ((here ^ pattern) & mask) == 0;
}

// Upper case of ASCII letters, 16 bytes per thread, by SIMD-in-register
// comparisons.
extern "C" __global__ void upper_case(uint4 *text, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  uint4 v = text[i];
  uint32_t *words = &v.x;
#pragma unroll
  for (int w = 0; w < 4; ++w) {
    uint32_t lower = __vcmpgeu4(words[w], 0x61616161) & __vcmpleu4(words[w], 0x7a7a7a7a);
    words[w] ^= lower & 0x20202020;
  }
  text[i] = v;
}

// CRC-32 of a line per thread, by a table in shared memory.
extern "C" __global__ void crc32(const uint8_t *lines, int length, uint32_t *out, int n) {
  __shared__ uint32_t table[256];
  for (int i = threadIdx.x; i < 256; i += blockDim.x) {
    uint32_t v = i;
    for (int bit = 0; bit < 8; ++bit)
      v = v & 1 ? 0xedb88320u ^ v >> 1 : v >> 1;
    table[i] = v;
  }
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  uint32_t crc = ~0u;
  for (int k = 0; k < length; ++k)
    crc = table[(crc ^ lines[i * length + k]) & 255] ^ crc >> 8;
  out[i] = ~crc;
}

// Levenshtein's distance with a row on the stack.
extern "C" __global__ void edit_distance(const char *words, int length, int *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n * n)
    return;
  const char *a = words + i / n * length, *b = words + i % n * length;
  int row[17];
  for (int j = 0; j <= 16; ++j)
    row[j] = j;
  for (int y = 0; y < length; ++y) {
    int diagonal = row[0];
    row[0] = y + 1;
    for (int x = 0; x < length; ++x) {
      int up = row[x + 1];
      row[x + 1] = min(min(up, row[x]) + 1, diagonal + (a[y] != b[x]));
      diagonal = up;
    }
  }
  out[i] = row[length];
}

// Products, quotients, remainders, shifts, counts of 64 bits.
extern "C" __global__ void integers_64(const long long *a, const long long *b, long long *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  long long x = a[i], y = b[i];
  unsigned long long ux = x, uy = y;
  out += 12 * i;
  out[0] = x * y;
  out[1] = __mul64hi(x, y);
  out[2] = (long long)__umul64hi(ux, uy);
  out[3] = x / (y | 1);
  out[4] = x % (y | 1);
  out[5] = (long long)(ux / (uy | 1));
  out[6] = (long long)(ux % (uy | 1));
  out[7] = x >> (y & 63) ^ (long long)(ux << (y & 63));
  out[8] = __popcll(ux) | __clzll(x) << 8 | (__ffsll(x) << 16);
  out[9] = (long long)__brevll(ux);
  out[10] = x < y ? x : y;
  out[11] = ux > uy ? x : y;
}

// Powers modulo a 64-bit number: 128-bit products and remainders.
extern "C" __global__ void modular_power(const unsigned long long *base, unsigned long long *out,
                                         unsigned long long modulus, unsigned exponent, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  auto times = [&](unsigned long long a, unsigned long long b) {
    return (unsigned long long)((unsigned __int128)a * b % modulus);
  };
  unsigned long long result = 1, power = base[i] % modulus;
  for (unsigned e = exponent; e; e >>= 1) {
    if (e & 1)
      result = times(result, power);
    power = times(power, power);
  }
  out[i] = result;
}

// 256-bit additions: carry chains over the lanes of a warp.
extern "C" __global__ void wide_add(const uint32_t *a, const uint32_t *b, uint32_t *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32, limb = lane % 8;
  uint32_t x = a[i], sum = x + b[i];
  unsigned generate = __ballot_sync(~0u, sum < x), propagate = __ballot_sync(~0u, sum == ~0u);
  unsigned group = lane - limb, g = generate >> group & 255, p = propagate >> group & 255;
  // The carries of a ripple are those of adding the masks.
  unsigned carries = ((g << 1) + p) ^ p;
  out[i] = sum + (carries >> limb & 1);
}

extern "C" __global__ void half2_polynomial(const __half2 *in, __half2 *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  __half2 x = in[i], one = __float2half2_rn(1.0f);
  __half2 y = __hfma2(x, __float2half2_rn(0.25f), __float2half2_rn(-0.5f));
  // Without _rn, ptxas contracts them to an fma, which rounds once.
  y = __hadd2_rn(__hmul2_rn(y, x), one);
  y = __hmax2(__hmin2(y, __float2half2_rn(2.0f)), __hneg2(one));
  __half2 q = __hsub2(y, __lows2half2(x, y));
  out[2 * i] = __hfma2_relu(y, q, x);
  out[2 * i + 1] = __halves2half2(__hlt(__low2half(x), __high2half(x)) ? __low2half(y) : __high2half(q),
                                  __int2half_rn(__half2int_rz(__hmul(__low2half(x), __float2half(8.0f)))));
}

extern "C" __global__ void bfloat2_polynomial(const __nv_bfloat162 *in, __nv_bfloat162 *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  __nv_bfloat162 x = in[i];
  __nv_bfloat162 y = __hfma2(x, x, __float2bfloat162_rn(-1.5f));
  y = __hadd2(__hmul2(y, x), __habs2(x));
  out[i] = __hmax2(__hmin2(y, __float2bfloat162_rn(3.0f)), __hneg2(x));
}

// f32 to fp8 of both kinds and back, with saturation.
extern "C" __global__ void fp8_round_trip(const float *in, uint8_t *e4m3, uint8_t *e5m2, __half *back, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  __nv_fp8_e4m3 a(in[i]);
  __nv_fp8_e5m2 b(in[i]);
  e4m3[i] = a.__x;
  e5m2[i] = b.__x;
  back[2 * i] = __half(a);
  back[2 * i + 1] = __half(b);
}

// Quantisation of rows to s8 with a scale per row.
extern "C" __global__ void quantize_rows(const __half *in, signed char *out, float *scales, int cols) {
  int row = blockIdx.x, lane = threadIdx.x;
  float most = 0;
  for (int c = lane; c < cols; c += 32)
    most = fmaxf(most, fabsf(__half2float(in[row * cols + c])));
  // Not negative: the bits order as integers.
  most = __uint_as_float(__reduce_max_sync(~0u, __float_as_uint(most)));
  float scale = most > 0 ? __fdiv_rn(most, 127.0f) : 1.0f;
  for (int c = lane; c < cols; c += 32)
    out[row * cols + c] = __float2int_rn(__fdiv_rn(__half2float(in[row * cols + c]), scale));
  if (lane == 0)
    scales[row] = scale;
}

// Every rounding and conversion between integers and floating point.
extern "C" __global__ void conversions(const double *in, long long *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  double d = in[i];
  float f = float(d);
  out += 12 * i;
  out[0] = __double2int_rn(d);
  out[1] = __double2ll_rd(d);
  out[2] = __float2int_ru(f);
  out[3] = __float2uint_rz(f);
  out[4] = __float_as_uint(__double2float_rz(d));
  out[5] = __float_as_uint(__double2float_ru(d));
  out[6] = __double_as_longlong(double(f));
  out[7] = __float_as_uint(float((long long)(d * 1e6)));
  out[8] = __double_as_longlong(double((unsigned long long)(fabs(d) * 1e6)));
  out[9] = __half_as_ushort(__double2half(d));
  out[10] = __float_as_uint(rintf(f)) | (unsigned long long)__float_as_uint(floorf(f)) << 32;
  out[11] = (signed char)(int)f;
}

__device__ __noinline__ unsigned ackermann(unsigned m, unsigned n) {
  if (m == 0)
    return n + 1;
  return ackermann(m - 1, n == 0 ? 1 : ackermann(m, n - 1));
}

extern "C" __global__ void deep_recursion(unsigned *out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = ackermann(i % 3, i % 7);
}

struct Shape {
  __device__ virtual float area() const = 0;
};
struct Square : Shape {
  float side;
  __device__ explicit Square(float s) : side(s) {}
  __device__ float area() const override { return side * side; }
};
struct Box : Shape {
  float a, b;
  __device__ Box(float a, float b) : a(a), b(b) {}
  __device__ float area() const override { return a * b; }
};

__device__ __noinline__ float measure(const Shape *shape) { return shape->area(); }

extern "C" __global__ void virtual_calls(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  Square square(in[i]);
  Box box(in[i], 3.0f);
  out[i] = measure(i % 3 ? static_cast<Shape *>(&square) : &box);
}

// An explicit stack: the n-th permutation, and quicksort of it.
extern "C" __global__ void stack_quicksort(const int *index, int *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  int a[9], stack[18], top = 0, rest = index[i], swaps = 0;
  for (int k = 0; k < 9; ++k)
    a[k] = k;
  for (int k = 8; k > 0; --k) {
    int j = rest % (k + 1), v = a[k];
    rest /= k + 1;
    a[k] = a[j];
    a[j] = v;
  }
  stack[top++] = 0;
  stack[top++] = 8;
  while (top) {
    int high = stack[--top], low = stack[--top];
    if (low >= high)
      continue;
    int pivot = a[high], m = low;
    for (int k = low; k < high; ++k)
      if (a[k] < pivot) {
        int v = a[k];
        a[k] = a[m];
        a[m++] = v;
        ++swaps;
      }
    a[high] = a[m];
    a[m] = pivot;
    stack[top++] = low;
    stack[top++] = m - 1;
    stack[top++] = m + 1;
    stack[top++] = high;
  }
  int value = 0;
  for (int k = 0; k < 9; ++k)
    value = value * 10 + a[k];
  out[2 * i] = value;
  out[2 * i + 1] = swaps;
}

// vote, match, shuffles of every kind, in partial warps.
extern "C" __global__ void warp_exchange(const int *in, int *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
  unsigned mask = __ballot_sync(~0u, i < n);
  if (i >= n)
    return;
  int v = in[i];
  out += 8 * i;
  out[0] = __shfl_sync(mask, v, lane / 2);
  out[1] = __shfl_up_sync(mask, v, 1, 8);
  out[2] = __shfl_xor_sync(mask, v, 1) * (lane % 2 || mask >> (lane + 1) & 1);
  out[3] = __any_sync(mask, v > 8) + 2 * __all_sync(mask, v >= 0);
  int all;
  out[4] = __match_all_sync(mask, v / 100, &all) == mask && all;
  out[5] = __popc(__match_any_sync(mask, v % 4));
  out[6] = __reduce_add_sync(mask, v);
  out[7] = __reduce_min_sync(mask, v);
}
