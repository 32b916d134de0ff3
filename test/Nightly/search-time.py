# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Choosing the schedules of any workload, of rows of three, four and six products and of 4096 x 4096 products takes less than
# a second of one core, on a chip with one kind of copy and tensor core as on one with two. Of three runs the middle one counts:
# the machine may be busy.
# REQUIRES: benchmarks
# RUN: schedule-search-benchmark --benchmark_filter=search/ --benchmark_repetitions=3 --benchmark_report_aggregates_only=true --benchmark_format=json > %t.json
# RUN: %python %s %t.json

import json
import sys

with open(sys.argv[1]) as file:
    runs = [run for run in json.load(file)["benchmarks"] if run.get("aggregate_name", "median") == "median"]
families = {}
for run in runs:
    assert not run.get("error_occurred"), run
    chip, name = run["run_name"].split("/")[1:3]
    families.setdefault((chip, name.partition("-")[0]), []).append((run["cpu_time"], name, run["groups"]))
    assert run["time_unit"] == "ms"
for (chip, family), times in families.items():
    print(f"{chip}, {family}: {len(times)} modules, {sum(groups for _, _, groups in times):.0f} chains, at most {max(times)[0]:.0f} ms ({max(times)[1]})")
for family in ("gemm_chains_mcfuser", "gemm_chains_chimera", "attention_mcfuser", "attention_long", "decode", "operators_gta", "6 layers"):
    for chip in ("sm_80", "sm_90a"):
        assert any(groups for _, _, groups in families[chip, family]), family
slow = [name for times in families.values() for time, name, _ in times if time >= 1000]
assert not slow, slow
