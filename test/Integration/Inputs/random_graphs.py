"""Graphs of memory-intensive operators drawn at random: draw(seed) is the same Program everywhere. Up to 60 operators of rank 1 to 5 with
sizes of 1 to 300 and mixed types: element-wise operators with broadcast operands, reductions, transposes, slices; any value is read any
number of times, some are results."""

from chain_programs import Program, Statement
from random_chains import Dice, X, activation, needed

ACTIVATIONS = ("relu", "leaky", "clamp", "silu", "sigmoid", "gelu", "softcap", "tanh", "abs", "neg")
Y = ["x", 1]


class Draw:
    def __init__(self, seed, most, limit):
        self.dice = Dice(f"graph {seed}")
        self.most, self.limit = most, limit
        self.program = Program({}, [], [], self.dice.of(("sm_80", "sm_80", "sm_86", "sm_90a")))
        self.values = []  # statements that may be read
        # Few axes, so that values meet.
        for _ in range(self.dice.between(1, 6)):
            self.axis()

    def axis(self, most=None):
        name = f"d{len(self.program.sizes)}"
        dice, most = self.dice, most or self.most
        size = dice.weighted(((dice.between(1, 8), 3), (8 * dice.between(1, 8), 3), (dice.between(1, 64), 3), (dice.between(1, 300), 2)))
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

    def add(self, kind, axes, element, **rest):
        letter = "a" if kind == "argument" else "v"
        s = Statement(f"{letter}{len(self.program.statements)}", kind, list(axes), element, **rest)
        self.program.statements.append(s)
        self.values.append(s)
        return s

    def element(self):
        return self.dice.weighted((("f32", 6), ("f16", 3), ("bf16", 2)))

    def argument(self, axes=None):
        names = list(self.program.sizes)
        if axes is None:
            axes = self.fitting(self.dice.shuffled(names)[: self.dice.between(1, min(5, len(names)))])
        return self.add("argument", axes, self.element())

    def recent(self):
        """A value, those of late more often."""
        last = len(self.values)
        return self.values[max(self.dice.below(last), self.dice.below(last))]

    def other(self, axes):
        """An operand for a loop nest over these axes: a value of some of them, or an argument."""
        fits = [v for v in self.values if set(v.axes) <= set(axes)]
        if fits and self.dice.chance(75):
            return self.dice.of(fits)
        return self.argument(self.dice.shuffled(axes)[: self.dice.between(1, len(axes))])

    def map(self):
        dice, first = self.dice, self.recent()
        axes = list(first.axes)
        missing = [axis for axis in self.program.sizes if axis not in axes]
        # A single number is broadcast.
        if missing and len(axes) < 5 and (dice.chance(15) or not axes) and self.points([*axes, missing[0]]) <= self.limit:
            axes.insert(dice.below(len(axes) + 1), missing[0])  # a broadcast
        if not axes:
            return self.reduce()
        inputs, body = [first], X
        form = dice.weighted((("activation", 5), ("scale", 2), ("binary", 9), ("three", 2), ("mask", 1), ("cast", 2)))
        if form == "activation":
            body = activation(dice.of(ACTIVATIONS), X)
        elif form == "scale":
            body = ["mul", X, ["c", dice.of((0.5, 0.3, -0.7, 1.7, 0.125))]]
        elif form in ("binary", "three"):
            inputs.append(self.other(axes))
            body = dice.of((["add", X, Y], ["sub", X, Y], ["mul", X, ["tanh", Y]], ["max", X, Y], ["min", X, Y],
                            ["div", X, ["add", ["c", 1.0], ["abs", Y]]]))  # fmt: skip
            if form == "three":
                inputs.append(self.other(axes))
                body = ["add", body, ["mul", ["c", 0.5], ["x", 2]]]
        elif form == "mask":
            at = dice.of(axes)
            body = ["select", ["lt", ["i", at], ["n", dice.between(1, self.program.sizes[at])]], X, ["c", 0.0]]
        return self.add("map", axes, self.element(), inputs=[[v.out, list(v.axes)] for v in inputs], body=body)

    def reduce(self):
        dice, value = self.dice, self.recent()
        if not value.axes:
            return self.argument()
        kept = [axis for axis in value.axes if dice.chance(60)]
        if len(kept) == len(value.axes):
            kept = kept[:-1]
        count = self.points([axis for axis in value.axes if axis not in kept])
        combiner = dice.weighted((("add", 6), ("max", 3), ("min", 1)))
        start = {"add": 0.0, "max": -float("inf"), "min": float("inf")}[combiner]
        body = dice.of((["mul", X, X], X)) if combiner == "add" else X
        if combiner == "add":
            body = ["mul", body, ["c", 1 / count]]
        return self.add("reduce", kept, "f32", inputs=[[value.out, list(value.axes)]], body=body, combiner=combiner, start=start)

    def transpose(self):
        value = self.recent()
        if len(value.axes) < 2:
            return self.reduce()
        return self.add("transpose", self.dice.shuffled(value.axes), value.element, inputs=[[value.out, list(value.axes)]])

    def slice(self):
        dice, value = self.dice, self.recent()
        if not value.axes:
            return self.reduce()
        at = dice.below(len(value.axes))
        size = self.program.sizes[value.axes[at]]
        # Another axis of the graph where it is long enough, so that the slice meets other values.
        fits = [axis for axis in self.program.sizes if axis not in value.axes and self.program.sizes[axis] <= size]
        axis = dice.of(fits) if fits and dice.chance(70) else self.axis(size)
        axes = list(value.axes)
        axes[at] = axis
        offsets = [0] * len(axes)
        offsets[at] = dice.between(0, size - self.program.sizes[axis])
        return self.add("slice", axes, value.element, inputs=[[value.out, list(value.axes)]], offsets=offsets)

    def draw(self):
        dice = self.dice
        for _ in range(dice.between(1, 3)):
            self.argument()
        count = dice.weighted(((dice.between(2, 12), 5), (dice.between(12, 30), 3), (dice.between(30, 60), 2)))
        for _ in range(count):
            step = dice.weighted((("map", 12), ("reduce", 4), ("transpose", 1.2), ("slice", 0.8)))
            getattr(self, step)()
        made = [s.out for s in self.program.statements if s.kind != "argument"]
        read = {name for s in self.program.statements for name, _ in s.inputs}
        self.program.results = [name for name in made if name not in read or dice.chance(5)]
        used = needed(self.program)
        self.program.statements = [s for s in self.program.statements if s.out in used]
        return self.program


def draw(seed, most=300, limit=20000):
    """The program of this seed, of axes up to `most`, no value of more than `limit` elements."""
    return Draw(seed, most, limit).draw()
