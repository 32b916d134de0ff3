# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""benchmarks/timing/against_published: the list of measurements, tables, and one kernel of each builder."""

import dataclasses
import importlib.machinery
import importlib.util
import pathlib
import shutil
import sys

import pytest

pytest.importorskip("numpy")

TIMING = pathlib.Path(__file__).resolve().parents[1] / "timing"
sys.path.insert(0, str(TIMING))

import published  # noqa: E402
import published_kernels  # noqa: E402
import published_schedules  # noqa: E402

ENTRIES, RATIOS, SOURCES = published.load()


@pytest.fixture(scope="module")
def program():
    loader = importlib.machinery.SourceFileLoader("against_published", str(TIMING / "against_published"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("against_published", loader))
    loader.exec_module(module)
    return module


def entry(name):
    (found,) = (one for one in ENTRIES if one.id == name)
    return found


def test_sources():
    assert {one.source for one in (*ENTRIES, *RATIOS)} == set(SOURCES)
    for source in SOURCES.values():
        assert source["url"].startswith("https://") and source["title"] and source["gpu"] and source["conditions"]
        assert ("launch_us" in source) == ("launch_source" in source)


def test_entries():
    assert len({one.id for one in ENTRIES}) == len(ENTRIES) >= 30
    families = {}
    for one in ENTRIES:
        families.setdefault(one.family, []).append(one.held_out)
        assert one.kernel.split(":")[0] in ("sgemm", "gemm_sm90", "triton") and 1e-6 < one.seconds < 1
    assert len(families) >= 4
    # Every second one of a family is held out.
    assert all(held == [i % 2 == 1 for i in range(len(held))] for held in families.values())


def test_seconds():
    # 2 * 4096^3 operations at 309 GFLOP/s; 4 * 16 * 32 * 512^2 * 128 at 328.882 TFLOP/s.
    assert entry("sgemm naive").seconds == pytest.approx(0.44479, rel=1e-4)
    assert entry("triton 06 32x16x512").seconds == pytest.approx(2.0893e-4, rel=1e-4)
    assert entry("rms_norm sm_80 1024").seconds == pytest.approx(13.6e-6)


def test_ratios():
    known = {one.id for one in ENTRIES} | set(published_schedules.SCHEDULES)
    for ratio in RATIOS:
        assert len(ratio.of) == 2 and set(ratio.of) <= known and ratio.value > 1
    assert [ratio.value for ratio in RATIOS[-2:]] == pytest.approx([661 / 582, 661 / 570])


def test_tables(program):
    known = {one.id: {"us": one.seconds * 1e6 * (0.8 if one.held_out else 1.1)} for one in ENTRIES}
    known |= {"attention overlap specialized": {"us": 10}, "attention specialized": {"us": 11}}
    lines = program.summary(ENTRIES, known).splitlines()
    assert "| matmul f32 | 8 | 0.98 | 15 % | 20 % | 0.95 |" in lines[2]
    assert lines[-2].startswith("| held out | 29 |") and lines[-2].endswith("| 20 % | 20 % | 0.80 |")
    assert len(program.details(ENTRIES, known).splitlines()) == len(ENTRIES) + 2
    assert "| FlashAttention-3 over no GEMM-softmax overlap | 1.14 | 1.10 |" in program.ratios_table(RATIOS, known)


def test_missing_tools(program, monkeypatch, tmp_path):
    found = program.time_entry(tmp_path, "no-nvcc-here", {}, entry("sgemm naive"))
    assert found == {"skipped": "there is no 'no-nvcc-here' (--nvcc=FILE)"}
    monkeypatch.setitem(sys.modules, "triton", None)
    found = program.time_entry(tmp_path, "nvcc", {}, entry("relu_squared sm_90a 2048"))
    assert "is not installed" in found["skipped"]


def test_launch_as_measured(program):
    time = {"seconds": 3e-6, "launch_seconds": 0.5e-6}
    assert program.microseconds(time, {}) == pytest.approx(3)
    assert program.microseconds(time, {"launch_us": 4.5}) == pytest.approx(7)


@pytest.mark.parametrize(
    "name, shape",
    [("relu_squared sm_90a 2048", {"rows": 64}), ("sgemm warp_tiles", {"m": 256, "n": 256}),
     ("wgmma cluster", {"m": 2048, "n": 2048, "k": 128})],
)  # fmt: skip
def test_kernels(program, build_folder, name, shape):
    tools = build_folder / "bin"
    if not (tools / "fusion-emulate").exists() or not shutil.which("ptxas"):
        pytest.skip("fusion-emulate is not built, or there is no ptxas")
    one = dataclasses.replace(entry(name), shape=entry(name).shape | shape)
    found = program.time_entry(tools, "nvcc", SOURCES[one.source], one)
    if "skipped" in found:
        pytest.skip(found["skipped"])
    assert found.get("failure") is None and 0.5 < found["us"] < 3000
    assert found["time"]["missing_steps"] == 0


def test_depths(program, monkeypatch):
    # 10 us and 1 us for every 64 of k.
    def time(emulate, candidate, chip, options):
        depth = candidate.launch.arguments[2]["i32"]
        return {"seconds": 1e-6 * (10 + depth / 64), "launch_seconds": 0}

    monkeypatch.setattr(published_kernels, "_ptx", lambda *arguments: "")
    monkeypatch.setattr(program, "time_candidate", time)
    found = program.time_entry(pathlib.Path(), "nvcc", {"launch_us": 0}, entry("sgemm naive"))
    assert found["us"] == pytest.approx(10 + 4096 / 64)


def test_builders_know_all_kernels(monkeypatch):
    monkeypatch.setattr(published_kernels, "_ptx", lambda *arguments: "")
    for one in ENTRIES:
        if not one.kernel.startswith("triton"):
            (found,) = published_kernels.candidates(one)
            assert set(found.buffers) == {"a", "b", "c"} and found.launch.blocks >= 1
        else:
            assert one.kernel.split(":")[1] in published_kernels._CALLS
