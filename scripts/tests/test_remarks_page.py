# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""docs/remarks.md has the names of all remarks."""

import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "remarks.md").read_text()

# The category and the name are the second and the third argument; the first may be a call.
DIRECT = re.compile(r'\b(?:remark(?:Missed|Passed|Analysis)|emitRemark)\(\s*(?:[\w:]+,\s*)?[\w.()\[\] +]+,\s*(?:"(\w+)"|kCategory),\s*"([\w-]+)"')
EITHER = re.compile(r'\bremarkEither\(\w+, [\w.> ]+, "([\w-]+)", "([\w-]+)"')


def emitted():
    """(category, name) of the sources; kCategory is "fuse"."""
    found = set()
    for path in (ROOT / "lib").rglob("*.cpp"):
        text = path.read_text()
        found |= {(category or "fuse", name) for category, name in DIRECT.findall(text)}
        found |= {("fuse", name) for names in EITHER.findall(text) for name in names}
    return found


def listed():
    """(category, name) of the page's tables: each category of a row with each of its names."""
    rows = re.findall(r"^\| (`[a-z`, ]+`) \| (`[a-z`, -]+`) \|", PAGE, re.MULTILINE)
    of = re.compile(r"`([\w-]+)`")
    return {(category, name) for categories, names in rows for category in of.findall(categories) for name in of.findall(names)}


def test_names_of_remarks():
    assert len(emitted()) > 40
    assert listed() == emitted()
