# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The rows of the benchmark on a CPU, and the limits that they are compared with."""

import pathlib
import re
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "cpu"))

from implementations import names  # noqa: E402
from measuring import limits, machine, rows  # noqa: E402


def test_names_are_files():
    for row in rows.all_rows():
        assert re.fullmatch(r"[\w.-]+", row.name), row.name
        assert row.set in rows.SETS


def test_the_tables_are_there():
    names_of = {row.name for row in rows.chosen(sets=["chains"])}
    for family in ("mcfuser", "chimera"):
        for case in range(1, 13):
            for dtype in rows.DTYPES:
                assert f"{family}-G{case}-{dtype}" in names_of
    assert len(rows.chosen(re.compile(r"^attention S\d-f32"))) == 9
    assert len(rows.chosen(re.compile(r"^convolution-chains C\d-f32"))) == 8
    assert {row.set for row in rows.all_rows()} == set(rows.SETS)


def test_a_module_of_each_set():
    for name in rows.SETS:
        row = rows.chosen(sets=[name])[0]
        if name != "blocks":
            workload = row.workload()
            assert "func.func" in workload.text and workload.bytes > 0


def test_sizes_are_changed():
    (row,) = rows.chosen(re.compile("^stitched-large layer_norm_16384x1024-f32"))
    assert row.workload().outputs == (((16384, 1024), "f32"),)
    (row,) = rows.chosen(re.compile("attention-long FA_d64_s2048_causal_batch1_heads4-f32"))
    assert row.workload().inputs[0] == ((4, 2048, 64), "f32")
    assert row.exponentials() == 4 * 2048 * 2048 // 2


def test_exponentials():
    by_name = {row.name: row for row in rows.all_rows()}
    assert by_name["S1-f32"].exponentials() == 8 * 512 * 512
    assert by_name["D_gqa4_d128_r4_n4096-f32"].exponentials() == 8 * 4 * 4 * 4096
    assert by_name["softmax_256x1024-f32"].exponentials() == 256 * 1024
    assert by_name["layer_norm_256x1024-f32"].exponentials() == 0
    assert by_name["mcfuser-G1-f32"].exponentials() == 0
    assert by_name["bert-f32"].exponentials() == 0


def test_a_budget_has_rows_of_each_set():
    everything = rows.chosen()
    ordered = rows.in_order_of_budget(everything)
    assert sorted(row.name for row in ordered) == sorted(row.name for row in everything)
    assert len({row.set for row in ordered[: len(rows.SETS)]}) == len(rows.SETS)
    assert {row.dtype for row in ordered[: len(rows.SETS)]} == {"f32"}


def test_peers_of_a_set():
    assert names.of_set(["eager", "sdpa", "mkldnn"], "attention") == ["eager", "sdpa"]
    assert names.of_set(["eager", "frozen", "sdpa"], "stitched") == ["eager"]
    for sets in names.SETS_OF.values():
        assert set(sets) <= set(rows.SETS)


RATES = {
    "f32": 100e9,
    "exp": 10e9,
    "write": {"DRAM": 4e9},
    "write, non-temporal": {"DRAM": 10e9},
    "copy": {"DRAM": 8e9},
    "copy, non-temporal": {"DRAM": 12.5e9},
    "add": {"DRAM": 15e9},
    "read": {"DRAM": 20e9},
}


def test_streams_of_other_mixes():
    assert limits.stream_rate(RATES, "DRAM", 0.0) == pytest.approx(10e9)
    assert limits.stream_rate(RATES, "DRAM", 0.5) == pytest.approx(12.5e9)
    assert limits.stream_rate(RATES, "DRAM", 1.0) == pytest.approx(20e9)
    # A quarter of the way by time: between 0.1 and 0.08 nanoseconds a byte.
    assert limits.stream_rate(RATES, "DRAM", 0.25) == pytest.approx(1e9 / 0.09)


def test_levels_of_sizes():
    caches = {"L2": 1 << 19, "L3": 1 << 25}
    assert [limits.level_of(size, caches, 2) for size in (1 << 20, (1 << 20) + 1, 1 << 26)] == ["L2", "L3", "DRAM"]
    levels = machine.levels(caches, 2)
    assert [limits.level_of(size, caches, 2) for size in levels.values()] == list(levels)


def test_the_longer_of_two_times():
    work = {"flops": 1e9, "exponentials": 1e7, "read": 15e9, "written": 5e9, "dtype": "f16"}
    seconds = limits.least_seconds(work, RATES, {"L2": 1 << 19, "L3": 1 << 25}, 1)
    assert seconds["compute"] == pytest.approx(0.011)
    assert seconds["memory"] == pytest.approx(20e9 / limits.stream_rate(RATES, "DRAM", 0.75))
    work |= {"flops": None, "dtype": "bf16"}
    rates = RATES | {"bf16": 200e9}
    assert limits.least_seconds(work, rates, {"L2": 1, "L3": 2}, 1)["compute"] == pytest.approx(1e-3)
    assert limits.fma_rate(rates, "bf16") == 200e9


def test_the_functions_measure(tmp_path):
    library = limits.Limits(limits.build(tmp_path))
    assert {"f32", "f64", "exp", *(name for name, _ in limits.MIXES)} <= set(library.names)
    assert library.canary(1) > 1e8 and library.canary(2) > 1e8
    copy = library.names.index("copy")
    assert library.library.limit_rate(copy, 1, 1 << 16, 1e-4) > 1e6


def test_the_machine_describes_itself():
    found = machine.describe()
    assert found["cores"] >= 1 and found["cpu"] and found["caches"].get("L2", 1) > 0
