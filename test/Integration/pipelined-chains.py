# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Chains with every number of stages, with and without the register level, also of one operand alone: the same bits, no finding under eight
# orders of the warps, and the shared memory that was predicted.
# RUN: %python %s %t %S/Inputs %sample

import hashlib
import itertools
import os
import sys

folder, inputs = sys.argv[1], sys.argv[2]
sys.path.insert(0, inputs)
from hand_schedule import emulate, generate, lower, schedule  # noqa: E402
from pipelined_cases import CASES, stage_counts  # noqa: E402
from sample import ORDERS, some  # noqa: E402

def main():
    os.makedirs(folder, exist_ok=True)
    for name, (chain, description, pipelined) in CASES.items():
        path = os.path.join(folder, name)
        groups = generate(path, *chain)
        digests = set()
        counts = stage_counts(name, [(1,), (2,), (3,), (4,), (6,), (2, 4), (3, 2), (1, 3), (3, 1)])
        for stages, registers in some(itertools.product(counts, (1, 2, {pipelined[0]: 2}, {pipelined[-1]: 2})), 3):
            text = schedule(**description, stages=dict(zip(pipelined, stages)), registers=registers)
            lower(path, groups, text)
            where = f"{name}, stages {stages}, registers {registers}"
            report, bits = emulate(path, where, ORDERS)
            assert len(report["kernels"]) == 1, where
            digests.add(hashlib.sha256(bits).hexdigest())
        assert len(digests) == 1, f"{name}: results differ between stage counts"


main()
