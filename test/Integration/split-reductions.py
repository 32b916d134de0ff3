# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Reductions split over blocks: the numbers are right, the bytes of both kernels are the predicted ones, and two runs
# agree to the bit. Parts that divide the tiles and parts that do not, one tile each, and more parts than tiles.
# RUN: %python %s %t %S/Inputs %sample

import os
import sys

folder, inputs = sys.argv[1], sys.argv[2]
sys.path.insert(0, inputs)
from hand_schedule import PRODUCT, emulate, generate, lower, schedule  # noqa: E402
from sample import some  # noqa: E402

PRODUCT = dict(PRODUCT, split="k")
CHAIN = dict(
    tiling="mh(n(k(LA,LB,CC),LD,CE),SE)",
    tiles=dict(m=32, n=32, k=32, h=32),
    blocks=["m", "h"],
    maps=dict(C=("m", "n", "k", "[2, 1]"), E=("m", "h", "n", "[2, 1]")),
    places=dict(A="shared, async16", B="shared, async16", C="registers", D="shared, async16", E="shared"),
    warps=2,
    split="n",
)


def variant(base, **changes):
    changed = dict(base)
    for key, value in changes.items():
        changed[key] = {**base[key], **value} if isinstance(base.get(key), dict) else value
    return changed


def single(base, axis):
    """The schedule whose parts have one tile of the axis each: its loop is dead."""
    return variant(base, tiling={"mn(k(LA,LB,CC),SC)": "mn(LA,LB,CC,SC)",
                                 "bmn(k(LA,LB,CC),SC)": "bmn(LA,LB,CC,SC)",
                                 "mn(k(LA,LB,CC),LD,SC)": "mn(LA,LB,CC,LD,SC)",
                                 "mh(n(k(LA,LB,CC),LD,CE),SE)": "mh(k(LA,LB,CC),LD,CE,SE)",
                                 "mh(k(LA,n(LB,CC)),n(LD,CE),SE)": "mh(k(LA,LB,CC),LD,CE,SE)",
                                 "mh(LA,n(LB,CC,LD,CE),SE)": "mh(LA,LB,CC,LD,CE,SE)",
                                 "mh(n(k(LA,LB,CC),LF,LD,CE),LG,SE)": "mh(k(LA,LB,CC),LF,LD,CE,LG,SE)",
                                 }[base["tiling"]])  # fmt: skip


# name → (arguments of the generator, chip, schedule, tiles of the split axis)
CASES = {
    "product": (["--chain=64,224,96", "--2d"], "sm_80", PRODUCT, 7),
    "odd-sizes": (
        ["--chain=50,199,77", "--2d", "--dtype=bf16"], "sm_86",
        variant(PRODUCT, places=dict(A="shared, sync", B="shared, sync", C="registers")), 7),
    "epilogue": (
        ["--chain=40,224,72", "--2d", "--epilogue=bias,gelu"], "sm_90a",
        variant(PRODUCT, tiling="mn(k(LA,LB,CC),LD,SC)", places=dict(D="registers")), 7),
    "batched": (
        ["--chain=40,100,56", "--batch=2", "--dtype=bf16"], "sm_89",
        variant(PRODUCT, tiling="bmn(k(LA,LB,CC),SC)", tiles=dict(b=1), blocks=["b", "m", "n"],
                places=dict(A="shared, async8")), 4),
    "chain": (["--chain=64,64,160,64", "--2d"], "sm_80", CHAIN, 5),
    "chain-with-epilogues": (
        ["--chain=40,40,149,56", "--2d", "--between=bias,relu", "--epilogue=bias,silu"], "sm_80",
        variant(CHAIN, tiling="mh(n(k(LA,LB,CC),LF,LD,CE),LG,SE)",
                places=dict(B="shared, sync", F="registers", G="registers")), 5),
    # A is on its way when the loop begins; the last of four parts of five tiles has no iteration that waits for it.
    "resident-operand": (
        ["--chain=64,64,160,64", "--2d"], "sm_80", variant(CHAIN, tiling="mh(LA,n(LB,CC,LD,CE),SE)", tiles=dict(k=64)), 5),
    # Accumulators of C, then its values, are kept along n.
    "kept-tiles": (
        ["--chain=64,64,192,64", "--2d"], "sm_80", variant(CHAIN, tiling="mh(k(LA,n(LB,CC)),n(LD,CE),SE)"), 6),
}  # fmt: skip


def execute(path, text, groups, where, chip):
    lower(path, groups, text)
    return emulate(path, where, "--chip=" + chip)


def main():
    os.makedirs(folder, exist_ok=True)
    for name, (arguments, chip, description, trips) in CASES.items():
        path = os.path.join(folder, name)
        groups = generate(path, *arguments, chip=chip)
        axis = description["split"]
        for parts, stages, registers in some(((2, 1, 1), (3, 3, 2), (trips, 1, 2), (trips + 3, 1, 1), (2, 4, 2), (4, 2, 1)), 2):
            description = dict(CASES[name][2])
            if name == "kept-tiles" and parts < trips and trips % parts:
                continue
            isSync = "sync" == description["places"]["B"].split()[-1]
            loop = parts < trips
            if not loop:
                description = single(description, axis)
            operands = "AB" if loop or axis != "k" else ""
            if name in ("kept-tiles", "resident-operand") and loop:
                operands = "B"
            counts = {operand: min(stages, 2) if isSync else stages for operand in operands} if stages > 1 else {}
            description["split"] = {axis: parts}
            text = schedule(**description, stages=counts, registers=registers)
            where = f"{name}, {parts} parts, {stages} stages"
            report, bits = execute(path, text, groups, where, chip)
            assert len(report["kernels"]) == 2, where
            blocks = report["kernels"][0]["grid"][0]
            assert blocks % parts == 0, where
            if parts == 3:
                assert execute(path, text, groups, where, chip)[1] == bits, where


main()
