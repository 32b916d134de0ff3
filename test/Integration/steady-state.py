# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# What ptxas makes of the pipelined loop of a contraction: no spills, at most two integer instructions for each mma,
# matrix loads and MMAs interleaved, nothing unrolled, one barrier and one wait in an iteration.
# REQUIRES: ptxas, nvdisasm
# RUN: %python %s %t %S/Inputs %ptxas %nvdisasm

import os
import sys

folder, inputs, ptxas, nvdisasm = sys.argv[1:]
sys.path.insert(0, inputs)
from hand_schedule import generate, lower, schedule  # noqa: E402
from sass import assemble, loops, opcodes  # noqa: E402

# Tile (m, n, k), warps over m and n, stages, register stages, chip.
CASES = [
    ((64, 64, 32), (2, 2), 4, 2, "sm_80"),
    ((64, 64, 64), (2, 2), 3, 2, "sm_80"),
    ((128, 64, 32), (4, 1), 3, 1, "sm_80"),
    ((128, 128, 32), (2, 4), 3, 2, "sm_80"),
    ((128, 128, 64), (2, 4), 3, 2, "sm_90a"),
    ((128, 256, 32), (2, 4), 3, 2, "sm_86"),
]
INTEGER = {
    "IADD3", "IMAD", "LEA", "LOP3", "SHF", "ISETP", "SEL", "MOV", "PRMT", "IABS", "UIADD3", "UIMAD", "ULEA", "ULOP3",
    "USHF", "UISETP", "USEL", "UMOV", "R2UR", "VIADD", "PLOP3", "UPLOP3", "P2R", "R2P",
}  # fmt: skip


os.makedirs(folder, exist_ok=True)
for (m, n, k), warps, stages, registers, chip in CASES:
    path = os.path.join(folder, f"{m}x{n}x{k}")
    groups = generate(path, "--chain=1024,1024,1024", "--2d", chip=chip)
    text = schedule(
        tiling="mn(k(LA,LB,CC),SC)",
        tiles=dict(m=m, n=n, k=k),
        blocks=["m", "n"],
        maps=dict(C=("m", "n", "k", str(list(warps)))),
        places=dict(A="shared, async16", B="shared, async16", C="registers"),
        stages=dict(A=stages, B=stages),
        registers=registers,
        warps=warps[0] * warps[1],
    )
    lower(path, groups, text)
    listing = assemble(ptxas, nvdisasm, chip, path)
    (names,) = [names for names in map(opcodes, loops(listing)) if "HMMA" in names]
    products = names.count("HMMA")
    # A warp's share of the tile in MMAs of 16 x 8 x 16: the loop is not unrolled.
    assert products == m // warps[0] // 16 * (n // warps[1] // 8) * (k // 16), (path, products)
    integer = sum(name in INTEGER for name in names)
    assert integer <= 2 * products, f"{path}: {integer} integer instructions for {products} MMAs"
    assert names.count("BAR") == 1 and names.count("DEPBAR") == 1, (path, names)
    # Where fragments are loaded ahead, matrix loads are between MMAs, not before them.
    order = [name for name in names if name in ("HMMA", "LDSM")]
    first, last = order.index("HMMA"), len(order) - 1 - order[::-1].index("HMMA")
    between = order[first:last].count("LDSM") / order.count("LDSM")
    assert registers == 1 or between >= 0.9, f"{path}: {between:.2f} of the matrix loads are between MMAs"
    print(f"{m}x{n}x{k} {chip}: {integer / products:.2f} integer instructions for an MMA, {between:.2f} interleaved")
