#!/usr/bin/env python3
# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What pipelining is predicted to gain, as Markdown tables (ALCOP sections I and V).

    ablation.py --bin=build/bin [--chip=sm_80] [-o docs/pipelining-tables.md]

For each chain and each contraction of ALCOP's operators: the time of the best schedule without pipelining, with
two stages,
with any number, and with the register level as well. Then tile against stages for one product (figure 1b).
"""

import argparse
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "test" / "Integration" / "Inputs"))
from hand_schedule import generate, lower, schedule  # noqa: E402

GENERATOR = ROOT / "benchmarks" / "workloads" / "generate.py"
FAMILIES = ("gemm_chains_mcfuser", "gemm_chains_chimera", "operators_alcop")
LEVELS = ((1, 1), (2, 1), (8, 1), (8, 2))
NAMES = ("none", "two-stage", "multi-stage", "multi-level")
TILES = ((32, 32), (64, 32), (64, 64), (128, 64), (128, 128), (256, 64), (256, 128))
STAGES = (1, 2, 3, 4, 5, 6)


def cases():
    listing = subprocess.run([sys.executable, GENERATOR, "--list"], check=True, capture_output=True, text=True).stdout
    family = None
    for line in listing.splitlines():
        if not line.startswith(" "):
            family = line.strip()
        elif family in FAMILIES:
            yield family, line.split()[0]


def predict(path, chip, stages, registers):
    """Microseconds of the kernels, or None where none has a schedule."""
    passes = (
        f"fuse-to-unscheduled-groups{{chip={chip} force-fusion=true}},"
        f"fuse-search-schedules{{max-stages={stages} max-register-stages={registers}}}"
    )
    done = subprocess.run(
        ["fusion-opt", path, f"--pass-pipeline=builtin.module({passes})", "--remarks-filter=fuse", "-o", os.devnull],
        check=True, capture_output=True, text=True,
    )  # fmt: skip
    times = [float(us) for us in re.findall(r"predicted ([\d.]+) us, bound", done.stderr)]
    return sum(times) if times else None


def mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def ablation(chip, folder, write):
    write(f"| workload | {' | '.join(NAMES)} | gain |")
    write("|---|" + "---:|" * (len(NAMES) + 1))
    ratios = [[] for _ in LEVELS]
    for family, case in cases():
        path = os.path.join(folder, case + ".mlir")
        subprocess.run([sys.executable, GENERATOR, f"--family={family}", f"--case={case}", "-o", path], check=True)
        times = [predict(path, chip, *level) for level in LEVELS]
        assert None not in times, f"{family} {case} has no schedule"
        for ratio, time in zip(ratios, times):
            ratio.append(times[0] / time)
        write(f"| {family} {case} | {' | '.join(f'{time:.2f}' for time in times)} | {times[0] / times[-1]:.2f} |")
    write(f"| geometric mean of the gains | {' | '.join(f'{mean(ratio):.3f}' for ratio in ratios)} | |")


def heat_map(chip, folder, write):
    write("| tile m × n (k = 32) | " + " | ".join(map(str, STAGES)) + " |")
    write("|---|" + "---:|" * len(STAGES))
    path = os.path.join(folder, "product")
    groups = generate(path, "--chain=2048,2048,2048", "--2d", chip=chip)
    for m, n in TILES:
        row = []
        for stages in STAGES:
            text = schedule(
                tiling="mn(k(LA,LB,CC),SC)", tiles=dict(m=m, n=n, k=32), blocks=["m", "n"],
                maps=dict(C=("m", "n", "k", "[2, 4]" if m * n > 4096 else "[2, 2]")),
                places=dict(A="shared, async16", B="shared, async16", C="registers"),
                stages=dict(A=stages, B=stages), registers=2, warps=8 if m * n > 4096 else 4,
            )  # fmt: skip
            try:
                lower(path, groups, text)
            except SystemExit as refused:
                (why,) = re.findall(r"schedule cannot be lowered: ([^\n]*)", str(refused))[:1] or [None]
                assert why and ("shared memory" in why or "registers" in why), refused
                row.append("–")
                continue
            with open(path + ".json") as file:
                (kernel,) = json.load(file)["kernels"]
            row.append(f"{kernel['predicted']['us']:.1f}")
        write(f"| {m} × {n} | {' | '.join(row)} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--chip", default="sm_80")
    parser.add_argument("-o", "--output", type=pathlib.Path)
    arguments = parser.parse_args()
    os.environ["PATH"] = str(arguments.bin.resolve()) + os.pathsep + os.environ["PATH"]
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        lines.append(f"Predicted microseconds of the best schedule, {arguments.chip}, f16:\n")
        ablation(arguments.chip, folder, lines.append)
        lines.append(f"\nPredicted microseconds of a product of 2048³ by tile and stages, {arguments.chip}, f16:\n")
        heat_map(arguments.chip, folder, lines.append)
    text = "\n".join(lines) + "\n"
    if arguments.output:
        arguments.output.write_text(text)
    else:
        print(text, end="")


if __name__ == "__main__":
    main()
