# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# The patterns as the workload generator writes them: conversions, products and steps before a reduction in the reduction's body, elements
# picked from computed rows, slices of gathered rows, a sum along computed values that are concatenated. One kernel each, as promised of
# the patterns as frameworks write them.
# RUN: %python %s %t

import os
import sys

here = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(here, "Inputs"))
sys.path.insert(0, os.path.join(here, "..", "..", "benchmarks", "workloads"))
from check_stitch import check_all
from families import families
from generate import workload

COLS = 768
# Blocks are alike: a few rows show what all do. Gradients share the sums along columns between blocks of many rows.
ROWS = {"layer_norm_backward": 64, "din_attention_unit": 8}


def write(pattern, rows, cols, type):
    return workload("stitch_patterns", f"{pattern}_4096x{cols}", type, overrides={"rows": rows}).text


patterns = sorted(case["name"].rpartition("_")[0] for case in families()["stitch_patterns"].cases if case["name"].endswith(f"_4096x{COLS}"))
assert len(patterns) == 21, patterns
cases = [(pattern, ROWS.get(pattern, 6), COLS, type, "sm_80") for pattern in patterns for type in ("f16", "f32")]
check_all(sys.argv[1], cases, write=write)
