"""Reading at indices that are data. PyTorch raises an error for an index that is out
of bounds, and so do we on the CPU; a kernel cannot, and takes the nearest element."""

from __future__ import annotations

from typing import Any, Sequence

from ..emit import Body, Requirement, Scalar, Tensor, Unsupported
from ..lowering import Call, lowers


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
