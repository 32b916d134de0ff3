# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# All patterns of stitch_patterns.json, at every shape and of every type, are planned as one kernel with all of their rows.
# RUN: %python %s %t

import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "Integration", "Inputs"))
from check_stitch import plan_all
from stitch_programs import PATTERNS

FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "benchmarks", "workloads", "stitch_patterns.json")
with open(FILE) as file:
    WORKLOADS = json.load(file)
SHAPES = [(shape["rows"], shape["cols"]) for shape in WORKLOADS["shapes"]]
assert set(WORKLOADS["patterns"]) == set(PATTERNS)

plan_all(sys.argv[1], [(pattern, *shape, type, chip) for pattern in PATTERNS for shape in SHAPES for type in WORKLOADS["dtypes"]
                       for chip in ("sm_80", "sm_86", "sm_90a")])  # fmt: skip
