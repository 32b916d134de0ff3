# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Pictures of layouts, drawn from their text form (docs/layouts.md, "Reading the text")."""

import itertools
import re

from .svg import COLOURS, Picture

FRAGMENT = "register: 2*[0,1] 2*[8,0]; lane: 4*[0,2] 8*[1,0] -> [16, 8]"
SWIZZLE = "offset: 8*[0,1] x[0,8] x[0,16] x[0,32] x[1,8] x[2,16] x[4,32] 8*[8,0] -> [64, 64]"
ROW = "register: 8*[1] 3*[256]; lane: 32*[8] -> [768]"


def parse(text):
    """{input: [(radix, steps, whether it is XORed)]} and the sizes of the outputs."""
    inputs, sizes = text.split("->")
    digits = {}
    for part in inputs.split(";"):
        name, _, terms = part.partition(":")
        found = re.findall(r"(?:(\d+)\*|(x))\[([\d, ]*)\]", terms)
        digits[name.strip()] = [
            (int(radix or 2), tuple(map(int, steps.split(","))), bool(x)) for radix, x, steps in found
        ]
    return digits, tuple(map(int, sizes.strip(" []\n").split(",")))


def elements(text):
    """((index of each input, ...), coordinates) of every combination of the inputs' indices."""
    digits, sizes = parse(text)
    terms = [(name, *digit) for name, found in digits.items() for digit in found]
    for values in itertools.product(*(range(radix) for _, radix, _, _ in terms)):
        index, place = dict.fromkeys(digits, 0), dict.fromkeys(digits, 1)
        added, flipped = [0] * len(sizes), [0] * len(sizes)
        for value, (name, radix, steps, exclusive) in zip(values, terms):
            index[name] += value * place[name]
            place[name] *= radix
            for dim, step in enumerate(steps):
                if exclusive:
                    flipped[dim] ^= value * step
                else:
                    added[dim] += value * step
        yield index, tuple(a + b for a, b in zip(added, flipped))


def fragment():
    """Which lane and which of its registers hold an element of the accumulator of mma.m16n8k16."""
    cell_width, cell_height, left, top = 74, 24, 44, 62
    picture = Picture(left + 8 * cell_width + 10, top + 16 * cell_height + 10, "Accumulator of mma.m16n8k16")
    picture.text(left, 18, "Accumulator of mma.m16n8k16: lane and register of each element", 14, "start", "bold")
    picture.text(left, 36, FRAGMENT, 12, "start", fill="#555555")
    for column in range(8):
        picture.text(left + (column + 0.5) * cell_width, top - 6, f"column {column}", 10)
    for row in range(16):
        picture.text(left - 6, top + (row + 0.7) * cell_height, f"{row}", 10, "end")
    for index, (row, column) in sorted(elements(FRAGMENT), key=lambda each: each[1]):
        x, y = left + column * cell_width, top + row * cell_height
        picture.box(x, y, cell_width, cell_height, COLOURS[index["lane"] % 4])
        picture.text(x + cell_width / 2, y + 16, f"lane {index['lane']}, r{index['register']}", 10)
    return picture


def swizzle():
    """Where the 16-byte units of a 64-column f16 tile lie with the 128-byte swizzle: eight rows of the buffer."""
    cell, left, top = 62, 74, 74
    rows = 8
    unit = {}
    for index, (row, column) in elements(SWIZZLE):
        if row < rows and column % 8 == 0:
            unit[index["offset"] // 8] = (row, column // 8)
    picture = Picture(left + 8 * cell + 10, top + rows * 26 + 10, "128-byte swizzle")
    picture.text(10, 18, "128-byte swizzle: which unit (8 elements of f16, 16 bytes) lies where", 14, "start", "bold")
    picture.text(
        10,
        36,
        "a line: 128 bytes of shared memory, all 32 banks; a colour: one column of the tile's units",
        12,
        "start",
        fill="#555555",
    )
    for place in range(8):
        picture.text(left + (place + 0.5) * cell, top - 6, f"+{16 * place} B", 10)
    for position, (row, column) in sorted(unit.items()):
        x, y = left + position % 8 * cell, top + position // 8 * 26
        picture.box(x, y, cell, 26, COLOURS[column])
        picture.text(x + cell / 2, y + 17, f"r{row}, unit {column}", 10)
    for line in range(rows):
        picture.text(left - 6, top + line * 26 + 17, f"byte {128 * line}", 10, "end")
    return picture


def row():
    """A row of 768 f16 elements on one warp: eight neighbours in a thread, 32 lanes, three accesses of each lane."""
    lanes, cell, left, top = 32, 25, 70, 76
    width = parse(ROW)[0]["register"][0][0]
    first = {
        (index["register"] // width, index["lane"]): element
        for index, (element,) in elements(ROW)
        if index["register"] % width == 0
    }
    steps = sorted({step for step, _ in first})
    picture = Picture(left + lanes * cell + 10, top + len(steps) * 40 + 10, "Thread mapping of a row")
    picture.text(
        10,
        18,
        "Thread mapping of a row of 768 f16 elements: the first element of each lane's 16-byte access",
        14,
        "start",
        "bold",
    )
    picture.text(10, 36, ROW, 12, "start", fill="#555555")
    for lane in range(lanes):
        picture.text(left + (lane + 0.5) * cell, top - 6, f"{lane}", 9)
    picture.text(left - 6, top - 6, "lane", 10, "end")
    for (step, lane), element in sorted(first.items()):
        picture.box(left + lane * cell, top + step * 40, cell, 30, COLOURS[lane % 4])
        picture.text(left + (lane + 0.5) * cell, top + step * 40 + 19, f"{element}", 9)
    for step in steps:
        picture.text(left - 6, top + step * 40 + 19, f"access {step}", 10, "end")
    return picture


PICTURES = {"layout-mma-accumulator": fragment, "layout-swizzle": swizzle, "layout-row": row}
