# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""benchmarks/timing, without its tools: how well times agree, old schedules, and tables."""

import importlib.machinery
import importlib.util
import json
import math
import pathlib
import sys

import pytest

pytest.importorskip("numpy")

TIMING = pathlib.Path(__file__).resolve().parents[1] / "timing"
sys.path.insert(0, str(TIMING))

import measured  # noqa: E402
import resumed  # noqa: E402
import workloads  # noqa: E402
from agreement import Agreement, loss_of_first, rank_correlation  # noqa: E402


def program(name):
    loader = importlib.machinery.SourceFileLoader(name, str(TIMING / name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    loader.exec_module(module)
    return module


def test_rank_correlation():
    assert rank_correlation([1, 2, 3], [10, 20, 30]) == pytest.approx(1)
    assert rank_correlation([1, 2, 3], [3, 2, 1]) == pytest.approx(-1)
    # Ties have their mean rank: 1.5, 1.5, 3 against 1, 2, 3.
    assert rank_correlation([5, 5, 9], [1, 2, 3]) == pytest.approx(math.sqrt(3) / 2)
    assert math.isnan(rank_correlation([1, 2], [1, 2]))


def test_agreement():
    found = Agreement.of([10, 10, 10, 10], [9, 12, 10, 15])
    assert (found.pairs, found.ratio) == (4, pytest.approx(1.1))
    assert found.median_error == pytest.approx(0.15) and found.error_90 == pytest.approx(0.41)


def test_results_are_completed(tmp_path):
    file, runs = tmp_path / "results.json", []

    def run(value):
        runs.append(value)
        return {"value": value}

    assert resumed.complete(file, {"a": (run, (1,))}, 1) == {"a": {"value": 1}}
    assert resumed.complete(file, {"a": (run, (5,)), "b": (run, (2,))}, 1) == {"a": {"value": 1}, "b": {"value": 2}}
    assert runs == [1, 2] and json.loads(file.read_text()) == {"a": {"value": 1}, "b": {"value": 2}}


def test_loss_of_first():
    true, predicted = [4.0, 2.0, 3.0], [1.0, 3.0, 2.0]
    assert loss_of_first(true, predicted) == pytest.approx(1.0)
    assert loss_of_first(true, predicted, first=2) == pytest.approx(0.5)
    assert loss_of_first(true, predicted, first=3) == 0


def test_old_schedules():
    old = '#fuse.schedule<version = 1, memory = <{A = #fuse.place<shared, bulk>}>, pipeline = <{A = 2}, products = {E = 2}>>'
    assert measured.in_version_2(old) == (
        '#fuse.schedule<version = 2, memory = <{A = #fuse.place<shared, tma>}>, pipeline = <{A = 2}, overlap = {E = 2}>>'
    )


def test_measured_schedules(tmp_path):
    functions = {f"f{i}": {"schedule": f"version = 1, {i}", "us": float(i)} for i in range(10)}
    drawn = {"gemm_chains_mcfuser:G1/f16 schedules": {"outcome": "pass", "functions": functions},
             "gemm_chains_mcfuser:G2/f16 schedules": {"outcome": "hung", "functions": functions}}  # fmt: skip
    file = tmp_path / "call2.json"
    file.write_text(json.dumps({"phases": {"drawn": drawn}}))
    found = list(measured.schedules(file, 3))
    assert [one.key for one in found] == [f"gemm_chains_mcfuser:G1/f16|f{i}" for i in (0, 3, 6)]
    assert found[1].us == 3.0 and found[1].text == "version = 2, 3"
    assert "func.func" in found[0].module()


def test_workloads():
    assert len(workloads.CHAINS) == len(workloads.PATTERNS) == 12
    labels = [workloads.label(one) for one in (*workloads.CHAINS, *workloads.PATTERNS)]
    assert len(set(labels)) == 24
    assert all("func.func" in workloads.text(one) for one in (*workloads.CHAINS, *workloads.PATTERNS))


def test_tables():
    result = {"time_us": 2.0, "model_us": 3.0}
    known = {"w|sm_80|chosen": result, "w|sm_80|0": {"time_us": 4.0, "model_us": 5.0}, "w|sm_80|1": {"failure": "spilt"},
             "v|sm_80|0": result}  # fmt: skip
    assert program("against_model").table(known).splitlines()[2:] == ["| w | sm_80 | 1 | nan | 0.50 | 1.38 |"]
    known = {"w|0": {"measured_us": 4.0, "time_us": 3.0, "model_us": 5.0}, "w|1": {"failure": "no path"}}
    lines = program("against_chip").table(known).splitlines()[2:]
    assert lines[0] == "| w | 1 | timing | nan | 25 % | 25 % | 0.75 |" and lines[3].startswith("| all | 1 | cost model |")


def test_ptx_beside_sass():
    compare = program("ptx_beside_sass")
    kernel = lambda cycles, issues, blocks: {  # noqa: E731
        "name": "G1_chain_0",
        "time": {"cycles": cycles, "issues": issues, "blocks_per_processor": blocks},
    }
    known = {
        "G1/f16|sm_80|sass": {"kernels": [kernel(100, 50, 2)]},
        "G1/f16|sm_80|ptx": {"kernels": [kernel(110, 40, 1)]},
        "G2/f16|sm_80|sass": {"kernels": [kernel(100, 50, 2)]},
        "G2/f16|sm_80|ptx": {"failure": "no result"},
    }
    lines = compare.table(known).splitlines()
    assert lines[2] == "| G1/f16 | chain | sm_80 | 100 | 1.10 | 0.80 | 2 | 1 |"
    assert lines[-1] == "sm_80: 1 kernels, median 1.10, from 1.10 to 1.10, mean error 10%, 1 within 25 %"


def test_regression_of_reduced_memory():
    fitting = program("fit_reduced_memory")
    # A line is found again, whatever the weights.
    constant, slope = fitting.fit([(x, 2e-12 * x - 1e-6) for x in (1e5, 1e6, 1e7, 1e8)])
    assert (constant, slope) == (pytest.approx(-1e-6), pytest.approx(2e-12))
    # Else the gradient of the weighted squares is 0.
    constant, slope = fitting.fit([(1, 1), (2, 5), (4, 7)])
    weights, points = (1, 1 / 2, 1 / 4), ((1, 1), (2, 5), (4, 7))
    gradient = [
        sum(w * (constant + slope * x - y) * factor(x) for w, (x, y) in zip(weights, points))
        for factor in (lambda x: 1, lambda x: x)
    ]
    assert gradient == pytest.approx([0, 0])
    known = {f"c|{rows}": {"apart": 10.0, "registers": 4.0, "shared": 11.0} for rows in fitting.ROWS}
    points = fitting.points_of(known, "c", "registers")
    assert points[0] == (3 * 32 * 4096 * 4, pytest.approx(6e-6)) and len(points) == len(fitting.ROWS)
    assert all(saved == pytest.approx(-1e-6) for _, saved in fitting.points_of(known, "c", "shared"))


def test_regression_is_of_the_chip_table():
    """Each chip of the table of regressions is fitted, in one order."""
    table = program("fit_reduced_memory").TABLE.read_text()
    assert [line.split('"')[1] for line in table.splitlines() if line.startswith("{")] == list(
        program("fit_reduced_memory").CHIPS
    )


def test_table_of_printed_evaluators():
    printed = program("stitch_printed")
    assert printed.short("stitch_patterns:rope_4096x768/f16 rows=512 cols=768") == "rope f16 512x768"
    assert {"lstm_backward", workloads.label(workloads.PATTERNS[0])} < set(printed.programs())
    known = {}
    for label, factor in (("p", 2.0), ("q", 0.5)):
        for variant in printed.VARIANTS:
            ratio = 1 if variant == printed.OURS else factor
            known[f"{label}|sm_80|{variant}"] = {"us": 10 * ratio, "kernels": 2, "seconds": 1.0}
        known[f"{label}|sm_80|{printed.FULL}"]["seconds"] = 4.0
    known["broken|sm_80|ours"] = {"failure": "why"}
    results = printed.results_of(known, "sm_80")
    assert list(results) == ["p", "q"]
    lines = printed.table(results).splitlines()
    assert lines[2].startswith("| p | 10.00 us, 2 | 2.00, 2 |") and lines[3].startswith("| q | 10.00 us, 2 | 0.50, 2 |")
    # The geometric mean of 2 and 1/2.
    assert lines[-1].startswith("| geometric mean, kernels of all | 1.00, 4 | 1.00, 4 |")
    assert printed.penalties(known, ["sm_80"]).splitlines()[-1] == "| sm_80 | 2 | 1.000 | 0 | 0 | 4.00 | 8.0 s over 2.0 s |"
