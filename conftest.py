# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What every Python test may ask for: where the build and LLVM's tools are."""

import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).parent


# A test is of the tier presubmit, unless it has the mark of another one.
TIERS = ("smoke", "presubmit", "full", "nightly")
DEFAULT_TIER = "presubmit"


def pytest_addoption(parser):
    parser.addoption("--tier", choices=TIERS, default=DEFAULT_TIER, help="run the tests of this tier and of those before it")
    parser.addoption("--part", default="1/1", help="the number of the part of the tests to run, from 1, and the number of parts")
    parser.addini("fusion_build", "the build folder under test", default=str(ROOT / "build"))


def tier_of(item):
    """The mark that is closest to a test: its parameters' before its own, its own before its module's."""
    marks = [mark.name for mark in item.iter_markers() if mark.name in TIERS]
    return marks[0] if marks else DEFAULT_TIER


def pytest_collection_modifyitems(config, items):
    """Leaves the tests of the tier that is asked for and of those before it, and of them one part."""
    last = TIERS.index(config.getoption("--tier"))
    kept = [item for item in items if TIERS.index(tier_of(item)) <= last]
    number, count = map(int, config.getoption("--part").split("/"))
    # Neighbours take about as long as one another; few fixtures are shared by the tests of a module, and those are cheap.
    chosen = kept[number - 1 :: count]
    left_out = set(items).difference(chosen)
    config.hook.pytest_deselected(items=[item for item in items if item in left_out])
    items[:] = chosen


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
