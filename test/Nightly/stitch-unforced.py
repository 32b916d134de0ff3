# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Patterns of stitch_patterns.json at every shape, in the types and on the chips that they are measured with, and on one of little memory, are
# one kernel each without being forced to be.
# RUN: %python %s %t
#
#   stitch-unforced.py FOLDER [--only=PATTERN]

import argparse
import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "Integration", "Inputs"))
from stitch_programs import PATTERNS, program

FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "benchmarks", "workloads", "stitch_patterns.json")
with open(FILE) as file:
    SHAPES = [(shape["rows"], shape["cols"]) for shape in json.load(file)["shapes"]]
TARGETS = (("f16", "sm_90a"), ("f32", "sm_80"), ("f32", "sm_86"))
PIPELINE = "builtin.module(fuse-to-unscheduled-groups{%s})"


def kernels(path, options):
    """How many the file becomes."""
    done = subprocess.run(["fusion-opt", path, "--pass-pipeline=" + PIPELINE % options], check=True, capture_output=True, text=True)
    return len(re.findall(r"= fuse\.\w+ ins\(", done.stdout))


def seconds(path, options):
    """What they are predicted to take, in microseconds."""
    kernels(path, f"{options} plan-report={path}.json")
    with open(path + ".json") as file:
        (function,) = json.load(file)["functions"]
    return function["chosen"]["predicted_us"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--only")
    arguments = parser.parse_args()
    os.makedirs(arguments.folder, exist_ok=True)
    several = []
    for pattern in PATTERNS:
        if arguments.only not in (None, pattern):
            continue
        for rows, cols in SHAPES:
            for type, chip in TARGETS:
                case = (pattern, rows, cols, type, chip)
                path = os.path.join(arguments.folder, "-".join(map(str, case)) + ".mlir")
                with open(path, "w") as file:
                    file.write(program(*case[:4]))
                count = kernels(path, f"chip={chip}")
                if count != 1:
                    apart, together = (seconds(path, f"chip={chip}{forced}") for forced in ("", " force-fusion=true"))
                    several.append(f"{' '.join(map(str, case))}: {count} kernels of {apart:.1f} us, one of {together:.1f} us")
                    print(several[-1], flush=True)
    if several:
        sys.exit("\n".join(several))


if __name__ == "__main__":
    main()
