# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Chains whose scores are reduced row by row between two contractions: one kernel each, right, moving the bytes that
# were predicted, silent under the sanitizers; as the search chooses and with schedules drawn at random, which cut every
# axis.
# RUN: %python %s %t 2 %sample
#
#   score-chains.py FOLDER DRAWS [CASE...]

import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "Inputs"))
from drawn_schedules import run_chain
from sample import IS_SAMPLE, some
from score_chains import chain

folder, draws, only = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
os.makedirs(folder, exist_ok=True)

CASES = {
    "softmax": dict(b=2, m=64, n=128, k=32, h=32, out="f16"),
    "softmax_odd": dict(b=1, m=50, n=77, k=40, h=24, type="bf16"),
    "softmax_wide": dict(b=1, m=32, n=96, k=16, h=256, out="f16"),
    "one_key": dict(b=1, m=33, n=1, k=16, h=8),
    "causal": dict(b=2, m=80, n=80, k=32, h=48, mask="causal", out="f16"),
    "causal_longer": dict(b=1, m=33, n=130, k=24, h=32, mask="causal"),
    # The first 30 rows are fully masked: NaN, as the operators say.
    "masked_rows": dict(b=1, m=70, n=40, k=16, h=16, mask="causal", lse=True),
    "window": dict(b=1, m=96, n=96, k=16, h=32, mask=(20, 3)),
    "additive": dict(b=1, m=40, n=64, k=32, h=32, mask="additive", transposed=True),
    "bias_lse": dict(b=2, m=48, n=100, k=32, h=64, bias=True, lse=True, out="f16"),
    "exp2": dict(b=1, m=64, n=80, k=48, h=32, scores="exp2", type="bf16", out="bf16"),
    "rms": dict(b=1, m=64, n=100, k=32, h=40, scores="rms"),
    "maximum": dict(b=1, m=48, n=72, k=32, h=32, scores="maximum"),
    # A few rows against many keys: these are split over blocks.
    "decode": dict(b=1, m=4, n=700, k=32, h=32, out="f16"),
    "decode_lse": dict(b=2, m=1, n=513, k=64, h=40, lse=True, type="bf16"),
    "decode_masked": dict(b=1, m=16, n=400, k=24, h=64, mask="additive"),
    "whole": dict(b=2, m=40, n=56, k=32, h=32, scores="whole", out="f16"),
    "gelu": dict(b=1, m=64, n=72, k=40, h=40, scores="gelu", out="f16"),
}

online = split = 0
for name in only or CASES:
    for seed in some((None, *range(1, draws + 1)), 1):
        text = run_chain(folder, name, chain(**CASES[name]), seed) or ""
        online += "reduction = <online" in text
        split += bool(re.search(r"parallel = <\{\w", text))
print(f"{online} online, {split} split")
if not only and not IS_SAMPLE:
    assert online >= len(CASES) // 2, "too few schedules cut a reduced axis to test what that takes"
    assert split >= 3, "too few schedules split a reduced axis"
