# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators of random graphs that move elements and compute nothing: transposes, reshapes, slices, pads, concatenations,
insertions, elements of tables."""

from random_chains import X


class Moves:
    """Part of random_graphs.Draw."""

    def moved(self, kind, axes, values, **rest):
        """A value whose elements are those of others."""
        bound = max(self.bounds[v.out] for v in values)
        return self.add(kind, axes, values[0].element, bound, inputs=[[v.out, list(v.axes)] for v in values], **rest)

    def replaced(self, axes, at, new):
        return [new if i == at else axis for i, axis in enumerate(axes)]

    def transpose(self):
        value = self.recent()
        if len(value.axes) < 2:
            return self.reduce()
        return self.moved("transpose", self.dice.shuffled(value.axes), [value])

    def slice(self):
        dice, value = self.dice, self.recent()
        if not value.axes:
            return self.reduce()
        at = dice.below(len(value.axes))
        size = self.program.sizes[value.axes[at]]
        step = dice.of((2, 3)) if size > 3 and dice.chance(20) else 1
        most = -(-size // step)
        # Another axis of the graph where it is long enough, so that the slice meets other values.
        fits = [axis for axis in self.program.sizes if axis not in value.axes and self.program.sizes[axis] <= most]
        axis = dice.of(fits) if fits and dice.chance(70) else self.axis(most)
        offsets, strides = [0] * len(value.axes), [1] * len(value.axes)
        offsets[at] = dice.between(0, size - 1 - (self.program.sizes[axis] - 1) * step)
        strides[at] = step
        return self.moved("slice", self.replaced(value.axes, at, axis), [value], offsets=offsets, strides=strides)

    def pad(self):
        dice, value = self.dice, self.recent()
        if not value.axes:
            return self.reduce()
        axes, offsets = list(value.axes), [0] * len(value.axes)
        for at in range(len(axes)):
            size = self.program.sizes[axes[at]]
            if dice.chance(50) and size < self.most:
                fits = [axis for axis, s in self.program.sizes.items() if axis not in axes and size < s <= 2 * size + 8]
                axis = dice.of(fits) if fits and dice.chance(60) else self.axis(size=size + dice.between(1, 9))
                if self.points(self.replaced(axes, at, axis)) <= self.limit:
                    axes[at] = axis
                    offsets[at] = dice.between(0, self.program.sizes[axis] - size)
        number = dice.weighted(((0, 3), (1, 1)))
        return self.moved("pad", axes, [value], offsets=offsets, start=number)

    def concat(self):
        dice, value = self.dice, self.recent()
        if not value.axes:
            return self.reduce()
        at = dice.below(len(value.axes))
        rest = value.axes[:at] + value.axes[at + 1 :]
        pieces = [value]
        for _ in range(dice.between(1, 3)):
            fits = [v for v in self.values if v.element == value.element and len(v.axes) == len(value.axes)
                    and v.axes[:at] + v.axes[at + 1 :] == rest]  # fmt: skip
            pieces.append(dice.of(fits) if dice.chance(70) else self.argument(self.replaced(value.axes, at, dice.of(
                [a for a in self.program.sizes if a not in rest])), value.element))  # fmt: skip
        size = sum(self.program.sizes[v.axes[at]] for v in pieces)
        if size > self.most or size * self.points(rest) > self.limit:
            return self.map()
        same = [axis for axis, s in self.program.sizes.items() if s == size and axis not in rest]
        axis = same[0] if same else self.axis(size=size)
        pieces = dice.shuffled(pieces)
        return self.moved("concat", self.replaced(value.axes, at, axis), pieces, along=at)

    def insert(self):
        """A value with another one in the place of some of its elements."""
        dice, value = self.dice, self.recent()
        sizes = self.program.sizes
        fits = [v for v in self.values if v is not value and v.element == value.element and len(v.axes) == len(value.axes)
                and all(sizes[a] <= sizes[b] for a, b in zip(v.axes, value.axes))]  # fmt: skip
        if fits and dice.chance(70):
            piece = dice.of(fits)
        else:
            piece = self.argument([axis if dice.chance(60) else self.axis(sizes[axis]) for axis in value.axes], value.element)
        offsets = [dice.between(0, sizes[b] - sizes[a]) for a, b in zip(piece.axes, value.axes)]
        return self.moved("insert", value.axes, [value, piece], offsets=offsets)

    def reshape(self):
        dice, value = self.dice, self.recent()
        axes, sizes = list(value.axes), self.program.sizes
        if len(axes) >= 2 and dice.chance(50):
            at = dice.below(len(axes) - 1)
            size = sizes[axes[at]] * sizes[axes[at + 1]]
            if size <= self.most:
                return self.moved("reshape", [*axes[:at], self.axis(size=size), *axes[at + 2 :]], [value])
        places = [(at, k) for at, axis in enumerate(axes) for k in (2, 3, 4, 8) if sizes[axis] % k == 0 and sizes[axis] > k]
        if not places or len(axes) == 5:
            return self.transpose()
        at, k = dice.of(places)
        parts = dice.shuffled([k, sizes[axes[at]] // k])
        return self.moved("reshape", [*axes[:at], *(self.axis(size=part) for part in parts), *axes[at + 1 :]], [value])

    def gather(self):
        dice, table = self.dice, self.recent()
        if not table.axes:
            return self.reduce()
        at = dice.below(len(table.axes))
        size, rest = self.program.sizes[table.axes[at]], table.axes[:at] + table.axes[at + 1 :]
        form = dice.weighted((("rows", 4), ("reversed", 1), ("strided", 1), ("diagonal", 1)))
        inputs = []
        axes = list(table.axes)
        if form == "rows":
            place, axes = self.index(table, size, rest, inputs)
        elif form == "reversed":
            place = ["sub", ["n", size - 1], ["i", table.axes[at]]]
        elif form == "strided":
            step = dice.between(1, 3)
            fits = [axis for axis in self.program.sizes if axis not in rest and self.program.sizes[axis] * step <= size]
            axis = dice.of(fits) if fits else self.axis(size=-(-size // step))
            axes = self.replaced(axes, at, axis)
            place = ["mul", ["i", axis], ["n", step]]
            if (self.program.sizes[axis] - 1) * step < size - 1 and dice.chance(50):
                place = ["add", place, ["n", 1]]
        else:
            fits = [axis for axis in rest if self.program.sizes[axis] <= size]
            if not fits:
                return self.reduce()
            place, axes = ["i", dice.of(fits)], rest
        places = iter(rest)
        body = ["at", 0, *(place if i == at else ["i", next(places)] for i in range(len(table.axes)))]
        return self.map_of(axes, inputs, body, table.element, self.bounds[table.out], tables=[table])

    def index(self, table, size, rest, inputs):
        """A place along a table's dimension by integers, and the axes of what is read so."""
        dice = self.dice
        found = [v for v in self.values if v.element[0] == "i" and v.element != "i1" and len(set(v.axes) | set(rest)) <= 5
                 and self.points(set(v.axes) | set(rest)) <= self.limit]  # fmt: skip
        if found and dice.chance(70):
            value = dice.of(found)
        else:
            names = [axis for axis in self.program.sizes if axis not in rest]
            axes = dice.shuffled(names)[: min(dice.between(0, 2), 5 - len(rest))] + ([dice.of(rest)] if rest and dice.chance(40) else [])
            axes = [axis for i, axis in enumerate(axes) if self.points({*rest, *axes[: i + 1]}) <= self.limit]
            value = self.argument(axes, dice.of(("i32", "i64")))
        inputs.append((value, list(value.axes)))
        # Given integers are places of every given tensor, unchanged.
        isInside = value.kind == "argument" and value.element in ("i32", "i64") and table.kind == "argument" and size > 1
        place = X
        if not (isInside and dice.chance(70)):
            type = value.element if size <= 127 or value.element != "i8" else "i32"
            place = ["min", ["max", X if type == value.element else ["cast", type, X], ["c", 0, type]], ["c", size - 1, type]]
        place = ["cast", "index", place]
        axes = [axis for axis in value.axes if axis not in rest]
        at = dice.below(len(rest) + 1)
        return place, rest[:at] + axes + rest[at:]
