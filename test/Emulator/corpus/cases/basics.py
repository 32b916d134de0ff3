# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import numpy as np

from . import Case, InOut, Out, kernel

F16, F32 = np.float16, np.float32


@kernel
def vector_add(rng):
    for n in (1, 1000):
        a, b = rng.standard_normal((2, n)).astype(F32)
        yield Case(-(-n // 96), 96, [a, b, Out(a + b), n])


@kernel
def block_sum(rng):
    for n, grid in ((300, 2), (10000, 4)):
        x = rng.integers(-50, 50, n).astype(F32)
        sums = np.pad(x, (0, -n % (grid * 256))).reshape(-1, grid, 256).sum((0, 2))
        yield Case(grid, 256, [x, Out(sums), n])


@kernel
def warp_sum(rng):
    n = 100
    x = rng.integers(-50, 50, n, np.int32)
    yield Case(2, 64, [x, Out(np.pad(x, (0, 28)).reshape(4, 32).sum(1, np.int32)), n])


@kernel
def softmax_rows(rng):
    x = rng.standard_normal((8, 77)).astype(F32)
    e = np.exp(x.astype(np.float64) - x.max(1, keepdims=True))
    result = Out((e / e.sum(1, keepdims=True)).astype(F32), same=1e-6)
    yield Case(2, 128, [x, result, 77], inexact="approximate functions")


@kernel
def collatz(rng):
    def steps(v):
        count = 0
        while v != 1:
            v, count = (3 * v + 1 if v & 1 else v // 2), count + 1
        return count

    x = rng.integers(1, 10000, 200, np.uint32)
    yield Case(2, 128, [x, Out(np.array([steps(int(v)) for v in x], np.uint32)), len(x)])


@kernel
def recursion(rng):
    fibonacci = [0, 1]
    while len(fibonacci) < 12:
        fibonacci.append(fibonacci[-2] + fibonacci[-1])
    yield Case(2, 40, [Out(np.array([fibonacci[t % 12] for t in range(80)], np.int32))])


@kernel
def local_arrays(rng):
    seed = 3
    t = np.arange(100)
    a = np.ones(100)
    for i in range(5):
        a = a * 0.5 + (seed * ((t + i) & 7) + t)
    yield Case(2, 50, [Out(a + t + 5), seed])


@kernel
def histogram(rng):
    x = rng.integers(0, 256, 3000, np.uint8)
    bins = np.bincount(x, minlength=256).astype(np.uint32)
    yield Case(3, 96, [x, InOut(np.zeros(256, np.uint32), bins), len(x)])


@kernel
def last_block(rng):
    x = rng.integers(-9, 9, (20, 32), np.int32)
    partial = (x * np.tile([1, 10, 100, 1000], 8)).sum(1, np.int32)
    yield Case(20, 32, [x, Out(partial), Out(partial.sum(keepdims=True, dtype=np.int32))])


@kernel
def spin_lock(rng):
    lock = InOut(np.zeros(1, np.int32), np.zeros(1, np.int32))
    yield Case(2, 40, [lock, InOut(np.zeros(1, np.int32), np.full(1, 80, np.int32))])


@kernel
def switch_table(rng):
    x = rng.integers(0, 9, 128, np.int32)
    values = np.array([17, 4, -2, 96, bin(4 * 12345).count("1"), 29, 0x60000000, ~7, ~8], np.int32)
    yield Case(2, 64, [x, Out(values[x])])


@kernel
def votes(rng):
    x = rng.integers(0, 7, (2, 32), np.int32)
    bit = np.uint32(1) << np.arange(32, dtype=np.uint32)
    ballot, odd = ((m * bit).sum(1, dtype=np.uint32, keepdims=True) for m in (x > 3, x & 1 == 1))
    same = ((x[:, :, None] == x[:, None]) * bit).sum(2, dtype=np.uint32)
    active = np.where(x & 1, odd, np.uint32(0))
    yield Case(2, 32, [x, Out(ballot ^ (same * np.uint32(3)) ^ (active * np.uint32(5)) ^ np.uint32(1))])


@kernel
def transpose(rng):
    x = rng.standard_normal((64, 64)).astype(F32)
    yield Case((2, 2), (32, 8), [x, Out(x.T), 64])


@kernel
def half_axpy(rng):
    n = 300
    x, y = rng.standard_normal((2, n, 2)).astype(F16)
    expected = (np.float64(F16(0.7)) * x + y).astype(F16)
    yield Case(3, 128, [x, InOut(y, expected), 0.7, n])
