#!/usr/bin/env python3
# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints the tables of docs/measurements/hopper.md: registers by ptxas, and counters of the emulator, of kernels that copy
by threads, by TMA, and by TMA with producer warps.

    PATH=build/bin:$PATH benchmarks/hopper/copies.py [loads] [stores] [stitched] [example]

Kernels are those of test/Integration/{tma-copies,tma-stores,warp-specialization,stitch-tma-copies}.py. Needs ptxas on PATH.
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "test" / "Integration" / "Inputs"))

from tma_copy_cases import CASES as LOADS  # noqa: E402
from tma_store_cases import CASES as STORES  # noqa: E402
from hand_schedule import compute, form, run, schedule  # noqa: E402
from set_schedule import replace_schedule  # noqa: E402
from stitch_programs import program  # noqa: E402
from warpgroup_cases import product  # noqa: E402

CHIP = "sm_90a"
STAGES = 3
# (text, rows and columns of a tile, schedule)
TILES = [
    ("64 × 64 × 64, 4 warps, wgmma", 64, 64, product(64, 64, 64, (4, 1), result="registers")),
    ("64 × 256 × 64, 4 warps, wgmma", 64, 256, product(64, 256, 64, (4, 1), result="registers")),
    ("256 × 48 × 64, 8 warps, wgmma", 256, 48, product(256, 48, 64, (8, 1), result="registers")),
    (
        "64 × 64 × 32, 2 × 2 warps, mma.sync",
        64,
        64,
        product(64, 64, 32, (2, 2), result="registers") | dict(intrinsic="mma.m16n8k16"),
    ),
]
STORED = {
    "plain": "one contraction, 64 × 64, 4 warps, f16",
    "several-panels": "one contraction, 64 × 256, 8 warps, f16",
    "words": "one contraction, 128 × 96, 8 warps, s32",
    "handed-over": "two contractions, f16",
    "across": "transposed against the accumulator, mma.sync, f16",
    "producers": "one contraction, 64 × 64, 4 and 4 warps, f16",
}
WIDE = "tile = 768, vector = 8, lanes = 32"
# (text, pattern, rows, columns, type, warps, mapping of i, mapping of j, walk without stages, stages)
STITCHED = [
    (
        "layer norm, 768 f16 elements a row, one warp",
        "layer_norm",
        21,
        768,
        "f16",
        1,
        "tile = 8",
        WIDE,
        'axis = "i", step = 1',
        3,
    ),
    (
        "RMS norm, 8 rows of 512 bf16 elements, four warps",
        "rms_norm",
        32,
        512,
        "bf16",
        4,
        "tile = 24, warps = 4",
        "tile = 512, vector = 8, lanes = 32",
        'axis = "i", step = 8',
        3,
    ),
    (
        "RMS norm, 2 rows of 1024 f32 elements, two warps",
        "rms_norm",
        13,
        1024,
        "f32",
        2,
        "tile = 8",
        "tile = 1024, vector = 4, lanes = 32, warps = 2",
        'axis = "i", step = 2',
        4,
    ),
    (
        "two inputs, 512 f32 elements a row, two warps",
        "bias_dropout_residual_layer_norm",
        20,
        512,
        "f32",
        2,
        "tile = 4",
        "tile = 512, vector = 4, lanes = 32, warps = 2",
        'axis = "i", step = 1',
        3,
    ),
    (
        "softmax, 8 steps of 256 f16 elements, one warp",
        "softmax",
        9,
        2048,
        "f16",
        1,
        "tile = 1",
        "tile = 2048, vector = 8, lanes = 32",
        'axis = "j", step = 256, shared_steps = 8',
        8,
    ),
]


def registers(path, chip):
    done = subprocess.run(
        ["ptxas", "-v", f"-arch={chip}", path + ".ptx", "-o", os.devnull], check=True, capture_output=True, text=True
    )
    (count,) = re.findall(r"Used (\d+) registers", done.stdout + done.stderr)
    return int(count)


def measure(path, groups, text, chip=CHIP):
    """(registers of a thread, counters) of the only kernel."""
    _, report, _ = compute(path, groups, text, path)
    (kernel,) = report["kernels"]
    return registers(path, chip), kernel["counters"]


def table(*lines):
    header, *rows = lines
    print("| " + " | ".join(header) + " |")
    print("|" + "---|" * len(header))
    for row in rows:
        print("| " + " | ".join(map(str, row)) + " |")
    print(flush=True)


def loads(folder):
    """Instructions of all warps of a block in one iteration: the difference of two kernels of 2 × 2 blocks, of which
    one has 8 iterations more."""
    lines = [
        (
            "tile, warps, intrinsic",
            "registers, `cp.async`",
            "TMA",
            "producers",
            "instructions, `cp.async`",
            "TMA",
            "producers",
        )
    ]
    for name, rows, columns, description in TILES:
        step = description["tiles"]["k"]
        counts, used = [], []
        for transport, producers in (("async16", 0), ("tma", 0), ("tma", 4)):
            places = {each: place.replace("async16", transport) for each, place in description["places"].items()}
            text = schedule(**description | dict(places=places, stages=dict(A=STAGES, B=STAGES), producers=producers))
            instructions = []
            for iterations in (8, 16):
                path = os.path.join(folder, f"loads-{iterations}")
                groups = form(path, [f"--chain={2 * rows},{iterations * step},{2 * columns}", "--2d"], CHIP)
                count, counters = measure(path, groups, text)
                instructions.append(counters["instructions"])
            used.append(count)
            counts.append(f"{(instructions[1] - instructions[0]) / (8 * 4):.0f}")
        lines.append((name, *used, *counts))
    table(*lines)


def stores(folder):
    lines = [
        ("case", "registers, by threads", "TMA", "instructions, by threads", "TMA", "wavefronts, by threads", "TMA")
    ]
    for name, text in STORED.items():
        chip, chain, description, _ = STORES[name]
        path = os.path.join(folder, f"stores-{name}")
        groups = form(path, chain, chip)
        (result,) = [each for each, place in description["places"].items() if place == "shared, tma" and each in "CE"]
        threads = description | dict(places=description["places"] | {result: "shared"})
        found = [measure(path, groups, schedule(**each), chip) for each in (threads, description)]
        lines.append(
            (
                f"`{name}`: {text}",
                *(count for count, _ in found),
                *(counters["instructions"] for _, counters in found),
                *(counters["shared_wavefronts"] for _, counters in found),
            )
        )
    table(*lines)


def stitched(folder):
    lines = [("kernel", "registers, `cp.async`", "TMA", "producer", "instructions, `cp.async`", "TMA", "producer")]
    for number, (name, pattern, rows, columns, type, warps, i, j, walk, stages) in enumerate(STITCHED):
        path = os.path.join(folder, f"stitched-{number}")
        pathlib.Path(path + ".mlir").write_text(program(pattern, rows, columns, type))
        groups = run("fusion-opt", path + ".mlir", f"--fuse-to-groups=chip={CHIP} force-fusion=true")
        found = []
        for bulk, producers in (("", 0), (", tma = true", 0), (", tma = true", 1)):
            parallel = f", parallel = <{{}}, producers = {producers}>" if producers else ""
            text = (
                f"#fuse.schedule<version = 2, mapping = <warps = {warps}>{parallel}, "
                f"stitching = <{{i = #fuse.thread_mapping<{i}>, "
                f"j = #fuse.thread_mapping<{j}>}}, serial_loop = <{walk}, stages = {stages}{bulk}>>>"
            )
            found.append(measure(path, groups, text))
        lines.append((name, *(count for count, _ in found), *(counters["instructions"] for _, counters in found)))
    table(*lines)


def example(folder):
    """The chain of docs/hopper.md in four forms."""
    lines = [("form of the chain of two contractions", "registers", "instructions")]
    chip, chain, description, _ = LOADS["handed-over"]
    threads = {each: place.replace("tma", "async16") for each, place in description["places"].items()}
    path = os.path.join(folder, "example")
    groups = form(path, chain, chip)
    for text, changes in (
        ("`cp.async`", dict(places=threads)),
        ("TMA loads", {}),
        ("TMA loads, producers", dict(producers=4)),
        ("TMA loads, clusters of 2", dict(cluster=2)),
    ):
        count, counters = measure(path, groups, schedule(**description | dict(stages=dict(B=2, D=2)) | changes), chip)
        lines.append((text, count, counters["instructions"]))
    table(*lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tables", nargs="*", choices=[[], "loads", "stores", "stitched", "example"])
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for each in (loads, stores, stitched, example):
            if not arguments.tables or each.__name__ in arguments.tables:
                each(folder)


main()
