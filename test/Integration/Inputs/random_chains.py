# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Chains of contractions drawn at random: draw(seed) is the same Program everywhere, whatever Python's version.

One to five contractions in sequence or joined, of operands stored in any order and shared by batches, with the
operators that are between contractions in practice: scales, biases, masks, activations, row statistics, softmax
in several forms, casts; results besides the last.
"""

import random

from chain_programs import Program, Statement, size_of

# Element types of the factors, and how often.
TYPES = (("f16", 38), ("bf16", 18), ("f32", 12), ("tf32", 6), ("i8", 10), ("f8E4M3FN", 9), ("f8E5M2", 7))
CHIPS = (("sm_80", 5), ("sm_90a", 3), ("sm_86", 1), ("sm_89", 1))
X = ["x", 0]


class Dice:
    """random.Random.random() is the one sequence that Python promises never to change."""

    def __init__(self, seed, what="chain"):
        self.source = random.Random(f"{what} {seed}")

    def below(self, count):
        return int(self.source.random() * count)

    def between(self, low, high):
        return low + self.below(high - low + 1)

    def chance(self, percent):
        return self.source.random() * 100 < percent

    def of(self, values):
        return values[self.below(len(values))]

    def weighted(self, pairs):
        at = self.source.random() * sum(weight for _, weight in pairs)
        for value, weight in pairs:
            at -= weight
            if at < 0:
                return value
        return pairs[-1][0]

    def shuffled(self, values):
        values = list(values)
        for i in range(len(values) - 1, 0, -1):
            j = self.below(i + 1)
            values[i], values[j] = values[j], values[i]
        return values


def activation(name, x):
    one = ["c", 1.0]
    if name == "relu":
        return ["max", x, ["c", 0.0]]
    if name == "leaky":
        return ["select", ["positive", x], x, ["mul", x, ["c", 0.125]]]
    if name == "clamp":
        return ["min", ["max", x, ["c", -0.75]], ["c", 1.5]]
    if name == "silu":
        return ["div", x, ["add", one, ["exp", ["neg", x]]]]
    if name == "sigmoid":
        return ["div", one, ["add", one, ["exp", ["neg", x]]]]
    if name == "gelu":
        return ["mul", ["mul", x, ["c", 0.5]], ["add", one, ["erf", ["mul", x, ["c", 0.70710678]]]]]
    if name == "square":
        return ["mul", x, x]
    if name == "softcap":
        return ["mul", ["tanh", ["mul", x, ["c", 0.5]]], ["c", 2.0]]
    return [name, x]  # tanh, exp, abs, neg


ACTIVATIONS = ("relu", "leaky", "clamp", "silu", "sigmoid", "gelu", "square", "softcap", "tanh", "exp", "abs", "neg")
# What keeps a value that is a multiple of a power of two exact: nothing in f32 is rounded in an order that could differ.
EXACT = ("relu", "clamp", "abs", "neg")


class Draw:
    def __init__(self, seed, most):
        self.dice = dice = Dice(seed)
        self.most = most
        kind = dice.weighted(TYPES)
        self.type = "f32" if kind == "tf32" else kind
        self.isExact = kind == "i8"
        chips = CHIPS
        if kind.startswith("f8") and dice.chance(85):
            chips = (("sm_89", 1), ("sm_90a", 1))
        self.program = Program({}, [], [], dice.weighted(chips))
        # What sm_90a has for factors that are cut and sums of fewer bits; of dice of their own, so that the chain of a seed is the same.
        isRough = self.program.chip == "sm_90a" and Dice(seed, "numerics").chance(60)
        if isRough and self.type == "f32":
            self.program.options.append("--f32-products=tf32-cut")
        elif kind == "tf32":
            self.program.options.append("--f32-products=tf32")
        if isRough and kind.startswith("f8"):
            self.program.options.append("--f8-products=coarse")
        self.isNamed = 0
        self.axisCount = 0
        self.rows = []  # statistics that may become results
        self.isExcluding = False  # a value has been masked and no softmax has followed

    # Pieces.

    def size(self):
        dice, most = self.dice, self.most
        form = dice.below(20)
        if form < 6:
            return dice.between(1, min(24, most))
        if form < 12:
            return min(most, 8 * dice.between(1, max(1, most // 8)))
        if form < 14:
            return dice.of((1, 2, 15, 16, 17, 31, 32, 33, min(64, most)))
        return dice.between(1, most)

    def axis(self, size=None, prefix="d"):
        name = f"{prefix}{self.axisCount}"
        self.axisCount += 1
        self.program.sizes[name] = self.size() if size is None else size
        return name

    def add(self, kind, axes, element, **rest):
        letter = "a" if kind == "argument" else "v"
        s = Statement(f"{letter}{len(self.program.statements)}", kind, list(axes), element, **rest)
        self.program.statements.append(s)
        return s

    def argument(self, axes, element, ordered=False):
        return self.add("argument", axes if ordered else self.dice.shuffled(axes), element)

    def operand(self, axes):
        """A factor of a product: an argument, sometimes with batch axes missing, its dimensions in any order; sometimes transposed
        by an operator. Returns it and its access."""
        dice = self.dice
        batch = [axis for axis in axes if axis.startswith("b")]
        if dice.chance(45):
            batch = [axis for axis in batch if dice.chance(50)]
        rest = [axis for axis in axes if not axis.startswith("b")]
        order = batch + (rest if dice.chance(50) else rest[::-1])
        if dice.chance(8):
            order = dice.shuffled(order)
        access = list(order)
        for i, axis in enumerate(access):
            size = self.program.sizes[axis]
            if axis.startswith("b") and size % 2 == 0 and dice.chance(25):
                access[i] = f"{axis}/2"
        if access == order and dice.chance(8):
            a = self.add("argument", dice.shuffled(order), self.type)
            a = self.add("transpose", order, self.type, inputs=[[a.out, list(a.axes)]])
            return a.out, access
        if access != order:
            named = [self.axis(size_of(self.program.sizes, entry), "e") if "/" in entry else entry for entry in access]
            return self.add("argument", named, self.type).out, access
        return self.add("argument", order, self.type).out, access

    def product(self, a, a_access, b, b_access, out):
        dice = self.dice
        element = "i32" if self.type == "i8" else "f32"
        names = {entry.partition("/")[0] for entry in a_access + b_access}
        reduced = [axis for axis in names if axis not in out]
        reduced.sort(key=lambda axis: next(i for i, entry in enumerate(a_access + b_access) if entry.partition("/")[0] == axis))
        form = "generic"
        plain = all("/" not in entry for entry in a_access + b_access)
        if plain and dice.chance(50):
            form = "contract"
            lead = out[:-2]
            if (len(out) in (2, 3) and len(reduced) == 1 and a_access[: len(lead)] == lead and b_access[: len(lead)] == lead
                    and set(a_access) == {*lead, out[-2], *reduced} and set(b_access) == {*lead, out[-1], *reduced}):  # fmt: skip
                form = "named"
        loops = list(out) + reduced
        if form != "named" and dice.chance(10):
            loops = dice.shuffled(loops)
        inputs = [[a, list(a_access)], [b, list(b_access)]]
        if dice.chance(5):
            inputs.append([self.argument(out, element, ordered=True).out, list(out)])
        s = self.add("product", out, element, inputs=inputs, form=form, loops=loops)
        depth = 1
        for axis in reduced:
            depth *= self.program.sizes[axis]
        # Back to numbers of the size of one; those of bytes have a standard deviation of about 74.
        scale = 2.0 ** -round(2 * 6.2 + _log2(depth) / 2) if self.type == "i8" else 1.5 * depth**-0.5
        return self.map([(s.out, out)], ["mul", X, ["c", scale]], out) if self.type == "i8" or dice.chance(85) else s

    def map(self, inputs, body, axes, element="f32", compute="f32"):
        inputs = [[name, list(access)] for name, access in inputs]
        loops = list(axes)
        if self.dice.chance(5):
            loops = self.dice.shuffled(loops)
        return self.add("map", axes, element, inputs=inputs, body=body, compute=compute, loops=loops)

    def reduce(self, inputs, body, axes, combiner, start):
        isPlain = body == X and self.program.value(inputs[0][0]).element == "f32"
        form = "named" if isPlain and self.dice.chance(30) else "generic"
        inputs = [[name, list(access)] for name, access in inputs]
        return self.add("reduce", axes, "f32", inputs=inputs, body=body, combiner=combiner, start=start, form=form)

    # Operators on an f32 value of these axes, the last of which is the row's.

    def pointwise(self, value):
        """A few element-wise operators, in one operation or each in its own."""
        dice, axes = self.dice, value.axes
        inputs, body = [(value.out, axes)], X
        for _ in range(dice.weighted(((0, 2), (1, 4), (2, 3), (3, 1)))):
            step = dice.weighted((("activation", 5), ("scale", 2), ("bias", 4), ("gain", 2), ("mask", 4), ("cast", 1), ("alibi", 1)))
            if self.isExact and step in ("gain", "alibi", "cast"):
                step = "activation"
            if step == "activation":
                body = activation(dice.of(EXACT if self.isExact else ACTIVATIONS), body)
            elif step == "scale":
                body = ["mul", body, ["c", dice.of((0.5, 0.25, 2.0) if self.isExact else (0.5, 0.3, -0.7, 1.7, 0.125))]]
            elif step in ("bias", "gain"):
                kept = [axis for axis in axes if dice.chance(50)]
                element = self.type if self.type in ("f16", "bf16") and dice.chance(50) else "f32"
                access = list(kept)
                a = self.argument(kept, element)
                access = list(a.axes)
                number = ["x", len(inputs)]
                inputs.append((a.out, access))
                if self.isExact:
                    # A multiple of a power of two, like the value.
                    number = ["mul", ["round", ["mul", number, ["c", 64.0]]], ["c", 1 / 64]]
                body = ["add" if step == "bias" else "mul", body, number]
            elif step == "mask":
                body = self.mask(body, axes, inputs)
            elif step == "cast":
                narrow = "bf16" if self.type == "bf16" else "f16"
                v = self.map(inputs, body, axes, narrow)
                inputs, body = [(v.out, axes)], X
            elif len(axes) > 1:
                i, j = ["i", axes[-2]], ["i", axes[-1]]
                body = ["add", body, ["mul", ["float", ["isub", j, i]], ["c", 0.015625]]]
            if body != X and dice.chance(60):
                v = self.map(inputs, body, axes)
                inputs, body = [(v.out, axes)], X
        return value if len(inputs) == 1 and body == X and inputs[0][0] == value.out else (
            self.map(inputs, body, axes) if body != X else self.program.value(inputs[0][0]))  # fmt: skip

    def mask(self, body, axes, inputs):
        """Excludes some elements, by a value that is often -inf."""
        dice = self.dice
        low = dice.weighted(((-float("inf"), 6), (-1e9, 2), (0.0, 2))) if not self.isExact else 0.0
        self.isExcluding |= low != 0
        low = ["c", low]
        if len(axes) < 2 or dice.chance(30):
            a = self.argument([axis for axis in axes if dice.chance(70)], "i1")
            inputs.append((a.out, list(a.axes)))
            # The last element stays: a row of nothing is drawn by indices often enough.
            keep = ["or", ["x", len(inputs) - 1], ["eq", ["i", axes[-1]], ["n", self.program.sizes[axes[-1]] - 1]]]
            return ["select", keep, body, low]
        i, j = ["i", axes[-2]], ["i", axes[-1]]
        m, n = (self.program.sizes[axis] for axis in axes[-2:])
        # The last rows see all, or the first row sees the first element, or all of it is moved somewhere.
        shift = dice.weighted(((n - m, 5), (0, 2), (dice.between(-m // 2, n // 2), 1)))
        at = ["iadd", i, ["n", shift]]
        form = dice.weighted((("causal", 5), ("window", 3), ("ahead", 1), ("block", 1), ("until", 1)))
        if form == "causal":
            keep = ["le", j, at]
        elif form == "window":
            left, right = dice.between(0, n), dice.of((0, 0, dice.between(0, n)))
            keep = ["and", ["ge", j, ["isub", at, ["n", left]]], ["le", j, ["iadd", at, ["n", right]]]]
        elif form == "ahead":
            keep = ["ge", j, at]
        elif form == "block":
            size = ["n", dice.between(4, 64)]
            keep = ["eq", ["idiv", i, size], ["idiv", j, size]]
        else:
            keep = ["lt", j, ["n", dice.between(1, n)]]
        return ["select", keep, body, low]

    def row(self, value):
        """Statistics of rows, and the value by them."""
        dice, axes = self.dice, value.axes
        rows, n = axes[:-1], self.program.sizes[axes[-1]]
        forms = [("softmax", 4), ("named", 4), ("softmax2", 1), ("unscaled", 1)]
        if not self.isExcluding:
            forms += [("rms", 2), ("layer", 1), ("maximum", 1), ("sum", 1), ("offset", 1)]
        form = dice.weighted(forms)
        self.isExcluding = False
        full = [(value.out, axes)]
        if form == "named":
            if value.element != "f32":
                value = self.map(full, X, axes)
            return self.add("softmax", axes, "f32", inputs=[[value.out, list(axes)]])
        if form in ("softmax", "softmax2", "unscaled"):
            exp = "exp2" if form == "softmax2" else "exp"
            top = self.reduce(full, X, rows, "max", -float("inf"))
            e = self.map([*full, (top.out, rows)], [exp, ["sub", X, ["x", 1]]], axes)
            total = self.reduce([(e.out, axes)], X, rows, "add", 0.0)
            if dice.chance(25):
                log = ["add", X, ["log", ["x", 1]]]
                self.rows.append(self.map([(top.out, rows), (total.out, rows)], log, rows))
            if form == "unscaled":
                self.rows.append(total)
                return e
            return self.map([(e.out, axes), (total.out, rows)], ["div", X, ["x", 1]], axes)
        if form == "rms":
            squares = self.reduce(full, ["mul", X, X], rows, "add", 0.0)
            factor = ["rsqrt", ["add", ["mul", X, ["c", 1 / n]], ["c", 1e-2]]]
            factor = self.map([(squares.out, rows)], factor, rows)
            self.rows.append(factor)
            return self.map([*full, (factor.out, rows)], ["mul", X, ["x", 1]], axes)
        if form == "layer":
            total = self.reduce(full, X, rows, "add", 0.0)
            apart = self.map([*full, (total.out, rows)], ["sub", X, ["mul", ["x", 1], ["c", 1 / n]]], axes)
            squares = self.reduce([(apart.out, axes)], ["mul", X, X], rows, "add", 0.0)
            body = ["mul", X, ["rsqrt", ["add", ["mul", ["x", 1], ["c", 1 / n]], ["c", 1e-2]]]]
            return self.map([(apart.out, axes), (squares.out, rows)], body, axes)
        if form == "maximum":
            top = self.reduce(full, ["abs", X], rows, "max", 0.0)
            self.rows.append(top)
            return self.map([*full, (top.out, rows)], ["div", X, ["add", ["x", 1], ["c", 0.5]]], axes)
        total = self.reduce(full, X if form == "sum" else ["mul", X, ["c", 1 / n]], rows, "add", 0.0)
        self.rows.append(total)
        if form == "sum":
            return value
        return self.map([*full, (total.out, rows)], ["sub", X, ["x", 1]], axes)

    def narrowed(self, value):
        """Rounded to the type that is multiplied."""
        if self.type == "f32":
            return value
        body = X
        if self.type == "i8":
            body = ["min", ["max", ["round", ["mul", X, ["c", 64.0]]], ["c", -128.0]], ["c", 127.0]]
        elif self.type.startswith("f8"):
            body = ["min", ["max", X, ["c", -256.0]], ["c", 256.0]]
        return self.map([(value.out, value.axes)], body, value.axes, self.type)

    # The chain.

    def step(self, value, budget):
        """The value times something: an f32 value, and how many multiplications it took."""
        dice, axes = self.dice, value.axes
        *lead, m, k = axes
        forms = [("plain", 12), ("left", 1), ("gram", 0.6)]
        if budget >= 2:
            forms += [("gate", 2.5), ("two", 1.5), ("fork", 1)]
        if budget >= 3:
            forms.append(("low rank", 1.5))
        form = dice.weighted(forms)
        n = self.axis()
        out = [*lead, m, n]
        times = lambda v: self.product(v.out, v.axes, *self.operand([*lead, v.axes[-1], n]), out)
        if form == "left":
            new = self.axis()
            return self.product(*self.operand([*lead, new, m]), value.out, value.axes, [*lead, new, k]), 1
        if form == "gram":
            self.program.sizes[n] = self.program.sizes[m]
            return self.product(value.out, value.axes, value.out, [*lead, n, k], out), 1
        if form == "gate":
            a, b = times(value), times(value)
            if not self.isExact:
                a = self.map([(a.out, out)], activation(dice.of(ACTIVATIONS), X), out)
            joined = ["mul" if not self.isExact else "max", X, ["x", 1]]
            return self.map([(a.out, out), (b.out, out)], joined, out), 2
        if form == "two":
            other, access = self.operand([*lead, m, self.axis()])
            inner = [entry for entry in access if entry.partition("/")[0] not in (*lead, m)][0]
            a = times(value)
            b = self.product(other, access, *self.operand([*lead, inner, n]), out)
            return self.map([(a.out, out), (b.out, out)], [dice.of(("add", "sub")), X, ["x", 1]], out), 2
        if form == "fork":
            side = times(value)
            self.rows.append(side)
            n = self.axis()
            out = [*lead, m, n]
            return self.product(value.out, value.axes, *self.operand([*lead, k, n]), out), 2
        if form == "low rank":
            r = self.axis(dice.between(1, 32))
            inner = self.product(value.out, value.axes, *self.operand([*lead, k, r]), [*lead, m, r])
            a = times(self.narrowed(inner))
            b = times(value)
            return self.map([(a.out, out), (b.out, out)], ["add", X, ["x", 1]], out), 3
        return times(value), 1

    def draw(self):
        dice = self.dice
        lead = [self.axis(dice.between(1, 4), "b") for _ in range(dice.weighted(((0, 4), (1, 4), (2, 2))))]
        axes = [*lead, self.axis(), self.axis()]
        value = first = self.argument(axes, self.type, ordered=True)
        if not self.isExact and dice.chance(12):
            wide = self.map([(value.out, axes)], X, axes) if self.type != "f32" else value
            wide = self.row(wide) if dice.chance(50) else self.pointwise(wide)
            value = self.narrowed(wide)
        budget = dice.weighted(((1, 15), (2, 45), (3, 22), (4, 12), (5, 6)))
        while True:
            value, taken = self.step(value, budget)
            budget -= taken
            isLast = budget <= 0
            if not isLast or dice.chance(50):
                value = self.pointwise(value)
            percent = 100 if self.isExcluding else 20 if isLast else 45
            if not self.isExact and dice.chance(percent):
                value = self.row(value)
                if dice.chance(25):
                    value = self.pointwise(value)
            if isLast:
                break
            if self.type == "i8" and value.element == "i32":
                value = self.map([(value.out, value.axes)], X, value.axes)
            if dice.chance(6):
                self.rows.append(value)
            value = self.narrowed(value)
        self.finish(value, first)
        return self.program

    def finish(self, value, first):
        dice, axes = self.dice, value.axes
        if dice.chance(20):
            # A residual, the first LHS where it fits.
            fits = first.axes == axes
            other = first if fits and dice.chance(70) else self.argument(axes, "f32" if self.isExact else self.type)
            number = ["x", 1]
            if self.isExact:
                number = ["mul", ["round", ["mul", number, ["c", 64.0]]], ["c", 1 / 64]]
            value = self.map([(value.out, axes), (other.out, other.axes)], ["add", X, number], axes)
        if value.element == "f32" and not self.isExact and dice.chance(55):
            element = dice.of(("f16", "bf16")) if self.type not in ("f16", "bf16") or dice.chance(5) else self.type
            value = self.map([(value.out, axes)], X, axes, element)
        results = [value.out]
        for row in self.rows:
            if row.out not in results and dice.chance(50):
                results.append(row.out)
        self.program.results = results
        used = needed(self.program)
        self.program.statements = [s for s in self.program.statements if s.out in used]
        if dice.chance(12):
            self.program.random_seed = dice.below(1000)


def _log2(number):
    return number.bit_length() - 1 if isinstance(number, int) else number


def needed(program):
    """The names of what the results are made of."""
    found, open = set(), list(program.results)
    while open:
        name = open.pop()
        if name not in found:
            found.add(name)
            s = program.value(name)
            open += [n for n, _ in s.inputs] + s.tables
    return found


def work(program):
    """Multiplications of the contractions, and the elements of the other operators."""
    total = 0
    for s in program.statements:
        count = 1
        for axis in {entry.partition("/")[0] for _, access in s.inputs for entry in access} | set(s.axes):
            count *= program.sizes[axis]
        total += count if s.kind == "product" else 16 * count
    return total


def draw(seed, most=300, limit=3e6):
    """The program of this seed, of axes up to `most`; as large a one as `limit` (of work) allows: axes are halved until it fits."""
    program = Draw(seed, most).draw()
    while work(program) > limit:
        # Dimensions that are read divided keep fitting.
        axes = [axis for axis in program.sizes if axis.startswith("d")]
        largest = max(program.sizes[axis] for axis in axes)
        for axis in axes:
            if program.sizes[axis] == largest:
                program.sizes[axis] = (largest + 1) // 2
    return program
