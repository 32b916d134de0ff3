# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# What the search chooses for patterns of memory-intensive operators is assembled without spilling a register, but for the few
# schedules that are named here.
# REQUIRES: ptxas
# RUN: %python %s %t %ptxas 777x3001 f16,f32 sm_80 %sample
# RUN: %python %s %t %ptxas 33x70001,4096x1000 f32 sm_80,sm_90a layer_norm log_softmax layer_norm_backward %sample
#
#   stitch-registers.py FOLDER PTXAS SHAPES TYPES CHIPS [PATTERN...]

import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "Inputs"))
from hand_schedule import run
from sample import some
from stitch_programs import PATTERNS, program

folder, ptxas, shapes, types, chips = sys.argv[1:6]
# Bytes at most. ptxas takes all registers that the promised blocks leave, for loads of further steps and for what it
# has computed in an earlier pass, and some bytes more, whatever the limit: 64, 0, 0, 28, 4, 0 and 16 of bias_dropout
# 512x16384 on sm_86 with limits of 208, 216, 224 and so on to 255. They are stored once and loaded once, outside of
# loops. Without a promise it spills nothing there, and has 38 loads in flight instead of 65.
NAME, TURNED = "bias_dropout_residual_layer_norm", "transpose_of_normalised"
SPILLED = {(NAME, 512, 16384, "f32", "sm_80"): 16, (NAME, 512, 16384, "f32", "sm_86"): 16,
           (NAME, 64, 65536, "f32", "sm_80"): 28, (NAME, 64, 65536, "f32", "sm_86"): 84,
           ("rms_norm", 64, 65536, "f32", "sm_86"): 40, ("softmax", 33, 70001, "f32", "sm_86"): 20,
           (TURNED, 64, 65536, "f16", "sm_86"): 16, (TURNED, 64, 65536, "bf16", "sm_86"): 16,
           (TURNED, 33, 70001, "f16", "sm_86"): 24, (TURNED, 33, 70001, "f16", "sm_80"): 108}  # fmt: skip


def spills(pattern, rows, cols, type, chip):
    """Registers, and bytes that are spilled."""
    path = os.path.join(folder, f"{pattern}-{rows}x{cols}-{type}-{chip}")
    with open(path + ".mlir", "w") as file:
        file.write(program(pattern, rows, cols, type))
    run("fusion-opt", path + ".mlir", f"--fuse-to-nvvm=chip={chip} force-fusion=true", "-o", path + ".nvvm.mlir")
    ptx = run("fusion-translate", "--fuse-to-ptx", path + ".nvvm.mlir")
    with open(path + ".ptx", "w") as file:
        file.write(ptx)
    (arch,) = re.findall(r"\.target (\w+)", ptx)
    said = subprocess.run([ptxas, "-v", "-arch=" + arch, path + ".ptx", "-o", path + ".cubin"],
                          check=True, capture_output=True, text=True).stderr  # fmt: skip
    registers = [int(n) for n in re.findall(r"Used (\d+) registers", said)]
    spilled = [int(n) for n in re.findall(r"(\d+) bytes spill stores", said)]
    assert len(spilled) == ptx.count(".visible .entry") > 0, said
    return max(registers), sum(spilled)


os.makedirs(folder, exist_ok=True)
cases = [(pattern, *(int(size) for size in shape.split("x")), type, chip)
         for shape in shapes.split(",") for type in types.split(",") for chip in chips.split(",")
         for pattern in sys.argv[6:] or PATTERNS]  # fmt: skip
broken = []
for case in some(cases, 6):
    registers, bytes = spills(*case)
    print(*case, f"{registers} registers", flush=True)
    if bytes > SPILLED.get(case, 0):
        broken.append(f"{' '.join(map(str, case))}: {bytes} bytes are spilled at {registers} registers")
if broken:
    sys.exit("\n".join(broken))
