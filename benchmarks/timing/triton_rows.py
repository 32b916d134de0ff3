# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Triton kernels along rows with the statistics that a backward pass needs, a row for each program."""

import triton
import triton.language as tl


@triton.jit
def layer_norm(x, gamma, beta, y, means, deviations, columns, epsilon, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    inside = at < columns
    value = tl.load(x + row * columns + at, mask=inside, other=0.0).to(tl.float32)
    gain = tl.load(gamma + at, mask=inside, other=0.0).to(tl.float32)
    shift = tl.load(beta + at, mask=inside, other=0.0).to(tl.float32)
    mean = tl.sum(value, 0) / columns
    centred = tl.where(inside, value - mean, 0.0)
    deviation = tl.rsqrt(tl.sum(centred * centred, 0) / columns + epsilon)
    tl.store(means + row, mean)
    tl.store(deviations + row, deviation)
    tl.store(y + row * columns + at, (centred * deviation * gain + shift).to(y.dtype.element_ty), mask=inside)


@triton.jit
def rms_norm(x, gamma, y, deviations, columns, epsilon, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    inside = at < columns
    value = tl.load(x + row * columns + at, mask=inside, other=0.0).to(tl.float32)
    gain = tl.load(gamma + at, mask=inside, other=0.0)
    scale = tl.rsqrt(tl.sum(value * value, 0) / columns + epsilon)
    tl.store(deviations + row, scale)
    result = (value * scale).to(y.dtype.element_ty) * gain
    tl.store(y + row * columns + at, result.to(y.dtype.element_ty), mask=inside)


@triton.jit
def relu_squared(x, y, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    inside = at < columns
    value = tl.maximum(tl.load(x + row * columns + at, mask=inside, other=0.0).to(tl.float32), 0.0)
    tl.store(y + row * columns + at, (value * value).to(y.dtype.element_ty), mask=inside)
