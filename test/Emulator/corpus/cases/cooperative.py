# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import numpy as np

from cases import Case, InOut, Out, kernel


@kernel
def grid_rotate(rng):
    for grid, block, rounds in ((2, 32, 3), (3, 64, 5)):
        n = grid * block
        before = rng.integers(-999, 999, n).astype(np.int32)
        after = np.roll(before, -rounds * block) + np.int32(rounds)
        yield Case(grid, block, [InOut(before, after.astype(np.int32)), rounds])


@kernel
def tile_64(rng):
    for grid, block in ((1, 64), (2, 256)):
        x = rng.integers(-99, 99, (grid * block // 64, 64)).astype(np.int32)
        yield Case(grid, block, [x, Out(x.sum(1).astype(np.int32))])


@kernel
def heap_list(rng):
    for grid, block, n in ((1, 32, 3), (2, 40, 5)):
        expected = []
        for t in range(grid * block):
            values = [i * (t + 1) for i in range(n + t % 3)][::-1]
            total = sum(v * (w + 1) for w, v in enumerate(values))
            for i in range(n):
                total ^= ((n - 1 - i) ** 2 + t) << i % 8
            expected.append(total)
        yield Case(grid, block, [Out(np.array(expected, np.int32)), n])


@kernel
def heap_full(rng):
    yield Case(2, 1, [Out(np.array([1, 1, 1, 1], np.int32))])


@kernel
def simd_bytes(rng):
    a, b = (rng.integers(0, 1 << 32, 64, np.uint32) for _ in range(2))
    ab, bb = (v.view(np.uint8).reshape(-1, 4).astype(np.int64) for v in (a, b))
    ah, bh = (v.view(np.int16).reshape(-1, 2).astype(np.int64) for v in (a, b))

    def word(values, kind):
        return values.astype(kind).view(np.uint32)[:, 0]

    columns = [word(abs(ab - bb), np.uint8), abs(ab - bb).sum(1).astype(np.uint32),
               abs(ah - bh).sum(1).astype(np.uint32), word((ab + bb + 1) // 2, np.uint8),
               word(np.minimum(ab + bb, 255), np.uint8), word(np.where(ah > bh, -1, 0), np.int16)]
    yield Case(2, 32, [a, b, Out(np.stack(columns, 1))])
