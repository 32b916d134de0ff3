#!/usr/bin/env python3
# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles and runs workloads and prints, for each kernel, what was decided, predicted and counted.

    show_workloads.py --tools=build/bin --output=build/demo [--chip=sm_80] [--device=auto] [--force-fusion]
                      [FAMILY/CASE/DTYPE ...]

Without a workload: MCFuser's G1 and Chimera's G2 in f16. Exit code 0 only if every result agrees with
the reference.
"""

import argparse
import json
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "benchmarks" / "workloads"))

import generate  # noqa: E402

DEFAULT = ("gemm_chains_mcfuser/G1/f16", "gemm_chains_chimera/G2/f16")


class ToolError(Exception):
    pass


def run_tool(command, **more):
    try:
        run = subprocess.run(command, capture_output=True, text=True, **more)
    except OSError as error:
        raise ToolError(f"{command[0]}: {error.strerror}") from error
    return run


def write_ptx(tools, module, options, output):
    """fusion-opt to NVVM, fusion-translate to PTX; the PTX is written beside the module."""
    lowered = run_tool([str(tools / "fusion-opt"), str(module), f"--fuse-to-nvvm={options}"])
    if lowered.returncode != 0:
        raise ToolError(lowered.stderr.strip())
    text = run_tool([str(tools / "fusion-translate"), "--fuse-to-ptx"], input=lowered.stdout)
    if text.returncode != 0:
        raise ToolError(text.stderr.strip())
    output.write_text(text.stdout)


def number(value, unit="", digits=0):
    if value is None:
        return "not known"
    # Expressions over named sizes stay text.
    text = value if isinstance(value, str) else f"{value:,.{digits}f}"
    return f"{text} {unit}".strip()


def geometry(extent):
    return "x".join(map(str, extent)) if extent else "1"


def print_kernel(kernel):
    predicted, counters = kernel.get("predicted") or {}, kernel.get("counters") or {}
    shared = number(kernel.get("dynamic_shared_memory"), "bytes")
    print(f"  kernel    {kernel['name']}")
    print(f"  schedule  {kernel.get('schedule') or 'none: the generic lowering'}")
    line = f"grid {geometry(kernel['grid'])}, block {geometry(kernel['block'])}"
    cluster = kernel.get("cluster")
    if cluster and cluster != [1, 1, 1]:
        line += f", cluster {geometry(cluster)}"
    print(f"  launch    {line}, shared memory {shared}")
    line = f"predicted {number(predicted.get('us'), 'us', 2)}"
    if kernel.get("measured_us") is not None:
        line += f", measured {number(kernel['measured_us'], 'us', 2)}"
    print(f"  time      {line}")
    for name in ("load", "store"):
        key = f"global_{name}_bytes"
        line = f"predicted {number(predicted.get(key))}, counted {number(counters.get(key))}"
        print(f"  {name + 's':<10}{line} bytes of global memory")


def show(tools, output, chip, device, force, name):
    """Returns whether the result agrees with the reference."""
    family, case, dtype = name.split("/")
    workload = generate.workload(family, case, dtype)
    module = output / f"{family}-{case}-{dtype}.mlir"
    module.write_text(workload.text)
    inputs = ", ".join("x".join(map(str, shape)) for shape, _ in workload.inputs)
    print(f"{family} {case}: {inputs} in {dtype}, {number(workload.flops)} flop")

    ptx = module.with_suffix(".ptx")
    options = f"chip={chip}" + (" force-fusion=true" if force else "")
    write_ptx(tools, module, options, ptx)
    report = module.with_suffix(".json")
    command = [str(tools / "fusion-run"), str(module), f"--chip={chip}", f"--device={device}"]
    command += [f"--json={report}"] + (["--force-fusion"] if force else [])
    run = run_tool(command)
    # 2: wrong; 3: sanitizer findings. Both leave a report.
    if run.returncode not in (0, 2, 3):
        raise ToolError(run.stderr.strip() or f"fusion-run ended with exit code {run.returncode}")
    agrees = run.returncode == 0
    for function in json.loads(report.read_text()):
        print(f"  device    {function['device']}, code for {function['chip']}")
        for kernel in function["kernels"]:
            print_kernel(kernel)
        errors = (function.get("max_abs_error"), function.get("max_rel_error"))
        errors = [f"{error:.3g}" if error is not None else "not known" for error in errors]
        verdict = "agrees" if function.get("pass") else "DOES NOT AGREE"
        print(f"  result    {verdict}; largest error {errors[0]} absolute, {errors[1]} relative")
        agrees = agrees and bool(function.get("pass"))
    print(f"  PTX       {ptx}\n")
    return agrees


def main(arguments):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tools", type=pathlib.Path, required=True)
    parser.add_argument("--output", type=pathlib.Path, required=True)
    parser.add_argument("--chip", default="sm_80")
    parser.add_argument("--device", default="auto", choices=("auto", "emulator", "cuda"))
    parser.add_argument("--force-fusion", action="store_true")
    parser.add_argument("workloads", nargs="*", default=DEFAULT, metavar="FAMILY/CASE/DTYPE")
    options = parser.parse_args(arguments)
    options.output.mkdir(parents=True, exist_ok=True)
    agrees = True
    try:
        for name in options.workloads:
            if name.count("/") != 2:
                raise ToolError(f"'{name}' is not FAMILY/CASE/DTYPE")
            agrees &= show(
                options.tools.resolve(),
                options.output,
                options.chip,
                options.device,
                options.force_fusion,
                name,
            )
    except (ToolError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0 if agrees else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
