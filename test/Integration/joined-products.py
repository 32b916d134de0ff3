# Products whose values meet in operators between them are one kernel: right, moving the bytes that were predicted, silent
# under the sanitizers; as the search chooses and with schedules drawn at random.
# RUN: %python %s %t

import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "Inputs"))
from joined_chains import adapted, gated, two_scores, unscaled

folder = sys.argv[1]
os.makedirs(folder, exist_ok=True)

CASES = {
    "gated": gated(1, 64, 96, 128, 64),
    "gated_odd": gated(2, 33, 40, 72, 24, type="bf16"),
    "gated_up": gated(1, 64, 64, 80, 0, down=False),
    "adapted": adapted(1, 64, 96, 16, 80),
    "adapted_other_order": adapted(1, 50, 72, 8, 40, low_rank_first=False),
    "two_scores": two_scores(1, 64, 100, 32, 32),
    "unscaled": unscaled(2, 48, 96, 32, 64),
    "unscaled_causal": unscaled(1, 70, 70, 16, 24, type="bf16", mask="causal"),
}
PIPELINE = ("builtin.module(fuse-explicit-numerics,fuse-tensor-to-linalg,fuse-check-sizes,fuse-normalize,cse,"
            "fuse-form-groups{chip=sm_80 force-fusion=true},fuse-search-schedules{random-seed=%d},"
            "tile-pipeline,tile-to-nvvm)")  # fmt: skip

for name, text in CASES.items():
    path = os.path.join(folder, name)
    with open(path + ".mlir", "w") as file:
        file.write(text)
    for seed in (None, 1, 2, 3):
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
        assert counted["global_load_bytes"] <= predicted["global_load_bytes"], (name, seed, counted, predicted)
        if seed is None:
            assert counted["global_load_bytes"] == predicted["global_load_bytes"], (name, counted, predicted)
        assert counted["global_store_bytes"] == predicted["global_store_bytes"], (name, seed)
        assert kernel["dynamic_shared_memory"] == predicted["shared_memory"], (name, seed, kernel)
        print(name, seed, kernel["schedule"].split("tiling = <")[1].split(", {")[0])
