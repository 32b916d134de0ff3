# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import numpy as np

from . import Case, Out, TensorMap, kernel
from .formats import E4M3, E5M2, from_bf16, from_fp8, round_tf32, to_bf16, to_fp8

F16, F32 = np.float16, np.float32
ORDER = "accumulation order"


def product(rng, encode, decode, step):
    """Launches of C = A B^T; `step` elements of k are a step of the kernel."""
    for m, n, steps in ((64, 32, 2), (128, 16, 5)):
        k = steps * step
        a, b = encode(rng.standard_normal((m, k))), encode(rng.standard_normal((n, k)))
        result = Out((decode(a).astype(np.float64) @ decode(b).astype(np.float64).T).astype(F32), same=5e-5)
        yield Case((n // 16, m // 64), 128, [a, b, result, n, k * a.itemsize], inexact=ORDER)


def exponent(values):
    """floor(log2(|values|)); of zeros, less than that of any other value."""
    return np.where(values == 0, -999, np.frexp(values)[1] - 1)


def truncate(values, exponents):
    """Towards zero, to multiples of 2^(exponent - 13)."""
    step = np.ldexp(1.0, exponents - 13)
    return np.trunc(values / step) * step


def hopper_sums(a, b, c):
    """C + A B^T as wgmma of Hopper adds products of fp8 (docs/numerics.md, "Sums of 8-bit floats")."""
    for k in range(0, a.shape[1], 32):
        one, other = a[:, None, k : k + 32], b[None, :, k : k + 32]
        products, exponents = one * other, exponent(one) + exponent(other)
        largest = np.maximum(exponents.max(axis=2), exponent(c))
        c = truncate(products, largest[:, :, None]).sum(axis=2) + truncate(c, largest)
        c = truncate(c, exponent(c))
    return c


def fp8_product(rng, encode, decode_a, decode_b, start=0.0, sign=1.0):
    """Launches of C = start + sign A B^T, as Hopper adds."""
    for m, n, steps in ((64, 32, 2), (128, 16, 5)):
        k = 32 * steps
        a, b = encode(rng.standard_normal((m, k))), encode(rng.standard_normal((n, k)))
        factors = sign * decode_a(a).astype(np.float64), decode_b(b).astype(np.float64)
        result = Out(hopper_sums(*factors, np.full((m, n), start)).astype(F32))
        yield Case((n // 16, m // 64), 128, [a, b, result, n, k])


def half(values):
    return values.astype(F16)


@kernel
def wgmma_tf32(rng):
    yield from product(rng, lambda x: round_tf32(x.astype(F32)), np.asarray, 8)


@kernel
def wgmma_e4m3(rng):
    yield from fp8_product(rng, lambda x: to_fp8(x, E4M3), lambda x: from_fp8(x, E4M3), lambda x: from_fp8(x, E4M3))


@kernel
def wgmma_e5m2(rng):
    def encode(x):
        return to_fp8(np.clip(x, -2, 2), E4M3) & 0x7F

    # C = 1 - A B^T
    yield from fp8_product(rng, encode, lambda x: from_fp8(x, E5M2), lambda x: from_fp8(x, E4M3), 1.0, -1.0)


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
