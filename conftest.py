# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What every Python test may ask for: where the build and LLVM's tools are."""

import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).parent


TIERS = ("smoke", "presubmit", "full", "nightly")


def pytest_addoption(parser):
    parser.addoption("--tier", choices=TIERS, default="presubmit", help="run the tests of this tier and those before it")
    parser.addini("fusion_build", "the build folder under test", default=str(ROOT / "build"))


def pytest_collection_modifyitems(config, items):
    """Leaves out what is marked with a later tier, or is in a folder of one, than the one that is asked for."""
    later = TIERS[TIERS.index(config.getoption("--tier")) + 1 :]

    def is_later(item):
        return any(item.get_closest_marker(tier) for tier in later)

    config.hook.pytest_deselected(items=[item for item in items if is_later(item)])
    items[:] = [item for item in items if not is_later(item)]


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
