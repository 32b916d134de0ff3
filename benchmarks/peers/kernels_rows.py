# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Triton kernels along rows: softmax, and norms forward and backward.

A program has ROWS whole rows of row-major matrices, padded to BLOCK columns.
"""

import triton
import triton.language as tl


@triton.jit
def softmax(x, y, columns, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    at = tl.arange(0, BLOCK)
    inside = (at < columns)[None, :]
    place = row[:, None] * columns + at[None, :]
    value = tl.load(x + place, mask=inside, other=float("-inf")).to(tl.float32)
    weight = tl.exp(value - tl.max(value, 1)[:, None])
    result = weight / tl.sum(weight, 1)[:, None]
    tl.store(y + place, result.to(y.dtype.element_ty), mask=inside)


@triton.jit
def softmax_persistent(x, y, rows, columns, BLOCK: tl.constexpr, STAGES: tl.constexpr):
    """Programs take rows one after the other, and load the next while they compute."""
    at = tl.arange(0, BLOCK)
    inside = at < columns
    for row in tl.range(tl.program_id(0), rows, tl.num_programs(0), num_stages=STAGES):
        value = tl.load(x + row * columns + at, mask=inside, other=float("-inf")).to(tl.float32)
        weight = tl.exp(value - tl.max(value, 0))
        tl.store(y + row * columns + at, (weight / tl.sum(weight, 0)).to(y.dtype.element_ty), mask=inside)


@triton.jit
def _normalized(value, inside, gamma, beta, at, columns, epsilon):
    centred = tl.where(inside[None, :], value - (tl.sum(value, 1) / columns)[:, None], 0.0)
    deviation = tl.rsqrt(tl.sum(centred * centred, 1) / columns + epsilon)
    gain = tl.load(gamma + at, mask=inside, other=0.0).to(tl.float32)
    shift = tl.load(beta + at, mask=inside, other=0.0).to(tl.float32)
    return centred * deviation[:, None] * gain[None, :] + shift[None, :]


@triton.jit
def layer_norm(x, gamma, beta, y, columns, epsilon, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    at = tl.arange(0, BLOCK)
    inside = at < columns
    place = row[:, None] * columns + at[None, :]
    value = tl.load(x + place, mask=inside[None, :], other=0.0).to(tl.float32)
    result = _normalized(value, inside, gamma, beta, at, columns, epsilon)
    tl.store(y + place, result.to(y.dtype.element_ty), mask=inside[None, :])


@triton.jit
def bias_residual_norm(x, bias, residual, gamma, beta, y, columns, epsilon, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    at = tl.arange(0, BLOCK)
    inside = at < columns
    place = row[:, None] * columns + at[None, :]
    value = tl.load(x + place, mask=inside[None, :], other=0.0).to(tl.float32)
    value += tl.load(bias + at, mask=inside, other=0.0).to(tl.float32)[None, :]
    value += tl.load(residual + place, mask=inside[None, :], other=0.0).to(tl.float32)
    result = _normalized(value, inside, gamma, beta, at, columns, epsilon)
    tl.store(y + place, result.to(y.dtype.element_ty), mask=inside[None, :])


@triton.jit
def rms_norm(x, gamma, y, columns, epsilon, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    at = tl.arange(0, BLOCK)
    inside = at < columns
    place = row[:, None] * columns + at[None, :]
    value = tl.load(x + place, mask=inside[None, :], other=0.0).to(tl.float32)
    scale = tl.rsqrt(tl.sum(value * value, 1) / columns + epsilon)
    gain = tl.load(gamma + at, mask=inside, other=0.0).to(tl.float32)
    tl.store(y + place, (value * scale[:, None] * gain[None, :]).to(y.dtype.element_ty), mask=inside[None, :])


@triton.jit
def norm_backward(
    dy, x, mean, deviation, gamma, dx, dgamma, dbeta, rows, columns, IS_RMS: tl.constexpr, BLOCK: tl.constexpr
):
    """dx of every row, and of each program the sums of dgamma and dbeta over its rows. deviation: its reciprocal."""
    at = tl.arange(0, BLOCK)
    inside = at < columns
    gain = tl.load(gamma + at, mask=inside, other=0.0).to(tl.float32)
    gamma_sum = tl.zeros([BLOCK], tl.float32)
    beta_sum = tl.zeros([BLOCK], tl.float32)
    for row in range(tl.program_id(0), rows, tl.num_programs(0)):
        place = row * columns + at
        gradient = tl.load(dy + place, mask=inside, other=0.0).to(tl.float32)
        value = tl.load(x + place, mask=inside, other=0.0).to(tl.float32)
        scale = tl.load(deviation + row)
        if IS_RMS:
            unit = value * scale
        else:
            unit = tl.where(inside, (value - tl.load(mean + row)) * scale, 0.0)
        weighted = gradient * gain
        result = weighted - unit * (tl.sum(weighted * unit, 0) / columns)
        if not IS_RMS:
            result -= tl.sum(weighted, 0) / columns
        tl.store(dx + place, (result * scale).to(dx.dtype.element_ty), mask=inside)
        gamma_sum += gradient * unit
        beta_sum += gradient
    own = tl.program_id(0) * columns + at
    tl.store(dgamma + own, gamma_sum, mask=inside)
    if not IS_RMS:
        tl.store(dbeta + own, beta_sum, mask=inside)


@triton.jit
def column_sums(a, b, a_sums, b_sums, rows, columns, HAS_B: tl.constexpr, ROWS: tl.constexpr, BLOCK: tl.constexpr):
    """Of one or two matrices of f32."""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    a_sum = tl.zeros([ROWS, BLOCK], tl.float32)
    b_sum = tl.zeros([ROWS, BLOCK], tl.float32)
    for first in range(0, rows, ROWS):
        row = first + tl.arange(0, ROWS)
        inside = (row[:, None] < rows) & (at[None, :] < columns)
        place = row[:, None] * columns + at[None, :]
        a_sum += tl.load(a + place, mask=inside, other=0.0)
        if HAS_B:
            b_sum += tl.load(b + place, mask=inside, other=0.0)
    tl.store(a_sums + at, tl.sum(a_sum, 0).to(a_sums.dtype.element_ty), mask=at < columns)
    if HAS_B:
        tl.store(b_sums + at, tl.sum(b_sum, 0).to(b_sums.dtype.element_ty), mask=at < columns)
