# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Predicted times and choices that pages give of workloads of the tables, on sm_90a: attention with ping-pong scheduling
# (docs/measurements/hopper.md) and decoding in clusters (docs/cluster-measurements.md).
# RUN: %python %s %t

import os
import re
import subprocess
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
GENERATOR = os.path.join(ROOT, "benchmarks", "workloads", "generate.py")
folder = sys.argv[1]
os.makedirs(folder, exist_ok=True)
WORDS = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen".split()
wrong = []


def page(name):
    with open(os.path.join(ROOT, "docs", name)) as file:
        return file.read()


def cases(*families):
    listing = subprocess.run([sys.executable, GENERATOR, "--list"], check=True, capture_output=True, text=True).stdout
    family = None
    for line in listing.splitlines():
        if not line.startswith(" "):
            family = line.strip()
        elif family in families:
            yield family, line.split()[0]


def chosen(family, case):
    """(predicted us, the groups) of a workload that is one kernel; the time is None where it is not."""
    path = os.path.join(folder, case + ".mlir")
    subprocess.run([sys.executable, GENERATOR, f"--family={family}", f"--case={case}", "-o", path], check=True)
    command = ["fusion-opt", path, "--fuse-to-groups=chip=sm_90a force-fusion=true", "--remarks-filter=fuse"]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    times = re.findall(r"\] schedule \|.*?predicted ([\d.]+) us", done.stderr)
    return float(times[0]) if len(times) == 1 else None, done.stdout


def compare(case, time, given):
    if time is None or abs(time - float(given)) > 0.0501:
        wrong.append(f"{case}: predicted {time}, the page has {given}")


text = page("measurements/hopper.md")
section = text[text.index("## Ping-pong scheduling"):]
given = dict(re.findall(r"^\| (FA_\w+) \| ([\d.]+) \|$", section, re.MULTILINE))
assert len(given) == 6, given
turns, count = [], 0
for family, case in cases("gemm_chains_mcfuser", "attention_mcfuser", "attention_long"):
    time, groups = chosen(family, case)
    count += 1
    if "ping_pong = true" in groups:
        turns.append(case)
    if case in given:
        compare(case, time, given.pop(case))
assert not given, given
said = (f"Ping-pong scheduling is used by {WORDS[len(turns) - 1]} of the {count} workloads of the tables of MCFuser and of "
        "long attention, all of them attention with heads of 64")  # fmt: skip
if said not in " ".join(text.split()) or not all(case.startswith("FA_d64_") for case in turns):
    wrong.append(f"of {count} use ping-pong scheduling: {turns}")

row = r"^\| (D_\w+) \| [\d.]+ \| \d+ \| ([\d.]+) \| \d+(, not in clusters)? \|$"
rows = re.findall(row, page("cluster-measurements.md"), re.MULTILINE)
assert len(rows) == 8, rows
for case, time, apart in rows:
    predicted, groups = chosen("decode", case)
    compare(case, predicted, time)
    if ("in_cluster = true" in groups) == bool(apart):
        wrong.append(f"{case}: in clusters or not")

print("\n".join(wrong))
sys.exit(bool(wrong))
