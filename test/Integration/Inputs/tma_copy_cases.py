# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Chains whose operands have TMA copies: name → (chip, arguments of the workload generator or the
module itself, schedule without stages, operands that can have stages).

All of warpgroup_cases.py whose rows begin at multiples of 16 bytes, with the asynchronous proxy on both sides; those of
pipelined_cases.py, where threads load what was copied, on a chip with and one without products in shared memory; and
batches as further dimensions of the maps. A box has at most 256 rows.
"""

from chain_programs import Program, Statement, text
from pipelined_cases import CASES as PIPELINED
from warpgroup_cases import CASES as WARPGROUPS
from warpgroup_cases import product


def in_bulk(description, operands=None):
    """The schedule with 16-byte copies, of all operands or of the given ones, by TMA."""
    places = {
        name: place.replace("async16", "tma") if operands is None or name in operands else place
        for name, place in description["places"].items()
    }
    return description | dict(places=places)


def batched(between):
    """A product of A[b, m, b1, …, k] and B[b, n, b1, …, k] with so many batches of two between rows and columns, in another order than
    its result has, so that none are one: boxes of that many dimensions and three more."""
    names = ["b", *(f"b{i}" for i in range(1, between + 1))]
    operands = {each: ["b", rows, *names[1:], "k"] for each, rows in (("x", "m"), ("y", "n"))}
    result = ["b", *reversed(names[1:]), "m", "n"]
    return text(Program(dict.fromkeys(names, 2) | dict(m=72, n=88, k=104), [
        *(Statement(each, "argument", axes, "f16") for each, axes in operands.items()),
        Statement("sums", "product", result, "f32", [[each, axes] for each, axes in operands.items()]),
        Statement("stored", "map", result, "f16", [["sums", result]], ["x", 0]),
    ], ["stored"]))  # fmt: skip


def through_batches(description, between):
    """The schedule of a contraction in each of these batches."""
    batches = ["b", *(f"b{i}" for i in range(1, between + 1))]
    names = "".join(batches)
    return description | dict(tiling=names + description["tiling"], blocks=[*batches, *description["blocks"]],
                              tiles=description["tiles"] | dict.fromkeys(batches, 1))  # fmt: skip


# Rows that begin at other places, and operands that pass through registers all the same.
WITHOUT = {"small-copies", "through-registers", "masked-product", "both-through-registers"}

CASES = {
    name: ("sm_90a", chain, in_bulk(description), operands)
    for name, (chain, description, operands) in WARPGROUPS.items()
    if name not in WITHOUT
}
for chip in ("sm_90a", "sm_120"):
    CASES |= {
        f"{chip}-{name}": (chip, arguments, in_bulk(description), operands)
        for name, (arguments, description, operands) in PIPELINED.items()
        if name not in WITHOUT
    }
PLAIN = WARPGROUPS["plain"][1]
HANDED = WARPGROUPS["handed-over"][1]
CASES |= {
    # Parts of tiles along every axis: what lies outside arrives as zeros.
    "no-tile-is-full": ("sm_90a", ["--chain=72,104,88", "--2d"], in_bulk(PLAIN), "AB"),
    "batches": (
        "sm_90a",
        ["--chain=80,96,136", "--batch=3"],
        in_bulk(PLAIN | dict(tiling="bmn(k(LA,LB,CC),SC)", blocks=["b", "m", "n"], tiles=PLAIN["tiles"] | dict(b=1))),
        "AB",
    ),
    # Boxes of four and of five dimensions.
    "batches-between": ("sm_90a", batched(1), in_bulk(through_batches(PLAIN, 1)), "AB"),
    "two-batches-between": ("sm_90a", batched(2), in_bulk(through_batches(PLAIN, 2)), "AB"),
    "boxes-below-one-another": (
        "sm_90a",
        ["--chain=640,64,64", "--2d"],
        in_bulk(product(320, 32, 32, (4, 1))) | dict(warps=4),
        "AB",
    ),
    # Tiles of loops that do nothing else are awaited one by one, once all are in flight.
    "kept": ("sm_90a", ["--chain=128,64,192,64", "--2d"], in_bulk(HANDED | dict(tiling="m(LA,n(LB),n(LD),n(CC,CE),SE)")), ""),
    # What the L2 may do with what was read.
    "evicted": (
        "sm_90a",
        ["--chain=72,104,88", "--2d"],
        PLAIN | dict(places=dict(A="shared, tma, evict_first", B="shared, tma, evict_last", C="shared")),
        "AB",
    ),
    # One operand by TMA, the other one in groups of copies.
    "mixed": ("sm_90a", ["--chain=128,192,128", "--2d"], in_bulk(PLAIN, "A"), "AB"),
    "mixed-chain": ("sm_90a", ["--chain=128,64,192,64", "--2d"], in_bulk(HANDED, "D"), "BD"),
}  # fmt: skip
