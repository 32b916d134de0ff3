# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What every Python test may ask for: where the build and LLVM's tools are."""

import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).parent


def pytest_addoption(parser):
    parser.addini("fusion_build", "the build folder under test", default=str(ROOT / "build"))


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
