# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Attention with heads of 8 to 256 in steps of 8, those of the keys and of the values alike and not, for sequences of any length:
# one kernel (two where the keys are split), right, silent, with the bytes that were predicted. Where the rows of queries fill the
# chip, a dimension between powers of two is not padded to the next; where they do not, blocks and warps may share
# the values out as they like. With `all` every dimension, otherwise a few.
# RUN: %python %s %t %S/Inputs %sample

import itertools
import json
import os
import re
import sys

folder, inputs = sys.argv[1], sys.argv[2]
takes_all = "all" in sys.argv[3:]
sys.path.insert(0, inputs)
from hand_schedule import ROOT, run  # noqa: E402
from sample import some  # noqa: E402

FEW = [(8, 8), (40, 40), (72, 72), (80, 80), (96, 96), (112, 112), (256, 256), (64, 256), (256, 72), (16, 120), (200, 24)]
LENGTHS = (1, 17, 100, 333, 1000)


def cases():
    if takes_all:
        dims = range(8, 257, 8)
        pairs = [(d, d) for d in dims] + [(d, 264 - d) for d in dims if d != 132] + [(d, 256) for d in (64, 72, 128)]
        yield from itertools.product(pairs, LENGTHS)
        return
    # Each dimension at one length, each length at some dimension, the emulator's time in mind.
    for number, pair in enumerate(FEW):
        yield pair, LENGTHS[number % len(LENGTHS)]
    yield (256, 256), 333


def generate(path, k, h, heads, rows, length):
    """Writes the workload to PATH.mlir; returns a chip for it."""
    generator = os.path.join(ROOT, "benchmarks", "workloads", "generate.py")
    run(sys.executable, generator, "--family=attention_mcfuser", "--case=S1", f"--heads={heads}", f"--M={rows}", f"--N={length}",
        f"--K={k}", f"--H={h}", f"--dtype={'bf16' if length == 100 else 'f16'}", "-o", path + ".mlir")  # fmt: skip
    return ("sm_80", "sm_90a", "sm_86")[(k // 8 + length) % 3]


def is_padded(schedule, axis, size):
    """Whether the tiles of an axis come up to a power of two that `size` does not, in the steps of 16 that tensor cores take. One
    step more than fifteen, 256 for 240, may be the price of warps that share the columns evenly."""
    tile = int(re.search(rf"\b{axis} = (\d+) : i64", schedule.split("mapping")[0]).group(1))
    power = 1 << (size - 1).bit_length()
    steps = -(-size // 16)
    return steps < power // 16 <= -(-size // tile) * tile // 16 and steps < 15


def check(k, h, length):
    name = f"k{k}_h{h}_n{length}"
    path = os.path.join(folder, name)
    rows = min(length, 1000 if takes_all and max(k, h) <= 128 else 64)
    chip = generate(path, k, h, 1, rows, length)
    run("fusion-run", path + ".mlir", "--device=emulator", "--chip=" + chip, "--sanitize", "--force-fusion",
        "--json=" + path + ".json")  # fmt: skip
    with open(path + ".json") as file:
        (report,) = json.load(file)
    assert report["pass"] and not report["sanitizer"], name
    kernels = report["kernels"]
    schedule = kernels[0]["schedule"]
    is_merged = "parallel = <{n = " in schedule and "in_cluster = true" not in schedule
    assert len(kernels) == (2 if is_merged else 1), (name, len(kernels))
    for kernel in kernels:
        for key in ("global_load_bytes", "global_store_bytes"):
            assert kernel["counters"][key] == kernel["predicted"][key], (name, kernel["name"], key, kernel["counters"][key],
                kernel["predicted"][key])


def check_tiles(k, h, length):
    """Of as many rows as the large workloads have, which nobody runs here."""
    path = os.path.join(folder, f"k{k}_h{h}_n{length}_tiles")
    chip = generate(path, k, h, 64, 1024, length)
    schedules = re.findall(r"#fuse\.schedule<version.*", run("fusion-opt", path + ".mlir", f"--fuse-to-groups=chip={chip} force-fusion=true"))
    assert len(schedules) == 1, (k, h, length, len(schedules))
    for axis, size in (("k", k), ("h", h)):
        assert not is_padded(schedules[0], axis, size), (k, h, length, schedules[0])


def main():
    os.makedirs(folder, exist_ok=True)
    shapes = some(cases(), 5)
    for (k, h), length in itertools.product(dict.fromkeys(pair for pair, _ in shapes), some((333, 1000), 1)):
        check_tiles(k, h, length)
    for (k, h), length in shapes:
        check(k, h, length)


main()
