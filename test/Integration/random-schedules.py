# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Legal schedules drawn at random: whatever the legality predicate admits is lowered to right code that the sanitizer finds
# nothing in, with the bytes and the shared memory that were predicted.
# RUN: %python %s %t %S/Inputs 6 %sample

import collections
import json
import os
import re
import subprocess
import sys

folder, inputs, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
sys.path.insert(0, inputs)
from hand_schedule import ROOT  # noqa: E402
from sample import IS_SAMPLE, some  # noqa: E402

of_workloads = sys.argv[4:] == ["--workloads"]

sys.path.insert(0, os.path.join(ROOT, "benchmarks", "workloads"))
import families as tables  # noqa: E402

CHAINS = (
    ["--chain=64,48,80,32"],
    ["--chain=100,40,72,24", "--between=bias,relu"],
    ["--chain=128,128,128"],
    ["--chain=96,64,96,64,32"],
    ["--chain=33,17,65,9"],
    ["--chain=32,72,83,83", "--2d", "--transpose=0"],
    ["--chain=50,21,30,40,50", "--transpose=2"],
    # Tiles for warpgroups, each contraction with intrinsics of its own.
    ["--chain=128,48,64,64"],
    ["--chain=64,64,128,32,64", "--between=bias,relu"],
)


# The most that each size of a table may have, others one number for all; what is not here stays as it is.
REDUCED = {
    "gemm_chains_mcfuser": {"batch": 2, "M": 128, "N": 128, "K": 128, "H": 128},
    "gemm_chains_chimera": {"batch": 2, "M": 128, "K": 128, "L": 128, "N": 128},
    "attention_mcfuser": {"heads": 2, "M": 128, "N": 128, "K": 128, "H": 128},
    "attention_long": {"batch": 1, "heads": 2, "seq": 192},
    "decode": {"heads": 2, "keys": 320},
    "conv_chains_chimera": {"IC": 32, "H": 15, "W": 15, "OC1": 48, "OC2": 32},
    "operators_alcop": {"batch": 2, "M": 128, "N": 128, "K": 320, "D": 4, "H": 10, "W": 10, "L": 40, "CI": 32, "CO": 32},
    "operators_gta": {"batch": 2, "M": 128, "N": 128, "K": 320, "D": 4, "H": 10, "W": 10, "L": 40, "CI": 32, "CO": 32},
}
LEAST_OF_FAMILY = 200  # draws
PRIME = {208: 104}  # 16 times a prime: half of it, not the power of two below


def workloads():
    """Cases of the tables at reduced sizes, each once. Products with a vector and scans are no chains."""
    seen = set()
    for family, most in REDUCED.items():
        for case in tables.families()[family].cases:
            if case.get("op") in ("gemv", "scan"):
                continue
            small = {size: PRIME.get(case[size], min(case[size], limit)) for size, limit in most.items() if size in case}
            key = json.dumps([family, {**case, **small, "name": ""}], sort_keys=True)
            if key in seen:
                continue
            seen.add(key)
            overrides = [f"--{size}={number}" for size, number in small.items()]
            yield [f"--family={family}", f"--case={case['name']}", *overrides]


# Copies and products by threads alone, and all that Hopper has.
CHIPS = ("sm_80", "sm_90a")
PIPELINE = (
    "builtin.module(fuse-to-unscheduled-groups{{chip={chip} force-fusion=true}},"
    "fuse-search-schedules{{random-seed={seed} rescale-threshold={threshold}}},tile-pipeline,tile-to-nvvm)"
)

# What draws have to come by, as it is written in a schedule.
FORMS = {
    "loops side by side": r"\),[a-z]\d*\(",
    "operands in loops of their own": r"[a-z]\d*\(L[A-Z]\d*\)",
    "split reductions": r"parallel = <\{\w+ = ",
    "rasters": r"block_swizzle = ",
    "clusters": r"cluster = ",
    "products of different units": r'"wgmma\..*"mma\.|"mma\..*"wgmma\.',
    "producers": r"producers = ",
    "blocks that stay": r"persistent = true",
    "copies in bulk": r"<shared, tma>",
    # The last contraction's place is the last one: C, E or G.
    "results in bulk": r"memory = <\{[^}]*[CEG] = #fuse.place<shared, tma>\}",
}

os.makedirs(folder, exist_ok=True)
broken = runs = 0
seen = collections.Counter()
if of_workloads:
    del FORMS["products of different units"]
drawn_from = list(workloads()) if of_workloads else CHAINS
families = collections.Counter(chain[0] for chain in drawn_from)
for chain in drawn_from:
    name = "_".join(chain).replace("--", "").replace(",", "x").replace("=", "")
    path = os.path.join(folder, name)
    generator = os.path.join(ROOT, "benchmarks", "workloads", "generate.py")
    subprocess.run([sys.executable, generator, *chain, "-o", path + ".mlir"], check=True)
    # The chosen ones too (-1).
    seeds = max(count, -(-LEAST_OF_FAMILY // families[chain[0]])) if of_workloads else count
    for seed, chip in some([(-1, chip) for chip in CHIPS] + [(seed, CHIPS[seed % 2]) for seed in range(seeds)], 2):
        pipeline = PIPELINE.format(chip=chip, seed=seed, threshold=(0, 1, 8, 15)[seed // 2 % 4])
        done = subprocess.run(
            ["fusion-run", path + ".mlir", "--device=emulator", f"--chip={chip}", "--sanitize", "--schedules=3",
             f"--json={path}.json", "--pass-pipeline=" + pipeline],
            capture_output=True, text=True,
        )  # fmt: skip
        runs += 1
        where = f"{name}, {chip}, random-seed={seed}"
        if done.returncode:
            broken += 1
            print(where, done.returncode, done.stdout[-1500:], done.stderr[-500:], sep="\n")
            continue
        with open(path + ".json") as file:
            (report,) = json.load(file)
        assert any('tiling = <"' in kernel["schedule"] for kernel in report["kernels"]), f"{name} is no chain"
        for kernel in report["kernels"]:
            seen.update(form for form, text in FORMS.items() if seed >= 0 and re.search(text, kernel["schedule"]))
            if "stitching = <" in kernel["schedule"] and "transposed" in name:
                continue  # what spreads the convolution's input
            counted, predicted = kernel["counters"], kernel["predicted"]
            for bytes in ("global_load_bytes", "global_store_bytes"):
                if counted[bytes] != predicted[bytes]:
                    broken += 1
                    print(where, bytes, counted[bytes], predicted[bytes], kernel["schedule"])
            if kernel["dynamic_shared_memory"] != predicted["shared_memory"]:
                broken += 1
                print(where, "shared memory", kernel["dynamic_shared_memory"], predicted["shared_memory"])
for form in FORMS:
    print(f"{seen[form]:5} {form}")
print(f"{runs} schedules, {broken} broken")
lacking = [form for form in FORMS if not seen[form]]
# Few grids of chains this small have columns to order, can be cut into clusters or have room for producers, few draws
# have tiles for warpgroups.
assert set(lacking) <= ({"rasters", "clusters", "blocks that stay", "products of different units"} if runs < 200 else set()) or IS_SAMPLE, lacking
sys.exit(broken != 0)
