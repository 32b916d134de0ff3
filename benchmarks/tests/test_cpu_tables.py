# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tables, plots and the file of a measurement on a CPU."""

import json
import pathlib
import sys
import types
import xml.etree.ElementTree

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "cpu"))

from measuring import page, plots, tables  # noqa: E402
from measuring.results import Results  # noqa: E402

RATES = {"f32": 100e9, "exp": 10e9} | {
    name: {"L2": 50e9, "L3": 40e9, "DRAM": 10e9} for name in ("write", "copy", "add", "read")
}
MACHINE = {
    "cpu": "A CPU",
    "cores": 2,
    "caches": {"L2": 1 << 19, "L3": 1 << 25},
    "features": ["avx2"],
    "date": "2026-01-02T03:04:05+00:00",
    "commit": "0123456789abcdef",
    "system": "Linux",
    "compiler": "cc",
    "versions": {"torch": "2"},
}


def right(us, canary=100.0, count=15):
    samples = {"us": [us] * count, "canary": [canary] * count, "waited": [0.0] * count, "slow": False}
    return {"status": "right", "message": "", "samples": samples}


def row(name, implementations, set_name="chains", threads=1, flops=1_000_000_000):
    work = {"flops": flops, "exponentials": 0, "read": 3000, "written": 1000, "dtype": "f32"}
    return {"row": name, "set": set_name, "dtype": "f32", "threads": threads, "work": work,
            "implementations": implementations}  # fmt: skip


def content(*rows):
    return {"machine": MACHINE, "limits": {"1": RATES}, "best_canary": {"1": 100.0}, "rows": list(rows)}


FAST = row("a-f32", {"ours": right(20_000.0), "eager": right(40_000.0), "iree": right(30_000.0), "frozen": right(1.0)})
SLOW = row("b-f32", {"ours": right(40_000.0), "eager": right(20_000.0)})


def test_a_line():
    (line,) = tables.lines(content(FAST))
    # What packs weights before is no peer of ours.
    assert line.best == "iree" and line.ratio == pytest.approx(1.5) and line.ratio_to("eager") == pytest.approx(2.0)
    assert line.least_us == pytest.approx(10_000.0) and line.share == pytest.approx(0.5)
    assert line.rate(20_000.0) == pytest.approx(50.0) and line.bound == "compute"


def test_a_line_of_streams():
    (line,) = tables.lines(content(row("s-f32", {"ours": right(1.0)}, flops=None)))
    assert line.bound == "memory" and line.rate(1.0) == pytest.approx(4.0)
    assert line.ratio is None and line.share == pytest.approx(4000 / 50e9 * 1e6)


def test_the_overview():
    heading, _, text = tables.overview(content(FAST, SLOW))
    cells = [cell.strip() for cell in text.strip("|").split("|")]
    assert cells[:4] == ["Chains of contractions", "f32", "1", "2"]
    assert cells[4:8] == ["0.87", "0.50", "1", "1.00"]
    assert cells[8:] == ["35 %", "25 %"]
    assert heading.count("|") == text.count("|")


def test_a_table_of_a_set():
    wrong = row("c-f32", {"ours": {"status": "wrong", "message": "x"}, "eager": right(1000.0)})
    disturbed = row("d-f32", {"ours": right(1000.0, canary=80.0), "eager": right(1000.0, count=14)})
    some = row("e-f32", {"ours": right(1000.0, count=14), "eager": right(2000.0)})
    text = list(tables.set_table(content(FAST, SLOW, wrong, disturbed, some), "chains", 1))
    assert len({line.count("|") for line in text}) == 1
    assert text[2].startswith("| a-f32 | 50 ±0 % | 100 | 50 % | IREE | 1.50 |")
    assert text[4].startswith("| c-f32 | wrong | 100 |  | PyTorch eager |  |")
    assert text[5].startswith("| d-f32 | disturbed | 100 |  | PyTorch eager |  | 1000\\* ±0 % |")
    assert text[6].startswith(r"| e-f32 | 1000\* ±0 % | 100 | 1000 % | PyTorch eager | 2.00 | 500 ±0 % |")
    assert len(list(tables.set_table(content(FAST), "chains", 2))) == 2


def test_failures_are_grouped():
    missing = {"ours": right(1.0), "tvm": {"status": "unavailable", "message": "no | bf16"}}
    rows = [row(f"{name}-f32", missing) for name in "abcde"]
    text = list(tables.failures(content(*rows)))
    assert text[2:] == [r"| TVM | unavailable | a-f32, b-f32, c-f32 and 2 more | `no \| bf16` |"]
    without = {"row": "z-f32", "set": "blocks", "threads": 1, "implementations": {}, "error": "no reference"}
    assert list(tables.failures(content(without)))[2:] == ["| reference | failed | z-f32 | `no reference` |"]
    assert not tables.lines(content(without))
    assert list(tables.failures(content(FAST))) == ["All ran, and all results are right."]


def test_the_limits():
    text = list(tables.limits_table(content()))
    assert text[0] == "| | 1 thread |"
    assert "| f32, GFLOP/s | 100 |" in text and "| copy, DRAM, GB/s | 10 |" in text


def test_the_page_and_its_pictures(tmp_path, monkeypatch):
    monkeypatch.setattr(page, "PAGE", tmp_path / "page.md")
    monkeypatch.setattr(page, "PICTURES", tmp_path / "pictures")
    (tmp_path / "pictures").mkdir()
    (tmp_path / "pictures" / "old.svg").write_text("")
    page.write(content(FAST, SLOW), "run-1")
    text = (tmp_path / "page.md").read_text()
    assert "{{" not in text and "benchmarks/results/cpu/run-1/results.json" in text and "A CPU, 2 cores" in text
    (picture,) = (tmp_path / "pictures").iterdir()
    assert f"pictures/cpu/{picture.name})" in text
    drawn = xml.etree.ElementTree.parse(picture)
    names = [found.text for found in drawn.iter("{http://www.w3.org/2000/svg}text")]
    assert {"a", "b", "GFLOP/s", "limit", "Fusion"} <= set(names)


@pytest.mark.parametrize("value, top", [(0.3, 0.5), (1, 1), (7, 10), (94.5, 100), (101, 200), (230, 250), (1100, 2000)])
def test_the_top_of_a_plot(value, top):
    assert plots.round_up(value) == pytest.approx(top)


def test_results_go_on(tmp_path):
    file = tmp_path / "run" / "results.json"
    results = Results(file, MACHINE)
    results.add_limits(1, {"f32": 90e9, "copy": {"L2": 1.0}})
    assert results.add_limits(1, {"f32": 80e9, "copy": {"L2": 2.0}}) == {"f32": 90e9, "copy": {"L2": 2.0}}
    results.add(FAST, 95.0)
    results.add(SLOW, 94.0)
    again = Results(file, MACHINE)
    one = types.SimpleNamespace(name="a-f32")
    assert again.done(one, 1) and not again.done(one, 2)
    again.add({**FAST, "seconds": 3}, 96.0)
    found = json.loads(file.read_text())
    assert [record["row"] for record in found["rows"]] == ["b-f32", "a-f32"]
    assert found["best_canary"] == {"1": 96.0} and found["limits"]["1"]["f32"] == 90e9
