# Attention of sm_90a whose blocks share keys and values in clusters, with and without warps that only copy, full and causal (then
# all blocks of a cluster go as far as the last one), with sequences that fill no tile: right under eight orders of the warps,
# without a finding, with the bytes and the shared memory that were predicted, and the bits of blocks alone. ptxas neither spills
# nor runs the instructions one by one.
# RUN: %python %s %t %S/Inputs

import hashlib
import os
import sys

folder, inputs = sys.argv[1:]
sys.path.insert(0, inputs)
from hand_schedule import ROOT, assemble, emulate, lower, run, schedule  # noqa: E402

# Case, sequence, width of heads, rows and columns of a tile, groups of warps, stages, whether masked tiles are skipped, blocks of
# a cluster.
CASES = {
    "full": ("FA_d128_s1024", 200, 128, 64, 64, 1, 2, False, 4),
    "two-groups": ("FA_d64_s1024", 200, 64, 128, 64, 2, 2, False, 2),
    "causal": ("FA_d128_s1024_causal", 232, 128, 64, 64, 1, 3, True, 2),
    "causal-by-four": ("FA_d64_s1024_causal", 232, 64, 64, 32, 1, 2, True, 4),
    "causal-unskipped": ("FA_d64_s1024_causal", 232, 64, 128, 64, 2, 2, False, 2),
}

os.makedirs(folder, exist_ok=True)
for name, (case, sequence, width, rows, columns, count, stages, skips, blocks) in CASES.items():
    path = os.path.join(folder, name)
    generator = os.path.join(ROOT, "benchmarks", "workloads", "generate.py")
    run(sys.executable, generator, "--family=attention_long", "--case=" + case, "--batch=1", "--heads=2", f"--seq={sequence}",
        "-o", path + ".mlir")  # fmt: skip
    groups = run("fusion-opt", path + ".mlir", "--fuse-to-groups=chip=sm_90a")
    warps = 4 * count
    description = dict(
        tiling="bm(LA,n(LB,CC,LD,CE),SE)",
        tiles=dict(b=1, h=width, k=width, m=rows, n=columns),
        blocks=["b", "m"],
        maps=dict(C=("m", "n", "k", f"[{warps}, 1]"), E=("m", "h", "n", f"[{warps}, 1]")),
        places={each: "shared, bulk" for each in "ABD"} | dict(C="registers", E="shared"),
        stages=dict(B=stages, D=stages),
        warps=warps,
        skip="n" if skips else None,
        reduction="online",
        intrinsic="wgmma.m64k16",
    )
    digests, loaded = set(), []
    for producers, cluster in ((0, 1), (0, blocks), (4, blocks)):
        where = f"{name}, {producers} producers, clusters of {cluster}"
        lower(path, groups, schedule(**description, producers=producers, cluster=cluster))
        with open(path + ".ptx") as file:
            assert ("multicast::cluster" in file.read()) == (cluster > 1), where
        report, bits = emulate(path, where, "--schedules=8")
        (kernel,) = report["kernels"]
        assert kernel["cluster"] == [cluster, 1, 1], where
        loaded.append(kernel["counters"]["global_load_bytes"])
        digests.add(hashlib.sha256(bits).hexdigest())
        assemble(path, "sm_90a", where)
    assert len(digests) == 1, f"{name}: results differ"
    assert loaded[0] > loaded[1] == loaded[2], f"{name}: {loaded}"
