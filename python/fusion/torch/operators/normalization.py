# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Softmax and norms, in f32 for half types, rounded at the end."""

from __future__ import annotations

import math
from typing import Any, Callable, Sequence

from ..emit import Body, Scalar, Tensor, Unsupported
from ..lowering import Call, lowers, type_of
from .pointwise import maximum
from .reductions import accumulator, add, moments


def exponentials(call: Call, x: Tensor, dim: int) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """x less its maximum along `dim`, its exponentials, their sum, and the maximum."""
    f = call.f
    kept = [1 if d == dim else size for d, size in enumerate(x.shape)]
    top = f.reshape(f.reduce(x, [dim], -math.inf, maximum), kept)
    lowered = f.elementwise([x, top], x.shape, x.type,
                            lambda b, x, top: b.binary("arith.subf", x, top))
    powers = f.elementwise([lowered], x.shape, x.type, lambda b, x: b.unary("math.exp", x))
    return lowered, powers, f.reshape(f.reduce(powers, [dim], 0, add), kept), top


def without_rows(b: Body, weight: Scalar, top: Scalar) -> Scalar:
    """A weight, but 0 in a row of -inf, as PyTorch's attention has it; what is NaN stays."""
    empty = b.compare("eq", top, b.constant(-math.inf, top.type))
    return b.select(empty, b.constant(0, weight.type), weight)


def _along(call: Call, x: Tensor, dim: int,
           compute: Callable[[Tensor, int], Tensor]) -> Tensor:
    f = call.f
    wide = f.convert(x, accumulator(call.type))
    wide = wide if wide.shape else f.reshape(wide, [1])
    result = compute(wide, dim % len(wide.shape))
    return f.reshape(f.convert(result, call.type), call.shape)


@lowers("aten._softmax.default", "aten._safe_softmax.default")
def softmax(call: Call, x: Tensor, dim: int, half_to_float: Any = None) -> Tensor:
    safe = "safe" in call.target

    def compute(x: Tensor, dim: int) -> Tensor:
        _, powers, sum, top = exponentials(call, x, dim)

        def divide(b: Body, power: Scalar, sum: Scalar, *top: Scalar) -> Scalar:
            quotient = b.binary("arith.divf", power, sum)
            return without_rows(b, quotient, *top) if top else quotient

        return call.f.elementwise([powers, sum, *([top] if safe else [])], x.shape, x.type,
                                  divide)

    return _along(call, x, dim, compute)


@lowers("aten._log_softmax.default")
def log_softmax(call: Call, x: Tensor, dim: int, half_to_float: Any = None) -> Tensor:
    def compute(x: Tensor, dim: int) -> Tensor:
        lowered, _, sum, _ = exponentials(call, x, dim)
        return call.f.elementwise(
            [lowered, sum], x.shape, x.type,
            lambda b, x, sum: b.binary("arith.subf", x, b.unary("math.log", sum)))

    return _along(call, x, dim, compute)


def normalize(call: Call, x: Tensor, dims: Sequence[int], eps: float, weight: Tensor | None,
              bias: Tensor | None, type: str) -> tuple[Tensor, Tensor, Tensor]:
    """(x − mean) · rstd · weight + bias as `type`, the mean and rstd in the
    accumulator's type with sizes of 1. Weight and bias broadcast to x."""
    f = call.f
    wide = f.convert(x, accumulator(x.type))
    made = moments(call, wide, dims, 0)

    def inverse(b: Body, variance: Scalar) -> Scalar:
        return b.unary("math.rsqrt",
                       b.binary("arith.addf", variance, b.constant(eps, variance.type)))

    rstd = f.elementwise([made.variance], made.variance.shape, made.variance.type, inverse)
    operands = [t for t in (weight, bias) if t is not None]

    def scale(b: Body, x: Scalar, first: Scalar, rest: Scalar, rstd: Scalar, *affine: Scalar) -> Scalar:
        values = [b.convert(value, x.type) for value in affine]
        result = b.binary("arith.mulf", made.center(b, x, first, rest), rstd)
        if weight is not None:
            result = b.binary("arith.mulf", result, values[0])
        if bias is not None:
            result = b.binary("arith.addf", result, values[-1])
        return b.convert(result, type)

    result = f.elementwise([wide, made.first, made.rest, rstd, *operands], x.shape, type, scale)
    return result, made.mean, rstd


def _like(call: Call, index: int, tensor: Tensor) -> Tensor | None:
    if not call.used(index):
        return None
    value = call.value[index]
    return call.f.convert(call.f.reshape(tensor, tuple(value.shape)), type_of(value))


@lowers("aten.native_layer_norm.default")
def layer_norm(call: Call, x: Tensor, shape: Sequence[int], weight: Tensor | None,
               bias: Tensor | None, eps: float) -> tuple:
    dims = list(range(len(x.shape) - len(shape), len(x.shape)))
    result, average, rstd = normalize(call, x, dims, eps, weight, bias, type_of(call.value[0]))
    return result, _like(call, 1, average), _like(call, 2, rstd)


@lowers("aten.native_group_norm.default")
def group_norm(call: Call, x: Tensor, weight: Tensor | None, bias: Tensor | None, n: int, c: int,
               hw: int, groups: int, eps: float) -> tuple:
    f = call.f
    split = f.reshape(x, [n, groups, c // groups, hw])

    def per_channel(tensor: Tensor | None) -> Tensor | None:
        return None if tensor is None else f.reshape(tensor, [1, groups, c // groups, 1])

    result, average, rstd = normalize(call, split, [2, 3], eps, per_channel(weight),
                                      per_channel(bias), type_of(call.value[0]))
    return f.reshape(result, x.shape), _like(call, 1, average), _like(call, 2, rstd)


@lowers("aten._native_batch_norm_legit_no_training.default")
def batch_norm(call: Call, x: Tensor, weight: Tensor | None, bias: Tensor | None,
               running_mean: Tensor, running_var: Tensor, momentum: float, eps: float) -> tuple:
    f = call.f
    type = accumulator(x.type)
    operands = [t for t in (running_mean, running_var, weight, bias) if t is not None]
    channel = [1, x.shape[1], *[1] * (len(x.shape) - 2)]

    def scale(b: Body, x: Scalar, *rest: Scalar) -> Scalar:
        x, mean, variance, *affine = [b.convert(value, type) for value in (x, *rest)]
        inverse = b.unary("math.rsqrt",
                          b.binary("arith.addf", variance, b.constant(eps, type)))
        result = b.binary("arith.mulf", b.binary("arith.subf", x, mean), inverse)
        if weight is not None:
            result = b.binary("arith.mulf", result, affine[0])
        if bias is not None:
            result = b.binary("arith.addf", result, affine[-1])
        return b.convert(result, type_of(call.value[0]))

    result = f.elementwise([x, *[f.reshape(t, channel) for t in operands]], x.shape,
                           type_of(call.value[0]), scale)
    if call.used(1) or call.used(2):
        raise Unsupported("the saved statistics of a batch norm")
    return result, None, None
