# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A process of one implementation with one number of threads. Reads a JSON request per line, answers with a line.

    worker.py IMPLEMENTATION SETTINGS     settings as JSON

    {"do": "hello"}
    {"do": "prepare", "job", "folder"}
    {"do": "load", "job", "folder", "inputs": [files], "results": folder}     computes once, writes results
    {"do": "sample", "calls": number, "warm": whether one more call comes before}
    {"do": "unload"}
    {"do": "write inputs", "job", "folder"}, {"do": "check", "files", "ours", "finish"}     of the reference
    {"do": "export", "job", "folder"}, {"do": "describe", "name", "dtype"}

An answer is {"ok": true, ...} or {"ok": false, "error": reason, "unavailable": whether the reason is a known limit}.
"""

import gc
import glob
import importlib
import importlib.metadata
import json
import os
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from implementations import base  # noqa: E402
from measuring import limits  # noqa: E402

IMPLEMENTATIONS = {
    "ours": ("native", "Native"),
    "eager": ("torch_peers", "Eager"),
    "compile": ("torch_peers", "Compile"),
    "autotune": ("torch_peers", "Autotune"),
    "frozen": ("torch_peers", "Frozen"),
    "sdpa": ("torch_peers", "Sdpa"),
    "mkldnn": ("torch_peers", "Mkldnn"),
    "onnxruntime": ("onnx_peers", "OnnxRuntime"),
    "onnxruntime-frozen": ("onnx_peers", "OnnxRuntimeFrozen"),
    "iree": ("iree_peers", "Iree"),
    "tvm": ("tvm_peers", "Tvm"),
    "reference": ("torch_peers", "Reference"),
}
# Seconds after which threads that wait for more work have gone to sleep, so that a canary has the cores.
SPINNING = 0.004


def waiting_seconds():
    """How long this process's threads have waited for a core that another program had."""
    waited = 0
    for file in glob.glob("/proc/self/task/*/schedstat"):
        try:
            with open(file) as opened:
                waited += int(opened.read().split()[1])
        except (OSError, IndexError):
            pass  # the thread has ended, or the system does not tell
    return waited * 1e-9


class Worker:
    def __init__(self, name, settings):
        module, member = IMPLEMENTATIONS[name]
        base.keep_freed_memory()
        self.threads = settings["threads"]
        self.limits = limits.Limits(settings["limits"]) if settings.get("limits") else None
        self.implementation = getattr(importlib.import_module(f"implementations.{module}"), member)(settings)
        self.function = None

    def hello(self, request):
        return {"versions": {name: importlib.metadata.version(name) for name in self.implementation.versions}}

    def prepare(self, request):
        begin = time.monotonic()
        facts = self.implementation.prepare(request["job"], pathlib.Path(request["folder"]))
        return {"facts": facts, "prepare_seconds": time.monotonic() - begin}

    def load(self, request):
        import numpy as np

        begin = time.monotonic()
        inputs = [np.load(file) for file in request["inputs"]]
        self.function = self.implementation.load(request["job"], pathlib.Path(request["folder"]), inputs)
        result = self.function()
        first = time.monotonic() - begin
        files = []
        for number, array in enumerate(self.implementation.results(result)):
            files.append(f"{request['results']}/result{number}.npy")
            np.save(files[-1], array)
        del result
        begin = time.perf_counter()
        self.function()
        return {"files": files, "load_seconds": first, "once": time.perf_counter() - begin}

    def sample(self, request):
        """The mean of some calls, with canaries before and after."""
        function, calls = self.function, range(request["calls"])
        before = self.limits.canary(self.threads)
        if request["warm"]:
            function()
        waited = waiting_seconds()
        begin = time.perf_counter()
        for _ in calls:
            function()
        seconds = time.perf_counter() - begin
        waited = (waiting_seconds() - waited) / seconds
        time.sleep(SPINNING)
        canary = min(before, self.limits.canary(self.threads))
        return {"seconds": seconds / len(calls), "canary": canary, "waited": waited}

    def unload(self, request):
        self.function = None
        self.implementation.close()
        gc.collect()
        return {}

    def describe(self, request):
        return self.implementation.describe(request["name"], request["dtype"])

    def write_inputs(self, request):
        return {"files": self.implementation.write_inputs(request["job"], pathlib.Path(request["folder"]))}

    def check(self, request):
        return self.implementation.check(request["files"], request["ours"], request["finish"])

    def export(self, request):
        return {"files": self.implementation.export(request["job"], pathlib.Path(request["folder"]))}

    def answer(self, request):
        try:
            return {"ok": True, **getattr(self, request["do"].replace(" ", "_"))(request)}
        # Whatever a library raises is an answer: the next row may well succeed.
        except Exception as error:  # noqa: BLE001
            lines = str(error).strip().splitlines() or [""]
            known = isinstance(error, base.Unavailable)
            reason = lines[0] if known else f"{type(error).__name__}: {lines[0]}"
            return {"ok": False, "error": reason[:500], "unavailable": known}


def main():
    # Libraries print what they like; only answers go to the pipe.
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    try:
        worker = Worker(sys.argv[1], json.loads(sys.argv[2]))
    except Exception as error:  # noqa: BLE001
        print(json.dumps({"ok": False, "error": f"{type(error).__name__}: {error}"[:500]}), file=answers, flush=True)
        return 1
    for line in sys.stdin:
        print(json.dumps(worker.answer(json.loads(line))), file=answers, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
