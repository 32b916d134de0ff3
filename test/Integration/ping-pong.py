# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Warpgroups of sm_90a that alternate on the tensor cores (`turns` of #fuse.parallel): attention, full and causal, by
# two and three warpgroups, with contractions that are waited for in the turn and with cross-iteration overlap, in
# clusters, and in persistent blocks. Right under eight orders of the warps, without a finding, with the bytes and the
# shared memory that were predicted, and the bits of the kernel without turns. ptxas neither spills nor runs the
# instructions one by one.
# RUN: %python %s %t %S/Inputs %sample

import itertools
import os
import re
import sys

folder, inputs = sys.argv[1:3]
sys.path.insert(0, inputs)
from hand_attention import Attention  # noqa: E402
from hand_schedule import assemble, compute, generate, contractions_by_warpgroups, schedule  # noqa: E402
from sample import ORDERS, some  # noqa: E402

# Case, sequence, width of heads, rows and columns of a tile, warpgroups, stages, whether masked tiles are skipped; then
# whether blocks are persistent, and blocks of a cluster.
CASES = {
    "full": (("FA_d128_s1024", 200, 128, 128, 64, 2, 2, False), (False, 1), (False, 2), (True, 1)),
    "causal": (("FA_d64_s1024_causal", 264, 64, 128, 64, 2, 2, True), (False, 1), (True, 1)),
    "three-groups": (("FA_d64_s1024", 392, 64, 192, 64, 3, 2, False), (False, 1),),
}  # fmt: skip


def turns_of(ptx):
    """Waits for a turn and arrivals that end one. Barriers of two groups are counted by 256 threads."""
    return len(re.findall(r"bar(?:rier)?\.(?:cta\.)?sync(?:\.aligned)?\s+%r\d+, 256;", ptx)), \
        len(re.findall(r"bar(?:rier)?\.(?:cta\.)?arrive(?:\.aligned)?\s+(?:%r)?\d+, 256;", ptx))  # fmt: skip


for name, (case, *forms) in CASES.items():
    attention = Attention(folder, name, *case)
    for (persistent, cluster), overlapped in some(itertools.product(forms, ((), "E")), 1):
            options = dict(producers=4, persistent=persistent, cluster=cluster, overlapped=overlapped)
            ptx, _ = attention.check(**options)
            assert turns_of(ptx) == (0, 0), (name, options)
            ptx, _ = attention.check(turns=True, **options)
            # In both loops, of the tiles that a mask or the end of the keys does not cut and of the others, and the one that is
            # left over at the end; of a turn that goes from one iteration to the next the first one begins before the loops.
            waits, arrivals = turns_of(ptx)
            assert waits == arrivals == (3 if overlapped else 4), (name, options, waits, arrivals)

# Two contractions with nothing online between them, in two iterations and several.
for columns in some((128, 320), 1):
    path = os.path.join(folder, f"chain-{columns}")
    groups = generate(path, f"--chain=256,64,{columns},64", "--between=relu", chip="sm_90a")
    results = set()
    for turns in (False, True):
        text = schedule(**contractions_by_warpgroups(2), producers=4, turns=turns)
        ptx, _, digest = compute(path, groups, text, f"{path}, {turns}", ORDERS)
        assemble(path, "sm_90a", path)
        assert bool(turns_of(ptx)[0]) == turns, path
        results.add(digest)
    assert len(results) == 1, path
