# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Normalisations in prologues of contractions are part of their kernels, with the statistics in the contraction's loop,
# in a prepass with retained tiles, or with tiles that are read again: right, moving the bytes that were predicted,
# silent under the sanitizers; as the search chooses and with schedules drawn at random, which have all of these forms.
# RUN: %python %s %t %sample

import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "Inputs"))
from drawn_schedules import run_chain
from normalised_chains import chain
from sample import IS_SAMPLE, some

folder = sys.argv[1]
os.makedirs(folder, exist_ok=True)

CASES = {
    "rms": dict(m=48, k=96, n=64),
    "rms_bf16_odd": dict(m=50, k=200, n=40, type="bf16"),
    "rms_plain": dict(m=40, k=144, n=48, gain=False, b=2),
    "layer": dict(m=40, k=136, n=48, norm="layer", bias=True),
    "layer_f32": dict(m=32, k=70, n=32, norm="layer", type="f32"),
    "rms_f32": dict(m=32, k=128, n=32, type="f32"),
    "softmax": dict(m=33, k=160, n=64, norm="softmax", gain=False),
    "maximum": dict(m=36, k=128, n=40, norm="maximum", gain=False, type="bf16"),
    "statistics": dict(m=40, k=100, n=48, statistics=True, type="bf16"),
    "statistics_layer": dict(m=40, k=96, n=48, statistics=True, norm="layer"),
    "chain": dict(m=64, k=96, n=48, h=32, type="bf16"),
    "layer_chain": dict(m=40, k=72, n=80, h=48, norm="layer"),
    "gated": dict(m=48, k=96, n=48, h=32, gated=True),
}

# Where statistics CR of rows are relative to the next contraction.
FORMS = {"together": r"k\([^()]*C[E-Z][^()]*,C[A-Z][^()]*\)", "ahead": r"k\(LA1,C[A-Z]\)", "resident": r"k\(LA\),k\(C[A-Z]\)"}
seen = set()
for number, (name, options) in enumerate(CASES.items()):
    chip = "sm_90a" if number % 3 == 2 else "sm_80"
    for seed in some((None, 1, 2, 3), 1):
        schedule = run_chain(folder, name, chain(**options), seed, chip)
        seen |= {form for form, pattern in FORMS.items() if re.search(pattern, schedule)}
assert seen == set(FORMS) or IS_SAMPLE, f"only {seen} were drawn"
