# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures rows: every implementation compiles, is checked and is sampled in turn with the others."""

import hashlib
import math
import shutil
import time

from implementations import names as known
from measuring import samples
from measuring.client import Client

# Microseconds that a sample takes at least where calls are shorter, and calls of it at most.
SAMPLE_US, MOST_CALLS = 2000, 1000
# A shorter call comes before the sample, so that the caches hold what they can.
WARM_SECONDS = 0.1
# One that takes this many times as long as the fastest is sampled less often.
SLOW = 10
# Seconds for one compilation, and for one sample.
PREPARE_LIMIT, SAMPLE_LIMIT = 300, 60


def digest(*files):
    """A short name of the contents of files."""
    found = hashlib.sha256()
    for file in files:
        found.update(file.read_bytes())
    return found.hexdigest()[:12]


class Session:
    """options: peers, samples, row_seconds, cores, binaries, work (folder of what is compiled), scratch (folder in
    memory), tvm_trials. library: of limits.build(). log: a file for what libraries print."""

    def __init__(self, options, library, log):
        self.options, self.library, self.log = options, library, log
        self.tools = digest(options.binaries / "fusion-opt", options.binaries / "fusion-translate")
        self.clients, self.best = {}, {}
        self.reference = Client("reference", self._settings(1), log)

    def _settings(self, threads):
        return {
            "threads": threads,
            "cores": self.options.cores,
            "binaries": str(self.options.binaries),
            "tools": self.tools,
            "limits": str(self.library),
            "cache": str(self.options.work),
            "package": str(self.options.binaries.parent / "python"),
            "tvm_trials": self.options.tvm_trials,
        }

    def client(self, name, threads):
        if (name, threads) not in self.clients:
            self.clients[name, threads] = Client(name, self._settings(threads), self.log)
        return self.clients[name, threads]

    def close(self):
        for client in (*self.clients.values(), self.reference):
            client.close()

    def versions(self):
        found = {}
        for client in self.clients.values():
            found.update(client.versions)
        return found

    def close_others(self, threads):
        """Ends the processes of other numbers of threads."""
        for (_, number), client in self.clients.items():
            if number != threads:
                client.close()

    def describe(self, row):
        """{"text", "case", "entry", "inputs", "outputs", "flops", "bytes"}. Raises RuntimeError."""
        if row.set == "blocks":
            answer = self.reference.ask({"do": "describe", "name": row.case, "dtype": row.dtype}, PREPARE_LIMIT)
            if not answer["ok"]:
                raise RuntimeError(answer["error"])
            return answer
        workload = row.workload()
        keys = ("text", "case", "entry", "inputs", "outputs", "flops", "bytes")
        return {key: getattr(workload, key) for key in keys}

    def job(self, row, described):
        """What implementations know of a row, and its folder."""
        folder = self.options.work / f"{row.name}-{hashlib.sha256(described['text'].encode()).hexdigest()[:8]}"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "module.mlir").write_text(described["text"])
        job = {key: described[key] for key in ("case", "entry", "inputs", "outputs")}
        job |= {"row": row.name, "set": row.set, "family": row.family, "dtype": row.dtype}
        return job | {"onnx_error": "not exported", "onnx_inputs": []}, folder

    def measure(self, row, threads, sample=True):
        """The record of a row, as results.py keeps it. sample: whether to measure; otherwise all is compiled only."""
        begin = time.monotonic()
        self.close_others(threads)
        record = {"row": row.name, "set": row.set, "dtype": row.dtype, "threads": threads, "implementations": {}}
        scratch = self.options.scratch / row.name
        scratch.mkdir(parents=True, exist_ok=True)
        try:
            self._measure(row, threads, sample, scratch, record)
        except RuntimeError as error:
            record["error"] = str(error)
        finally:
            shutil.rmtree(scratch, ignore_errors=True)
        record["seconds"] = round(time.monotonic() - begin, 1)
        return record

    def _measure(self, row, threads, sample, scratch, record):
        described = self.describe(row)
        job, folder = self.job(row, described)
        written = sum(math.prod(shape) * known.BYTES[element] for shape, element in described["outputs"])
        record["work"] = {
            "flops": described["flops"],
            "exponentials": row.exponentials(),
            "read": described["bytes"] - written,
            "written": written,
            "dtype": row.dtype,
        }
        answer = self.reference.ask({"do": "write inputs", "job": job, "folder": str(scratch)}, PREPARE_LIMIT)
        if not answer["ok"]:
            raise RuntimeError(f"reference: {answer['error']}")
        inputs = answer["files"]
        if any(name in known.FROM_ONNX for name in self.options.peers) and row.dtype != "bf16":
            answer = self.reference.ask({"do": "export", "job": job, "folder": str(folder)}, PREPARE_LIMIT)
            job["onnx_error"] = None if answer["ok"] else answer["error"]
            job["onnx_inputs"] = answer.get("files", [])
        ready = self._load(job, folder, inputs, scratch, threads, record)
        if sample and "ours" in ready:
            self._sample(ready, threads, record)
        for name in ready:
            self.client(name, threads).ask({"do": "unload"})

    def _load(self, job, folder, inputs, scratch, threads, record):
        """{name: seconds of one call} of the implementations whose results are right."""
        ready = {}
        for name in ("ours", *known.of_set(self.options.peers, record["set"])):
            entry = record["implementations"][name] = {"status": "failed", "message": ""}
            client = self.client(name, threads)
            results = scratch / name
            results.mkdir(exist_ok=True)
            answer = client.ask({"do": "prepare", "job": job, "folder": str(folder)}, PREPARE_LIMIT)
            if answer["ok"]:
                entry |= answer["facts"]
                request = {"do": "load", "job": job, "folder": str(folder), "inputs": inputs, "results": str(results)}
                answer = client.ask(request, PREPARE_LIMIT)
            if not answer["ok"]:
                status = "unavailable" if answer.get("unavailable") else "failed"
                entry |= {"status": status, "message": answer["error"]}
                continue
            request = {"do": "check", "files": answer["files"], "ours": name == "ours"}
            check = self.reference.ask({**request, "finish": name in known.FROM_ONNX}, PREPARE_LIMIT)
            shutil.rmtree(results)
            if not check["ok"]:
                entry["message"] = check["error"]
            elif not check["pass"]:
                entry |= {"status": "wrong", "message": f"largest error {check['max_abs_error']:.2g}"}
            else:
                entry |= {"status": "right", "max_abs_error": check["max_abs_error"]}
                ready[name] = answer["once"]
        return ready

    def _sample(self, ready, threads, record):
        fastest = min(ready.values())
        slow = {name for name, once in ready.items() if once > SLOW * fastest}
        wanted = {name: samples.SLOW_SAMPLES if name in slow else self.options.samples for name in ready}
        calls = {name: max(1, min(MOST_CALLS, round(SAMPLE_US / (once * 1e6)))) for name, once in ready.items()}

        def ask(name):
            request = {"do": "sample", "calls": calls[name], "warm": ready[name] < WARM_SECONDS}
            answer = self.client(name, threads).ask(request, SAMPLE_LIMIT)
            if not answer["ok"]:
                record["implementations"][name] |= {"status": "failed", "message": answer["error"]}
                return None
            return round(answer["seconds"] * 1e6, 3), round(answer["canary"] / 1e9, 2), round(answer["waited"], 3)

        best = self.best.setdefault(threads, [0.0])
        end = time.monotonic() + self.options.row_seconds
        alive = lambda: time.monotonic() < end  # noqa: E731
        for name, taken in samples.take(ask, list(ready), wanted, best, alive=alive).items():
            record["implementations"][name] |= {"calls": calls[name], "samples": taken | {"slow": name in slow}}
