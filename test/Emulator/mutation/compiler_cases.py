#!/usr/bin/env python3
# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles chains and writes each of their kernels as a launch for mutate.py.

    compiler_cases.py OUTPUT --bin=build/bin [--chain=M,K,N,... [generate.py's options]]...

The kernels of a plan are launched on inputs of small integers, so that sums are exact.
"""

import argparse
import json
import os
import pathlib
import random
import struct
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "test" / "Integration" / "Inputs"))
from hand_schedule import generate, lower, run, schedule  # noqa: E402
from pipelined_cases import CASES, stage_counts  # noqa: E402

# The smallest shapes with several blocks and as many iterations as stages and two more.
CHAINS = (
    ("--chain=32,192,64",),
    ("--chain=32,64,896,64", "--between=relu"),
    ("--chain=32,64,192,64", "--between=softmax"),
    ("--chain=32,64,896,64", "--epilogue=bias,relu"),
)
# Chains whose schedule is written by hand: name of the case, stages, register stages.
PIPELINED = (
    ("loop-over-n", (3,), 2),
    ("nest", (2,), 1),
    ("masked-product", (3, 2), 2),
    ("one-through-registers", (3,), 1),
    ("both-through-registers", (2,), 2),
    ("registers-around-copies", (3,), 1),
    ("one-warp", (3,), 2),
)
SIZES = {"f16": 2, "bf16": 2, "f32": 4, "i32": 4, "i8": 1, "i64": 8, "f64": 8}


def fill(kind, count, rng):
    values = [rng.randint(-2, 2) for _ in range(count)]
    if kind == "f16":
        return struct.pack(f"<{count}e", *values)
    if kind == "f32":
        return struct.pack(f"<{count}f", *values)
    if kind == "bf16":
        return b"".join(struct.pack("<f", v)[2:] for v in values)
    return bytes(count * SIZES[kind])


def elements(value):
    count = 1
    for size in value["shape"]:
        count *= size
    return count


def write(output, options, index):
    name = "_".join(o.split("=")[1].replace(",", "x") for o in options)
    folder = output / name
    folder.mkdir(parents=True, exist_ok=True)
    path = str(folder / "kernels")
    run(sys.executable, str(ROOT / "benchmarks" / "workloads" / "generate.py"), *options, "-o", path + ".mlir")
    run("fusion-opt", path + ".mlir", "--fuse-to-nvvm=chip=sm_80 force-fusion=true", "-o", path + ".nvvm.mlir")
    run("fusion-translate", "--fuse-to-ptx", path + ".nvvm.mlir", "-o", path + ".ptx")
    run("fusion-translate", "--fuse-to-manifest", path + ".nvvm.mlir", "-o", path + ".json")
    launches(name, folder, index)


def write_pipelined(output, case, stages, registers, index):
    arguments, description, operands = CASES[case]
    folder = output / case
    folder.mkdir(parents=True, exist_ok=True)
    path = str(folder / "kernels")
    (counts,) = stage_counts(case, [stages])
    text = schedule(**description, stages=dict(zip(operands, counts)), registers=registers)
    lower(path, generate(path, *arguments), text)
    launches(case, folder, index)


def launches(name, folder, index):
    """Adds the launches of FOLDER/kernels.json, each in a folder of its own."""
    ptx = folder / "kernels.ptx"
    manifest = json.loads((folder / "kernels.json").read_text())
    kernels = {kernel["name"]: kernel for kernel in manifest["kernels"]}
    rng = random.Random(name)
    for function in manifest["functions"]:
        buffers = {}
        for i, value in enumerate(function["inputs"]):
            buffers[f"arg{i}"] = fill(value["type"], elements(value), rng)
        for i, value in enumerate(function["results"]):
            buffers[f"result{i}"] = bytes(elements(value) * SIZES[value["type"]])
        for i, value in enumerate(function["temporaries"]):
            buffers[f"temp{i}"] = bytes(value["bytes"])
        for i, launch in enumerate(function["launches"]):
            kernel = kernels[launch["kernel"]]
            where = folder / str(i)
            where.mkdir(exist_ok=True)
            arguments = []
            for argument in launch["arguments"]:
                if argument["kind"] == "buffer":
                    of = argument["of"]
                    (where / f"{of}.in").write_bytes(buffers[of])
                    arguments.append({"buffer": f"{of}.in", "write_back": f"{of}.out"})
                else:
                    arguments.append({argument["kind"]: argument["of"]})
            path = where / "launch.json"
            path.write_text(json.dumps({
                "kernel": launch["kernel"], "grid": launch["grid"], "block": kernel["block"],
                "cluster": kernel.get("cluster") or [1, 1, 1],
                "dynamic_shared_memory": kernel["dynamic_shared_memory"], "arguments": arguments,
            }))
            index.append({"name": f"{name}_{i}", "kernel": launch["kernel"], "case": i, "ptx": str(ptx), "launch": str(path)})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("output", type=pathlib.Path)
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    arguments = parser.parse_args()
    os.environ["PATH"] = str(arguments.bin.resolve()) + os.pathsep + os.environ["PATH"]
    index = []
    for options in CHAINS:
        write(arguments.output, options, index)
    for case in PIPELINED:
        write_pipelined(arguments.output, *case, index)
    (arguments.output / "index.json").write_text(json.dumps(index, indent=1) + "\n")


if __name__ == "__main__":
    main()
