# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reading at indices that are data. PyTorch raises an error for an index that is out
of bounds, and so do we on the CPU; a kernel cannot, and takes the nearest element."""

from __future__ import annotations

import math
from typing import Any, Sequence

from ..emit import Body, Requirement, Scalar, Tensor, Unsupported
from ..lowering import Call, lowers
from .pointwise import maximum


def position(b: Body, index: Scalar, size: int) -> Scalar:
    """An index into a dimension of `size`, negative ones from its end, in bounds."""
    index = b.convert(index, "i64")
    zero, extent = b.constant(0, "i64"), b.constant(size, "i64")
    wrapped = b.select(b.compare("lt", index, zero), b.binary("arith.addi", index, extent), index)
    last = b.constant(size - 1, "i64")
    return b.convert(b.binary("arith.minsi", b.binary("arith.maxsi", wrapped, zero), last), "index")


@lowers("aten.embedding.default")
def embedding(call: Call, weight: Tensor, indices: Tensor, padding_idx: int = -1,
              scale_grad_by_freq: bool = False, sparse: bool = False) -> Tensor:
    return _select(call, weight, 0, indices)


@lowers("aten.index_select.default")
def index_select(call: Call, x: Tensor, dim: int, index: Tensor) -> Tensor:
    if not x.shape:
        return x
    if not index.shape:
        index = call.f.reshape(index, [1])
    return _select(call, x, dim % len(x.shape), index)


def _select(call: Call, x: Tensor, dim: int, index: Tensor) -> Tensor:
    """x with `dim` replaced by the dimensions of `index`."""
    f, count = call.f, len(index.shape)
    f.require(index, Requirement(0, x.shape[dim] - 1))
    shape = x.shape[:dim] + index.shape + x.shape[dim + 1:]
    wide = f.reshape(index, [*[1] * dim, *index.shape, *[1] * (len(shape) - dim - count)])

    def compute(b: Body, indices: list[Scalar], at: Scalar) -> Scalar:
        place = [*indices[:dim], position(b, at, x.shape[dim]), *indices[dim + count:]]
        return b.read(x, place)

    return f.indexed(shape, x.type, compute, [wide])


@lowers("aten.gather.default")
def gather(call: Call, x: Tensor, dim: int, index: Tensor, *, sparse_grad: bool = False) -> Tensor:
    if not x.shape:
        return call.f.broadcast(x, call.shape)
    if not index.shape:
        return call.f.reshape(_select(call, x, 0, call.f.reshape(index, [1])), call.shape)
    dim %= len(x.shape)
    call.f.require(index, Requirement(0, x.shape[dim] - 1))

    def compute(b: Body, indices: list[Scalar], at: Scalar) -> Scalar:
        place = list(indices)
        place[dim] = position(b, at, x.shape[dim])
        return b.read(x, place)

    return call.f.indexed(call.shape, call.type, compute, [index])


@lowers("aten.index.Tensor", "aten._unsafe_index.Tensor")
def index(call: Call, x: Tensor, indices: Sequence[Any]) -> Tensor:
    given = [d for d, one in enumerate(indices) if one is not None]
    tensors = [indices[d] for d in given]
    for one in tensors:
        if not isinstance(one, Tensor):
            raise Unsupported(f"a {type(one).__name__} in place of an index tensor")
        if one.type == "i1":
            raise Unsupported("results whose size depends on data")
    if "unsafe" not in call.target:
        for d, one in zip(given, tensors):
            call.f.require(one, Requirement(-x.shape[d], x.shape[d] - 1))
    rank = max((len(one.shape) for one in tensors), default=0)
    # Indexed dimensions side by side are replaced where they are, others come first.
    adjacent = given == list(range(given[0], given[0] + len(given))) if given else True
    first = given[0] if adjacent and given else 0
    others = [d for d in range(len(x.shape)) if d not in given]
    wide = [call.f.reshape(one, [*one.shape, *[1] * (len(call.shape) - first - rank)])
            for one in tensors]

    def compute(b: Body, points: list[Scalar], *at: Scalar) -> Scalar:
        rest = points[:first] + points[first + rank:]
        place: dict[int, Scalar] = dict(zip(others, rest))
        for d, one in zip(given, at):
            place[d] = position(b, one, x.shape[d])
        return b.read(x, [place[d] for d in range(len(x.shape))])

    return call.f.indexed(call.shape, call.type, compute, wide)


# Writing at indices that are data: each element of the result asks which of the written
# ones is its own. Where several are, the last is taken, as on PyTorch's CPU.


@lowers("aten.index_put.default")
def index_put(call: Call, x: Tensor, indices: Sequence[Any], values: Tensor,
              accumulate: bool = False) -> Tensor:
    f = call.f
    if accumulate:
        raise Unsupported("sums at places that are data")
    given = [d for d, one in enumerate(indices) if one is not None]
    tensors = [indices[d] for d in given]
    if not tensors or any(not isinstance(one, Tensor) for one in tensors):
        raise Unsupported("an index that is no tensor")
    if any(one.type == "i1" for one in tensors):
        if len(tensors) > 1 or math.prod(values.shape) != 1:
            raise Unsupported("places whose number depends on data")
        first, rank = given[0], len(tensors[0].shape)
        mask = f.reshape(tensors[0], [*[1] * first, *tensors[0].shape,
                                      *[1] * (len(x.shape) - first - rank)])
        return f.elementwise([mask, f.reshape(values, []), x], x.shape, x.type,
                             lambda b, m, value, old: b.select(m, value, old))
    for d, one in zip(given, tensors):
        f.require(one, Requirement(-x.shape[d], x.shape[d] - 1))
    points = _broadcast_shape(tensors)
    count = math.prod(points)
    sizes = [x.shape[d] for d in given]
    flat = [f.reshape(f.broadcast(one, points), [*[1] * len(given), count]) for one in tensors]

    def number(b: Body, here: list[Scalar], *at: Scalar) -> Scalar:
        same = b.constant(True, "i1")
        for place, index, size in zip(here, at, sizes):
            hit = b.compare("eq", b.convert(position(b, index, size), "i64"), b.convert(place, "i64"))
            same = b.binary("arith.andi", same, hit)
        return b.select(same, b.convert(here[-1], "i64"), b.constant(-1, "i64"))

    last = f.reduce(f.indexed([*sizes, count], "i64", number, flat), [len(given)], -1, maximum)
    spread = f.reshape(last, [size if d in given else 1 for d, size in enumerate(x.shape)])
    # Where the indexed dimensions are in the values, as of `index`.
    adjacent = given == list(range(given[0], given[0] + len(given)))
    first = given[0] if adjacent else 0
    others = [d for d in range(len(x.shape)) if d not in given]
    rest = [x.shape[d] for d in others]
    wide = f.broadcast(values, [*rest[:first], *points, *rest[first:]])
    wide = f.reshape(wide, [*rest[:first], count, *rest[first:]])

    def choose(b: Body, here: list[Scalar], old: Scalar, last: Scalar) -> Scalar:
        zero = b.constant(0, "i64")
        at = [here[d] for d in others]
        at.insert(first, b.convert(b.binary("arith.maxsi", last, zero), "index"))
        return b.select(b.compare("ge", last, zero), b.read(wide, at), old)

    return f.indexed(x.shape, x.type, choose, [x, spread])


def _broadcast_shape(tensors: Sequence[Tensor]) -> list[int]:
    rank = max(len(one.shape) for one in tensors)
    padded = [[1] * (rank - len(one.shape)) + list(one.shape) for one in tensors]
    return [next((size for size in sizes if size != 1), 1) for sizes in zip(*padded)]
