# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import numpy as np

from . import Case, InOut, Out, kernel


@kernel
def scan_warp(rng):
    for n, block in ((40, 32), (1000, 128)):
        x = rng.integers(-99, 99, n, np.int32)
        sums = np.pad(x, (0, -n % 32)).reshape(-1, 32).cumsum(1, np.int32).ravel()[:n]
        yield Case(-(-n // block), block, [x, Out(sums), n])


@kernel
def scan_hillis_steele(rng):
    for n, block in ((30, 32), (100, 100), (513, 1000)):
        x = rng.integers(-99, 99, (2, n)).astype(np.float32)
        yield Case(2, block, [x, Out((x.cumsum(1) - x).astype(np.float32)), n], shared=8 * block)


@kernel
def scan_blelloch(rng):
    for grid in (1, 5):
        x = rng.integers(-999, 999, (grid, 256), np.int32)
        yield Case(grid, 128, [x, Out(x.cumsum(1, np.int32) - x)])


@kernel
def scan_look_back(rng):
    for n in (200, 1, 6000):
        x = rng.integers(0, 100, n, np.int32)
        grid = -(-n // 128)
        sums = np.pad(x, (0, -n % 128)).reshape(grid, 128).sum(1).cumsum().astype(np.uint64)
        states = InOut(np.zeros(grid, np.uint64), sums | np.uint64(2 << 62))
        ticket = InOut(np.zeros(1, np.int32), np.full(1, grid, np.int32))
        yield Case(grid, 128, [x, Out(x.cumsum(dtype=np.int64)), states, ticket, n])


@kernel
def compact_block(rng):
    for n, block in ((100, 32), (1000, 256)):
        x = rng.standard_normal((2, n)).astype(np.float32)
        kept = np.zeros_like(x)
        for row, of in zip(kept, x):
            row[: (of > 0).sum()] = of[of > 0]
        count = Out((x > 0).sum(1, dtype=np.int32))
        yield Case(2, block, [x, InOut(np.zeros_like(x), kept), count, n])


@kernel
def compact_aggregated(rng):
    def same(got, expected):
        return np.array_equal(np.sort(got), np.sort(expected))

    for n in (70, 1000):
        x = rng.integers(1, 1000, n, np.int32)
        kept = x[x % 3 == 0]
        result = InOut(np.zeros(n, np.int32), np.pad(kept, (0, n - len(kept))), same)
        count = InOut(np.zeros(1, np.int32), np.array([len(kept)], np.int32))
        yield Case(-(-n // 64), 64, [x, result, count, n], varies=True, inexact="order of blocks")


@kernel
def segmented_sum(rng):
    for n in (50, 777):
        key = np.sort(rng.integers(0, 20, n, np.int32))
        x = rng.integers(-50, 50, n, np.int32)
        sums = np.bincount(key, x, 20).astype(np.int32)
        yield Case(-(-n // 96), 96, [key, x, InOut(np.zeros(20, np.int32), sums), n])
