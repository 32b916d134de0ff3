# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import numpy as np

from . import Case, InOut, Out, kernel

SIZES = (1, 33, 1000, 4099)


def integers(rng, n):
    return rng.integers(-1000, 1000, n, np.int32)


def whole(rng, n):
    """Floats whose sums are exact in every order."""
    return rng.integers(-100, 100, n).astype(np.float32)


@kernel
def reduce_shared(rng):
    for n, block in ((70, 33), (1, 32), (1000, 256), (1000, 97), (300, 1)):
        x = integers(rng, n)
        grid = -(-n // block)
        padded = np.pad(x, (0, grid * block - n)).reshape(grid, block)
        yield Case(grid, block, [x, Out(padded.sum(1, np.int32)), n], shared=4 * block)


@kernel
def reduce_shuffle(rng):
    for n, grid, block in ((100, 2, 32), (4099, 3, 256), (1, 1, 1024)):
        x = whole(rng, n)
        step = grid * block
        sums = np.pad(x, (0, -n % step)).reshape(-1, grid, block).sum((0, 2))
        yield Case(grid, block, [x, Out(sums), n])


@kernel
def reduce_vectorized(rng):
    for n in SIZES:
        x = integers(rng, n)
        yield Case(2, 64, [x, InOut(np.zeros(1, np.int32), x.sum(keepdims=True, dtype=np.int32)), n])


@kernel
def reduce_redux(rng):
    for n in SIZES:
        x = rng.integers(0, 2**32, n, np.uint32)
        signed = x.view(np.int32).min().view(np.uint32)
        parts = [x.min(), x.max(), signed, np.bitwise_and.reduce(x), np.bitwise_or.reduce(x)]
        expected = np.array([*parts, np.bitwise_xor.reduce(x)], np.uint32)
        initial = np.array([2**32 - 1, 0, 2**31 - 1, 2**32 - 1, 0, 0], np.uint32)
        yield Case(-(-n // 128), 128, [x, InOut(initial, expected), n])


@kernel
def reduce_last_block(rng):
    for n, grid in ((100, 2), (5000, 13), (700, 150)):
        x = whole(rng, n)
        sums = np.pad(x, (0, -n % (grid * 128))).reshape(-1, grid, 128).sum((0, 2))
        yield Case(grid, 128, [x, Out(sums), Out(x.sum(keepdims=True)), n])


@kernel
def reduce_cooperative(rng):
    for n, block in ((50, 32), (1000, 96)):
        x = integers(rng, n)
        grid = -(-n // block)
        padded = np.pad(x, (0, grid * block - n))
        most = padded.reshape(-1, 8).max(1)
        yield Case(grid, block, [x, Out(most), Out(padded.reshape(grid, -1).sum(1, np.int32)), n])


@kernel
def argmax(rng):
    for n in SIZES:
        x = np.round(rng.standard_normal(n) * 10).astype(np.float32) - 30
        at = int(x.argmax())
        bits = int(x[at].view(np.uint32))
        bits = bits ^ 0xFFFFFFFF if bits >> 31 else bits | 0x80000000
        expected = np.array([bits << 32 | (at ^ 0xFFFFFFFF)], np.uint64)
        yield Case(3, 64, [x, InOut(np.zeros(1, np.uint64), expected), n])


@kernel
def dot_compensated(rng):
    for n in (5, 64, 3001):
        a, b = rng.standard_normal((2, 2, n)).astype(np.float32)
        exact = (a * b).astype(np.float64).sum(1)
        yield Case(2, 64, [a, b, Out(exact, same=1e-6), n])
