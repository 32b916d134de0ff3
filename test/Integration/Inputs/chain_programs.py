# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs of tensor operators that are data: they are written as linalg, evaluated by NumPy, and decomposed to
make a failing one smaller (reduce_program.py).

A value is a tensor indexed by *axes*, names with a size. A statement makes one value of others, each read through an access:
the axes that index it, in its own order. "h/4" is the axis h divided by 4, rounded down. Where an axis reads a dimension of another
one of its size, the value is read turned.

Bodies are expressions, nested lists: ["x", i] is the i-th input in the type of the computation, ["c", number], ["i", axis] an
index, and [operation, operand, ...] with the operations of FLOATS, INDICES and "select". Without a type of the computation they are
those of typed_bodies.py.
"""

import dataclasses

import numpy

import typed_bodies
from element_types import BITS, COMBINERS, FLOATS, convert, literal, rounded, tensor, typed

# Operation: arith, NumPy.
INDICES = {
    "iadd": ("arith.addi", numpy.add),
    "isub": ("arith.subi", numpy.subtract),
    "idiv": ("arith.floordivsi", numpy.floor_divide),
}
COMPARES = {
    "le": ("sle", numpy.less_equal),
    "lt": ("slt", numpy.less),
    "ge": ("sge", numpy.greater_equal),
    "eq": ("eq", numpy.equal),
}


@dataclasses.dataclass
class Statement:
    """kind: argument; product (of two inputs, a third one being what it is added to); map and reduce (body over the inputs, the
    latter combined by `combiner` from `start` on); softmax (along the last axis); transpose; slice (from `offsets` on, by `strides`, as
    long as the axes of the value); pad (with `start`, `offsets` in front); concat (along the dimension `along`); insert (the second
    input into the first one, from `offsets` on); reshape (two axes that become one, or one that becomes two); argmax (the
    first place of the largest element along the axis that the value lacks). form: how it is written."""

    out: str
    kind: str
    axes: list  # of the value
    element: str
    inputs: list = dataclasses.field(default_factory=list)  # [name, access]
    body: list = None
    compute: str = "f32"  # the type of the body, None where each of its operations has its own
    combiner: str = None
    start: float = 0.0
    form: str = "generic"
    loops: list = None  # the order of the loops, where it is not that of first use
    offsets: list = None  # of a slice or a pad, by dimension
    strides: list = None
    along: int = None
    tables: list = dataclasses.field(default_factory=list)  # values that the body reads at places of its own


@dataclasses.dataclass
class Program:
    sizes: dict
    statements: list
    results: list
    chip: str = "sm_80"
    device: str = "emulator"
    options: list = dataclasses.field(default_factory=list)  # of fusion-run
    random_seed: int = None  # of the schedule
    isForced: bool = True  # what is legal is fused

    def value(self, name):
        return next(s for s in self.statements if s.out == name)

    def shape(self, access):
        return tuple(size_of(self.sizes, entry) for entry in access)


def size_of(sizes, entry):
    axis, _, divisor = entry.partition("/")
    return -(-sizes[axis] // int(divisor)) if divisor else sizes[axis]


def loops_of(statement):
    """The loops in order: those of the value, then the reduced ones."""
    if statement.loops is not None:
        return statement.loops
    found = list(statement.axes)
    for _, access in statement.inputs:
        found += [axis for axis in (entry.partition("/")[0] for entry in access) if axis not in found]
    return found


# As text.


class Writer:
    def __init__(self, program):
        self.program, self.lines, self.count = program, [], 0

    def fresh(self):
        self.count += 1
        return f"%{self.count}"

    def emit(self, text, indent="  "):
        name = self.fresh()
        self.lines.append(f"{indent}{name} = {text}")
        return name

    def text(self):
        program = self.program
        arguments, types = [], {}
        for s in program.statements:
            types[s.out] = tensor(program.shape(s.axes), s.element)
            if s.kind == "argument":
                arguments.append(f"%{s.out}: {types[s.out]}")
        self.types = types
        for s in program.statements:
            if s.kind != "argument":
                self.statement(s)
        results = [types[name] for name in program.results]
        of = ", ".join(results) if len(results) == 1 else f"({', '.join(results)})"
        lines = [f"func.func @chain({', '.join(arguments)}) -> {of} {{", *self.lines]
        lines.append(f"  return {', '.join('%' + name for name in program.results)} : {', '.join(results)}")
        return "\n".join([*lines, "}", ""])

    def destination(self, s, start=None):
        type = self.types[s.out]
        empty = self.emit(f"tensor.empty() : {type}")
        if start is None:
            return empty
        number = self.emit(f"arith.constant {literal(start, s.element)}")
        return self.emit(f"linalg.fill ins({number} : {s.element}) outs({empty} : {type}) -> {type}")

    def statement(self, s):
        inputs = [name for name, _ in s.inputs]
        types = [self.types[name] for name in inputs]
        type = self.types[s.out]
        ins = lambda count: (f"ins({', '.join('%' + name for name in inputs[:count])} : {', '.join(types[:count])}) "
                             if inputs[:count] else "")  # fmt: skip
        loops = loops_of(s)
        affine = lambda access: ("affine_map<(" + ", ".join(loops) + ") -> (" +
                                 ", ".join(entry.replace("/", " floordiv ") for entry in access) + ")>")  # fmt: skip
        accesses = [access for _, access in s.inputs]
        if s.kind == "softmax":
            out = self.destination(s)
            self.lines.append(f"  %{s.out} = linalg.softmax dimension({len(s.axes) - 1}) {ins(1)}outs({out} : {type}) -> {type}")
            return
        if s.kind == "transpose":
            order = [accesses[0].index(axis) for axis in s.axes]
            out = self.destination(s)
            self.lines.append(f"  %{s.out} = linalg.transpose {ins(1)}outs({out} : {type}) permutation = {order}")
            return
        if s.kind == "argmax":
            self.argmax(s, inputs[0], types[0])
            return
        if s.kind in MOVES:
            self.lines.append(f"  %{s.out} = {MOVES[s.kind](self, s, inputs, types)} {type}")
            return
        if s.kind == "product":
            out = f"%{inputs[2]}" if len(inputs) == 3 else self.destination(s, 0.0)
            if s.form != "generic":
                maps = ", ".join(affine(access) for access in (*accesses[:2], s.axes))
                name = {"named": "batch_matmul" if len(s.axes) == 3 else "matmul", "contract": "contract"}[s.form]
                self.lines.append(f"  %{s.out} = linalg.{name} indexing_maps = [{maps}] {ins(2)}outs({out} : {type}) -> {type}")
                return
            count = 2
        elif s.kind == "reduce":
            out, count = self.destination(s, s.start), len(inputs)
            if s.form == "named":
                dimensions = [accesses[0].index(axis) for axis in accesses[0] if axis not in s.axes]
                operation = typed(COMBINERS, s.combiner, s.element)
                self.lines.append(f"  %{s.out} = linalg.reduce {{ {operation} }} {ins(1)}outs({out} : {type}) dimensions = {dimensions}")
                return
        else:
            out, count = self.destination(s), len(inputs)
        maps = ", ".join(affine(access) for access in (*accesses[:count], s.axes))
        kinds = ", ".join('"parallel"' if axis in s.axes else '"reduction"' for axis in loops)
        self.lines.append(f"  %{s.out} = linalg.generic {{indexing_maps = [{maps}], iterator_types = [{kinds}]}}")
        self.lines.append(f"      {ins(count)}outs({out} : {type}) {{")
        elements = [self.program.value(name).element for name in inputs[:count]]
        names = [*(f"%x{i}: {e}" for i, e in enumerate(elements)), f"%old: {s.element}"]
        self.lines.append(f"  ^bb0({', '.join(names)}):")
        if s.kind == "product":
            factors = [self.converted(f"%x{i}", e, s.element) for i, e in enumerate(elements)]
            suffix = "i" if s.element == "i32" else "f"
            value = self.emit(f"arith.mul{suffix} {factors[0]}, {factors[1]} : {s.element}", "    ")
            value = self.emit(f"arith.add{suffix} %old, {value} : {s.element}", "    ")
        else:
            if s.compute is None:
                tables = [(f"%{name}", self.types[name], self.program.value(name).element) for name in s.tables]
                value = typed_bodies.write(s.body, elements, tables, loops, lambda text: self.emit(text, "    "))
            else:
                value = self.converted(self.body(s, s.body, elements, loops), s.compute, s.element)
            if s.kind == "reduce":
                value = self.emit(f"{typed(COMBINERS, s.combiner, s.element)} {value}, %old : {s.element}", "    ")
        self.lines.append(f"    linalg.yield {value} : {s.element}")
        self.lines.append(f"  }} -> {type}")

    def converted(self, name, source, target):
        text = convert(name, source, target)
        return name if text is None else self.emit(text, "    ")

    def body(self, s, e, elements, loops):
        operation, *operands = e
        emit = lambda text: self.emit(text, "    ")
        if operation == "x":
            name, element = f"%x{operands[0]}", elements[operands[0]]
            return name if element == "i1" else self.converted(name, element, s.compute)
        if operation == "c":
            return emit(f"arith.constant {literal(operands[0], s.compute)}")
        if operation == "i":
            return emit(f"linalg.index {loops.index(operands[0])} : index")
        if operation == "n":
            return emit(f"arith.constant {operands[0]} : index")
        names = [self.body(s, operand, elements, loops) for operand in operands]
        if operation == "select":
            return emit(f"arith.select {', '.join(names)} : {s.compute}")
        if operation == "and":
            return emit(f"arith.andi {', '.join(names)} : i1")
        if operation == "or":
            return emit(f"arith.ori {', '.join(names)} : i1")
        if operation == "positive":
            zero = emit(f"arith.constant {literal(0.0, s.compute)}")
            return emit(f"arith.cmpf ogt, {names[0]}, {zero} : {s.compute}")
        if operation == "float":
            return emit(f"arith.sitofp {emit(f'arith.index_cast {names[0]} : index to i32')} : i32 to {s.compute}")
        if operation in COMPARES:
            return emit(f"arith.cmpi {COMPARES[operation][0]}, {', '.join(names)} : index")
        if operation in INDICES:
            return emit(f"{INDICES[operation][0]} {', '.join(names)} : index")
        return emit(f"{FLOATS[operation][0]} {', '.join(names)} : {s.compute}")

    def argmax(self, s, name, type):
        """An operator of two results, the largest values and their places."""
        element, (_, access) = self.program.value(name).element, s.inputs[0]
        along, = [i for i, axis in enumerate(access) if axis not in s.axes]
        isInteger = element[0] == "i"
        low = -(2 ** (BITS[element] - 1)) if isInteger else -float("inf")
        out, tops = self.types[s.out], tensor(self.program.shape(s.axes), element)
        starts = []
        for of, start, number in ((tops, element, low), (out, s.element, 0)):
            empty, value = self.emit(f"tensor.empty() : {of}"), self.emit(f"arith.constant {literal(number, start)}")
            starts.append(self.emit(f"linalg.fill ins({value} : {start}) outs({empty} : {of}) -> {of}"))
        maps = ", ".join(f"affine_map<({', '.join(access)}) -> ({', '.join(axes)})>" for axes in (access, s.axes, s.axes))
        kinds = ", ".join('"reduction"' if i == along else '"parallel"' for i in range(len(access)))
        compare = f"arith.cmpi sgt, %x, %top : {element}" if isInteger else f"arith.cmpf ogt, %x, %top : {element}"
        self.lines.append(f"""  %{s.out}_, %{s.out} = linalg.generic {{indexing_maps = [{maps}], iterator_types = [{kinds}]}}
      ins(%{name} : {type}) outs({', '.join(starts)} : {tops}, {out}) {{
  ^bb0(%x: {element}, %top: {element}, %at: {s.element}):
    %i = linalg.index {along} : index
    %n = arith.index_cast %i : index to {s.element}
    %more = {compare}
    %t = arith.select %more, %x, %top : {element}
    %p = arith.select %more, %n, %at : {s.element}
    linalg.yield %t, %p : {element}, {s.element}
  }} -> ({tops}, {out})""")

    # What moves elements and computes nothing.

    def slice(self, s, inputs, types):
        sizes = list(self.program.shape(s.axes))
        return f"tensor.extract_slice %{inputs[0]}{s.offsets} {sizes} {s.strides or [1] * len(sizes)} : {types[0]} to"

    def pad(self, s, inputs, types):
        (_, access), = s.inputs
        high = [size - low - old for size, low, old in zip(self.program.shape(s.axes), s.offsets, self.program.shape(access))]
        number = self.emit(f"arith.constant {literal(s.start, s.element)}")
        places = ", ".join(f"%p{i}: index" for i in range(len(high)))
        return (f"tensor.pad %{inputs[0]} low{s.offsets} high{high} {{\n  ^bb0({places}):\n    tensor.yield {number} : {s.element}\n"
                f"  }} : {types[0]} to")  # fmt: skip

    def concat(self, s, inputs, types):
        return f"tensor.concat dim({s.along}) {', '.join('%' + name for name in inputs)} : ({', '.join(types)}) ->"

    def insert(self, s, inputs, types):
        sizes = list(self.program.shape(s.inputs[1][1]))
        return f"tensor.insert_slice %{inputs[1]} into %{inputs[0]}{s.offsets} {sizes} {[1] * len(sizes)} : {types[1]} into"

    def reshape(self, s, inputs, types):
        (_, access), = s.inputs
        fine, coarse = (s.axes, access) if len(s.axes) > len(access) else (access, s.axes)
        at = next((i for i, axis in enumerate(coarse) if axis != fine[i]), 0)
        groups = [[i] for i in range(at)] + [[at, at + 1]] + [[i + 1] for i in range(at + 1, len(coarse))]
        if fine is access:
            return f"tensor.collapse_shape %{inputs[0]} {groups} : {types[0]} into"
        return f"tensor.expand_shape %{inputs[0]} {groups} output_shape {list(self.program.shape(s.axes))} : {types[0]} into"


MOVES = {"slice": Writer.slice, "pad": Writer.pad, "concat": Writer.concat, "insert": Writer.insert, "reshape": Writer.reshape}


def text(program):
    return Writer(program).text()


# As numbers.

def evaluate(program, arguments, disturbed=lambda s, value: value):
    """The results, from the arguments in their order; f32 arithmetic with the roundings of the types, sums and products in f64.
    `disturbed` makes another value of what a statement computes."""
    values, given = {}, iter(arguments)
    with numpy.errstate(all="ignore"):
        for s in program.statements:
            values[s.out] = next(given) if s.kind == "argument" else disturbed(s, _evaluate(program, s, values))
    return [values[name] for name in program.results]


def _evaluate(program, s, values):
    shape = program.shape(s.axes)
    if s.kind == "slice":
        steps = s.strides or [1] * len(shape)
        return values[s.inputs[0][0]][tuple(slice(o, o + n * step, step) for o, n, step in zip(s.offsets, shape, steps))][
            tuple(slice(0, n) for n in shape)]  # fmt: skip
    if s.kind == "pad":
        value = values[s.inputs[0][0]]
        return numpy.pad(value, [(low, n - low - old) for low, n, old in zip(s.offsets, shape, value.shape)], constant_values=s.start)
    if s.kind == "concat":
        return numpy.concatenate([values[name] for name, _ in s.inputs], axis=s.along)
    if s.kind == "insert":
        result = numpy.array(values[s.inputs[0][0]])
        piece = values[s.inputs[1][0]]
        result[tuple(slice(offset, offset + n) for offset, n in zip(s.offsets, piece.shape))] = piece
        return result
    if s.kind == "argmax":
        name, access = s.inputs[0]
        along, = [i for i, axis in enumerate(access) if axis not in s.axes]
        return rounded(numpy.argmax(values[name], axis=along), s.element)
    if s.kind == "reshape":
        return values[s.inputs[0][0]].reshape(shape)
    loops = loops_of(s)
    arrays = []
    for name, access in s.inputs:
        array = values[name]
        names = [entry.partition("/")[0] for entry in access]
        for dimension, entry in enumerate(access):
            axis, _, divisor = entry.partition("/")
            if divisor:
                array = numpy.take(array, numpy.arange(program.sizes[axis]) // int(divisor), axis=dimension)
        order = sorted(range(len(names)), key=lambda i: loops.index(names[i]))
        array = numpy.transpose(array, order)
        shape = [program.sizes[axis] if axis in names else 1 for axis in loops]
        arrays.append(array.reshape(shape))
    reduced = tuple(i for i, axis in enumerate(loops) if axis not in s.axes)
    kept = [axis for axis in loops if axis in s.axes]
    place = lambda array: numpy.transpose(array, [kept.index(axis) for axis in s.axes])
    full = [program.sizes[axis] for axis in loops]

    if s.kind == "product":
        wide = numpy.int64 if s.element == "i32" else numpy.float64
        letters = list(range(len(loops)))
        a, b = (array.astype(wide) for array in arrays[:2])
        # What is broadcast along an axis is dropped from the operand: einsum multiplies it in all the same.
        operands = []
        for array in (a, b):
            own = [i for i in letters if array.shape[i] == full[i]]
            operands += [array.reshape([full[i] for i in own]), own]
        out = [loops.index(axis) for axis in s.axes]
        found = [i for i in out if i in operands[1] or i in operands[3]]
        result = numpy.einsum(*operands, found, optimize=True)
        # Axes that neither operand has.
        result = numpy.expand_dims(result, [number for number, i in enumerate(out) if i not in found])
        result = numpy.broadcast_to(result, [full[i] for i in out])
        if len(arrays) == 3:
            result = result + place(arrays[2].reshape([program.sizes[axis] for axis in kept]))
        return result.astype(numpy.int32) if s.element == "i32" else rounded(result, s.element)
    if s.kind == "softmax":
        x = arrays[0].astype(numpy.float32)
        top = x.max(axis=-1, keepdims=True)
        e = numpy.exp(x - top)
        return rounded(e / e.sum(axis=-1, keepdims=True, dtype=numpy.float64), s.element)
    if s.kind == "transpose":
        return place(arrays[0])
    if s.compute is None:
        elements = [program.value(name).element for name, _ in s.inputs]
        tables = [(values[name], program.value(name).element) for name in s.tables]
        result = typed_bodies.compute(s.body, list(zip(arrays, elements)), tables, loops, full)
    else:
        result = _body(program, s, s.body, arrays, loops)
    result = numpy.broadcast_to(result, full)
    if s.kind == "reduce":
        ufunc = COMBINERS[s.combiner][0]
        result = rounded(result, s.element)
        if s.element[0] != "i":
            result = result.astype(numpy.float64)
        result = ufunc(ufunc.reduce(result, axis=reduced), numpy.asarray(s.start).astype(result.dtype))
    return place(rounded(result, s.element))


def _body(program, s, e, arrays, loops):
    operation, *operands = e
    if operation == "x":
        array = arrays[operands[0]]
        return array if array.dtype == bool else rounded(array.astype(numpy.float32), s.compute)
    if operation == "c":
        return rounded(numpy.full([1] * len(loops), operands[0], numpy.float64), s.compute)
    if operation == "i":
        at = loops.index(operands[0])
        shape = [-1 if i == at else 1 for i in range(len(loops))]
        return numpy.arange(program.sizes[operands[0]]).reshape(shape)
    if operation == "n":
        return numpy.full([1] * len(loops), operands[0])
    values = [_body(program, s, operand, arrays, loops) for operand in operands]
    if operation == "select":
        return numpy.where(*values)
    if operation in ("and", "or"):
        return getattr(numpy, f"logical_{operation}")(*values)
    if operation == "positive":
        return values[0] > 0
    if operation == "float":
        return rounded(values[0].astype(numpy.float64), s.compute)
    if operation in COMPARES:
        return COMPARES[operation][1](*values)
    if operation in INDICES:
        return INDICES[operation][1](*values)
    return rounded(FLOATS[operation][1](*values), s.compute)
