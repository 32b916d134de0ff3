#!/usr/bin/env python3
# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures the numbers of the chip table on a GPU: bandwidths, latencies, tensor rates, launch cost, and for
Hopper TMA copies, multicast, mbarriers, clusters and wgmma.

    chip_table.py --build [--output=DIR]     compile the microbenchmarks (needs nvcc)
    chip_table.py [--binaries=DIR] [--results=DIR]

The programs are built where nvcc is, for all chips at once and with the CUDA runtime inside, and run
where the GPU is; without built ones, they are built first. Results: chip.json beside the others in
benchmarks/results/<chip>/, each number with its unit.
"""

import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import record  # noqa: E402

SOURCES = HERE / "microbenchmarks"
BINARIES = SOURCES / "bin"
CHIPS = ("80", "86", "89", "90a")
# Program -> chips it is compiled for; wgmma exists on sm_90a alone, TMA copies and clusters exist on no older chip.
PROGRAMS = {"Memory": CHIPS, "Shared": CHIPS, "Overhead": CHIPS, "Mma": CHIPS}
PROGRAMS |= {"Wgmma": ("90a",), "Bulk": ("90a",), "Clusters": ("90a",)}
HOPPER_ALONE = {program for program, chips in PROGRAMS.items() if chips == ("90a",)}


def find_nvcc():
    home = os.environ.get("CUDA_HOME")
    found = shutil.which("nvcc") or (home and shutil.which("nvcc", path=f"{home}/bin"))
    return found or None


def build(folder):
    nvcc = find_nvcc()
    if not nvcc:
        raise RuntimeError("no nvcc on PATH or under CUDA_HOME to build the microbenchmarks with")
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        for program, chips in PROGRAMS.items():
            source = SOURCES / f"{program}.cu"
            if program == "Wgmma":
                source = pathlib.Path(scratch) / "Wgmma.cu"
                generator = [sys.executable, SOURCES / "generate_wgmma.py"]
                with open(source, "w") as out:
                    subprocess.run(generator, check=True, stdout=out)
            command = [nvcc, "-O3", "-std=c++17", f"-I{SOURCES}", "-o", folder / program, source]
            # The GPU host may have an older C++ library.
            command += ["-Xcompiler=-static-libstdc++,-static-libgcc"]
            for chip in chips:
                command.append(f"-gencode=arch=compute_{chip},code=sm_{chip}")
            if "90a" not in chips or len(chips) > 1:
                # Newer chips translate the newest PTX that is not for one chip alone.
                command.append("-gencode=arch=compute_89,code=compute_89")
            run = subprocess.run(command, capture_output=True, text=True)
            if run.returncode != 0:
                raise RuntimeError(f"nvcc failed on {program}.cu:\n{run.stderr}")


def run_program(path, limit=120):
    """The numbers a program prints, or an error."""
    try:
        run = subprocess.run([path], capture_output=True, text=True, timeout=limit)
    except (OSError, subprocess.TimeoutExpired) as error:
        return [], str(error)
    numbers = [json.loads(line) for line in run.stdout.splitlines() if line.startswith("{")]
    error = None
    if run.returncode != 0:
        lines = run.stderr.strip().splitlines() or ["no message"]
        error = f"exit code {run.returncode}: {lines[0]}"
    return numbers, error


def measure(binaries, results):
    machine = {"gpu": record.gpu(), "commit": record.commit(), "date": record.now()}
    numbers, errors = {}, {}
    for program in PROGRAMS:
        found, error = run_program(binaries / program)
        for number in found:
            numbers[number["name"]] = {"value": number["value"], "unit": number["unit"]}
            print(f"{number['name']:<44}{number['value']:>14.6g} {number['unit']}")
        if error:
            errors[program] = error
            print(f"{program}: {error}", file=sys.stderr)
    if not numbers:
        return 1
    results.mkdir(parents=True, exist_ok=True)
    content = {"machine": machine, "numbers": numbers, "errors": errors}
    (results / "chip.json").write_text(json.dumps(content, indent=1, sort_keys=True) + "\n")
    print(f"written to {results / 'chip.json'}")
    # On other chips than their own they do not run; that is no failure.
    is_hopper = machine["gpu"].get("compute_cap") == "9.0"
    return 1 if set(errors) - (set() if is_hopper else HOPPER_ALONE) else 0


def main(arguments):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--build", action="store_true")
    parser.add_argument("--output", type=pathlib.Path, default=BINARIES)
    parser.add_argument("--binaries", type=pathlib.Path, default=BINARIES)
    parser.add_argument("--results", type=pathlib.Path)
    options = parser.parse_args(arguments)
    try:
        if options.build:
            build(options.output)
            return 0
        if not all((options.binaries / program).exists() for program in PROGRAMS):
            build(options.binaries)
        gpu = record.gpu()
        name = record.folder_name(gpu["name"]) if gpu else "no-gpu"
        folder = options.results or record.ROOT / "benchmarks" / "results" / name
        return measure(options.binaries, folder)
    except RuntimeError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
