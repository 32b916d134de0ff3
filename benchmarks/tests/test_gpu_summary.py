# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""benchmarks/gpu/summary: what it takes for met, not met and missing, on invented results."""

import copy
import json
import pathlib
import sys

import pytest

GPU = pathlib.Path(__file__).parents[1] / "gpu"
sys.path.insert(0, str(GPU))

import plan  # noqa: E402
import script_modules  # noqa: E402
import targets  # noqa: E402


summary = script_modules.load_anew("summary")
RUN = {"run": "20260101T000000-abcdef", "device": "NVIDIA H100 80GB HBM3"}
OTHER = {"run": "20260102T000000-abcdef", "device": "NVIDIA H100 80GB HBM3"}
FLASH, PRODUCT, SHORT, SHORT_AUTOTUNE, COPY = (targets.TARGETS[i] for i in (0, 2, 3, 4, 5))


def unit(target, case, dtype="f16"):
    return next(unit for unit in target.units() if (unit.case, unit.dtype) == (case, dtype))


def entry_of(unit, us, **peers):
    built = unit.build()
    peers = {name.replace("_", ":"): {"us": time, **RUN} for name, time in peers.items()}
    return {"flops": built.flops, "bytes": built.bytes, "ours": {"us": us, "pass": True, "commit": "c", **RUN}, "peers": peers}


@pytest.fixture
def judge(tmp_path):
    def run(target, unit, entry, copies=None):
        (tmp_path / f"{unit.family}.json").write_text(json.dumps({"machine": {}, "entries": {unit.key: entry}}))
        (tmp_path / "copy.json").write_text(json.dumps({"runs": copies or {}}))
        return summary.judge(summary.Folder(tmp_path), target, unit)

    return run


def sdpa(unit, us, flash):
    """A complete entry of attention: two backends refuse."""
    entry = entry_of(unit, us, eager=9000.0, compile=8000.0, sdpa_flash=flash, sdpa_math=7000.0)
    for name in ("cudnn", "efficient"):
        entry["peers"][f"sdpa:{name}"] = {"error": "RuntimeError: No available kernel", **RUN}
    return entry


def test_attention(judge):
    one = unit(FLASH, "FA_d128_s16384")
    # 4 * 16384^2 * 128 * 16 heads: 2199 us are 1000 TFLOP/s.
    assert one.build().flops == 4 * 16384**2 * 128 * 16
    row = judge(FLASH, one, sdpa(one, 2199.0, 2199.0))
    assert row.verdict == "met" and row.figures["TFLOP/s"] == "1000" and row.figures["best peer"] == "sdpa:flash 2199.00"
    # Fast enough and slower than PyTorch; as fast as PyTorch and too slow.
    assert judge(FLASH, one, sdpa(one, 2199.0, 2198.0)).verdict == "NOT MET"
    assert judge(FLASH, one, sdpa(one, 3700.0, 3800.0)).verdict == "NOT MET"
    entry = sdpa(one, 2199.0, 2199.0)
    entry["peers"]["sdpa:flash"] = {"error": "RuntimeError: No available kernel", **RUN}
    row = judge(FLASH, one, entry)
    assert row.verdict == "missing" and row.remark == "neither flash nor cudnn ran"
    # What did not answer could be the fastest, but for the unfused one.
    entry = sdpa(one, 2199.0, 2199.0)
    entry["peers"]["sdpa:math"] = {"error": "no answer within 120 s, or the process ended", **RUN}
    assert judge(FLASH, one, entry).verdict == "met"
    entry["peers"]["sdpa:cudnn"] = {"error": "no answer within 120 s, or the process ended", **RUN}
    assert judge(FLASH, one, entry).verdict == "missing"
    # Too slow is not met, whatever PyTorch does.
    entry["ours"]["us"] = 5000.0
    assert judge(FLASH, one, entry).verdict == "NOT MET"


def test_other_exponentials_are_shown_and_not_judged(judge):
    one = unit(FLASH, "FA_d128_s16384")
    entry = sdpa(one, 5000.0, 2199.0)
    entry["ours_fma"] = {"us": 1000.0, "pass": True, "options": ["--exponentials=fma"], **RUN}
    row = judge(FLASH, one, entry)
    assert row.verdict == "NOT MET" and row.figures["--exponentials=fma, us"] == "1000.00"
    for change in ({"pass": False}, {"us": None}, OTHER):
        assert "--exponentials=fma, us" not in judge(FLASH, one, entry | {"ours_fma": entry["ours_fma"] | change}).figures


def test_product(judge):
    one = unit(PRODUCT, "gemm_4096x4096x4096")
    row = judge(PRODUCT, one, entry_of(one, 200.0, eager=180.0))
    assert row.verdict == "met" and row.figures["of eager"] == "90.0%" and row.figures["TFLOP/s"] == "687"
    assert judge(PRODUCT, one, entry_of(one, 201.0, eager=180.0)).verdict == "NOT MET"
    row = judge(PRODUCT, one, entry_of(one, 201.0))
    assert row.verdict == "missing" and row.remark == "eager is not measured" and row.figures["ours, us"] == "201.00"


@pytest.mark.parametrize(
    "change, verdict, remark",
    [
        ({}, "met", ""),
        ({"us": 10.0}, "NOT MET", ""),
        ({"us": None}, "missing", "ours has no time"),
        ({"pass": None}, "missing", "ours is not checked"),
        ({"pass": False}, "NOT MET", "ours is wrong"),
        ({"error": "it | broke"}, "NOT MET", "ours failed: it / broke"),
        ({"device": "no GPU"}, "missing", "not on a GPU"),
        ({"run": None}, "missing", "ours has no run or device"),
        (OTHER, "missing", "eager is of run 20260101T000000-abcdef on NVIDIA H100 80GB HBM3, ours of "
                           "20260102T000000-abcdef on NVIDIA H100 80GB HBM3"),
        ({"device": "NVIDIA H200"}, "missing", "eager is of run 20260101T000000-abcdef on NVIDIA H100 80GB HBM3, ours of "
                                               "20260101T000000-abcdef on NVIDIA H200"),
    ],
)  # fmt: skip
def test_short(judge, change, verdict, remark):
    one = unit(SHORT, "G1")
    entry = entry_of(one, 9.0, eager=30.0, compile=10.0)
    entry["ours"] |= change
    row = judge(SHORT, one, entry)
    assert (row.verdict, row.remark) == (verdict, remark)


def test_short_needs_every_peer(judge):
    one = unit(SHORT, "G1")
    entry = entry_of(one, 9.0, eager=30.0)
    assert judge(SHORT, one, entry).remark == "compile is not measured"
    entry["peers"]["compile"] = {"error": "BackendCompilerFailed: no", **RUN}
    assert judge(SHORT, one, entry).remark == "compile failed: BackendCompilerFailed: no"
    assert judge(SHORT, one, {}).remark == "not measured"


def test_autotune_is_compared_with_ours_of_its_run(judge):
    one = unit(SHORT_AUTOTUNE, "S1")
    entry = entry_of(one, 9.0, autotune=10.0)
    entry["peers"]["autotune"] |= OTHER
    assert judge(SHORT_AUTOTUNE, one, entry).remark == "ours is not measured"
    entry["ours_beside_autotune"] = {"us": 11.0, "pass": True, **OTHER}
    assert judge(SHORT_AUTOTUNE, one, entry).verdict == "NOT MET"
    entry["ours_beside_autotune"]["us"] = 9.0
    assert judge(SHORT_AUTOTUNE, one, entry).verdict == "met"


def copies(best, worse=100.0):
    """2 us and so many GB/s, and a slower way."""
    sizes = (1 << 20, 1 << 25, 1 << 30)
    return [{"bytes": size, "way": way, "us": 2 + size / gbs / 1e3} for size in sizes for way, gbs in (("memcpy", worse), ("kernel", best))]


def test_bandwidth(judge):
    one = unit(COPY, "softmax_8192x4096")
    size = one.build().bytes
    assert size == 2 * 2 * 8192 * 4096
    assert summary.copy_microseconds(copies(2000.0), size) == pytest.approx(2 + size / 2e6)
    assert summary.copy_microseconds(copies(2000.0), 1 << 31) == pytest.approx(2 * (2 + (1 << 30) / 2e6))
    found = {RUN["run"]: {"copies": copies(2000.0), "device": RUN["device"]}}
    entry = entry_of(one, (2 + size / 2e6) / 0.93)
    row = judge(COPY, one, entry, found)
    assert row.verdict == "met" and row.figures["of a copy"] == "93.0%" and row.figures["of the largest copy"] == "90.6%"
    entry["ours"]["us"] *= 1.02
    assert judge(COPY, one, entry, found).verdict == "NOT MET"
    # Copies of another run or device, or none.
    row = judge(COPY, one, entry, {OTHER["run"]: found[RUN["run"]]})
    assert row.verdict == "missing" and row.remark == f"no device copy in run {RUN['run']}" and "GB/s" in row.figures
    other = copy.deepcopy(found)
    other[RUN["run"]]["device"] = "NVIDIA H200"
    assert judge(COPY, one, entry, other).remark == "the device copy was on NVIDIA H200"
    assert judge(COPY, one, entry, {RUN["run"]: {"error": "no torch", "device": RUN["device"]}}).remark == "no device copy: no torch"
    with pytest.raises(summary.Missing):
        summary.copy_microseconds(copies(2000.0), 1000)


def test_sizes_of_targets():
    assert all(unit.build().bytes >= 32e6 for unit in COPY.units())
    cases = {(unit.family, unit.case) for unit in SHORT.units()}
    assert len(cases) == 9 + 12 + 12 and ("attention_mcfuser", "S10") not in cases
    assert [len(targets.TARGETS[i].units()) for i in (0, 1, 2)] == [2, 2, 1]
    # A copy is measured for all of them.
    assert min(plan.COPY_SIZES) < 32e6


def test_report(tmp_path, capsys):
    one, other = unit(PRODUCT, "gemm_4096x4096x4096"), unit(targets.TARGETS[1], "FA_d64_s16384", "bf16")
    for each, us in ((one, 150.0), (other, 9999.0)):
        content = {"machine": {}, "entries": {each.key: entry_of(each, us, eager=160.0)}}
        (tmp_path / f"{each.family}.json").write_text(json.dumps(content))
    assert summary.main([str(tmp_path), f"--output={tmp_path / 'summary.md'}"]) == 3
    text = capsys.readouterr().out
    assert (tmp_path / "summary.md").read_text() == text
    assert "Device: NVIDIA H100 80GB HBM3. Commit: c." in text and "4 * seq^2 * d * heads * batch" in text
    lines = text.splitlines()
    assert f"| {PRODUCT.name} | met | 1 of 1 | 0 | 0 |" in lines
    assert f"| {targets.TARGETS[1].name} | NOT MET | 0 of 2 | 1 | 1 |" in lines
    assert f"| {SHORT.name} | missing | 0 of 66 | 0 | 66 |" in lines
    assert summary.main([str(tmp_path), "--short"]) == 3
    text = capsys.readouterr().out
    assert "gemm_4096x4096x4096/f16" not in text and "FA_d64_s16384/bf16" in text


def test_without_results(tmp_path, capsys):
    assert summary.main([str(tmp_path)]) == 3
    assert "Device: none" in capsys.readouterr().out
    assert summary.main([str(tmp_path / "nothing")]) == 1
    assert "no folder" in capsys.readouterr().err
    (tmp_path / "stitch_patterns.json").write_text("{")
    assert summary.main([str(tmp_path)]) == 1
