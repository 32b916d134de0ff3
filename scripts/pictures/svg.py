# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A minimal SVG writer: rectangles, lines and text on a white ground. Lengths are in pixels."""

import html

FONT = "font-family='Helvetica, Arial, sans-serif'"
# Fill colours, light enough for black text.
COLOURS = ["#9ecae1", "#fdd0a2", "#a1d99b", "#dadaeb", "#fcbba1", "#ffeda0", "#c7e9c0", "#d9d9d9"]


class Picture:
    def __init__(self, width, height, title):
        self.width, self.height = width, height
        self.lines = [f"<title>{html.escape(title)}</title>", f"<rect width='{width}' height='{height}' fill='white'/>"]

    def box(self, x, y, width, height, fill, stroke="#555555"):
        place = f"x='{x:g}' y='{y:g}' width='{width:g}' height='{height:g}'"
        self.lines.append(f"<rect {place} fill='{fill}' stroke='{stroke}' stroke-width='0.8'/>")

    def text(self, x, y, text, size=12, anchor="middle", weight="normal", fill="black"):
        style = f"{FONT} font-size='{size:g}' text-anchor='{anchor}' font-weight='{weight}' fill='{fill}'"
        self.lines.append(f"<text x='{x:g}' y='{y:g}' {style}>{html.escape(text)}</text>")

    def line(self, x1, y1, x2, y2, stroke="#555555", dashed=False, arrow=False):
        extra = " stroke-dasharray='4 3'" if dashed else ""
        self.lines.append(f"<line x1='{x1:g}' y1='{y1:g}' x2='{x2:g}' y2='{y2:g}' stroke='{stroke}'{extra}/>")
        if arrow:  # a head that points down
            self.lines.append(
                f"<path d='M{x2 - 4:g} {y2 - 7:g} L{x2 + 4:g} {y2 - 7:g} L{x2:g} {y2:g} Z' fill='{stroke}'/>"
            )

    def svg(self):
        head = f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {self.width:g} {self.height:g}'"
        return f"{head} width='{self.width:g}' height='{self.height:g}'>\n" + "\n".join(self.lines) + "\n</svg>\n"
