#!/usr/bin/env python3
# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the emulator counts of each space's and model's choice, as Markdown.

    emulated.py [--fusion-run=build/bin/fusion-run] [--chip=sm_80] [FAMILY:CASE ...]

A table for each workload: kilobytes loaded from global memory, sectors of L2, wavefronts of shared memory, instructions and
barriers, all of the whole launch, beside the time that our model predicts. Every result is compared with the reference.
"""

import argparse
import itertools
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
MODELS = ("default", "mcfuser", "chimera-printed", "chimera-obs2", "alcop")
PIPELINE = (
    "builtin.module(fuse-to-unscheduled-groups{{chip={chip} force-fusion=true}},"
    "fuse-search-schedules{{chip={chip} space={space} model={model} report={report}}},"
    "tile-pipeline,tile-to-nvvm)"
)


def emulate(arguments, source, folder, space, model):
    """The schedule in the report and the counters, summed over launches."""
    report, result = folder / "report.json", folder / "run.json"
    pipeline = PIPELINE.format(chip=arguments.chip, space=space, model=model, report=report)
    subprocess.run(
        [arguments.fusion_run, source, "--device=emulator", f"--chip={arguments.chip}", f"--json={result}",
         f"--pass-pipeline={pipeline}"], check=True, stdout=subprocess.DEVNULL,
    )  # fmt: skip
    (function,) = json.loads(result.read_text())
    if not function["pass"]:
        sys.exit(f"{source}: wrong result in space {space} under {model}")
    (group,) = json.loads(report.read_text())["groups"]
    counters = {}
    for kernel in function["kernels"]:
        for name, count in kernel["counters"].items():
            counters[name] = counters.get(name, 0) + count
    return group["ranking"][0], counters


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fusion-run", default=str(ROOT / "build" / "bin" / "fusion-run"))
    parser.add_argument("--chip", default="sm_80")
    parser.add_argument("workloads", nargs="*", default=["gemm_chains_mcfuser:G1", "gemm_chains_mcfuser:G4"])
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for workload in arguments.workloads:
            family, case = workload.split(":")
            source = folder / f"{case}.mlir"
            subprocess.run(
                [sys.executable, ROOT / "benchmarks" / "workloads" / "generate.py", f"--family={family}",
                 f"--case={case}", "-o", source], check=True,
            )  # fmt: skip
            print(f"<!-- {workload} -->")
            print("| space | model | schedule | us by ours | loaded, kB | sectors | wavefronts | instructions | barriers |")
            print("|---|---|---|---:|---:|---:|---:|---:|---:|")
            for space, model in itertools.product(("default", "paper", "chimera"), MODELS):
                chosen, counters = emulate(arguments, source, folder, space, model)
                tiles = " ".join(f"{axis}={tile}" for axis, tile in chosen["tiles"].items())
                print(
                    f"| `{space}` | `{model}` | `{chosen['tiling']}`, {tiles}, {chosen['warps']} warps "
                    f"| {chosen['cost']['total_us']:.1f} | {counters['global_load_bytes'] / 1000:.0f} "
                    f"| {counters['global_sectors']} | {counters['shared_wavefronts']} | {counters['instructions']} "
                    f"| {counters['barriers']} |", flush=True,
                )  # fmt: skip
            print()


if __name__ == "__main__":
    main()
