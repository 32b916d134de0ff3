# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reductions and scans. Half types are summed in f32 and rounded once."""

from __future__ import annotations

import dataclasses
import math
from typing import Any, Callable, Sequence

from ..emit import FLOATS, Body, Scalar, Tensor, Unsupported, identity
from ..lowering import Call, lowers, type_of
from .pointwise import maximum, minimum, multiply

Combine = Callable[[Body, Scalar, Scalar], Scalar]


def accumulator(type: str) -> str:
    return "f32" if type in ("f16", "bf16") else type


def dims_of(rank: int, dims: int | Sequence[int] | None) -> list[int]:
    """The dimensions that an argument `dim` names; none named are all."""
    if dims is None or isinstance(dims, (list, tuple)) and not dims:
        return list(range(rank))
    if isinstance(dims, int):
        dims = [dims]
    return sorted(d % max(rank, 1) for d in dims) if rank else []


def reduce(call: Call, x: Tensor, dims: Sequence[int], type: str, initial: bool | int | float,
           combine: Combine, shape: Sequence[int] | None = None) -> Tensor:
    """Reduces in `type`. `shape` is the result's, with or without sizes of 1 for `dims`."""
    reduced = call.f.reduce(call.f.convert(x, type), dims, initial, combine)
    return reduced if shape is None else call.f.reshape(reduced, shape)


def add(b: Body, x: Scalar, sum: Scalar) -> Scalar:
    return b.binary("arith.addf" if x.type in FLOATS else "arith.addi", sum, x)


def total(call: Call, x: Tensor, dims: Sequence[int], type: str,
          shape: Sequence[int] | None = None) -> Tensor:
    """The sum in the accumulator's type of `type`."""
    if type == "i1":
        raise Unsupported("sums of booleans as such")
    return reduce(call, x, dims, accumulator(type), 0, add, shape)


@lowers("aten.sum.dim_IntList", "aten.sum.default")
def sum_(call: Call, x: Tensor, dim: Any = None, keepdim: bool = False, dtype: Any = None) -> Tensor:
    dims = dims_of(len(x.shape), dim)
    if call.type in FLOATS and x.type == call.type or call.type not in FLOATS:
        return call.f.convert(total(call, x, dims, call.type, call.shape), call.type)
    # PyTorch converts first.
    return call.f.convert(total(call, call.f.convert(x, call.type), dims, call.type, call.shape),
                          call.type)


@lowers("prims.sum.default")
def prims_sum(call: Call, x: Tensor, dims: Sequence[int], output_dtype: Any = None) -> Tensor:
    return sum_(call, x, list(dims)) if dims else x


@lowers("aten.mean.dim", "aten.mean.default")
def mean(call: Call, x: Tensor, dim: Any = None, keepdim: bool = False, dtype: Any = None) -> Tensor:
    dims = dims_of(len(x.shape), dim)
    sum = total(call, call.f.convert(x, call.type), dims, call.type, call.shape)
    count = math.prod(x.shape[d] for d in dims)
    return call.f.elementwise(
        [sum], call.shape, call.type,
        lambda b, s: b.convert(b.binary("arith.divf", s, b.constant(count, s.type)), call.type))


def _lowest(type: str) -> bool | int | float:
    return (-math.inf if type in FLOATS else False if type == "i1" else -(1 << int(type[1:]) - 1))


def _highest(type: str) -> bool | int | float:
    return math.inf if type in FLOATS else True if type == "i1" else (1 << int(type[1:]) - 1) - 1


@lowers("aten.amax.default")
def amax(call: Call, x: Tensor, dim: Any = (), keepdim: bool = False) -> Tensor:
    return reduce(call, x, dims_of(len(x.shape), dim), x.type, _lowest(x.type), maximum, call.shape)


@lowers("aten.amin.default")
def amin(call: Call, x: Tensor, dim: Any = (), keepdim: bool = False) -> Tensor:
    return reduce(call, x, dims_of(len(x.shape), dim), x.type, _highest(x.type), minimum, call.shape)


@lowers("aten.max.default")
def max_all(call: Call, x: Tensor) -> Tensor:
    return amax(call, x)


@lowers("aten.min.default")
def min_all(call: Call, x: Tensor) -> Tensor:
    return amin(call, x)


lowers("prims.amax.default")(lambda call, x, dims: amax(call, x, list(dims)) if dims else x)
lowers("prims.amin.default")(lambda call, x, dims: amin(call, x, list(dims)) if dims else x)


@lowers("aten.prod.dim_int", "aten.prod.default")
def prod(call: Call, x: Tensor, dim: Any = None, keepdim: bool = False, dtype: Any = None) -> Tensor:
    type = accumulator(call.type)
    if call.type == "i1":
        raise Unsupported("products of booleans")
    product = reduce(call, call.f.convert(x, call.type), dims_of(len(x.shape), dim), type, 1,
                     multiply, call.shape)
    return call.f.convert(product, call.type)


@lowers("aten.any.dim", "aten.any.default", "aten.any.dims")
def any_(call: Call, x: Tensor, dim: Any = None, keepdim: bool = False) -> Tensor:
    if call.type != "i1":
        raise Unsupported("booleans that are bytes")
    return reduce(call, x, dims_of(len(x.shape), dim), "i1", False,
                  lambda b, x, acc: b.binary("arith.ori", acc, x), call.shape)


@lowers("aten.all.dim", "aten.all.default", "aten.all.dims")
def all_(call: Call, x: Tensor, dim: Any = None, keepdim: bool = False) -> Tensor:
    if call.type != "i1":
        raise Unsupported("booleans that are bytes")
    return reduce(call, x, dims_of(len(x.shape), dim), "i1", True,
                  lambda b, x, acc: b.binary("arith.andi", acc, x), call.shape)


# Moments.


@dataclasses.dataclass
class Moments:
    """Statistics of rows, in the accumulator's type, with sizes of 1 where they are summed over.

    Attributes:
        first: the rounded sum over the count, which is off from the mean by roundings.
        rest: the mean of what remains without it.
        mean: both together.
        variance: of the elements, less a correction of the count.
    """

    first: Tensor
    rest: Tensor
    mean: Tensor
    variance: Tensor

    def center(self, b: Body, x: Scalar, first: Scalar, rest: Scalar) -> Scalar:
        """An element less the mean, without the mean's last rounding."""
        return b.binary("arith.subf", b.binary("arith.subf", x, first), rest)


def moments(call: Call, x: Tensor, dims: Sequence[int], correction: float) -> Moments:
    """By two passes over the data, the second of which corrects the first one's mean: in a
    row of n equal numbers the rounded mean differs from them, by more than they do from each
    other. The corrected two-pass algorithm of Chan, Golub and LeVeque, "Algorithms for
    Computing the Sample Variance", 1983."""
    f = call.f
    x = f.convert(x, accumulator(x.type))
    shape = [1 if d in dims else size for d, size in enumerate(x.shape)]
    count = math.prod(x.shape[d] for d in dims)

    def over(b: Body, s: Scalar, divisor: float) -> Scalar:
        return b.binary("arith.divf", s, b.constant(divisor, s.type))

    def row(tensor: Tensor) -> Tensor:
        return f.reshape(f.reduce(tensor, dims, 0, add), shape)

    def each(operands: Sequence[Tensor], compute: Callable[..., Scalar]) -> Tensor:
        return f.elementwise(operands, shape, x.type, compute)

    first = each([row(x)], lambda b, s: over(b, s, count))
    lowered = f.elementwise([x, first], x.shape, x.type, lambda b, x, m: b.binary("arith.subf", x, m))
    squares = f.elementwise([lowered], x.shape, x.type, lambda b, d: b.binary("arith.mulf", d, d))
    sums, squared = row(lowered), row(squares)

    def finite(b: Body, sum: Scalar) -> Scalar:
        # Where a difference overflows, only what it makes is lost.
        known = b.compare("lt", b.unary("math.absf", sum), b.constant(math.inf, x.type))
        return over(b, b.select(known, sum, b.constant(0, x.type)), count)

    rest = each([sums], finite)

    def spread(b: Body, squared: Scalar, sum: Scalar) -> Scalar:
        corrected = b.binary("arith.subf", squared, b.binary("arith.mulf", sum, over(b, sum, count)))
        positive = b.binary("arith.maximumf", corrected, b.constant(0, x.type))
        infinite = b.compare("eq", squared, b.constant(math.inf, x.type))
        return over(b, b.select(infinite, squared, positive), max(0.0, count - correction))

    return Moments(first, rest, each([first, rest], lambda b, m, r: b.binary("arith.addf", m, r)),
                   each([squared, sums], spread))


def _correction(given: Any) -> float:
    return 1 if given is None else given


@lowers("aten.var.correction")
def var(call: Call, x: Tensor, dim: Any = None, *, correction: Any = None,
        keepdim: bool = False) -> Tensor:
    variance = moments(call, x, dims_of(len(x.shape), dim), _correction(correction)).variance
    return call.f.convert(call.f.reshape(variance, call.shape), call.type)


@lowers("prims.var.default")
def prims_var(call: Call, x: Tensor, dims: Any, correction: Any = 1, **options: Any) -> Tensor:
    return var(call, x, list(dims), correction=correction)


def _results(call: Call, *results: Tensor) -> tuple[Tensor, ...]:
    return tuple(call.f.convert(call.f.reshape(result, tuple(value.shape)), type_of(value))
                 for result, value in zip(results, call.value))


@lowers("aten.var_mean.correction")
def var_mean(call: Call, x: Tensor, dim: Any = None, *, correction: Any = None,
             keepdim: bool = False) -> tuple[Tensor, Tensor]:
    made = moments(call, x, dims_of(len(x.shape), dim), _correction(correction))
    return _results(call, made.variance, made.mean)


def _deviation(call: Call, x: Tensor, dims: Sequence[int], correction: float) -> tuple[Tensor, Tensor]:
    """Standard deviation and mean. Squares of numbers as 1e-22 or 1e30 are none of f32's: rows
    are divided by the largest power of two below their elements first, which rounds nothing."""
    f = call.f
    if x.type not in FLOATS:
        raise Unsupported(f"deviations of {x.type}")
    x = f.convert(x, accumulator(x.type))
    bits, exponent = (("i64", 0x7FF0 << 48) if x.type == "f64" else ("i32", 0x7F800000))

    def power(b: Body, top: Scalar) -> Scalar:
        pattern = b.emit(f"arith.bitcast {top.name} : {x.type} to {bits}", bits)
        pattern = b.binary("arith.andi", pattern, b.constant(exponent, bits))
        scale = b.emit(f"arith.bitcast {pattern.name} : {bits} to {x.type}", x.type)
        return b.select(b.compare("eq", scale, b.constant(0, x.type)), b.constant(1, x.type), scale)

    shape = [1 if d in dims else size for d, size in enumerate(x.shape)]
    sizes = f.elementwise([x], x.shape, x.type, lambda b, x: b.unary("math.absf", x))
    scale = f.elementwise([f.reshape(f.reduce(sizes, dims, 0, maximum), shape)], shape, x.type, power)
    scaled = f.elementwise([x, scale], x.shape, x.type, lambda b, x, s: b.binary("arith.divf", x, s))
    made = moments(call, scaled, dims, correction)
    deviation = f.elementwise([made.variance, scale], shape, x.type,
                              lambda b, v, s: b.binary("arith.mulf", b.unary("math.sqrt", v), s))
    mean = f.elementwise([made.mean, scale], shape, x.type, lambda b, m, s: b.binary("arith.mulf", m, s))
    return deviation, mean


@lowers("aten.std.correction")
def std(call: Call, x: Tensor, dim: Any = None, *, correction: Any = None,
        keepdim: bool = False) -> Tensor:
    deviation, _ = _deviation(call, x, dims_of(len(x.shape), dim), _correction(correction))
    return call.f.convert(call.f.reshape(deviation, call.shape), call.type)


@lowers("aten.std_mean.correction")
def std_mean(call: Call, x: Tensor, dim: Any = None, *, correction: Any = None,
             keepdim: bool = False) -> tuple[Tensor, Tensor]:
    return _results(call, *_deviation(call, x, dims_of(len(x.shape), dim), _correction(correction)))


# Where the extreme element is.


def _position(call: Call, x: Tensor, dim: int | None, keepdim: bool, largest: bool,
              shape: Sequence[int]) -> tuple[Tensor, Tensor]:
    """The extreme value, and the first place where it is; NaN is the extreme."""
    f = call.f
    if dim is None:
        x = f.reshape(x, [math.prod(x.shape)])
        dim = 0
    if not x.shape:
        return x, f.fill(0, (), "i64")
    dim %= len(x.shape)
    initial, combine = ((_lowest(x.type), maximum) if largest else (_highest(x.type), minimum))
    best = f.reduce(x, [dim], initial, combine)
    kept = [1 if d == dim else size for d, size in enumerate(x.shape)]

    def place(b: Body, indices: list[Scalar], value: Scalar, best: Scalar) -> Scalar:
        found = b.compare("eq", value, best)
        if x.type in FLOATS:
            found = b.binary("arith.ori", found, b.compare("ne", value, value))
        return b.select(found, b.convert(indices[dim], "i64"),
                        b.constant(x.shape[dim], "i64"))

    places = f.indexed(x.shape, "i64", place, [x, f.reshape(best, kept)])
    first = f.reduce(places, [dim], x.shape[dim], minimum)
    return f.reshape(best, shape), f.reshape(first, shape)


@lowers("aten.argmax.default")
def argmax(call: Call, x: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
    return _position(call, x, dim, keepdim, True, call.shape)[1]


@lowers("aten.argmin.default")
def argmin(call: Call, x: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
    return _position(call, x, dim, keepdim, False, call.shape)[1]


@lowers("aten.max.dim")
def max_dim(call: Call, x: Tensor, dim: int, keepdim: bool = False) -> tuple[Tensor, Tensor]:
    return _position(call, x, dim, keepdim, True, tuple(call.value[0].shape))


@lowers("aten.min.dim")
def min_dim(call: Call, x: Tensor, dim: int, keepdim: bool = False) -> tuple[Tensor, Tensor]:
    return _position(call, x, dim, keepdim, False, tuple(call.value[0].shape))


# Scans: linalg has no operator for them, so each element reduces what precedes it.


def _over_preceding(call: Call, x: Tensor, dim: int, type: str, initial: bool | int | float,
                    combine: Combine, term: Callable[..., Scalar] = lambda b, value, there: value,
                    beside: Sequence[Tensor] = ()) -> Tensor:
    """For each element, `term(body, value, index along dim, *beside)` of it and of those
    before it along `dim` combined, which starts at `initial`; `beside` is read where the
    result is."""
    f, rank = call.f, len(x.shape)
    source = [f"d{rank}" if d == dim else f"d{d}" for d in range(rank)]
    extent = f.empty([x.shape[dim]], type)  # gives the loop over what precedes its length

    def compute(b: Body, value: Scalar, *others: Scalar) -> Scalar:
        here, there = b.index(dim), b.index(rank)
        precedes = b.emit(f"arith.cmpi ule, {there.name}, {here.name} : index", "i1")
        one = term(b, value, there, *others[:-2])
        return combine(b, b.select(precedes, one, b.constant(initial, type)), others[-1])

    return f.generic([x, *beside, extent], [source, *[identity(rank)] * len(beside), [f"d{rank}"]],
                     identity(rank), ["parallel"] * rank + ["reduction"],
                     f.fill(initial, x.shape, type), compute)


def _scan(call: Call, x: Tensor, dim: int, initial: int, combine: Combine) -> Tensor:
    f = call.f
    x = f.convert(x, call.type)
    if not x.shape:
        return x
    wide = f.convert(x, accumulator(call.type))
    return f.convert(_over_preceding(call, wide, dim % len(x.shape), wide.type, initial, combine),
                     call.type)


@lowers("aten.cumsum.default")
def cumsum(call: Call, x: Tensor, dim: int, dtype: Any = None) -> Tensor:
    if call.type == "i1":
        raise Unsupported("sums of booleans as such")
    return _scan(call, x, dim, 0, add)


@lowers("aten.cumprod.default")
def cumprod(call: Call, x: Tensor, dim: int, dtype: Any = None) -> Tensor:
    if call.type == "i1":
        raise Unsupported("products of booleans")
    return _scan(call, x, dim, 1, multiply)


@lowers("aten.logcumsumexp.default")
def logcumsumexp(call: Call, x: Tensor, dim: int) -> Tensor:
    f = call.f
    if x.type not in FLOATS:
        raise Unsupported(f"exponentials of {x.type}")
    if not x.shape:
        return x
    dim %= len(x.shape)
    wide = f.convert(x, accumulator(x.type))
    top = _over_preceding(call, wide, dim, wide.type, -math.inf, maximum)

    def base(b: Body, top: Scalar) -> Scalar:
        # Of infinite tops the differences are none.
        size = b.unary("math.absf", top)
        finite = b.compare("lt", size, b.constant(math.inf, top.type))
        return b.select(finite, top, b.constant(0, top.type))

    base = f.elementwise([top], x.shape, wide.type, base)
    sums = _over_preceding(call, wide, dim, wide.type, 0, add,
                           lambda b, value, there, base: b.unary("math.exp", b.binary(
                               "arith.subf", value, base)), [base])

    def finish(b: Body, sum: Scalar, base: Scalar) -> Scalar:
        return b.convert(b.binary("arith.addf", b.unary("math.log", sum), base), call.type)

    return f.elementwise([sums, base], x.shape, call.type, finish)


def _extreme_so_far(call: Call, x: Tensor, dim: int, initial: bool | int | float,
                    combine: Combine) -> tuple[Tensor, Tensor]:
    """The extreme of what precedes, and the last place where it is; NaN is the extreme."""
    if not x.shape:
        return x, call.f.fill(0, (), "i64")
    dim %= len(x.shape)
    best = _over_preceding(call, x, dim, x.type, initial, combine)

    def place(b: Body, value: Scalar, there: Scalar, best: Scalar) -> Scalar:
        found = b.compare("eq", value, best)
        if x.type in FLOATS:
            found = b.binary("arith.ori", found, b.compare("ne", value, value))
        return b.select(found, b.convert(there, "i64"), b.constant(0, "i64"))

    return best, _over_preceding(call, x, dim, "i64", 0, maximum, place, [best])


@lowers("aten.cummax.default")
def cummax(call: Call, x: Tensor, dim: int) -> tuple[Tensor, Tensor]:
    return _extreme_so_far(call, x, dim, _lowest(x.type), maximum)


@lowers("aten.cummin.default")
def cummin(call: Call, x: Tensor, dim: int) -> tuple[Tensor, Tensor]:
    return _extreme_so_far(call, x, dim, _highest(x.type), minimum)
