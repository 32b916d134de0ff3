# Attention of sm_90a whose bulk copies are issued by warps of their own, under one, two and three groups of warps that compute,
# full and causal, with sequences that fill no tile: right under eight orders of the warps, without a finding, with the bytes and
# the shared memory that were predicted, and the bits of the kernels without such warps; the same with the result stored in bulk.
# ptxas neither spills nor runs the instructions one by one.
# RUN: %python %s %t %S/Inputs

import hashlib
import os
import sys

folder, inputs = sys.argv[1:]
sys.path.insert(0, inputs)
from hand_schedule import ROOT, assemble, emulate, lower, run, schedule  # noqa: E402

# Case, sequence, width of heads, rows and columns of a tile, groups of warps, stages, whether masked tiles are skipped, and
# whether equal shares of the registers are too few.
CASES = {
    "one-group": ("FA_d128_s1024_causal", 264, 128, 64, 64, 1, 3, False, False),
    "two-groups": ("FA_d128_s1024", 200, 128, 128, 64, 2, 2, False, False),
    "two-groups-causal": ("FA_d128_s1024_causal", 264, 128, 128, 64, 2, 2, True, False),
    "three-groups": ("FA_d64_s1024", 328, 64, 192, 128, 3, 2, False, True),
}

os.makedirs(folder, exist_ok=True)
for name, (case, sequence, width, rows, columns, count, stages, skips, deals) in CASES.items():
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
    digests = set()
    for producers, result in ((0, "shared"), (4, "shared"), (4, "shared, bulk")):
        where = f"{name}, {producers} producers, result {result}"
        description["places"]["E"] = result
        lower(path, groups, schedule(**description, producers=producers))
        with open(path + ".ptx") as file:
            ptx = file.read()
        assert ("bulk_group" in ptx) == (result == "shared, bulk"), where
        assert ("setmaxnreg" in ptx) == (deals and producers > 0), where
        report, bits = emulate(path, where, "--schedules=8")
        assert report["kernels"][0]["block"][0] == 32 * (warps + producers), where
        digests.add(hashlib.sha256(bits).hexdigest())
        assemble(path, "sm_90a", where)
    assert len(digests) == 1, f"{name}: results differ"
