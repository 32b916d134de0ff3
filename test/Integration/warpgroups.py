# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Contractions by warpgroups, with every number of stages: right numbers under eight orders of the warps, no finding,
# the bytes and the shared memory that were predicted, and the same bits whatever the stages. What ptxas makes of them
# neither spills nor runs the instructions one by one.
# RUN: %python %s %t %S/Inputs %sample

import hashlib
import os
import sys

folder, inputs = sys.argv[1], sys.argv[2]
sys.path.insert(0, inputs)
from hand_schedule import assemble, emulate, generate, lower, run, schedule  # noqa: E402
from sample import ORDERS, some  # noqa: E402
from warpgroup_cases import CASES  # noqa: E402


def main():
    os.makedirs(folder, exist_ok=True)
    for name, (chain, description, pipelined) in some(CASES.items(), 8):
        path = os.path.join(folder, name)
        if isinstance(chain, str):
            with open(path + ".mlir", "w") as file:
                file.write(chain)
            groups = run("fusion-opt", path + ".mlir", "--fuse-to-groups=chip=sm_90a force-fusion=true")
        else:
            groups = generate(path, *chain, chip="sm_90a")
        digests = set()
        isSync = any(place.endswith("sync") and "async" not in place for place in description["places"].values())
        for count in some((1, 2) if isSync else (1, 2, 3), 2):
            text = schedule(**description, stages={each: count for each in pipelined})
            lower(path, groups, text)
            where = f"{name}, {count} stages"
            with open(path + ".ptx") as file:
                ptx = file.read()
            assert "wgmma.mma_async" in ptx and "mma.sync" not in ptx, where
            report, bits = emulate(path, where, ORDERS)
            assert len(report["kernels"]) == 1, where
            digests.add(hashlib.sha256(bits).hexdigest())
            assemble(path, "sm_90a", where)
        assert len(digests) == 1, f"{name}: results differ between stage counts"


main()
