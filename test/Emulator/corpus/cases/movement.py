# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import numpy as np

from . import Case, InOut, Out, kernel


@kernel
def transpose_swizzled(rng):
    for rows, cols in ((33, 40), (64, 64), (1, 100)):
        x = rng.standard_normal((rows, cols)).astype(np.float32)
        yield Case((-(-cols // 32), -(-rows // 32)), (32, 8), [x, Out(x.T), rows, cols])


@kernel
def transpose_bytes(rng):
    for n in (16, 20, 100):
        x = rng.integers(0, 256, (n, n), np.uint8)
        blocks = -(-n // 16)
        yield Case((blocks, blocks), (4, 16), [x, Out(x.T), n])


@kernel
def transpose_bits(rng):
    x = rng.integers(0, 2, (6, 32, 32), np.uint8)

    def pack(bits):
        return np.packbits(bits, axis=2, bitorder="little").view(np.uint32)

    yield Case(2, 96, [pack(x), Out(pack(x.transpose(0, 2, 1)))])


@kernel
def histogram_global(rng):
    for n, shift in ((100, 12), (3000, 8)):
        x = rng.integers(0, 65536, n, np.uint16)
        bins = 65536 >> shift
        result = InOut(np.zeros(bins, np.uint32), np.bincount(x >> shift, minlength=bins).astype(np.uint32))
        yield Case(3, 128, [x, result, n, shift])


@kernel
def histogram_aggregated(rng):
    for n in (70, 1, 5000):
        x = (rng.standard_normal(n) * 20 + 128).clip(0, 255).astype(np.uint8)
        result = InOut(np.zeros(64, np.uint32), np.bincount(x >> 2, minlength=64).astype(np.uint32))
        yield Case(2, 128, [x, result, n])


@kernel
def sort_radix(rng):
    for blocks, n in ((2, 20), (1, 1), (3, 700)):
        x = rng.integers(0, 2**32, (blocks, n), np.uint32)
        # After seven passes.
        shuffled = Out(np.take_along_axis(x, np.argsort(x & 0x0FFFFFFF, kind="stable"), 1))
        yield Case(blocks, 256, [InOut(x, np.sort(x)), shuffled, n])


@kernel
def sort_warp(rng):
    for warps in (1, 6):
        x = rng.permutation(32 * warps).astype(np.float32).reshape(-1, 32)
        values = np.arange(32 * warps, dtype=np.int32).reshape(-1, 32)
        order = np.argsort(x, 1)
        keys = InOut(x, np.take_along_axis(x, order, 1))
        yield Case(2 if warps > 1 else 1, 16 * warps if warps > 1 else 32,
                   [keys, InOut(values, np.take_along_axis(values, order, 1))])


@kernel
def merge_path(rng):
    for na, nb in ((30, 50), (1, 400), (0, 9), (333, 334)):
        a, b = (np.sort(rng.integers(0, 60, n, np.int32)) for n in (max(na, 1), max(nb, 1)))
        merged = np.sort(np.concatenate([a[:na], b[:nb]]))
        yield Case(-(-(na + nb) // 160), 32, [a, na, b, nb, Out(merged)])


@kernel
def sort_odd_even(rng):
    for n in (9, 100, 128):
        x = rng.integers(-(2**15), 2**15, (2, n), np.int16)
        yield Case(2, 128, [InOut(x, np.sort(x)), n], shared=2 * n)
    for n in (10, 11):  # every round swaps
        x = np.tile(np.arange(n, 0, -1, dtype=np.int16), (2, 1))
        yield Case(2, 128, [InOut(x, np.sort(x)), n], shared=2 * n)
