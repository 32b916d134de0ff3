# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Warp specialization: right numbers under eight orders of the warps, no finding and no deadlock, the bytes and the
# shared memory that were predicted, and the same bits as without them. ptxas neither spills nor runs wgmma one by one,
# and registers are reallocated where equal shares are too few.
# RUN: %python %s %t %S/Inputs %sample

import os
import sys

folder, inputs = sys.argv[1], sys.argv[2]
sys.path.insert(0, inputs)
from hand_schedule import assemble, compute, form, read, schedule  # noqa: E402
from producer_cases import CASES  # noqa: E402
from sample import ORDERS, some  # noqa: E402


def main():
    os.makedirs(folder, exist_ok=True)
    for name, (chip, chain, description, pipelined, counts, producers) in some(CASES.items(), 6):
        path = os.path.join(folder, name)
        groups = form(path, chain, chip)
        digests = set()
        for count in some(counts, 1):
            description = description | dict(stages={each: count for each in pipelined})
            for roles in (0, *some(producers, 1)):
                where = f"{name}, {count} stages, {roles} producers"
                text = schedule(**description, producers=roles)
                ptx, _, digest = compute(path, groups, text, where, *([ORDERS] if roles else []))
                assert ("tile.warp_specialize" in read(path + ".tile.mlir")) == (roles > 0), where
                dealt = bool(roles) and name.startswith("wide")
                assert ("setmaxnreg.dec" in ptx) == ("setmaxnreg.inc" in ptx) == dealt, where
                digests.add(digest)
                if roles:
                    assemble(path, chip, where)
        assert len(digests) == 1, f"{name}: results differ"


main()
