# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# The values of a later pass are retained as the fewest bytes, from which they are recomputed, or as the results of
# expensive operators: both by hand, right, silent under the sanitizers, with the bytes that were predicted; and each is
# what the search chooses somewhere.
# RUN: %python %s %t %S/Inputs

import os
import sys

folder, inputs = sys.argv[1], sys.argv[2]
sys.path.insert(0, inputs)
from hand_schedule import emulate_stitched, lower, run  # noqa: E402
from stitch_programs import Graph  # noqa: E402

CHIP = "sm_80"


def gated(rows, cols, type):
    """tanh and a sigmoid of what is read, divided by the row's sum."""
    f = Graph(type)
    x = f.widen(f.argument((rows, cols), f.type))
    y = f.binary("mulf", f.unary("math.tanh", x), f.sigmoid(x))
    return f.text("gated", [f.narrow(f.binary("divf", y, (f.sum(y), "i")))])


def groups_of(path, text):
    with open(path + ".mlir", "w") as file:
        file.write(text)
    return run("fusion-opt", path + ".mlir", f"--fuse-to-groups=chip={CHIP} force-fusion=true")


def attempt(rows, cols, type, vector, registers, shared, costly):
    """Returns the instructions that the kernel takes."""
    path = os.path.join(folder, f"{rows}x{cols}-{type}-{registers}-{shared}-{costly}")
    groups = groups_of(path, gated(rows, cols, type))
    step = vector * 32 * 2
    lower(path, groups,
          f"#fuse.schedule<version = 2, mapping = <warps = 2>, stitching = <{{i = #fuse.thread_mapping<tile = 1>, j = #fuse.thread_mapping<tile = "
          f"{-(-cols // step) * step}, vector = {vector}, lanes = 32, warps = 2>}}, serial_loop = <axis = \"j\", step = {step}, "
          f"register_steps = {registers}, shared_steps = {shared}{', retain_expensive = true' if costly else ''}>>>")  # fmt: skip
    return emulate_stitched(path, path)["counters"]["instructions"]


def by_hand():
    # All in registers, all in shared memory, some of either; a part that is recomputed; columns that end anywhere.
    for rows, cols, type, vector, registers, shared in ((3, 1024, "f16", 4, 4, 0), (3, 1024, "f16", 4, 0, 4), (2, 1500, "bf16", 4, 2, 4),
                                                        (2, 2048, "f16", 4, 1, 3), (3, 1001, "f16", 1, 8, 8)):  # fmt: skip
        again, once = (attempt(rows, cols, type, vector, registers, shared, costly) for costly in (False, True))
        assert once < 0.8 * again, (rows, cols, type, once, again)


def by_search():
    # Many costly operators for a byte: they are computed once. A sum of the elements themselves: there is nothing costly.
    path = os.path.join(folder, "chosen")
    assert "retain_expensive = true" in groups_of(path, gated(512, 65536, "f16"))
    f = Graph("f16")
    x = f.widen(f.argument((4096, 4096), f.type))
    path = os.path.join(folder, "cheap")
    assert "retain_expensive" not in groups_of(path, f.text("cheap", [f.narrow(f.binary("divf", x, (f.sum(x), "i")))]))


os.makedirs(folder, exist_ok=True)
by_hand()
by_search()
