# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import numpy as np

from . import Case, InOut, Out, TensorMap, kernel


@kernel
def library_tile(rng):
    for height, width in ((32, 64), (20, 40)):
        x = rng.integers(-99, 99, (height, width), np.int32)
        gy, gx = -(-height // 16), -(-width // 32)
        place = np.tile(np.arange(512, dtype=np.int32).reshape(16, 32), (gy, gx))[:height, :width]
        result = InOut(x, x * 3 + place)
        yield Case((gx, gy), 96, [TensorMap(result, "i32", [width, height], [4 * width], [32, 16]), result])


@kernel
def library_rows(rng):
    for blocks, rows in ((2, 7), (1, 1)):
        x = rng.integers(-99, 99, (rows, 128), np.int32)
        yield Case(blocks, 128, [x, Out(x * 5 - np.arange(rows, dtype=np.int32)[:, None]), rows])


@kernel
def cluster_pipeline(rng):
    for clusters, tiles in ((2, 7), (1, 1), (1, 14)):
        x = rng.integers(-99, 99, (clusters, tiles, 128), np.int32)
        sums = np.zeros((clusters, 2, 128), np.int32)
        for i in range(tiles):
            sums = sums * 3 + np.stack([x[:, i], x[:, i, ::-1]], 1)
        yield Case(2 * clusters, 160, [x, Out(sums), tiles], cluster=2)
