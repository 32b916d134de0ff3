# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tests of the front end need PyTorch (the CPU is enough)."""

import logging
import os
import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))


@pytest.fixture(scope="session")
def front(fusion):
    """`fusion.torch`."""
    torch = pytest.importorskip("torch", reason="PyTorch is not installed")
    # A worker's two cores are for the emulator's threads or for PyTorch's, not for both.
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # of processes that tests start
    torch.set_num_threads(1)
    import fusion.torch

    logging.getLogger("fusion.torch").setLevel(logging.ERROR)
    # PyTorch traces into any handler that there is, and pytest has one.
    logging.getLogger("torch.__trace").disabled = True
    return fusion.torch


@pytest.fixture(params=["host", pytest.param("sm_80", marks=pytest.mark.full)])
def chip(request):
    """Models run on the CPU. In the tier `full`, they run on the emulator, too."""
    return request.param


@pytest.fixture
def run_compiled(front, tmp_path, chip):
    """Compiles a model with the backend, runs it, and gives results and a report; a part
    that does not compile is an error."""
    import torch

    def run(model, *inputs, **options):
        torch._dynamo.reset()
        report = front.Report()
        compiled = torch.compile(model, backend=front.backend, options={
            "strict": True, "cache_dir": str(tmp_path / "cache"), "report": report, "chip": chip, **options})
        with torch.no_grad():
            return compiled(*inputs), report

    yield run
    torch._dynamo.reset()
