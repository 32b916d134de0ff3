# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Quotients, remainders and shifts, with numbers that have none."""

from __future__ import annotations

from typing import Any

from torch._prims_common import ELEMENTWISE_TYPE_PROMOTION_KIND as Kind

from ..emit import FLOATS, INTEGERS, Body, Requirement, Scalar, Tensor, Unsupported
from ..lowering import TYPES, Call, lowers
from .pointwise import apply, arithmetic, compute_type, divide, pointwise, prim


def _require_divisor(call: Call, y: Any, type: str) -> None:
    """Where a divisor is 0, PyTorch raises an error on the CPU, and so do we; a kernel
    cannot, and divides by 1."""
    if type == "i1":
        raise Unsupported("divisions of booleans")
    if isinstance(y, Tensor):
        call.f.require(y, Requirement())
    elif y == 0:
        raise Unsupported("a division by 0")


def _divisor(b: Body, y: Scalar) -> tuple[Scalar, Scalar]:
    """What can be divided by, and whether y is -1, by which the least number cannot be
    divided: its quotient wraps."""
    negates = b.compare("eq", y, b.constant(-1, y.type))
    unit = b.binary("arith.ori", b.compare("eq", y, b.constant(0, y.type)), negates)
    return b.select(unit, b.constant(1, y.type), y), negates


def _divide_integers(call: Call, x: Any, y: Any, type: str, op: str) -> Tensor:
    _require_divisor(call, y, type)

    def compute(b: Body, x: Scalar, y: Scalar) -> Scalar:
        divisor, negates = _divisor(b, y)
        return b.select(negates, b.binary("arith.subi", b.constant(0, type), x),
                        b.binary(op, x, divisor))

    return apply(call, [x, y], type, compute)


def _integer_remainder(call: Call, x: Any, y: Any, type: str, finish: Any) -> Tensor:
    """`finish(body, remainder, y)` of the quotient that is rounded to 0."""
    _require_divisor(call, y, type)
    return apply(call, [x, y], type, lambda b, x, y: finish(
        b, b.binary("arith.remsi", x, _divisor(b, y)[0]), y))


def _with_sign_of(b: Body, rest: Scalar, y: Scalar) -> Scalar:
    """A remainder that is none of 0 moved to the divisor's side of it."""
    zero = b.constant(0, rest.type)
    differs = b.binary("arith.xori", b.compare("lt", rest, zero), b.compare("lt", y, zero))
    moves = b.binary("arith.andi", b.compare("ne", rest, zero), differs)
    return b.select(moves, arithmetic(b, "add", rest, y), rest)


@lowers("prims.div.default")
def prims_div(call: Call, x: Any, y: Any) -> Tensor:
    type = TYPES.get(call.tensors()[0].dtype)
    if type in FLOATS:
        return apply(call, [x, y], "f32" if type in ("f16", "bf16") else type, divide)
    return _divide_integers(call, x, y, type, "arith.divsi")


@lowers("aten.div.Tensor_mode", "aten.div.Scalar_mode")
def divide_rounded(call: Call, x: Any, y: Any, *, rounding_mode: str | None = None) -> Tensor:
    if rounding_mode is None:
        return apply(call, [x, y], compute_type(call, Kind.INT_TO_FLOAT), divide)
    type = compute_type(call, Kind.DEFAULT)
    if type in INTEGERS:
        op = "arith.divsi" if rounding_mode == "trunc" else "arith.floordivsi"
        return _divide_integers(call, x, y, type, op)
    if rounding_mode == "trunc":
        # PyTorch rounds quotients of tensors of a half type first.
        between = call.type if isinstance(y, Tensor) and y.shape else type
        return apply(call, [x, y], type, lambda b, x, y: b.unary(
            "math.trunc", b.convert(b.convert(divide(b, x, y), between), type)))
    return apply(call, [x, y], type, floor_divide)


def floor_divide(b: Body, x: Scalar, y: Scalar) -> Scalar:
    """As Python divides: exactly by way of the remainder (c10's div_floor_floating)."""
    zero, half, one = (b.constant(value, x.type) for value in (0, 0.5, 1))
    quotient = divide(b, x, y)
    rest = b.binary("arith.remf", x, y)
    exact = divide(b, b.binary("arith.subf", x, rest), y)
    differs = b.binary("arith.xori", b.compare("lt", rest, zero), b.compare("lt", y, zero))
    lower = b.binary("arith.andi", b.compare("ne", rest, zero), differs)
    exact = b.select(lower, b.binary("arith.subf", exact, one), exact)
    down = b.unary("math.floor", exact)
    far = b.compare("gt", b.binary("arith.subf", exact, down), half)
    floor = b.select(far, b.binary("arith.addf", down, one), down)
    floor = b.select(b.compare("eq", exact, zero),
                     b.binary("math.copysign", zero, quotient), floor)
    return b.select(b.compare("eq", y, zero), quotient, floor)


@lowers("aten.fmod.Tensor", "aten.fmod.Scalar", "prims.fmod.default")
def fmod(call: Call, x: Any, y: Any) -> Tensor:
    type = compute_type(call, Kind.DEFAULT)
    if type in INTEGERS:
        return _integer_remainder(call, x, y, type, lambda b, rest, y: rest)
    return apply(call, [x, y], type, lambda b, x, y: b.binary("arith.remf", x, y))


@lowers("aten.remainder.Tensor", "aten.remainder.Scalar", "aten.remainder.Scalar_Tensor",
        "prims.remainder.default")
def remainder(call: Call, x: Any, y: Any) -> Tensor:
    type = compute_type(call, Kind.DEFAULT)
    if type in INTEGERS:
        return _integer_remainder(call, x, y, type, _with_sign_of)
    return apply(call, [x, y], type,
                 lambda b, x, y: _with_sign_of(b, b.binary("arith.remf", x, y), y))


# Shifts. By less than nothing, or by all bits and more, all bits leave.


def _far(b: Body, y: Scalar, most: int) -> Scalar:
    return b.binary("arith.ori", b.compare("lt", y, b.constant(0, y.type)),
                    b.compare("gt", y, b.constant(most, y.type)))


@prim("shift_left")
@pointwise("aten.bitwise_left_shift.Tensor aten.bitwise_left_shift.Tensor_Scalar "
           "aten.bitwise_left_shift.Scalar_Tensor aten.__lshift__.Tensor aten.__lshift__.Scalar",
           floats=False)
def shift_left(b: Body, x: Scalar, y: Scalar) -> Scalar:
    far = _far(b, y, INTEGERS[x.type] - 1)
    zero = b.constant(0, x.type)
    return b.select(far, zero, b.binary("arith.shli", x, b.select(far, zero, y)))


@prim("shift_rightarithmetic")
@pointwise("aten.bitwise_right_shift.Tensor aten.bitwise_right_shift.Tensor_Scalar "
           "aten.bitwise_right_shift.Scalar_Tensor aten.__rshift__.Tensor aten.__rshift__.Scalar",
           floats=False)
def shift_right(b: Body, x: Scalar, y: Scalar) -> Scalar:
    most = INTEGERS[x.type] - 1
    return b.binary("arith.shrsi", x,
                    b.select(_far(b, y, most), b.constant(most, x.type), y))
