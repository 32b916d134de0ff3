# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What every Python test may ask for: where the build and LLVM's tools are."""

import collections
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).parent


# A test is of the tier presubmit, unless it has the mark of another one.
TIERS = ("smoke", "presubmit", "full", "nightly")
DEFAULT_TIER = "presubmit"


def pytest_addoption(parser):
    parser.addoption("--tier", choices=TIERS, default=DEFAULT_TIER, help="run the tests of this tier and of those before it")
    parser.addoption("--part", default="1/1", help="of so many parts of the tests the one of this number, from 1")
    parser.addini("fusion_build", "the build folder under test", default=str(ROOT / "build"))


def tier_of(item):
    """The mark that is closest to a test: its parameters' before its own, its own before its module's."""
    marks = [mark.name for mark in item.iter_markers() if mark.name in TIERS]
    return marks[0] if marks else DEFAULT_TIER


def parts_of(items, count):
    """Numbers of parts, one for each test: those of a module share their fixtures, so that a module is in one part unless it has
    more tests than a part."""
    modules = collections.Counter(item.path for item in items)
    sizes, part_of_module, parts = [0] * count, {}, []
    for item in items:
        module = item.path
        if modules[module] * count > len(items):
            part = sizes.index(min(sizes))
        else:
            part = part_of_module.setdefault(module, sizes.index(min(sizes)))
        sizes[part] += 1
        parts.append(part)
    return parts


def pytest_collection_modifyitems(config, items):
    """Leaves the tests of the tier that is asked for and of those before it, and of them one part."""
    last = TIERS.index(config.getoption("--tier"))
    kept = [item for item in items if TIERS.index(tier_of(item)) <= last]
    number, count = map(int, config.getoption("--part").split("/"))
    kept = [item for item, part in zip(kept, parts_of(kept, count), strict=True) if part == number - 1]
    chosen = set(kept)
    config.hook.pytest_deselected(items=[item for item in items if item not in chosen])
    items[:] = kept


@pytest.fixture(scope="session")
def build_folder(request):
    return pathlib.Path(request.config.getini("fusion_build"))


@pytest.fixture(scope="session")
def llvm_tools():
    """The folder of mlir-opt, FileCheck and so on."""
    answer = subprocess.run(
        ["llvm-config-22", "--bindir"], check=True, capture_output=True, text=True
    )
    return pathlib.Path(answer.stdout.strip())
