// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What the machine can do: rates of multiply-adds and of exponentials, and of
// streams. Each function works for about `seconds` on `threads` threads that
// begin together, and returns the rate of the slowest times their number, per
// second. The rates of one thread's vectors are those of the widest that the
// compiler's target has.

#define _GNU_SOURCE
#include <immintrin.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#if defined(__AVX512F__)
enum { Bytes = 64 };
#else
enum { Bytes = 32 };
#endif

typedef float F32 __attribute__((vector_size(Bytes)));
typedef double F64 __attribute__((vector_size(Bytes)));
typedef int32_t I32 __attribute__((vector_size(Bytes)));

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

// As many independent sums as hide the latency of the units: 2 units, at most 5
// cycles each.
enum { Sums = 12, Steps = 200 };

#define KEEP(x) __asm__ volatile("" : "+x"(x))
#define FMA_STEPS(TYPE, ONE)                                                   \
  TYPE sums[Sums], factor = (TYPE){} + ONE, other = (TYPE){} + ONE;            \
  for (int i = 0; i < Sums; ++i)                                               \
    sums[i] = (TYPE){};                                                        \
  KEEP(factor);                                                                \
  KEEP(other);                                                                 \
  for (int step = 0; step < Steps; ++step) {                                   \
    _Pragma("clang loop unroll(full)") for (int i = 0; i < Sums; ++i) {        \
      sums[i] = __builtin_elementwise_fma(factor, other, sums[i]);             \
      KEEP(sums[i]);                                                           \
    }                                                                          \
  }

/// Operations of one call.
typedef double (*Work)(void *);

static double fma_f32(void *none) {
  (void)none;
  FMA_STEPS(F32, 1.0f)
  return 2.0 * Sums * Steps * (Bytes / 4);
}

static double fma_f64(void *none) {
  (void)none;
  FMA_STEPS(F64, 1.0)
  return 2.0 * Sums * Steps * (Bytes / 8);
}

#if defined(__AVX512BF16__)
static double dot_bf16(void *none) {
  (void)none;
  __m512 sums[Sums];
  __m512bh factor = (__m512bh)_mm512_set1_epi32(0x3f803f80);
  for (int i = 0; i < Sums; ++i)
    sums[i] = _mm512_setzero_ps();
  KEEP(factor);
  for (int step = 0; step < Steps; ++step) {
    _Pragma("clang loop unroll(full)") for (int i = 0; i < Sums; ++i) {
      sums[i] = _mm512_dpbf16_ps(sums[i], factor, factor);
      KEEP(sums[i]);
    }
  }
  return 2.0 * Sums * Steps * 32;
}
#endif

#if defined(__AVX512VNNI__)
static double dot_s8(void *none) {
  (void)none;
  __m512i sums[Sums], factor = _mm512_set1_epi8(1);
  for (int i = 0; i < Sums; ++i)
    sums[i] = _mm512_setzero_si512();
  KEEP(factor);
  for (int step = 0; step < Steps; ++step) {
    _Pragma("clang loop unroll(full)") for (int i = 0; i < Sums; ++i) {
      sums[i] = _mm512_dpbusd_epi32(sums[i], factor, factor);
      KEEP(sums[i]);
    }
  }
  return 2.0 * Sums * Steps * 64;
}
#endif

#if defined(__AVX512FP16__)
static double fma_f16(void *none) {
  (void)none;
  __m512h sums[Sums], factor = _mm512_set1_ph(1);
  for (int i = 0; i < Sums; ++i)
    sums[i] = _mm512_setzero_ph();
  KEEP(factor);
  for (int step = 0; step < Steps; ++step) {
    _Pragma("clang loop unroll(full)") for (int i = 0; i < Sums; ++i) {
      sums[i] = _mm512_fmadd_ph(factor, factor, sums[i]);
      KEEP(sums[i]);
    }
  }
  return 2.0 * Sums * Steps * 32;
}
#endif

// exp(x) for |x| < 80, to about one unit in the last place of f32: reduction by
// log(2) in two steps, a polynomial of degree 6 (Taylor) for |r| < 0.35, and
// the exponent added to the bits. The exponentials of a softmax cost this at
// least.
static inline F32 exponential(F32 x) {
  const F32 magic =
      (F32){} + 12582912.0f; // rounds to an integer in the low bits
  F32 shifted = x * 1.44269504f + magic;
  F32 n = shifted - magic;
  F32 r = n * -0.693359375f + x;
  r = n * 2.12194440e-4f + r;
  F32 p = r * (1.0f / 720) + 1.0f / 120;
  p = p * r + 1.0f / 24;
  p = p * r + 1.0f / 6;
  p = p * r + 0.5f;
  p = p * r + 1.0f;
  p = p * r + 1.0f;
  return (F32)((I32)p + ((I32)shifted << 23));
}

static double exponentials(void *none) {
  (void)none;
  F32 x[4];
  for (int i = 0; i < 4; ++i)
    x[i] = (F32){} - 0.25f * (float)i;
  for (int step = 0; step < Steps; ++step) {
    _Pragma("clang loop unroll(full)") for (int i = 0; i < 4; ++i) {
      F32 y = x[i];
      KEEP(y);
      y = exponential(y);
      KEEP(y);
    }
  }
  return 4.0 * Steps * (Bytes / 4);
}

/// Arrays of a thread, in bytes; `bytes` of each.
typedef struct {
  char *a, *b, *c;
  int64_t bytes;
} Arrays;

#define STREAM(BODY)                                                           \
  Arrays *arrays = data;                                                       \
  int64_t vectors = arrays->bytes / Bytes;                                     \
  F32 *a = (F32 *)arrays->a, *b = (F32 *)arrays->b, *c = (F32 *)arrays->c;     \
  (void)a, (void)b, (void)c;                                                   \
  F32 sums[8] = {};                                                            \
  for (int64_t i = 0; i + 8 <= vectors; i += 8) {                              \
    _Pragma("clang loop unroll(full)") for (int u = 0; u < 8; ++u) { BODY }    \
  }                                                                            \
  for (int u = 0; u < 8; ++u)                                                  \
    KEEP(sums[u]);

static double stream_read(void *data) {
  STREAM(sums[u] += a[i + u];)
  return (double)arrays->bytes;
}
static double stream_write(void *data) {
  STREAM(c[i + u] = sums[u]; KEEP(sums[u]);)
  return (double)arrays->bytes;
}
static double stream_write_past(void *data) {
  STREAM(__builtin_nontemporal_store(sums[u], &c[i + u]); KEEP(sums[u]);)
  _mm_sfence();
  return (double)arrays->bytes;
}
static double stream_copy(void *data) {
  STREAM(F32 x = a[i + u]; KEEP(x); c[i + u] = x;)
  return 2.0 * (double)arrays->bytes;
}
static double stream_copy_past(void *data) {
  STREAM(F32 x = a[i + u]; KEEP(x); __builtin_nontemporal_store(x, &c[i + u]);)
  _mm_sfence();
  return 2.0 * (double)arrays->bytes;
}
static double stream_add(void *data) {
  STREAM(c[i + u] = a[i + u] + b[i + u];)
  return 3.0 * (double)arrays->bytes;
}
static double stream_add_past(void *data) {
  STREAM(__builtin_nontemporal_store(a[i + u] + b[i + u], &c[i + u]);)
  _mm_sfence();
  return 3.0 * (double)arrays->bytes;
}

static const struct {
  const char *name;
  Work work;
  int arrays; // that are used
} Kinds[] = {
    {"f32", fma_f32, 0},        {"f64", fma_f64, 0},
#if defined(__AVX512BF16__)
    {"bf16", dot_bf16, 0},
#endif
#if defined(__AVX512VNNI__)
    {"s8", dot_s8, 0},
#endif
#if defined(__AVX512FP16__)
    {"f16", fma_f16, 0},
#endif
    {"exp", exponentials, 0},   {"read", stream_read, 1},
    {"write", stream_write, 1}, {"write, non-temporal", stream_write_past, 1},
    {"copy", stream_copy, 2},   {"copy, non-temporal", stream_copy_past, 2},
    {"add", stream_add, 3},     {"add, non-temporal", stream_add_past, 3},
};

typedef struct {
  Work work;
  int64_t bytes; // of all arrays of a thread
  int arrays;
  double seconds, rate;
  pthread_barrier_t *barrier;
} Thread;

static char *allocated(int64_t bytes) {
  char *memory = aligned_alloc(4096, (size_t)((bytes + 4095) / 4096 * 4096));
  if (memory)
    memset(memory, 0, (size_t)bytes);
  return memory;
}

static void *run(void *data) {
  Thread *thread = data;
  Arrays arrays = {0};
  if (thread->arrays) {
    arrays.bytes = thread->bytes / thread->arrays / 512 * 512;
    arrays.a = allocated(arrays.bytes);
    arrays.b = thread->arrays == 3 ? allocated(arrays.bytes) : arrays.a;
    arrays.c = thread->arrays == 1 ? arrays.a : allocated(arrays.bytes);
  }
  thread->work(&arrays);
  pthread_barrier_wait(thread->barrier);
  double begin = now(), end, done = 0;
  do {
    done += thread->work(&arrays);
    end = now();
  } while (end - begin < thread->seconds);
  thread->rate = done / (end - begin);
  if (arrays.c != arrays.a)
    free(arrays.c);
  if (arrays.b != arrays.a)
    free(arrays.b);
  free(arrays.a);
  return NULL;
}

/// The name of measurement `index`; null behind the last one.
const char *limit_name(int64_t index) {
  return index < (int64_t)(sizeof(Kinds) / sizeof(*Kinds)) ? Kinds[index].name
                                                           : NULL;
}

/// The rate of measurement `index`: operations, or bytes where it has arrays,
/// which take `bytes` in each thread.
double limit_rate(int64_t index, int64_t threads, int64_t bytes,
                  double seconds) {
  enum { Most = 256 };
  if (threads < 1 || threads > Most)
    return 0;
  Thread states[Most];
  pthread_t ids[Most];
  pthread_barrier_t barrier;
  pthread_barrier_init(&barrier, NULL, (unsigned)threads);
  for (int64_t i = 0; i < threads; ++i) {
    states[i] = (Thread){Kinds[index].work, bytes, Kinds[index].arrays,
                         seconds,           0,     &barrier};
    if (i > 0)
      pthread_create(&ids[i], NULL, run, &states[i]);
  }
  run(&states[0]);
  double least = states[0].rate;
  for (int64_t i = 1; i < threads; ++i) {
    pthread_join(ids[i], NULL);
    least = states[i].rate < least ? states[i].rate : least;
  }
  pthread_barrier_destroy(&barrier);
  return least * (double)threads;
}

/// Whether measurement `index` reads and writes memory.
int64_t limit_has_arrays(int64_t index) { return Kinds[index].arrays != 0; }
