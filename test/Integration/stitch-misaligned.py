# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Misaligned rows, by schedules of all kinds: lanes exchange elements of aligned pieces, within a thread, from lane to
# lane, from register to register, and behind a warp's part of a row from memory. Right, silent under the sanitizers,
# bytes as predicted.
# RUN: %python %s %t %sample

import itertools
import json
import os
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "Inputs"))
from sample import some

PROGRAM = """func.func @main(%a: tensor<{total}x{pitch}x{type}>, %g: tensor<{cols}x{type}>, %o: tensor<{rows}x{cols}x{type}>) -> tensor<{rows}x{cols}x{type}> {{
  %r = fuse.stitch ins(%x = %a : tensor<{total}x{pitch}x{type}>, %w = %g : tensor<{cols}x{type}>) outs(%p = %o : tensor<{rows}x{cols}x{type}>)
      attributes {{schedule = #fuse.schedule<version = 2, mapping = <warps = {warps}>, stitching = <{{i = #fuse.thread_mapping<{i}>, j = #fuse.thread_mapping<{j}>}}>>}} {{
    %y = linalg.generic {{indexing_maps = [affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}}
        ins(%w : tensor<{cols}x{type}>) outs(%p : tensor<{rows}x{cols}x{type}>) {{
    ^bb0(%m: {type}, %q: {type}):
      %i = linalg.index 0 : index
      %j = linalg.index 1 : index
      %c = arith.constant {offset} : index
      %at = arith.addi %j, %c : index
      %v = tensor.extract %x[%i, %at] : tensor<{total}x{pitch}x{type}>
      %0 = arith.{add} %v, %m : {type}
      linalg.yield %0 : {type}
    }} -> tensor<{rows}x{cols}x{type}>
    fuse.yield %y : tensor<{rows}x{cols}x{type}>
  }} -> tensor<{rows}x{cols}x{type}>
  return %r : tensor<{rows}x{cols}x{type}>
}}
"""

# (warps, spread of rows, spread of columns)
SPREADS = [
    (1, "tile = 1", "tile = 256, vector = 4, lanes = 32"),
    (1, "tile = 4", "tile = 128, vector = 4, lanes = 32"),
    (1, "tile = 4, lanes = 4", "tile = 64, vector = 4, lanes = 8"),
    (4, "tile = 2, warps = 2", "tile = 512, vector = 4, lanes = 32, warps = 2"),
    (1, "tile = 32, lanes = 32", "tile = 16, vector = 4"),
    (2, "tile = 16, lanes = 8, warps = 2", "tile = 64, vector = 8, lanes = 4"),
    (1, "tile = 2, lanes = 2", "tile = 256, vector = 16, lanes = 16"),
    (1, "tile = 1", "tile = 256, vector = 4, lanes = 32, align = {sector}"),
]
TYPES = {"f32": ("addf", 8), "f16": ("addf", 16), "i8": ("addi", 32)}
# Rows of the argument, their length, where in them the kernel's begin, and the kernel's.
SHAPES = [(7, 301, 0, 7, 301), (5, 333, 7, 5, 150), (9, 64, 1, 9, 63), (3, 9, 2, 3, 7)]


def check(folder, number, warps, i, j, type, shape):
    add, sector = TYPES[type]
    total, pitch, offset, rows, cols = shape
    text = PROGRAM.format(total=total, pitch=pitch, offset=offset, rows=rows, cols=cols, type=type, add=add, warps=warps, i=i,
                          j=j.format(sector=sector))  # fmt: skip
    path = os.path.join(folder, f"{number}")
    with open(path + ".mlir", "w") as file:
        file.write(text)
    done = subprocess.run(["fusion-run", path + ".mlir", "--chip=sm_80", "--device=emulator", "--sanitize", f"--json={path}.json"],
                          capture_output=True, text=True)  # fmt: skip
    if "aligned" in done.stderr and "align =" in j:
        return None  # rows too short, or aligned already
    if done.returncode:
        return f"{path}: fusion-run ends with {done.returncode}: {done.stdout[-500:]}{done.stderr[-500:]}"
    with open(path + ".json") as file:
        (report,) = json.load(file)
    (kernel,) = report["kernels"]
    for key in ("global_load_bytes", "global_store_bytes"):
        if kernel["predicted"][key] != kernel["counters"][key]:
            return f"{path}: {key}: predicted {kernel['predicted'][key]}, {kernel['counters'][key]}"
    if kernel["counters"]["shared_bank_conflicts"]:
        return f"{path}: bank conflicts"
    return None


if __name__ == "__main__":
    os.makedirs(sys.argv[1], exist_ok=True)
    wrong, number = [], 0
    for warps, i, j in SPREADS:
        for type, shape in some(itertools.product(TYPES, SHAPES), 4):
            number += 1
            wrong.append(check(sys.argv[1], number, warps, i, j, type, shape))
    if any(wrong):
        sys.exit("\n".join(filter(None, wrong)))
