# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Contractions whose values meet in operators between them are one kernel: right, moving the bytes that were predicted,
# silent under the sanitizers; as the search chooses and with schedules drawn at random.
# RUN: %python %s %t 3 %sample

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "Inputs"))
from drawn_schedules import run_chain
from joined_chains import adapted, gated, two_scores, unscaled
from sample import some

folder, draws = sys.argv[1], int(sys.argv[2])
os.makedirs(folder, exist_ok=True)

CASES = {
    "gated": gated(1, 64, 96, 128, 64),
    "gated_odd": gated(2, 33, 40, 72, 24, type="bf16"),
    "gated_up": gated(1, 64, 64, 80, 0, down=False),
    "adapted": adapted(1, 64, 96, 16, 80),
    "adapted_other_order": adapted(1, 50, 72, 8, 40, low_rank_first=False),
    "two_scores": two_scores(1, 64, 100, 32, 32),
    "unscaled": unscaled(2, 48, 96, 32, 64),
    "unscaled_causal": unscaled(1, 70, 70, 16, 24, type="bf16", mask="causal"),
}

for name, text in CASES.items():
    for seed in some((None, *range(1, draws + 1)), 1):
        run_chain(folder, name, text, seed)
