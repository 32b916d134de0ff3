#!/usr/bin/env python3
# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Builds the libFuzzer targets, with the address and undefined-behaviour sanitizers, and runs them.

    run.py --build=FOLDER [--runs=100000] [--seed=1] [--jobs=2] [ptx|launch]...

The build folder is kept, so that the next run compiles only what has changed. A line for each target says
how many inputs it had; an input that crashes or takes more than 20 seconds is written to the folder's
`findings` and ends the run with exit code 1.
"""

import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
LEAST = {"ptx": 4096, "launch": 1024}


def longest(name):
    """Bytes of the longest input: a seed that is longer would be cut."""
    seeds = (ROOT / "fuzz" / "seeds" / name).iterdir()
    return max(LEAST[name], *(path.stat().st_size for path in seeds))


def build(folder, targets, jobs):
    cache = folder / "CMakeCache.txt"
    # To configure again could mean another compiler by the same name, for which CMake drops all options.
    configured = cache.exists() and "FUSION_FUZZ:BOOL=ON" in cache.read_text()
    if not configured:
        shutil.rmtree(folder, ignore_errors=True)
    configure = [
        "cmake", "-G", "Ninja", "-S", ROOT, "-B", folder, "-DFUSION_FUZZ=ON", "-DFUSION_BUILD_TESTS=OFF",
        "-DCMAKE_BUILD_TYPE=RelWithDebInfo", "-DCMAKE_C_COMPILER=clang-22", "-DCMAKE_CXX_COMPILER=clang++-22",
        "-DCMAKE_EXE_LINKER_FLAGS=-fuse-ld=lld-22",
    ]
    if shutil.which("ccache"):
        launcher = f"env;CCACHE_BASEDIR={ROOT};CCACHE_NOHASHDIR=1;CCACHE_SLOPPINESS=pch_defines,time_macros;ccache"
        configure += [f"-DCMAKE_{language}_COMPILER_LAUNCHER={launcher}" for language in ("C", "CXX")]
    for command in ([] if configured else [configure]) + [["ninja", "-C", folder, f"-j{jobs}", *targets]]:
        answer = subprocess.run(command, capture_output=True, text=True)
        if answer.returncode != 0:
            sys.exit(f"{answer.stdout[-4000:]}{answer.stderr[-4000:]}\nerror: no fuzzers: the build failed")


def fuzz(folder, name, runs, seed):
    """Whether all inputs were fine."""
    found, grown = folder / "findings", folder / "corpus" / name
    found.mkdir(exist_ok=True)
    # What another run found interesting would make this one a different one.
    shutil.rmtree(grown, ignore_errors=True)
    grown.mkdir(parents=True)
    command = [
        folder / "bin" / f"{name}-fuzzer", f"-runs={runs}", f"-seed={seed}", f"-max_len={longest(name)}", "-timeout=20",
        "-rss_limit_mb=4096", f"-artifact_prefix={found}/{name}-", "-print_final_stats=1", grown,
        ROOT / "fuzz" / "seeds" / name,
    ]
    start = time.monotonic()
    answer = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    done = re.search(r"stat::number_of_executed_units:\s*(\d+)", answer.stderr)
    if answer.returncode != 0 or not done or int(done[1]) < runs:
        print(f"{name}: FAILED after {done[1] if done else '?'} inputs\n{answer.stderr[-8000:]}")
        return False
    covered = re.findall(r"cov: (\d+)", answer.stderr)
    print(
        f"{name}: {done[1]} inputs, seed {seed}, {covered[-1] if covered else '?'} edges covered, "
        f"{time.monotonic() - start:.0f} s: no crash, no timeout, no finding of the sanitizers"
    )
    return True


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--runs", type=int, default=100000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("targets", nargs="*", metavar="ptx|launch")
    arguments = parser.parse_args()
    if not set(arguments.targets) <= set(LEAST):
        parser.error("the targets are " + " and ".join(LEAST))
    names = arguments.targets or list(LEAST)
    build(arguments.build.resolve(), [f"{name}-fuzzer" for name in names], arguments.jobs)
    results = [fuzz(arguments.build.resolve(), name, arguments.runs, arguments.seed) for name in names]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
