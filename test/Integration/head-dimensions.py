# Attention with heads of 8 to 256 in steps of 8, those of the keys and of the values alike and not, for sequences of any length:
# one kernel (two where the keys are split), right, silent, with the bytes that were predicted; a dimension between powers of
# two is not padded to the next. With `all` every dimension, otherwise a few.
# RUN: %python %s %t %S/Inputs

import itertools
import json
import os
import re
import sys

folder, inputs = sys.argv[1], sys.argv[2]
takes_all = "all" in sys.argv[3:]
sys.path.insert(0, inputs)
from hand_schedule import ROOT, run  # noqa: E402

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


def check(k, h, length):
    name = f"k{k}_h{h}_n{length}"
    path = os.path.join(folder, name)
    rows = min(length, 1000 if takes_all and max(k, h) <= 128 else 64)
    chip = ("sm_80", "sm_90a", "sm_86")[(k // 8 + length) % 3]
    generator = os.path.join(ROOT, "benchmarks", "workloads", "generate.py")
    run(sys.executable, generator, "--family=attention_mcfuser", "--case=S1", "--heads=1", f"--M={rows}", f"--N={length}",
        f"--K={k}", f"--H={h}", f"--dtype={'bf16' if length == 100 else 'f16'}", "-o", path + ".mlir")  # fmt: skip
    run("fusion-run", path + ".mlir", "--device=emulator", "--chip=" + chip, "--sanitize", "--force-fusion",
        "--json=" + path + ".json")  # fmt: skip
    with open(path + ".json") as file:
        (report,) = json.load(file)
    assert report["pass"] and not report["sanitizer"], name
    kernels = report["kernels"]
    schedule = kernels[0]["schedule"]
    assert len(kernels) == (2 if "parallel = <{n = " in schedule else 1), (name, len(kernels))
    for kernel in kernels:
        for key in ("global_load_bytes", "global_store_bytes"):
            assert kernel["counters"][key] == kernel["predicted"][key], (name, kernel["name"], key, kernel["counters"][key],
                kernel["predicted"][key])
    tiles = {axis: int(size) for axis, size in re.findall(r"\b([a-z]\d*) = (\d+) : i64", schedule.split("mapping")[0])}
    for axis, size in (("k", k), ("h", h)):
        power = 1 << (size - 1).bit_length()
        padded = -(-size // tiles[axis]) * tiles[axis]
        # Tensor cores take steps of 16; where there is little to do, blocks may cut the values as they like.
        assert length < 100 or -(-size // 16) * 16 >= power or padded < power, (name, axis, tiles[axis])


def main():
    os.makedirs(folder, exist_ok=True)
    for (k, h), length in cases():
        check(k, h, length)


main()
