# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Contractions of sm_90a that overlap with the next iteration, whose values are computed under them (#fuse.pipeline,
# `products`): attention, full and causal, with and without producer warps and clusters, and two contractions with
# nothing online. Right under eight orders of the warps, without a finding, with the bits of the schedule without. ptxas
# neither spills nor runs the instructions one by one.
# RUN: %python %s %t %S/Inputs %sample

import os
import sys

folder, inputs = sys.argv[1:3]
sys.path.insert(0, inputs)
from hand_attention import Attention  # noqa: E402
from hand_schedule import assemble, compute, generate, contractions_by_warpgroups, schedule  # noqa: E402
from sample import ORDERS, some  # noqa: E402

# Case, sequence, width of heads, rows and columns of a tile, warpgroups, stages, whether masked tiles are skipped; then
# producers and blocks of a cluster.
CASES = {
    "full": (("FA_d128_s1024", 200, 128, 64, 64, 1, 2, False), (0, 1), (4, 1), (4, 2)),
    "two-groups": (("FA_d64_s1024", 200, 64, 128, 64, 2, 2, False), (0, 1), (4, 1)),
    "causal": (("FA_d128_s1024_causal", 264, 128, 128, 64, 2, 2, True), (4, 1),),
    "causal-one-group": (("FA_d64_s1024_causal", 232, 64, 64, 32, 1, 3, True), (0, 1), (0, 2)),
}  # fmt: skip


def is_overlapped(ptx):
    return "wgmma.wait_group.sync.aligned 1;" in ptx


for name, (case, *forms) in CASES.items():
    attention = Attention(folder, name, *case)
    for producers, cluster in some(forms, 1):
        for overlapped in ((), "E"):
            ptx, _ = attention.check(producers=producers, cluster=cluster, overlapped=overlapped)
            assert is_overlapped(ptx) == bool(overlapped), (name, producers, cluster)

# Two iterations and several.
for columns in some((128, 320), 1):
    path = os.path.join(folder, f"chain-{columns}")
    groups = generate(path, f"--chain=128,64,{columns},64", "--between=relu", chip="sm_90a")
    results = set()
    for overlapped in ((), "E"):
        text = schedule(**contractions_by_warpgroups(1), overlapped=overlapped)
        ptx, _, digest = compute(path, groups, text, f"{path}, {overlapped}", ORDERS)
        assemble(path, "sm_90a", path)
        assert is_overlapped(ptx) == bool(overlapped), path
        results.add(digest)
    assert len(results) == 1, path
