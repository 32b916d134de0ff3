# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention written by hand for warpgroups of sm_90a: TMA loads, the scores in registers, an online reduction."""

import hashlib
import os

from hand_schedule import assemble, emulate, generate, lower, read, schedule
from sample import ORDERS


class Attention:
    """A case of the table of long sequences, with another sequence and two heads of `width`: in tiles of `rows` and `columns`
    on `count` warpgroups, keys and values in `stages` stages; masked tiles are skipped where it `skips`."""

    def __init__(self, folder, name, case, sequence, width, rows, columns, count, stages, skips):
        os.makedirs(folder, exist_ok=True)
        self.name, self.path, self.warps = name, os.path.join(folder, name), 4 * count
        self.groups = generate(self.path, "--family=attention_long", "--case=" + case, "--batch=1", "--heads=2",
                               f"--seq={sequence}", chip="sm_90a")  # fmt: skip
        self.digests = set()
        self.description = dict(
            tiling="bm(LA,n(LB,CC,LD,CE),SE)",
            tiles=dict(b=1, h=width, k=width, m=rows, n=columns),
            blocks=["b", "m"],
            maps=dict(C=("m", "n", "k", f"[{self.warps}, 1]"), E=("m", "h", "n", f"[{self.warps}, 1]")),
            places={each: "shared, tma" for each in "ABD"} | dict(C="registers", E="shared"),
            stages=dict(B=stages, D=stages),
            warps=self.warps,
            skip="n" if skips else None,
            reduction="online",
            intrinsic="wgmma.m64k16",
        )

    def check(self, result="shared", **options):
        """The PTX and the kernel's report of this schedule with other `options`: right under eight orders of the warps, without
        a finding, assembled without spills, and the bits of the checks before."""
        where = f"{self.name}, {options}, result {result}"
        self.description["places"]["E"] = result
        lower(self.path, self.groups, schedule(**self.description, **options))
        report, bits = emulate(self.path, where, ORDERS)
        assemble(self.path, "sm_90a", where)
        self.digests.add(hashlib.sha256(bits).hexdigest())
        assert len(self.digests) == 1, f"{where}: results differ"
        (kernel,) = report["kernels"]
        return read(self.path + ".ptx"), kernel
