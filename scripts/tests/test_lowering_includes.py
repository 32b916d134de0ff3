# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lowering includes no cost model and nothing of the search: what these decide stands in #fuse.schedule."""

import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
LOWERING = [ROOT / tree / folder for tree in ("lib", "include/fusion") for folder in ("Conversion", "Dialect")]
# The analyses that lowering may include: what a group and its schedule are, what is legal, and what a block touches.
# Costs are none of it.
ROOMS = {"Chains", "Groups", "Legality", "Masks", "Online", "Resources", "Schedules", "Stitching"}
COSTS_OF_STITCHING = {"StitchBound.h", "StitchCost.h", "StitchTraffic.h"}


def included(path):
    """Headers of the project that a file names: fusion/…, or beside it."""
    for name in re.findall(r'^#include "([^"]+\.h)"', path.read_text(), re.MULTILINE):
        for found in (ROOT / "include" / name, path.parent / name):
            if found.is_file():
                yield found


def reached(paths):
    """Header → the file that includes it, of all that the files include, directly or not."""
    by, pending = {}, list(paths)
    while pending:
        path = pending.pop()
        for header in included(path):
            if header not in by:
                by[header] = path
                pending.append(header)
    return by


def test_lowering_includes_no_cost_model():
    files = [path for folder in LOWERING for path in folder.rglob("*") if path.suffix in (".h", ".cpp")]
    headers = {str(header.relative_to(ROOT)): by for header, by in reached(files).items()}
    analyses = {name: by for name, by in headers.items() if "/Analysis/" in name}
    assert "include/fusion/Analysis/Legality/ScheduleLegality.h" in analyses  # it is seen what is included
    costs = {name: by.name for name, by in analyses.items()
             if pathlib.Path(name).parent.name not in ROOMS or pathlib.Path(name).name in COSTS_OF_STITCHING}  # fmt: skip
    assert not costs, f"no analysis that lowering may ask: {costs}"
    searches = {name: by.name for name, by in headers.items() if "/Search/" in name or "/Tuning/" in name}
    assert not searches, f"lowering asks the search: {searches}"


def test_every_room_is_there():
    analyses = ROOT / "include" / "fusion" / "Analysis"
    assert {folder.name for folder in analyses.iterdir() if folder.is_dir()} - ROOMS == {"Cost"}
    assert all((analyses / "Stitching" / name).is_file() for name in COSTS_OF_STITCHING)
