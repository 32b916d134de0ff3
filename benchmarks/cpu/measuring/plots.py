# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bars of a set's rates, as SVG: ours, the best peer, PyTorch eager, and the limit as a line across them."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "scripts"))

from pictures import svg  # noqa: E402

# (what a bar shows, colour)
BARS = (("Fusion", svg.COLOURS[0]), ("best peer", svg.COLOURS[1]), ("PyTorch eager", svg.COLOURS[2]))
_BAR, _GAP, _HEIGHT, _LEFT, _TOP, _BELOW = 11, 9, 180, 56, 44, 84


def round_up(value):
    """The least of 1, 2, 2.5, 5 times a power of ten that is not below the value."""
    power = 10.0 ** (len(str(int(value))) - 1) if value >= 1 else 0.1
    return next(step * power for step in (1, 2, 2.5, 5, 10) if step * power >= value)


def bars(title, unit, groups):
    """groups: [(name, (rate or None, of each of BARS), limit or None)]. Returns the text of the picture."""
    step = len(BARS) * _BAR + _GAP
    width = _LEFT + step * len(groups) + 20
    picture = svg.Picture(max(width, 420), _TOP + _HEIGHT + _BELOW, title)
    top = round_up(max([1e-9, *(rate for _, rates, limit in groups for rate in (*rates, limit) if rate)]))

    def y(rate):
        return _TOP + _HEIGHT * (1 - rate / top)

    picture.text(10, 16, title, anchor="start", weight="bold")
    x = 10
    for name, colour in (*BARS, ("limit", "black")):
        if colour == "black":
            picture.line(x, 31, x + 10, 31, stroke="black")
        else:
            picture.box(x, 26, 10, 10, colour)
        picture.text(x + 14, 35, name, size=11, anchor="start")
        x += 30 + 7 * len(name)
    for quarter in range(5):
        rate = top * quarter / 4
        picture.line(_LEFT, y(rate), width - 16, y(rate), stroke="#dddddd")
        picture.text(_LEFT - 6, y(rate) + 4, f"{rate:g}", size=10, anchor="end")
    picture.text(width - 16, _TOP - 2, unit, size=10, anchor="end")
    for number, (name, rates, limit) in enumerate(groups):
        x = _LEFT + _GAP / 2 + number * step
        for place, ((_, colour), rate) in enumerate(zip(BARS, rates, strict=True)):
            if rate:
                picture.box(x + place * _BAR, y(rate), _BAR, _TOP + _HEIGHT - y(rate), colour)
        if limit:
            picture.line(x - 2, y(limit), x + len(BARS) * _BAR + 2, y(limit), stroke="black")
        # Names run downwards.
        place = f"{x + len(BARS) * _BAR / 2 + 3:g} {_TOP + _HEIGHT + 8:g}"
        picture.lines.append(f"<g transform='translate({place}) rotate(60)'>")
        picture.text(0, 0, name, size=9, anchor="start")
        picture.lines.append("</g>")
    picture.line(_LEFT, _TOP + _HEIGHT, width - 16, _TOP + _HEIGHT)
    return picture.svg()
