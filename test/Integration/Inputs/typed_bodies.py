# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bodies each of whose operations has a type of its own, that of its operands: f16, bf16 and f32 arithmetic with one rounding each,
integers that wrap, booleans, elements of tables.

["x", i] is the i-th input in its type; ["c", number, type] a constant, which has the type of what it meets where it says none;
["i", axis] an index; ["cast", type, x]; ["at", t, index...] an element of the t-th table; ["select", condition, x, y]; comparisons; and
the operations of FLOATS and INTEGER_OPERATIONS."""

import numpy

from element_types import BITS, FLOATS, INTEGERS, literal, rounded

# Operation: arith, NumPy. Divisors are constants above zero.
INTEGER_OPERATIONS = {
    "add": ("addi", numpy.add),
    "sub": ("subi", numpy.subtract),
    "mul": ("muli", numpy.multiply),
    "max": ("maxsi", numpy.maximum),
    "min": ("minsi", numpy.minimum),
    "and": ("andi", numpy.bitwise_and),
    "or": ("ori", numpy.bitwise_or),
    "xor": ("xori", numpy.bitwise_xor),
    "div": ("divsi", lambda x, y: (x - numpy.fmod(x, y)) // y),
    "floordiv": ("floordivsi", numpy.floor_divide),
    "rem": ("remsi", numpy.fmod),
    "shl": ("shli", numpy.left_shift),
    "shr": ("shrsi", numpy.right_shift),
}
COMPARES = {
    "lt": ("olt", "slt", numpy.less),
    "le": ("ole", "sle", numpy.less_equal),
    "gt": ("ogt", "sgt", numpy.greater),
    "ge": ("oge", "sge", numpy.greater_equal),
    "eq": ("oeq", "eq", numpy.equal),
    "ne": ("une", "ne", numpy.not_equal),
}
# What is the same to the bit wherever it is computed.
EXACT = ("add", "sub", "mul", "div", "max", "min", "neg", "abs", "sqrt", "round", "positive", "cast", "select", "at", *INTEGER_OPERATIONS,
         *COMPARES)  # fmt: skip


def type_of(e, elements, tables):
    """The type of an expression, None for constants that say none."""
    operation, *operands = e
    if operation == "x":
        return elements[operands[0]]
    if operation == "c":
        return operands[1] if len(operands) > 1 else None
    if operation in ("i", "n"):
        return "index"
    if operation == "cast":
        return operands[0]
    if operation == "at":
        return tables[operands[0]]
    if operation in COMPARES or operation == "positive":
        return "i1"
    if operation == "select":
        operands = operands[1:]
    return next((t for t in (type_of(o, elements, tables) for o in operands) if t), None)


def is_exact(e):
    """Whether every evaluation gives the same bits."""
    operation, *operands = e
    if operation in ("x", "c", "i", "n"):
        return True
    return operation in EXACT and all(is_exact(o) for o in operands if isinstance(o, list))


def makes_exact(s, exact):
    """Whether the value of a statement is exact where those of the names in `exact` are."""
    if any(name not in exact for name in [name for name, _ in s.inputs] + s.tables) or s.kind in ("product", "softmax"):
        return False
    isSum = s.kind == "reduce" and s.combiner in ("add", "mul") and s.element[0] != "i"
    return not isSum and (s.body is None or s.compute is None and is_exact(s.body))


def conversion(source, target):
    """The operations that convert between two types, each with its result's type."""
    if source == target:
        return []
    if "index" in (source, target):
        return [("arith.index_cast", target)]
    isInteger = source[0] == "i", target[0] == "i"
    if all(isInteger):
        if source == "i1":
            return [("arith.extui", target)]
        return [("arith.extsi" if BITS[target] > BITS[source] else "arith.trunci", target)]
    if isInteger[0]:
        return [("arith.uitofp" if source == "i1" else "arith.sitofp", target)]
    if isInteger[1]:
        return [("arith.fptosi", target)]
    # Between types of one width by way of a wider one.
    steps = [("arith.extf", "f32")] if source != "f32" else []
    return steps + ([("arith.truncf", target)] if target != "f32" else [])


class Typed:
    """Goes through an expression; what a value is, an SSA name or an array, subclasses know."""

    def __init__(self, elements, tables, loops):
        self.elements, self.tables, self.loops = elements, tables, loops

    def value(self, e, hint=None):
        """The value of an expression and its type, `hint` for a constant that says none."""
        operation, *operands = e
        if operation == "x":
            return self.input(operands[0]), self.elements[operands[0]]
        if operation == "c":
            type = operands[1] if len(operands) > 1 else hint
            return self.constant(operands[0], type), type
        if operation == "n":
            return self.constant(operands[0], "index"), "index"
        if operation == "i":
            return self.index(self.loops.index(operands[0])), "index"
        if operation == "cast":
            value, type = self.value(operands[1])
            return self.cast(value, type, operands[0]), operands[0]
        if operation == "at":
            return self.element(operands[0], [self.value(place)[0] for place in operands[1:]]), self.tables[operands[0]]
        if operation == "select":
            hint = type_of(e, self.elements, self.tables) or hint
            return self.apply(operation, [self.value(o, hint)[0] for o in operands], hint), hint
        if operation == "positive":
            operation, operands = "gt", [*operands, ["c", 0]]
        hint = next((t for t in (type_of(o, self.elements, self.tables) for o in operands) if t), hint)
        value = self.apply(operation, [self.value(o, hint)[0] for o in operands], hint)
        return value, "i1" if operation in COMPARES else hint


class Text(Typed):
    def __init__(self, elements, tables, loops, table_names, emit):
        super().__init__(elements, tables, loops)
        self.table_names, self.emit = table_names, emit

    def input(self, number):
        return f"%x{number}"

    def constant(self, number, type):
        return self.emit(f"arith.constant {literal(number, type)}")

    def index(self, loop):
        return self.emit(f"linalg.index {loop} : index")

    def cast(self, value, source, target):
        for operation, next in conversion(source, target):
            value = self.emit(f"{operation} {value} : {source} to {next}")
            source = next
        return value

    def element(self, table, places):
        name, type, _ = self.table_names[table]
        return self.emit(f"tensor.extract {name}[{', '.join(places)}] : {type}")

    def apply(self, operation, values, type):
        isInteger = type[0] == "i"
        values = ", ".join(values)
        if operation == "select":
            return self.emit(f"arith.select {values} : {type}")
        if operation in COMPARES:
            name = f"arith.cmp{'i' if isInteger else 'f'} {COMPARES[operation][isInteger]}, {values}"
        else:
            name = f"{'arith.' + INTEGER_OPERATIONS[operation][0] if isInteger else FLOATS[operation][0]} {values}"
        return self.emit(f"{name} : {type}")


class Numbers(Typed):
    def __init__(self, elements, tables, loops, arrays, table_arrays, sizes):
        super().__init__(elements, tables, loops)
        self.arrays, self.table_arrays, self.sizes = arrays, table_arrays, sizes

    def input(self, number):
        return self.arrays[number]

    def constant(self, number, type):
        number = numpy.full([1] * len(self.loops), number, INTEGERS.get(type, numpy.float64))
        return number if type == "index" else rounded(number, type)

    def index(self, loop):
        return numpy.arange(self.sizes[loop]).reshape([-1 if i == loop else 1 for i in range(len(self.loops))])

    def cast(self, value, source, target):
        if target[0] != "i" and source[0] == "i":
            value = value.astype(numpy.float64)
        elif target in INTEGERS and source[0] != "i":
            value = numpy.trunc(value)
        return rounded(value, target)

    def element(self, table, places):
        return self.table_arrays[table][tuple(numpy.broadcast_arrays(*places))]

    def apply(self, operation, values, type):
        if operation == "select":
            return numpy.where(*values)
        if operation in COMPARES:
            return COMPARES[operation][2](*values)
        if type[0] == "i":
            return INTEGER_OPERATIONS[operation][1](*values)
        return rounded(FLOATS[operation][1](*values), type)


def write(body, elements, tables, loops, emit):
    """The name of the body's value; `tables`: the name, the tensor's type and the element's."""
    return Text(elements, [type for _, _, type in tables], loops, tables, emit).value(body)[0]


def compute(body, inputs, tables, loops, sizes):
    """The body's values for all loops; `inputs` and `tables`: pairs of an array, of an input with a dimension for each loop, and a type."""
    arrays, elements = zip(*inputs) if inputs else ((), ())
    table_arrays, types = zip(*tables) if tables else ((), ())
    return Numbers(elements, types, loops, arrays, table_arrays, sizes).value(body)[0]
