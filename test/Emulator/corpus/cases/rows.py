# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

import numpy as np

from . import Case, Out, kernel
from .formats import from_bf16, round_bf16, to_bf16

APPROXIMATE = "approximate functions"


def softmax(x):
    e = np.exp(x.astype(np.float64) - x.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


@kernel
def softmax_block(rng):
    for rows, cols, block in ((2, 37, 32), (3, 1000, 128), (1, 1, 256)):
        x = rng.standard_normal((rows, cols)).astype(np.float32) * 3
        result = Out(softmax(x).astype(np.float32), same=2e-6)
        yield Case(rows, block, [x, result, cols], shared=4 * cols, inexact=APPROXIMATE)


@kernel
def softmax_online(rng):
    for rows, cols in ((5, 70), (3, 5), (6, 300)):
        x = rng.standard_normal((rows, cols)).astype(np.float16) * np.float16(4)
        x[0, 0] = -np.inf
        result = Out(softmax(x).astype(np.float16), same=1e-3)
        yield Case(-(-rows // 4), 128, [x, result, rows, cols], inexact=APPROXIMATE)


@kernel
def layer_norm_welford(rng):
    for rows, cols in ((2, 45), (3, 7), (2, 1000)):
        x = (rng.standard_normal((rows, cols)) + 100).astype(np.float32)
        gamma, beta = rng.standard_normal((2, cols)).astype(np.float32)
        mean = x.mean(1, dtype=np.float64)
        scale = 1 / np.sqrt(x.var(1, dtype=np.float64) + 1e-5)
        y = (x - mean[:, None]) * scale[:, None] * gamma + beta
        stats = Out(np.stack([mean, scale], 1).astype(np.float32), same=1e-4)
        args = [x, gamma, beta, Out(y.astype(np.float32), same=1e-3), stats, cols]
        yield Case(rows, 32, args, inexact=APPROXIMATE)


@kernel
def rms_norm(rng):
    for rows, cols in ((2, 66), (3, 1000)):
        x, w = (to_bf16(rng.standard_normal(s)) for s in ((rows, cols), cols))
        v = from_bf16(x).astype(np.float64)
        y = v / np.sqrt((v * v).mean(1, keepdims=True) + 1e-6)
        expected = to_bf16(round_bf16(y.astype(np.float32)) * from_bf16(w))
        result = Out(expected, same=1e-2, decode=from_bf16)
        yield Case(rows, 64, [x, w, result, cols // 2], inexact=APPROXIMATE)


@kernel
def log_sum_exp_columns(rng):
    for rows, cols in ((9, 40), (50, 33), (1, 5)):
        x = (rng.standard_normal((rows, cols)) * 5).astype(np.float32)
        expected = np.log(np.exp(x.astype(np.float64)).sum(0)).astype(np.float32)
        result = Out(expected, same=1e-5)
        yield Case(-(-cols // 32), (32, 8), [x, result, rows, cols], inexact=APPROXIMATE)
