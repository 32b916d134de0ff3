# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The demo's report, with tools that only answer."""

import json
import pathlib
import subprocess
import sys

import pytest

SCRIPT = pathlib.Path(__file__).parents[1] / "show_workloads.py"

REPORT = {
    "entry": "G1",
    "chip": "sm_80",
    "device": "emulator",
    "pass": True,
    "max_abs_error": 0.001,
    "max_rel_error": None,
    "kernels": [
        {
            "name": "chain_0",
            "grid": [8, 1, 1],
            "block": [128, 1, 1],
            "cluster": [1, 1, 1],
            "dynamic_shared_memory": 49152,
            "schedule": "#fuse.schedule<x>",
            "predicted": {"us": 3.25, "global_load_bytes": 1234567, "global_store_bytes": 65536},
            "counters": {"global_load_bytes": 1234567, "global_store_bytes": 65536},
            "measured_us": None,
        }
    ],
    "sanitizer": [],
}


@pytest.fixture
def tools(tmp_path):
    """Fakes of the three tools; fusion-run copies a report and ends with a code of our choice."""
    folder = tmp_path / "bin"
    folder.mkdir()

    def fake(name, script):
        (folder / name).write_text(f"#!/bin/sh\n{script}\n")
        (folder / name).chmod(0o755)

    def make(report=REPORT, status=0, opt="echo lowered"):
        (folder / "report.json").write_text(json.dumps([report]))
        fake("fusion-opt", opt)
        fake("fusion-translate", "sed 's/^/ptx of /'")
        copy = f'for a in "$@"; do case "$a" in --json=*) cp {folder}/report.json "${{a#--json=}}";; esac; done'
        fake("fusion-run", f'echo "$@" > {folder}/arguments\n{copy}\necho "no device" >&2\nexit {status}')

    make()
    return folder, make


def run(tools, tmp_path, *arguments):
    run = subprocess.run(
        [sys.executable, SCRIPT, f"--tools={tools}", f"--output={tmp_path / 'demo'}", *arguments],
        capture_output=True,
        text=True,
    )
    assert "Traceback" not in run.stderr, run.stderr
    return run.returncode, run.stdout, run.stderr


def test_report(tools, tmp_path):
    status, text, _ = run(tools[0], tmp_path, "--force-fusion")
    assert status == 0
    assert text.count("kernel    chain_0") == 2
    for part in (
        "gemm_chains_mcfuser G1: 1x512x64, 1x64x256, 1x256x64 in f16, 33,554,432 flop",
        "schedule  #fuse.schedule<x>",
        "grid 8x1x1, block 128x1x1, shared memory 49,152 bytes",
        "predicted 3.25 us\n",
        "predicted 1,234,567, counted 1,234,567 bytes",
        "agrees; largest error 0.001 absolute, not known relative",
    ):
        assert part in text
    ptx = tmp_path / "demo" / "gemm_chains_chimera-G2-f16.ptx"
    assert ptx.read_text() == "ptx of lowered\n"
    assert "--force-fusion" in (tools[0] / "arguments").read_text()


def test_wrong_result(tools, tmp_path):
    tools[1]({**REPORT, "pass": False}, status=2)
    status, text, _ = run(tools[0], tmp_path)
    assert status == 1 and "DOES NOT AGREE" in text


@pytest.mark.parametrize("status", [1, 139])
def test_failing_run(tools, tmp_path, status):
    tools[1](status=status)
    code, _, errors = run(tools[0], tmp_path)
    assert code == 1 and "error: no device" in errors


def test_sanitizer_findings_are_no_success(tools, tmp_path):
    tools[1](status=3)
    assert run(tools[0], tmp_path)[0] == 1


def test_failing_compilation(tools, tmp_path):
    tools[1](opt="echo 'error: bad chip' >&2; exit 1")
    status, _, errors = run(tools[0], tmp_path)
    assert status == 1 and "bad chip" in errors


def test_missing_tool(tools, tmp_path):
    (tools[0] / "fusion-translate").unlink()
    status, _, errors = run(tools[0], tmp_path)
    assert status == 1 and "fusion-translate: No such file" in errors


@pytest.mark.parametrize("name", ["G1", "a/b/c", "gemm_chains_mcfuser/G99/f16"])
def test_unknown_workload(tools, tmp_path, name):
    status, _, errors = run(tools[0], tmp_path, name)
    assert status == 1 and errors.startswith("error: ")
