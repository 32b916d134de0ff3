# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A worker's process, seen from the run."""

import json
import os
import pathlib
import select
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "gpu"))

from calls import children  # noqa: E402

WORKER = pathlib.Path(__file__).resolve().parent / "worker.py"
# Seconds that a library has to load.
PATIENCE = 180


class Client:
    """One implementation with one number of threads; its process starts with the first request, and again after a
    failure."""

    def __init__(self, name, settings, log):
        self.name, self.settings, self.log = name, settings, log
        self.process, self.versions = None, {}

    def _start(self):
        threads = str(self.settings["threads"])
        environment = os.environ | {
            "OMP_NUM_THREADS": threads,
            "MKL_NUM_THREADS": threads,
            "TVM_NUM_THREADS": threads,
            # All arrays have small pages, NumPy's as PyTorch's.
            "NUMPY_MADVISE_HUGEPAGE": "0",
            "TORCHINDUCTOR_CACHE_DIR": f"{self.settings['cache']}/inductor",
        }
        self.process = subprocess.Popen(
            [sys.executable, WORKER, self.name, json.dumps(self.settings)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.log,
            env=environment,
            start_new_session=True,
        )
        answer = self._exchange({"do": "hello"}, PATIENCE)
        if answer.get("ok"):
            self.versions = answer["versions"]
        return answer

    def _exchange(self, request, limit):
        try:
            self.process.stdin.write(json.dumps(request).encode() + b"\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            pass  # it may have left an answer that says why
        ready, _, _ = select.select([self.process.stdout], [], [], limit)
        line = self.process.stdout.readline() if ready else b""
        return json.loads(line) if line else {"error": f"no answer within {limit:g} s" if not ready else self._end()}

    def _end(self):
        code = self.process.wait()
        return f"the process ended with {code}"

    def ask(self, request, limit=PATIENCE):
        """The answer, {"ok": false, "error"} where the process failed."""
        if self.process is None:
            answer = self._start()
            if not answer.get("ok"):
                self.close()
                return {"ok": False, **answer}
        answer = self._exchange(request, limit)
        if "ok" not in answer:
            self.close()
            return {"ok": False, **answer}
        return answer

    def close(self):
        if self.process:
            # Compilers that it has started go, too.
            children.kill_group(self.process)
            self.process = None
