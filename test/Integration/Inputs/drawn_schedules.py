# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Chains run on the emulator, as the search schedules them and with schedules drawn at random."""

import json
import os
import re
import subprocess
import sys

PIPELINE = ("builtin.module(fuse-to-unscheduled-groups{chip=%s force-fusion=true},"
            "fuse-search-schedules{random-seed=%d rescale-threshold=%d},tile-pipeline,tile-to-nvvm)")  # fmt: skip


def run_chain(folder, name, text, seed, chip="sm_80"):
    """Runs the function `text` under the sanitizers, scheduled by the search where `seed` is None. Ends the test on wrong numbers,
    findings, more than one kernel, and where bytes or shared memory are not those predicted. Returns the schedule, of a seed None
    where none of what was drawn is legal."""
    path = os.path.join(folder, name)
    with open(path + ".mlir", "w") as file:
        file.write(text)
    command = ["fusion-run", path + ".mlir", f"--chip={chip}", "--device=emulator", "--force-fusion", "--sanitize", "--schedules=2",
               f"--json={path}.json"]  # fmt: skip
    if seed is not None:
        command.append("--pass-pipeline=" + PIPELINE % (chip, seed, (0, 1, 8, 15)[seed % 4]))
    done = subprocess.run(command, capture_output=True, text=True)
    if seed is not None and " candidates is legal" in done.stderr:
        return None
    if done.returncode:
        sys.exit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    with open(path + ".json") as file:
        (function,) = json.load(file)
    # One kernel; where the schedule splits a sum and no cluster reduces the partial results, another kernel for each
    # result does.
    kernel, *combine = function["kernels"]
    isSplit = re.search(r"parallel = <\{\w", kernel["schedule"]) and "in_cluster = true" not in kernel["schedule"]
    merged = len(function["results"]) if isSplit else 0
    assert len(combine) == merged, (name, seed, [k["name"] for k in function["kernels"]])
    counted, predicted = kernel["counters"], kernel["predicted"]
    assert counted["global_load_bytes"] == predicted["global_load_bytes"], (name, seed, counted, predicted)
    assert counted["global_store_bytes"] == predicted["global_store_bytes"], (name, seed)
    assert kernel["dynamic_shared_memory"] == predicted["shared_memory"], (name, seed, kernel)
    print(name, seed, kernel["schedule"].split("tiling = <")[1].split(", {")[0])
    return kernel["schedule"]
