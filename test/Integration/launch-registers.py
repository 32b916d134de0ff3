# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Registers that a launch has to have for one wgmma (Intrinsics.h): ptxas takes as many and refuses one less, for few and many columns and
# operands in either place. Schedules whose warps leave fewer are rejected, though registers are reallocated.
# REQUIRES: ptxas
# RUN: %python %s %t %S/Inputs %ptxas

import os
import subprocess
import sys

folder, inputs, ptxas = sys.argv[1:]
sys.path.insert(0, inputs)
from hand_schedule import generate, contractions_by_warpgroups, schedule  # noqa: E402
from set_schedule import replace_schedule  # noqa: E402

KERNEL = """.version 8.4
.target sm_90a
.address_size 64
.visible .entry kernel(.param .u64 parameter)
.maxntid 128, 1, 1
.maxnreg {limit}
{{
  .reg .pred adds;
  .reg .f32 %d<{sums}>;
  .reg .b32 %a<4>;
  .reg .b64 %pointer, %first, %second;
  ld.param.u64 %pointer, [parameter];
  ld.global.u64 %first, [%pointer];
  ld.global.u64 %second, [%pointer + 8];
  setp.ne.b32 adds, 0, 0;
{loads}
  wgmma.fence.sync.aligned;
  wgmma.mma_async.sync.aligned.m64n{columns}k16.f32.f16.f16 {{{d}}}, {first}, %second, adds, 1, 1, {majors};
  wgmma.commit_group.sync.aligned;
  wgmma.wait_group.sync.aligned 0;
{stores}
  ret;
}}
"""


def registers(columns, is_in_registers):
    """The registers of the accumulator, of A, and as many as ptxas needs besides."""
    return columns // 2 + (4 if is_in_registers else 0) + 26


def assemble(columns, is_in_registers, limit):
    sums = columns // 2
    loads = [f"  ld.global.b32 %a{i}, [%pointer + {16 + 4 * i}];" for i in range(4)]
    path = os.path.join(folder, "kernel.ptx")
    with open(path, "w") as file:
        file.write(KERNEL.format(
            limit=limit, sums=sums, columns=columns, loads="\n".join(loads), d=", ".join(f"%d{i}" for i in range(sums)),
            first="{%a0, %a1, %a2, %a3}" if is_in_registers else "%first", majors="0" if is_in_registers else "0, 0",
            stores="\n".join(f"  st.global.f32 [%pointer + {4 * i}], %d{i};" for i in range(sums))))  # fmt: skip
    done = subprocess.run([ptxas, "-v", "-arch=sm_90a", path, "-o", os.devnull], capture_output=True, text=True)
    return done.returncode == 0, done.stdout + done.stderr


os.makedirs(folder, exist_ok=True)
for columns in (8, 16, 40, 64, 104, 128, 192, 256):
    for is_in_registers in (False, True):
        least = registers(columns, is_in_registers)
        is_taken, said = assemble(columns, is_in_registers, least)
        assert is_taken and " 0 bytes spill stores" in said, said
        is_taken, said = assemble(columns, is_in_registers, least - 1)
        assert not is_taken and f"register target of {least} or higher" in said, said

# Three warpgroups of `columns` columns each, and four producer warps: 128 registers each at first.
for columns in (128, 256):
    groups = generate(os.path.join(folder, f"chain-{columns}"), f"--chain=384,64,512,{columns}", "--between=relu", chip="sm_90a")
    options = contractions_by_warpgroups(3)
    options["tiles"] |= dict(h=columns)
    text = replace_schedule(groups, schedule(**options, producers=4))
    done = subprocess.run(["fusion-opt", "-", "--fuse-search-schedules", "-o", os.devnull], input=text, capture_output=True, text=True)
    reason = f"an instruction of a contraction needs a launch with {registers(columns, True)} registers per thread; of 16 warps each has 128"
    is_legal = registers(columns, True) <= 128
    assert (done.returncode == 0) == is_legal and (reason in done.stderr) != is_legal, done.stderr
