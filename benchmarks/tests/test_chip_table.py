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
    "failing, status", [((), 0), (("Wgmma",), 0), (("Memory",), 1)], ids=["all", "no wgmma", "error"]
)
def test_collects(tmp_path, failing, status):
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
    for n in (64, 128, 192, 256):
        assert run.stdout.count(f"float d[{n // 2}]") == 2
        assert f'"+f"(d[{n // 2 - 1}])' in run.stdout


@pytest.mark.nightly
def test_builds(tmp_path):
    if not chip_table.find_nvcc():
        pytest.skip("no nvcc on PATH or under CUDA_HOME")
    chip_table.build(tmp_path)
    for program in chip_table.PROGRAMS:
        needed = subprocess.run(["readelf", "-d", tmp_path / program], capture_output=True, text=True)
        assert "libstdc++" not in needed.stdout and "libcudart" not in needed.stdout
