# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How rows are measured, with processes that only answer; and a process that ends, hangs and refuses."""

import argparse
import pathlib
import re
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "cpu"))

from measuring import client, rows, session  # noqa: E402

(ROW,) = rows.chosen(re.compile("^chains mcfuser-G1-f32"))


class FakeClient:
    """Answers as a worker does. `once`: seconds of a call by name; `problems`: (name, request) → answer."""

    once, problems, asked = {}, {}, []

    def __init__(self, name, settings, log):
        self.name, self.settings, self.versions, self.closed = name, settings, {name: "1"}, False

    def ask(self, request, limit=0):
        self.asked.append((self.name, request["do"], self.settings["threads"]))
        if (self.name, request["do"]) in self.problems:
            return {"ok": False} | self.problems[self.name, request["do"]]
        answers = {
            "write inputs": {"files": ["a.npy"]},
            "export": {"files": ["b.npy"]},
            "prepare": {"facts": {"kernels": 1} if self.name == "ours" else {}},
            "load": {"files": [self.name], "once": self.once.get(self.name, 1e-3)},
            "check": {"max_abs_error": 0.5, "pass": request.get("files") != ["iree"]},
            "sample": {"seconds": self.once.get(self.name, 1e-3), "canary": 100e9, "waited": 0.0},
            "unload": {},
        }
        return {"ok": True} | answers[request["do"]]

    def close(self):
        self.closed = True


@pytest.fixture
def running(tmp_path, monkeypatch):
    monkeypatch.setattr(session, "Client", FakeClient)
    monkeypatch.setattr(session, "digest", lambda *files: "0")
    for name, value in (("once", {}), ("problems", {}), ("asked", [])):
        monkeypatch.setattr(FakeClient, name, value)
    options = argparse.Namespace(peers=["eager", "iree", "sdpa", "onnxruntime"], samples=5, row_seconds=60, cores=2,
                                 binaries=tmp_path, work=tmp_path / "work", scratch=tmp_path / "scratch",
                                 tvm_trials=0)  # fmt: skip
    return session.Session(options, tmp_path / "limits.so", None)


def test_a_row(running):
    record = running.measure(ROW, 2)
    assert list(record["implementations"]) == ["ours", "eager", "iree", "onnxruntime"]
    ours, eager = record["implementations"]["ours"], record["implementations"]["eager"]
    assert ours["status"] == "right" and ours["kernels"] == 1 and ours["calls"] == 2
    assert eager["samples"]["us"] == [1000.0] * 5 and eager["samples"]["canary"] == [100.0] * 5
    assert record["implementations"]["iree"]["status"] == "wrong"
    assert record["work"]["flops"] == ROW.workload().flops
    assert record["work"]["read"] + record["work"]["written"] == ROW.workload().bytes
    assert ("iree", "sample", 2) not in FakeClient.asked and ("eager", "unload", 2) in FakeClient.asked
    assert not list(running.options.scratch.iterdir())
    (folder,) = running.options.work.iterdir()
    assert (folder / "module.mlir").read_text() == ROW.workload().text


def test_samples_alternate(running):
    running.measure(ROW, 1)
    order = [name for name, do, _ in FakeClient.asked if do == "sample"]
    assert order[:6] == ["ours", "eager", "onnxruntime", "eager", "onnxruntime", "ours"]


def test_a_slow_peer_has_fewer_samples(running):
    FakeClient.once = {"ours": 1e-3, "eager": 1.1e-2, "onnxruntime": 5e-3}
    found = running.measure(ROW, 1)["implementations"]
    assert [len(found[name]["samples"]["us"]) for name in ("ours", "eager", "onnxruntime")] == [5, 3, 5]
    assert found["eager"]["samples"]["slow"] and not found["ours"]["samples"]["slow"]


def test_reasons_are_kept(running):
    FakeClient.problems = {
        ("eager", "load"): {"error": "no bf16", "unavailable": True},
        ("reference", "export"): {"error": "no operator"},
        ("onnxruntime", "sample"): {"error": "the process ended"},
    }
    found = running.measure(ROW, 1)["implementations"]
    assert (found["eager"]["status"], found["eager"]["message"]) == ("unavailable", "no bf16")
    assert (found["onnxruntime"]["status"], found["onnxruntime"]["message"]) == ("failed", "the process ended")
    assert len(found["ours"]["samples"]["us"]) == 5


def test_without_ours_nothing_is_sampled(running):
    FakeClient.problems = {("ours", "prepare"): {"error": "cannot"}}
    record = running.measure(ROW, 1)
    assert record["implementations"]["ours"]["status"] == "failed"
    assert not [do for _, do, _ in FakeClient.asked if do == "sample"]


def test_without_a_reference_the_row_has_an_error(running):
    FakeClient.problems = {("reference", "write inputs"): {"error": "no PyTorch"}}
    assert running.measure(ROW, 1)["error"] == "reference: no PyTorch"


def test_preparing_takes_no_samples(running):
    record = running.measure(ROW, 1, sample=False)
    assert record["implementations"]["ours"]["status"] == "right"
    assert not [do for _, do, _ in FakeClient.asked if do == "sample"]


def test_processes_of_other_numbers_of_threads_end(running):
    running.measure(ROW, 1)
    running.measure(ROW, 2)
    assert running.clients["ours", 1].closed and not running.clients["ours", 2].closed
    running.close()
    assert running.clients["ours", 2].closed and running.reference.closed


WORKER = """
import json, sys, time
for line in sys.stdin:
    request = json.loads(line)
    if request["do"] == "hello":
        print(json.dumps({"ok": True, "versions": {"fake": "1"}}), flush=True)
    elif request["do"] == "sleep":
        time.sleep(60)
    elif request["do"] == "end":
        sys.exit(3)
    else:
        print(json.dumps({"ok": False, "error": "no", "unavailable": True}), flush=True)
"""


def test_a_process(tmp_path, monkeypatch):
    worker = tmp_path / "worker.py"
    worker.write_text(WORKER)
    monkeypatch.setattr(client, "WORKER", worker)
    settings = {"threads": 1, "cache": str(tmp_path)}
    one = client.Client("fake", settings, None)
    try:
        assert one.ask({"do": "refuse"}) == {"ok": False, "error": "no", "unavailable": True}
        assert one.versions == {"fake": "1"}
        assert one.ask({"do": "end"}) == {"ok": False, "error": "the process ended with 3"}
        # It starts again.
        assert one.ask({"do": "refuse"})["error"] == "no"
        assert one.ask({"do": "sleep"}, 0.2) == {"ok": False, "error": "no answer within 0.2 s"}
        assert one.process is None
    finally:
        one.close()


def test_a_library_that_is_missing(tmp_path):
    settings = {"threads": 1, "cache": str(tmp_path)}
    one = client.Client("nobody", settings, None)
    try:
        answer = one.ask({"do": "hello"})
        assert not answer["ok"] and "nobody" in answer["error"]
    finally:
        one.close()


def test_digests_follow_contents(tmp_path):
    file = tmp_path / "tool"
    file.write_bytes(b"a")
    first = session.digest(file)
    file.write_bytes(b"b")
    assert first != session.digest(file) and len(first) == 12
