# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Copies that prefetch the steps of stitched kernels, by threads and by TMA, with and without producer warps: right
# under eight orders of the warps, silent under the sanitizers, the bytes and the shared memory that were predicted, the same bits, no
# bank conflict, no spill. What no box brings threads copy.
# RUN: %python %s %t %S/Inputs %sample

import os
import re
import subprocess
import sys

folder, inputs = sys.argv[1], sys.argv[2]
sys.path.insert(0, inputs)
from hand_schedule import assemble, compute, run  # noqa: E402
from sample import ORDERS, some  # noqa: E402
from set_schedule import replace_schedule  # noqa: E402
from stitch_programs import program  # noqa: E402

CHIP = "sm_90a"
WIDE = "tile = 768, vector = 8, lanes = 32"
# Dimensions of the maps of the TMA copies, and whether threads copy something beside them.
CASES = {
    # Rows one after the other: one in a step, several, of which the last block has fewer; among warps and along the row.
    "rows": ("layer_norm", 21, 768, "f16", 1, "tile = 8", WIDE, 'axis = "i", step = 1', (2, 3, 4), {3}, False),
    "rows-of-warps": ("rms_norm", 32, 512, "bf16", 4, "tile = 24, warps = 4", "tile = 512, vector = 8, lanes = 32",
                      'axis = "i", step = 8', (2, 3), {4}, False),
    "along-rows": ("rms_norm", 13, 1024, "f32", 2, "tile = 8", "tile = 1024, vector = 4, lanes = 32, warps = 2",
                   'axis = "i", step = 2', (2, 4), {3}, False),
    "short-rows": ("softmax", 100, 64, "f32", 2, "tile = 32, lanes = 2, warps = 2", "tile = 64, vector = 4, lanes = 16",
                   'axis = "i", step = 8', (2, 3), {2}, False),
    # A row that is no power of two: parts of 64 elements.
    "parts-of-rows": ("softmax", 11, 960, "f16", 1, "tile = 4", "tile = 1024, vector = 8, lanes = 32", 'axis = "i", step = 1',
                      (3,), {3}, False),
    # Several inputs in stages of their own, one of which is of bytes; gains of columns are loaded once.
    "several": ("bias_dropout_residual_layer_norm", 20, 512, "f32", 2, "tile = 4", "tile = 512, vector = 4, lanes = 32, warps = 2",
                'axis = "i", step = 1', (2, 3), {3}, False),

    "halves-of-rows": ("swiglu", 40, 1024, "f16", 2, "tile = 8", "tile = 1024, vector = 8, lanes = 32, warps = 2",
                       'axis = "i", step = 1', (2, 3), {3}, False),
    "turned": ("transpose_of_normalised", 64, 256, "f16", 4, "tile = 32, warps = 4", "tile = 256, vector = 8, lanes = 32",
               'axis = "i", step = 8', (2,), {2}, False),
    # Sums of columns: blocks share the rows; what there is one of in a row is no box.
    "shared-columns": ("layer_norm_backward", 64, 256, "f32", 2, "tile = 16, warps = 2", "tile = 256, vector = 4, lanes = 32",
                       'axis = "i", step = 2', (2, 4), {3}, True),
    # Long rows: tiles that later passes read are copied to where they are retained, after the steps in registers and
    # before the row's end.
    "kept": ("softmax", 9, 2048, "f16", 1, "tile = 1", "tile = 2048, vector = 8, lanes = 32", 'axis = "j", step = 256, shared_steps = 8',
             (2, 8), {2}, False),
    "kept-behind-registers": ("layer_norm", 7, 1920, "f32", 2, "tile = 2", "tile = 2048, vector = 4, lanes = 32, warps = 2",
                              'axis = "j", step = 256, register_steps = 1, shared_steps = 7', (4,), {2}, False),
    "kept-of-several": ("bias_dropout_residual_layer_norm", 6, 2048, "f32", 2, "tile = 1",
                        "tile = 2048, vector = 4, lanes = 32, warps = 2", 'axis = "j", step = 256, shared_steps = 8', (3,), {1, 2}, False),
    "kept-beside-rest": ("softmax", 6, 4096, "f32", 4, "tile = 1", "tile = 4096, vector = 4, lanes = 32, warps = 4",
                         'axis = "j", step = 512, shared_steps = 5', (3,), {3}, False),
    "kept-costly": ("reduce_exp_broadcast_reduce", 6, 1024, "bf16", 1, "tile = 1", "tile = 1024, vector = 8, lanes = 32",
                    'axis = "j", step = 256, shared_steps = 4', (3,), {2}, False),
    # The places are filled again for each row.
    "rows-of-kept": ("layer_norm_backward", 23, 2048, "f16", 2, "tile = 6", "tile = 2048, vector = 8, lanes = 32, warps = 2",
                     'axis = "j", step = 512, register_steps = 1, shared_steps = 3', (2,), {2, 3}, False, "fan_in = 2, split_step = 1, "),
    "columns-by-steps": ("layer_norm_backward", 41, 1024, "f32", 2, "tile = 11", "tile = 1024, vector = 4, lanes = 32, warps = 2",
                         'axis = "j", step = 256, shared_steps = 4', (2, 3), None, False, "fan_in = 2, split_step = 1, "),
    "cluster": ("softmax", 5, 4096, "f32", 2, "tile = 1", "tile = 1024, vector = 4, lanes = 32, warps = 2",
                'axis = "j", step = 256, shared_steps = 4', (4,), {2}, False, "", 4),
    "past-the-caches": ("bias_gelu", 40, 1024, "f16", 2, "tile = 8", "tile = 1024, vector = 8, lanes = 32, warps = 2",
                        'axis = "i", step = 1', (2,), {3}, False, "evict_first = true, "),
}  # fmt: skip
# Rejected schedules, with the reason.
SHORT = ("softmax", 100, 64, "f32", 2, "tile = 32, lanes = 2, warps = 2", "tile = 64, vector = 4, lanes = 16", 'axis = "i", step = 8')
REFUSED = {
    "one-stage": (*SHORT, ", tma = true", CHIP, 0, "'tma' is of copies in 2 stages or more"),
    "another-chip": (*SHORT, ", stages = 2, tma = true", "sm_80", 0, "sm_80 has no TMA copies"),
    "odd-rows": ("softmax", 24, 302, "f16", 1, "tile = 8", "tile = 320, vector = 2, lanes = 32", 'axis = "i", step = 2',
                 ", stages = 2, tma = true", CHIP, 0, "its rows do not begin at multiples of 16 bytes"),
    "ragged-warps": ("rms_norm", 29, 512, "bf16", 4, "tile = 24, warps = 4", "tile = 512, vector = 8, lanes = 32", 'axis = "i", step = 8',
                     ", stages = 2, tma = true", CHIP, 0, "it ends along an axis within what its warps or lanes have side by side"),
    # No box holds single words of a vector of two words; bits are not prefetched.
    "wide-vectors": ("bias_dropout_residual_layer_norm", 20, 512, "f32", 2, "tile = 4", "tile = 512, vector = 8, lanes = 32, warps = 2",
                     'axis = "i", step = 1', ", stages = 2, tma = true", CHIP, 0, "the rows of a box are parts of sectors"),
    "narrow-boxes": ("softmax", 24, 1000, "f16", 1, "tile = 8", "tile = 1024, vector = 8, lanes = 32", 'axis = "i", step = 2',
                     ", stages = 2, tma = true", CHIP, 0, "the rows of a box are parts of sectors"),
    "replicas": ("softmax", 100, 64, "f32", 1, "tile = 32", "tile = 64, vector = 4, lanes = 16", 'axis = "i", step = 8',
                 ", stages = 2, tma = true", CHIP, 0, "its elements are in several threads"),
    "many-places": ("softmax", 4, 16384, "f32", 1, "tile = 1", "tile = 16384, vector = 4, lanes = 32", 'axis = "j", step = 256',
                    ", register_steps = 24, shared_steps = 40, stages = 2, tma = true", CHIP, 0, "40 stages"),
    "producers-of-nothing": (*SHORT, ", stages = 2", CHIP, 1, "producers issue TMA copies, and no input is prefetched by TMA"),
    "many-warps": ("softmax", 64, 4096, "f32", 32, "tile = 8", "tile = 4096, vector = 4, lanes = 32, warps = 32", 'axis = "i", step = 1',
                   ", stages = 2, tma = true", CHIP, 1, "a block has at most 32 warps, not 32 and 1 producers"),
    "cluster-with-producers": ("softmax", 5, 4096, "f32", 2, "tile = 1", "tile = 1024, vector = 4, lanes = 32, warps = 2",
                               'axis = "j", step = 256', ", shared_steps = 4, stages = 4, tma = true", CHIP, 1,
                               "blocks of a cluster meet with all of their warps", 4),
}  # fmt: skip
# Blocks of several kinds.
KINDS = """#fuse.schedule<version = 2, mapping = <warps = 1>, stitching = <{i = #fuse.thread_mapping<tile = 24>,
    j = #fuse.thread_mapping<tile = 128, vector = 4, lanes = 32>, k = #fuse.thread_mapping<tile = 1>, l = #fuse.thread_mapping<tile = 64, vector = 2, lanes = 32>,
    p = #fuse.thread_mapping<tile = 1>, q = #fuse.thread_mapping<tile = 128, vector = 4, lanes = 32>, s = #fuse.thread_mapping<tile = 4, lanes = 4>,
    t = #fuse.thread_mapping<tile = 8, lanes = 8>}, serial_loop = <axis = "i", step = 1, stages = 2, tma = true>>>"""


def schedule(warps, i, j, walk, options="", cluster=1, producers=0):
    roles = f", parallel = <{{}}, producers = {producers}>" if producers else ""
    return (
        f"#fuse.schedule<version = 2, mapping = <warps = {warps}, cluster = {cluster}>{roles}, "
        f"stitching = <{options}{{i = #fuse.thread_mapping<{i}>, j = #fuse.thread_mapping<{j}>}}, serial_loop = <{walk}>>>"
    )


def groups_of(path, name, rows, cols, type, chip):
    with open(path + ".mlir", "w") as file:
        file.write(program(name, rows, cols, type))
    return run("fusion-opt", path + ".mlir", f"--fuse-to-groups=chip={chip} force-fusion=true")


def check(name, pattern, rows, cols, type, warps, i, j, walk, counts, dimensions, areThreads, options="", cluster=1):
    path = os.path.join(folder, name)
    groups = groups_of(path, pattern, rows, cols, type, CHIP)
    digests = set()
    for stages in some(counts, 1):
        ahead = f"{walk}, stages = {stages}"
        forms = [("by threads", ahead, 0), ("in bulk", ahead + ", tma = true", 0)]
        if cluster == 1:
            forms.append(("by a producer", ahead + ", tma = true", 1))
        for form, steps, producers in some(forms, 2):
            where = f"{name}, {stages} stages, {form}"
            text = schedule(warps, i, j, steps, options, cluster, producers)
            ptx, report, digest = compute(path, groups, text, where, ORDERS)
            (kernel,) = report["kernels"]
            assert not kernel["counters"]["shared_bank_conflicts"], where
            boxes = set(map(int, re.findall(r"cp\.async\.bulk\.tensor\.(\d)d", ptx)))
            byThreads = bool(re.search(r"cp\.async\.c[ag]\.", ptx))
            if form == "by threads":
                assert not boxes and byThreads, where
            else:
                assert boxes and (dimensions is None or boxes == dimensions), f"{where}: {boxes}"
                assert byThreads == areThreads, f"{where}: copies by threads"
                assert ("createpolicy" in ptx) == ("evict_first" in options), where
            assemble(path, CHIP, where)
            digests.add(digest)
    assert len(digests) == 1, f"{name}: results differ"


def search(groups, text):
    done = subprocess.run(["fusion-opt", "-", "--fuse-search-schedules", "-o", os.devnull], input=replace_schedule(groups, text),
                          capture_output=True, text=True)  # fmt: skip
    assert done.returncode != 0
    return done.stderr


def refuse(name, pattern, rows, cols, type, warps, i, j, walk, ahead, chip, producers, why, cluster=1):
    groups = groups_of(os.path.join(folder, name), pattern, rows, cols, type, chip)
    said = search(groups, schedule(warps, i, j, walk + ahead, "", cluster, producers))
    assert why in said, f"{name}: {said}"


if __name__ == "__main__":
    os.makedirs(folder, exist_ok=True)
    only = sys.argv[3:]
    for name, case in some(CASES.items(), 6):
        if not only or name in only:
            check(name, *case)
    for name, case in REFUSED.items():
        if not only or name in only:
            refuse(name, *case)
    if not only:
        groups = groups_of(os.path.join(folder, "kinds"), "packed_elementwise_of_different_shapes", 24, 512, "f32", CHIP)
        said = search(groups, KINDS)
        assert "all blocks wait for TMA copies, and the blocks of this group are of several kinds" in said, said
