# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import numpy as np

from . import Case, Out, kernel


@kernel
def split_barrier(rng):
    for rounds in (4, 1):
        x = rng.integers(-99, 99, (2, 96), np.int32)
        y = x
        for _ in range(rounds):
            y = y * 3 + np.roll(y, -7, 1)
        yield Case(2, 96, [x, Out(y), rounds])


@kernel
def barrier_roles(rng):
    for rounds in (4, 1, 9):
        x = rng.integers(-99, 99, (2, rounds, 32), np.int32)
        total = np.zeros((2, 32), np.int32)
        for r in range(rounds):
            total = total * 5 + (x[:, r] * (r + 1))[:, np.arange(32) ^ 3]
        yield Case(2, 64, [x, Out(total), rounds])


@kernel
def barrier_copies(rng):
    for tiles in (4, 1):
        x = rng.integers(-99, 99, (2, tiles, 64, 4), np.int32)
        yield Case(2, 64, [x, Out(x[:, :, ::-1, ::-1]), tiles])


@kernel
def shared_pipeline(rng):
    for tiles in (4, 1):
        x = rng.integers(-99, 99, (2, tiles, 96), np.int32)
        yield Case(2, 96, [x, Out(x[:, :, ::-1]), tiles])
