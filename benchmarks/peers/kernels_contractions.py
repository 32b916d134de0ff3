# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Triton kernels of contractions: matmuls by pointers and by tensor descriptors, chains of two, gated MLPs.

Matrices are row-major, and tiles divide their sizes.
"""

import triton
import triton.language as tl


@triton.jit
def _tile(COLUMNS: tl.constexpr, ROWS: tl.constexpr, GROUP: tl.constexpr):
    """The tile of this program. Programs go down GROUP rows of tiles at a time, which share what the L2 holds."""
    block = tl.program_id(0)
    width = GROUP * COLUMNS
    first = (block // width) * GROUP
    height = tl.minimum(ROWS - first, GROUP)
    return first + (block % width) % height, (block % width) // height


@triton.jit
def matmul_pointers(
    a, b, c, M: tl.constexpr, N: tl.constexpr, k, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
    GROUP: tl.constexpr, PRECISION: tl.constexpr,
):  # fmt: skip
    row, column = _tile(N // BLOCK_N, M // BLOCK_M, GROUP)
    at_m = row * BLOCK_M + tl.arange(0, BLOCK_M)
    at_n = column * BLOCK_N + tl.arange(0, BLOCK_N)
    at_k = tl.arange(0, BLOCK_K)
    a_tile = a + at_m[:, None] * k + at_k[None, :]
    b_tile = b + at_k[:, None] * N + at_n[None, :]
    total = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for _ in range(0, k, BLOCK_K):
        total = tl.dot(tl.load(a_tile), tl.load(b_tile), total, input_precision=PRECISION)
        a_tile += BLOCK_K
        b_tile += BLOCK_K * N
    tl.store(c + at_m[:, None] * N + at_n[None, :], total.to(c.dtype.element_ty))


@triton.jit
def matmul_descriptors(
    a, b, c, M: tl.constexpr, N: tl.constexpr, k, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
    GROUP: tl.constexpr, SPECIALIZED: tl.constexpr,
):  # fmt: skip
    row, column = _tile(N // BLOCK_N, M // BLOCK_M, GROUP)
    total = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for step in tl.range(0, k, BLOCK_K, warp_specialize=SPECIALIZED):
        left = a.load([row * BLOCK_M, step])
        right = b.load([step, column * BLOCK_N])
        total = tl.dot(left, right, total)
    c.store([row * BLOCK_M, column * BLOCK_N], total.to(c.dtype))


@triton.jit
def matmul_persistent(
    a, b, c, M: tl.constexpr, N: tl.constexpr, k, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr,
    FLAT: tl.constexpr,
):  # fmt: skip
    """As many programs as SMs, each with several tiles."""
    columns: tl.constexpr = N // BLOCK_N
    for tile in tl.range(tl.program_id(0), columns * (M // BLOCK_M), tl.num_programs(0), flatten=FLAT):
        row, column = tile // columns, tile % columns
        total = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
        for step in range(0, k, BLOCK_K):
            total = tl.dot(a.load([row * BLOCK_M, step]), b.load([step, column * BLOCK_N]), total)
        c.store([row * BLOCK_M, column * BLOCK_N], total.to(c.dtype))


@triton.jit
def chain(
    a, b, d, e, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, H: tl.constexpr, BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr, BLOCK_H: tl.constexpr, BLOCK_K: tl.constexpr,
):  # fmt: skip
    """E = (A B) D; a tile of the intermediate stays in registers."""
    at_m = tl.program_id(0) * BLOCK_M + tl.arange(0, BLOCK_M)
    at_h = tl.program_id(1) * BLOCK_H + tl.arange(0, BLOCK_H)
    at_n, at_k = tl.arange(0, BLOCK_N), tl.arange(0, BLOCK_K)
    total = tl.zeros((BLOCK_M, BLOCK_H), tl.float32)
    if BLOCK_K == K:
        whole = tl.load(a + at_m[:, None] * K + at_k[None, :])
    for first in range(0, N, BLOCK_N):
        b_tile = b + at_k[:, None] * N + (first + at_n)[None, :]
        if BLOCK_K == K:
            middle = tl.dot(whole, tl.load(b_tile))
        else:
            middle = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
            for step in range(0, K, BLOCK_K):
                left = tl.load(a + at_m[:, None] * K + (step + at_k)[None, :])
                middle = tl.dot(left, tl.load(b_tile + step * N), middle)
        right = tl.load(d + (first + at_n)[:, None] * H + at_h[None, :])
        total = tl.dot(middle.to(d.dtype.element_ty), right, total)
    tl.store(e + at_m[:, None] * H + at_h[None, :], total.to(e.dtype.element_ty))


@triton.jit
def gated(
    x, gate, up, y, M: tl.constexpr, N: tl.constexpr, k, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
    BLOCK_K: tl.constexpr, GROUP: tl.constexpr,
):  # fmt: skip
    """Y = silu(X G) * (X U)."""
    row, column = _tile(N // BLOCK_N, M // BLOCK_M, GROUP)
    at_m = row * BLOCK_M + tl.arange(0, BLOCK_M)
    at_n = column * BLOCK_N + tl.arange(0, BLOCK_N)
    at_k = tl.arange(0, BLOCK_K)
    x_tile = x + at_m[:, None] * k + at_k[None, :]
    place = at_k[:, None] * N + at_n[None, :]
    first = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    second = tl.zeros((BLOCK_M, BLOCK_N), tl.float32)
    for step in range(0, k, BLOCK_K):
        left = tl.load(x_tile + step)
        first = tl.dot(left, tl.load(gate + place + step * N), first)
        second = tl.dot(left, tl.load(up + place + step * N), second)
    result = first * tl.sigmoid(first) * second
    tl.store(y + at_m[:, None] * N + at_n[None, :], result.to(y.dtype.element_ty))
