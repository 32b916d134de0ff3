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
GIVEN = "builtin.module(fuse-search-schedules{{chip={chip}}},tile-pipeline,tile-to-nvvm)"


class Failure(RuntimeError):
    pass


def timed(fusion_run, source, chip, folder, seed=None, code="best"):
    """{model_us, time_us, groups, kernels} of the module in the file `source`, under the chosen schedules or, with a
    seed, drawn ones; `groups` are those of the search's report. `code` is what the timing replays (--time-code). Files
    go to `folder`. Raises Failure with a reason."""
    report = folder / "report.json"
    report.unlink(missing_ok=True)
    draw = "" if seed is None else f"random-seed={seed} "
    found = _run(fusion_run, source, chip, folder, PIPELINE.format(chip=chip, draw=draw, report=report), code)
    groups = json.loads(report.read_text())
    return found | {"groups": groups["groups"] + groups["stitched"]}


def timed_groups(fusion_run, source, chip, folder, limit=300):
    """{model_us, time_us, kernels} of groups that have their schedules. limit: of the emulator, in seconds."""
    return _run(fusion_run, source, chip, folder, GIVEN.format(chip=chip), limit=limit)


def timed_by(fusion_run, source, chip, folder, pipeline, limit=300):
    """{model_us, time_us, kernels} of the module in the file `source`, compiled by `pipeline`, within `limit` seconds."""
    return _run(fusion_run, source, chip, folder, pipeline, limit=limit)


def groups(fusion_opt, module, chip):
    """The module with groups under the chosen schedules."""
    done = subprocess.run([fusion_opt, "-", f"--fuse-to-groups=chip={chip} force-fusion=true"], input=module,
                          capture_output=True, text=True)  # fmt: skip
    if done.returncode:
        raise Failure(done.stderr[:400])
    return done.stdout


def _run(fusion_run, source, chip, folder, pipeline, code="best", limit=300):
    result = folder / "run.json"
    result.unlink(missing_ok=True)
    command = [fusion_run, source, "--device=emulator", f"--chip={chip}", "--time", "--warm",
               f"--time-code={code}", "--reference=none", f"--json={result}", f"--pass-pipeline={pipeline}"]  # fmt: skip
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit)
    except subprocess.TimeoutExpired:
        raise Failure(f"no result within {limit} s") from None
    if done.returncode:
        raise Failure(next((line for line in done.stderr.splitlines() if "error" in line), done.stderr)[:400])
    (function,) = json.loads(result.read_text())
    kernels = function["kernels"]
    return {
        "model_us": sum(kernel["predicted"]["us"] for kernel in kernels),
        "time_us": sum(kernel["time"]["seconds"] for kernel in kernels) * 1e6,
        "kernels": kernels,
    }
