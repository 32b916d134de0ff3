# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""benchmarks/gpu/measured_tables.py: docs/measurements/h200.md has its tables, and they say what the record says."""

import pathlib
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "benchmarks" / "gpu"))

import measured_tables  # noqa: E402

PAGE = (ROOT / "docs" / "measurements" / "h200.md").read_text()


def rows(name):
    return [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in measured_tables.TABLES[name](measured_tables.RECORD)
    ]


@pytest.mark.parametrize("name", measured_tables.TABLES)
def test_the_page_has_the_table(name):
    if name == "eight-bit-sums":
        pytest.importorskip("numpy")
    table = "\n".join(measured_tables.TABLES[name](measured_tables.RECORD))
    assert f"\n\n{table}\n\n" in PAGE, f"benchmarks/gpu/measured_tables.py --table={name} prints another table"


def test_every_case_is_in_one_group_of_features():
    runs = measured_tables.call(measured_tables.RECORD, measured_tables.SECOND, 1)["phases"]["features"]
    for name, unit in runs.items():
        groups = [title for title, kinds in measured_tables.FEATURES.items() if unit["kind"].startswith(kinds)]
        assert len(groups) == 1, (name, groups)


def test_losses_come_first_and_wrong_results_have_no_ratio():
    found = rows("timings")[2:]
    ratios = [float(row[-1]) for row in found if row[-1]]
    assert len(found) == 34 and len(ratios) == 31 and ratios == sorted(ratios)
    assert all(row[1].startswith("(") and not row[3] for row in found if not row[-1])


def test_sentences_of_the_page_agree_with_the_record():
    ratios = [ratio for _, _, _, ratio in measured_tables.workloads(measured_tables.RECORD) if ratio]
    slower, faster = sum(ratio < 1 for ratio in ratios), sum(ratio > 1 for ratio in ratios)
    assert f"Slower than the fastest peer: {slower} of {len(ratios)} workloads" in PAGE
    assert f"Faster than all peers: {faster} of {len(ratios)}" in PAGE
    searched = rows("schedules")[2:]
    later = sum(row[-2] != "chosen" for row in searched)
    assert f"In {later} of {len(searched)} workloads a later schedule" in PAGE


def test_other_pages_have_the_figures_of_the_record():
    found = {row[0]: row for row in rows("timings")[2:]}
    chip = {row[0]: row[1] for row in rows("chip")[2:]}
    copy = next(row for row in rows("copies") if row[0] == "1024")

    def says(page, *parts):
        text = " ".join((ROOT / page).read_text().split())
        assert not [part for part in parts if part not in text], page

    ours, cudnn, triton = (f"{float(found['FA_d128_s16384'][i]) / 1000:.2f} ms" for i in (1, 7, 6))
    all_of_them = rows("families")[-1]
    says("README.md", f"takes {ours}, Triton's {triton} and cuDNN's {cudnn}.", f"{all_of_them[2]} of {all_of_them[1]} workloads")
    says("docs/launches.md", f"[{float(chip['launch in a CUDA graph'].split()[0]):.2f} µs]")
    says("docs/hopper-reference.md", f"[{copy[2]} cycles from the L2 and {copy[4]} from DRAM]")
    says("docs/warp-specialization.md", *(f"{found[f'FA_d{head}_s16384'][3]} times (heads of {head})" for head in (128, 64)))
    clusters = [chip[f"clusters of {size} blocks, one block on an SM"] for size in (2, 4, 8)]
    says("docs/cluster-measurements.md", "{} pairs, [{} clusters of 4 and {} of 8]".format(*clusters))
    says("docs/measurements/search.md", f"measured times of {rows('models')[2][1]} schedules")


def test_quality_of_a_model():
    pairs = [(1.0, 2.0), (2.0, 1.0), (4.0, 8.0)]
    assert measured_tables.quality(pairs) == pytest.approx((0.5, 0.5, 2.0))


def test_metrics_of_a_profile():
    text = """
    SM Active Cycles              cycle 6,238,698.67
    Tensor (FP)                    %         5.78
    Table Name : Pipe Utilization (% of active cycles)
    Tensor (FP)                    %        15.98
    Duration                         us         7.04
    Table Name : Warp State (All Cycles)
    Stall Wait                      inst         1.29
    Stall Long Scoreboard           inst         3.04
"""
    assert measured_tables.metric(text, "SM Active Cycles") == "6238698.67"
    assert measured_tables.metric(text, "Tensor (FP)") == "15.98"
    assert measured_tables.duration(text) == "7.04 us"
    assert measured_tables.stalls(text) == "Long Scoreboard 3.04, Wait 1.29"


def test_one_table_is_printed(capsys):
    measured_tables.main(["--table=wgmma"])
    printed = capsys.readouterr().out
    assert printed.startswith("### wgmma\n\n| n |") and printed.count("###") == 1
