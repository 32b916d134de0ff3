# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The two calls without a GPU: planted children that hang, crash and trap, deadlines that come early, calls that go
on."""

import hashlib
import io
import json
import os
import pathlib
import shutil
import subprocess
import sys
import time

import pytest

HERE = pathlib.Path(__file__).parent
GPU = HERE.parent / "gpu"
sys.path.insert(0, str(GPU))

numpy = pytest.importorskip("numpy")

from calls import archive, children, drawn, journal, package  # noqa: E402
from preparation import packing  # noqa: E402

RIGHT = io.BytesIO()
numpy.save(RIGHT, numpy.full(4, 1.0, numpy.float32))
RIGHT = hashlib.sha256(RIGHT.getvalue()).hexdigest()


class Host:
    """A rehearsal: a fake fusion-run, a prepared folder and results in a temporary one."""

    def __init__(self, folder):
        self.folder, self.results, self.prepared = folder, folder / "results", folder / "prepared"
        self.tree = folder / "tree"
        self.binary = folder / "bin" / "fusion-run"
        self.binary.parent.mkdir()
        lines = (HERE / "fake_plan_run.py").read_text().splitlines()
        self.binary.write_text("\n".join([f"#!{sys.executable}", *lines[1:]]) + "\n")
        self.binary.chmod(0o755)
        (folder / "no-torch").mkdir()
        (folder / "no-torch" / "torch.py").write_text("raise ImportError('torch is hidden')\n")
        self.index = {
            "commit": "c0ffee",
            "date": "",
            "chips": ["sm_90a"],
            "features": [],
            "timings": [],
            "drawn": [],
            "profiles": [],
            "corpus": [],
            "left_out": {},
        }
        self.tree.mkdir()

    def plan(self, name, behaviour, **more):
        folder = self.tree / name
        folder.mkdir(parents=True)
        (folder / "module.mlir").write_text("")
        (folder / "plan.json").write_text(json.dumps({"behaviour": behaviour, **more}))
        return name

    def feature(self, name, behaviour, kind=None):
        self.index["features"].append(
            {
                "name": name,
                "kind": kind or name,
                "feature": f"the feature {name}",
                "folder": self.plan(f"features/{name}", behaviour),
                "options": [],
                "emulated": [RIGHT],
            }
        )

    def timing(
        self,
        case,
        variant,
        behaviour="right",
        us=None,
        predicted=None,
        kinds=(),
        phase="headlines",
        plan="chosen",
        peers=("eager",),
    ):
        self.index["timings"].append(
            {
                "name": f"gemm_chains_mcfuser:{case}/f16 {variant}",
                "family": "gemm_chains_mcfuser",
                "case": case,
                "dtype": "f16",
                "overrides": dict(batch=1, M=32, N=32, K=16, H=16),
                "variant": variant,
                "plan": plan,
                "phase": phase,
                "kinds": {"sm_90a": list(kinds), "h200": list(kinds)},
                "folders": {"sm_90a": self.plan(f"timings/{case}-{variant}", behaviour, us=us)},
                "options": [f"--variant={variant}"],
                "predicted_us": {"sm_90a": predicted},
                "launches": {"sm_90a": 1},
                "peers": list(peers) if variant == "chosen" else [],
            }
        )

    def drawn(self, case, *functions):
        """A workload under many schedules, each as (name, microseconds, what more the fake runs)."""
        known = [{"name": name, "schedule": f"#{name}", "predicted": {"default": 2 * us}} for name, us, _ in functions]
        planned = [{"name": name, "us": us, "value": [1.0, 2.0], **more} for name, us, more in functions]
        folder = self.plan(f"drawn/{case}", "right", functions=planned)
        (self.tree / folder / "functions.json").write_text(json.dumps(known))
        sizes = dict(batch=1, M=32, N=32, K=16, H=16)
        entry = {"family": "gemm_chains_mcfuser", "case": case, "dtype": "f16", "overrides": sizes}
        self.index["drawn"].append(entry | {"folders": {"sm_90a": folder}})

    def pack(self):
        packing.pack(self.tree, None, self.index, self.prepared)

    def run(self, call, *arguments, timeout=60):
        environment = dict(
            os.environ, PYTHONPATH=str(self.folder / "no-torch"), PATH=f"{self.binary.parent}:{os.environ['PATH']}"
        )
        done = subprocess.run(
            [
                sys.executable,
                GPU / "run",
                f"--call={call}",
                "--device=cpu",
                f"--fusion-run={self.binary}",
                f"--results={self.results}",
                f"--prepared={self.prepared}",
                f"--scratch={self.folder / 'scratch'}",
                *arguments,
            ],
            capture_output=True,
            text=True,
            env=environment,
            timeout=timeout,
        )
        assert "Traceback" not in done.stderr, done.stderr
        assert not any((self.folder / "scratch").glob("*"))
        return done.returncode, done.stdout + done.stderr

    def calls(self):
        path = self.binary.with_name("calls")
        return [line.split()[0] for line in path.read_text().splitlines()] if path.exists() else []

    def journal(self, call=1):
        """Out of the archive, which is what comes back."""
        return json.loads(archive.read(self.results / journal.ARCHIVE)[f"call{call}.json"])

    def outcomes(self, phase, call=1):
        return {name: unit["outcome"] for name, unit in self.journal(call)["phases"][phase].items()}

    def summary(self):
        return (self.results / "summary.md").read_text()


@pytest.fixture
def host(tmp_path):
    return Host(tmp_path)


def test_features_that_hang_crash_and_trap(host):
    for name, behaviour in (
        ("copies", "right"),
        ("products", "wrong"),
        ("multicast", "trap"),
        ("turns", "hang"),
        ("windows", "crash"),
        ("gather", "fail"),
        ("clusters", "trap-in-timing"),
        ("last", "right"),
    ):
        host.feature(name, behaviour)
    host.feature("multicast-again", "right", kind="multicast")
    host.feature("turns-again", "right", kind="turns")
    host.pack()
    status, text = host.run(1, "--case-limit=2")
    assert status == 2, text
    assert host.outcomes("features") == {
        "copies": "pass",
        "products": "wrong",
        "multicast": "trapped",
        "turns": "hung",
        "windows": "crashed",
        "gather": "crashed",
        "clusters": "trapped",
        "last": "pass",
        "multicast-again": "skipped",
        "turns-again": "skipped",
    }
    units = host.journal()["phases"]["features"]
    assert (
        "ILLEGAL_INSTRUCTION" in units["multicast"]["message"] and "it had no results" in units["multicast"]["message"]
    )
    assert "its results were right" in units["clusters"]["message"]
    assert "SIGSEGV" in units["windows"]["message"] and "this is broken" in units["gather"]["message"]
    assert "4 elements differ, by 1.0" in units["products"]["message"]
    assert (units["copies"]["bits"], units["products"]["bits"]) == ("equal", "different")
    # The child of the one that hangs is gone, too.
    for pid in host.binary.with_name("children").read_text().split():
        assert (
            not pathlib.Path(f"/proc/{pid}").exists() or "Z" in pathlib.Path(f"/proc/{pid}/stat").read_text().split()[2]
        )
    members = archive.read(host.results / journal.ARCHIVE)
    assert {
        "call1.json",
        "summary.md",
        "log.txt",
        "call1/wrong/products/f.result0.npy",
        "call1/wrong/products/f.reference0.npy",
    } <= set(members)
    assert sorted(path.name for path in host.results.iterdir()) == [
        "call1.json",
        "log.txt",
        "results.tar",
        "summary.md",
    ]
    # What is wrong comes first, the worst at the top, and each line says which.
    wrong = host.summary().split("## What is wrong")[1].split("##")[0]
    order = [wrong.index(f"| {name} |") for name in ("products", "clusters", "turns", "windows")]
    assert order == sorted(order) and "| copies |" not in wrong
    assert "skipped: turns-again, since 'turns' of this kind hung" in host.summary()


def test_nothing_is_tried_twice(host):
    for name, behaviour in (("copies", "right"), ("multicast", "trap"), ("turns", "hang"), ("products", "wrong")):
        host.feature(name, behaviour)
    host.pack()
    host.run(1, "--case-limit=1")
    # Features run side by side: which of them begins first is left open.
    assert sorted(host.calls()) == ["copies", "multicast", "products", "turns"]
    status, text = host.run(1, "--case-limit=1")
    assert status == 2 and "4 of them known" in text and len(host.calls()) == 4
    # The archive alone is enough to go on.
    (host.results / "call1.json").unlink()
    host.run(1)
    assert len(host.calls()) == 4 and len(host.journal()["runs"]) == 3
    assert "call1/wrong/products/f.result0.npy" in archive.read(host.results / journal.ARCHIVE)


def test_other_plans_begin_anew(host):
    host.feature("turns", "trap")
    host.pack()
    host.run(1)
    shutil.rmtree(host.tree)
    host.tree.mkdir()
    host.index["features"].clear()
    host.feature("turns", "right")
    host.index["contents"] = "others"
    host.pack()
    status, _ = host.run(1)
    assert status == 0 and host.outcomes("features") == {"turns": "pass"}
    earlier = [name for name in archive.read(host.results / journal.ARCHIVE) if name.startswith("earlier/")]
    assert len(earlier) == 1 and earlier[0].endswith("/call1.json")


def test_a_deadline_that_comes_early(host):
    for number in range(40):
        host.feature(f"case{number}", "right")
    host.feature("slow", "hang")
    host.pack()
    begin = time.monotonic()
    status, text = host.run(1, "--seconds=5")
    assert time.monotonic() - begin < 9, "the call is over in time"
    assert status == 0 and "time is up: call again to go on" in text
    outcomes = host.outcomes("features")
    assert len(outcomes) == 41 and {"pass", "left"} == set(outcomes.values()) and outcomes["case0"] == "pass"
    assert "no time for" in host.summary() and "case39" in host.summary().split("## What was not tried")[1]
    done = sum(outcome == "pass" for outcome in outcomes.values())
    host.run(1, "--seconds=6")
    assert sum(outcome == "pass" for outcome in host.outcomes("features").values()) > done
    assert len(host.calls()) == len(set(host.calls()))


def test_a_call_that_is_killed(host):
    """What ran then counts as hung and is not tried again."""
    host.feature("copies", "right")
    host.feature("turns", "hang")
    host.feature("last", "right")
    host.pack()
    with pytest.raises(subprocess.TimeoutExpired):
        host.run(1, timeout=4)
    data = json.loads((host.results / "call1.json").read_text())["phases"]["features"]
    assert (data["copies"]["outcome"], data["turns"]["outcome"]) == ("pass", "started")
    shutil.rmtree(host.folder / "scratch")
    host.run(1)
    assert host.outcomes("features") == {"copies": "pass", "turns": "hung", "last": "pass"}
    assert host.calls().count("turns") == 1
    for pid in host.binary.with_name("children").read_text().split():
        subprocess.run(["kill", "-9", pid], stderr=subprocess.DEVNULL)


def test_timings_variants_and_predictions(host):
    for case, times in (("G1", (10.0, 12.0, 20.0)), ("G2", (40.0, 30.0, 50.0))):
        host.timing(case, "chosen", us=times[0], predicted=8.0 if case == "G1" else 20.0)
        for rank in (2, 3):
            host.timing(
                case, f"rank-{rank}", us=times[rank - 1], predicted=8.0 + rank, phase="variants", plan=f"rank-{rank}"
            )
    host.timing("G3", "chosen", behaviour="wrong", us=1.0, predicted=1.0)
    host.timing("G4", "chosen", behaviour="trap")
    host.timing("G4", "active-16", phase="variants")
    host.pack()
    status, text = host.run(2)
    assert status == 2, text
    assert host.outcomes("headlines", 2)["gemm_chains_mcfuser:G3/f16 chosen"] == "wrong"
    # The same plan under another number of clusters.
    assert host.outcomes("variants", 2)["gemm_chains_mcfuser:G4/f16 active-16"] == "skipped"
    assert set(host.outcomes("headlines", 2).values()) >= {"pass", "skipped"}, "peers are said to be missing"
    assert any("--variant=rank-2" in line for line in host.binary.with_name("calls").read_text().splitlines())
    summary = host.summary()
    assert "no PyTorch" in summary and "torch is hidden" in summary
    assert "| gemm_chains_mcfuser:G1/f16 | chosen | 10.00 |  |  | 8.00 | 1.25 |" in summary
    assert "| gemm_chains_mcfuser:G1/f16 | 3 | 1.00 | 1.00 |" in summary
    assert "| gemm_chains_mcfuser:G2/f16 | 3 | 0.50 | 0.75 |" in summary
    assert "| all workloads, chosen | 2 | 1.00 |" in summary


def test_many_schedules(host):
    """Times stay, whatever becomes of the other schedules."""
    host.drawn("G1", ("chosen", 8.0, {}), ("rank_2", 6.0, {}), ("draw_0", 9.0, {}))
    host.drawn("G2", ("chosen", 8.0, {}), ("rank_2", 1.0, {"value": [1.0, 2.1]}), ("draw_0", 7.0, {}))
    host.drawn("G3", ("chosen", 8.0, {}), ("rank_2", 5.0, {"behaviour": "trap"}), ("draw_0", 4.0, {}))
    host.pack()
    status, text = host.run(2)
    assert status == 2, text
    units = host.journal(2)["phases"]["drawn"]
    right, wrong, trapped = (units[f"gemm_chains_mcfuser:{case}/f16 schedules"] for case in ("G1", "G2", "G3"))
    assert right["outcome"] == "pass" and right["line"] == "3 of 3, rank_2 6.00 us, chosen 8.00, unchecked"
    assert right["functions"]["rank_2"] == {
        "us": 6.0,
        "difference": 0.0,
        "predicted": {"default": 12.0},
        "schedule": "#rank_2",
    }
    assert wrong["outcome"] == "wrong" and wrong["message"] == "other results than chosen: rank_2"
    assert wrong["functions"]["rank_2"]["difference"] == pytest.approx(0.0447, rel=1e-2)
    assert trapped["outcome"] == "trapped" and "rank_2: error: kernel 'k' did not run" in trapped["message"]
    assert "(behind 1 of 3)" in trapped["message"] and list(trapped["functions"]) == ["chosen"]
    lines = host.summary().split("### Many schedules")[1].split("##")[0]
    assert "| G1" not in lines and "G1/f16 schedules | default | 3 | 1.00 | 100% | 6.00 (rank_2) | 8.00 | 0.75 |" in lines
    assert "G2/f16 schedules | default | 2 | 1.00 | 100% | 7.00 (draw_0) | 8.00 | 0.88 |" in lines, "no wrong result"
    assert "G3/f16 schedules | default | 1 | - | 100% | 8.00 (chosen) | 8.00 | 1.00 |" in lines


def test_schedules_that_lack_time(host):
    """A unit whose time is over passes with what it has, unless a function has hung for some seconds."""
    host.drawn("G1", ("chosen", 8.0, {}), ("rank_2", 6.0, {"seconds": 0.5}), ("draw_0", 9.0, {"seconds": 60}))
    host.drawn("G2", ("chosen", 8.0, {"seconds": 60}))
    host.pack()
    host.run(2, "--case-limit=3")
    units = host.journal(2)["phases"]["drawn"]
    lacking, none = (units[f"gemm_chains_mcfuser:{case}/f16 schedules"] for case in ("G1", "G2"))
    assert lacking["outcome"] == "pass" and lacking["message"] == "no time for 1 of 3"
    assert lacking["line"].startswith("2 of 3, rank_2 6.00 us") and list(lacking["functions"]) == ["chosen", "rank_2"]
    assert none["outcome"] == "hung" and none["message"].startswith("chosen: no end within 3 s (behind 0 of 1)")


def test_a_schedule_that_hangs():
    functions = [{"name": name} for name in ("chosen", "rank_2", "draw_0")]
    ended = children.Ended(None, 20.0, "", "")
    times = {"chosen": 8.0}
    assert drawn.ended_as(ended, times, functions, [], 2.0) == ("pass", "no time for 2 of 3")
    outcome, message = drawn.ended_as(ended, times, functions, [], 12.0)
    assert outcome == "hung" and message == "rank_2: no end within 20 s (behind 1 of 3)"


def test_differences_of_schedules():
    """By the worst row: one wrong row of many shows, roundings do not."""
    results = numpy.random.default_rng(1).standard_normal((256, 64)).astype(numpy.float16)
    rounded = (results.astype(numpy.float32) * (1 + 2.0**-11)).astype(numpy.float16)
    assert drawn.difference([rounded], [results]) < drawn.MOST_DIFFERENCE / 4
    for wrong in (results[7, ::-1], 0.0, numpy.nan):
        other = results.copy()
        other[7] = wrong
        assert drawn.difference([other], [results]) > drawn.MOST_DIFFERENCE
    assert drawn.difference([numpy.zeros((4, 4))], [numpy.zeros((4, 4))]) == 0.0
    assert drawn.difference([numpy.float32(1.0)], [numpy.float32(1.0)]) == 0.0


def test_timings_heed_the_first_call(host):
    """What no case of a kind has survived is not timed."""
    host.feature("multicast-8-a", "trap", kind="multicast in clusters of 8")
    host.feature("load-a", "right", kind="TMA load")
    host.feature("load-b", "trap", kind="TMA load")
    host.timing("G1", "chosen", kinds=("multicast in clusters of 8", "TMA load"))
    host.timing("G2", "chosen", us=3.0, kinds=("TMA load",))
    host.pack()
    host.run(1)
    host.run(2)
    outcomes = host.outcomes("headlines", 2)
    assert (
        outcomes["gemm_chains_mcfuser:G1/f16 chosen"] == "skipped"
        and outcomes["gemm_chains_mcfuser:G2/f16 chosen"] == "pass"
    )
    assert "G1-chosen" not in host.calls()
    assert sorted(path.name for path in host.results.iterdir()) == [
        "call1.json",
        "call2.json",
        "log.txt",
        "results.tar",
        "summary.md",
    ]
    assert "## Features" in host.summary() and "## Timings" in host.summary()


def test_bad_packages(host):
    status, text = host.run(1)
    assert status == 1 and "is not prepared" in text
    host.pack()
    status, text = host.run(1, "--chip=sm_80")
    assert status == 1 and "prepared for sm_90a, not for sm_80" in text
    assert host.journal()["machine"]["chip"] == "sm_80"


@pytest.mark.parametrize("name, chip", [("NVIDIA H100 80GB HBM3", "sm_90a"), ("NVIDIA H200", "h200")])
def test_h100_and_h200(host, name, chip):
    """On a host with nvidia-smi but no driver that Python could load: what does not need it is tried."""
    smi = host.binary.with_name("nvidia-smi")
    smi.write_text(f'#!/bin/sh\necho "{name}, 580.65.06, 9.0, 81559 MiB, 1980 MHz, 700.00 W"\n')
    smi.chmod(0o755)
    host.index["chips"] = ["sm_90a", "h200"]
    host.feature("copies", "right")
    host.timing("G1", "chosen", us=5.0)
    host.timing("G1", "active-16", us=5.0)
    entry = host.index["timings"][0]
    entry["folders"]["h200"] = host.plan("timings/of-h200", "right", us=4.0)
    entry["predicted_us"]["h200"] = 2.0
    host.pack()
    missing = f"--driver={host.folder / 'none.so'}"
    assert host.run(1, "--device=cuda", missing)[0] == 1 and host.outcomes("features") == {"copies": "pass"}
    assert host.outcomes("device") == {"nvidia-smi": "pass", "driver": "crashed"}
    assert host.run(2, "--device=cuda", missing)[0] == 1
    assert host.journal(2)["machine"]["gpu"]["name"] == name and host.journal(2)["machine"]["chip"] == chip
    assert host.calls() == ["copies", *(["of-h200"] if chip == "h200" else ["G1-chosen", "G1-active-16"])]
    if chip == "h200":
        assert "active-16" not in str(host.outcomes("headlines", 2)), "what is not compiled for the chip"
    assert "nvidia-smi.txt" in " ".join(archive.read(host.results / journal.ARCHIVE))
    assert f"{name}; compiled for {chip}; driver 580.65.06" in host.summary() and "no CUDA driver" in host.summary()


def script(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


def test_profiles_and_microbenchmarks(host):
    script(
        host.binary.with_name("nvidia-smi"),
        'echo "NVIDIA H100 80GB HBM3, 580.65.06, 9.0, 81559 MiB, 1980 MHz, 700.00 W"',
    )
    script(
        host.binary.with_name("ncu"),
        'for word; do case "$word" in --log-file=*) echo "stalls: $*" > "${word#--log-file=}" ;; esac; done',
    )
    programs = host.tree / "fusion-portable" / "benchmarks" / "gpu" / "microbenchmarks" / "bin"
    script(programs / "Bulk", """echo '{"name": "bulk_bandwidth", "value": 2900, "unit": "GB/s"}'""")
    script(programs / "Clusters", "echo an illegal instruction was encountered >&2; exit 1")
    host.timing("G1", "chosen", us=5.0)
    host.timing("G2", "chosen", behaviour="trap")
    host.index["profiles"] = [f"gemm_chains_mcfuser:{case}/f16 chosen" for case in ("G1", "G2")]
    host.pack()
    assert host.run(2, "--device=cuda", f"--driver={host.folder / 'none.so'}")[0] == 1
    assert host.outcomes("profile", 2) == {
        "gemm_chains_mcfuser:G1/f16 ncu": "pass",
        "gemm_chains_mcfuser:G2/f16 ncu": "skipped",
    }
    text = archive.read(host.results / journal.ARCHIVE)["call2/profiles/gemm_chains_mcfuser-G1-f16.txt"].decode()
    assert "--launch-count=1" in text and "plan.json" in text and "--device=cuda" in text
    assert host.outcomes("chip", 2) == {"Bulk": "pass", "Clusters": "trapped"}
    assert "| bulk_bandwidth | 2900 | GB/s |" in host.summary()


def test_a_folder_that_does_not_travel(host, monkeypatch):
    monkeypatch.setattr(package, "MOST_BYTES", 100)
    with pytest.raises(RuntimeError, match="at most 100 travel"):
        host.pack()
    assert not host.prepared.exists()
