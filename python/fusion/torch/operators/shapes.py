# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Views, and what else moves elements about without computing."""

from __future__ import annotations

from typing import Any, Sequence

from ..emit import Body, Scalar, Tensor, Unsupported
from ..lowering import Call, lowers, shape_of


@lowers("aten.view.default", "aten.reshape.default", "aten._unsafe_view.default",
        "aten.squeeze.dim", "aten.squeeze.dims", "aten.squeeze.default", "aten.unsqueeze.default",
        "aten.view_copy.default", "aten._reshape_copy.default", "aten._reshape_alias.default",
        "prims.reshape.default", "prims.squeeze.default", "prims.collapse_view.default",
        "prims.collapse.default", "prims.split_dim.default", "aten.flatten.using_ints")
def reshape(call: Call, x: Tensor, *how: Any, **more: Any) -> Tensor:
    return call.f.reshape(x, call.shape)


@lowers("aten.permute.default", "prims.transpose.default")
def permute(call: Call, x: Tensor, dims: Sequence[int]) -> Tensor:
    return call.f.transpose(x, [d % len(x.shape) for d in dims])


@lowers("aten.transpose.int")
def transpose(call: Call, x: Tensor, first: int, second: int) -> Tensor:
    order = list(range(len(x.shape)))
    if order:
        order[first], order[second] = order[second], order[first]
    return call.f.transpose(x, order)


@lowers("aten.t.default")
def t(call: Call, x: Tensor) -> Tensor:
    return call.f.transpose(x, list(range(len(x.shape)))[::-1])


@lowers("aten.expand.default")
def expand(call: Call, x: Tensor, sizes: Sequence[int], implicit: bool = False) -> Tensor:
    return call.f.broadcast(x, call.shape)


@lowers("prims.broadcast_in_dim.default")
def broadcast_in_dim(call: Call, x: Tensor, shape: Sequence[int], dims: Sequence[int]) -> Tensor:
    wide = [1] * len(shape)
    for d, size in zip(dims, x.shape):
        wide[d] = size
    return call.f.broadcast(call.f.reshape(x, wide), call.shape)


@lowers("aten.repeat.default")
def repeat(call: Call, x: Tensor, repeats: Sequence[int]) -> Tensor:
    lead = len(repeats) - len(x.shape)
    narrow, wide = [], []
    for times, size in zip(repeats, [1] * lead + list(x.shape)):
        narrow += [1, size]
        wide += [times, size]
    return call.f.reshape(call.f.broadcast(call.f.reshape(x, narrow), wide), call.shape)


# Parts.


def _bounds(size: int, start: Any, end: Any) -> tuple[int, int]:
    def clip(value: Any, default: int) -> int:
        if value is None:
            return default
        return min(max(value + size if value < 0 else value, 0), size)

    low = clip(start, 0)
    return low, max(clip(end, size), low)


def take(call: Call, x: Tensor, dim: int, start: int, count: int, step: int = 1) -> Tensor:
    offsets, sizes, strides = [0] * len(x.shape), list(x.shape), [1] * len(x.shape)
    offsets[dim], sizes[dim], strides[dim] = start, count, step
    return call.f.slice(x, offsets, sizes, strides)


@lowers("aten.slice.Tensor", "aten.slice_copy.Tensor")
def slice_(call: Call, x: Tensor, dim: int = 0, start: Any = None, end: Any = None,
           step: int = 1) -> Tensor:
    dim %= len(x.shape)
    low, _ = _bounds(x.shape[dim], start, end)
    return take(call, x, dim, low, call.shape[dim], step)


@lowers("aten.select.int", "aten.select_copy.int")
def select(call: Call, x: Tensor, dim: int, index: int) -> Tensor:
    dim %= len(x.shape)
    return call.f.reshape(take(call, x, dim, index % x.shape[dim], 1), call.shape)


@lowers("aten.narrow.default")
def narrow(call: Call, x: Tensor, dim: int, start: int, length: int) -> Tensor:
    dim %= len(x.shape)
    return take(call, x, dim, start % x.shape[dim], length)


@lowers("aten.split_with_sizes.default", "aten.split.Tensor", "aten.unbind.int",
        "aten.split_with_sizes_copy.default", "aten.unbind_copy.int", "aten.split_copy.Tensor")
def split(call: Call, x: Tensor, *how: Any, **more: Any) -> tuple:
    dim = more.get("dim", how[-1] if "unbind" in call.target and how else
                   how[1] if len(how) > 1 else 0) % len(x.shape)
    parts, start = [], 0
    for i, value in enumerate(call.value):
        count = 1 if "unbind" in call.target else value.shape[dim]
        parts.append(call.f.reshape(take(call, x, dim, start, count), shape_of(value))
                     if call.used(i) else None)
        start += count
    return tuple(parts)


@lowers("aten.select_scatter.default")
def select_scatter(call: Call, x: Tensor, source: Tensor, dim: int, index: int) -> Tensor:
    dim %= len(x.shape)
    shape = list(x.shape)
    shape[dim] = 1
    offsets = [0] * len(shape)
    offsets[dim] = index % x.shape[dim]
    return call.f.insert(call.f.reshape(call.f.convert(source, x.type), shape), x, offsets,
                         [1] * len(shape))


@lowers("aten.slice_scatter.default")
def slice_scatter(call: Call, x: Tensor, source: Tensor, dim: int = 0, start: Any = None,
                  end: Any = None, step: int = 1) -> Tensor:
    dim %= len(x.shape)
    low, high = _bounds(x.shape[dim], start, end)
    shape, offsets, strides = list(x.shape), [0] * len(x.shape), [1] * len(x.shape)
    shape[dim], offsets[dim], strides[dim] = -(-(high - low) // step), low, step
    if not shape[dim]:
        return x
    source = call.f.broadcast(call.f.convert(source, x.type), shape)
    return call.f.insert(source, x, offsets, strides)


# Put together.


@lowers("aten.cat.default", "prims.cat.default")
def cat(call: Call, tensors: Sequence[Tensor], dim: int = 0) -> Tensor:
    # A tensor without dimensions but one of size 0 is left out (checked elsewhere).
    converted = [call.f.convert(tensor, call.type) for tensor in tensors]
    return call.f.concat(converted, dim % len(call.shape))


@lowers("aten.stack.default")
def stack(call: Call, tensors: Sequence[Tensor], dim: int = 0) -> Tensor:
    dim %= len(call.shape)
    shape = [1 if d == dim else size for d, size in enumerate(call.shape)]
    parts = [call.f.reshape(call.f.convert(t, call.type), shape) for t in tensors]
    return call.f.concat(parts, dim)


@lowers("aten.constant_pad_nd.default")
def constant_pad(call: Call, x: Tensor, pad: Sequence[int], value: Any = 0) -> Tensor:
    rank = len(x.shape)
    low, high = [0] * rank, [0] * rank
    for i in range(len(pad) // 2):
        low[rank - 1 - i], high[rank - 1 - i] = pad[2 * i], pad[2 * i + 1]
    # Negative padding cuts off.
    for d in range(rank):
        start, stop = max(0, -low[d]), x.shape[d] - max(0, -high[d])
        if stop <= start:
            return call.f.fill(value, call.shape, call.type)
        x = take(call, x, d, start, stop - start)
    return call.f.pad(x, [max(p, 0) for p in low], [max(p, 0) for p in high], value)


@lowers("aten.flip.default", "prims.rev.default")
def flip(call: Call, x: Tensor, dims: Sequence[int]) -> Tensor:
    flipped = {d % len(x.shape) for d in dims} if x.shape else set()

    def compute(b: Body, indices: list[Scalar]) -> Scalar:
        return b.read(x, [b.binary("arith.subi", b.index_constant(x.shape[d] - 1), index)
                          if d in flipped else index for d, index in enumerate(indices)])

    return call.f.indexed(call.shape, call.type, compute) if flipped else x


@lowers("aten.roll.default")
def roll(call: Call, x: Tensor, shifts: Any, dims: Any = ()) -> Tensor:
    shifts = [shifts] if isinstance(shifts, int) else list(shifts)
    dims = [dims] if isinstance(dims, int) else list(dims)
    if not dims:
        flat = call.f.reshape(x, [_count(x.shape)])
        return call.f.reshape(_roll(call, flat, shifts[0], 0), call.shape)
    for shift, dim in zip(shifts, dims):
        x = _roll(call, x, shift, dim % len(x.shape))
    return x


def _count(shape: Sequence[int]) -> int:
    count = 1
    for size in shape:
        count *= size
    return count


def _roll(call: Call, x: Tensor, shift: int, dim: int) -> Tensor:
    size = x.shape[dim]
    shift %= size
    if not shift:
        return x
    return call.f.concat([take(call, x, dim, size - shift, shift),
                          take(call, x, dim, 0, size - shift)], dim)


@lowers("aten.diagonal.default", "aten.diagonal_copy.default")
def diagonal(call: Call, x: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    rank = len(x.shape)
    dim1, dim2 = dim1 % rank, dim2 % rank
    others = [d for d in range(rank) if d not in (dim1, dim2)]

    def compute(b: Body, indices: list[Scalar]) -> Scalar:
        def moved(by: int) -> Scalar:
            return b.binary("arith.addi", indices[-1], b.index_constant(by))

        place = {d: indices[i] for i, d in enumerate(others)}
        place[dim1], place[dim2] = moved(max(0, -offset)), moved(max(0, offset))
        return b.read(x, [place[d] for d in range(rank)])

    return call.f.indexed(call.shape, call.type, compute)


@lowers("aten.tril.default", "aten.triu.default")
def triangle(call: Call, x: Tensor, diagonal: int = 0) -> Tensor:
    def compute(b: Body, indices: list[Scalar], x: Scalar) -> Scalar:
        edge = b.binary("arith.addi", indices[-2], b.index_constant(diagonal))
        predicate = "sle" if "tril" in call.target else "sge"
        kept = b.emit(f"arith.cmpi {predicate}, {indices[-1].name}, {edge.name} : index", "i1")
        return b.select(kept, x, b.constant(0, x.type))

    return call.f.indexed(call.shape, call.type, compute, [x])


@lowers("aten.unfold.default")
def unfold(call: Call, x: Tensor, dimension: int, size: int, step: int) -> Tensor:
    """Windows of a dimension, side by side; their places are the last dimension."""
    if not x.shape:
        return call.f.reshape(x, call.shape)
    dim = dimension % len(x.shape)

    def compute(b: Body, indices: list[Scalar]) -> Scalar:
        start = b.binary("arith.muli", indices[dim], b.index_constant(step))
        place = list(indices[:-1])
        place[dim] = b.binary("arith.addi", start, indices[-1])
        return b.read(x, place)

    return call.f.indexed(call.shape, call.type, compute)


@lowers("aten.as_strided.default")
def as_strided(call: Call, x: Tensor, *how: Any) -> Tensor:
    raise Unsupported("views by strides")
