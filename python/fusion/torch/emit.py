# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A function over tensors as MLIR text.

A `Function` collects operations; only operations that its results depend on are printed. Tensors
are `Tensor`s, what a body of `linalg.generic` computes with are `Scalar`s.
"""

from __future__ import annotations

import dataclasses
import math
from typing import Callable, Sequence

FLOATS = {"f16": 16, "bf16": 16, "f32": 32, "f64": 64}
INTEGERS = {"i1": 1, "i8": 8, "i16": 16, "i32": 32, "i64": 64}


class Unsupported(Exception):
    """Something that is not compiled; the text says what and why."""


@dataclasses.dataclass(frozen=True)
class Tensor:
    """A tensor of the program: its SSA name, sizes and element type."""

    name: str
    shape: tuple[int, ...]
    type: str

    @property
    def mlir(self) -> str:
        return tensor_type(self.shape, self.type)


@dataclasses.dataclass(frozen=True)
class Scalar:
    """A number inside of a body."""

    name: str
    type: str


def tensor_type(shape: Sequence[int], type: str) -> str:
    return "tensor<" + "".join(f"{size}x" for size in shape) + type + ">"


def literal(value: bool | int | float, type: str) -> str:
    """A constant of `type` as MLIR writes it."""
    if not isinstance(value, (bool, int, float)):
        raise Unsupported(f"a {value.__class__.__name__} in place of a number")
    if type == "i1":
        return "true" if value else "false"
    if type in INTEGERS:
        value, most = int(value), 1 << INTEGERS[type] - 1
        if not -most <= value < most:
            raise Unsupported(f"the number {value} as {type}")
        return f"{value} : {type}"
    value = float(value)
    if math.isfinite(value):
        if abs(value) > _LARGEST[type]:
            value = math.copysign(math.inf, value)
        else:
            text = repr(value)
            if "e" in text and "." not in text:
                text = text.replace("e", ".0e")
            return f"{text} : {type}"
    nan, infinity, negative = _SPECIAL[type]
    return f"{nan if math.isnan(value) else infinity if value > 0 else negative} : {type}"


_LARGEST = {"f16": 65519.0, "bf16": 3.3961e38, "f32": 3.40282356e38, "f64": math.inf}
_SPECIAL = {
    "f16": ("0x7E00", "0x7C00", "0xFC00"),
    "bf16": ("0x7FC0", "0x7F80", "0xFF80"),
    "f32": ("0x7FC00000", "0x7F800000", "0xFF800000"),
    "f64": ("0x7FF8000000000000", "0x7FF0000000000000", "0xFFF0000000000000"),
}


def map_text(dims: int, results: Sequence[str]) -> str:
    names = ", ".join(f"d{i}" for i in range(dims))
    return f"affine_map<({names}) -> ({', '.join(results)})>"


def identity(rank: int) -> list[str]:
    return [f"d{i}" for i in range(rank)]


class Body:
    """The operations on one element."""

    def __init__(self, function: "Function"):
        self.function = function
        self.lines: list[str] = []
        self.uses: list[str] = []  # names of tensors that are read at an index

    def emit(self, text: str, type: str) -> Scalar:
        name = self.function.fresh()
        self.lines.append(f"{name} = {text}")
        return Scalar(name, type)

    def constant(self, value: bool | int | float, type: str) -> Scalar:
        return self.emit(f"arith.constant {literal(value, type)}", type)

    def index(self, dim: int) -> Scalar:
        return self.emit(f"linalg.index {dim} : index", "index")

    def index_constant(self, value: int) -> Scalar:
        return self.emit(f"arith.constant {value} : index", "index")

    def binary(self, op: str, a: Scalar, b: Scalar) -> Scalar:
        return self.emit(f"{op} {a.name}, {b.name} : {a.type}", a.type)

    def unary(self, op: str, a: Scalar) -> Scalar:
        return self.emit(f"{op} {a.name} : {a.type}", a.type)

    def compare(self, predicate: str, a: Scalar, b: Scalar) -> Scalar:
        """`predicate` is eq, ne, lt, le, gt or ge; comparisons with NaN are false, but
        for ne."""
        if a.type in FLOATS:
            word = "une" if predicate == "ne" else "o" + predicate
            return self.emit(f"arith.cmpf {word}, {a.name}, {b.name} : {a.type}", "i1")
        prefix = "" if predicate in ("eq", "ne") else "u" if a.type == "i1" else "s"
        return self.emit(f"arith.cmpi {prefix}{predicate}, {a.name}, {b.name} : {a.type}", "i1")

    def select(self, condition: Scalar, yes: Scalar, no: Scalar) -> Scalar:
        return self.emit(f"arith.select {condition.name}, {yes.name}, {no.name} : {yes.type}",
                         yes.type)

    def convert(self, x: Scalar, type: str) -> Scalar:
        """As PyTorch converts: to bool by comparing with 0, to integers towards 0."""
        if x.type == type:
            return x

        def cast(op: str, value: Scalar, to: str) -> Scalar:
            return self.emit(f"{op} {value.name} : {value.type} to {to}", to)

        if type == "i1":
            return self.compare("ne", x, self.constant(0, x.type))
        if x.type == "index" or type == "index":
            return cast("arith.index_cast", x, type)
        if x.type in FLOATS and type in FLOATS:
            if FLOATS[x.type] == FLOATS[type]:
                return cast("arith.truncf", cast("arith.extf", x, "f32"), type)
            return cast("arith.extf" if FLOATS[x.type] < FLOATS[type] else "arith.truncf", x, type)
        if x.type in FLOATS:
            return cast("arith.fptosi", x, type)
        if type in FLOATS:
            return cast("arith.uitofp" if x.type == "i1" else "arith.sitofp", x, type)
        if INTEGERS[x.type] < INTEGERS[type]:
            return cast("arith.extui" if x.type == "i1" else "arith.extsi", x, type)
        return cast("arith.trunci", x, type)

    def read(self, tensor: Tensor, indices: Sequence[Scalar]) -> Scalar:
        """The element at `indices`, which must be inside."""
        tensor, dims = self.function.origin(tensor)
        indices = [indices[d] for d in dims]
        self.uses.append(tensor.name)
        return self.emit(f"tensor.extract {tensor.name}[{', '.join(i.name for i in indices)}] : "
                         f"{tensor.mlir}", tensor.type)


@dataclasses.dataclass
class _Operation:
    result: str
    uses: list[str]
    text: str


@dataclasses.dataclass(frozen=True)
class Requirement:
    """What an operator asks of the elements of an integer tensor.

    Attributes:
        low, high: the least and the greatest that are allowed; both None: all but 0.
    """

    low: int | None = None
    high: int | None = None

    def holds(self, low: int, high: int) -> bool:
        """Whether all numbers from `low` to `high` are allowed."""
        if self.low is None:
            return low > 0 or high < 0
        return self.low <= low and high <= self.high


class Function:
    """A function under construction.

    Attributes:
        is_checked: whether what operators require of their operands is looked at.
        required: of arguments, by their number.
        flags: tensors of one boolean: something that is required does not hold.
    """

    def __init__(self, name: str = "main", is_checked: bool = True):
        self.name = name
        self.is_checked = is_checked
        self.required: list[tuple[int, Requirement]] = []
        self.flags: list[Tensor] = []
        self.ranges: dict[str, tuple[int, int]] = {}  # of elements, where they are known
        self.arguments: list[Tensor] = []
        self.operations: list[_Operation] = []
        self.count = 0
        self.known: dict[str, str] = {}  # operations by text, so that none is there twice
        # What tensors are other views of: (source, the view's dimension that each of the
        # source's is), and (source) for reshapes.
        self.views: dict[str, tuple[Tensor, list[int]]] = {}
        self.reshapes: dict[str, Tensor] = {}

    def fresh(self) -> str:
        self.count += 1
        return f"%{self.count}"

    def argument(self, shape: Sequence[int], type: str) -> Tensor:
        tensor = Tensor(f"%arg{len(self.arguments)}", tuple(shape), type)
        self.arguments.append(tensor)
        return tensor

    def add(self, text: str, uses: Sequence[str], shape: Sequence[int], type: str) -> Tensor:
        """An operation with one result; `text` is what follows its name."""
        if text not in self.known:
            name = self.fresh()
            self.operations.append(_Operation(name, list(uses), text))
            self.known[text] = name
        return Tensor(self.known[text], tuple(shape), type)

    def print(self, results: Sequence[Tensor]) -> str:
        """The function as a module."""
        needed = {result.name for result in results}
        kept = []
        for operation in reversed(self.operations):
            if operation.result in needed:
                needed.update(operation.uses)
                kept.append(f"  {operation.result} = {operation.text}")
        arguments = ", ".join(f"{a.name}: {a.mlir}" for a in self.arguments)
        types = ", ".join(result.mlir for result in results)
        names = ", ".join(result.name for result in results)
        body = "\n".join(reversed(kept))
        return (f"func.func @{self.name}({arguments}) -> ({types}) {{\n{body}\n"
                f"  return {names} : {types}\n}}\n")

    def require(self, tensor: Tensor, requirement: Requirement) -> None:
        """Notes what an operator that PyTorch has raise an error else asks of all
        elements of an integer tensor. Of arguments it can be looked at before the call;
        else the function has a flag for it."""
        if not self.is_checked:
            return
        source = tensor
        while source.name in self.views or source.name in self.reshapes:
            source = (self.views[source.name][0] if source.name in self.views
                      else self.reshapes[source.name])
        if source.name in self.ranges and requirement.holds(*self.ranges[source.name]):
            return
        if source in self.arguments:
            known = self.arguments.index(source), requirement
            if known not in self.required:
                self.required.append(known)
            return

        def breaks(b: Body, x: Scalar) -> Scalar:
            if requirement.low is None:
                return b.compare("eq", x, b.constant(0, x.type))
            x = b.convert(x, "i64")
            return b.binary("arith.ori", b.compare("lt", x, b.constant(requirement.low, "i64")),
                            b.compare("gt", x, b.constant(requirement.high, "i64")))

        bad = self.elementwise([source], source.shape, "i1", breaks)
        flag = self.reduce(bad, range(len(source.shape)), False,
                           lambda b, x, any: b.binary("arith.ori", any, x))
        if flag not in self.flags:
            self.flags.append(flag)

    # Operations.

    def empty(self, shape: Sequence[int], type: str) -> Tensor:
        return self.add(f"tensor.empty() : {tensor_type(shape, type)}", [], shape, type)

    def scalar(self, value: bool | int | float, type: str) -> str:
        return self.add(f"arith.constant {literal(value, type)}", [], (), type).name

    def fill(self, value: bool | int | float, shape: Sequence[int], type: str) -> Tensor:
        scalar, into = self.scalar(value, type), self.empty(shape, type)
        return self.add(f"linalg.fill ins({scalar} : {type}) outs({into.name} : {into.mlir}) "
                        f"-> {into.mlir}", [scalar, into.name], shape, type)

    def generic(self, inputs: Sequence[Tensor], maps: Sequence[Sequence[str]],
                out_map: Sequence[str], iterators: Sequence[str], init: Tensor,
                compute: Callable[..., Scalar]) -> Tensor:
        """`compute(body, element…, accumulator)` yields the element of the result. A map
        has an expression over the loops d0, d1, … for each dimension. Inputs that are
        permuted or broadcast are read where they come from."""
        inputs, maps = list(inputs), [list(exprs) for exprs in maps]
        rank, count = len(iterators), len(inputs)
        sizes = {expr: size for tensor, exprs in zip(inputs, maps) for expr, size in zip(exprs, tensor.shape)}
        for i in range(count):
            inputs[i], dims = self.origin(inputs[i])
            maps[i] = [maps[i][d] for d in dims]
        # What was broadcast may be all that gives a loop its length, as where it is summed.
        known = {expr for exprs in [*maps, out_map] for expr in exprs}
        for loop in (f"d{d}" for d in range(rank)):
            if loop in sizes and loop not in known:
                inputs.append(self.empty([sizes[loop]], init.type))
                maps.append([loop])
        maps = [map_text(rank, exprs) for exprs in [*maps, out_map]]
        body = Body(self)
        elements = [Scalar(self.fresh(), tensor.type) for tensor in inputs]
        accumulator = Scalar(self.fresh(), init.type)
        result = compute(body, *elements[:count], accumulator)
        if result.type != init.type:
            raise AssertionError(f"the body yields {result.type}, not {init.type}")
        block = ", ".join(f"{e.name}: {e.type}" for e in [*elements, accumulator])
        lines = "".join(f"\n    {line}" for line in body.lines)
        ins = ""
        if inputs:
            ins = (f"ins({', '.join(t.name for t in inputs)} : "
                   f"{', '.join(t.mlir for t in inputs)}) ")
        kinds = ", ".join(f'"{kind}"' for kind in iterators)
        text = (f"linalg.generic {{indexing_maps = [{', '.join(maps)}], "
                f"iterator_types = [{kinds}]}} {ins}outs({init.name} : {init.mlir}) {{\n"
                f"  ^bb0({block}):{lines}\n    linalg.yield {result.name} : {result.type}\n"
                f"  }} -> {init.mlir}")
        uses = [t.name for t in inputs] + [init.name] + body.uses
        return self.add(text, uses, init.shape, init.type)

    def elementwise(self, inputs: Sequence[Tensor], shape: Sequence[int], type: str,
                    compute: Callable[..., Scalar]) -> Tensor:
        """`compute(body, element…)` over tensors that broadcast to `shape`."""
        rank = len(shape)
        operands, maps = [], []
        for tensor in inputs:
            tensor, dims = self.without_broadcast_sizes(tensor, shape)
            operands.append(tensor)
            maps.append([f"d{d}" for d in dims])
        return self.generic(operands, maps, identity(rank), ["parallel"] * rank,
                            self.empty(shape, type),
                            lambda body, *elements: compute(body, *elements[:-1]))

    def without_broadcast_sizes(self, tensor: Tensor,
                                shape: Sequence[int]) -> tuple[Tensor, list[int]]:
        """The tensor without the dimensions of size 1 that grow in `shape`, and which
        dimension of `shape` each of the others is."""
        lead = len(shape) - len(tensor.shape)
        dims = []
        for d, size in enumerate(tensor.shape):
            if size == shape[lead + d]:
                dims.append(lead + d)
            elif size != 1:
                raise Unsupported(f"{tensor.shape} does not broadcast to {tuple(shape)}")
        return self.reshape(tensor, [shape[d] for d in dims]), dims

    def convert(self, tensor: Tensor, type: str) -> Tensor:
        if tensor.type == type:
            return tensor
        return self.elementwise([tensor], tensor.shape, type, lambda b, x: b.convert(x, type))

    def broadcast(self, tensor: Tensor, shape: Sequence[int]) -> Tensor:
        if tensor.shape == tuple(shape):
            return tensor
        source, dims = self.without_broadcast_sizes(tensor, shape)
        return self.spread(source, dims, shape)

    def spread(self, source: Tensor, dims: Sequence[int], shape: Sequence[int]) -> Tensor:
        """A tensor of `shape` of which `dims` are those of the source, which is repeated along
        all others."""
        if list(dims) == list(range(len(shape))):
            return source
        result = self.generic([source], [[f"d{d}" for d in dims]], identity(len(shape)), ["parallel"] * len(shape),
                              self.empty(shape, source.type), lambda b, x, _: x)
        self.views[result.name] = (source, list(dims))
        return result

    def origin(self, tensor: Tensor) -> tuple[Tensor, list[int]]:
        """What a tensor is read from, and which of its dimensions those of that are."""
        dims = list(range(len(tensor.shape)))
        while tensor.name in self.views:
            tensor, of_source = self.views[tensor.name]
            dims = [dims[d] for d in of_source]
        return tensor, dims

    def _is_repeated(self, tensor: Tensor) -> bool:
        return len(self.origin(tensor)[1]) < len(tensor.shape)

    def reduce(self, tensor: Tensor, dims: Sequence[int], initial: bool | int | float,
               combine: Callable[[Body, Scalar, Scalar], Scalar]) -> Tensor:
        """Reduces `dims` of a tensor; `combine(body, element, accumulator)`."""
        rank = len(tensor.shape)
        kept = [d for d in range(rank) if d not in dims]
        shape = [tensor.shape[d] for d in kept]
        kinds = ["reduction" if d in dims else "parallel" for d in range(rank)]
        return self.generic([tensor], [identity(rank)], [f"d{d}" for d in kept], kinds,
                            self.fill(initial, shape, tensor.type), combine)

    def transpose(self, tensor: Tensor, permutation: Sequence[int]) -> Tensor:
        permutation = list(permutation)
        if permutation == sorted(permutation):
            return tensor
        shape = [tensor.shape[d] for d in permutation]
        # Where only sizes of 1 move, nothing does.
        real = [d for d in permutation if tensor.shape[d] != 1]
        if real == sorted(real):
            return self.reshape(tensor, shape)
        into = self.empty(shape, tensor.type)
        result = self.add(f"linalg.transpose ins({tensor.name} : {tensor.mlir}) "
                          f"outs({into.name} : {into.mlir}) permutation = {permutation}",
                          [tensor.name, into.name], shape, tensor.type)
        self.views[result.name] = (tensor, [permutation.index(d) for d in range(len(shape))])
        return result

    def reshape(self, tensor: Tensor, shape: Sequence[int]) -> Tensor:
        """The same elements in row-major order."""
        shape = tuple(shape)
        tensor = self.reshapes.get(tensor.name, tensor)
        if tensor.shape == shape:
            return tensor
        middle, collapse, expand = _common_factors(tensor.shape, shape)
        repeated = self._reshape_repeated(tensor, shape, collapse, expand)
        if repeated is not None:
            return repeated
        result = self._expand(self._collapse(tensor, middle, collapse), shape, expand)
        self.reshapes[result.name] = tensor
        return result

    def _reshape_repeated(self, tensor: Tensor, shape: tuple[int, ...], collapse: list[list[int]],
                          expand: list[list[int]]) -> Tensor | None:
        """The reshape of a tensor that is repeated along some dimensions, as one of what it is
        repeated from; None where dimensions of both kinds become one, or it is not repeated."""
        if not self._is_repeated(tensor):
            return None
        source, dims = self.origin(tensor)
        sizes, made = [], []
        for old, new in zip(collapse, expand):
            own = [d in dims for d in old if tensor.shape[d] != 1]
            if all(own):
                sizes += [shape[d] for d in new]
                made += new
            elif any(own):
                return None
        in_order = self.transpose(source, sorted(range(len(dims)), key=dims.__getitem__))
        return self.spread(self.reshape(in_order, sizes), made, shape)

    def source_of_reshape(self, tensor: Tensor) -> Tensor:
        """What `tensor` is a reshape of; else itself."""
        return self.reshapes.get(tensor.name, tensor)

    def _collapse(self, tensor: Tensor, shape: tuple[int, ...],
                  groups: list[list[int]]) -> Tensor:
        if tensor.shape == shape:
            return tensor
        return self.add(f"tensor.collapse_shape {tensor.name} {groups} : {tensor.mlir} into "
                        f"{tensor_type(shape, tensor.type)}", [tensor.name], shape, tensor.type)

    def _expand(self, tensor: Tensor, shape: tuple[int, ...],
                groups: list[list[int]]) -> Tensor:
        if tensor.shape == shape:
            return tensor
        return self.add(f"tensor.expand_shape {tensor.name} {groups} output_shape {list(shape)} : "
                        f"{tensor.mlir} into {tensor_type(shape, tensor.type)}",
                        [tensor.name], shape, tensor.type)

    def slice(self, tensor: Tensor, offsets: Sequence[int], sizes: Sequence[int],
              strides: Sequence[int]) -> Tensor:
        if tuple(sizes) == tensor.shape:
            return tensor
        if self._is_repeated(tensor):
            source, dims = self.origin(tensor)
            part = self.slice(source, [offsets[d] for d in dims], [sizes[d] for d in dims], [strides[d] for d in dims])
            return self.spread(part, dims, sizes)
        return self.add(f"tensor.extract_slice {tensor.name}{list(offsets)} {list(sizes)} "
                        f"{list(strides)} : {tensor.mlir} to {tensor_type(sizes, tensor.type)}",
                        [tensor.name], sizes, tensor.type)

    def insert(self, source: Tensor, into: Tensor, offsets: Sequence[int],
               strides: Sequence[int]) -> Tensor:
        return self.add(f"tensor.insert_slice {source.name} into {into.name}{list(offsets)} "
                        f"{list(source.shape)} {list(strides)} : {source.mlir} into {into.mlir}",
                        [source.name, into.name], into.shape, into.type)

    def concat(self, tensors: Sequence[Tensor], dim: int) -> Tensor:
        if len(tensors) == 1:
            return tensors[0]
        shape = list(tensors[0].shape)
        shape[dim] = sum(tensor.shape[dim] for tensor in tensors)
        types = ", ".join(tensor.mlir for tensor in tensors)
        names = [tensor.name for tensor in tensors]
        return self.add(f"tensor.concat dim({dim}) {', '.join(names)} : ({types}) -> "
                        f"{tensor_type(shape, tensors[0].type)}", names, shape, tensors[0].type)

    def pad(self, tensor: Tensor, low: Sequence[int], high: Sequence[int],
            value: bool | int | float) -> Tensor:
        if not any(low) and not any(high):
            return tensor
        shape = [a + size + b for a, size, b in zip(low, tensor.shape, high)]
        scalar = self.scalar(value, tensor.type)
        indices = ", ".join(f"%p{d}: index" for d in range(len(shape)))
        return self.add(f"tensor.pad {tensor.name} low{list(low)} high{list(high)} {{\n"
                        f"  ^bb0({indices}):\n    tensor.yield {scalar} : {tensor.type}\n"
                        f"  }} : {tensor.mlir} to {tensor_type(shape, tensor.type)}",
                        [tensor.name, scalar], shape, tensor.type)

    def indexed(self, shape: Sequence[int], type: str, compute: Callable[..., Scalar],
                inputs: Sequence[Tensor] = ()) -> Tensor:
        """`compute(body, indices, element…)` over all points of `shape`; inputs
        broadcast."""
        return self.elementwise(
            inputs, shape, type,
            lambda body, *elements: compute(body, [body.index(d) for d in range(len(shape))],
                                            *elements))


def _common_factors(source: Sequence[int], target: Sequence[int]):
    """The coarsest shape between two of equally many elements that both are expansions
    of, with the dimensions of each that make one of its own."""
    middle: list[int] = []
    left: list[list[int]] = []
    right: list[list[int]] = []
    i = j = 0
    while i < len(source) or j < len(target):
        a, b = [], []
        p = q = 1
        while not a and not b or p != q:
            if p <= q and i < len(source) or j >= len(target):
                a.append(i)
                p *= source[i]
                i += 1
            else:
                b.append(j)
                q *= target[j]
                j += 1
        middle.append(p)
        left.append(a)
        right.append(b)
    # What is a 1 on one side only joins its neighbour.
    for groups, others in ((left, right), (right, left)):
        k = 0
        while k < len(groups):
            if not groups[k] and len(groups) > 1:
                to = k - 1 if k else 1
                others[to] = sorted(others[to] + others[k])
                del groups[k], others[k], middle[k]
            else:
                k += 1
    if len(middle) == 1 and (not left[0] or not right[0]):
        return (), [], []
    return tuple(middle), left, right
