# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The phase of the second call that times many schedules of one workload, all in one process. The models' times
are printed next to the measured ones."""

import json
import shutil
import time

try:
    import numpy
except ImportError:
    numpy = None

from . import children, runs, timings
from .phases import Phase, Unit

# A row's root mean square of the difference of two schedules' results, over that of the results. Both round once to
# f16, and intermediates that lie in memory once more: 800 schedules of 18 workloads differed by 4e-4 on an H200.
MOST_DIFFERENCE = 2.0**-8
# A row counts as this fraction of the whole result at least.
SMALLEST_ROW = 1 / 16
# Seconds without a new time after which the function that runs hangs. One takes less than two.
STALLED = 6.0
# Seconds of a unit; the schedules that matter most come first in it.
LIMIT = 20.0


def difference(ours, theirs):
    """How far results are from others, by their worst row; infinite where there is a NaN."""
    worst = 0.0
    for a, b in zip(ours, theirs, strict=True):
        a, b = (numpy.atleast_1d(values).astype(numpy.float32) for values in (a, b))
        rows = numpy.sqrt(numpy.square(b).mean(axis=-1))
        size = numpy.maximum(rows, SMALLEST_ROW * numpy.sqrt(numpy.square(b).mean()))
        error = numpy.sqrt(numpy.square(a - b).mean(axis=-1)) / numpy.maximum(size, 1e-30)
        worst = max(worst, float(numpy.nan_to_num(error, nan=numpy.inf).max()))
    return worst


def results_of(output, name):
    return [numpy.load(path) for path in runs.results_of(output, entry=name)]


def differences(output, names):
    """{function: how far its results are from the first one's}; a function without results is not in it."""
    if numpy is None or not names:
        return {}
    first = results_of(output, names[0])
    found = {name: results_of(output, name) for name in names[1:]}
    return {name: difference(ours, first) for name, ours in found.items() if first and len(ours) == len(first)}


def seconds_of_last_report(output, begin):
    """Seconds from `begin` until fusion-run wrote its report last."""
    try:
        return (output / "run.json").stat().st_mtime - begin
    except OSError:
        return 0.0


def ended_as(ended, times, functions, reports, idle):
    """(outcome, message) of a run that has these times, and had no new one for `idle` seconds when its time was over. A
    run that only lacked time passes with what it has."""
    outcome, message = children.outcome(ended)
    left = [one["name"] for one in functions if one["name"] not in times]
    if outcome == children.PASS:
        return outcome, message
    if outcome == children.HUNG and times and idle < STALLED:
        return children.PASS, f"no time for {len(left)} of {len(functions)}"
    failed = next((report["entry"] for report in reports if report.get("error")), left[0] if left else "the last one")
    return outcome, f"{failed}: {message} (behind {len(times)} of {len(functions)})"


def measure(context, entry, limit):
    begin = context.deadline.elapsed()
    folder = context.units / entry["folders"][context.chip]
    functions = json.loads((folder / "functions.json").read_text())
    names = [one["name"] for one in functions]
    check = timings.Check(context, entry, reference="none")
    options = context.input_files.options(entry["family"], check.workload, limit)
    run_limit, started = limit - (context.deadline.elapsed() - begin), time.time()
    ended, output = runs.execute(context, folder, options, run_limit, check.reference)
    reports = runs.reports_of(output / "run.json")
    times = {report["entry"]: report["measured_us"] for report in reports if report.get("measured_us")}
    idle = run_limit - seconds_of_last_report(output, started)
    outcome, message = ended_as(ended, times, functions, reports, idle)
    result = {"outcome": outcome, "message": message, "seconds": ended.seconds}
    if outcome != children.PASS:
        result["stderr"] = ended.err[-2000:]
    far = differences(output, names)
    wrong = [name for name, one in far.items() if one > MOST_DIFFERENCE]
    left = limit - (context.deadline.elapsed() - begin)
    check.judge(result, runs.results_of(output, entry=names[0]), max(1.0, left))
    shutil.rmtree(output, ignore_errors=True)
    if wrong and result["outcome"] == children.PASS:
        result["outcome"], result["message"] = children.WRONG, f"other results than {names[0]}: {', '.join(wrong)}"
    result["functions"] = {
        one["name"]: {
            "us": times.get(one["name"]),
            "difference": far.get(one["name"]),
            "predicted": one["predicted"],
            "schedule": one["schedule"],
        }
        for one in functions
        if one["name"] in times or one["name"] in far
    }
    if result["outcome"] == children.PASS:
        unchecked = "" if result["checked"] else ", unchecked"
        result["line"] = line_of(times, len(functions), names[0]) + unchecked
    return result


def line_of(times, count, first):
    line = f"{len(times)} of {count}"
    if times:
        best = min(times, key=times.get)
        line += f", {best} {times[best]:.2f} us"
        if first in times and first != best:
            line += f", {first} {times[first]:.2f}"
    return line


def phase(context):
    return Phase(
        "drawn",
        [
            Unit(
                f"{timings.key_of(entry)} schedules",
                lambda limit, entry=entry: measure(context, entry, limit),
                estimate=6,
                limit=context.options.case_limit or LIMIT,
            )
            for entry in context.package.index["drawn"]
            if context.chip in entry["folders"]
        ],
        spare=timings.spare_of("drawn", context.deadline.seconds),
    )
