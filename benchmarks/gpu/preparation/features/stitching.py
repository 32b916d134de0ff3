# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Convolutions, and stitched groups by the composition of their values."""

from .case import ROOT, Case, generate_text

from convolution_programs import Program, layer  # noqa: E402
from stitch_programs import program as stitched  # noqa: E402


def convolutions():
    programs = {
        "window": Program(1, (9, 11), 16, "last", "f16", [layer(32, 3, 1, 1, relu=True)]),
        "pointwise": Program(2, (9, 11), 16, "last", "f16", [layer(32, relu=True), layer(24, bias=True)]),
        "strided": Program(2, (17, 14), 16, "last", "f16", [layer(24, 3, 2, 1, bias=True)]),
        "channels-first": Program(2, (9, 11), 16, "first", "f16", [layer(32, 3, 2, 1, bias=True, relu=True)]),
        "odd-channels": Program(2, (7, 9), 10, "last", "f16", [layer(17, 3, 1, 1, relu=True), layer(9, relu=True)]),
        "two-windows": Program(
            1, (9, 8), 16, "last", "f16", [layer(24, 3, 1, 1, bias=True, relu=True), layer(16, 3, 2, 1)]
        ),
        "bytes": Program(1, (9, 8), 32, "last", "i8", [layer(24, 3, 1, 1)]),
        "volume": Program(1, (5, 6, 7), 8, "last", "f16", [layer(16, 3, 1, 1, rank=3, residual=True)]),
    }
    for name, program in programs.items():
        yield Case(f"convolution-{name}", "convolution", f"convolution: {name}", program.text(), kernels=None)
    yield Case(
        "convolution-chain",
        "convolution",
        "a chain of two convolutions",
        generate_text("--family=conv_chains_chimera", "--case=C7", "--H=15", "--W=15", "--IC=32", "--OC1=48"),
        kernels=None,
    )


def stitch(
    name, kind, feature, pattern, rows, cols, type, warps, i, j, walk=None, options="", cluster=1, producers=0, uses=()
):
    """A pattern under a schedule by hand (stitch-tma-copies.py, stitch-cluster.py)."""
    roles = f", parallel = <{{}}, producers = {producers}>" if producers else ""
    steps = f", serial_loop = <{walk}>" if walk else ""
    text = (
        f"#fuse.schedule<version = 2, mapping = <warps = {warps}, cluster = {cluster}>{roles}, "
        f"stitching = <{options}{{i = #fuse.thread_mapping<{i}>, j = #fuse.thread_mapping<{j}>}}{steps}>>"
    )
    return Case(name, kind, feature, stitched(pattern, rows, cols, type), text, ("stitched", *uses))


def compositions():
    wide = "tile = 768, vector = 8, lanes = 32"
    yield stitch(
        "stitch-thread",
        "thread composition",
        "values pass in registers of a thread",
        "bias_gelu",
        40,
        1024,
        "f16",
        2,
        "tile = 8",
        "tile = 1024, vector = 8, lanes = 32, warps = 2",
        'axis = "i", step = 1',
    )
    yield stitch(
        "stitch-warp",
        "warp composition",
        "rows of a warp, by shuffles",
        "layer_norm",
        21,
        768,
        "f16",
        1,
        "tile = 8",
        wide,
        'axis = "i", step = 1',
        uses=("warp shuffles",),
    )
    yield stitch(
        "stitch-part-of-warp",
        "warp composition",
        "rows of 16 lanes",
        "softmax",
        100,
        64,
        "f32",
        2,
        "tile = 32, lanes = 2, warps = 2",
        "tile = 64, vector = 4, lanes = 16",
        'axis = "i", step = 8',
        uses=("warp shuffles",),
    )
    yield stitch(
        "stitch-block",
        "block composition",
        "rows of a block, through shared memory",
        "rms_norm",
        13,
        1024,
        "f32",
        2,
        "tile = 8",
        "tile = 1024, vector = 4, lanes = 32, warps = 2",
        'axis = "i", step = 2',
        uses=("block barriers",),
    )
    for blocks, row in (
        (2, 'axis = "j", step = 256, register_steps = 2, shared_steps = 8'),
        (4, 'axis = "j", step = 256, register_steps = 5'),
    ):
        cols = 5000
        tile = -(-cols // (blocks * 256)) * 256
        yield stitch(
            f"stitch-cluster-{blocks}",
            f"cluster composition, {blocks} blocks",
            f"rows of {blocks} blocks, through distributed shared memory",
            "softmax",
            3,
            cols,
            "f32",
            2,
            "tile = 1",
            f"tile = {tile}, vector = 4, lanes = 32, warps = 2",
            row,
            cluster=blocks,
            uses=(f"cluster of {blocks}", "distributed shared memory"),
        )
    yield stitch(
        "stitch-cluster-8",
        "cluster composition, 8 blocks",
        "rows of 8 blocks",
        "bias_dropout_residual_layer_norm",
        2,
        4096,
        "bf16",
        1,
        "tile = 1",
        "tile = 512, vector = 8, lanes = 32",
        'axis = "j", step = 256, register_steps = 2',
        cluster=8,
        uses=("cluster of 8",),
    )
    yield stitch(
        "stitch-bulk",
        "stitched copies by TMA",
        "rows ahead in boxes",
        "layer_norm",
        21,
        768,
        "f16",
        1,
        "tile = 8",
        wide,
        'axis = "i", step = 1, stages = 3, tma = true',
        uses=("TMA load",),
    )
    yield stitch(
        "stitch-producer",
        "stitched producers",
        "rows ahead by a producer warp",
        "layer_norm",
        21,
        768,
        "f16",
        1,
        "tile = 8",
        wide,
        'axis = "i", step = 1, stages = 2, tma = true',
        producers=1,
        uses=("TMA load", "producers"),
    )
    yield stitch(
        "stitch-cp.async",
        "stitched copies by threads",
        "rows ahead by cp.async",
        "layer_norm",
        21,
        768,
        "f16",
        1,
        "tile = 8",
        wide,
        'axis = "i", step = 1, stages = 3',
        uses=("cp.async",),
    )
    yield stitch(
        "stitch-cluster-bulk",
        "stitched TMA in clusters",
        "boxes in clusters of 4",
        "softmax",
        5,
        4096,
        "f32",
        2,
        "tile = 1",
        "tile = 1024, vector = 4, lanes = 32, warps = 2",
        'axis = "j", step = 256, shared_steps = 4, stages = 4, tma = true',
        cluster=4,
        uses=("TMA load", "cluster of 4"),
    )
    yield stitch(
        "stitch-transposed",
        "transposes",
        "a result transposed through shared memory",
        "transpose_of_normalised",
        64,
        256,
        "f16",
        4,
        "tile = 32, warps = 4",
        "tile = 256, vector = 8, lanes = 32",
        'axis = "i", step = 8',
    )


SEARCHED = {
    "packed_elementwise_of_8_tensors": ("packing", "eight tensors in one kernel", 33, 500, "f16"),
    "packed_elementwise_of_different_shapes": ("packing", "tensors of several shapes in one kernel", 40, 300, "f32"),
    "gather_slice_concat_mix": ("gather", "rows picked by an index, slices, concatenation", 50, 512, "f16"),
    "cross_entropy": ("gather", "an element picked from each row", 24, 700, "f16"),
    "rope": ("slices", "halves that rotate", 40, 512, "bf16"),
    "layer_norm_backward": ("columns", "sums of columns shared by blocks", 96, 768, "f16"),
    "swiglu": ("element-wise", "gates", 33, 1001, "bf16"),
    "lstm_cell_gates": ("element-wise", "four gates", 32, 1024, "f16"),
    "din_attention_unit": ("three axes", "scores of a short history", 20, 640, "f16"),
    "reduce_exp_broadcast_reduce": ("two reductions", "a reduction of what a reduction gave", 30, 900, "bf16"),
    "mean_var_two_reductions": ("two reductions", "mean and variance", 30, 1000, "f32"),
    "transpose_of_normalised": ("transposes", "as the search chooses", 200, 320, "f16"),
}


def searched():
    for pattern, (kind, feature, rows, cols, type) in SEARCHED.items():
        yield Case(f"pattern-{pattern}", kind, feature, stitched(pattern, rows, cols, type), kernels=None)
    text = (ROOT / "test" / "Integration" / "stitch-everything.mlir").read_text()
    yield Case(
        "pattern-everything",
        "blocks that wait for the last one",
        "a reduction over everything, finished by the last block",
        text,
    )
    yield Case(
        "concatenation",
        "scatter",
        "parts written side by side",
        (ROOT / "test" / "Integration" / "insert-into-empty.mlir").read_text(),
        kernels=None,
    )
