# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The parts of the two calls one by one: outcomes, deadlines, the archive, phases, the judgement of timings, the summary."""

import pathlib
import subprocess
import sys
import tempfile
import time
import types

import pytest

GPU = pathlib.Path(__file__).parents[1] / "gpu"
sys.path.insert(0, str(GPU))

numpy = pytest.importorskip("numpy")

from calls import (  # noqa: E402
    archive,
    children,
    deadline,
    input_files,
    journal,
    package,
    phases,
    program,
    report,
    timings,
)
from preparation import packing  # noqa: E402


def test_outcomes():
    def ended(code, err=""):
        return children.outcome(children.Ended(code, 3.0, "", err))

    assert ended(0) == ("pass", "") and ended(None)[0] == "hung" and ended(2)[0] == "wrong" and ended(3)[0] == "wrong"
    for message in (
        "CUDA_ERROR_LAUNCH_FAILED (719): unspecified launch failure",
        "CUDA_ERROR_ILLEGAL_ADDRESS: an illegal memory access",
        "kernel 'k': trap at line 17",
        "CUDA_ERROR_MISALIGNED_ADDRESS (716): misaligned address",
    ):
        assert ended(1, f"warning: nothing\nerror: {message}\n") == ("trapped", f"error: {message}")
    assert ended(1, "error: CUDA_ERROR_LAUNCH_TIMEOUT (702): the launch timed out") == (
        "hung",
        "error: CUDA_ERROR_LAUNCH_TIMEOUT (702): the launch timed out",
    )
    assert ended(1, "error: no such file")[0] == "crashed" and ended(-6, "abort")[1] == "SIGABRT: abort"


class Peers:
    """Stands for the PyTorch worker in `Check`."""

    missing = None

    def __init__(self, **answer):
        self.answer = answer

    def ask(self, request, limit):
        assert request["do"] == "check" and len(request["outputs"]) == 1
        return self.answer


@pytest.mark.parametrize(
    "right, before, after", [(True, "pass", "pass"), (False, "pass", "wrong"), (True, "hung", "hung")]
)
def test_pytorch_judges_timings(tmp_path, right, before, after):
    answer = {"ok": True, "pass": right, "max_abs_error": 0.5, "max_rel_error": 2.0}
    entry = {"family": "gemm_chains_mcfuser", "case": "G1", "dtype": "f16", "overrides": {}}
    check = timings.Check(types.SimpleNamespace(peers=Peers(**answer)), entry)
    result = {"outcome": before, "message": "no end"}
    check.judge(result, [tmp_path / "f.result0.npy"], 1.0)
    assert (result["outcome"], result["checked"], result["max_abs_error"]) == (after, True, 0.5)
    assert before != "hung" or result["message"] == "no end; PyTorch finds its results right"
    check = timings.Check(types.SimpleNamespace(peers=Peers(ok=False, error="no answer within 1 s")), entry)
    result = {"outcome": before, "message": ""}
    check.judge(result, [tmp_path / "f.result0.npy"], 1.0)
    assert (result["outcome"], result["checked"], result["message"]) == (
        before,
        False,
        "not checked: no answer within 1 s",
    )


def test_deadline_keeps_a_reserve():
    now = [0.0]
    one = deadline.Deadline(100, clock=lambda: now[0])
    now[0] = 90.0
    assert one.left() == 100 - 90 - deadline.RESERVE
    assert deadline.Deadline(5, clock=lambda: 0.0).left() == 4.0


def test_archive_is_whole_and_bounded(tmp_path, monkeypatch):
    path = tmp_path / "results.tar"
    assert archive.read(path) == {}
    assert archive.write(path, {"a.json": b"1"}) == []
    monkeypatch.setattr(archive, "MOST_BYTES", 5000)
    assert archive.write(path, {"a.json": b"2", "large": bytes(6000), "b": bytes(100)}) == ["large"]
    assert archive.read(path)["a.json"] == b"2" and archive.read(path)["LEFT_OUT"] == b"large\n"
    assert not list(tmp_path.glob("*.partial"))
    path.write_bytes(b"no tar")
    assert archive.read(path) == {}


def test_spare_time_is_left_to_later_phases(tmp_path):
    clock = [0.0]

    def run(limit):
        clock[0] += 2
        return {"outcome": "pass", "message": ""}

    units = [phases.Unit(f"u{number}", run) for number in range(10)]
    one = journal.Journal(tmp_path, 1, "f")
    runner = phases.Runner(one, deadline.Deadline(13, clock=lambda: clock[0]), lambda text: None)
    assert not runner.run(phases.Phase("first", units[:5], spare=4))
    assert [unit["outcome"] for unit in one.units("first").values()] == ["pass"] * 3 + ["left"] * 2
    runner.run(phases.Phase("second", units[5:]))
    assert [unit["outcome"] for unit in one.units("second").values()].count("pass") == 2


def test_cached_ptxas(tmp_path):
    cubins, ptx = tmp_path / "cubins", ".version 8.0\n.target sm_90a\n"
    cubins.mkdir()
    (cubins / package.cubin_name(ptx, "sm_90a")).write_bytes(b"code")
    (tmp_path / "k.ptx").write_text(ptx)
    real = tmp_path / "real"
    real.write_text("#!/bin/sh\necho real $*\n")
    real.chmod(0o755)
    tool = package.write_ptxas(tmp_path / "tools", cubins, real)
    known = subprocess.run(
        [tool, "-arch=sm_90a", "-o", tmp_path / "k.cubin", tmp_path / "k.ptx"], capture_output=True, text=True
    )
    assert known.returncode == 0 and known.stdout == "" and (tmp_path / "k.cubin").read_bytes() == b"code"
    other = subprocess.run(
        [tool, "-arch=sm_90", "-o", tmp_path / "k.cubin", tmp_path / "k.ptx"], capture_output=True, text=True
    )
    assert other.stdout.startswith("real -arch=sm_90")
    none = package.write_ptxas(tmp_path / "none", cubins, None)
    assert subprocess.run([none, "-v"], capture_output=True).returncode == 1
    assert packing.arch_of(".target sm_90a") == "sm_90a" and packing.arch_of(".target sm_89") == "sm_90"


class InputsOfPeers:
    """Stands for the PyTorch worker that makes inputs."""

    def __init__(self, missing=None, ok=True):
        self.missing, self.ok, self.asked = missing, ok, []

    def ask(self, request, limit):
        assert request["do"] == "inputs"
        self.asked.append(request)
        return {"ok": self.ok, "error": "out of memory"}


def test_inputs_of_a_workload_are_made_once(tmp_path):
    entries = [{"family": "gemm_chains_mcfuser", "case": case, "dtype": "f16", "overrides": {}} for case in ("G1", "G2")]
    one, other = (timings.workload_of(entry) for entry in entries)
    peers = InputsOfPeers()
    files = input_files.InputFiles(types.SimpleNamespace(peers=peers, scratch=tmp_path))
    found = files.options("gemm_chains_mcfuser", one, 1.0)
    assert found == [f"--input={number}:{tmp_path}/inputs/input{number}.npy" for number in range(3)]
    assert files.options("gemm_chains_mcfuser", one, 1.0) == found and len(peers.asked) == 1, "of its variants"
    (tmp_path / "inputs" / "input0.npy").write_text("")
    files.options("gemm_chains_mcfuser", other, 1.0)
    assert len(peers.asked) == 2 and not list((tmp_path / "inputs").iterdir()), "the others' are removed"


def test_inputs_without_pytorch(tmp_path):
    """fusion-run draws them, unless their range is PyTorch's to choose."""
    entry = {"family": "gemm_chains_mcfuser", "case": "G1", "dtype": "f16", "overrides": {}}
    floats = timings.workload_of(entry)
    entry = {"family": "stitch_patterns", "case": "cross_entropy_4096x768", "dtype": "f16", "overrides": {}}
    integers = timings.workload_of(entry)

    def options(workload, **peers):
        context = types.SimpleNamespace(peers=InputsOfPeers(**peers), scratch=tmp_path)
        return input_files.InputFiles(context).options("", workload, 1.0)

    assert options(floats, missing="no torch") == [] and options(integers, missing="no torch") == []
    assert options(floats, ok=False) == []
    with pytest.raises(RuntimeError, match="inputs: out of memory"):
        options(integers, ok=False)


def test_phases_leave_time():
    assert timings.spare_of("headlines", 360) == 0 and timings.spare_of("drawn", 720) == timings.FOR_PROFILES
    assert timings.spare_of("variants", 36) == pytest.approx(13.0), "a tenth of the call, a tenth of the time"
    assert set(timings.PHASES) == {"drawn", *report.TIMINGS}


def test_predictions_of_families():
    def unit(us, predicted):
        return {"outcome": "pass", "us": us, "predicted_us": predicted}

    names = ("stitch_patterns:a/f16", "stitch_patterns:b/f16", "stitch_patterns:c/f16", "decode:d/f16")
    units = {f"{name} chosen": unit(us, 10 * us if us < 3 else 1.0) for us, name in enumerate(names, 1)}
    lines = "\n".join(report.ranks({"phases": {"patterns": units}}))
    assert "| stitch_patterns, chosen | 3 | -0.50 |" in lines and "| decode, chosen" not in lines
    assert "| all workloads, chosen | 4 |" in lines


def test_rates_and_launches_in_the_summary():
    kernel = {"grid": [128, 1, 1], "cluster": [8, 1, 1]}
    unit = {
        "outcome": "pass",
        "us": 200.0,
        "flops": 2 * 4096**3,
        "kernels": [kernel, {"grid": [4, 2, 1], "cluster": None}],
    }
    assert report.rate_of(unit) == "687 TFLOP/s" and report.launches_of(unit) == "128 by 8, 8"
    assert report.rate_of({"outcome": "pass", "us": 50.0, "flops": None, "bytes": 134e6}) == "2680 GB/s"
    assert report.rate_of({"outcome": "wrong", "us": 1.0, "flops": 1}) == ""
    row = report.row_of("w", "chosen", unit | {"predicted_us": 100.0}, {"eager": 300.0, "triton": 250.0})
    assert row[2:7] == ["200.00", "triton 250.00, eager 300.00", "1.25", "100.00", "2.00"] and row[-1] == "unchecked"


def test_scratch_folder(tmp_path, monkeypatch):
    free = [8 << 30]
    monkeypatch.setattr(program.shutil, "disk_usage", lambda path: types.SimpleNamespace(free=free[0]))
    assert program.scratch_folder(tmp_path) == tmp_path
    free[0] = 64 << 20
    assert program.scratch_folder(tmp_path) == pathlib.Path(tempfile.gettempdir())


def test_summary_of_nothing():
    text = report.summary([{"call": 2, "package": "p", "machine": {}, "runs": [], "phases": {}}])
    assert "Nothing that was tried." in text and "Nothing was timed." in text


def test_units_of_one_kind_run_one_after_the_other(tmp_path):
    """Others run at the same time, and units that trapped are not tried again."""
    running, most, together = [], [0], []

    def unit(name, kind, outcome="pass"):
        def run(limit):
            running.append(kind)
            most[0] = max(most[0], len(running))
            together.append(running.count(kind))
            time.sleep(0.05)
            running.remove(kind)
            return {"outcome": outcome, "attached": {f"wrong/{name}.txt": b"text"}}

        return phases.Unit(name, run, kind, estimate=0.0)

    units = [unit(f"{kind}{number}", kind, "trapped" if kind == "c" else "pass") for kind in "abc" for number in range(3)]
    book = journal.Journal(tmp_path, 1, "f")
    runner = phases.Runner(book, deadline.Deadline(60.0), lambda text: None)
    assert runner.run(phases.Phase("features", units, workers=3))
    assert most[0] > 1 and set(together) == {1}
    outcomes = {name: result["outcome"] for name, result in book.units("features").items()}
    assert list(outcomes.values()).count("pass") == 6
    assert [outcomes[f"c{number}"] for number in range(3)] == ["trapped", "skipped", "skipped"]
    assert book.members["call1/wrong/a0.txt"] == b"text"


@pytest.mark.parametrize("seconds", ["0", "-5", "nan", "inf", "soon"])
def test_wrong_seconds(seconds):
    done = subprocess.run([sys.executable, GPU / "run", "--call=1", f"--seconds={seconds}"], capture_output=True, text=True)
    assert done.returncode == 2 and "--seconds" in done.stderr


def test_the_working_tree_counts(tmp_path):
    tree = tmp_path / "tree"
    tree.mkdir()
    with pytest.raises(RuntimeError, match="of the working tree at most"):
        packing.pack(tree, None, {}, tmp_path / "prepared", beside=package.MOST_BYTES)
    assert packing.tracked_bytes(tmp_path) == 0
