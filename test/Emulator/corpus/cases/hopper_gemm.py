# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import numpy as np

from . import Case, Out, TensorMap, kernel


@kernel
def hopper_gemm(rng):
    for m, n, k in ((64, 128, 320), (128, 256, 64)):
        a, b = rng.standard_normal((m, k)).astype(np.float16), rng.standard_normal((n, k)).astype(np.float16)
        c = Out((a.astype(np.float64) @ b.astype(np.float64).T).astype(np.float32), same=1e-4)
        maps = [TensorMap(x, "f16", [k, len(x)], [2 * k], [64, rows], "128B") for x, rows in ((a, 32), (b, 64))]
        shared = 3 * 2 * 8192 + 6 * 8
        args = [*maps, c, n, k]
        yield Case((n // 64, m // 64), 160, args, shared=shared, cluster=2, inexact="accumulation order")
