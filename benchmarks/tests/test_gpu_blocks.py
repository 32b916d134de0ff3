# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""benchmarks/gpu/blocks: a rehearsal without a GPU."""

import json
import os
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture
def run(build_folder, tmp_path):
    pytest.importorskip("torch", reason="PyTorch is not installed")
    if not list((build_folder / "python" / "fusion").glob("_native*")):
        pytest.skip("the Python package was not built")

    def start(*arguments):
        return subprocess.run(
            [sys.executable, ROOT / "benchmarks" / "gpu" / "blocks", f"--results={tmp_path}", *arguments], text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": str(build_folder / "python"), "FUSION_CACHE_DIR": str(tmp_path / "cache")})

    return start


def test_rehearsal(run, tmp_path):
    done = run("--device=cpu", "--block=dien", "--dtype=f32")
    assert done.returncode == 0, done.stdout + done.stderr
    entries = json.loads((tmp_path / "blocks.json").read_text())["entries"]
    assert set(entries) == {"dien"} and set(entries["dien"]) == {"eager", "inductor", "fusion"}
    assert entries["dien"]["fusion"]["error"] < 1e-5 and entries["dien"]["fusion"]["us"] > 0
    assert "| dien | fusion |" in done.stdout


def test_errors(run):
    import torch

    done = run("--device=cpu", "--block=nothing")
    assert done.returncode == 1 and "no block nothing; known are bert, llama" in done.stderr
    if not torch.cuda.is_available():
        done = run()
        assert done.returncode == 1 and "PyTorch sees no CUDA device" in done.stderr
