# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The package of the build under test; where it was not built, its tests are skipped."""

import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))


@pytest.fixture(scope="session")
def fusion(build_folder):
    package = build_folder / "python"
    if not list((package / "fusion").glob("_native*")):
        pytest.skip("the Python package was not built (nanobind or Python's headers are missing)")
    if str(package) not in sys.path:
        sys.path.insert(0, str(package))
    import fusion

    return fusion
