# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Chains with persistent blocks: name → (arguments of the workload generator, schedule, tiles).

No tile of the last row and column is full. What goes with attention are the arguments of its family.
"""

from warpgroup_cases import product

# Blocks that fit, by the size of a cluster, where the shared memory of an SM leaves room for one: on a chip with two GPCs of 18 SMs
# and six of 16, and on one with six of 18 and two of 12.
BLOCKS = {"2x18,6x16": {1: 132, 2: 132, 4: 128, 8: 128}, "6x18,2x12": {1: 132, 2: 132, 4: 120, 8: 112}}
PRODUCT = product(64, 64, 64, (4, 1), transport="tma") | dict(stages=dict(A=8, B=8), producers=4)
ATTENTION = dict(
    tiling="bm(LA,n(LB,CC,LD,CE),SE)",
    tiles=dict(b=1, h=64, k=64, m=64, n=64),
    blocks=["b", "m"],
    maps=dict(C=("m", "n", "k", "[4, 1]"), E=("m", "h", "n", "[4, 1]")),
    places={each: "shared, tma" for each in "ABD"} | dict(C="registers", E="shared"),
    stages=dict(B=8, D=8),
    warps=4,
    reduction="online",
    intrinsic="wgmma.m64k16",
    producers=4,
)
BULK = dict(C="shared, tma")
CASES = {
    "product": (["--chain=840,136,840", "--2d"], PRODUCT, 196),
    "product-stored-in-bulk": (["--chain=840,136,840", "--2d"], PRODUCT | dict(places=PRODUCT["places"] | BULK), 196),
    "columns-of-blocks": (["--chain=840,72,840", "--2d"], PRODUCT | dict(raster=4), 196),
    "attention": (["FA_d64_s1024", "--heads=50", "--seq=136"], ATTENTION, 150),
    # The longest first: of all heads the last rows, then those before.
    "attention-causal": (
        ["FA_d64_s1024_causal", "--heads=50", "--seq=136"],
        ATTENTION | dict(skip="n", places=ATTENTION["places"] | dict(E="shared, tma")),
        150,
    ),
    # Whole clusters go through neighbouring tiles.
    "product-in-clusters": (["--chain=840,136,840", "--2d"], PRODUCT | dict(cluster=2), 196),
    "attention-in-clusters": (["FA_d64_s1024", "--heads=50", "--seq=200"], ATTENTION | dict(cluster=4), 200),
    "attention-causal-in-clusters": (
        ["FA_d64_s1024_causal", "--heads=50", "--seq=200"],
        ATTENTION | dict(skip="n", places=ATTENTION["places"] | dict(E="shared, tma"), cluster=2),
        200,
    ),
}  # fmt: skip
