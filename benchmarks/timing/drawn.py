# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Drawn schedules of a workload: what the cost model predicts of each, and what the timing does."""

import json
import subprocess

PIPELINE = (
    "builtin.module(fuse-to-unscheduled-groups{{chip={chip} force-fusion=true}},"
    "fuse-search-schedules{{chip={chip} {draw}report={report}}},tile-pipeline,tile-to-nvvm)"
)


class Failure(RuntimeError):
    pass


def timed(fusion_run, source, chip, folder, seed=None, limit=300):
    """{model_us, time_us, cost, schedule, kernels} of the module in the file `source`, under the chosen schedules or,
    with a seed, drawn ones. Files go to `folder`. Raises Failure with a reason."""
    report, result = folder / "report.json", folder / "run.json"
    draw = "" if seed is None else f"random-seed={seed} "
    command = [fusion_run, source, "--device=emulator", f"--chip={chip}", "--time", "--warm", "--reference=none",
               f"--json={result}", f"--pass-pipeline={PIPELINE.format(chip=chip, draw=draw, report=report)}"]  # fmt: skip
    for path in (report, result):
        path.unlink(missing_ok=True)
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit)
    except subprocess.TimeoutExpired:
        raise Failure(f"no result within {limit} s") from None
    if done.returncode:
        raise Failure(next((line for line in done.stderr.splitlines() if "error" in line), done.stderr)[:400])
    (function,) = json.loads(result.read_text())
    kernels = function["kernels"]
    found = json.loads(report.read_text())
    return {
        "model_us": sum(kernel["predicted"]["us"] for kernel in kernels),
        "time_us": sum(kernel["time"]["seconds"] for kernel in kernels) * 1e6,
        "groups": found["groups"] + found["stitched"],
        "kernels": kernels,
    }
