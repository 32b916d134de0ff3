# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Links between pages lead to files and headings that are there, and every page is reached from docs/README.md."""

import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md"))]
LINK = re.compile(r"\]\(([^)\s]+)\)")


def prose(text):
    """A page without its blocks and inline code."""
    return re.sub(r"`[^`\n]*`", "", re.sub(r"^(`{3,}).*?^\1`*$", "", text, flags=re.DOTALL | re.MULTILINE))


def anchors(page):
    """What GitHub makes of the page's headings."""
    text = re.sub(r"^(`{3,}).*?^\1`*$", "", page.read_text(), flags=re.DOTALL | re.MULTILINE)
    found = {}
    for heading in re.findall(r"^#+ (.*?)\s*$", text, re.MULTILINE):
        heading = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        anchor = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        found[anchor] = found.get(anchor, 0) + 1
    return {f"{anchor}-{n}" if n else anchor for anchor, count in found.items() for n in range(count)}


def links(page):
    """(path of the target, anchor or empty) of each link inside of the repository."""
    for link in LINK.findall(prose(page.read_text())):
        if not re.match(r"\w+:", link):
            target, _, anchor = link.partition("#")
            yield (page.parent / target).resolve() if target else page, anchor


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page):
    for target, anchor in links(page):
        assert target.exists(), target
        if anchor and target.suffix == ".md":
            assert anchor in anchors(target), f"{target.name}#{anchor}"


def test_every_page_is_reached():
    reached, waiting = set(), [ROOT / "docs" / "README.md"]
    while waiting:
        page = waiting.pop()
        if page not in reached:
            reached.add(page)
            waiting += [target for target, _ in links(page) if target.suffix == ".md" and target.exists()]
    assert {page for page in PAGES if page.is_relative_to(ROOT / "docs")} - reached == set()
