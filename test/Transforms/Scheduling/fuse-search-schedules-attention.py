# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# The schedule found for attention of 4096 rows and keys, heads of 128, is of FlashAttention-2's kind, by cost alone: one kernel,
# blocks over heads and rows, one loop, which is over keys, running reductions, and the rest resident: queries are loaded before the
# loop, the head's dimension is not cut, the result stored behind it. Causal, too, where the loop leaves out what the mask excludes.
# Producers load the first part of keys and values while the block still multiplies the last one, so that beside them these come in parts.
# RUN: %python %s %source_root/benchmarks/workloads/generate.py

import re
import subprocess
import sys

generator = sys.argv[1]


def run(*words, source=None):
    return subprocess.run(words, input=source, capture_output=True, text=True, check=True).stdout


for case in ("FA_d128_s4096", "FA_d128_s4096_causal"):
    source = run(sys.executable, generator, "--family=attention_long", f"--case={case}", "--dtype=f16")
    for chip in ("sm_80", "sm_90a"):
        groups = run("fusion-opt", "-", f"--fuse-to-groups=chip={chip}", source=source)
        schedules = re.findall(r"schedule = (#fuse\.schedule<.*?)\} \{", groups)
        print(case, chip, schedules)
        assert len(re.findall(r"fuse\.(?:chain|stitch) ins", groups)) == len(schedules) == 1
        (schedule,) = schedules
        tiling, tiles, rest = re.search(r'tiling = <"([^"]*)", \{(.*?)\}(.*?)>, mapping', schedule).groups()
        # A and B are multiplied to C, that and D to E.
        whole, parts = "bm(LA,n(LB,CC,LD,CE),SE)", "bm(k(LA),n(k(LB,CC),h(LD,CE)),h(SE))"
        assert tiling in ([whole, parts] if "producers = " in schedule else [whole]), tiling
        assert 'blocks = ["b", "m"]' in schedule and not re.search(r"parallel = <\{\w", schedule) and "reduction = <online" in schedule
        sizes = {axis: int(size) for axis, size in re.findall(r"(\w+) = (\d+)", tiles)}
        heads = [128] if tiling == whole else [64, 32]
        assert sizes["k"] in heads and sizes["h"] in heads and sizes["b"] == 1, sizes
        assert 64 <= sizes["m"] <= 256 and sizes["n"] < 4096 and sizes["m"] % 16 == 0, sizes
        assert ('skip = "n"' in rest) == case.endswith("causal"), rest
