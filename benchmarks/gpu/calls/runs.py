# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One run of fusion-run on a prepared plan, in a process of its own."""

import hashlib
import json
import pathlib
import re
import shutil
import tempfile

from . import children

# Results and references of wrong units that go into the archive.
MOST_ATTACHED = 256 * 1024


def results_of(folder, what="result", entry="*"):
    """The files of a function's results in their order."""
    return sorted(folder.glob(f"{entry}.{what}*.npy"), key=lambda path: int(re.findall(r"\d+", path.stem)[-1]))


def digests(folder):
    return [hashlib.sha256(path.read_bytes()).hexdigest() for path in results_of(folder)]


def reports_of(path):
    """The functions of fusion-run's JSON, as far as it came."""
    try:
        return json.loads(path.read_text())
    except (OSError, ValueError):
        return []


def report_of(path):
    """The only function of fusion-run's JSON; {} where it did not come so far."""
    functions = reports_of(path)
    return functions[0] if len(functions) == 1 else {}


def came_to(report, output):
    """How far a run came that did not end well: results are written before they are timed."""
    compared = [one["mismatches"] for one in report.get("results") or () if one.get("mismatches") is not None]
    if compared:
        return "its results were wrong" if any(compared) else "its results were right"
    return "its results were not compared" if results_of(output) else "it had no results"


def execute(context, folder, options, limit, reference="cpu"):
    """(how fusion-run ended, folder with run.json and the outputs). The folder is the caller's to remove."""
    output = pathlib.Path(tempfile.mkdtemp(prefix="output-", dir=context.scratch))
    command = [
        *context.fusion.command,
        folder / "module.mlir",
        f"--manifest={folder / 'plan.json'}",
        f"--device={context.fusion.device}",
        "--seed=1",
        f"--reference={reference}",
        f"--output-dir={output}",
        f"--json={output / 'run.json'}",
        *options,
    ]
    return children.run(command, limit, env=context.environment), output


def run(context, folder, options, limit, reference="cpu", keep=False):
    """(result, function's report, folder with the outputs or None) of a plan of one function. The folder is the
    caller's to remove where it is kept."""
    ended, output = execute(context, folder, options, limit, reference)
    outcome, message = children.outcome(ended)
    report = report_of(output / "run.json")
    result = {"outcome": outcome, "message": message, "seconds": ended.seconds}
    if report.get("pass") is not None and reference != "none":
        result["max_abs_error"] = report.get("max_abs_error")
    if outcome in (*children.NEVER_AGAIN, children.CRASHED):
        result["message"] = f"{message} ({came_to(report, output)})"
        result["stderr"] = ended.err[-2000:]
    if keep:
        return result, report, output
    shutil.rmtree(output, ignore_errors=True)
    return result, report, None


def arrays_of(name, folder):
    """{file of the archive: bytes} of what is wrong, and of what it should be."""
    return {
        f"wrong/{name}/{path.name}": path.read_bytes()
        for path in (*results_of(folder), *results_of(folder, "reference"))
        if path.stat().st_size <= MOST_ATTACHED
    }
