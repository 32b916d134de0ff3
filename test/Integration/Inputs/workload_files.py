# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Chains of contractions from the workload generator, for the checks beside this file."""

import pathlib
import subprocess
import sys


def add_arguments(parser):
    """Which workloads; what else is on the command line goes to the generator."""
    parser.add_argument("root", type=pathlib.Path, help="the source tree")
    parser.add_argument("folder", type=pathlib.Path, help="for the files that are made")
    parser.add_argument("--family")
    parser.add_argument("--chains", default="", metavar="M,K,N,H:M,K,N,H...")
    parser.add_argument("--dtype", default="f16")


def select(arguments, generator):
    """Pairs of a name and the generator's arguments."""
    if not arguments.family:
        for sizes in arguments.chains.split(":"):
            yield sizes.replace(",", "x"), ["--chain", sizes]
        return
    listed = subprocess.run(
        [sys.executable, generator, "--list"], check=True, capture_output=True, text=True
    ).stdout
    family = None
    for line in listed.splitlines():
        if not line.startswith(" "):
            family = line.strip()
        elif family == arguments.family:
            case = line.split()[0]
            yield case, ["--family", family, "--case", case]


def make(arguments, rest):
    """Writes the modules; yields a name and a path for each. At least one, or it is an error."""
    arguments.folder.mkdir(parents=True, exist_ok=True)
    generator = str(arguments.root / "benchmarks/workloads/generate.py")
    count = 0
    for name, words in select(arguments, generator):
        source = arguments.folder / f"{name}.mlir"
        command = [sys.executable, generator, *words, "--dtype", arguments.dtype, *rest, "-o", source]
        subprocess.run(command, check=True)
        count += 1
        yield name, source
    if count == 0:
        sys.exit(f"no workload of family {arguments.family!r}")
