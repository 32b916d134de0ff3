# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Convolutions and chains of them through the whole pipeline and the emulator with its sanitizers: right, on tensor cores, with the
# kernels, the bytes and the shared memory that were predicted; as the search chooses and with schedules drawn at random.
# RUN: %python %s %t 1 %sample
#
#   convolutions.py FOLDER DRAWS [--random=FIRST,COUNT] [--only=TEXT]

import argparse
import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "Inputs"))
import devices  # noqa: E402
from convolution_programs import Program, chimera, draw, layer  # noqa: E402
from hand_schedule import ROOT  # noqa: E402
from sample import some  # noqa: E402

# Name: program, kernels (None: any number), whether tensor cores or multiply-adds of tiles compute it.
CASES = {
    "one": (Program(1, (9, 11), 16, "last", "f16", [layer(32, 3, 1, 1, relu=True)]), 1),
    "pointwise": (Program(2, (9, 11), 16, "last", "f16", [layer(32, relu=True), layer(24, bias=True)]), 1),
    "valid": (Program(1, (10, 13), 24, "last", "bf16", [layer(40, 3)]), 1),
    "strided": (Program(2, (17, 14), 16, "last", "f16", [layer(24, 3, 2, 1, bias=True)]), 1),
    "strided_pointwise": (Program(1, (17, 14), 16, "last", "f16", [layer(24, 1, 2)]), 1),
    "dilated": (Program(1, (15, 12), 32, "last", "f16", [layer(16, 3, 1, 2, 2)]), 1),
    "uneven": (Program(1, (8, 9), 16, "last", "f16", [layer(16, (3, 2), (2, 1), (1, 0), high=(0, 1))]), 1),
    "seven": (Program(1, (20, 20), 3, "last", "f16", [layer(32, 7, 2, 3, relu=True)]), 1),
    "four_channels": (Program(1, (12, 10), 4, "last", "f16", [layer(24, 3, 1, 1)]), 1),
    "odd_channels": (Program(2, (7, 9), 10, "last", "f16", [layer(17, 3, 1, 1, relu=True), layer(9, relu=True)]), 1),
    "filters_first": (Program(1, (9, 11), 16, "last_filters_first", "f16", [layer(32, 3, 1, 1)]), 1),
    "channels_first": (Program(2, (9, 11), 16, "first", "f16", [layer(32, 3, 2, 1, bias=True, relu=True)]), 1),
    "channels_first_pointwise": (Program(2, (8, 8), 16, "first", "f16", [layer(32, relu=True), layer(24)]), 1),
    "lines": (Program(2, (50,), 16, "last", "f16", [layer(32, 5, 1, 2, rank=1, relu=True), layer(16, rank=1)]), 1),
    "volumes": (Program(1, (5, 6, 7), 8, "last", "f16", [layer(16, 3, 1, 1, rank=3, residual=True)]), 1),
    "single": (Program(1, (9, 7), 12, "last", "f32", [layer(20, 3, 1, 1, relu=True), layer(8)]), 1),
    "bytes": (Program(1, (9, 8), 32, "last", "i8", [layer(24, 3, 1, 1)]), 1),
    "residual": (Program(1, (9, 8), 32, "last", "f16", [layer(24, 3, 1, 1, bias=True, residual=True, relu=True), layer(16)]), 1),
    "two_windows": (Program(1, (9, 8), 16, "last", "f16", [layer(24, 3, 1, 1, bias=True, relu=True), layer(16, 3, 2, 1)]), 1),
    "windows_of_lines": (Program(2, (40,), 16, "last", "bf16", [layer(24, relu=True, rank=1), layer(16, 4, rank=1)]), 1),
    "windows_channels_first": (Program(1, (9, 8), 16, "first", "f16", [layer(24, bias=True), layer(16, 3, 1, 1, relu=True)]), 1),
    "split": (Program(1, (5, 5), 512, "last", "f16", [layer(32, 3, 1, 1, relu=True, bias=True)]), 1),
    "split_windows": (Program(1, (5, 6), 128, "last", "f16", [layer(128, relu=True), layer(32, 3, 1, 1, bias=True)]), 1),
    "whole_image": (Program(2, (7, 7), 16, "last", "f16", [layer(32, 7)]), 1),
}  # fmt: skip


def cases(arguments):
    if arguments.random:
        first, count = map(int, arguments.random.split(","))
        for seed in range(first, first + count):
            yield f"seed{seed}", draw(seed), None
        return
    for name, (program, kernels) in CASES.items():
        yield name, program, kernels
    with open(os.path.join(ROOT, "benchmarks", "workloads", "conv_chains_chimera.json")) as file:
        for case in json.load(file)["cases"]:
            yield case["name"], chimera(case), 1


def check(program, report, kernels):
    if len(report["kernels"]) != kernels and kernels is not None:
        splits = sum(bool(re.search(r"parallel = <\{\w", kernel["schedule"])) for kernel in report["kernels"])
        if len(report["kernels"]) - splits != kernels:
            yield f"{len(report['kernels'])} kernels instead of {kernels}"
    for kernel in report["kernels"]:
        counters, predicted = kernel["counters"], kernel["predicted"]
        # Stitched groups have tests of their own: of an i32 that is truncated LLVM loads one byte.
        if kernels is None and "tiling" not in kernel["schedule"]:
            continue
        for counter in ("global_load_bytes", "global_store_bytes"):
            if predicted[counter] is None:
                if kernels is not None:
                    yield f"{counter} is not predicted"
            elif counters[counter] != predicted[counter]:
                yield f"{counter}: predicted {predicted[counter]}, counted {counters[counter]}, {kernel['schedule']}"
        if predicted["shared_memory"] not in (None, kernel["dynamic_shared_memory"]):
            yield f"shared memory: predicted {predicted['shared_memory']}, launched with {kernel['dynamic_shared_memory']}"
        isTiled = "operator_map" in kernel["schedule"] or "operators" in kernel["schedule"]
        if kernels is not None and program.element != "f32" and isTiled and not counters["mma_flops"]:
            yield "no tensor cores used"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("draws", type=int)
    parser.add_argument("--random")
    parser.add_argument("--only", default="")
    parser.add_argument("--chip", default="sm_80")
    parser.add_argument("--device", default="emulator", choices=devices.DEVICES)
    arguments = parser.parse_args()
    os.makedirs(arguments.folder, exist_ok=True)
    broken = runs = 0
    for name, program, kernels in some(cases(arguments), 8):
        if arguments.only not in name:
            continue
        path = os.path.join(arguments.folder, name)
        with open(path + ".mlir", "w") as file:
            file.write(program.text())
        chip = "sm_89" if program.element.startswith("f8") else arguments.chip
        for seed in some(range(-1, arguments.draws), 1):
            if os.path.exists(path + ".json"):
                os.remove(path + ".json")
            command = ["fusion-run", path + ".mlir", *devices.words(arguments.device, chip), f"--json={path}.json"]
            command += ["--force-fusion"] if seed < 0 else [devices.drawn(arguments.device, chip, seed)]
            done = subprocess.run(command, capture_output=True, text=True)
            if " candidates is legal" in done.stderr:
                continue
            runs += 1
            problems = []
            if arguments.device == "emulator" and os.path.exists(path + ".json"):
                with open(path + ".json") as file:
                    (report,) = json.load(file)
                problems = list(check(program, report, kernels))
            if done.returncode:
                problems.append(f"exit code {done.returncode}: {done.stdout[-800:]} {done.stderr[-800:]}")
            broken += bool(problems)
            if problems:
                print(f"{name}, random-seed={seed}: {program.describe()}", *problems, sep="\n  ")
                print("  " + " ".join(command))
    print(f"{runs} runs, {broken} broken")
    sys.exit(broken != 0 or runs == 0)


main()
