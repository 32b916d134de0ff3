# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import numpy as np

from . import Case, Out, TensorMap, kernel
from .formats import E4M3, E5M2, from_bf16, from_fp8, round_tf32, to_bf16, to_fp8

F16, F32 = np.float16, np.float32
ORDER = "accumulation order"


def product(rng, encode, decode, step, same=5e-5, decode_b=None, finish=lambda c: c):
    """Launches of C = A B^T; `step` elements of k are a step of the kernel."""
    for m, n, steps in ((64, 32, 2), (128, 16, 5)):
        k = steps * step
        a, b = encode(rng.standard_normal((m, k))), encode(rng.standard_normal((n, k)))
        c = finish(decode(a).astype(np.float64) @ (decode_b or decode)(b).astype(np.float64).T)
        result = Out(c.astype(F32), same=same)
        yield Case((n // 16, m // 64), 128, [a, b, result, n, k * a.itemsize], inexact=ORDER)


def half(values):
    return values.astype(F16)


@kernel
def wgmma_tf32(rng):
    yield from product(rng, lambda x: round_tf32(x.astype(F32)), np.asarray, 8)


@kernel
def wgmma_e4m3(rng):
    # Chips keep fewer bits of sums of fp8 products.
    yield from product(rng, lambda x: to_fp8(x, E4M3), lambda x: from_fp8(x, E4M3), 32, 1e-3)


@kernel
def wgmma_e5m2(rng):
    def encode(x):
        return to_fp8(np.clip(x, -2, 2), E4M3) & 0x7F

    yield from product(rng, encode, lambda x: from_fp8(x, E5M2), 32, 1e-3, lambda x: from_fp8(x, E4M3),
                       lambda c: 1 - c)


@kernel
def wgmma_s8(rng):
    for m, n, k in ((64, 32, 64), (128, 16, 160)):
        a, b = rng.integers(-128, 128, (m, k), np.int8), rng.integers(-128, 128, (n, k), np.int8)
        result = Out(a.astype(np.int32) @ b.T.astype(np.int32))
        yield Case((n // 16, m // 64), 128, [a, b, result, n, k])


@kernel
def wgmma_f16_swizzle_128(rng):
    yield from product(rng, half, np.asarray, 64)


@kernel
def wgmma_f16_swizzle_64(rng):
    yield from product(rng, half, np.asarray, 32)


@kernel
def wgmma_bf16_swizzle_32(rng):
    yield from product(rng, to_bf16, from_bf16, 16)


@kernel
def wgmma_registers(rng):
    for m, n, k in ((64, 32, 128), (128, 16, 320)):
        a, b = half(rng.standard_normal((m, k))), half(rng.standard_normal((n, k)))
        result = Out(half(a.astype(np.float64) @ b.astype(np.float64).T), same=5e-2)
        yield Case((n // 16, m // 64), 128, [a, b, result, n, 2 * k], inexact=ORDER)


@kernel
def wgmma_n_major(rng):
    for m, n, k in ((64, 32, 32), (128, 16, 80)):
        a, b = half(rng.standard_normal((m, k))), half(rng.standard_normal((k, n)))
        result = Out((a.astype(np.float64) @ b.astype(np.float64)).astype(F32), same=5e-5)
        yield Case((n // 16, m // 64), 128, [a, b, result, n, 2 * k], inexact=ORDER)


@kernel
def wgmma_specialized(rng):
    for m, n, k in ((128, 128, 320), (256, 64, 64), (128, 64, 640)):
        a, b = half(rng.standard_normal((m, k))), half(rng.standard_normal((n, k)))
        result = Out((a.astype(np.float64) @ b.astype(np.float64).T).astype(F32), same=1e-4)
        maps = [TensorMap(x, "f16", [k, len(x)], [2 * k], [64, rows], "128B") for x, rows in ((a, 128), (b, 64))]
        shared = 3 * (128 + 64) * 128
        yield Case((n // 64, m // 128), 384, [*maps, result, n, k], shared=shared, inexact=ORDER)


@kernel
def store_matrices(rng):
    a, b = half(rng.integers(-3, 4, (2, 2, 16, 16)))
    c = half(a.astype(F32) @ b.astype(F32).swapaxes(1, 2))
    yield Case(2, 32, [a, b, Out(c), Out(c.swapaxes(1, 2))])
