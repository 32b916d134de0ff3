# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""benchmarks/gpu/models: its statistics, and a rehearsal on the emulator."""

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

SCRIPT = GPU / "models"
FUSION_RUN = ROOT / "build" / "bin" / "fusion-run"


def test_judge():
    def sample(us, good, bad):
        return {"us": us, "models": {"good": good, "bad": bad, "none": None}}

    samples = [sample(10 + i, i, -i) for i in range(60)] + [{"error": "does not run"}, sample(None, 0, 0)]
    judged = script_modules.load_anew("models").judge(samples)
    assert set(judged) == {"good", "bad"}
    correlation, shares = judged["good"]
    assert correlation == pytest.approx(1) and shares == {1: 1, 8: 1, 50: 1}
    correlation, shares = judged["bad"]
    assert correlation == pytest.approx(-1)
    assert shares == {1: pytest.approx(10 / 69), 8: pytest.approx(10 / 62), 50: pytest.approx(10 / 20)}
    assert script_modules.load_anew("models").judge([{"error": "does not run"}]) == {}


@pytest.mark.skipif(not os.access(FUSION_RUN, os.X_OK), reason="fusion-run is not built")
def test_rehearsal(tmp_path):
    command = [sys.executable, SCRIPT, "--device=emulator", "--chip=sm_80", "--family=gemm_chains_mcfuser", "--case=G1",
               f"--results={tmp_path}", f"--fusion-run={FUSION_RUN}"]  # fmt: skip
    done = subprocess.run([*command, "--candidates=2"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    samples = json.loads((tmp_path / "models.json").read_text())["entries"]["gemm_chains_mcfuser/G1"]
    assert list(samples) == ["0", "1"]
    for sample in samples.values():
        assert sample["us"] > 0 and list(sample["models"]) == ["alcop", "chimera-obs2", "chimera-printed", "default", "mcfuser"]
        assert all(us > 0 for us in sample["models"].values())
    # It goes on where it stopped.
    done = subprocess.run([*command, "--candidates=3"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    more = json.loads((tmp_path / "models.json").read_text())["entries"]["gemm_chains_mcfuser/G1"]
    assert list(more) == ["0", "1", "2"] and more["0"] == samples["0"]
    assert "| all | `default` |" in done.stdout


@pytest.mark.skipif(not os.access(FUSION_RUN, os.X_OK), reason="fusion-run is not built")
def test_other_families(tmp_path):
    """Attention is ranked, a chain of convolutions too; a product with a vector is passed over."""
    for family, case, is_chain in (
        ("attention_mcfuser", "S7", True), ("conv_chains_chimera", "C4", True), ("operators_gta", "gemv_1000x2048", False),
    ):  # fmt: skip
        done = subprocess.run(
            [sys.executable, SCRIPT, "--device=emulator", "--chip=sm_80", f"--family={family}", f"--case={case}",
             f"--results={tmp_path}", f"--fusion-run={FUSION_RUN}", "--candidates=1"], capture_output=True, text=True,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        (sample,) = json.loads((tmp_path / "models.json").read_text())["entries"][f"{family}/{case}"].values()
        assert ("skipped" in sample) == (not is_chain), sample
        if is_chain:
            assert sample["us"] > 0 and sample["models"]["default"] > 0
