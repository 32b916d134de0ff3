# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The counts of kernels in docs/pytorch-blocks.md, for the tests that count them again."""

import pathlib
import re

ROOT = pathlib.Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "pytorch-blocks.md").read_text()
LAUNCHES = r"(\d+) \+ (\d+) = (\d+)"


def version():
    """The version of PyTorch that the page's counts are of."""
    return re.search(r"are those of PyTorch (\d+\.\d+),", PAGE)[1]


def other_version():
    """Why counts of this PyTorch need not be the page's, or None."""
    import torch

    if torch.__version__.startswith(version() + "."):
        return None
    return f"docs/pytorch-blocks.md has the counts of PyTorch {version()}, this is {torch.__version__}"


def _launches(triton, libraries, total):
    assert int(triton) + int(libraries) == int(total)
    return int(triton), int(libraries)


def small():
    """Name of a block → (operators, our kernels, TorchInductor's (Triton kernels, calls of libraries))."""
    rows = re.findall(rf"^\| (\w+): [^|]* \| (\d+) \| (\d+) \| {LAUNCHES} \|$", PAGE, re.MULTILINE)
    return {name: (int(operators), int(kernels), _launches(*theirs)) for name, operators, kernels, *theirs in rows}


def real():
    """Name of a block → of each target, (our kernels, TorchInductor's) as in `small`."""
    cell = rf" (\d+) \| {LAUNCHES} \|"
    rows = re.findall(rf"^\| (\w+): [^|]* \|{3 * cell}$", PAGE, re.MULTILINE)
    return {name: [(int(cells[at]), _launches(*cells[at + 1 : at + 4])) for at in (0, 4, 8)] for name, *cells in rows}
