# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# The schedules that are chosen for some workloads, in full, and that they are the same for any number of threads, in
# the evolutionary search too. What changes a model, a space or the search on purpose changes
# Inputs/chosen-schedules.txt: the test prints what is chosen now.
# REQUIRES: presubmit
# RUN: %python %s %source_root/benchmarks/workloads/generate.py %S/Inputs/chosen-schedules.txt

import re
import subprocess
import sys

generator, golden = sys.argv[1:]
GROUPS = "fuse-to-unscheduled-groups{{chip={chip} force-fusion=true}}"
EXAMPLE = ("--chain=1024,512,1024,512",)
WORKLOADS = {
    "a product": ("--chain=512,256,384",),
    "the documents' example": EXAMPLE,
    "three products": ("--chain=512,64,256,64,128",),
    "attention S1": ("--family=attention_mcfuser", "--case=S1"),
    "convolutions C5": ("--family=conv_chains_chimera", "--case=C5"),
}  # fmt: skip


def choose(source, chip, **options):
    text = " ".join(f"{key}={value}" for key, value in options.items())
    done = subprocess.run(
        ["fusion-opt", "-", f"--pass-pipeline=builtin.module({GROUPS.format(chip=chip)},fuse-search-schedules{{chip={chip} {text}}})"],
        input=source, capture_output=True, text=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    (schedule,) = re.findall(r"schedule = (#fuse\.schedule<.*?>>)(?:, partial|\}| ins)", done.stdout)
    return schedule


lines = []
for name, arguments in WORKLOADS.items():
    source = subprocess.run([sys.executable, generator, *arguments], capture_output=True, text=True, check=True).stdout
    for chip in ("sm_80", "sm_90a"):
        searches = {"": {}, ", evolutionary": {"search": "evolutionary", "seed": 1}} if arguments == EXAMPLE else {"": {}}
        for how, options in searches.items():
            one, many = (choose(source, chip, threads=threads, **options) for threads in (1, 4))
            assert one == many, (name, chip, one, many)
            lines.append(f"{name}, {chip}{how}: {one}\n")
chosen = "".join(lines)
with open(golden) as file:
    expected = file.read()
if chosen != expected:
    print(chosen)
    sys.exit("the schedules above are others than those of " + golden)
