# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import numpy as np

from . import Case, InOut, Out, kernel
from .formats import from_bf16, round_tf32, to_bf16

F16, F32 = np.float16, np.float32
SIZES = ((16, 16, 40), (17, 9, 16), (40, 24, 5))
ORDER = "accumulation order"


def blocks(m, n):
    return (-(-n // 8), -(-m // 16))


def exact(a, b):
    return a.astype(np.float64) @ b.astype(np.float64)


@kernel
def mma_bf16(rng):
    for m, n, k in SIZES:
        a, b = to_bf16(rng.standard_normal((m, k))), to_bf16(rng.standard_normal((k, n)))
        result = Out(exact(from_bf16(a), from_bf16(b)).astype(F32), same=1e-5)
        yield Case(blocks(m, n), 32, [a, b, result, m, n, k], inexact=ORDER)


@kernel
def mma_f16(rng):
    for m, n, k in SIZES:
        a, b = rng.standard_normal((m, k)).astype(F16), rng.standard_normal((k, n)).astype(F16)
        result = Out(exact(a, b).astype(F16), same=4e-3)
        yield Case(blocks(m, n), 32, [a, b, result, m, n, k], inexact=ORDER)


@kernel
def mma_tf32(rng):
    for m, n, k in SIZES:
        a, b = rng.standard_normal((m, k)).astype(F32), rng.standard_normal((k, n)).astype(F32)
        result = Out(exact(round_tf32(a), round_tf32(b)).astype(F32), same=1e-5)
        yield Case(blocks(m, n), 32, [a, b, result, m, n, k], inexact=ORDER)


@kernel
def mma_s8(rng):
    for m, n, k in SIZES + ((16, 8, 100),):
        a, b = rng.integers(-128, 128, (m, k), np.int8), rng.integers(-128, 128, (n, k), np.int8)
        result = Out(a.astype(np.int32) @ b.T.astype(np.int32))
        yield Case(blocks(m, n), 32, [a, b, result, m, n, k])


@kernel
def mma_f64(rng):
    for m, n, k in SIZES:
        a, b = rng.standard_normal((m, k)), rng.standard_normal((k, n))
        grid = (-(-n // 8), -(-m // 8))
        yield Case(grid, 32, [a, b, Out(a @ b, same=1e-14), m, n, k], inexact=ORDER)


@kernel
def wmma_s8(rng):
    m, n, k = 64, 24, 48
    a, b = rng.integers(-128, 128, (m, k), np.int8), rng.integers(-128, 128, (n, k), np.int8)
    yield Case((n // 8, m // 32), 32, [a, b, Out(a.astype(np.int32) @ b.T.astype(np.int32)), n, k])


@kernel
def wmma_bf16_relu(rng):
    m, n, k = 32, 48, 64
    a, b = to_bf16(rng.standard_normal((m, k))), to_bf16(rng.standard_normal((n, k)))
    c = np.maximum(exact(from_bf16(a), from_bf16(b).T) + 0.5, 0)
    result = Out(to_bf16(c), same=1e-2, decode=from_bf16)
    yield Case((n // 16, m // 16), 32, [a, b, result, n, k], inexact=ORDER)


@kernel
def gemm_register_blocked(rng):
    for m, n, k in ((33, 40, 19), (64, 31, 8), (1, 1, 1)):
        a, b = rng.integers(-9, 9, (m, k)).astype(F32), rng.integers(-9, 9, (k, n)).astype(F32)
        yield Case((-(-n // 32), -(-m // 32)), 64, [a, b, Out(a @ b), m, n, k])


@kernel
def gemm_split_k(rng):
    for n, k, parts in ((16, 30, 3), (24, 100, 7)):
        a, b = rng.integers(-9, 9, (n, k)).astype(F32), rng.integers(-9, 9, (k, n)).astype(F32)
        size = -(-k // parts)
        partial = np.stack([a[:, i : i + size] @ b[i : i + size] for i in range(0, parts * size, size)])
        arrived = InOut(np.zeros((n // 8) ** 2, np.uint32), np.full((n // 8) ** 2, parts, np.uint32))
        yield Case((n // 8, n // 8, parts), (8, 8), [a, b, Out(partial), Out(a @ b), arrived, n, k])


@kernel
def attention(rng):
    for queries, keys, causal in ((20, 50, 0), (33, 33, 1), (16, 5, 0)):
        q, k, v = (rng.standard_normal((n, 16)).astype(F16) for n in (queries, keys, keys))
        s = exact(q, k.T) * 0.25
        if causal:
            s[np.triu_indices(queries, 1)] = -np.inf
        p = np.exp(s - s.max(1, keepdims=True))
        o = Out((p @ v.astype(np.float64) / p.sum(1, keepdims=True)).astype(F32), same=3e-3)
        yield Case(-(-queries // 16), 32, [q, k, v, o, queries, keys, causal], inexact=ORDER)
