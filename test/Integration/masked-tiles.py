# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Tiles that a mask from indices provably excludes are neither loaded nor multiplied: under one hand-written choice of tiles a causal
# kernel does about half the work of the full one, a sliding window what it covers; results are the same when all tiles are visited.
# So do the schedules that the search chooses, up to what their tiles reach beyond the mask.
# RUN: %python %s %t %sample

import json
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "Inputs"))
from hand_schedule import emulate, lower, run, schedule
from sample import some
from score_chains import chain

folder = sys.argv[1]
os.makedirs(folder, exist_ok=True)


def measure(name, skip, stages, m=256, n=256, mask=None, period=None, parts=1):
    path = os.path.join(folder, f"{name}_{skip}_{stages}")
    with open(path + ".mlir", "w") as file:
        file.write(chain(b=1, m=m, n=n, k=32, h=32, mask=mask, period=period))
    groups = run("fusion-opt", path + ".mlir", "--fuse-to-groups=chip=sm_80 force-fusion=true")
    text = schedule(
        "m(LA,n(LB,CC,LD,CE),SE)",
        {"b": 1, "m": TILE, "n": TILE, "k": 32, "h": 32},
        ["m"],
        {"C": ("m", "n", "k", [2, 1]), "E": ("m", "h", "n", [2, 1])},
        {"A": "shared, async16", "B": "shared, async16", "C": "registers", "D": "shared, async16", "E": "shared"},
        {"B": stages, "D": stages} if stages > 1 else {},
        warps=2,
        skip="n" if skip else None,
        split={"n": parts} if parts > 1 else None,
        reduction="online",
    )
    lower(path, groups, text)
    report, _ = emulate(path, name, "--schedules=2")
    counters = report["kernels"][0]["counters"]
    return counters["mma_flops"], counters["global_load_bytes"]


TILE = 32
TILES = 256 // TILE
for stages in (1, 3):
    full, whole = measure("full", False, stages)
    pair = full // (TILES * TILES)
    keys = 2 * TILE * 32 * 2  # bytes of a tile of keys and one of values
    for name, mask, visited in some((
        ("causal", "causal", TILES * (TILES + 1) // 2),
        ("window", (TILE, 0), 2 * TILES - 1),
        ("ahead", (0, TILE), 2 * TILES - 1),
        ("narrow", (3, 3), 3 * TILES - 2),
        ("near", ("near", TILE), 3 * TILES - 2),
        ("behind", ("behind", TILE + 1), 2 * TILES - 1),
        ("block", ("block", 2 * TILE), 2 * TILES),
        ("blocks", ("blocks", 2 * TILE), 2 * sum(range(2, TILES + 1, 2))),
    ), 2):  # fmt: skip
        assert measure(name, False, stages, mask=mask) == (full, whole), name
        assert measure(name, True, stages, mask=mask) == (visited * pair, whole - (TILES * TILES - visited) * keys), name
    # Rows before the first key: their tiles visit nothing, and the results are NaN as the operators say.
    flops, _ = measure("none", True, stages, m=256, n=128, mask="causal")
    assert flops == pair * (1 + 2 + 3 + 4), (flops, pair)
    # Rows of heads that are one axis, with tiles that lie across heads: what some row of a tile needs is visited.
    for period in some((64, 80, 48), 1):
        tiles = sum(max(row % period for row in range(m, m + TILE)) // TILE + 1 for m in range(0, 480, TILE))
        flops, _ = measure(f"heads{period}", True, stages, m=480, n=period, mask="causal", period=period)
        assert flops == pair * tiles, (period, flops, pair * tiles)
    # The axis split over blocks: blocks visit the unmasked tiles of their ranges, together as many as one block.
    for parts in some((2, 3), 1):
        flops, _ = measure(f"causal{parts}", True, stages, mask="causal", parts=parts)
        assert flops == pair * TILES * (TILES + 1) // 2, (parts, flops)
print("full", full, whole)


def chosen(name, mask, size=1024, dim=64):
    """The schedule that is chosen where tiles are smaller than the sequence does what the mask leaves and what its tiles reach beyond: at
    each end that the mask cuts half of the rows of a tile and a tile of keys more, at most."""
    ends = 1 if mask == "causal" else 2
    before, after = (size, 0) if mask == "causal" else mask
    keys = sum(min(row + after, size - 1) - max(row - before, 0) + 1 for row in range(size)) / size
    path = os.path.join(folder, "chosen_" + name)
    with open(path + ".mlir", "w") as file:
        file.write(chain(b=2, m=size, n=size, k=dim, h=dim, mask=mask))
    run("fusion-run", path + ".mlir", "--device=emulator", "--force-fusion", f"--json={path}.json")
    with open(path + ".json") as file:
        (report,) = json.load(file)
    schedule = report["kernels"][0]["schedule"]
    tiles = {axis: int(tile) for axis, tile in re.findall(r"\b([mnkh]) = (\d+) : i64", schedule.split("mapping")[0])}
    m, n = tiles["m"], tiles["n"]
    assert m < size and n < size and 'skip = "n"' in schedule, schedule
    flops = sum(kernel["counters"]["mma_flops"] for kernel in report["kernels"])
    share = flops / (2 * 2 * size * size * (dim * -(-dim // tiles["h"]) + dim))
    least, most = keys / size, (keys + ends * (m / 2 + n)) / size * -(-size // m) * m / size
    print(f"{name}: m {m}, n {n}, {share:.4f} of the full work, between {least:.4f} and {most:.4f}")
    assert least <= share <= most, (name, schedule, share)


for name, mask in some((("causal", "causal"), ("window_128", (128, 0)), ("window_32_32", (32, 32)), ("window_400", (400, 0))), 1):
    chosen(name, mask)
