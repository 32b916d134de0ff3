# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Forming the groups of 10,000 operators takes less than five seconds of one core, whether they are repeated layers or
# all different, one after the other, readers of one value or of one argument, and grows with their number. Of three
# runs the middle one counts: the machine may be busy.
# REQUIRES: benchmarks
# RUN: stitch-explorer-benchmark --benchmark_filter=forming/ --benchmark_repetitions=3 --benchmark_report_aggregates_only=true --benchmark_format=json > %t.json
# RUN: %python %s %t.json

import json
import sys

with open(sys.argv[1]) as file:
    runs = [run for run in json.load(file)["benchmarks"] if run.get("aggregate_name", "median") == "median"]
times = {}
for run in runs:
    assert not run.get("error_occurred"), run
    assert run["time_unit"] == "ms"
    _, graph, size = run["run_name"].split("/")
    times[graph, int(size)] = run["cpu_time"]
for (graph, size), time in times.items():
    print(f"{size} operators, {graph}: {time:.0f} ms")
assert {graph for graph, _ in times} == {"repeated", "different", "chain", "fan", "separate"}
for graph, size in times:
    assert times[graph, 10000] < 5000, graph
    # Ten times as many take about ten times as long; of one after the other ways of up to 512 are looked for, of which
    # 1000 have few.
    limit = 40 if graph in ("chain", "fan", "separate") else 20
    assert graph == "repeated" or times[graph, 10000] < limit * times[graph, 1000], graph
