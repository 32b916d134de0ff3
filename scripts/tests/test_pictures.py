# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The pictures of the documentation are what scripts/draw-pictures draws, and show what the pages and passes say."""

import itertools
import pathlib
import re
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

from pictures import layouts, pipeline, timelines  # noqa: E402


def test_pictures_are_current():
    done = subprocess.run([ROOT / "scripts" / "draw-pictures", "--check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_pictures_are_shown():
    pages = "".join(page.read_text() for page in (ROOT / "docs").rglob("*.md"))
    for picture in (ROOT / "docs" / "pictures").glob("*.svg"):
        assert f"pictures/{picture.name})" in pages, picture.name


@pytest.mark.parametrize("text", [layouts.FRAGMENT, layouts.SWIZZLE])
def test_layouts_are_those_of_the_page(text):
    assert f"    {text}\n" in (ROOT / "docs" / "layouts.md").read_text()


@pytest.mark.parametrize("text", [layouts.FRAGMENT, layouts.SWIZZLE, layouts.ROW])
def test_every_element_has_one_place(text):
    _, sizes = layouts.parse(text)
    found = sorted(coordinates for _, coordinates in layouts.elements(text))
    assert found == list(itertools.product(*map(range, sizes)))


def test_elements_of_the_accumulator():
    """The PTX ISA's figure of the accumulator of mma.m16n8k16: row lane / 4, and 8 more for registers 2 and 3."""
    for index, (row, column) in layouts.elements(layouts.FRAGMENT):
        lane, register = index["lane"], index["register"]
        assert (row, column) == (lane // 4 + 8 * (register // 2), 2 * (lane % 4) + register % 2)


def test_passes_of_the_pipeline():
    """The passes are run, in this order, by the pipeline."""
    source = (ROOT / "lib" / "Pipelines" / "Pipelines.cpp").read_text()
    run = [name.lower() for name in re.findall(r"addPass\((?:\w+::)*create(\w+)\(", source)]
    drawn = [name for _, _, passes in pipeline.LEVELS for name in passes if name != "fusion-translate"]
    places = [run.index(name.replace("-", "")) for name in drawn]
    assert places == sorted(places), drawn


def test_deadlocks_are_found():
    step = timelines.Step("waits", 1.0, "white", ["what never happens"])
    with pytest.raises(AssertionError, match="deadlock"):
        timelines.simulate({"agent": [step]})


def test_ping_pong_keeps_the_tensor_cores_to_one_warpgroup():
    agents = timelines.ordered_warpgroups(3)
    spans, _ = timelines.simulate(agents)
    busy = sorted(
        (begin, begin + step.length) for lane in spans.values() for step, begin in lane if step.fill == timelines.MMA
    )
    assert all(before[1] <= after[0] for before, after in itertools.pairwise(busy))
