# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Persistent blocks, and copies that prefetch the steps of a loop: schedules by hand of all kinds, right, silent under
# the sanitizers, without bank conflicts, with the bytes and the shared memory that were predicted; and what the search
# makes of short rows.
# RUN: %python %s %t %S/Inputs

import json
import os
import sys

folder, inputs = sys.argv[1], sys.argv[2]
sys.path.insert(0, inputs)
from check_stitch import check  # noqa: E402
from hand_schedule import emulate_stitched, lower, read, run  # noqa: E402
from stitch_programs import program  # noqa: E402

COUNT = 0


def attempt(name, rows, cols, type, warps, i, j, walk, options="", chip="sm_80", copies=None, cluster=1):
    """One kernel by hand. `copies`: bytes of each of those ahead; none are expected without."""
    global COUNT
    COUNT += 1
    path = os.path.join(folder, f"{COUNT}")
    with open(path + ".mlir", "w") as file:
        file.write(program(name, rows, cols, type))
    groups = run("fusion-opt", path + ".mlir", f"--fuse-to-groups=chip={chip} force-fusion=true")
    lower(path, groups,
          f"#fuse.schedule<version = 2, mapping = <warps = {warps}, cluster = {cluster}>, stitching = <{options}{{i = #fuse.thread_mapping<{i}>, "
          f"j = #fuse.thread_mapping<{j}>}}, serial_loop = <{walk}>>>")  # fmt: skip
    emulate_stitched(path, path)
    ptx = read(path + ".ptx")
    for bytes in (4, 8, 16):
        kind = f"cp.async.{'cg' if bytes == 16 else 'ca'}.shared.global [%"
        found = any(kind in line and f"], {bytes}" in line for line in ptx.splitlines())
        assert found == (bytes in (copies or ())), f"{path}: copies of {bytes} bytes"


def persistent():
    wide = "tile = 768, vector = 8, lanes = 32"
    # One tile after the other, as many as there are and fewer in the last block; then copied ahead.
    for stages in (1, 2, 3, 4):
        attempt("layer_norm", 21, 768, "f16", 1, "tile = 8", wide, f'axis = "i", step = 1, stages = {stages}',
                copies=[16] if stages > 1 else None)  # fmt: skip
    # Steps of several rows, which the rows are no multiple of; over lanes and warps; what is reduced among warps in the loop.
    attempt("softmax", 37, 200, "f32", 4, "tile = 24, vector = 2, lanes = 2, warps = 2", "tile = 256, vector = 4, lanes = 16, warps = 2",
            'axis = "i", step = 8, stages = 3', copies=[16])  # fmt: skip
    attempt("rms_norm", 29, 512, "bf16", 2, "tile = 6", "tile = 512, vector = 8, lanes = 32, warps = 2",
            'axis = "i", step = 2, stages = 2', copies=[16])  # fmt: skip
    # Narrower copies: by the rows' alignment, by what a thread has.
    attempt("softmax", 24, 300, "f16", 1, "tile = 8", "tile = 512, vector = 4, lanes = 32", 'axis = "i", step = 2, stages = 2', copies=[8])
    attempt("softmax", 24, 302, "f16", 1, "tile = 8", "tile = 320, vector = 2, lanes = 32", 'axis = "i", step = 2, stages = 2', copies=[4])
    # Wide and narrow tensors side by side: a thread has more of one than a copy moves.
    attempt("bias_dropout_residual_layer_norm", 20, 512, "f32", 2, "tile = 4", "tile = 512, vector = 8, lanes = 32, warps = 2",
            'axis = "i", step = 1, stages = 3', copies=[16])  # fmt: skip
    # Misaligned rows are loaded in the step, as before; so are gathered elements, whose neighbours are copied.
    attempt("layer_norm", 11, 301, "f32", 1, "tile = 4", "tile = 320, lanes = 32", 'axis = "i", step = 1, stages = 2', copies=[4])
    attempt("cross_entropy", 30, 256, "f32", 1, "tile = 6", "tile = 256, vector = 4, lanes = 32", 'axis = "i", step = 1, stages = 2',
            copies=[4, 16])  # fmt: skip
    # Results that are transposed in every step, and evict-first accesses.
    attempt("transpose_of_normalised", 64, 256, "f16", 4, "tile = 32, warps = 4", "tile = 256, vector = 8, lanes = 32",
            'axis = "i", step = 8, stages = 2', copies=[16])  # fmt: skip
    # Rows of the result are misaligned, and threads have the other axis's elements side by side.
    attempt("transpose_of_normalised", 61, 96, "f16", 8, "tile = 10, vector = 2", "tile = 2048, vector = 8, lanes = 32, warps = 8",
            'axis = "i", step = 2, stages = 4', copies=[16])  # fmt: skip
    attempt("swiglu", 40, 1024, "f16", 2, "tile = 8", "tile = 1024, vector = 8, lanes = 32, warps = 2",
            'axis = "i", step = 1, stages = 2', "evict_first = true, ", copies=[16])  # fmt: skip


def split():
    # The sums of columns: blocks share the rows, and have a serial loop over their parts. Every thread has what there
    # is one of in a row.
    for stages in (2, 4):
        attempt("layer_norm_backward", 64, 256, "f32", 2, "tile = 16, warps = 2", "tile = 256, vector = 4, lanes = 32",
                f'axis = "i", step = 2, stages = {stages}', copies=[4, 16])  # fmt: skip
    attempt("layer_norm_backward", 41, 256, "f16", 2, "tile = 16, warps = 2", "tile = 256, vector = 8, lanes = 32",
            'axis = "i", step = 2, stages = 3', copies=[4, 16], chip="sm_90a")  # fmt: skip


def kept():
    # Long rows: tiles that are retained in shared memory for later passes are prefetched there before the first one,
    # alone, after steps in registers, before one that ends in the row.
    for walk in ("shared_steps = 8, stages = 8", "shared_steps = 8, stages = 2", "register_steps = 2, shared_steps = 6, stages = 4"):
        attempt("softmax", 9, 2048, "f16", 1, "tile = 1", "tile = 2048, vector = 8, lanes = 32", f'axis = "j", step = 256, {walk}', copies=[16])
    attempt("layer_norm", 7, 1900, "f32", 2, "tile = 2", "tile = 2048, vector = 4, lanes = 32, warps = 2",
            'axis = "j", step = 256, register_steps = 1, shared_steps = 7, stages = 4', copies=[16])  # fmt: skip
    # What is made of several inputs is kept: these are copied by way of stages, and so is one that is kept beside them.
    attempt("bias_dropout_residual_layer_norm", 6, 2048, "f32", 2, "tile = 1", "tile = 2048, vector = 4, lanes = 32, warps = 2",
            'axis = "j", step = 256, shared_steps = 8, stages = 3', copies=[16])  # fmt: skip
    attempt("reduce_exp_broadcast_reduce", 6, 1024, "bf16", 1, "tile = 1", "tile = 1024, vector = 8, lanes = 32",
            'axis = "j", step = 256, shared_steps = 4, stages = 3', copies=[16])  # fmt: skip
    # Rows one after the other, and a cluster's parts of them.
    attempt("layer_norm_backward", 23, 512, "f16", 2, "tile = 6", "tile = 512, vector = 2, lanes = 32, warps = 2",
            'axis = "j", step = 128, register_steps = 1, shared_steps = 3, stages = 2', "fan_in = 2, split_step = 1, ", copies=[4])  # fmt: skip
    attempt("softmax", 5, 4096, "f32", 2, "tile = 1", "tile = 1024, vector = 4, lanes = 32, warps = 2",
            'axis = "j", step = 256, shared_steps = 4, stages = 4', chip="sm_90a", copies=[16], cluster=4)  # fmt: skip


def by_search():
    # Of many short rows a block has several, where that is predicted to be faster; no pattern is the worse for it.
    found = set()
    for name, rows, cols, type in (("layer_norm", 8192, 256, "f16"), ("bias_gelu", 8192, 256, "f16"), ("rms_norm", 16384, 128, "f32"),
                                   ("swiglu", 8192, 256, "bf16"), ("softmax", 9000, 256, "f16"), ("layer_norm", 4096, 2048, "f16")):  # fmt: skip
        facts = check(folder, name, rows, cols, type, "sm_90a")
        assert not facts["complaints"], (name, facts)
        with open(os.path.join(folder, f"{name}-{rows}x{cols}-{type}-sm_90a.json")) as file:
            ((kernel,),) = (report["kernels"] for report in json.load(file))
        if 'serial_loop = <axis = "i"' in kernel["schedule"]:
            found.add(name)
    assert found, "no block processes several tiles"


if __name__ == "__main__":
    os.makedirs(folder, exist_ok=True)
    persistent()
    split()
    kept()
    by_search()
