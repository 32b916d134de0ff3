# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import numpy as np

from . import Case, Out, TensorMap, kernel


def cleared(blocks):
    """The places of the blocks' own maps, as the kernels leave them."""
    return Out(np.zeros((blocks, 128), np.uint8))


@kernel
def tensor_map_groups(rng):
    for blocks, heights in ((2, (8, 20, 0, 17, 3)), (1, (5,)), (3, (30, 1, 8, 0, 9))):
        first = np.cumsum((0, *heights), dtype=np.int32)
        x = rng.integers(-99, 99, (first[-1], 32), np.int32)
        sums = np.zeros((len(heights), 2, 32), np.int32)
        for group, height in enumerate(heights):
            rows = x[first[group] : first[group + 1]]
            sums[group] = rows[::2].sum(0), rows[1::2].sum(0)
        template = TensorMap(x, "i32", [32, 1], [128], [32, 8])
        yield Case(blocks, 64, [template, cleared(blocks), x, first, Out(sums), len(heights)])


@kernel
def tensor_map_global(rng):
    for blocks, rounds in ((2, 4), (1, 1)):
        x = rng.integers(-99, 99, (blocks, 64), np.int32)
        sums = np.zeros((blocks, 64), np.int32)
        for i in range(rounds):
            sums = sums * 3 + np.where(np.arange(64) < 16 + 8 * i, x, 0)
        template = TensorMap(x, "i32", [64, blocks], [256], [64, 1])
        yield Case(blocks, 64, [template, cleared(blocks), Out(sums.astype(np.int32)), rounds])
