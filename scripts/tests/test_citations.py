# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Citations in comments and documentation: sections that the papers have, and files that are in the repository."""

import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
FOLDERS = ["lib", "include", "docs", "tools", "unittests", "benchmarks", "python"]
SUFFIXES = {".h", ".cpp", ".td", ".md", ".py", ".inc"}


def sections(*numbers):
    """Sections with their subsections: ("III", 3) is III, III-A, III-B, III-C, and (4, 2) is 4, 4.1, 4.2."""
    for number, count in numbers:
        yield str(number)
        for index in range(count):
            yield f"{number}.{index + 1}" if isinstance(number, int) else f"{number}-{chr(ord('A') + index)}"


# Name before a section number → the sections that exist.
SOURCES = {
    "FusionStitching": set(sections((1, 0), (2, 3), (3, 2), (4, 5), (5, 4), (6, 0), (7, 5))),
    "MCFuser": set(sections(("I", 0), ("II", 2), ("III", 3), ("IV", 2), ("V", 2), ("VI", 5), ("VII", 0), ("VIII", 0))),
    "ALCOP": set(sections(("I", 0), ("II", 2), ("III", 2), ("IV", 3), ("V", 5))),
    "GTA": set(sections((1, 0), (2, 4), (3, 0), (4, 2), (5, 0), (6, 0), (7, 7), (8, 0), (9, 0))),
    "FlashAttention-3": set(sections((1, 0), (2, 2), (3, 3), (4, 3), (5, 0))),
    "Knuth": {"6.4"},
    "Report": {"3.3.2"},  # the DeepSeek-V3 Technical Report
}
SECTION = re.compile(r"[Ss]ections? ([IVX]+(?:-[A-Z])?\b|\d+(?:\.\d+)*)")
NAME = re.compile("|".join(re.escape(name) for name in SOURCES))
IN_FRONT = re.compile(r"([A-Z][\w-]*)(?:'s)?,? \(?$")


def files():
    yield ROOT / "README.md"
    for folder in FOLDERS:
        yield from sorted(path for path in (ROOT / folder).rglob("*") if path.suffix in SUFFIXES and path.is_file())


def text_of(path):
    """A file as one line, without the marks that comments begin with."""
    return re.sub(r"\s*\n\s*(?:/{2,}[!<]?|#)?\s*", " ", path.read_text())


def wrong_sections(text):
    """Sections that are cited in a text and that the source does not have, or whose source is not known. The source is
    the capitalised word in front of the section, else any that the text names."""
    named = set(NAME.findall(text))
    for match in SECTION.finditer(text):
        before = text[: match.start()]
        word = IN_FRONT.search(before)
        clause = set(NAME.findall(before[-60:]))
        candidates = {word[1]} if word else clause or named
        if not any(match[1] in SOURCES.get(name, ()) for name in candidates):
            yield before[-60:] + match[0]


def test_cited_sections_exist():
    wrong = {str(path.relative_to(ROOT)): found for path in files() if (found := list(wrong_sections(text_of(path))))}
    assert not wrong


@pytest.mark.parametrize("text", [
    "// FusionStitching's latency evaluator (section V-C)", "(DIGEST, section 3)", "as in MCFuser section III-D",
    "the delta evaluator of section 5.4"])  # fmt: skip
def test_what_is_wrong_is_found(text):
    assert list(wrong_sections(text))


def test_pages_that_are_named_exist():
    """`NAME.md` in a comment of the compiler or a page is a file of the repository, or one that a benchmark writes."""
    known = {path.name for path in ROOT.rglob("*.md") if "build" not in path.relative_to(ROOT).parts[0]}
    for path in (ROOT / "benchmarks").rglob("*"):
        if path.is_file() and path.suffix in ("", ".py"):
            known |= set(re.findall(r'"(?:[^"]*/)?([\w-]+\.md)"', path.read_text()))
    missing = {(str(path.relative_to(ROOT)), name) for path in files() if path.parts[len(ROOT.parts)] != "benchmarks"
               for name in re.findall(r"[\w-]+\.md\b", path.read_text()) if name not in known}  # fmt: skip
    assert not missing
