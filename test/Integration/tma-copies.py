# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Operands with TMA copies, with every number of stages and of stages of fragments: right numbers under eight orders
# of the warps, no finding, the bytes and the shared memory that were predicted, and the same bits as with copies by threads.
# ptxas neither spills nor runs wgmma one by one.
# RUN: %python %s %t %S/Inputs %sample

import os
import re
import subprocess
import sys

folder, inputs = sys.argv[1], sys.argv[2]
sys.path.insert(0, inputs)
from tma_copy_cases import CASES, PLAIN, batched, in_bulk, through_batches  # noqa: E402
from hand_schedule import assemble, compute, form, schedule  # noqa: E402
from sample import IS_SAMPLE, ORDERS, some  # noqa: E402
from set_schedule import replace_schedule  # noqa: E402


def main():
    os.makedirs(folder, exist_ok=True)
    dimensions = set()
    for name, (chip, chain, description, pipelined) in some(CASES.items(), 8):
        path = os.path.join(folder, name)
        groups = form(path, chain, chip)
        isInPlace = "wgmma" in description.get("intrinsic", "")
        isSync = any(re.search(r"\bsync", place) for place in description["places"].values())
        digests = set()
        counts = ((1, 1), (2, 1), (3, 1)) if isInPlace else ((1, 1), (2, 2), (4, 1))
        most = 1 if not pipelined else 2 if isSync else 4
        for count, registers in some([each for each in counts if each[0] <= most], 1):
            stages = {each: count for each in pipelined}
            text = schedule(**description, stages=stages, registers=registers)
            where = f"{name}, {count} and {registers} stages"
            ptx, report, digest = compute(path, groups, text, where, ORDERS)
            boxes = re.findall(r"cp\.async\.bulk\.tensor\.(\d)d", ptx)
            assert boxes, where
            dimensions.update(map(int, boxes))
            for first_or_last in ("evict_first", "evict_last"):
                said = any(first_or_last in place for place in description["places"].values())
                assert (f"L2::{first_or_last}" in ptx) == ("cache_hint" in ptx) == said, where
            assert len(report["kernels"]) == 1, where
            digests.add(digest)
            assemble(path, chip, where)
        text = re.sub(r"bulk(, evict_\w+)?", "async16", schedule(**description, stages={}))
        digests.add(compute(path, groups, text, f"{name} by threads")[2])
        assert len(digests) == 1, f"{name}: results differ"
    assert dimensions == {2, 3, 4, 5} or IS_SAMPLE, dimensions
    # No map has a sixth one.
    groups = form(os.path.join(folder, "three-batches-between"), batched(3), "sm_90a")
    text = replace_schedule(groups, schedule(**in_bulk(through_batches(PLAIN, 3)), stages={}))
    done = subprocess.run(["fusion-opt", "-", "--fuse-search-schedules", "-o", os.devnull], input=text, capture_output=True, text=True)
    assert done.returncode != 0 and "6 dimensions, and a tensor map at most 5" in done.stderr, done.stderr


main()
