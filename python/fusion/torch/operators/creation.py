# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors out of nothing: filled with a number, or counting up."""

from __future__ import annotations

from typing import Any

from ..emit import FLOATS, Body, Scalar, Tensor
from ..lowering import Call, lowers


@lowers("aten.full.default", "prims.full.default")
def full(call: Call, size: Any, value: Any, **options: Any) -> Tensor:
    return call.f.fill(value, call.shape, call.type)


@lowers("aten.full_like.default", "aten.fill.Scalar")
def full_like(call: Call, x: Tensor, value: Any, **options: Any) -> Tensor:
    return call.f.fill(value, call.shape, call.type)


@lowers("aten.scalar_tensor.default", "prims.scalar_tensor.default")
def scalar_tensor(call: Call, value: Any, **options: Any) -> Tensor:
    return call.f.fill(value, call.shape, call.type)


@lowers("aten.zeros_like.default", "aten.zeros.default", "aten.ones_like.default",
        "aten.ones.default", "aten.empty.memory_format", "aten.empty_like.default",
        "aten.empty_permuted.default")
def constant_like(call: Call, x: Any, **options: Any) -> Tensor:
    # The contents of an empty tensor are undefined; zeros are as good as any values.
    return call.f.fill(1 if "ones" in call.target else 0, call.shape, call.type)


@lowers("prims.iota.default")
def iota(call: Call, length: int, start: int = 0, step: int = 1, **options: Any) -> Tensor:
    def compute(b: Body, indices: list[Scalar]) -> Scalar:
        position = b.convert(indices[0], "i64")
        scaled = b.binary("arith.muli", position, b.constant(step, "i64"))
        return b.convert(b.binary("arith.addi", scaled, b.constant(start, "i64")), call.type)

    result = call.f.indexed(call.shape, call.type, compute)
    if call.type == "i64":
        last = start + step * (length - 1)
        call.f.ranges[result.name] = min(start, last), max(start, last)
    return result


@lowers("aten.arange.start_step", "aten.arange.default", "aten.arange.start")
def arange(call: Call, *bounds: Any, **options: Any) -> Tensor:
    start, step = 0, 1
    if len(bounds) > 1:
        start = bounds[0]
    if len(bounds) > 2:
        step = bounds[2]
    if call.type in FLOATS:
        def compute(b: Body, indices: list[Scalar]) -> Scalar:
            # PyTorch computes in f64 and rounds once.
            position = b.convert(b.convert(indices[0], "i64"), "f64")
            scaled = b.binary("arith.mulf", position, b.constant(step, "f64"))
            return b.convert(b.binary("arith.addf", scaled, b.constant(start, "f64")), call.type)

        return call.f.indexed(call.shape, call.type, compute)
    return iota(call, call.shape[0], int(start), int(step))
