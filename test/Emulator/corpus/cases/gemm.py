# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import numpy as np

from . import Case, Out, kernel


def halves(rng, *shape):
    return rng.standard_normal(shape).astype(np.float16)


def product(a, b):
    return Out((a.astype(np.float64) @ b.astype(np.float64)).astype(np.float32), same=1e-4)


@kernel
def gemm_tiled(rng):
    for n in (32, 48):
        a, b = rng.integers(-9, 9, (2, n, n)).astype(np.float32)
        yield Case((n // 16, n // 16), (16, 16), [a, b, Out(a @ b), n])


@kernel
def gemm_tensor(rng):
    for m, n, k in ((64, 128, 160), (128, 64, 32)):
        a, b = halves(rng, m, k), halves(rng, k, n)
        args = [a, b, product(a, b), m, n, k]
        yield Case((n // 64, m // 64), 128, args, shared=3 * 8192, inexact="accumulation order")


@kernel
def gemm_wmma(rng):
    a, b = halves(rng, 48, 48), halves(rng, 48, 48)
    yield Case((3, 3), 32, [a, b, product(a, b), 48], inexact="accumulation order")
