# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The second phase of the first call: one small case of every kernel feature."""

import os
import shutil

from . import children, runs
from .phases import Phase, Unit

# Seconds of the call that the corpus gets, whatever becomes of the features.
FOR_CORPUS = 40.0
# Cases at a time, of different kinds: starting a process and the reference on the CPU take longer than the kernel.
WORKERS = 4


def check(context, entry, limit):
    folder = context.units / entry["folder"]
    result, report, output = runs.run(context, folder, entry["options"], limit, keep=True)
    found = runs.digests(output)
    result["feature"] = entry["feature"]
    if found and entry.get("emulated"):
        result["bits"] = "equal" if found == entry["emulated"] else "different"
    result["kernels"] = [
        {key: kernel.get(key) for key in ("name", "grid", "block", "cluster", "dynamic_shared_memory", "measured_us")}
        for kernel in report.get("kernels", ())
    ]
    if result["outcome"] == children.WRONG:
        result["message"] = errors_of(report) or result["message"]
        result["attached"] = runs.arrays_of(entry["name"], output)
    elif result["outcome"] == children.PASS and result.get("max_abs_error") is not None:
        result["line"] = f"error {result['max_abs_error']:.2g}, bits {result.get('bits', 'not compared')}"
    shutil.rmtree(output, ignore_errors=True)
    return result


def errors_of(report):
    """How far each result is off."""
    return "; ".join(
        f"result {number}: {one['mismatches']} elements differ, by {one['max_abs_error']} at most "
        f"(allowed {one['atol']} + {one['rtol']} of it, rms {one['reference_rms']})"
        for number, one in enumerate(report.get("results") or ())
        if one.get("mismatches")
    )


def phase(context):
    units = [
        Unit(
            entry["name"],
            lambda limit, entry=entry: check(context, entry, limit),
            entry["kind"],
            estimate=1.5,
            limit=context.case_limit,
        )
        for entry in context.package.index["features"]
    ]
    workers = min(WORKERS, os.cpu_count() or 1)
    return Phase("features", units, spare=min(FOR_CORPUS, 0.2 * context.deadline.seconds), workers=workers)
