# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The chip table's measurements without a GPU: what is collected, and what is said when one fails."""

import json
import pathlib
import subprocess
import sys

import pytest

GPU = pathlib.Path(__file__).parents[1] / "gpu"
sys.path.insert(0, str(GPU))

import chip_table  # noqa: E402


def make_programs(folder, failing=()):
    for program in chip_table.PROGRAMS:
        path = folder / program
        line = json.dumps({"name": f"{program}_number", "value": 1.5, "unit": "us"})
        end = "echo broken >&2; exit 1" if program in failing else "exit 0"
        path.write_text(f"#!/bin/sh\necho '{line}'\n{end}\n")
        path.chmod(0o755)


@pytest.mark.parametrize(
    "failing, capability, status",
    [((), "9.0", 0), (("Wgmma", "Bulk", "Clusters"), "8.0", 0), (("Wgmma",), "9.0", 1), (("Memory",), "8.0", 1)],
    ids=["all", "not Hopper", "error on Hopper", "error"],
)
def test_collects(tmp_path, monkeypatch, failing, capability, status):
    monkeypatch.setattr(chip_table.record, "gpu", lambda: {"name": "a GPU", "compute_cap": capability})
    make_programs(tmp_path, failing)
    assert chip_table.measure(tmp_path, tmp_path / "results") == status
    content = json.loads((tmp_path / "results" / "chip.json").read_text())
    assert content["numbers"]["Mma_number"] == {"value": 1.5, "unit": "us"}
    assert set(content["errors"]) == set(failing)
    assert all("broken" in error for error in content["errors"].values())


def test_wgmma_names_every_register():
    run = subprocess.run(
        [sys.executable, GPU / "microbenchmarks" / "generate_wgmma.py"],
        check=True,
        capture_output=True,
        text=True,
    )
    # Rate and latency, A in shared memory and in registers.
    for n, types in ((8, 1), (64, 4), (96, 1), (128, 4), (192, 1), (256, 4)):
        assert run.stdout.count(f"float d[{n // 2}]") == 4 * types
        assert f'"+f"(d[{n // 2 - 1}])' in run.stdout
    assert run.stdout.count("int d[32]") == 4 and "wgmma_m64n256k32_s8_rs_latency" in run.stdout


@pytest.mark.nightly
def test_builds(tmp_path):
    if not chip_table.find_nvcc():
        pytest.skip("no nvcc on PATH or under CUDA_HOME")
    chip_table.build(tmp_path)
    for program in chip_table.PROGRAMS:
        needed = subprocess.run(["readelf", "-d", tmp_path / program], capture_output=True, text=True)
        assert "libstdc++" not in needed.stdout and "libcudart" not in needed.stdout
