# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The third phase of the first call: the emulator's corpus, bit by bit."""

import argparse
import importlib.util
import shutil
import sys

import cuda_driver
import script_modules

from . import children
from .phases import Phase, Unit

VERDICTS = {"equal": children.PASS, "right": children.PASS, "left out": children.SKIPPED}


def outcome_of(row):
    """The outcome of a line of the corpus's table."""
    verdict, remark = row["verdict"], row["remark"]
    if verdict in VERDICTS:
        return VERDICTS[verdict]
    if verdict in ("WRONG", "DIFFERENT"):
        return children.WRONG
    if remark.startswith("no answer"):
        return children.HUNG
    return children.TRAPPED if children.TRAPS.search(remark) else children.CRASHED


def phase(context):
    """Kernels for which the package has the emulator's results."""
    names = context.package.index["corpus"]
    folder = next((place for place in script_modules.load("corpus").CORPORA if place.is_dir()), None)
    if not names or folder is None:
        return Phase("corpus", [])
    if importlib.util.find_spec("numpy") is None:
        context.log("corpus: left out, there is no NumPy")
        return Phase("corpus", [])
    sys.path.insert(0, str(folder))
    worker = CorpusWorker(context)
    context.at_end.append(worker.stop)
    return Phase(
        "corpus",
        [Unit(name, lambda limit, name=name: worker.check(name, limit), estimate=1, limit=12) for name in names],
    )


class CorpusWorker:
    """A process with a CUDA context, replaced after an error."""

    def __init__(self, context):
        self.context, self.worker = context, None

    def start(self, limit):
        script = script_modules.load("corpus")
        context = self.context
        options = argparse.Namespace(
            driver=context.driver[0] if context.driver else "libcuda.so.1",
            ptxas=shutil.which("ptxas", path=context.environment["PATH"]),
            limit=limit,
            emulated=context.units / "corpus",
        )
        self.worker = script.Worker(
            options, context.fusion_emulate, script.EmulatedDevice if context.is_rehearsal else cuda_driver.Device
        )
        self.worker.start()

    def check(self, name, limit):
        if self.worker is None:
            self.start(limit)
        self.worker.options.limit = limit
        row = self.worker.compare(name)
        result = {"outcome": outcome_of(row), "message": row["remark"], "verdict": row["verdict"]}
        for key in ("differ", "total", "cases"):
            if key in row:
                result[key] = row[key]
        if "total" in row:
            result["line"] = (
                f"{row['verdict']}, {row['differ']} of {row['total']} bytes differ {row['remark']}".rstrip()
            )
        return result

    def stop(self):
        if self.worker:
            self.worker.stop()
