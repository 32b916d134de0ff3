# Chains with every number of stages, with and without the register level: the same bits, no finding under eight
# orders of the warps, and the shared memory that was predicted.
# RUN: %python %s %t %S/Inputs

import hashlib
import itertools
import json
import os
import sys

folder, inputs = sys.argv[1], sys.argv[2]
sys.path.insert(0, inputs)
from hand_schedule import generate, lower, run, schedule  # noqa: E402

# A loop over n with two buffers of its own, a nest with the pipelined loop inside, a plain product with masks and
# trip counts below the stages, and operands that pass through registers: one beside a copied one, both of a product,
# and one around the pipelined loop of another. Those have at most two stages.
CASES = {
    "loop-over-n": (
        ["--chain=64,32,160,48", "--2d"],
        dict(
            tiling="m(LA,n(LB,CC,LD,CE),SE)",
            tiles=dict(m=32, n=32, k=32, h=48),
            blocks=["m"],
            maps=dict(C=("m", "n", "k", "[2, 2]"), E=("m", "h", "n", "[2, 2]")),
            places=dict(A="shared, async16", B="shared, async16", C="shared", D="shared, async16", E="shared"),
        ),
        "BD",
    ),
    "nest": (
        ["--chain=128,144,96,48", "--2d"],
        dict(
            tiling="m(n(k(LA,LB,CC),LD,CE),SE)",
            tiles=dict(m=64, n=48, k=48, h=48),
            blocks=["m"],
            maps=dict(C=("m", "n", "k", "[4, 1]"), E=("m", "h", "n", "[4, 1]")),
            places=dict(A="shared, async16", B="shared, async16", C="registers", D="shared, async16", E="shared"),
        ),
        "AB",
    ),
    "masked-product": (
        ["--chain=72,100,52", "--2d"],
        dict(
            tiling="mn(k(LA,LB,CC),SC)",
            tiles=dict(m=64, n=32, k=32),
            blocks=["m", "n"],
            maps=dict(C=("m", "n", "k", "[2, 2]")),
            places=dict(A="shared, async8", B="shared, async8", C="shared"),
        ),
        "AB",
    ),
    "one-through-registers": (
        ["--chain=70,161,48", "--2d"],
        dict(
            tiling="mn(k(LA,LB,CC),SC)",
            tiles=dict(m=32, n=16, k=32),
            blocks=["m", "n"],
            maps=dict(C=("m", "n", "k", "[2, 2]")),
            places=dict(A="shared, sync", B="shared, async16", C="shared"),
        ),
        "AB",
    ),
    "both-through-registers": (
        ["--chain=33,75,49", "--2d"],
        dict(
            tiling="mn(k(LA,LB,CC),SC)",
            tiles=dict(m=32, n=32, k=16),
            blocks=["m", "n"],
            maps=dict(C=("m", "n", "k", "[2, 2]")),
            places=dict(A="shared, sync", B="shared, sync", C="shared"),
        ),
        "AB",
    ),
    "registers-around-copies": (
        ["--chain=128,80,96,51", "--2d"],
        dict(
            tiling="m(n(k(LA,LB,CC),LD,CE),SE)",
            tiles=dict(m=64, n=48, k=16, h=64),
            blocks=["m"],
            maps=dict(C=("m", "n", "k", "[4, 1]"), E=("m", "h", "n", "[4, 1]")),
            places=dict(A="shared, async16", B="shared, async16", C="registers", D="shared, sync", E="shared"),
        ),
        "ABD",
    ),
}


def main():
    os.makedirs(folder, exist_ok=True)
    for name, (chain, description, pipelined) in CASES.items():
        path = os.path.join(folder, name)
        groups = generate(path, *chain)
        digests = set()
        places = description["places"]
        most = [2 if "sync" == places[name].split()[-1] else 8 for name in pipelined]
        counts = [(n,) * len(pipelined) for n in (1, 2, 3, 4, 6)] + [(2, 4) + (1,) * (len(pipelined) - 2), (3, 2, 2)]
        counts = sorted({tuple(map(min, wanted, most)) for wanted in counts})
        for stages, registers in itertools.product(counts, (1, 2)):
            text = schedule(**description, stages=dict(zip(pipelined, stages)), registers=registers)
            lower(path, groups, text)
            run("fusion-run", path + ".mlir", "--manifest=" + path + ".json", "--device=emulator", "--sanitize",
                "--schedules=8", "--output-dir=" + path, "--json=" + path + ".report.json")
            with open(path + ".report.json") as file:
                (report,) = json.load(file)
            (kernel,) = report["kernels"]
            where = f"{name}, stages {stages}, registers {registers}"
            assert report["pass"] and not report["sanitizer"], where
            assert kernel["counters"]["global_load_bytes"] == kernel["predicted"]["global_load_bytes"], where
            assert kernel["dynamic_shared_memory"] == kernel["predicted"]["shared_memory"], where
            (result,) = [f for f in sorted(os.listdir(path)) if "result" in f]
            with open(os.path.join(path, result), "rb") as file:
                digests.add(hashlib.sha256(file.read()).hexdigest())
        assert len(digests) == 1, f"{name}: results differ between stage counts"


main()
