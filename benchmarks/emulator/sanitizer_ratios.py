#!/usr/bin/env python3
# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What --sanitize costs on every launch of the emulator's corpus.

    sanitizer_ratios.py [--tool=build/bin/emulator-sanitizer-ratios] [--kernels=PATTERN] [--above=2.6] [--repeat=1]

Prints a table of the sources (launches, sum of sanitized over sum of plain CPU time, median and largest
ratio of a launch) and the launches whose ratio is above a limit. Times are the least of many interleaved
launches, so that what else the machine does counts in neither. With --repeat=N a launch counts with the median
of N such ratios.
"""

import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]


def measure(tool, folder, repeat):
    """[(source, kernel, plain, sanitized, ratio)] of the launches written to `folder`."""
    entries = json.loads((folder / "index.json").read_text())
    rows = []
    for ptx in dict.fromkeys(entry["ptx"] for entry in entries):
        launches = [entry["launch"] for entry in entries if entry["ptx"] == ptx]
        command = [tool, ptx, *launches]
        texts = [subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout for _ in range(repeat)]
        for lines in zip(*(text.splitlines() for text in texts)):
            runs = sorted((line.split() for line in lines), key=lambda words: float(words[-1]))
            kernel, _, _, plain, _, sanitized, _, ratio = runs[len(runs) // 2]
            rows.append((pathlib.Path(ptx).stem, kernel, float(plain), float(sanitized), float(ratio)))
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tool", default=str(ROOT / "build/bin/emulator-sanitizer-ratios"))
    parser.add_argument("--kernels", default="*")
    parser.add_argument("--above", type=float, default=2.6)
    parser.add_argument("--repeat", type=int, default=1)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        subprocess.run([sys.executable, "-m", "cases", temporary, arguments.kernels], check=True,
                       cwd=ROOT / "test/Emulator/corpus")
        rows = measure(arguments.tool, pathlib.Path(temporary), arguments.repeat)
    print("| source | launches | sum | median | largest |")
    print("|---|---|---|---|---|")
    for source in [*dict.fromkeys(row[0] for row in rows), None]:
        own = [row for row in rows if source in (None, row[0])]
        total = sum(row[3] for row in own) / sum(row[2] for row in own)
        ratios = [row[4] for row in own]
        print(f"| {source or 'all'} | {len(own)} | {total:.2f} | {statistics.median(ratios):.2f} | {max(ratios):.2f} |")
    print()
    for source, kernel, plain, sanitized, ratio in sorted(rows, key=lambda row: -row[4]):
        if ratio > arguments.above:
            print(f"{source} {kernel}: {plain:.1f} us, sanitized {sanitized:.1f} us, ratio {ratio:.2f}")


if __name__ == "__main__":
    main()
