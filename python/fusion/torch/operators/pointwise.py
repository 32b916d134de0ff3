# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Element-wise operators, of ATen (with PyTorch's promotion of types) and of prims."""

from __future__ import annotations

import math
from typing import Any, Callable

import torch
from torch._prims_common import ELEMENTWISE_TYPE_PROMOTION_KIND as Kind
from torch._prims_common import elementwise_dtypes

from ..emit import FLOATS, INTEGERS, Body, Scalar, Tensor, Unsupported
from ..lowering import TYPES, Call, lowers

Compute = Callable[..., Scalar]


def apply(call: Call, operands: list[Any], compute_type: str, compute: Compute) -> Tensor:
    """`compute(body, element…)` on operands (tensors or numbers) of `compute_type`."""
    tensors = [operand for operand in operands if isinstance(operand, Tensor)]

    def body(b: Body, *elements: Scalar) -> Scalar:
        rest = iter(elements)
        values = [b.convert(next(rest), compute_type) if isinstance(operand, Tensor)
                  else b.constant(operand, compute_type) for operand in operands]
        return b.convert(compute(b, *values), call.type)

    return call.f.elementwise(tensors, call.shape, call.type, body)


def compute_type(call: Call, kind: Kind) -> str:
    """What PyTorch computes in: f32 for half types, the promoted type otherwise."""
    operands = [a for a in call.args if isinstance(a, (torch.Tensor, bool, int, float))]
    dtype, _ = elementwise_dtypes(*operands, type_promotion_kind=kind)
    if dtype not in TYPES:
        raise Unsupported(f"elements of type {dtype}")
    return TYPES[dtype]


def pointwise(names: str, kind: Kind = Kind.DEFAULT, floats: bool = True,
              integers: bool = True) -> Callable[[Compute], Compute]:
    """Files `compute(body, element…)` for the ATen operators `names` (space-separated),
    with the types that it is defined for."""

    def file(compute: Compute) -> Compute:
        def rule(call: Call, *args: Any) -> Tensor:
            type = compute_type(call, kind)
            if type in FLOATS and not floats or type in INTEGERS and not integers:
                raise Unsupported(f"elements of type {type}")
            return apply(call, list(args), type, compute)

        lowers(*names.split())(rule)
        return compute

    return file


def prim(names: str) -> Callable[[Compute], Compute]:
    """Files `compute` for operators of prims, whose operands have one type already."""

    def file(compute: Compute) -> Compute:
        def rule(call: Call, *args: Any) -> Tensor:
            type = TYPES.get(call.tensors()[0].dtype)
            if type is None:
                raise Unsupported(f"elements of type {call.tensors()[0].dtype}")
            return apply(call, list(args), "f32" if type in ("f16", "bf16") else type, compute)

        lowers(*(f"prims.{name}.default" for name in names.split()))(rule)
        return compute

    return file


def _math(op: str) -> Compute:
    return lambda b, x: b.unary(f"math.{op}", x)


# Functions of floating-point numbers; integers become f32.

for _name, _op in {
    "exp": "exp", "exp2": "exp2", "expm1": "expm1", "log": "log", "log2": "log2",
    "log10": "log10", "log1p": "log1p", "sqrt": "sqrt", "rsqrt": "rsqrt", "sin": "sin",
    "cos": "cos", "tan": "tan", "asin": "asin", "acos": "acos", "atan": "atan", "sinh": "sinh",
    "cosh": "cosh", "tanh": "tanh", "asinh": "asinh", "acosh": "acosh", "atanh": "atanh",
    "erf": "erf", "erfc": "erfc",
}.items():
    pointwise(f"aten.{_name}.default", Kind.INT_TO_FLOAT)(_math(_op))
    prim(_name)(_math(_op))


@pointwise("aten.sigmoid.default", Kind.INT_TO_FLOAT)
def sigmoid(b: Body, x: Scalar) -> Scalar:
    one = b.constant(1, x.type)
    negated = b.unary("arith.negf", x)
    return b.binary("arith.divf", one, b.binary("arith.addf", one, b.unary("math.exp", negated)))


@prim("reciprocal")
@pointwise("aten.reciprocal.default", Kind.INT_TO_FLOAT)
def reciprocal(b: Body, x: Scalar) -> Scalar:
    return b.binary("arith.divf", b.constant(1, x.type), x)


@lowers("aten.gelu.default")
def gelu(call: Call, x: Tensor, approximate: str = "none") -> Tensor:
    def compute(b: Body, x: Scalar) -> Scalar:
        def times(value: float, y: Scalar) -> Scalar:
            return b.binary("arith.mulf", b.constant(value, x.type), y)

        if approximate == "tanh":
            cube = b.binary("arith.mulf", b.binary("arith.mulf", x, x), x)
            inner = b.binary("arith.addf", x, times(0.044715, cube))
            bend = b.unary("math.tanh", times(math.sqrt(2 / math.pi), inner))
        else:
            bend = b.unary("math.erf", times(math.sqrt(0.5), x))
        return b.binary("arith.mulf", times(0.5, x),
                        b.binary("arith.addf", b.constant(1, x.type), bend))

    return apply(call, [x], compute_type(call, Kind.DEFAULT), compute)


# Signs and rounding.


@prim("abs")
@pointwise("aten.abs.default")
def absolute(b: Body, x: Scalar) -> Scalar:
    return x if x.type == "i1" else b.unary("math.absf" if x.type in FLOATS else "math.absi", x)


@prim("neg")
@pointwise("aten.neg.default")
def negate(b: Body, x: Scalar) -> Scalar:
    if x.type in FLOATS:
        return b.unary("arith.negf", x)
    return b.binary("arith.subi", b.constant(0, x.type), x)


def _rounding(names: str, op: str) -> None:
    def compute(b: Body, x: Scalar) -> Scalar:
        return b.unary(f"math.{op}", x) if x.type in FLOATS else x

    pointwise(f"aten.{names}.default")(compute)
    prim(names)(compute)


_rounding("ceil", "ceil")
_rounding("floor", "floor")
_rounding("trunc", "trunc")
_rounding("round", "roundeven")


@prim("sign")
@pointwise("aten.sign.default aten.sgn.default")
def sign(b: Body, x: Scalar) -> Scalar:
    """0 for 0 and NaN of floating-point numbers, as PyTorch has it on the CPU."""
    if x.type == "i1":
        return x
    zero = b.constant(0, x.type)
    one, minus = b.constant(1, x.type), b.constant(-1, x.type)
    return b.select(b.compare("gt", x, zero), one,
                    b.select(b.compare("lt", x, zero), minus, zero))


@prim("signbit")
@pointwise("aten.signbit.default", Kind.ALWAYS_BOOL)
def signbit(b: Body, x: Scalar) -> Scalar:
    if x.type == "i1":
        return b.constant(False, "i1")
    if x.type in FLOATS:
        bits = f"i{FLOATS[x.type]}"
        x = b.emit(f"arith.bitcast {x.name} : {x.type} to {bits}", bits)
    return b.compare("lt", x, b.constant(0, x.type))


def at_least(b: Body, x: Scalar, limit: Scalar, number: Any = None) -> Scalar:
    """The limit where x is below it. `number` is the limit where that is known: zeros keep their signs then."""
    if number != 0 or x.type not in FLOATS:
        return maximum(b, x, limit)
    return b.select(b.compare("lt", x, limit), limit, x)


def at_most(b: Body, x: Scalar, limit: Scalar, number: Any = None) -> Scalar:
    if number != 0 or x.type not in FLOATS:
        return minimum(b, x, limit)
    return b.select(b.compare("gt", x, limit), limit, x)


@pointwise("aten.relu.default", integers=True)
def relu(b: Body, x: Scalar) -> Scalar:
    return at_least(b, x, b.constant(0, x.type), 0)


# Arithmetic.


def arithmetic(b: Body, op: str, x: Scalar, y: Scalar) -> Scalar:
    return b.binary(f"arith.{op}{'f' if x.type in FLOATS else 'i'}", x, y)


def _scaled(op: str) -> Callable:
    def rule(call: Call, x: Any, y: Any, alpha: int | float = 1) -> Tensor:
        type = compute_type(call, Kind.DEFAULT)

        def compute(b: Body, x: Scalar, y: Scalar) -> Scalar:
            if type == "i1":
                if op == "sub":
                    raise Unsupported("differences of booleans")
                return b.binary("arith.ori", x, y) if alpha else x
            if alpha != 1:
                y = arithmetic(b, "mul", y, b.constant(alpha, type))
            return arithmetic(b, op, x, y)

        return apply(call, [x, y], type, compute)

    return rule


lowers("aten.add.Tensor", "aten.add.Scalar")(_scaled("add"))
lowers("aten.sub.Tensor", "aten.sub.Scalar")(_scaled("sub"))


@lowers("aten.rsub.Scalar", "aten.rsub.Tensor")
def rsub(call: Call, x: Any, y: Any, alpha: int | float = 1) -> Tensor:
    type = compute_type(call, Kind.DEFAULT)
    return apply(call, [x, y], type, lambda b, x, y: arithmetic(
        b, "sub", y, x if alpha == 1 else arithmetic(b, "mul", x, b.constant(alpha, type))))


@prim("mul")
@pointwise("aten.mul.Tensor aten.mul.Scalar")
def multiply(b: Body, x: Scalar, y: Scalar) -> Scalar:
    return b.binary("arith.andi", x, y) if x.type == "i1" else arithmetic(b, "mul", x, y)


prim("add")(lambda b, x, y: arithmetic(b, "add", x, y))
prim("sub")(lambda b, x, y: arithmetic(b, "sub", x, y))


@pointwise("aten.div.Tensor aten.div.Scalar", Kind.INT_TO_FLOAT)
def divide(b: Body, x: Scalar, y: Scalar) -> Scalar:
    return b.binary("arith.divf", x, y)


@prim("hypot")
@pointwise("aten.hypot.default", Kind.INT_TO_FLOAT)
def hypot(b: Body, x: Scalar, y: Scalar) -> Scalar:
    """By the larger side, whose square may be too large; infinite where a side is, even
    where the other one is NaN."""
    x, y = b.unary("math.absf", x), b.unary("math.absf", y)
    zero, one = b.constant(0, x.type), b.constant(1, x.type)
    infinity = b.constant(math.inf, x.type)
    longer, shorter = b.binary("arith.maximumf", x, y), b.binary("arith.minimumf", x, y)
    ratio = divide(b, shorter, longer)
    root = b.unary("math.sqrt", b.binary("arith.addf", one, b.binary("arith.mulf", ratio, ratio)))
    length = b.select(b.compare("eq", longer, zero), zero, b.binary("arith.mulf", longer, root))
    unbounded = b.binary("arith.ori", b.compare("eq", x, infinity), b.compare("eq", y, infinity))
    return b.select(unbounded, infinity, length)


@prim("fma")
def fma(b: Body, x: Scalar, y: Scalar, z: Scalar) -> Scalar:
    if x.type in INTEGERS:
        return arithmetic(b, "add", arithmetic(b, "mul", x, y), z)
    return b.emit(f"math.fma {x.name}, {y.name}, {z.name} : {x.type}", x.type)


@prim("atan2")
@pointwise("aten.atan2.default", Kind.INT_TO_FLOAT)
def atan2(b: Body, x: Scalar, y: Scalar) -> Scalar:
    return b.binary("math.atan2", x, y)


@pointwise("aten.copysign.Tensor aten.copysign.Scalar", Kind.INT_TO_FLOAT)
def copysign(b: Body, x: Scalar, y: Scalar) -> Scalar:
    return b.binary("math.copysign", x, y)


@prim("maximum")
@pointwise("aten.maximum.default")
def maximum(b: Body, x: Scalar, y: Scalar) -> Scalar:
    if x.type == "i1":
        return b.binary("arith.ori", x, y)
    return b.binary("arith.maximumf" if x.type in FLOATS else "arith.maxsi", x, y)


@prim("minimum")
@pointwise("aten.minimum.default")
def minimum(b: Body, x: Scalar, y: Scalar) -> Scalar:
    if x.type == "i1":
        return b.binary("arith.andi", x, y)
    return b.binary("arith.minimumf" if x.type in FLOATS else "arith.minsi", x, y)


@prim("fmax")
@pointwise("aten.fmax.default")
def fmax(b: Body, x: Scalar, y: Scalar) -> Scalar:
    return b.binary("arith.maxnumf", x, y) if x.type in FLOATS else maximum(b, x, y)


@prim("fmin")
@pointwise("aten.fmin.default")
def fmin(b: Body, x: Scalar, y: Scalar) -> Scalar:
    return b.binary("arith.minnumf", x, y) if x.type in FLOATS else minimum(b, x, y)


@lowers("aten.clamp.default", "aten.clamp.Tensor")
def clamp(call: Call, x: Tensor, min: Any = None, max: Any = None) -> Tensor:
    bounds = [bound for bound in (min, max) if bound is not None]
    operands = [a for a in [*call.args, *call.kwargs.values()] if a is not None]
    dtype, _ = elementwise_dtypes(*operands, type_promotion_kind=Kind.DEFAULT)
    if dtype not in TYPES:
        raise Unsupported(f"elements of type {dtype}")

    def compute(b: Body, x: Scalar, *limits: Scalar) -> Scalar:
        rest = iter(limits)
        if min is not None:
            x = at_least(b, x, next(rest), None if isinstance(min, Tensor) else min)
        if max is not None:
            x = at_most(b, x, next(rest), None if isinstance(max, Tensor) else max)
        return x

    return apply(call, [x, *bounds], TYPES[dtype], compute)


# Powers.


def _integer_power(b: Body, x: Scalar, exponent: int) -> Scalar:
    """By squaring; `exponent` is positive."""
    result = None
    while exponent:
        if exponent & 1:
            result = x if result is None else arithmetic(b, "mul", result, x)
        exponent >>= 1
        if exponent:
            x = arithmetic(b, "mul", x, x)
    return result


@lowers("aten.pow.Tensor_Scalar")
def power_of_number(call: Call, x: Tensor, exponent: int | float) -> Tensor:
    type = compute_type(call, Kind.DEFAULT)
    # PyTorch has roots of f16 on GPUs alone, and powers of it on the CPU: they differ at
    # -0 and at -inf (ATen/native/cpu/PowKernel.cpp, ATen/native/cuda/PowKernel.cu).
    has_roots = type in FLOATS and (call.type != "f16" or call.tensors()[0].device.type == "cuda")

    def compute(b: Body, x: Scalar) -> Scalar:
        if exponent == 0:
            return b.constant(1, type)
        if exponent == 0.5 and has_roots:
            return b.unary("math.sqrt", x)
        if exponent == -0.5 and has_roots:
            return b.unary("math.rsqrt", x)
        # What PyTorch multiplies, we multiply (ATen/native/cpu/PowKernel.cpp).
        if exponent in (1, 2, 3) or type in INTEGERS and exponent > 0:
            return _integer_power(b, x, int(exponent))
        if type in INTEGERS:
            raise Unsupported("negative powers of integers")
        if exponent in (-1, -2):
            return b.binary("arith.divf", b.constant(1, type),
                            _integer_power(b, x, -int(exponent)))
        return b.binary("math.powf", x, b.constant(exponent, type))

    if type == "i1":
        raise Unsupported("powers of booleans")
    return apply(call, [x], type, compute)


@prim("pow")
@pointwise("aten.pow.Tensor_Tensor aten.pow.Scalar", integers=False)
def power(b: Body, x: Scalar, y: Scalar) -> Scalar:
    if x.type in INTEGERS:
        raise Unsupported("powers of integers")
    return b.binary("math.powf", x, y)


# Comparisons and booleans.

for _name in ("eq", "ne", "lt", "le", "gt", "ge"):
    def _compare(b: Body, x: Scalar, y: Scalar, _name: str = _name) -> Scalar:
        return b.compare(_name, x, y)

    pointwise(f"aten.{_name}.Tensor aten.{_name}.Scalar", Kind.ALWAYS_BOOL)(_compare)
    prim(_name)(_compare)


@pointwise("aten.isnan.default", Kind.ALWAYS_BOOL)
def isnan(b: Body, x: Scalar) -> Scalar:
    return b.compare("ne", x, x) if x.type in FLOATS else b.constant(False, "i1")


@pointwise("aten.isinf.default", Kind.ALWAYS_BOOL)
def isinf(b: Body, x: Scalar) -> Scalar:
    if x.type not in FLOATS:
        return b.constant(False, "i1")
    return b.compare("eq", b.unary("math.absf", x), b.constant(math.inf, x.type))


@prim("isfinite")
def isfinite(b: Body, x: Scalar) -> Scalar:
    if x.type not in FLOATS:
        return b.constant(True, "i1")
    return b.compare("lt", b.unary("math.absf", x), b.constant(math.inf, x.type))


def _not(b: Body, x: Scalar) -> Scalar:
    return b.binary("arith.xori", x, b.constant(True if x.type == "i1" else -1, x.type))


@pointwise("aten.logical_not.default", Kind.ALWAYS_BOOL)
def logical_not(b: Body, x: Scalar) -> Scalar:
    return _not(b, b.convert(x, "i1"))


for _name, _op in {"and": "andi", "or": "ori", "xor": "xori"}.items():
    def _logical(b: Body, x: Scalar, y: Scalar, _op: str = _op) -> Scalar:
        return b.binary(f"arith.{_op}", b.convert(x, "i1"), b.convert(y, "i1"))

    def _bitwise(b: Body, x: Scalar, y: Scalar, _op: str = _op) -> Scalar:
        return b.binary(f"arith.{_op}", x, y)

    pointwise(f"aten.logical_{_name}.default", Kind.ALWAYS_BOOL)(_logical)
    pointwise(f"aten.bitwise_{_name}.Tensor aten.bitwise_{_name}.Scalar "
              f"aten.bitwise_{_name}.Scalar_Tensor", floats=False)(_bitwise)
    prim(f"bitwise_{_name}")(_bitwise)

pointwise("aten.bitwise_not.default", floats=False)(_not)
prim("bitwise_not")(_not)


@lowers("aten.where.self", "aten.where.ScalarSelf", "aten.where.ScalarOther", "aten.where.Scalar",
        "prims.where.default")
def where(call: Call, condition: Tensor, yes: Any, no: Any) -> Tensor:
    tensors = [t for t in (condition, yes, no) if isinstance(t, Tensor)]

    def body(b: Body, *elements: Scalar) -> Scalar:
        rest = iter(elements)
        first, *values = [b.convert(next(rest), call.type) if isinstance(v, Tensor) and i
                          else next(rest) if isinstance(v, Tensor)
                          else b.constant(v, call.type)
                          for i, v in enumerate((condition, yes, no))]
        return b.select(b.convert(first, "i1"), *values)

    return call.f.elementwise(tensors, call.shape, call.type, body)


@lowers("aten.masked_fill.Scalar")
def masked_fill(call: Call, x: Tensor, mask: Tensor, value: Any) -> Tensor:
    return call.f.elementwise(
        [x, mask], call.shape, call.type,
        lambda b, x, mask: b.select(mask, b.constant(value, x.type), x))


# Conversions and copies.


@lowers("aten._to_copy.default")
def to_copy(call: Call, x: Tensor, dtype: Any = None, layout: Any = None, device: Any = None,
            pin_memory: Any = None, non_blocking: bool = False, memory_format: Any = None) -> Tensor:
    return call.f.convert(x, call.type)


@lowers("prims.convert_element_type.default")
def convert_element_type(call: Call, x: Tensor, dtype: Any) -> Tensor:
    return call.f.convert(x, call.type)


@lowers("aten.clone.default", "aten.alias.default", "aten.detach.default", "prims.clone.default",
        "aten.lift_fresh_copy.default", "prims.view_of.default", "aten.contiguous.default")
def clone(call: Call, x: Tensor, memory_format: Any = None) -> Tensor:
    return x


@lowers("aten.copy.default")
def copy(call: Call, x: Tensor, source: Tensor, non_blocking: bool = False) -> Tensor:
    return call.f.convert(call.f.broadcast(source, call.shape), call.type)
