# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""benchmarks/gpu/archive_results, and the records in benchmarks/results."""

import json
import pathlib
import re
import sys
import tarfile

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
GPU = ROOT / "benchmarks" / "gpu"
sys.path.insert(0, str(GPU))

import script_modules  # noqa: E402
from calls import archive, package, report  # noqa: E402

RECORDS = sorted(path.parent for path in (ROOT / "benchmarks" / "results").glob("*/*/README.md"))
archive_results = script_modules.load_anew("archive_results")
PROFILE = """==WARNING== Note: caches.
==PROF== Connected to process 6218 (/dev/shm/fusion-call-x/package/bin/fusion)

==PROF== Disconnected from process 6218
[6218] fusion@127.0.0.1
  G4_chain_0 (64, 1, 1)x(128, 1, 1)   
    Duration    us    7.04


    (https://docs.nvidia.com/nsight-compute/ProfilingGuide/index.html#metrics)
"""


def call(number, **phases):
    return {"call": number, "package": "0123456789abcdef", "machine": {}, "runs": [], "phases": phases}


def test_a_folder_becomes_a_record(tmp_path):
    unit = {"outcome": "pass", "kind": "k", "us": 1.23456789012, "predicted_us": 2.0, "line": "by ptxas (/usr/local/cuda/bin/ptxas)"}
    first, second = call(1, features={"f": {"outcome": "pass", "kind": "k"}}), call(2, headlines={"a:G1/f16 chosen": unit})
    files = {
        "summary.md": b"# Two calls\n\n4238 GB/s\n",
        "call1.json": json.dumps(first).encode(),
        "call2.json": json.dumps(second).encode(),
        "call2/profiles/G4.txt": PROFILE.encode(),
        "call2/nvidia-smi.txt": b"GPU UUID",
        "call1/wrong/f/result0.npy": b"\x93NUMPY",
    }
    archive.write(tmp_path / "calls" / "results.tar", files)
    assert archive_results.main([str(tmp_path / "calls"), str(tmp_path / "record")]) == 0
    made = {str(path.relative_to(tmp_path / "record")) for path in (tmp_path / "record").rglob("*") if path.is_file()}
    assert made == {"summary.md", "call1.json", "call2.json", "profiles/G4.txt"}
    kept = json.loads((tmp_path / "record" / "call2.json").read_text())
    assert kept["phases"]["headlines"]["a:G1/f16 chosen"] == unit | {"us": 1.234568, "line": "by ptxas (ptxas)"}
    assert report.summary([first, kept]) == report.summary([first, second])
    text = (tmp_path / "record" / "profiles" / "G4.txt").read_text()
    assert text.splitlines() == [
        "==WARNING== Note: caches.",
        "",
        "  G4_chain_0 (64, 1, 1)x(128, 1, 1)",
        "    Duration    us    7.04",
        "",
        "    (https://docs.nvidia.com/nsight-compute/ProfilingGuide/index.html#metrics)",
    ]


def test_schedules_of_the_plans_that_ran(tmp_path, capsys):
    timings = {"a:G1/f16 chosen": {"outcome": "pass", "kind": "k"}, "a:G2/f16 chosen": {"outcome": "left", "kind": "k"}}
    second = call(2, headlines=timings) | {"machine": {"chip": "h200"}}
    archive.write(tmp_path / "calls" / "results.tar", {"call2.json": json.dumps(second).encode()})
    prepared = tmp_path / "prepared"
    entries = [{"name": name, "folders": {"h200": f"timings/{i}/h200"}} for i, name in enumerate(timings)]
    plan = {"kernels": [{"name": "G1_chain_0", "schedule": "#fuse.schedule<>", "predicted": {"us": 3.5}, "grid": None}]}
    for i in range(2):
        folder = tmp_path / "units" / f"timings/{i}/h200"
        folder.mkdir(parents=True)
        (folder / "plan.json").write_text(json.dumps(plan))
        (folder / "module.mlir").write_text("")
    prepared.mkdir()
    with tarfile.open(prepared / "units.tar.xz", "w:xz") as tar:
        tar.add(tmp_path / "units" / "timings", "timings")
    arguments = [str(tmp_path / "calls"), str(tmp_path / "record"), f"--prepared={prepared}"]
    for fingerprint, code in ((second["package"], 0), ("f" * 16, 1)):
        index = {"version": package.VERSION, "fingerprint": fingerprint, "timings": entries}
        (prepared / "package.json").write_text(json.dumps(index))
        assert archive_results.main(arguments) == code
    assert "has package ffffffffffff" in capsys.readouterr().err
    assert json.loads((tmp_path / "record" / "schedules.json").read_text()) == {
        "a:G1/f16 chosen": [{"kernel": "G1_chain_0", "schedule": "#fuse.schedule<>", "predicted": {"us": 3.5}}]
    }


def test_a_folder_without_results(tmp_path, capsys):
    assert archive_results.main([str(tmp_path), str(tmp_path / "record")]) == 1
    assert "no results" in capsys.readouterr().err and not (tmp_path / "record").exists()


def test_files_lie_beside_the_archive(tmp_path):
    (tmp_path / "summary.md").write_text("text\n")
    assert archive_results.record(archive_results.files_of(tmp_path)) == {"summary.md": "text\n"}


@pytest.mark.parametrize("text, cleaned", [
    ("open /tmp/a-1/b.txt: no", "open b.txt: no"),
    ("4238 GB/s, products_large:G1/f16, 1/2", "4238 GB/s, products_large:G1/f16, 1/2"),
    ("https://a.b/c/d", "https://a.b/c/d"),
    ("(/dev/shm/x/y)", "(y)"),
])  # fmt: skip
def test_paths_become_names(text, cleaned):
    assert archive_results.without_paths(text) == cleaned


def test_json_is_compact_and_whole():
    value = {"b": {str(i): {"x": i, "y": [1.5, "é"]} for i in range(9)}, "a": {}, "c": list(range(100))}
    text = archive_results.written(value)
    assert json.loads(text) == value and text.count("\n") == 14


def test_there_are_records():
    assert RECORDS


@pytest.mark.parametrize("folder", RECORDS, ids=lambda folder: f"{folder.parent.name}/{folder.name}")
def test_records_are_clean_and_described(folder):
    description = (folder / "README.md").read_text()
    for path in folder.rglob("*"):
        if path.suffix in (".json", ".md", ".txt"):
            text = path.read_text()
            assert archive_results.without_paths(text) == text and not re.search(r"process \d+|@127\.", text), path
        if path.is_file() and path.name != "README.md":
            assert path.name in description or f"{path.parent.name}/*" in description, path
        if path.suffix == ".json":
            json.loads(path.read_text())
