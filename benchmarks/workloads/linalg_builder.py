# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes functions of linalg operations on static tensors as MLIR text.

    f = Function("softmax_times_two")
    x = f.argument((4, 8), "f16")
    y = f.softmax(f.cast(x, "f32"), 1)
    f.result(f.generic("m n", [(y, "m n")], ("m n", "f16"), lambda v: (v * 2.0).to("f16")))
    print(f.text())

Loops have names. An access map is the string of the loops that index a tensor: "m k" is
affine_map<(m, n, k) -> (m, k)>. Loops behind a bar are reductions: "m n | k".
"""

import dataclasses
import math

BYTES = {"f32": 4, "f16": 2, "bf16": 2, "i32": 4, "i8": 1}


@dataclasses.dataclass(frozen=True)
class Value:
    """A tensor in the IR."""

    name: str
    shape: tuple
    element: str

    @property
    def type(self):
        return "tensor<" + "".join(f"{size}x" for size in self.shape) + self.element + ">"

    @property
    def bytes(self):
        return math.prod(self.shape) * BYTES[self.element]


class Scalar:
    """A scalar inside the body of a linalg.generic; Python's operators write arith operations."""

    def __init__(self, function, name, element):
        self.function, self.name, self.element = function, name, element

    def _lift(self, other):
        if isinstance(other, Scalar):
            return other
        return Scalar(self.function, self.function.constant(other, self.element), self.element)

    def _binary(self, operation, other, swap=False):
        left, right = (self._lift(other), self) if swap else (self, self._lift(other))
        assert left.element == right.element, f"{operation} of {left.element}, {right.element}"
        text = f"{operation} {left.name}, {right.name} : {self.element}"
        return self.function.scalar(text, self.element)

    def __add__(self, other):
        return self._binary("arith.addi" if self.element == "index" else "arith.addf", other)

    def __sub__(self, other):
        return self._binary("arith.subf", other)

    def __mul__(self, other):
        return self._binary("arith.mulf", other)

    def __truediv__(self, other):
        return self._binary("arith.divf", other)

    def __radd__(self, other):
        return self._binary("arith.addf", other, swap=True)

    def __rsub__(self, other):
        return self._binary("arith.subf", other, swap=True)

    def __rmul__(self, other):
        return self._binary("arith.mulf", other, swap=True)

    def __rtruediv__(self, other):
        return self._binary("arith.divf", other, swap=True)

    def maximum(self, other):
        """NaN propagates, as in PyTorch."""
        return self._binary("arith.maximumf", other)

    def math(self, name):
        """A unary function of the math dialect: exp, tanh, rsqrt ..."""
        return self.function.scalar(f"math.{name} {self.name} : {self.element}", self.element)

    def to(self, element):
        """Another floating-point type; rounds to nearest even when it is narrower."""
        if element == self.element:
            return self
        operation = "arith.extf" if BYTES[element] > BYTES[self.element] else "arith.truncf"
        return self.function.scalar(
            f"{operation} {self.name} : {self.element} to {element}", element
        )

    def compare(self, predicate, other):
        """Integers and indices; predicate as in arith.cmpi."""
        other = self._lift(other)
        return self.function.scalar(
            f"arith.cmpi {predicate}, {self.name}, {other.name} : {self.element}", "i1"
        )

    def select(self, if_true, if_false):
        if_true, if_false = (
            (if_true, if_true._lift(if_false))
            if isinstance(if_true, Scalar)
            else (if_false._lift(if_true), if_false)
        )
        return self.function.scalar(
            f"arith.select {self.name}, {if_true.name}, {if_false.name} : {if_true.element}",
            if_true.element,
        )

    def clamped_index(self, size):
        """This i32 as an index in [0, size): what a gather does with an index out of range."""
        low = self._binary("arith.maxsi", 0)
        clamped = low._binary("arith.minsi", size - 1)
        return self.function.scalar(f"arith.index_cast {clamped.name} : i32 to index", "index")


class Function:
    """One func.func; operations are appended in the order of the calls."""

    def __init__(self, name):
        self.name = name
        self.arguments = []
        self.results = []
        self.constants = {}
        # The arguments that no result depends on.
        self.unread_bytes = 0
        self.lines = []
        self.indent = 1
        self.counter = 0

    # Text.

    def _fresh(self):
        self.counter += 1
        return f"%{self.counter - 1}"

    def _emit(self, line):
        self.lines.append("  " * self.indent + line)

    def _tensor(self, text, shape, element):
        value = Value(self._fresh(), tuple(shape), element)
        self._emit(f"{value.name} = {text}")
        return value

    def scalar(self, text, element):
        name = self._fresh()
        self._emit(f"{name} = {text}")
        return Scalar(self, name, element)

    def text(self):
        arguments = ", ".join(f"{value.name}: {value.type}" for value in self.arguments)
        types = ", ".join(value.type for value in self.results)
        names = ", ".join(value.name for value in self.results)
        result_types = types if len(self.results) == 1 else f"({types})"
        lines = [f"func.func @{self.name}({arguments}) -> {result_types} {{"]
        lines += [f"  {name} = arith.constant {text}" for name, text in self.constants.values()]
        lines += self.lines
        lines += [f"  return {names} : {types}", "}", ""]
        return "\n".join(lines)

    # Operands.

    def argument(self, shape, element):
        value = Value(f"%arg{len(self.arguments)}", tuple(shape), element)
        self.arguments.append(value)
        return value

    def result(self, *values):
        self.results += values

    def constant(self, number, element):
        """The name of a scalar constant; equal ones are one."""
        key = (repr(number), element)
        if key not in self.constants:
            if element in ("f32", "f16", "bf16"):
                number = float(number)
                infinity = {"f32": "0xFF800000", "f16": "0xFC00", "bf16": "0xFF80"}
                literal = infinity[element] if number == -math.inf else f"{number:.9e}"
            else:
                literal = str(int(number))
            self.constants[key] = (f"%c{len(self.constants)}", f"{literal} : {element}")
        return self.constants[key][0]

    def empty(self, shape, element):
        value = Value("", tuple(shape), element)
        return self._tensor(f"tensor.empty() : {value.type}", shape, element)

    def filled(self, shape, element, number=0.0):
        init = self.empty(shape, element)
        scalar = self.constant(number, element)
        return self._tensor(
            f"linalg.fill ins({scalar} : {element}) outs({init.name} : {init.type}) -> {init.type}",
            shape,
            element,
        )

    def number(self, number, element):
        """A constant as an operand of scalar operations."""
        return Scalar(self, self.constant(number, element), element)

    # linalg.generic and what is made of it.

    def generic(self, loops, inputs, outputs, body, sizes=None):
        """A linalg.generic.

        inputs: [(Value, map)]. outputs: (map, element) or (map, element, initial number), or a
        list of them; with an initial number the body also gets the accumulator. body takes one
        Scalar per input, then per accumulator, and returns a Scalar per output. Returns a Value or
        a tuple of them. sizes: of loops that no input has.
        """
        several = isinstance(outputs, list)
        outputs = outputs if several else [outputs]
        parallel, _, reduction = (part.split() for part in loops.partition("|"))
        sizes = dict(sizes or {})
        for value, access in inputs:
            for loop, size in zip(access.split(), value.shape, strict=True):
                assert sizes.setdefault(loop, size) == size, f"loop {loop}: {sizes[loop]}, {size}"
        inits = []
        for access, element, *initial in outputs:
            shape = [sizes[loop] for loop in access.split()]
            inits.append(
                self.filled(shape, element, *initial) if initial else self.empty(shape, element)
            )

        names = parallel + reduction
        accesses = [access for _, access in inputs] + [output[0] for output in outputs]
        self._begin_generic(names, reduction, accesses, [value for value, _ in inputs], inits)
        scalars = [
            Scalar(self, f"%in{i}", value.element) for i, (value, _) in enumerate(inputs)
        ] + [
            Scalar(self, f"%out{i}", output[1])
            for i, output in enumerate(outputs)
            if len(output) > 2
        ]
        yields = body(*scalars)
        values = self._end_generic(yields if several else [yields], inits)
        return tuple(values) if several else values[0]

    def _begin_generic(self, loops, reduction, accesses, inputs, inits):
        maps = ", ".join(
            f"affine_map<({', '.join(loops)}) -> ({', '.join(access.split())})>"
            for access in accesses
        )
        kinds = ", ".join('"reduction"' if l in reduction else '"parallel"' for l in loops)
        names = ", ".join(value.name for value in inputs)
        types = ", ".join(value.type for value in inputs)
        ins = f"ins({names} : {types}) " if inputs else ""
        outs = f"outs({', '.join(v.name for v in inits)} : {', '.join(v.type for v in inits)})"
        results = [self._fresh() for _ in inits]
        self.pending = results
        self._emit(
            f"{', '.join(results)} = linalg.generic {{indexing_maps = [{maps}], "
            f"iterator_types = [{kinds}]}}"
        )
        self._emit(f"    {ins}{outs} {{")
        arguments = [f"%in{i}: {value.element}" for i, value in enumerate(inputs)]
        arguments += [f"%out{i}: {value.element}" for i, value in enumerate(inits)]
        self._emit(f"^bb0({', '.join(arguments)}):")
        self.indent += 1

    def _end_generic(self, yields, inits):
        results = self.pending
        names = ", ".join(scalar.name for scalar in yields)
        types = ", ".join(scalar.element for scalar in yields)
        self._emit(f"linalg.yield {names} : {types}")
        self.indent -= 1
        types = ", ".join(value.type for value in inits)
        self._emit(f"}} -> {types if len(inits) == 1 else f'({types})'}")
        return [
            Value(name, init.shape, init.element)
            for name, init in zip(results, inits, strict=True)
        ]

    def index(self, dimension):
        """The loop counter; only inside the body of a generic."""
        return self.scalar(f"linalg.index {dimension} : index", "index")

    def extract(self, tensor, indices):
        """One element of a tensor; only inside the body of a generic."""
        names = ", ".join(index.name for index in indices)
        return self.scalar(f"tensor.extract {tensor.name}[{names}] : {tensor.type}", tensor.element)

    def map(self, values, body, element=None):
        """Element-wise over tensors of the same shape."""
        values = values if isinstance(values, (list, tuple)) else [values]
        loops = " ".join(f"d{i}" for i in range(len(values[0].shape)))
        return self.generic(
            loops, [(v, loops) for v in values], (loops, element or values[0].element), body
        )

    def cast(self, value, element):
        if value.element == element:
            return value
        return self.map(value, lambda x: x.to(element), element)

    # Named operations.

    def contract(self, a, b, maps, form="named"):
        """A product with f32 accumulator; maps: the accesses of a, b and the result.

        form: "named" (linalg.matmul or linalg.batch_matmul, with indexing maps where an operand is
        transposed), "contract" (linalg.contract) or "generic".
        """
        a_map, b_map, c_map = (access.split() for access in maps)
        sizes = dict(zip(a_map, a.shape, strict=True)) | dict(zip(b_map, b.shape, strict=True))
        reduction = [loop for loop in sizes if loop not in c_map]
        loops = c_map + reduction
        shape = [sizes[loop] for loop in c_map]
        if form == "generic":
            return self.generic(
                f"{' '.join(c_map)} | {' '.join(reduction)}",
                [(a, maps[0]), (b, maps[1])],
                (maps[2], "f32", 0.0),
                lambda x, y, c: c + x.to("f32") * y.to("f32"),
            )
        init = self.filled(shape, "f32")
        name = "linalg.contract"
        if form == "named":
            name = "linalg.batch_matmul" if len(shape) == 3 else "linalg.matmul"
        batch, m, n, k = c_map[:-2], *c_map[-2:], reduction[0]
        plain = a_map == [*batch, m, k] and b_map == [*batch, k, n]
        attribute = ""
        if form == "contract" or not plain:
            texts = (
                f"affine_map<({', '.join(loops)}) -> ({', '.join(access)})>"
                for access in (a_map, b_map, c_map)
            )
            attribute = f" indexing_maps = [{', '.join(texts)}]"
        return self._tensor(
            f"{name}{attribute} ins({a.name}, {b.name} : {a.type}, {b.type}) "
            f"outs({init.name} : {init.type}) -> {init.type}",
            shape,
            "f32",
        )

    def named(self, operation, inputs, shape, attributes=""):
        """A named operation with two inputs that accumulates into f32 zeros of this shape."""
        init = self.filled(shape, "f32")
        names = ", ".join(value.name for value in inputs)
        types = ", ".join(value.type for value in inputs)
        return self._tensor(
            f"linalg.{operation}{attributes} ins({names} : {types}) "
            f"outs({init.name} : {init.type}) -> {init.type}",
            shape,
            "f32",
        )

    def softmax(self, value, dimension):
        init = self.empty(value.shape, value.element)
        return self._tensor(
            f"linalg.softmax dimension({dimension}) ins({value.name} : {value.type}) "
            f"outs({init.name} : {init.type}) -> {init.type}",
            value.shape,
            value.element,
        )

    def transpose(self, value, permutation):
        init = self.empty([value.shape[i] for i in permutation], value.element)
        # linalg.transpose has no result type in its text.
        return self._tensor(
            f"linalg.transpose ins({value.name} : {value.type}) outs({init.name} : {init.type}) "
            f"permutation = [{', '.join(map(str, permutation))}]",
            init.shape,
            value.element,
        )

    # Tensor operations.

    def pad(self, value, low, high):
        """Zeros around a tensor; the tensor itself where there is nothing to pad."""
        if not any(low) and not any(high):
            return value
        shape = [l + size + h for l, size, h in zip(low, value.shape, high, strict=True)]
        result = Value(self._fresh(), tuple(shape), value.element)
        zero = self.constant(0.0, value.element)
        self._emit(f"{result.name} = tensor.pad {value.name} low{list(low)} high{list(high)} {{")
        indices = ", ".join(f"%i{i}: index" for i in range(len(shape)))
        self._emit(f"^bb0({indices}):")
        self._emit(f"  tensor.yield {zero} : {value.element}")
        self._emit(f"}} : {value.type} to {result.type}")
        return result

    def slice(self, value, offsets, sizes):
        result = Value("", tuple(sizes), value.element)
        return self._tensor(
            f"tensor.extract_slice {value.name}{list(offsets)} {list(sizes)} "
            f"{[1] * len(sizes)} : {value.type} to {result.type}",
            sizes,
            value.element,
        )

    def insert(self, value, into, offsets, strides):
        return self._tensor(
            f"tensor.insert_slice {value.name} into {into.name}{list(offsets)} "
            f"{list(value.shape)} {list(strides)} : {value.type} into {into.type}",
            into.shape,
            into.element,
        )

    def concat(self, values, dimension):
        shape = list(values[0].shape)
        shape[dimension] = sum(value.shape[dimension] for value in values)
        result = Value("", tuple(shape), values[0].element)
        names = ", ".join(value.name for value in values)
        types = ", ".join(value.type for value in values)
        return self._tensor(
            f"tensor.concat dim({dimension}) {names} : ({types}) -> {result.type}",
            shape,
            values[0].element,
        )

    def reshape(self, value, groups, shape):
        """tensor.expand_shape or collapse_shape; groups: the dimensions of the larger rank."""
        result = Value("", tuple(shape), value.element)
        if len(shape) > len(value.shape):
            text = (
                f"tensor.expand_shape {value.name} {groups} output_shape {list(shape)} : "
                f"{value.type} into {result.type}"
            )
        else:
            text = f"tensor.collapse_shape {value.name} {groups} : {value.type} into {result.type}"
        return self._tensor(text, shape, value.element)
