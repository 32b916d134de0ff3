# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Schedules of this compiler for published ratios: attention as in FlashAttention-3's ablation, with heads of 128 and 8448
tokens. It has two of the 64 heads, which are one wave of blocks, and tiles of 128 keys in place of 176, which the compiler's
kernel has no registers for."""

import pathlib
import tempfile

import drawn
import measured
from measured import generate

CHIP = "sm_90a"
SECONDS = 3600  # that one may take

_SCHEDULE = (
    '#fuse.schedule<version = 2, tiling = <"bm(LA,n(LB,CC,LD,CE),SE)", {{b = 1, h = 128, k = 128, m = 128, n = 128}}>, '
    'mapping = <warps = 8, blocks = ["b", "m"], operators = {{'
    'C = #fuse.operator_map<"wgmma.m64k16", i1 = "m", i2 = "n", r1 = "k", warps = [8, 1]>, '
    'E = #fuse.operator_map<"wgmma.m64k16", i1 = "m", i2 = "h", r1 = "n", warps = [8, 1]>}}>, '
    "memory = <{{A = #fuse.place<shared, tma, evict_first>, B = #fuse.place<shared, tma>, C = #fuse.place<registers>, "
    "D = #fuse.place<shared, tma>, E = #fuse.place<shared, tma>}}>, "
    "pipeline = <{{B = 2, D = 2}}{overlap}>, {parallel}reduction = <online>>"
)
_OVERLAP = ", overlap = {E = 2}"
_SPECIALIZED = "parallel = <{}, producers = 4, ping_pong = true>, "

SCHEDULES = {
    "attention overlap specialized": _SCHEDULE.format(overlap=_OVERLAP, parallel=_SPECIALIZED),
    "attention specialized": _SCHEDULE.format(overlap="", parallel=_SPECIALIZED),
    "attention overlap": _SCHEDULE.format(overlap=_OVERLAP, parallel=""),
}


def time_schedule(tools, key):
    """The result of one of SCHEDULES."""
    sizes = {"batch": 1, "heads": 2, "seq": 8448}
    module = generate.workload("attention_long", "FA_d128_s8192", "f16", overrides=sizes).text
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        try:
            groups = drawn.groups(tools / "fusion-opt", module, CHIP)
            source = folder / "groups.mlir"
            source.write_text(measured.replace_schedule(groups, SCHEDULES[key]))
            found = drawn.timed_groups(tools / "fusion-run", source, CHIP, folder, SECONDS)
        except drawn.Failure as failure:
            return {"failure": str(failure)}
    return {"us": found["time_us"]}
