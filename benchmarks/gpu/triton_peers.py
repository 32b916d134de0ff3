# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels in Triton to compare with: products, attention, softmax, layer norm and RMS norm, each in one configuration
that is good on Hopper. Nothing is tuned when they run.

function(family, case) is a callable on the tensors that the workload has.
"""

import math

import torch
import triton
import triton.language as tl

LOG2_E = math.log2(math.e)
EPSILON = 1e-5


@triton.jit
def _product(
    a, b, c, m, n, k, BLOCK_M: tl.constexpr, BLOCK_N: tl.constexpr, BLOCK_K: tl.constexpr, GROUP: tl.constexpr
):
    """C = A·B, row-major. Blocks of GROUP rows of tiles go down the columns first, so that they share what is in the
    L2."""
    block = tl.program_id(0)
    rows, columns = tl.cdiv(m, BLOCK_M), tl.cdiv(n, BLOCK_N)
    width = GROUP * columns
    first = (block // width) * GROUP
    height = tl.minimum(rows - first, GROUP)
    row = first + (block % width) % height
    column = (block % width) // height
    at_m = row * BLOCK_M + tl.arange(0, BLOCK_M)
    at_n = column * BLOCK_N + tl.arange(0, BLOCK_N)
    at_k = tl.arange(0, BLOCK_K)
    a_tile = a + (at_m % m)[:, None] * k + at_k[None, :]
    b_tile = b + at_k[:, None] * n + (at_n % n)[None, :]
    total = tl.zeros((BLOCK_M, BLOCK_N), dtype=tl.float32)
    for step in range(0, tl.cdiv(k, BLOCK_K)):
        inside = at_k < k - step * BLOCK_K
        left = tl.load(a_tile, mask=inside[None, :], other=0.0)
        right = tl.load(b_tile, mask=inside[:, None], other=0.0)
        total = tl.dot(left, right, total)
        a_tile += BLOCK_K
        b_tile += BLOCK_K * n
    mask = (at_m < m)[:, None] & (at_n < n)[None, :]
    tl.store(c + at_m[:, None] * n + at_n[None, :], total.to(c.dtype.element_ty), mask=mask)


@triton.jit
def _keys(
    acc,
    weight_sum,
    top,
    q,
    k_tile,
    v_tile,
    first,
    last,
    keys,
    at_m,
    at_n,
    at_d,
    scale,
    BLOCK_N: tl.constexpr,
    WIDTH: tl.constexpr,
    MASKED: tl.constexpr,
    CAUSAL: tl.constexpr,
):
    """Goes through the keys from `first` to `last`, with the running maximum `top` in units of log2."""
    for start in range(first, last, BLOCK_N):
        column = start + at_n
        inside = column < keys
        key = tl.load(k_tile + column[None, :] * WIDTH + at_d[:, None], mask=inside[None, :], other=0.0)
        scores = tl.dot(q, key) * scale
        if MASKED:
            scores = tl.where(inside[None, :], scores, float("-inf"))
            if CAUSAL:
                scores = tl.where(at_m[:, None] >= column[None, :], scores, float("-inf"))
        new_top = tl.maximum(top, tl.max(scores, 1))
        weights = tl.math.exp2(scores - new_top[:, None])
        correction = tl.math.exp2(top - new_top)
        weight_sum = weight_sum * correction + tl.sum(weights, 1)
        value = tl.load(v_tile + column[:, None] * WIDTH + at_d[None, :], mask=inside[:, None], other=0.0)
        acc = tl.dot(weights.to(value.dtype), value, acc * correction[:, None])
        top = new_top
    return acc, weight_sum, top


@triton.jit
def _attention(
    q,
    k,
    v,
    out,
    rows,
    keys,
    scale,
    BLOCK_M: tl.constexpr,
    BLOCK_N: tl.constexpr,
    WIDTH: tl.constexpr,
    CAUSAL: tl.constexpr,
):
    """Heads [h, row, d] against [h, key, d]. Whole tiles of keys first, then the tiles that the mask or the end
    of the keys cuts."""
    block, head = tl.program_id(0), tl.program_id(1).to(tl.int64)
    if CAUSAL:
        # The longest rows first.
        block = tl.num_programs(0) - 1 - block
    at_m = block * BLOCK_M + tl.arange(0, BLOCK_M)
    at_n, at_d = tl.arange(0, BLOCK_N), tl.arange(0, WIDTH)
    at_q = head * rows * WIDTH + at_m[:, None] * WIDTH + at_d[None, :]
    tile = tl.load(q + at_q, mask=(at_m < rows)[:, None], other=0.0)
    k_tile, v_tile = k + head * keys * WIDTH, v + head * keys * WIDTH
    acc = tl.zeros((BLOCK_M, WIDTH), dtype=tl.float32)
    weight_sum = tl.zeros((BLOCK_M,), dtype=tl.float32)
    top = tl.full((BLOCK_M,), float("-inf"), dtype=tl.float32)
    end = keys
    if CAUSAL:
        end = tl.minimum((block + 1) * BLOCK_M, keys)
    whole = keys // BLOCK_N * BLOCK_N
    if CAUSAL:
        whole = tl.minimum(block * BLOCK_M // BLOCK_N * BLOCK_N, whole)
    acc, weight_sum, top = _keys(
        acc,
        weight_sum,
        top,
        tile,
        k_tile,
        v_tile,
        0,
        whole,
        keys,
        at_m,
        at_n,
        at_d,
        scale,
        BLOCK_N,
        WIDTH,
        False,
        CAUSAL,
    )
    acc, weight_sum, top = _keys(
        acc,
        weight_sum,
        top,
        tile,
        k_tile,
        v_tile,
        whole,
        end,
        keys,
        at_m,
        at_n,
        at_d,
        scale,
        BLOCK_N,
        WIDTH,
        True,
        CAUSAL,
    )
    acc = acc / weight_sum[:, None]
    tl.store(out + at_q, acc.to(out.dtype.element_ty), mask=(at_m < rows)[:, None])


@triton.jit
def _softmax(x, out, columns, BLOCK: tl.constexpr):
    row, at = tl.program_id(0).to(tl.int64), tl.arange(0, BLOCK)
    value = tl.load(x + row * columns + at, mask=at < columns, other=float("-inf")).to(tl.float32)
    weights = tl.exp(value - tl.max(value, 0))
    tl.store(out + row * columns + at, (weights / tl.sum(weights, 0)).to(out.dtype.element_ty), mask=at < columns)


@triton.jit
def _layer_norm(x, gamma, beta, out, columns, epsilon, BLOCK: tl.constexpr):
    row, at = tl.program_id(0).to(tl.int64), tl.arange(0, BLOCK)
    inside = at < columns
    value = tl.load(x + row * columns + at, mask=inside, other=0.0).to(tl.float32)
    centred = tl.where(inside, value - tl.sum(value, 0) / columns, 0.0)
    scale = tl.rsqrt(tl.sum(centred * centred, 0) / columns + epsilon)
    gain = tl.load(gamma + at, mask=inside, other=0.0).to(tl.float32)
    shift = tl.load(beta + at, mask=inside, other=0.0).to(tl.float32)
    tl.store(out + row * columns + at, (centred * scale * gain + shift).to(out.dtype.element_ty), mask=inside)


@triton.jit
def _rms_norm(x, gamma, out, columns, epsilon, BLOCK: tl.constexpr):
    row, at = tl.program_id(0).to(tl.int64), tl.arange(0, BLOCK)
    inside = at < columns
    value = tl.load(x + row * columns + at, mask=inside, other=0.0).to(tl.float32)
    scale = tl.rsqrt(tl.sum(value * value, 0) / columns + epsilon)
    gain = tl.load(gamma + at, mask=inside, other=0.0).to(tl.float32)
    tl.store(out + row * columns + at, (value * scale * gain).to(out.dtype.element_ty), mask=inside)


def product(a, b):
    """Of matrices."""
    (m, k), n = a.shape, b.shape[1]
    c = torch.empty((m, n), dtype=a.dtype, device=a.device)
    grid = (triton.cdiv(m, 128) * triton.cdiv(n, 256),)
    _product[grid](a, b, c, m, n, k, BLOCK_M=128, BLOCK_N=256, BLOCK_K=64, GROUP=8, num_stages=3, num_warps=8)
    return c


def attention(q, k, v, causal, scale):
    """Of heads [h, rows, d] as wide as their values; a causal mask has as many rows as keys."""
    heads, rows, width = q.shape
    keys = k.shape[1]
    if width & width - 1 or width < 16 or v.shape[2] != width:
        raise RuntimeError("the Triton kernel is of heads whose width is a power of two")
    if causal and rows != keys:
        raise RuntimeError("the Triton kernel's causal mask is of as many rows as keys")
    out = torch.empty_like(q)
    block_n = 128 if width <= 64 else 64
    _attention[(triton.cdiv(rows, 128), heads)](
        q,
        k,
        v,
        out,
        rows,
        keys,
        scale * LOG2_E,
        BLOCK_M=128,
        BLOCK_N=block_n,
        WIDTH=width,
        CAUSAL=causal,
        num_stages=3,
        num_warps=8,
    )
    return out


def _rows(kernel, x, *others):
    """A row a block."""
    rows, columns = x.shape
    out = torch.empty_like(x)
    block = triton.next_power_of_2(columns)
    warps = min(16, max(1, block // 512))
    kernel[(rows,)](x, *others[:-1], out, columns, *others[-1], BLOCK=block, num_warps=warps)
    return out


def softmax(x):
    return _rows(_softmax, x, ())


def layer_norm(x, gamma, beta):
    return _rows(_layer_norm, x, gamma, beta, (EPSILON,))


def rms_norm(x, gamma):
    return _rows(_rms_norm, x, gamma, (EPSILON,))


_PATTERNS = {"softmax": softmax, "layer_norm": layer_norm, "rms_norm": rms_norm}


def function(family, case):
    """A callable on the arguments of the workload. Raises RuntimeError where there is no kernel."""
    if family.startswith("attention"):
        width = case["head_dim"] if "seq" in case else case["K"]
        causal = case.get("causal", False)
        return lambda q, k, v: attention(q, k, v, causal, width**-0.5)
    if family == "stitch_patterns" and case["pattern"] in _PATTERNS:
        return _PATTERNS[case["pattern"]]
    if family == "products_large":
        return product
    raise RuntimeError("there is no Triton kernel of this workload")
