# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# A stitched kernel with evict-first accesses computes the same, bit for bit, with the same
# counters, and ptxas takes it.
# RUN: %python %s %t

import filecmp
import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "Inputs"))
from stitch_programs import program

CASES = [("layer_norm", 5, 1024, "f16"), ("softmax", 3, 1000, "f32"), ("layer_norm", 5, 1001, "f16"), ("bias_gelu", 5, 776, "bf16")]


def call(*command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(command)}: {done.stdout[-500:]}{done.stderr[-500:]}")


def run(path, folder, *options):
    os.makedirs(folder, exist_ok=True)
    call("fusion-run", path, "--chip=sm_80", "--device=emulator", "--sanitize", "--output-dir=" + folder, f"--json={path}.json", *options)
    with open(path + ".json") as file:
        (report,) = json.load(file)
    return report["kernels"][0]["counters"]


for pattern, rows, cols, type in CASES:
    name = os.path.join(sys.argv[1], f"{pattern}-{cols}-{type}")
    os.makedirs(sys.argv[1], exist_ok=True)
    with open(name + ".mlir", "w") as file:
        file.write(program(pattern, rows, cols, type))
    call("fusion-opt", name + ".mlir", "--fuse-to-groups=chip=sm_80 force-fusion=true", "-o", name + ".groups.mlir")
    with open(name + ".groups.mlir") as file:
        groups = file.read()
    evict_first = groups.replace("stitching = <", "stitching = <evict_first = true, ")
    assert evict_first != groups and "evict_first" not in groups, "the search streams by itself"
    with open(name + ".streamed.mlir", "w") as file:
        file.write(evict_first)
    counters = [run(name + ".groups.mlir", name + ".kept", "--reference=none"), run(name + ".streamed.mlir", name + ".past", "--reference=none")]
    # Addresses for assembly are computed apart.
    for each in counters:
        each.pop("instructions")
    assert counters[0] == counters[1], f"{name}: {counters}"
    outputs = os.listdir(name + ".kept")
    _, differing, missing = filecmp.cmpfiles(name + ".kept", name + ".past", outputs, shallow=False)
    assert outputs and not differing and not missing, f"{name}: {differing + missing}"
    call("fusion-opt", name + ".streamed.mlir", "--fuse-to-nvvm=chip=sm_80", "-o", name + ".nvvm.mlir")
    call("fusion-translate", "--fuse-to-ptx", name + ".nvvm.mlir", "-o", name + ".ptx")
    with open(name + ".ptx") as file:
        text = file.read()
    assert re.search(r"ld\.global\.L1::no_allocate", text) or cols % 8, f"{name}: nothing is loaded past the L1"
    assert re.search(r"st\.global\.cs", text), f"{name}: nothing is stored to leave first"
