# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Trees that retain tiles: operands, several accumulators, intermediates, in registers and in shared memory, through
# extents that the tiles do not divide, stages and register stages, element-wise operators between the contractions,
# transposed operands and chains of three. The right numbers, no finding under eight orders of the warps, and the bytes
# and shared memory that were predicted.
# RUN: %python %s %t %S/Inputs %sample

import itertools
import os
import random
import sys

folder, inputs = sys.argv[1], sys.argv[2]
sys.path.insert(0, inputs)
from hand_schedule import emulate, generate, lower, schedule  # noqa: E402
from sample import ORDERS, some  # noqa: E402

ALIGNED, ODD, NARROW = "64,96,64,128", "100,72,40,72", "48,40,72,56"

# name → (tiling, the same with the bias F of C, axes of the grid, places of C, operands that can have stages)
TWO = {
    "flat": ("m(n(k(LA,LB,CC),h(LD,CE)),h(SE))", "m(n(k(LA,LB,CC),LF,h(LD,CE)),h(SE))", "m", ["registers"], "ABD"),
    "kn": ("mh(k(LA,n(LB,CC)),n(LD,CE),SE)", "mh(k(LA,n(LB,CC)),n(LF,LD,CE),SE)", "mh", ["registers"], "BD"),
    "khn": ("m(k(LA,n(LB,CC)),h(n(LD,CE),SE))", "m(k(LA,n(LB,CC)),n(LF),h(n(LD,CE),SE))", "m",
            ["registers", "shared"], "BD"),
    "khn-bias-kept": ("m(k(LA,n(LB,CC)),n(h(LD,CE)),h(SE))", "m(n(LF),k(LA,n(LB,CC)),n(h(LD,CE)),h(SE))", "m",
                      ["registers", "shared"], "BD"),
    "nhk": ("m(n(h(k(LA,LB,CC),LD,CE)),h(SE))", "m(n(LF,h(k(LA,LB,CC),LD,CE)),h(SE))", "m", ["registers"], "AB"),
    "resident-A": ("mh(k(LA),n(k(LB,CC),LD,CE),SE)", "mh(k(LA),n(k(LB,CC),LF,LD,CE),SE)", "mh", ["registers"], "B"),
    "resident-B": ("m(h(nk(LB),n(k(LA,CC),LD,CE),SE))", "m(h(nk(LB),n(LF),n(k(LA,CC),LD,CE),SE))", "m",
                   ["registers"], "A"),
    "resident-D": ("mh(n(LD),n(k(LA,LB,CC),CE),SE)", "mh(n(LD),n(k(LA,LB,CC),LF,CE),SE)", "mh", ["registers"], "AB"),
    "resident-all": ("m(k(LA),nk(LB),hn(LD),h(n(k(CC),CE),SE))", "m(n(LF),k(LA),nk(LB),hn(LD),h(n(k(CC),CE),SE))", "m",
                     ["registers"], ""),
    "kept": ("m(nk(LA,LB,CC),h(n(LD,CE),SE))", "m(n(k(LA,LB,CC),LF),h(n(LD,CE),SE))", "m",
             ["registers", "shared"], "ABD"),
    "kept-flat": ("m(nk(LA,LB,CC),n(h(LD,CE)),h(SE))", "m(n(k(LA,LB,CC),LF),n(h(LD,CE)),h(SE))", "m",
                  ["registers", "shared"], "ABD"),
    "again": ("m(h(n(k(LA,LB,CC),LD,CE),SE))", "m(h(n(k(LA,LB,CC),LF,LD,CE),SE))", "m", ["registers"], "AB"),
}
THREE = {
    "keeps-all": ("m(k(LA,n(LB,CC)),n(h(LD,CE)),h(p(LF,CG)),p(SG))", "m", "BDF"),
    "kept-in-turn": ("m(nk(LA,LB,CC),h(n(LD,CE)),p(h(LF,CG),SG))", "m", "ABDF"),
    "first-kept": ("m(nk(LA,LB,CC),p(h(n(LD,CE),LF,CG),SG))", "m", "ABD"),
    "placed": ("m(h(n(k(LA,LB,CC),LD,CE),p(LF,CG)),p(SG))", "m", "ABF"),
}
# A 1x1 convolution and one of 3x3 places m1: E is a sum over n and m1, and the loops of its tiles can stand around either.
WINDOW = ["--family=conv_chains_chimera", "--case=C6", "--H=17", "--W=13", "--IC=512", "--OC1=40", "--OC2=24"]
SUMS = (
    "m(n(LB,m1(LA,CC,h(LD,CE))),h(SE))",
    "m(n(LB,hm1(LA,CC,LD,CE)),h(SE))",
    "m(n(LB,h(m1(LA,CC,LD,CE))),h(SE))",
    "m(n(LB,hm1(LD),hm1(LA,CC,CE)),h(SE))",
)
# Warps along the rows and columns of both products; those along columns hand C over in shared memory.
ROWS, BLOCK = ("[1, 1]", "[2, 1]"), ("[1, 2]", "[2, 2]", "[2, 4]")


def rows_of(text):
    """Rows of a block: each warp has as many, or registers would not do."""
    return 16 * int(text.strip("[]").split(", ")[0])


def warps_of(text):
    rows, columns = text.strip("[]").split(", ")
    return int(rows) * int(columns)


def check(name, arguments, chip="sm_80", **description):
    path = os.path.join(folder, "case")
    groups = generate(path, *arguments, chip=chip)
    where = f"{name} {arguments} {description}"
    lower(path, groups, schedule(**description))
    # Of loads into registers LLVM leaves out those of data that is there already.
    is_exact = "sync" not in {place.split(", ")[-1] for place in description["places"].values()}
    report, _ = emulate(path, where, ORDERS, is_exact=is_exact)
    assert len(report["kernels"]) == 1, where


def stages(staged, transport):
    most = 4 if transport != "sync" else 2
    return {operand: random.randint(1, most) for operand in staged} if random.random() < 0.7 else {}


def two(name, sizes, dtype, between, transposed, warps, c_place):
    tiling, with_bias, blocks, _, staged = TWO[name]
    arguments = [f"--chain={sizes}", "--2d", f"--dtype={dtype}"] + transposed
    if between:
        arguments.append(f"--between={between}")
    transport = "async8" if sizes != ALIGNED else "async16"
    if transposed or sizes == NARROW and random.random() < 0.3:
        transport = "sync"
    places = dict.fromkeys("ABD", f"shared, {transport}") | dict(C=c_place, E="shared")
    if between.startswith("bias"):
        tiling, places["F"] = with_bias, "registers"
    counts = stages(staged, transport)
    check(name, arguments, tiling=tiling, tiles=dict(m=rows_of(warps), n=32, k=16, h=32), blocks=list(blocks),
          maps=dict(C=("m", "n", "k", warps), E=("m", "h", "n", warps)), places=places, warps=warps_of(warps),
          stages=counts, registers=random.randint(1, 2))


def three(name, sizes, warps):
    tiling, blocks, staged = THREE[name]
    space = "registers" if warps in ROWS else "shared"
    places = dict.fromkeys("ABDF", "shared, async16") | dict(C=space, E=space, G="shared")
    check(name, [f"--chain={sizes}", "--2d", "--between=relu"], tiling=tiling, tiles=dict(m=rows_of(warps), n=32, k=32, h=32, p=32),
          blocks=list(blocks), maps=dict(C=("m", "n", "k", warps), E=("m", "h", "n", warps), G=("m", "p", "h", warps)),
          places=places, warps=warps_of(warps), stages=stages(staged, "async16"), registers=random.randint(1, 2))


def sums(tiling, dtype, warps):
    places = dict.fromkeys("ABD", "shared, async16") | dict(C="registers", E="shared")
    check("sums", [*WINDOW, f"--dtype={dtype}"], tiling=tiling, tiles=dict(m=rows_of(warps), m1=1, n=16, k=512, h=16),
          blocks=["m"], maps=dict(C=("m", "n", "k", warps), E=("m", "h", "n", warps)), places=places, warps=warps_of(warps),
          stages=stages("A", "async16"), registers=random.randint(1, 2))


def main():
    os.makedirs(folder, exist_ok=True)
    random.seed(len(sys.argv) > 3 and int(sys.argv[3]) or 0)
    runs = 0
    for name, (*_, c_places, _) in some(TWO.items(), 6):
        for c_place, sizes in some(itertools.product(c_places, (ALIGNED, ODD, NARROW)), 1):
            warps = random.choice(ROWS + (BLOCK if "shared" in c_places and c_place == "shared" else ()))
            two(name, sizes, random.choice(("f16", "bf16")), random.choice(("", "relu", "bias,relu")), [], warps, c_place)
            runs += 1
        two(name, "48,72,56,40", "f16", "", ["--transpose=" + random.choice("01")], "[2, 1]", c_places[0])
        runs += 1
    for name in some(THREE, 2):
        for sizes in some(("64,64,64,96,64", "72,40,104,40,72"), 1):
            three(name, sizes, random.choice(ROWS + BLOCK[:2]))
            runs += 1
    for tiling in some(SUMS, 2):
        for dtype, warps in some((("f16", "[2, 1]"), ("bf16", "[1, 1]")), 1):
            sums(tiling, dtype, warps)
            runs += 1
    print(f"{runs} schedules")


main()
