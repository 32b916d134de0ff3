# Chains whose scores are reduced row by row between two products: one kernel each, right, moving the bytes that were
# predicted, silent under the sanitizers; as the search chooses and with schedules drawn at random, which cut every axis.
# RUN: %python %s %t

import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "Inputs"))
from score_chains import chain

folder = sys.argv[1]
os.makedirs(folder, exist_ok=True)

CASES = {
    "softmax": dict(b=2, m=64, n=128, k=32, h=32, out="f16"),
    "softmax_odd": dict(b=1, m=50, n=77, k=40, h=24, type="bf16"),
    "softmax_wide": dict(b=1, m=32, n=96, k=16, h=256, out="f16"),
    "one_key": dict(b=1, m=33, n=1, k=16, h=8),
    "causal": dict(b=2, m=80, n=80, k=32, h=48, mask="causal", out="f16"),
    "causal_longer": dict(b=1, m=33, n=130, k=24, h=32, mask="causal"),
    # The first 30 rows are fully masked: NaN, as the operators say.
    "masked_rows": dict(b=1, m=70, n=40, k=16, h=16, mask="causal", lse=True),
    "window": dict(b=1, m=96, n=96, k=16, h=32, mask=(20, 3)),
    "additive": dict(b=1, m=40, n=64, k=32, h=32, mask="additive", transposed=True),
    "bias_lse": dict(b=2, m=48, n=100, k=32, h=64, bias=True, lse=True, out="f16"),
    "exp2": dict(b=1, m=64, n=80, k=48, h=32, scores="exp2", type="bf16", out="bf16"),
    "rms": dict(b=1, m=64, n=100, k=32, h=40, scores="rms"),
    "maximum": dict(b=1, m=48, n=72, k=32, h=32, scores="maximum"),
    "gelu": dict(b=1, m=64, n=72, k=40, h=40, scores="gelu", out="f16"),
}
PIPELINE = ("builtin.module(fuse-explicit-numerics,fuse-tensor-to-linalg,fuse-check-sizes,fuse-normalize,cse,"
            "fuse-form-groups{chip=sm_80 force-fusion=true},fuse-search-schedules{random-seed=%d},"
            "tile-pipeline,tile-to-nvvm)")  # fmt: skip

online = 0
for name, options in CASES.items():
    path = os.path.join(folder, name)
    with open(path + ".mlir", "w") as file:
        file.write(chain(**options))
    for seed in (None, 1, 2):
        command = ["fusion-run", path + ".mlir", "--chip=sm_80", "--device=emulator", "--force-fusion", "--sanitize", "--schedules=2",
                   f"--json={path}.json"]  # fmt: skip
        if seed is not None:
            command.append("--pass-pipeline=" + PIPELINE % seed)
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
        with open(path + ".json") as file:
            (function,) = json.load(file)
        # One kernel; where the schedule splits the last sum, a second one adds the parts.
        kernel, *combine = function["kernels"]
        assert len(combine) == ("parallel = <" in kernel["schedule"]), (name, seed, [k["name"] for k in function["kernels"]])
        counted, predicted = kernel["counters"], kernel["predicted"]
        # Of synchronous loads LLVM leaves out what it has in registers already.
        assert counted["global_load_bytes"] <= predicted["global_load_bytes"], (name, seed)
        if seed is None:
            assert counted["global_load_bytes"] == predicted["global_load_bytes"], (name, counted, predicted)
        assert counted["global_store_bytes"] == predicted["global_store_bytes"], (name, seed)
        assert kernel["dynamic_shared_memory"] == predicted["shared_memory"], (name, seed, kernel)
        online += "reduction = <online>" in kernel["schedule"]
        print(name, seed, kernel["schedule"].split("tiling = <")[1].split(",")[0])
assert online >= len(CASES) // 2, "too few schedules cut a reduced axis to test what that takes"
