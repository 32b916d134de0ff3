# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# The emulator's speed on one core: 5e9 multiply-adds per second through mma.sync, 3e8 lane-instructions per second of
# ordinary code, and at most three times the CPU time with the sanitizers. All are of CPU time and medians of five, and
# the quotients are of launches side by side; what is measured is printed, whether it holds or not. The bound holds for
# all launches of the corpus together and for each that takes a millisecond: in shorter ones the start counts, and they
# are printed.
# REQUIRES: benchmarks
# RUN: emulator-benchmark --benchmark_filter='^(speed|sanitizers)/[^/]*$' --benchmark_format=json \
# RUN:   --benchmark_min_time=0.2 --benchmark_repetitions=5 > %t.json
# RUN: %python %source_root/benchmarks/emulator/sanitizer_ratios.py --tool=%build_root/bin/emulator-sanitizer-ratios \
# RUN:   --repeat=3 > %t.txt
# RUN: %python %s %t.json %t.txt

import json
import re
import statistics
import sys

MULTIPLY_ADDS, LANE_INSTRUCTIONS, RATIO = 5e9, 3e8, 3.0

with open(sys.argv[1]) as file:
    benchmarks = json.load(file)["benchmarks"]
figures = {}
for run in benchmarks:
    assert not run.get("error_occurred"), run
    if run["run_type"] == "iteration":
        for counter in ("multiply_adds", "lane_instructions", "ratio"):
            if counter in run:
                figures.setdefault((run["name"], counter), []).append(run[counter])
failures = []


def check(holds, text):
    print(("      " if holds else "FAIL  ") + text)
    if not holds:
        failures.append(text)


for (name, counter), values in sorted(figures.items()):
    value = statistics.median(values)
    text = f"{name}: {counter} {value:.3g} ({min(values):.3g} to {max(values):.3g})"
    if counter == "ratio":
        check(value <= RATIO, text)
    elif counter == "multiply_adds":
        check(value >= MULTIPLY_ADDS, text)
    elif not name.startswith("speed/wgmma"):  # instructions that are products and nothing else
        check(value >= LANE_INSTRUCTIONS, text)
assert {counter for _, counter in figures} == {"multiply_adds", "lane_instructions", "ratio"}

# The corpus.
with open(sys.argv[2]) as file:
    text = file.read()
rows = re.findall(r"^\| (\w+) \| (\d+) \| ([\d.]+) \| [\d.]+ \| ([\d.]+) \|$", text, re.M)
assert len(rows) > 15 and rows[-1][0] == "all", text
for source, launches, total, largest in rows:
    text_of_row = f"corpus {source}: {launches} launches, ratio {total} in all, at most {largest}"
    check(source != "all" or float(total) <= RATIO, text_of_row)
for source, kernel, plain, ratio in re.findall(r"^(\w+) (\S+): ([\d.]+) us, sanitized [\d.]+ us, ratio ([\d.]+)$", text, re.M):
    if float(ratio) > RATIO:
        check(float(plain) < 1000, f"corpus {source} {kernel}: {plain} us, ratio {ratio}")
assert not failures, f"{len(failures)} of the bounds do not hold"
