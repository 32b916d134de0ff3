# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Attention of sm_90a with producer warps, with one, two and three consumer warpgroups, full and causal, with sequences
# that fill no tile: right under eight orders of the warps, without a finding, with the bytes and the shared memory that
# were predicted, and the bits of the kernels without such warps; also with a TMA store of the result. ptxas neither
# spills nor runs the instructions one by one.
# RUN: %python %s %t %S/Inputs %sample

import sys

folder, inputs = sys.argv[1:3]
sys.path.insert(0, inputs)
from hand_attention import Attention  # noqa: E402
from sample import some  # noqa: E402

# Case, sequence, width of heads, rows and columns of a tile, warpgroups, stages, whether masked tiles are skipped, and
# whether equal shares of the registers are too few.
CASES = {
    "one-group": ("FA_d128_s1024_causal", 264, 128, 64, 64, 1, 3, False, False),
    "two-groups": ("FA_d128_s1024", 200, 128, 128, 64, 2, 2, False, False),
    "two-groups-causal": ("FA_d128_s1024_causal", 264, 128, 128, 64, 2, 2, True, False),
    "three-groups": ("FA_d64_s1024", 328, 64, 192, 128, 3, 2, False, True),
}

for name, (*case, deals) in some(CASES.items(), 2):
    attention = Attention(folder, name, *case)
    for producers, result in ((0, "shared"), (4, "shared"), (4, "shared, tma")):
        ptx, kernel = attention.check(producers=producers, result=result)
        assert ("bulk_group" in ptx) == (result == "shared, tma"), name
        assert ("setmaxnreg" in ptx) == (deals and producers > 0), name
        assert kernel["block"][0] == 32 * (attention.warps + producers), name
