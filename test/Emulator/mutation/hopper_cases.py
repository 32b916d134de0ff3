# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention, decoding, parts of sums and stitched kernels of sm_90a that compiler_cases.py compiles: name → text, schedule, blocks.

Tiles are small, and two blocks or clusters run, so that thousands of mutants take minutes; loops go round as often as there are
stages, and twice more.
"""

import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "test" / "Integration" / "Inputs"))
import score_chains  # noqa: E402
import stitch_programs  # noqa: E402
from hand_schedule import PRODUCT, run, schedule  # noqa: E402

CHIP = "sm_90a"


def attention(groups=1, columns=32, sequence=128, heads=1, causal=False, result="shared", **options):
    """Heads of 64 by several warpgroups, both contractions by wgmma."""
    warps, rows = 4 * groups, 64 * groups
    grid = "bm" if heads > 1 else "m"
    description = dict(
        tiling=f"{grid}(LA,n(LB,CC,LD,CE),SE)",
        tiles=dict(b=1, h=64, k=64, m=rows, n=columns),
        blocks=list(grid),
        maps=dict(C=("m", "n", "k", f"[{warps}, 1]"), E=("m", "h", "n", f"[{warps}, 1]")),
        places={each: "shared, tma" for each in "ABD"} | dict(C="registers", E=result),
        stages=dict(B=2, D=2),
        warps=warps,
        skip="n" if causal else None,
        reduction="online",
        intrinsic="wgmma.m64k16",
    )
    mask = dict(mask="causal") if causal else {}
    return score_chains.chain(heads, sequence, sequence, 64, 64, **mask), schedule(**(description | options))


def stitched(pattern, rows, columns, tile, walk, cluster=1, warps=2, vector=8, form="", row="tile = 1", axis="j", producers=0, along=None):
    roles = f"parallel = <{{}}, producers = {producers}>, " if producers else ""
    text = (
        f"#fuse.schedule<version = 2, mapping = <warps = {warps}, cluster = {cluster}>, {roles}stitching = <{form}{{i = #fuse.thread_mapping<{row}>, "
        f'j = #fuse.thread_mapping<tile = {tile}, vector = {vector}, lanes = 32, warps = {along or warps}>}}, serial_loop = <axis = "{axis}", {walk}>>>'
    )
    return stitch_programs.program(pattern, rows, columns, "f16"), text


def parts_of_rows():
    """A tile's rows, whose sum a cluster of two shares."""
    description = PRODUCT | dict(tiling="n(k(LA,LB,CC),SC)", blocks=["n"],
                                 places=dict(A="shared, tma", B="shared, tma", C="registers"), stages=dict(A=2, B=2))  # fmt: skip
    text = run(sys.executable, str(ROOT / "benchmarks" / "workloads" / "generate.py"), "--chain=32,320,64", "--2d")
    return text, schedule(**description, split=dict(k=2), in_cluster=True)


# Few rows of queries, of which two blocks share the keys; a second kernel combines them.
DECODE = dict(
    tiling="b(LA,n(LB,CC,LD,CE),SE)",
    tiles=dict(b=1, m=16, n=16, k=32, h=32),
    blocks=["b"],
    maps=dict(C=("m", "n", "k", "[1, 1]"), E=("m", "h", "n", "[1, 1]")),
    places={each: "shared, tma" for each in "ABD"} | dict(C="registers", E="shared"),
    stages=dict(B=2, D=2),
    warps=1,
    registers=2,
    split={"n": 2},
    reduction="online",
)
# An SM has room for one block; more tiles than SMs, of which the first two blocks have two each.
THROUGH_TILES = dict(columns=128, sequence=896, heads=10, stages=dict(B=5, D=5), producers=4, persistent=True)
# Each is made where it is wanted; how many blocks run, where that is not the grid.
CASES = {
    "attention-plain": (lambda: attention(), None),
    "attention-producers": (lambda: attention(producers=4), None),
    "attention-turns": (lambda: attention(2, sequence=256, producers=4, turns=True), None),
    "attention-turns-overlapped": (lambda: attention(2, sequence=256, producers=4, turns=True, overlapped="E"), None),
    "attention-overlapped": (lambda: attention(overlapped="E"), None),
    "attention-causal": (lambda: attention(causal=True, sequence=192, producers=4, overlapped="E", result="shared, tma"), None),
    "attention-in-clusters": (lambda: attention(producers=4, cluster=2), None),
    "attention-in-clusters-alone": (lambda: attention(cluster=2), None),
    "attention-causal-in-clusters": (lambda: attention(causal=True, sequence=256, producers=4, cluster=2, overlapped="E"), None),
    "attention-through-tiles": (
        lambda: attention(**THROUGH_TILES, result="shared, tma"), 2,
    ),
    "attention-through-tiles-in-clusters": (
        lambda: attention(**THROUGH_TILES, cluster=2), 2,
    ),
    "decode-in-bulk": (lambda: (score_chains.chain(2, 4, 160, 32, 32), schedule(**DECODE)), None),
    "decode-producers": (lambda: (score_chains.chain(2, 4, 160, 32, 32), schedule(**DECODE, producers=1)), None),
    "decode-in-clusters": (
        lambda: (score_chains.chain(2, 4, 160, 32, 32),
                 schedule(**DECODE | dict(places=DECODE["places"] | dict(E="registers")), in_cluster=True)), None,
    ),
    "parts-in-clusters-in-bulk": (parts_of_rows, None),
    "stitched-in-clusters": (lambda: stitched("softmax", 2, 2048, 1024, "step = 512, register_steps = 1, shared_steps = 1", 2), None),
    "stitched-ahead-in-clusters": (lambda: stitched("softmax", 2, 5120, 2560, "step = 512, shared_steps = 5, stages = 3", 2), None),
    "stitched-online-in-clusters": (
        lambda: stitched("softmax", 2, 5120, 2560, "step = 512, register_steps = 0, online = true", 2), None,
    ),
    "stitched-bulk-rows": (
        lambda: stitched("softmax", 24, 256, 256, "step = 2, stages = 3, tma = true", row="tile = 12, warps = 2", axis="i", along=1), None,
    ),
    "stitched-bulk-producer": (
        lambda: stitched("swiglu", 16, 512, 512, "step = 1, stages = 2, tma = true", row="tile = 8", axis="i", producers=1), None,
    ),
    "stitched-bulk-kept": (lambda: stitched("softmax", 2, 2560, 2560, "step = 512, shared_steps = 5, stages = 3, tma = true"), None),
    "stitched-bulk-kept-rows": (
        lambda: stitched("layer_norm_backward", 8, 1024, 1024, "step = 512, shared_steps = 2, stages = 2, tma = true", form="fan_in = 2, split_step = 1, ",
                         row="tile = 4"), None,
    ),
    "stitched-rows-in-clusters": (
        lambda: stitched("layer_norm_backward", 23, 448, 256, "step = 128, register_steps = 2, shared_steps = 0", 2, 2, 2,
                         "fan_in = 2, split_step = 1, ", "tile = 6"), None,
    ),
}  # fmt: skip
