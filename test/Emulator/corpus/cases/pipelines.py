# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import numpy as np

from . import Case, InOut, Out, kernel

F32 = np.float32


def column_sums(rng, stages):
    for tiles, cols in ((stages + 2, 64), (1, 32), (11, 96)):
        x = rng.integers(-99, 99, (tiles, 8, cols), np.int32)
        right = np.roll(x.reshape(tiles, 8, -1, 32), -1, axis=3).reshape(x.shape)
        weights = np.arange(1, tiles + 1, dtype=np.int32)[:, None, None]
        sums = (x * weights + right).sum((0, 1), np.int32)
        args = [x, InOut(np.zeros(cols, np.int32), sums), tiles, cols]
        yield Case(cols // 32, 64, args, shared=stages * 1024)


@kernel
def pipeline_2_stages(rng):
    yield from column_sums(rng, 2)


@kernel
def pipeline_3_stages(rng):
    yield from column_sums(rng, 3)


@kernel
def pipeline_4_stages(rng):
    yield from column_sums(rng, 4)


@kernel
def copy_mixed_sizes(rng):
    for n in (70, 128, 1):
        grid = -(-n // 64)
        x = rng.integers(-99, 99, (n, 7), np.int32)
        value = x.astype(np.int64) @ np.array([1, 3, 5, 7, 11, 13, 17])
        value = np.pad(value, (0, grid * 64 - n)).reshape(grid, 64)[:, ::-1]
        yield Case(grid, 64, [x[:, 0].copy(), x[:, 1:3].copy(), x[:, 3:].copy(), Out(value), n])


@kernel
def copy_partial(rng):
    for n in (700, 5, 1024):
        x = rng.integers(0, 256, n, np.uint8)
        result = np.pad(x, (0, 1024 - n)).reshape(32, 2, 16)[:, ::-1]
        yield Case(2, 32, [np.pad(x, (0, -n % 16)), Out(result), n])


@kernel
def pipeline_per_thread(rng):
    for rounds in (5, 1, 2, 22, 23):
        x = rng.integers(-99, 99, (128, rounds), np.int32)
        value = np.zeros(128, np.int32)
        for r in range(rounds):
            value = value * 7 + x[:, r]
        yield Case(2, 64, [x, Out(value), rounds])


@kernel
def gemm_async_borders(rng):
    for m, n, k in ((20, 33, 50), (16, 16, 16), (5, 1, 17)):
        a, b = rng.integers(-9, 9, (m, k)).astype(F32), rng.integers(-9, 9, (k, n)).astype(F32)
        yield Case((-(-n // 16), -(-m // 16)), (16, 16), [a, b, Out(a @ b), m, n, k])


@kernel
def copy_cooperative(rng):
    for size, block in ((48, 32), (1003, 64), (4, 96)):
        x = rng.integers(0, 256, (2, size), np.uint8)
        yield Case(2, block, [x, Out(x[:, ::-1]), size], shared=size)
