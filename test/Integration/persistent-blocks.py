# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Persistent blocks, as many as clusters of them fit in the chip's GPCs, their loads issued by producer warps: right
# numbers under eight orders of the warps, no finding and no deadlock, the bytes and the shared memory that were
# predicted, and the bits of blocks of one tile each; in clusters, too, with multicast. ptxas neither spills
# nor runs wgmma one by one.
# RUN: %python %s %t %S/Inputs %sample

import hashlib
import os
import re
import sys

folder, inputs = sys.argv[1:3]
sys.path.insert(0, inputs)
from hand_schedule import ROOT, assemble, emulate, generate, lower, run, schedule  # noqa: E402
from persistent_cases import BLOCKS, CASES  # noqa: E402
from sample import ORDERS, some  # noqa: E402

os.makedirs(folder, exist_ok=True)
for name, (arguments, description, tiles) in some(CASES.items(), 3):
    path = os.path.join(folder, name)
    if name.startswith("attention"):
        generator = os.path.join(ROOT, "benchmarks", "workloads", "generate.py")
        case, *sizes = arguments
        run(sys.executable, generator, "--family=attention_long", "--case=" + case, "--batch=1", *sizes, "-o", path + ".mlir")
        groups = run("fusion-opt", path + ".mlir", "--fuse-to-groups=chip=sm_90a")
    else:
        groups = generate(path, *arguments, chip="sm_90a")
    digests = set()
    cluster = description.get("cluster", 1)
    for persistent, gpcs in ((False, "2x18,6x16"), *((True, gpcs) for gpcs in BLOCKS)):
        blocks = BLOCKS[gpcs][cluster] if persistent else tiles
        if persistent and gpcs != "2x18,6x16" and blocks == BLOCKS["2x18,6x16"][cluster]:
            continue
        where = f"{name}, {blocks} blocks"
        lower(path, groups, schedule(**description, persistent=persistent))
        report, bits = emulate(path, where, f"--gpcs={gpcs}", *([ORDERS] if persistent else []))
        assert report["kernels"][0]["grid"][0] == blocks, f"{where}: {report['kernels'][0]['grid']}"
        with open(path + ".tile.mlir") as file:
            # The last rows first, which are the longest of a causal mask.
            program = file.read()
        if "in-clusters" in name:
            isReversed = bool(re.search(r"scf\.for (%\w+) = .*\n.*remui \1, %c2 .*\n.*(%\w+) = arith\.divui \1, %c2 .*\n.*remui \2, %c50 .*\n"
                                        r".*divui \2, %c50 .*\n(?:.*\n){1,3}.*subi %c3,", program))  # fmt: skip
            assert report["kernels"][0]["cluster"][0] == description["cluster"], where
        else:
            isReversed = bool(re.search(r"scf\.for (%\w+) = .*\n.*remui \1, %c50 .*\n.*divui \1.*\n.*\n.*subi %c2,", program))
        assert isReversed == (persistent and name.startswith("attention-causal")), where
        digests.add(hashlib.sha256(bits).hexdigest())
    assemble(path, "sm_90a", name)
    assert len(digests) == 1, f"{name}: results differ"
