# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Rows that the blocks of a cluster share: right, silent under the sanitizers, without bank conflicts, with the bytes that were
# predicted, and each element read once however long the row is. What the search chooses, and schedules by hand of every size.
# RUN: %python %s %t %S/Inputs %if ptxas %{ %ptxas %}

import json
import os
import re
import subprocess
import sys

folder, inputs = sys.argv[1], sys.argv[2]
sys.path.insert(0, inputs)
from check_stitch import check  # noqa: E402
from hand_schedule import emulate_stitched, lower, run  # noqa: E402
from stitch_programs import program  # noqa: E402

CHIP = "sm_90a"


def attempt(pattern, rows, cols, type, warps, vector, cluster, registers, shared=0, step=1, align=1, online=False):
    """One kernel by hand: steps of `step` vectors for each thread, so many of them kept."""
    path = os.path.join(folder, f"{pattern}-{rows}x{cols}-{type}-{cluster}-{registers}-{shared}-{align}")
    with open(path + ".mlir", "w") as file:
        file.write(program(pattern, rows, cols, type))
    groups = run("fusion-opt", path + ".mlir", f"--fuse-to-groups=chip={CHIP} force-fusion=true")
    size = vector * 32 * warps * step
    tile = -(-(cols + align - 1) // (cluster * size)) * size
    form = ", online = true" if online else ""
    lower(path, groups,
          f"#fuse.schedule<version = 2, mapping = <warps = {warps}, cluster = {cluster}>, stitching = <{{i = #fuse.thread_mapping<tile = 1>, "
          f"j = #fuse.thread_mapping<tile = {tile}, vector = {vector}, lanes = 32, warps = {warps}, align = {align}>}}, "
          f'serial_loop = <axis = "j", step = {size}, register_steps = {registers}, shared_steps = {shared}{form}>>>')  # fmt: skip
    kernel = emulate_stitched(path, path)
    assert kernel["cluster"][0] == cluster and kernel["grid"][0] == rows * cluster, kernel


def by_hand():
    # All kept, none kept, some; running forms; columns that end anywhere; one warp and many; clusters that are no power of two.
    attempt("softmax", 3, 5000, "f32", warps=2, vector=4, cluster=4, registers=5)
    attempt("softmax", 2, 5000, "f32", warps=2, vector=4, cluster=2, registers=2, shared=3)
    attempt("softmax", 2, 5001, "f32", warps=1, vector=2, cluster=8, registers=10, align=8)
    attempt("softmax", 2, 9000, "f16", warps=1, vector=8, cluster=3, registers=3, shared=4)
    attempt("softmax", 2, 11000, "f16", warps=2, vector=8, cluster=4, registers=0, online=True)
    attempt("layer_norm", 3, 5000, "f16", warps=2, vector=8, cluster=5, registers=2)
    attempt("layer_norm", 2, 5001, "f32", warps=2, vector=1, cluster=4, registers=4, shared=8)
    attempt("bias_dropout_residual_layer_norm", 2, 4096, "bf16", warps=1, vector=8, cluster=8, registers=2)
    attempt("cross_entropy", 3, 4096, "f32", warps=2, vector=4, cluster=8, registers=2)


def by_search():
    # Longer than a block has room for: one read all the same.
    for pattern, rows, cols, type in (("softmax", 2, 262144, "f32"), ("layer_norm", 2, 131072, "f32"), ("rms_norm", 1, 262144, "f16"),
                                      ("softmax", 1, 140001, "f32")):  # fmt: skip
        facts = check(folder, pattern, rows, cols, type, CHIP)
        assert not facts["complaints"] and not facts["again"], (pattern, facts)
        with open(os.path.join(folder, f"{pattern}-{rows}x{cols}-{type}-{CHIP}.json")) as file:
            ((kernel,),) = (report["kernels"] for report in json.load(file))
        assert kernel["cluster"][0] > 1, kernel
    # None without rows, or where a block has room.
    for chip, cols in (("sm_80", 262144), (CHIP, 1024)):
        path = os.path.join(folder, f"plain-{chip}")
        with open(path + ".mlir", "w") as file:
            file.write(program("softmax", 4096, cols, "f32"))
        assert "cluster" not in run("fusion-opt", path + ".mlir", f"--fuse-to-groups=chip={chip} force-fusion=true"), chip


def assemble(ptxas):
    """Without spills."""
    path = os.path.join(folder, "softmax-2x262144-f32-" + CHIP)
    run("fusion-opt", path + ".mlir", f"--fuse-to-nvvm=chip={CHIP} force-fusion=true", "-o", path + ".nvvm.mlir")
    ptx = run("fusion-translate", "--fuse-to-ptx", path + ".nvvm.mlir")
    with open(path + ".ptx", "w") as file:
        file.write(ptx)
    assert ".reqnctapercluster" in ptx or ".explicitcluster" in ptx, ptx
    for part in ("mapa.shared::cluster", "st.shared::cluster", "barrier.cluster.arrive", "barrier.cluster.wait"):
        assert part in ptx, part
    said = subprocess.run([ptxas, "-v", "-arch=" + CHIP, path + ".ptx", "-o", path + ".cubin"], check=True,
                          capture_output=True, text=True).stderr  # fmt: skip
    assert re.findall(r"(\d+) bytes spill stores", said) == ["0"], said


os.makedirs(folder, exist_ok=True)
by_hand()
by_search()
if len(sys.argv) > 3:
    assemble(sys.argv[3])
