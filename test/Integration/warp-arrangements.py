# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Where the intermediate tile lies. Warps along rows alone keep it in registers, as the second contraction's operand,
# and each reads all keys and values; four by two read half as much and pass the intermediate through shared memory. By
# the emulator's counters, for one block's worth of attention with heads of 128: what is read from shared memory
# outweighs the barriers on a chip with twice the tensor cores' rate, and the model's choice of arrangement is that of
# the counters.
# REQUIRES: full
# RUN: %python %s %t %S/Inputs

import json
import os
import re
import sys

folder, inputs = sys.argv[1:]
sys.path.insert(0, inputs)
from hand_schedule import generate, lower, run, schedule  # noqa: E402

CHIP = "sm_90a"
os.makedirs(folder, exist_ok=True)


def arrangement(warps, m, n, place):
    """A loop over keys in two stages, with the scores in `place`."""
    maps = dict(C=("m", "n", "k", warps), E=("m", "h", "n", warps))
    places = dict(A="shared, async16", B="shared, async16", C=place, D="shared, async16", E="shared")
    return schedule("bm(LA,n(LB,CC,LD,CE),SE)", dict(b=1, m=m, n=n, k=128, h=128), ["b", "m"], maps, places, dict(B=2, D=2),
                    warps=warps[0] * warps[1], reduction="online")  # fmt: skip


def measure(name, text):
    """Counters of two short heads; the predicted time of long ones."""
    path = os.path.join(folder, name)
    words = ["--family=attention_long", "--case=FA_d128_s512", "--batch=1", "--heads=2", "--dtype=f16"]
    lower(path, generate(path, *words, chip=CHIP), text)
    run("fusion-run", path + ".mlir", f"--manifest={path}.json", f"--ptx={path}.ptx", "--device=emulator", f"--json={path}.report.json")
    with open(path + ".report.json") as file:
        counters = json.load(file)[0]["kernels"][0]["counters"]
    words = ["--family=attention_long", "--case=FA_d128_s4096", "--batch=1", "--heads=8", "--dtype=f16"]
    lower(path + "_long", generate(path + "_long", *words, chip=CHIP), text)
    with open(path + "_long.tile.mlir") as file:
        counters["us"] = float(re.search(r"predicted = \{.*?us = ([0-9.]+)", file.read()).group(1))
    print(name, {key: counters[key] for key in ("instructions", "shared_wavefronts", "barriers", "shared_bank_conflicts", "us")})
    assert counters["shared_bank_conflicts"] == 0
    return counters


rows = measure("rows", arrangement([8, 1], 128, 128, "registers"))
both = measure("both", arrangement([4, 2], 128, 128, "shared"))
# In registers nothing is stored or waited for, so that barriers are a quarter and instructions fewer.
assert 3 * rows["barriers"] < both["barriers"] and rows["instructions"] < both["instructions"]
# Eight warps read each tile of keys and values eight times, four by two four times.
assert both["shared_wavefronts"] < 0.9 * rows["shared_wavefronts"]
assert both["us"] < rows["us"]
# Half the warps, of twice the rows: as few reads, and no pass through shared memory, as long as registers suffice;
# which is as good.
few = measure("few", arrangement([4, 1], 128, 32, "registers"))
assert few["shared_wavefronts"] < both["shared_wavefronts"] and few["barriers"] < both["barriers"]
assert few["instructions"] > both["instructions"] and abs(few["us"] / both["us"] - 1) < 0.1
