# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Rows that are reduced after a contraction by warpgroups, and joined in one by single warps: warpgroups are counted
# down the rows first, single warps along them, so that the same threads hold a row only where all warps lie below one
# another. That is right under eight orders of the warps; the other arrangement is rejected. Where single warps reduce
# and groups multiply, running values pass through shared memory that the prediction counts.
# RUN: %python %s %t %S/Inputs

import os
import re
import subprocess
import sys

folder, inputs = sys.argv[1:]
sys.path.insert(0, inputs)
from hand_schedule import ROOT, emulate, lower, run, schedule  # noqa: E402
from set_schedule import replace_schedule  # noqa: E402

os.makedirs(folder, exist_ok=True)
path = os.path.join(folder, "attention")
generator = os.path.join(ROOT, "benchmarks", "workloads", "generate.py")
run(sys.executable, generator, "--family=attention_long", "--case=FA_d64_s1024_causal", "--batch=1", "--heads=2", "--seq=192",
    "-o", path + ".mlir")  # fmt: skip
groups = run("fusion-opt", path + ".mlir", "--fuse-to-groups=chip=sm_90a")


def mixed(warps):
    text = schedule(
        tiling="bm(k(LA,LB,CC),LD,CE,SE)",
        tiles=dict(b=1, m=128, n=96, k=32, h=64),
        blocks=["b", "m"],
        maps=dict(C=("m", "n", "k", str(warps)), E=("m", "h", "n", str(warps))),
        places={each: "shared, async16" for each in "ABD"} | dict(C="shared", E="shared"),
        stages={},
        split=dict(n=2),
        warps=warps[0] * warps[1],
        reduction="one_tile",
        intrinsic="mma.m16n8k16",
    )
    return text.replace("mma.m16n8k16", "wgmma.m64k16", 1)


with open(path + ".scheduled.mlir", "w") as file:
    file.write(replace_schedule(groups, mixed([4, 2])))
refused = subprocess.run(["fusion-opt", path + ".scheduled.mlir", "--fuse-search-schedules"], capture_output=True, text=True)
assert refused.returncode and "the rows of 'C', which are reduced, are held by other threads" in refused.stderr, refused.stderr

lower(path, groups, mixed([4, 1]))
with open(path + ".ptx") as file:
    ptx = file.read()
assert "wgmma.mma_async" in ptx and "mma.sync" in ptx
emulate(path, "all below one another", "--schedules=8")

# Warps of the first contraction have 32 rows one below the other, those of the second 16 of each 64.
online = schedule(
    tiling="bm(LA,n(LB,CC,LD,CE),SE)",
    tiles=dict(b=1, m=128, n=64, k=64, h=64),
    blocks=["b", "m"],
    maps=dict(C=("m", "n", "k", "[4, 1]"), E=("m", "h", "n", "[4, 1]")),
    places={each: "shared, async16" for each in "ABD"} | dict(C="shared", E="shared"),
    stages=dict(B=2, D=2),
    warps=4,
    reduction="online",
    intrinsic="mma.m16n8k16",
)
parts = online.split("mma.m16n8k16")
lower(path, groups, parts[0] + "mma.m16n8k16" + parts[1] + "wgmma.m64k16" + parts[2])
with open(path + ".tile.mlir") as file:
    tiles = file.read()
assert re.search(r"tile.convert_layout .*offset.*tensor<128xf32", tiles)
emulate(path, "running values of single warps, sums of groups", "--schedules=8")
