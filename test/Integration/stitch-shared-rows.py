# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Rows and columns reduced in one kernel whose rows no block has room for: the columns' sums are split over blocks,
# which have a serial loop over the rows and retain the partial sums, or a loop over the columns alone. Schedules by
# hand of all kinds: right, silent under the sanitizers, without bank conflicts, with the bytes that were predicted.
# RUN: %python %s %t %S/Inputs %sample

import json
import os
import sys

folder, inputs = sys.argv[1], sys.argv[2]
sys.path.insert(0, inputs)
from check_stitch import check  # noqa: E402
from hand_schedule import emulate_stitched, lower, run  # noqa: E402
from sample import is_left_out, some  # noqa: E402
from stitch_programs import Graph, program  # noqa: E402

CHIP = "sm_80"
COUNT = 0


def late(rows, cols, type):
    """Like the gradients of a layer norm; but what is made of the columns' sums has operators of its own, and reads an input and rows."""
    f = Graph(type)
    x = f.widen(f.argument((rows, cols), f.type))
    gain = f.widen(f.argument((cols,), f.type), "j")
    centred = f.binary("subf", x, (f.mean(x), "i"))
    y = f.narrow(f.binary("mulf", centred, (gain, "j")))
    squares = f.sum(f.binary("mulf", centred, centred), kept="j")
    most = f.reduce(x, "maximumf", "0xFF800000", kept="j")
    sums = f.narrow(f.binary("addf", f.binary("mulf", squares, gain, over="j"), most, over="j"), "j")
    return f.text("late", [y, sums])


def attempt(name, rows, cols, type, warps, i, j, walk, options="", cluster=1):
    """One kernel by hand."""
    global COUNT
    if is_left_out(4):
        return
    COUNT += 1
    path = os.path.join(folder, f"{COUNT}")
    with open(path + ".mlir", "w") as file:
        file.write(late(rows, cols, type) if name == "late" else program(name, rows, cols, type))
    groups = run("fusion-opt", path + ".mlir", f"--fuse-to-groups=chip={CHIP if cluster == 1 else 'sm_90a'} force-fusion=true")
    lower(path, groups,
          f"#fuse.schedule<version = 2, mapping = <warps = {warps}, cluster = {cluster}>, stitching = <{options}{{i = #fuse.thread_mapping<{i}>, "
          f"j = #fuse.thread_mapping<{j}>}}, serial_loop = <{walk}>>>")  # fmt: skip
    kernel = emulate_stitched(path, path)
    assert kernel["cluster"][0] == cluster, kernel


def by_hand():
    backward = "layer_norm_backward"
    # Through the columns: nothing kept, some of it, in registers and in shared memory; rows over registers, lanes and warps.
    attempt(backward, 20, 512, "f32", 2, "tile = 4", "tile = 512, vector = 4, lanes = 32, warps = 2", 'axis = "j", step = 256')
    attempt(backward, 21, 300, "f16", 4, "tile = 8, lanes = 4, warps = 2", "tile = 320, vector = 4, lanes = 8, warps = 2",
            'axis = "j", step = 64, register_steps = 1, shared_steps = 1')  # fmt: skip
    # Rounds, of which the last groups are smaller.
    for combine in (2, 3, 5):
        attempt(backward, 22, 128, "f16", 1, "tile = 2", "tile = 128, vector = 2, lanes = 32", 'axis = "j", step = 64',
                f"fan_in = {combine}, ")  # fmt: skip
    attempt(backward, 40, 64, "f32", 1, "tile = 4, lanes = 4", "tile = 64, vector = 4, lanes = 8", 'axis = "i", step = 4',
            "fan_in = 4, ")  # fmt: skip
    # A serial loop over the rows: sums in registers, in shared memory, in both; one row at a time and several;
    # misaligned rows.
    for registers, shared in ((4, 0), (0, 4), (2, 2)):
        attempt(backward, 23, 512, "f16", 2, "tile = 6", "tile = 512, vector = 2, lanes = 32, warps = 2",
                f'axis = "j", step = 128, register_steps = {registers}, shared_steps = {shared}', "fan_in = 2, split_step = 1, ")  # fmt: skip
    attempt(backward, 23, 301, "f16", 2, "tile = 12, lanes = 2, warps = 2", "tile = 320, vector = 4, lanes = 16",
            'axis = "j", step = 64, register_steps = 3, shared_steps = 2', "split_step = 4, ")  # fmt: skip
    attempt(backward, 24, 128, "f32", 1, "tile = 6", "tile = 128, vector = 4, lanes = 32", 'axis = "j", step = 128, register_steps = 1',
            "split_step = 2, ")  # fmt: skip
    # What is made of the sums in the last block.
    attempt("late", 20, 600, "f32", 2, "tile = 4", "tile = 768, vector = 4, lanes = 32, warps = 2", 'axis = "j", step = 256')
    attempt("late", 21, 256, "f16", 2, "tile = 6", "tile = 256, vector = 2, lanes = 32, warps = 2",
            'axis = "j", step = 128, register_steps = 1, shared_steps = 1', "fan_in = 2, split_step = 1, ")  # fmt: skip
    in_clusters()


def in_clusters():
    """Rows that the blocks of a cluster share, each with the sums of its own columns. What they exchange has two places in the loop."""
    for name, cluster, rows, registers, shared in (("layer_norm_backward", 4, 1, 2, 0), ("layer_norm_backward", 2, 1, 2, 2),
                                                   ("late", 4, 1, 0, 2), ("late", 3, 2, 3, 0)):  # fmt: skip
        tile = 128 * (registers + shared)
        attempt(name, 23, cluster * tile - 100, "f16", 2, f"tile = {6 * rows}", f"tile = {tile}, vector = 2, lanes = 32, warps = 2",
                f'axis = "j", step = 128, register_steps = {registers}, shared_steps = {shared}', f"fan_in = 2, split_step = {rows}, ", cluster)  # fmt: skip
    # Columns that end anywhere; several rows at a time, over lanes and warps; blocks that have no columns left.
    attempt("layer_norm_backward", 23, 301, "f16", 4, "tile = 12, lanes = 2, warps = 2", "tile = 128, vector = 2, lanes = 16, warps = 2",
            'axis = "j", step = 64, register_steps = 1, shared_steps = 1', "split_step = 4, ", cluster=3)  # fmt: skip
    attempt("late", 9, 200, "f32", 1, "tile = 4", "tile = 128, vector = 4, lanes = 32", 'axis = "j", step = 128, register_steps = 1',
            "split_step = 1, ", cluster=2)  # fmt: skip
    # All rows of a block at once.
    attempt("layer_norm_backward", 21, 1000, "f32", 2, "tile = 4", "tile = 256, vector = 4, lanes = 32, warps = 2",
            'axis = "j", step = 256, register_steps = 1', cluster=4)  # fmt: skip


def by_search():
    # Rows are read once where a block has room for them and what it adds up; others again.
    for rows, cols, type, chip, form in some(((40, 8192, "f16", "sm_80", None), (260, 3001, "f16", "sm_90a", None),
                                              (33, 65536, "f32", "sm_80", "again"), (400, 16384, "f32", "sm_80", "split_step = "),
                                              (300, 65536, "f16", "sm_90a", "cluster = ")), 2):  # fmt: skip
        facts = check(folder, "layer_norm_backward", rows, cols, type, chip)
        assert not facts["complaints"], facts
        if form == "again":
            assert facts["again"], facts
        elif form:
            with open(os.path.join(folder, f"layer_norm_backward-{rows}x{cols}-{type}-{chip}.json")) as file:
                ((kernel,),) = (report["kernels"] for report in json.load(file))
            assert form in kernel["schedule"] and not facts["again"], (facts, kernel["schedule"])


if __name__ == "__main__":
    os.makedirs(folder, exist_ok=True)
    by_hand()
    by_search()
