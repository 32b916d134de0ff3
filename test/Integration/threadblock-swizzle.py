# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Blocks in columns: whatever the width, dividing the row or not, every block computes its tile, and the bits are those of
# the order row by row.
# RUN: %python %s %t %S/Inputs

import os
import sys

folder, inputs = sys.argv[1], sys.argv[2]
sys.path.insert(0, inputs)
from hand_schedule import emulate, generate, lower, schedule  # noqa: E402

# 3 x 7 blocks; the same for each of two batches; a chain.
SHARED = dict(A="shared, async8", B="shared, async8", C="shared")
CASES = {
    "product": (
        ["--chain=72,52,100", "--2d"],
        dict(
            tiling="mn(k(LA,LB,CC),SC)",
            tiles=dict(m=32, n=16, k=32),
            blocks=["m", "n"],
            maps=dict(C=("m", "n", "k", "[2, 2]")),
            places=SHARED,
        ),
        (2, 3, 4, 6),
    ),
    "batched": (
        ["--chain=40,20,100", "--batch=2"],
        dict(
            tiling="bmn(LA,LB,CC,SC)",
            tiles=dict(b=1, m=32, n=32, k=32),
            blocks=["b", "m", "n"],
            maps=dict(C=("m", "n", "k", "[2, 2]")),
            places=SHARED,
        ),
        (2, 3),
    ),
    "chain": (
        ["--chain=70,32,48,144", "--2d"],
        dict(
            tiling="mh(n(LA,LB,CC,LD,CE),SE)",
            tiles=dict(m=32, n=32, k=32, h=32),
            blocks=["m", "h"],
            maps=dict(C=("m", "n", "k", "[2, 2]"), E=("m", "h", "n", "[2, 2]")),
            places=dict(A="shared, async16", B="shared, async16", C="shared", D="shared, async16", E="shared"),
        ),
        (2, 4),
    ),
}


def main():
    os.makedirs(folder, exist_ok=True)
    for name, (chain, description, rasters) in CASES.items():
        path = os.path.join(folder, name)
        groups = generate(path, *chain)
        expected = None
        for raster in (1, *rasters):
            lower(path, groups, schedule(**description, stages={}, raster=raster))
            where = f"{name}, raster {raster}"
            report, bits = emulate(path, where)
            assert len(report["kernels"]) == 1, where
            expected = expected or bits
            assert bits == expected, where


main()
