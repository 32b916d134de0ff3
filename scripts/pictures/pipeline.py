# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The pipeline from linalg to PTX: representations and the passes between them."""

from .svg import COLOURS, Picture

# (representation, what it says, passes or tools that lead to the next one)
LEVELS = [
    (
        "linalg on tensors",
        "operators, as PyTorch, TOSA or a .mlir file give them",
        ["fuse-explicit-numerics", "fuse-normalize", "fuse-merge-axes", "fuse-form-groups"],
    ),
    ("fuse: groups", "fuse.chain and fuse.stitch: what becomes one kernel", ["fuse-search-schedules"]),
    (
        "fuse: groups with #fuse.schedule",
        "all decisions: tiles, warps, stages, copies",
        ["fuse-split-reductions", "fuse-lower-to-tile"],
    ),
    (
        "tile: one block's program",
        "tiles of tensors, buffers, copies, MMAs; no threads yet",
        ["tile-pipeline-expand", "tile-assign-layouts", "tile-insert-barriers", "tile-specialize-warps"],
    ),
    (
        "tile with layouts and barriers",
        "which thread holds which element; who waits for whom",
        ["convert-tile-to-gpu", "convert-math-to-nvvm"],
    ),
    ("gpu.module of nvvm and llvm, host plan", "one thread's program; launches and temporaries", ["fusion-translate"]),
    ("PTX and manifest", "run by the CUDA driver, or by fusion-emulate without a GPU", []),
]


def pipeline():
    width, height, gap, left, top = 430, 46, 50, 20, 40
    picture = Picture(left + width + 20, top + len(LEVELS) * (height + gap) - gap + 16, "From linalg to PTX")
    picture.text(left, 22, "From linalg to PTX", 15, "start", "bold")
    for level, (name, meaning, passes) in enumerate(LEVELS):
        y = top + level * (height + gap)
        picture.box(
            left, y, width, height, COLOURS[0] if level in (0, 5, 6) else COLOURS[2] if level < 3 else COLOURS[1]
        )
        picture.text(left + width / 2, y + 19, name, 13, weight="bold")
        picture.text(left + width / 2, y + 36, meaning, 11)
        if passes:
            picture.line(left + 24, y + height, left + 24, y + height + gap, arrow=True)
            for row, first in enumerate(range(0, len(passes), 2)):
                picture.text(
                    left + 40,
                    y + height + 20 + 16 * row,
                    ", ".join(passes[first : first + 2]),
                    11,
                    "start",
                    fill="#333333",
                )
    return picture


PICTURES = {"pipeline": pipeline}
