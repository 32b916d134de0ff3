# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Schedules as text, parsed to be changed: Schedule(text), its fields, str(…)."""

import re

OPEN, CLOSE = "<{[(", ">}])"


def split(text):
    """The texts between the commas of the outermost level. "->" closes nothing."""
    parts, depth, quoted = [""], 0, False
    for at, letter in enumerate(text):
        quoted ^= letter == '"'
        if not quoted:
            depth += letter in OPEN
            depth -= letter in CLOSE and text[at - 1 : at + 1] != "->"
            if letter == "," and depth == 0:
                parts.append("")
                continue
        parts[-1] += letter
    assert depth == 0 and not quoted, text
    return [part.strip() for part in parts if part.strip()]


def fields(text):
    """`key = value, …` as a dictionary; what has no key has its number."""
    named = {}
    for number, part in enumerate(split(text)):
        key, equals, value = part.partition(" = ")
        named |= {key: value} if equals and re.fullmatch(r"\w+", key) else {number: part}
    return named


def written(named):
    return ", ".join(value if isinstance(key, int) else f"{key} = {value}" for key, value in named.items())


def find(module):
    """The places of all schedules in a module, as pairs of a beginning and an end."""
    for found in re.finditer(r"schedule = (?=#fuse\.schedule<)", module):
        depth, end = 0, module.index("<", found.end())
        while True:
            depth += module[end] == "<"
            depth -= module[end] == ">" and module[end - 1] != "-"
            end += 1
            if depth == 0:
                break
        yield found.end(), end


class Schedule:
    """`sections`: name → its fields; those of dictionaries inside of a section are texts, see `inner`."""

    def __init__(self, text):
        assert text.startswith("#fuse.schedule<") and text.endswith(">"), text
        self.sections = {key: fields(value[1:-1]) if value.startswith("<") else value
                         for key, value in fields(text[len("#fuse.schedule<") : -1]).items()}  # fmt: skip

    def __str__(self):
        texts = {key: f"<{written(value)}>" if isinstance(value, dict) else value for key, value in self.sections.items()}
        return f"#fuse.schedule<{written(texts)}>"

    def section(self, name):
        return self.sections.setdefault(name, {0: "{}"} if name in ("pipeline", "parallel") else {})

    def inner(self, name, key=0):
        """The dictionary of a section."""
        return fields(self.section(name).get(key, "{}")[1:-1])

    def set(self, name, key, value):
        """A field of a section, a dictionary or a text; of None it goes."""
        if value is None:
            self.section(name).pop(key, None)
        else:
            self.section(name)[key] = "{" + written(value) + "}" if isinstance(value, dict) else str(value)


def loads_in_loops(schedule):
    """The operands that a tiling loads in loops of its own, not only in those of the grid."""
    tiling = schedule.section("tiling")[0].strip('"')
    blocks = re.findall(r'"(\w+)"', schedule.section("mapping").get("blocks", ""))
    loops, axes, found = [], [], []
    for word in re.findall(r"[a-z]\d*|[A-Z][A-Z]\d*|[(),]", tiling):
        if word == "(":
            loops.append(axes)
            axes = []
        elif word == ")":
            loops.pop()
        elif word[0].islower():
            axes.append(word)
        elif word[0] == "L" and any(axis not in blocks for level in loops for axis in level):
            found.append(word[1:])
    return found
