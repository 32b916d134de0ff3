# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Chains with producer warps: name → (chip, arguments of the workload generator or the module
itself, schedule without stages, operands that have stages, numbers of stages, numbers of producers).

One to three warpgroups that multiply from shared memory, and warps that load their operands; sizes that fill no tile;
both operands by TMA and one; tiles that are kept and filled again; a value that passes through shared memory,
with barriers of the consumers; a sum that blocks share, whose last block is found by such a barrier.
"""

from tma_copy_cases import CASES as BULK
from tma_copy_cases import in_bulk
from warpgroup_cases import chain, product


def case(name, counts=(2, 3), producers=(4,), **changes):
    chip, chain, description, operands = BULK[name]
    return chip, chain, description | changes, operands, counts, producers


CASES = {
    name: case(name)
    for name in (
        "no-tile-is-full",
        "first-transposed",
        "below-one-another",
        "side-by-side",
        "bytes",
        "computed-first",
        "batches",
        "mixed",
        "handed-over",
        "handed-over-by-two",
        "through-shared-memory",
        "nest",
    )
} | {
    # Producers beside warps that are not dealt registers.
    "plain": case("plain", (4,), (1, 2, 4)),
    "three-groups": ("sm_90a", ["--chain=200,136,72", "--2d"], in_bulk(product(192, 64, 32, (12, 1))), "AB", (3,), (4,)),
    # More registers than an equal share.
    "wide": (
        "sm_90a",
        ["--chain=200,64,136,256", "--2d"],
        in_bulk(chain(128, 64, 64, 256, (8, 1), tiling="m(LA,n(LB,CC,LD,CE),SE)")),
        "BD",
        (2,),
        (4,),
    ),
    "mixed-chain": case("mixed-chain", (2,), (1, 4)),
    "loads-by-warps": case("sm_90a-loop-over-n", (2, 4), (1, 4), registers=2),
    "nest-of-loads": case("sm_90a-nest", (3,), (4,)),
    "another-chip": case("sm_120-loop-over-n", (3,), (1, 4)),
    "one-warp": case("sm_90a-one-warp", (3,), (1,)),
    # Loops of few tiles, whose stages are released once more before the last lanes of a producer come by, in many blocks.
    "few-tiles": (
        "sm_90a",
        ["--chain=256,128,1024", "--2d", "--transpose=1"],
        in_bulk(
            product(16, 64, 80, (1, 1), result="shared")
            | dict(maps=dict(C=("m", "n", "k", "[1, 1]")), intrinsic="mma.m16n8k16", warps=1)
        ),
        "AB",
        (3,),
        (1, 4),
    ),
    # An operand of an outer loop, and tiles that each of its iterations keeps anew.
    "outer-loop": (
        "sm_90a",
        ["--chain=144,72,104,88", "--2d"],
        in_bulk(BULK["nest"][2] | dict(tiling="m(h(n(k(LA,LB,CC),LD,CE),SE))", tiles=dict(m=64, n=48, k=48, h=48))),
        "AB",
        (2,),
        (4,),
    ),
    # Tiles that are kept, and loaded again once all have read them: a barrier with producers, whose lanes are not where the one is
    # that waited for the stages of the other loads.
    "kept-anew": (
        "sm_90a",
        ["--chain=144,72,104,88", "--2d"],
        in_bulk(BULK["nest"][2] | dict(tiling="m(h(n(LD),n(k(LA,LB,CC),CE),SE))", tiles=dict(m=64, n=48, k=16, h=48))),
        "AB",
        (3,),
        (1, 4),
    ),
    "shared-sum": ("sm_90a", ["--chain=128,512,128", "--2d"], BULK["plain"][2] | dict(split=dict(k=2)), "AB", (2,), (1, 4)),
}
