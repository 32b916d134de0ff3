# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Attention of sm_90a whose blocks share keys and values in clusters, with and without producer warps, full and causal
# (then all blocks of a cluster go as far as the last one), with sequences that fill no tile: right under eight orders
# of the warps, without a finding, with the bytes and the shared memory that were predicted, and the bits of blocks
# alone. ptxas neither spills nor runs the instructions one by one.
# RUN: %python %s %t %S/Inputs %sample

import sys

folder, inputs = sys.argv[1:3]
sys.path.insert(0, inputs)
from hand_attention import Attention  # noqa: E402
from sample import some  # noqa: E402

# Case, sequence, width of heads, rows and columns of a tile, warpgroups, stages, whether masked tiles are skipped,
# blocks of a cluster.
CASES = {
    "full": ("FA_d128_s1024", 200, 128, 64, 64, 1, 2, False, 4),
    "two-groups": ("FA_d64_s1024", 200, 64, 128, 64, 2, 2, False, 2),
    "causal": ("FA_d128_s1024_causal", 232, 128, 64, 64, 1, 3, True, 2),
    "causal-by-four": ("FA_d64_s1024_causal", 232, 64, 64, 32, 1, 2, True, 4),
    "causal-unskipped": ("FA_d64_s1024_causal", 232, 64, 128, 64, 2, 2, False, 2),
}

for name, (*case, blocks) in some(CASES.items(), 2):
    attention, loaded = Attention(folder, name, *case), []
    for producers, cluster in ((0, 1), (0, blocks), (4, blocks)):
        ptx, kernel = attention.check(producers=producers, cluster=cluster)
        assert ("multicast::cluster" in ptx) == (cluster > 1), name
        assert kernel["cluster"] == [cluster, 1, 1], name
        loaded.append(kernel["counters"]["global_load_bytes"])
    assert loaded[0] > loaded[1] == loaded[2], f"{name}: {loaded}"
