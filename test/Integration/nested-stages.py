# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Loops that are pipelined inside of one another, and operands of one loop with different numbers of stages: every stage
# of a TMA copy has an mbarrier of its own, and the order of others does not matter. A has three stages, B two in the
# inner loop, D has some in the loop around. Right numbers under eight orders of the warps, no finding, the bytes and
# the shared memory that were predicted, and the same bits whatever the stages and producers are. Only of groups of
# copies, which a thread waits for in the order of issue, the outer loop cannot have stages beside the inner one.
# RUN: %python %s %t %S/Inputs

import itertools
import os
import subprocess
import sys

folder, inputs = sys.argv[1], sys.argv[2]
sys.path.insert(0, inputs)
from hand_schedule import assemble, compute, form, read, schedule  # noqa: E402
from set_schedule import replace_schedule  # noqa: E402

# Four tiles of n and five of k, of which the last is a part; or fewer of either than there are stages.
CHAINS = {"plain": ["--chain=128,144,192,48", "--2d"], "short": ["--chain=128,64,96,48", "--2d"]}
THREADS = dict(
    tiling="m(n(k(LA,LB,CC),LD,CE),SE)",
    tiles=dict(m=64, n=48, k=32, h=48),
    blocks=["m"],
    maps=dict(C=("m", "n", "k", "[4, 1]"), E=("m", "h", "n", "[4, 1]")),
    places=dict(A="shared, async16", B="shared, async16", C="registers", D="shared, async16", E="shared"),
)
GROUPS = THREADS | dict(tiles=dict(m=64, n=64, k=32, h=48), intrinsic="wgmma.m64k16")
# Tensors with TMA copies, the stages of A, B and D, producers.
CASES = [
    ("ABD", (1, 1, 1), (0,)),
    ("ABD", (3, 2, 1), (0, 1)),
    ("ABD", (3, 2, 2), (0, 1, 2)),
    ("ABD", (2, 3, 3), (0, 1)),
    ("ABD", (4, 4, 4), (1,)),
    # One loop with TMA copies, the other with groups of copies.
    ("D", (3, 2, 2), (0, 1)),
    ("AB", (3, 2, 3), (0, 1)),
    # In the inner loop one of each.
    ("AD", (3, 2, 2), (0, 1)),
]  # fmt: skip
# Of both loops something is in groups.
REFUSED = [("", (3, 2, 2), "A"), ("B", (3, 2, 2), "A"), ("A", (3, 2, 2), "B")]


def describe(description, bulk, stages, producers, registers=1):
    places = {name: place.replace("async16", "tma") if name in bulk else place for name, place in description["places"].items()}
    return schedule(**description | dict(places=places, stages=dict(zip("ABD", stages))), producers=producers, registers=registers)


def refuse(groups, text, of):
    done = subprocess.run(["fusion-opt", "-", "--fuse-search-schedules", "-o", os.devnull], input=replace_schedule(groups, text),
                          capture_output=True, text=True)  # fmt: skip
    reason = f"loop 'n' of 'D' holds the pipelined loop of '{of}'; groups of copies are waited for in order, so only the inner one can have stages"
    assert done.returncode != 0 and reason in done.stderr, done.stderr


def main():
    os.makedirs(folder, exist_ok=True)
    for kind, description, names in (("mma", THREADS, CHAINS), ("wgmma", GROUPS, ["plain"])):
        for name in names:
            path = os.path.join(folder, f"{kind}-{name}")
            groups = form(path, CHAINS[name], "sm_90a")
            digests = set()
            for bulk, stages, roles in CASES:
                for producers, registers in itertools.product(roles, (1, 2) if kind == "mma" and stages == (3, 2, 2) else (1,)):
                    where = f"{kind}, {name}: {bulk} by TMA, {stages} stages, {producers} producers, fragments in {registers}"
                    text = describe(description, bulk, stages, producers, registers)
                    _, _, digest = compute(path, groups, text, where, "--schedules=8")
                    assert ("tile.warp_specialize" in read(path + ".tile.mlir")) == (producers > 0), where
                    digests.add(digest)
                    assemble(path, "sm_90a", where)
            assert len(digests) == 1, f"{kind}, {name}: results differ"
            for bulk, stages, of in REFUSED:
                refuse(groups, describe(description, bulk, stages, 0), of)


main()
