# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import math

import numpy as np

from . import Case, InOut, Out, kernel
from .formats import from_bf16, to_bf16

F32 = np.float32


@kernel
def block_scan(rng):
    for block in (32, 160):
        x = rng.integers(-99, 99, (3, block), np.int32)
        yield Case(3, block, [x, Out(x.cumsum(1, np.int32))])


@kernel
def bitonic_sort(rng):
    x = rng.integers(0, 2**32, (2, 512), np.uint32)
    yield Case(2, 256, [InOut(x, np.sort(x))])


@kernel
def layer_norm(rng):
    rows, cols = 3, 150
    x = to_bf16(rng.standard_normal((rows, cols)))
    gamma = rng.standard_normal(cols).astype(F32)
    v = from_bf16(x).astype(np.float64)
    y = (v - v.mean(1, keepdims=True)) / np.sqrt(v.var(1, keepdims=True) + 1e-5) * gamma
    result = Out(to_bf16(y), same=1e-2, decode=from_bf16)
    yield Case(rows, 64, [x, gamma, result, cols], inexact="approximate functions")


@kernel
def stencil(rng):
    for n in (33, 50):
        x = rng.integers(-50, 50, (n, n)).astype(F32)
        p = np.pad(x, 1)
        y = p[:-2, 1:-1] + p[2:, 1:-1] + p[1:-1, :-2] + p[1:-1, 2:] - 4 * x
        yield Case((-(-n // 32), -(-n // 8)), (32, 8), [x, Out(y), n])


@kernel
def producer_consumer(rng):
    for blocks, rounds in ((2, 5), (1, 1), (1, 2), (2, 15), (3, 22)):
        x = rng.integers(-50, 50, (blocks, rounds, 96), np.int32)
        total = np.zeros((blocks, 96), np.int32)
        for row in x.swapaxes(0, 1):
            total = total * 3 + row[:, ::-1]
        yield Case(blocks, 128, [x, Out(total), rounds])


@kernel
def grid_barrier(rng):
    for blocks, block in ((3, 32), (20, 64)):
        zero = np.zeros(blocks, np.int32)
        sums = InOut(zero, np.full(blocks, blocks * (blocks + 1) // 2, np.int32))
        arrived = InOut(np.zeros(1, np.int32), np.full(1, blocks, np.int32))
        yield Case(blocks, block, [InOut(zero, np.arange(1, blocks + 1, dtype=np.int32)), arrived, sums])


@kernel
def indirect_calls(rng):
    x = rng.integers(-99, 99, 140, np.int32)
    yield Case(2, 70, [x, Out(np.where(x & 1, x * 7, x + 7))])


@kernel
def dot_atomic(rng):
    a, b = rng.integers(-20, 20, (2, 700)).astype(F32)
    yield Case(3, 96, [a, b, InOut(np.zeros(1, F32), np.dot(a, b).reshape(1)), 700])


@kernel
def math_functions(rng):
    x = np.concatenate([rng.standard_normal(248) * 10, [0, 1e-8, 1000, -3e4, 2.5, -0.5, 88, 5e3]]).astype(F32)
    d = x.astype(np.float64)
    columns = [np.sin(d), np.exp(d * 0.01), np.log(np.abs(d) + 1), np.vectorize(math.erf)(d * 0.1), np.tanh(d),
               np.abs(d) ** 0.7, np.cos(d), np.fmod(d, 3)]
    expected = np.stack(columns, 1).astype(F32)
    yield Case(2, 128, [x, Out(expected, same=2e-4)], inexact="approximate functions")
