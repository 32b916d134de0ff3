# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Graphs of memory-intensive operators drawn at random: draw(seed) is the same Program everywhere. Up to 60 operators of rank 0 to 5 with
sizes of 1 to 300 on floats of three types, integers and booleans: element-wise operators with broadcast or
transposed operands,
reductions of one or several axes, transposes, reshapes, slices, pads, concatenations, elements of tables; any value is read any number
of times, some are results.

Integers and booleans are made of values that are exact, the same to the bit however they are computed: one
rounding more or
less would turn a comparison. Magnitudes are bounded so that f16 has room for them, and integers for what becomes one of them."""

from chain_programs import Program, Statement
from random_chains import Dice, X, activation, needed
from random_moves import Moves
from typed_bodies import makes_exact

ACTIVATIONS = ("relu", "leaky", "clamp", "silu", "sigmoid", "gelu", "softcap", "tanh", "abs", "neg")
EXACT_ACTIVATIONS = ("relu", "leaky", "clamp", "abs", "neg")
FLOATS = ("f32", "f16", "bf16")
CHIPS = (("sm_80", 4), ("sm_86", 2), ("sm_89", 1), ("sm_90a", 3), ("sm_100a", 1), ("sm_120", 1))
# The magnitude that a type has room for, of integers that of its numbers.
ROOM = {"f16": 3e4, "bf16": 1e30, "f32": 1e30, "i1": 1, "i8": 2**7, "i16": 2**15, "i32": 2**31, "i64": 2**63}
# Integers among the arguments are smaller than the smallest size above one.
GIVEN = {"i1": 1, "i8": 128, "i16": 128, "i32": 300, "i64": 300}
Y, Z = ["x", 1], ["x", 2]


def isFloat(value):
    return value.element in FLOATS


class Draw(Moves):
    def __init__(self, seed, most, limit):
        self.dice = Dice(f"graph {seed}")
        dice = self.dice
        self.most = most
        # Most are small; a few are spread over many blocks.
        self.limit = limit * dice.weighted(((1, 12), (4, 3), (16, 1)))
        self.program = Program({}, [], [], dice.weighted(CHIPS))
        self.values = []  # statements that may be read
        self.bounds, self.exact = {}, set()
        # Few axes, so that values meet; short ones where there are to be many in one value.
        isDeep = dice.chance(35)
        for _ in range(dice.between(5, 8) if isDeep else dice.between(1, 6)):
            self.axis(most=dice.weighted(((3, 2), (8, 4), (24, 1))) if isDeep and dice.chance(85) else None)
        self.ranks = (3, 4, 5) if isDeep else (1, 2, 3)

    # Pieces.

    def axis(self, most=None, size=None):
        name = f"d{len(self.program.sizes)}"
        dice, most, sizes = self.dice, most or self.most, list(self.program.sizes.values())
        if size is None:
            forms = dice.between(1, 8), 8 * dice.between(1, 8), dice.between(1, 64), dice.between(1, 300)
            size = dice.weighted([(form, 1) for form in forms])
            if sizes and dice.chance(15):
                size = dice.of(sizes)  # what is indexed by one may be read by the other
        self.program.sizes[name] = min(size, most)
        return name

    def points(self, axes):
        count = 1
        for axis in axes:
            count *= self.program.sizes[axis]
        return count

    def fitting(self, axes):
        """The axes as far as the elements allow."""
        kept = []
        for axis in axes:
            if self.points([*kept, axis]) <= self.limit:
                kept.append(axis)
        return kept or [min(axes, key=lambda axis: self.program.sizes[axis])]

    def add(self, kind, axes, element, bound, **rest):
        letter = "a" if kind == "argument" else "v"
        s = Statement(f"{letter}{len(self.program.statements)}", kind, list(axes), element, **rest)
        self.program.statements.append(s)
        self.values.append(s)
        self.bounds[s.out] = min(bound, ROOM[element])
        if makes_exact(s, self.exact):
            self.exact.add(s.out)
        return s

    def float(self, bound=1):
        return self.dice.weighted((("f32", 6), ("f16", 3 if bound <= ROOM["f16"] else 0), ("bf16", 2)))

    def integer(self):
        return self.dice.weighted((("i32", 5), ("i64", 2), ("i8", 2), ("i16", 1)))

    def argument(self, axes=None, element=None):
        names = list(self.program.sizes)
        if axes is None:
            axes = self.fitting(self.dice.shuffled(names)[: self.dice.of(self.ranks)])
        if element is None:
            element = self.dice.weighted(((self.float(), 7), (self.integer(), 2), ("i1", 1)))
        return self.add("argument", axes, element, GIVEN.get(element, 1))

    def recent(self):
        """A value, those of late more often."""
        last = len(self.values)
        return self.values[max(self.dice.below(last), self.dice.below(last))]

    def other(self, axes, fits=lambda value: True, element=None):
        """An operand for a loop nest over these axes and how it is read: a value of some of them, or an argument."""
        found = [v for v in self.values if set(v.axes) <= set(axes) and fits(v)]
        if found and self.dice.chance(75):
            value = self.dice.of(found)
        else:
            value = self.argument(self.dice.shuffled(axes)[: self.dice.between(0 if self.dice.chance(5) else 1, len(axes))], element)
        return value, self.turned(value, axes)

    def turned(self, value, axes):
        """The axes that read a value, sometimes others of the same size."""
        access, sizes = list(value.axes), self.program.sizes
        if self.dice.chance(12):
            for i, axis in enumerate(access):
                same = [a for a in axes if a != axis and sizes[a] == sizes[axis]]
                if same:
                    new = self.dice.of(same)
                    access = [new if a == axis else axis if a == new else a for a in access]
                    break
        return access

    def map_of(self, axes, inputs, body, element, bound, tables=()):
        return self.add("map", axes, element, bound, inputs=[[v.out, list(access)] for v, access in inputs], body=body,
                        compute=None, tables=[table.out for table in tables], loops=self.turned_loops(axes))  # fmt: skip

    def turned_loops(self, axes):
        """Sometimes loops in another order than a value's dimensions, the reduced ones anywhere."""
        return self.dice.shuffled(axes) if len(axes) > 1 and self.dice.chance(6) else None

    def as_type(self, e, source, target):
        return e if source == target else ["cast", target, e]

    # Operators.

    def map(self):
        dice, first = self.dice, self.recent()
        axes = list(first.axes)
        missing = [axis for axis in self.program.sizes if axis not in axes]
        # A single number is broadcast.
        if missing and len(axes) < 5 and (dice.chance(15) or not axes) and self.points([*axes, missing[0]]) <= self.limit:
            axes.insert(dice.below(len(axes) + 1), missing[0])  # a broadcast
        if not axes and dice.chance(80):
            return self.argument()
        if isFloat(first):
            return self.float_map(first, axes)
        return self.truth_map(first, axes) if first.element == "i1" else self.integer_map(first, axes)

    def float_map(self, first, axes):
        dice, bound = self.dice, self.bounds[first.out]
        inputs = [(first, self.turned(first, axes))]
        isExact = first.out in self.exact
        # Some in f32, as frameworks do it, some in the type of what is read.
        type = "f32" if dice.chance(60) else first.element
        x = self.as_type(X, first.element, type)
        number = lambda value: ["c", value, type]
        form = dice.weighted((("activation", 5), ("scale", 2), ("grow", 1.5 if isExact else 0), ("binary", 9), ("three", 2), ("mask", 1.5),
                              ("cast", 1.5), ("compare", 2.5 if isExact else 0), ("integer", 1.5 if isExact else 0)))  # fmt: skip
        if form == "activation":
            body = activation(dice.of(EXACT_ACTIVATIONS if isExact and dice.chance(50) else ACTIVATIONS), x)
            bound = max(2, bound)
        elif form == "scale":
            body = ["mul", x, number(dice.of((0.5, 0.3, -0.7, 1.7, 0.125)))]
            bound *= 1.7
        elif form == "grow":
            factor = dice.of((12.0, 150.0, 3000.0, 1e5))
            factor = factor if bound * factor <= min(1e8, ROOM[type]) else 0.01
            body = ["mul", x, number(factor)]
            bound *= factor
        elif form in ("binary", "three"):
            body, bound = self.joined(inputs, x, bound, type, axes)
            if form == "three":
                other, access = self.other(axes, lambda v: isFloat(v) and self.bounds[v.out] <= ROOM[type])
                inputs.append((other, access))
                body = ["add", body, ["mul", number(0.5), self.as_type(["x", len(inputs) - 1], other.element, type)]]
                bound += self.bounds[other.out]
        elif form == "mask":
            body = ["select", self.condition(inputs, axes), x, number(dice.weighted(((0.0, 3), (-1.0, 1))))]
            bound = max(1, bound)
        elif form == "compare":
            other, access = self.other(axes, lambda v: isFloat(v) and v.out in self.exact)
            inputs.append((other, access))
            wide = first.element if first.element == other.element else "f32"
            y = self.as_type(Y, other.element, wide) if dice.chance(60) else ["c", dice.of((0.0, 0.25, -0.5)), wide]
            inputs = inputs if y[0] != "c" else inputs[:1]
            body = [dice.of(("lt", "le", "gt", "ge", "eq", "ne")), self.as_type(X, first.element, wide), y]
            return self.map_of(axes, inputs, body, "i1", 1)
        elif form == "integer":
            element = self.integer()
            if bound < 4:
                x, bound = ["mul", x, number(100.0)], 100 * bound
            if bound >= ROOM[element] / 2:
                x, bound = ["min", ["max", x, number(-100.0)], number(100.0)], 100
            if bound > ROOM[type]:
                return self.argument()
            return self.map_of(axes, inputs, ["cast", element, x], element, bound)
        else:
            body = x
        if bound > ROOM[type]:
            return self.transpose()
        element = self.float(bound)
        return self.map_of(axes, inputs, self.as_type(body, type, element), element, bound)

    def joined(self, inputs, x, bound, type, axes):
        """x with another operand, of any type that has one's magnitude."""
        dice = self.dice
        room = min(ROOM[type], 1e9)
        other, access = self.other(axes, lambda v: self.bounds[v.out] <= room)
        inputs.append((other, access))
        y, most = self.as_type(Y, other.element, type), self.bounds[other.out]
        one = ["c", 1.0, type]
        forms = [(["add", x, y], bound + most), (["sub", x, y], bound + most), (["mul", x, ["tanh", y]], bound),
                 (["max", x, y], max(bound, most)), (["min", x, y], max(bound, most)),
                 (["div", x, ["add", one, ["abs", y]]], bound)]  # fmt: skip
        if bound * most <= room:
            forms.append((["mul", x, y], bound * most))
        return dice.of(forms)

    def condition(self, inputs, axes):
        """A boolean: by a place, or of an operand."""
        dice = self.dice
        if dice.chance(50):
            at = dice.of(axes) if axes else None
            if at is not None:
                return ["lt", ["i", at], ["n", dice.between(1, self.program.sizes[at])]]
        other, access = self.other(axes, lambda v: v.element == "i1", "i1")
        inputs.append((other, access))
        return ["x", len(inputs) - 1] if dice.chance(70) else ["xor", ["x", len(inputs) - 1], ["c", 1, "i1"]]

    def integer_map(self, first, axes):
        dice, bound = self.dice, self.bounds[first.out]
        inputs = [(first, self.turned(first, axes))]
        type = first.element if dice.chance(60) else self.integer()
        x = self.as_type(X, first.element, type)
        bound = min(bound, ROOM[type]) if bound <= ROOM[type] else ROOM[type]
        form = dice.weighted((("number", 3), ("binary", 6), ("compare", 2), ("float", 3), ("mask", 1)))
        if form == "number":
            operation, value = dice.of((("add", 3), ("mul", 3), ("mul", -7), ("shl", 2), ("shr", 1), ("rem", 5), ("div", 3),
                                        ("floordiv", 3), ("max", 0), ("min", 17), ("and", 6)))  # fmt: skip
            return self.map_of(axes, inputs, [operation, x, ["c", value, type]], type, 8 * bound)
        if form == "float":
            if bound > 2**40:
                x, bound = ["rem", x, ["c", 100, type]], 100
            element = self.float(bound)
            return self.map_of(axes, inputs, ["cast", element, x], element, bound)
        if form == "mask":
            return self.map_of(axes, inputs, ["select", self.condition(inputs, axes), x, ["c", 0, type]], type, bound)
        other, access = self.other(axes, lambda v: not isFloat(v), self.integer())
        inputs.append((other, access))
        y = self.as_type(Y, other.element, type)
        if form == "compare":
            return self.map_of(axes, inputs, [dice.of(("lt", "le", "gt", "ge", "eq", "ne")), x, y], "i1", 1)
        operation = dice.of(("add", "sub", "mul", "max", "min", "and", "or", "xor"))
        most = self.bounds[other.out]
        bound = (bound + 1) * (most + 1) if operation == "mul" else 2 * max(bound, most) + 2
        return self.map_of(axes, inputs, [operation, x, y], type, bound)

    def truth_map(self, first, axes):
        dice = self.dice
        inputs = [(first, self.turned(first, axes))]
        form = dice.weighted((("binary", 3), ("not", 1), ("float", 2), ("integer", 2), ("select", 3)))
        if form == "binary":
            other, access = self.other(axes, lambda v: v.element == "i1", "i1")
            return self.map_of(axes, [*inputs, (other, access)], [dice.of(("and", "or", "xor")), X, Y], "i1", 1)
        if form == "not":
            return self.map_of(axes, inputs, ["xor", X, ["c", 1, "i1"]], "i1", 1)
        if form == "select":
            a, b = (self.other(axes, lambda v: v.element != "i1") for _ in range(2))
            type = a[0].element if a[0].element != "i1" else "f32"
            y, z = self.as_type(Y, a[0].element, type), self.as_type(Z, b[0].element, type)
            isFits = max(self.bounds[v.out] for v, _ in (a, b)) <= ROOM[type]
            if isFloat(b[0]) and type not in FLOATS or not isFits:
                z = ["c", 1, type]
                inputs = [*inputs, a]
            else:
                inputs = [*inputs, a, b]
            return self.map_of(axes, inputs, ["select", X, y, z], type, max(self.bounds[v.out] for v, _ in inputs))
        element = self.float() if form == "float" else self.integer()
        return self.map_of(axes, inputs, ["cast", element, X], element, 1)

    def reduction(self, kept, element, bound, inputs, body, combiner, start, form="generic"):
        loops = self.turned_loops(inputs[0][1]) if form == "generic" else None
        inputs = [[v.out, list(access)] for v, access in inputs]
        return self.add("reduce", kept, element, bound, inputs=inputs, body=body, compute=None, combiner=combiner, start=start, form=form,
                        loops=loops)  # fmt: skip

    def reduce(self):
        dice, value = self.dice, self.recent()
        if not value.axes:
            return self.argument()
        kept = [axis for axis in value.axes if dice.chance(60)]
        if len(kept) == len(value.axes):
            kept.remove(dice.of(kept))
        if dice.chance(10):
            kept = dice.shuffled(kept)
        count = self.points([axis for axis in value.axes if axis not in kept])
        inputs, bound = [(value, list(value.axes))], self.bounds[value.out]
        if not isFloat(value):
            return self.integer_reduce(value, kept, inputs)
        combiner = dice.weighted((("add", 6), ("max", 3), ("min", 1), ("mul", 0.5)))
        element = "f32" if dice.chance(75) else self.float(bound)
        x = self.as_type(X, value.element, "f32")
        start = {"add": 0.0, "mul": 1.0, "max": -float("inf"), "min": float("inf")}[combiner]
        if combiner == "add":
            form = dice.weighted((("square", 1), ("plain", 2), ("product", 1)))
            if form == "square" and bound < 1e3:
                x, bound = ["mul", x, x], bound * bound
            elif form == "product":
                other, access = self.other(value.axes, lambda v: isFloat(v) and self.bounds[v.out] <= 1e3)
                inputs.append((other, access))
                x, bound = ["mul", x, self.as_type(Y, other.element, "f32")], bound * self.bounds[other.out]
            if dice.chance(50) or bound * count > 1e9:
                x = ["mul", x, ["c", 1 / count, "f32"]]
            else:
                bound *= count
        elif combiner == "mul":
            x, bound = ["add", ["c", 1.0, "f32"], ["mul", ["c", 1 / count, "f32"], ["tanh", x]]], 3
        if dice.chance(12):
            start = 0.5
        element = element if bound <= ROOM[element] else "f32"
        isNamed = x == X and element == "f32" and list(value.axes) == inputs[0][1] and [a for a in value.axes if a in kept] == kept
        form = "named" if isNamed and dice.chance(40) else "generic"
        return self.reduction(kept, element, max(bound, 1), inputs, self.as_type(x, "f32", element), combiner, start, form)

    def integer_reduce(self, value, kept, inputs):
        dice = self.dice
        if value.element == "i1" and dice.chance(60):
            combiner, element = dice.of((("and", "i1"), ("or", "i1")))
        else:
            combiner = dice.weighted((("add", 4), ("max", 2), ("min", 2), ("or", 1), ("mul", 1)))
            element = value.element if value.element != "i1" and dice.chance(60) else self.integer()
        most = 2 ** ((ROOM[element]).bit_length() - 1)
        start = {"add": 0, "mul": 1, "max": -most, "min": most - 1, "or": 0, "and": 1}[combiner]
        if dice.chance(12):
            start = 1
        return self.reduction(kept, element, ROOM[element], inputs, self.as_type(X, value.element, element), combiner, start)

    def rows(self):
        """A row's statistics and the row by them: softmax, with what a mask excludes, or a layer's normalisation."""
        dice, value = self.dice, self.recent()
        if not value.axes or not isFloat(value) or self.bounds[value.out] > 1e4:
            return self.map()
        axes = list(value.axes)
        rows = [axis for axis in axes if dice.chance(70)]
        rows = rows if len(rows) < len(axes) else axes[:-1]
        x = self.as_type(X, value.element, "f32")
        if dice.chance(25) and value.element == "f32":
            return self.add("softmax", axes, "f32", 1, inputs=[[value.out, axes]])
        reduce = lambda v, combiner, start, body: self.reduction(rows, "f32", 1e4, [(v, axes)], body, combiner, start)
        count = self.points([axis for axis in axes if axis not in rows])
        if dice.chance(50):
            if dice.chance(40):
                inputs = [(value, axes)]
                at = dice.of([axis for axis in axes if axis not in rows])
                some = ["lt", ["i", at], ["n", dice.between(1, self.program.sizes[at])]]
                mask = some if dice.chance(70) else self.condition(inputs, axes)
                value = self.map_of(axes, inputs, ["select", mask, x, ["c", -float("inf"), "f32"]], "f32", 1e4)
                self.values.remove(value)  # for the softmax alone
                x = X
            top = reduce(value, "max", -float("inf"), x)
            self.values.remove(top)
            e = self.map_of(axes, [(value, axes), (top, rows)], ["exp", ["sub", x, Y]], "f32", 1)
            total = reduce(e, "add", 0.0, X)
            result = self.map_of(axes, [(e, axes), (total, rows)], ["div", X, Y], "f32", 1)
        else:
            total = reduce(value, "add", 0.0, ["mul", x, ["c", 1 / count, "f32"]])
            apart = self.map_of(axes, [(value, axes), (total, rows)], ["sub", x, Y], "f32", 1e4)
            squares = reduce(apart, "add", 0.0, ["mul", ["mul", X, X], ["c", 1 / count, "f32"]])
            body = ["mul", X, ["rsqrt", ["add", Y, ["c", 0.1, "f32"]]]]
            result = self.map_of(axes, [(apart, axes), (squares, rows)], body, "f32", count**0.5)
        return result

    def argmax(self, dice):
        """Sometimes an operator of two results, at the end, since nothing is fused with it."""
        found = [v for v in self.values if v.axes and v.out in self.exact and v.element != "i1" and v.kind != "argument"]
        if found and dice.chance(15):
            value = dice.of(found)
            axes = list(value.axes)
            del axes[dice.below(len(axes))]
            self.add("argmax", axes, dice.of(("i32", "i64")), 300, inputs=[[value.out, list(value.axes)]])

    def draw(self, seed):
        dice = self.dice
        for _ in range(dice.between(1, 3)):
            self.argument()
        count = dice.weighted(((dice.between(2, 12), 5), (dice.between(12, 30), 3), (dice.between(30, 60), 2)))
        while sum(s.kind != "argument" for s in self.program.statements) < count:
            step = dice.weighted((("map", 12), ("reduce", 4), ("rows", 0.8), ("transpose", 1.2), ("slice", 1), ("pad", 0.8),
                                  ("concat", 0.8), ("insert", 0.5), ("gather", 1), ("reshape", 0.7)))  # fmt: skip
            getattr(self, step)()
        self.argmax(Dice(seed, "place of the largest"))
        made = [s.out for s in self.program.statements if s.kind != "argument"]
        read = {name for s in self.program.statements for name in [n for n, _ in s.inputs] + s.tables}
        self.program.results = [name for name in made if name not in read or dice.chance(5)]
        used = needed(self.program)
        self.program.statements = [s for s in self.program.statements if s.out in used]
        return self.program


def draw(seed, most=300, limit=20000):
    """The program of this seed, of axes up to `most`; few values have more than `limit` elements."""
    return Draw(seed, most, limit).draw(seed)
