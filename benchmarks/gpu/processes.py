# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The two processes a measurement talks to: fusion-run and the PyTorch worker."""

import json
import os
import pathlib
import re
import select
import subprocess
import sys

from calls import children

HERE = pathlib.Path(__file__).parent
WORKER = HERE / "peer_worker.py"


def peer_request(family, workload, do, **more):
    """What the worker needs to know of a workload. Integers are indices: any small bound does."""
    bound = min(workload.inputs[0][0])
    return {
        "do": do,
        "family": family,
        "case": workload.case,
        "dtype": workload.dtype,
        "seed": 1,
        "inputs": [(shape, element, bound) for shape, element in workload.inputs],
        **more,
    }


class PeerProcess:
    """The PyTorch worker, restarted when a request does not end. `missing` says why there is none; `patience`: seconds
    that it has to load PyTorch."""

    def __init__(self, device, log, patience=180):
        self.device, self.log, self.patience = device, log, patience
        self.process = None
        self.info, self.missing = {}, None
        answer = self.ask({"do": "hello"}, patience)
        if not answer["ok"]:
            self.missing = answer["error"]
            self.close()
        else:
            self.info = {key: value for key, value in answer.items() if key != "ok"}

    def _start(self):
        self.process = subprocess.Popen(
            [sys.executable, WORKER],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.log,
            start_new_session=True,
        )

    def _exchange(self, request, limit):
        """One answer, or None when the process ended or did not answer within `limit` seconds."""
        try:
            self.process.stdin.write(json.dumps(request).encode() + b"\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            return None
        ready, _, _ = select.select([self.process.stdout], [], [], limit)
        line = self.process.stdout.readline() if ready else b""
        return json.loads(line) if line else None

    def ask(self, request, limit):
        if self.missing:
            return {"ok": False, "error": self.missing}
        if self.process is None:
            self._start()
            if request["do"] != "hello":
                self._exchange({"do": "hello", "device": self.device}, self.patience)
        answer = self._exchange({**request, "device": self.device}, limit)
        if answer is None:
            self.close()
            return {"ok": False, "error": f"no answer within {limit:.0f} s, or the process ended"}
        return answer

    def close(self):
        if self.process:
            # Compilers that it has started go, too.
            children.kill_group(self.process)
            self.process = None


def _result_number(path):
    """The last number in a file's name: result0.npy before result10.npy."""
    numbers = re.findall(r"\d+", path.stem)
    return int(numbers[-1]) if numbers else 0


class FusionRun:
    """Compiles and runs a module. `missing` says why it cannot."""

    def __init__(self, binary, chip, device):
        self.chip, self.device = chip, device
        self.command, self.missing = [], None
        if binary is None:
            self.missing = "no fusion-run (look for --fusion-run)"
        elif pathlib.Path(binary).name == "fusion":
            self.command = [str(binary), "fusion-run"]
        else:
            self.command = [str(binary)]

    def arguments(self, module, folder, inputs, reference, more=()):
        """The command line for one module; inputs: {number: file}, more: further options."""
        command = [*self.command, str(module), f"--device={self.device}", "--seed=1", *more]
        if self.chip:
            command.append(f"--chip={self.chip}")
        command += [f"--input={number}:{path}" for number, path in sorted(inputs.items())]
        return command + [
            f"--reference={reference}",
            f"--output-dir={folder}",
            f"--json={folder / 'run.json'}",
        ]

    def run(self, module, folder, inputs, reference, limit, more=()):
        """{"us", "kernels", "outputs", "device"} or {"error"}."""
        if self.missing:
            return {"error": self.missing}
        try:
            run = children.run(self.arguments(module, folder, inputs, reference, more), limit)
        except OSError as error:
            return {"error": f"fusion-run: {error}"}
        if run.timed_out:
            return {"error": f"fusion-run did not end within {limit} s"}
        # 2 is a wrong result: there are times and outputs all the same, and `pass` says no.
        if run.code not in (0, 2):
            lines = [line for line in run.err.splitlines() if "error" in line.lower()]
            reason = (lines or run.err.splitlines() or ["no message"])[0]
            return {"error": f"fusion-run ended with {run.code}: {reason}"[:500]}
        try:
            (function,) = json.loads((folder / "run.json").read_text())
            kernels = function["kernels"]
        except (OSError, ValueError, KeyError) as error:
            return {"error": f"fusion-run's JSON: {error}"}
        times = [kernel.get("measured_us") for kernel in kernels]
        us = function.get("measured_us")
        if us is None and times and None not in times:
            us = sum(times)
        keep = ("name", "grid", "block", "cluster", "dynamic_shared_memory", "measured_us")
        answer = {
            "us": us,
            "device": function.get("device_name"),
            "kernels": [{key: kernel.get(key) for key in keep} for kernel in kernels],
            "outputs": sorted(folder.glob("*.result*.npy"), key=_result_number),
        }
        if reference != "none":
            answer["pass"] = run.code == 0 and bool(function.get("pass"))
            answer["max_abs_error"] = function.get("max_abs_error")
        return answer


def find_fusion_run(given):
    """The binary to use: as given, of the portable package, or of the build."""
    root = HERE.parents[1]
    candidates = [given] if given else [root / "bin" / "fusion", root / "build" / "bin" / "fusion-run"]
    for candidate in candidates:
        if os.access(candidate, os.X_OK):
            return pathlib.Path(candidate)
    return None
