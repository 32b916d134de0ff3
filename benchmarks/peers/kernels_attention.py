# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Triton kernels of attention, full, causal and with split keys.

Heads are [head, row, d], and tiles divide rows and keys. Exponentials have base 2, so `scale` has the factor log2(e).
"""

import triton
import triton.language as tl


@triton.jit
def _update(total, weight_sum, top, q, key, value, scale, row, column, MASKED: tl.constexpr):
    """The keys of one tile; key is transposed."""
    scores = tl.dot(q, key)
    if MASKED:
        scores = tl.where(row[:, None] >= column[None, :], scores, float("-inf"))
    new_top = tl.maximum(top, tl.max(scores, 1) * scale)
    weights = tl.math.exp2(scores * scale - new_top[:, None])
    correction = tl.math.exp2(top - new_top)
    weight_sum = weight_sum * correction + tl.sum(weights, 1)
    total = tl.dot(weights.to(value.dtype), value, total * correction[:, None])
    return total, weight_sum, new_top


@triton.jit
def attention_pointers(
    q, k, v, out, rows, keys, scale, WIDTH: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
    CAUSAL: tl.constexpr,
):  # fmt: skip
    block, head = tl.program_id(0), tl.program_id(1)
    if CAUSAL:
        # The longest rows first.
        block = tl.num_programs(0) - 1 - block
    row = block * BLOCK_M + tl.arange(0, BLOCK_M)
    at_n, at_d = tl.arange(0, BLOCK_N), tl.arange(0, WIDTH)
    place = head * rows * WIDTH + row[:, None] * WIDTH + at_d[None, :]
    tile = tl.load(q + place)
    k_tile = k + head * keys * WIDTH + at_n[None, :] * WIDTH + at_d[:, None]
    v_tile = v + head * keys * WIDTH + at_n[:, None] * WIDTH + at_d[None, :]
    total = tl.zeros((BLOCK_M, WIDTH), tl.float32)
    weight_sum = tl.zeros((BLOCK_M,), tl.float32)
    top = tl.full((BLOCK_M,), float("-inf"), tl.float32)
    whole = block * BLOCK_M // BLOCK_N * BLOCK_N if CAUSAL else keys
    for first in range(0, whole, BLOCK_N):
        key, value = tl.load(k_tile + first * WIDTH), tl.load(v_tile + first * WIDTH)
        total, weight_sum, top = _update(total, weight_sum, top, tile, key, value, scale, row, first + at_n, False)
    if CAUSAL:
        for first in range(whole, (block + 1) * BLOCK_M, BLOCK_N):
            key, value = tl.load(k_tile + first * WIDTH), tl.load(v_tile + first * WIDTH)
            total, weight_sum, top = _update(total, weight_sum, top, tile, key, value, scale, row, first + at_n, True)
    tl.store(out + place, (total / weight_sum[:, None]).to(out.dtype.element_ty))


@triton.jit
def attention_descriptors(
    q, k, v, out, rows, keys, scale, WIDTH: tl.constexpr, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr,
    CAUSAL: tl.constexpr, SPECIALIZED: tl.constexpr,
):  # fmt: skip
    """Descriptors are of all heads as one matrix."""
    block, head = tl.program_id(0), tl.program_id(1)
    if CAUSAL:
        block = tl.num_programs(0) - 1 - block
    row = block * BLOCK_M + tl.arange(0, BLOCK_M)
    at_n = tl.arange(0, BLOCK_N)
    tile = q.load([head * rows + block * BLOCK_M, 0])
    total = tl.zeros((BLOCK_M, WIDTH), tl.float32)
    weight_sum = tl.zeros((BLOCK_M,), tl.float32)
    top = tl.full((BLOCK_M,), float("-inf"), tl.float32)
    whole = block * BLOCK_M // BLOCK_N * BLOCK_N if CAUSAL else keys
    for first in tl.range(0, whole, BLOCK_N, warp_specialize=SPECIALIZED):
        key, value = k.load([head * keys + first, 0]).T, v.load([head * keys + first, 0])
        total, weight_sum, top = _update(total, weight_sum, top, tile, key, value, scale, row, first + at_n, False)
    if CAUSAL:
        for first in range(whole, (block + 1) * BLOCK_M, BLOCK_N):
            key, value = k.load([head * keys + first, 0]).T, v.load([head * keys + first, 0])
            total, weight_sum, top = _update(total, weight_sum, top, tile, key, value, scale, row, first + at_n, True)
    out.store([head * rows + block * BLOCK_M, 0], (total / weight_sum[:, None]).to(out.dtype))


@triton.jit
def decode_part(
    q, k, v, totals, tops, sums, keys, scale, GROUP: tl.constexpr, BLOCK_M: tl.constexpr, WIDTH: tl.constexpr,
    BLOCK_N: tl.constexpr, KEYS: tl.constexpr,
):  # fmt: skip
    """KEYS keys of one head against its GROUP queries, padded to BLOCK_M rows for the MMA."""
    head, split = tl.program_id(0), tl.program_id(1)
    row = tl.arange(0, BLOCK_M)
    at_n, at_d = tl.arange(0, BLOCK_N), tl.arange(0, WIDTH)
    inside = row < GROUP
    tile = tl.load(q + head * GROUP * WIDTH + row[:, None] * WIDTH + at_d[None, :], mask=inside[:, None], other=0.0)
    k_tile = k + (head * keys + split * KEYS + at_n)[None, :] * WIDTH + at_d[:, None]
    v_tile = v + (head * keys + split * KEYS + at_n)[:, None] * WIDTH + at_d[None, :]
    total = tl.zeros((BLOCK_M, WIDTH), tl.float32)
    weight_sum = tl.zeros((BLOCK_M,), tl.float32)
    top = tl.full((BLOCK_M,), float("-inf"), tl.float32)
    for first in range(0, KEYS, BLOCK_N):
        key, value = tl.load(k_tile + first * WIDTH), tl.load(v_tile + first * WIDTH)
        total, weight_sum, top = _update(total, weight_sum, top, tile, key, value, scale, row, first + at_n, False)
    own = (head * tl.num_programs(1) + split) * GROUP + row
    tl.store(totals + own[:, None] * WIDTH + at_d[None, :], total, mask=inside[:, None])
    tl.store(tops + own, top, mask=inside)
    tl.store(sums + own, weight_sum, mask=inside)


@triton.jit
def decode_combine(totals, tops, sums, out, GROUP: tl.constexpr, SPLITS: tl.constexpr, WIDTH: tl.constexpr):
    """One query of one head."""
    head, query = tl.program_id(0), tl.program_id(1)
    own = (head * SPLITS + tl.arange(0, SPLITS)) * GROUP + query
    at_d = tl.arange(0, WIDTH)
    top = tl.load(tops + own)
    factor = tl.math.exp2(top - tl.max(top, 0))
    weight_sum = tl.sum(tl.load(sums + own) * factor, 0)
    total = tl.sum(tl.load(totals + own[:, None] * WIDTH + at_d[None, :]) * factor[:, None], 0)
    tl.store(out + (head * GROUP + query) * WIDTH + at_d, (total / weight_sum).to(out.dtype.element_ty))
