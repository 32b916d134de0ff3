# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Every pattern of stitch_patterns.json is planned as one kernel with all of its rows: patterns that are run elsewhere on few rows have other plans there.
# RUN: %python %s %t %sample

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "Inputs"))
from check_stitch import plan_all
from sample import some

# Those in which rows are reduced and columns too, and those of which rows are the longest; all of them are planned nightly.
PATTERNS = ("layer_norm_backward", "layer_norm", "softmax", "transpose_of_normalised", "mean_var_two_reductions",
            "din_attention_unit", "lstm_cell_gates")
SHAPES = ((1000, 1000), (8192, 4096), (8192, 8192), (2048, 16384), (4096, 65536), (777, 3001))

plan_all(sys.argv[1], some([(pattern, *shape, type, chip) for pattern in PATTERNS for shape in SHAPES for type, chip in
                            (("f32", "sm_80"), ("f16", "sm_86"), ("f16", "sm_90a"))], 25))  # fmt: skip
