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
from pipelined_cases import CASES, stage_counts  # noqa: E402

def main():
    os.makedirs(folder, exist_ok=True)
    for name, (chain, description, pipelined) in CASES.items():
        path = os.path.join(folder, name)
        groups = generate(path, *chain)
        digests = set()
        counts = stage_counts(name, [(1,), (2,), (3,), (4,), (6,), (2, 4), (3, 2), (1, 3), (3, 1)])
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
