# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Every chain of the tables, on two blocks of rows, with 1, 2, 3, 4 and 6 stages, with and without the register level, in
# two orders of its loops: correct, silent under eight orders of the warps, the bytes that were predicted, and the same
# bits whatever the stages.
# RUN: %python %s %t %S/../Integration/Inputs %source_root

import hashlib
import os
import sys

folder, inputs, root = sys.argv[1:4]
only = sys.argv[4:]
sys.path.insert(0, inputs)
from hand_schedule import emulate, generate, lower, run, schedule  # noqa: E402

STAGES = (1, 2, 3, 4, 6)


def workloads():
    """(family, case, M, N, K, H) of every chain in the tables."""
    listing = run(sys.executable, os.path.join(root, "benchmarks/workloads/generate.py"), "--list")
    family = None
    for line in listing.splitlines():
        if not line.startswith(" "):
            family = line.strip()
        elif family and family.startswith("gemm_chains"):
            case, *sizes = line.split()
            size = {name: int(value) for name, value in (entry.split("=") for entry in sizes)}
            if "L" in size:  # Chimera's names: M x K times K x L times L x N
                yield family, case, size["M"], size["L"], size["K"], size["N"]
            else:
                yield family, case, size["M"], size["N"], size["K"], size["H"]


def tile(extent, most):
    """The largest multiple of 16 that divides the extent and is at most `most`, else `most`: the end is masked."""
    return max((size for size in range(16, most + 1, 16) if extent % size == 0), default=min(most, -(-extent // 16) * 16))


def orders(n, k, h):
    """Schedules without stages: with the loop over k inside of that over n, and with A resident."""
    tiles = dict(b=1, m=64, n=tile(n, 64), k=tile(k, 32), h=tile(h, 128))
    blocks = ["m"] + (["h"] if h > tiles["h"] else [])
    places = dict(A="shared, async16", B="shared, async16", C="registers", D="shared, async16", E="shared")
    maps = dict(C=("m", "n", "k", "[4, 1]"), E=("m", "h", "n", "[4, 1]"))
    outer = "".join(blocks)
    if n > tiles["n"]:
        if k > tiles["k"]:
            yield "AB", dict(tiling=f"{outer}(n(k(LA,LB,CC),LD,CE),SE)", tiles=tiles, blocks=blocks, maps=maps, places=places)
        if k <= 128:
            resident = dict(tiles, k=-(-k // 16) * 16)
            yield "BD", dict(
                tiling=f"{outer}(LA,n(LB,CC,LD,CE),SE)", tiles=resident, blocks=blocks, maps=maps, places=places
            )


os.makedirs(folder, exist_ok=True)
runs = refused = 0
for family, case, m, n, k, h in workloads():
    if only and f"{family}/{case}" not in only:
        continue
    path = os.path.join(folder, f"{family}_{case}")
    groups = generate(path, f"--family={family}", f"--case={case}", "--batch=1", "--M=128")
    for pipelined, description in orders(n, k, h):
        digests = set()
        for stages in STAGES:
            for registers in (1, 2):
                where = f"{family} {case}, {description['tiling']}, {stages} stages, registers {registers}"
                text = schedule(**description, stages=dict.fromkeys(pipelined, stages), registers=registers)
                try:
                    lower(path, groups, text)
                except SystemExit as error:
                    # The only reason why not: the stages do not fit.
                    assert "of shared memory" in str(error), where + "\n" + str(error)
                    refused += 1
                    continue
                report, bits = emulate(path, where, "--schedules=8")
                assert len(report["kernels"]) == 1, where
                digests.add(hashlib.sha256(bits).hexdigest())
                runs += 1
        assert len(digests) == 1, f"{family} {case}, {description['tiling']}: results differ between stage counts"
print(f"{runs} kernels, {refused} refused for shared memory")
assert runs > 0
