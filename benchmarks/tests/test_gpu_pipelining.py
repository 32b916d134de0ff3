# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""benchmarks/gpu/pipelining: a rehearsal on the emulator, and its statistics."""

import json
import os
import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
GPU = ROOT / "benchmarks" / "gpu"
sys.path.insert(0, str(GPU))

import script_modules  # noqa: E402

SCRIPT = GPU / "pipelining"
FUSION_RUN = ROOT / "build" / "bin" / "fusion-run"


def test_correlation():
    correlation = script_modules.load_anew("pipelining").correlation
    assert correlation([1, 2, 3], [10, 20, 30]) == pytest.approx(1)
    assert correlation([1, 2, 3], [3, 2, 1]) == pytest.approx(-1)
    # Two that tie share their mean: ranks 0, 1.5, 1.5, 3 against 0, 1, 2, 3.
    assert correlation([1, 2, 2, 3], [1, 2, 3, 4]) == pytest.approx(4.5 / (4.5 * 5) ** 0.5)
    assert correlation([1, 1], [1, 2]) is None


@pytest.mark.skipif(not os.access(FUSION_RUN, os.X_OK), reason="fusion-run is not built")
def test_rehearsal(tmp_path):
    command = [sys.executable, SCRIPT, "--device=emulator", "--chip=sm_80", "--family=gemm_chains_mcfuser", "--case=G1",
               f"--results={tmp_path}", f"--fusion-run={FUSION_RUN}"]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    entries = json.loads((tmp_path / "pipelining.json").read_text())["entries"]
    assert list(entries) == ["gemm_chains_mcfuser/G1"]
    levels = entries["gemm_chains_mcfuser/G1"]
    assert list(levels) == ["none", "two-stage", "multi-stage", "multi-level"]
    assert all(level["pass"] and level["measured_us"] is None for level in levels.values())
    # A larger space has no worse best schedule.
    predicted = [level["predicted_us"] for level in levels.values()]
    assert predicted == sorted(predicted, reverse=True) and predicted[-1] < predicted[0]
    # What is in the results is not repeated.
    before = (tmp_path / "pipelining.json").stat().st_mtime_ns
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0 and (tmp_path / "pipelining.json").stat().st_mtime_ns == before


def test_without_a_gpu():
    done = subprocess.run([sys.executable, SCRIPT, "--case=G1"], capture_output=True, text=True,
                          env={**os.environ, "PATH": "/usr/bin:/bin"})  # fmt: skip
    if done.returncode == 0:
        pytest.skip("there is a GPU")
    assert done.returncode == 1 and "no GPU" in done.stderr
