# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The phase of the second call that times plans of many functions, a process each: many schedules of one workload, or
many stitched patterns. The models' times stand beside the measured ones."""

import importlib.util
import json
import shutil

from . import children, runs
from .phases import Phase, Unit
from .timings import FOR_PROFILES

# Root mean square of the difference of two schedules' results, over that of the results: both round once to f16, and
# intermediates that lie in memory once more.
MOST_DIFFERENCE = 0.01


def difference(folder, name, first):
    """How far the results of a function are from those of the first one; None where that is not known."""
    if importlib.util.find_spec("numpy") is None or name == first:
        return None
    import numpy

    worst = None
    ours, theirs = (runs.results_of(folder, what="result") for _ in range(2))
    ours = [path for path in ours if path.name.startswith(f"{name}.")]
    theirs = [path for path in theirs if path.name.startswith(f"{first}.")]
    if not theirs or len(ours) != len(theirs):
        return None
    for ours_path, theirs_path in zip(ours, theirs, strict=True):
        a, b = (numpy.load(path).astype(numpy.float32) for path in (ours_path, theirs_path))
        scale = float(numpy.sqrt(numpy.mean(numpy.square(b))))
        error = float(numpy.sqrt(numpy.mean(numpy.square(a - b))))
        # A NaN is no agreement.
        apart = error / max(scale, 1e-30) if error == error else float("inf")
        worst = apart if worst is None else max(worst, apart)
    return worst


def measure(context, entry, limit):
    folder = context.units / entry["folders"][context.chip]
    functions = json.loads((folder / "functions.json").read_text())
    ended, output = runs.execute(context, folder, [], limit, entry["reference"])
    outcome, message = children.outcome(ended)
    known = {one["name"]: one for one in functions}
    first = functions[0]["name"] if entry["same"] else None
    found, differ = {}, []
    for report in runs.reports_of(output / "run.json"):
        name = report["entry"]
        apart = difference(output, name, first) if first else None
        found[name] = {"us": report.get("measured_us"), "difference": apart, **known.get(name, {})}
        found[name].pop("name", None)
        if apart is not None and apart > MOST_DIFFERENCE or report.get("pass") is False:
            differ.append(name)
    shutil.rmtree(output, ignore_errors=True)
    if differ and outcome in (children.PASS, children.WRONG):
        outcome, message = children.WRONG, f"other results than {first or 'the reference'}: {', '.join(differ)}"
    elif outcome != children.PASS:
        message = f"{message} (behind {len(found)} of {len(functions)} functions)"
    times = {name: one["us"] for name, one in found.items() if one["us"]}
    line = f"{len(times)} of {len(functions)}"
    if times and first:
        best = min(times, key=times.get)
        line += f", {best} {times[best]:.2f} us, {first} {times.get(first) or float('nan'):.2f}"
    return {
        "outcome": outcome,
        "message": message,
        "line": line if outcome == children.PASS else "",
        "seconds": ended.seconds,
        "stderr": "" if outcome == children.PASS else ended.err[-2000:],
        "functions": found,
    }


def phase(context):
    return Phase(
        "drawn",
        [
            Unit(
                entry["name"],
                lambda limit, entry=entry: measure(context, entry, limit),
                estimate=6,
                limit=2 * context.timing_limit,
            )
            for entry in context.package.index.get("drawn", ())
            if context.chip in entry["folders"]
        ],
        spare=min(FOR_PROFILES, 0.2 * context.deadline.seconds),
    )
