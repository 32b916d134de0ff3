# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import numpy as np

from . import Case, InOut, Out, TensorMap, kernel


@kernel
def cluster_sum(rng):
    for rows, n in ((2, 300), (1, 5)):
        x = rng.integers(-99, 99, (rows, n), np.int32)
        expected = x.sum(1, np.int32)[:, None] * 4 + np.arange(4, dtype=np.int32)
        yield Case(4 * rows, 64, [x, Out(expected), n], cluster=4)


@kernel
def cluster_histogram(rng):
    for n, per_block in ((300, 20), (1000, 100)):
        x = rng.integers(0, 2**32, n, np.uint32)
        bins = np.bincount(x % (2 * per_block), minlength=2 * per_block).astype(np.uint32)
        args = [x, InOut(np.zeros(2 * per_block, np.uint32), bins), n, per_block]
        yield Case(4, 64, args, cluster=2, shared=4 * per_block)


@kernel
def cluster_ring(rng):
    for rounds in (4, 1, 7, 26):
        x = rng.integers(-99, 99, (2, 4, 32), np.int32)
        y = x
        for _ in range(rounds):
            y = y * 3 + np.roll(y, 1, 1)[..., ::-1]
        yield Case(8, 32, [x, Out(y), rounds], cluster=4)


@kernel
def cluster_multicast(rng):
    for tiles in (4, 1, 7, 10):
        x = rng.integers(-99, 99, (2, tiles, 128), np.int32)
        total = np.zeros((2, 2, 128), np.int32)
        for i in range(tiles):
            total = total * 3 + np.stack([x[:, i], x[:, i, ::-1]], 1)
        yield Case(4, 128, [x, Out(total), tiles], cluster=2)


@kernel
def cluster_tensor_multicast(rng):
    for clusters, tiles in ((1, 4), (2, 1)):
        x = rng.integers(-99, 99, (16 * clusters, 32 * tiles)).astype(np.float32)
        parts = x.reshape(clusters, 16, tiles, 2, 16)
        by_row = parts.sum((2, 4)).transpose(0, 2, 1).reshape(clusters, 32)
        by_column = parts.sum((1, 2)).reshape(clusters, 32)
        tensor_map = TensorMap(x, "f32", [32 * tiles, 16 * clusters], [128 * tiles], [32, 8], "128B")
        yield Case(2 * clusters, 32, [tensor_map, Out(np.stack([by_row, by_column], 1)), tiles], cluster=2)
