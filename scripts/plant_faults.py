#!/usr/bin/env python3
# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws one-line faults in lib/, plants one at a time, and says which test tier finds it.

    plant_faults.py draw [--seed=N] [--count=N]           writes the faults of a seed to scripts/planted_faults.json
    plant_faults.py show [K …]                            the faults as they are planted today
    plant_faults.py run [--only=K,…] --results=FILE       plants one after the other
    plant_faults.py table --results=FILE                  what was found, as a table

`run` works in the checkout that it stands in, which must be clean: it plants a fault, builds, runs the tiers in their
order until a test fails, and takes the fault back. A fault that does not compile, or that changes nothing ("equivalent"
in the file, with the reason), is left out. The results are a JSON object by number; a run passes over what is in it, so
that it goes on where the last one stopped.
"""

import argparse
import dataclasses
import difflib
import json
import pathlib
import random
import re
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
FAULTS = ROOT / "scripts" / "planted_faults.json"
TIERS = ("smoke", "presubmit", "full")


@dataclasses.dataclass(frozen=True)
class Fault:
    """`line` counts from 1 in `path`, relative to the root."""

    path: str
    line: int
    kind: str
    before: str
    after: str
    # Why it changes nothing that a test could find.
    equivalent: str = ""

    def diff(self):
        return "\n".join(
            difflib.unified_diff([self.before], [self.after], f"{self.path}:{self.line}", self.kind, lineterm="", n=0)
        )


# What a line becomes, by kind: (pattern, replacement). Spaces around an operator tell it from a template's brackets.
COMPARISONS = (
    (r" < ", " <= "), (r" <= ", " < "), (r" > ", " >= "), (r" >= ", " > "), (r" == ", " != "), (r" != ", " == "),
    (r" && ", " || "), (r" \|\| ", " && "),
)  # fmt: skip
BOUNDS = (
    (r"\.size\(\)", ".size() - 1"), (r"std::min\(", "std::max("), (r"std::max\(", "std::min("),
    (r"llvm::divideCeil\(([^(),]+), ", r"llvm::divideCeil(\1 + 1, "), (r"llvm::any_of\(", "llvm::all_of("),
    (r"llvm::all_of\(", "llvm::any_of("), (r"\.drop_front\(\)", ""),
)  # fmt: skip
CONSTANTS = ((r"(?<![\w.\"'])(\d+)(?![\w.\"'])", None),)
CALL = re.compile(r"^\s+[\w.:>\-\[\]]+\([^;{}]*\);$")


def code_of(text):
    """The lines with comments and strings blanked, so that nothing is found in them."""

    def blank(match):
        return re.sub(r"[^\n]", " ", match.group())

    return re.sub(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|R"\w*\(.*?\)\w*"', blank, text, flags=re.S).split("\n")


def faults_of_line(path, number, line, code):
    """All faults of one line."""
    if code.lstrip().startswith(("#", "template", "using ", "static_assert", "assert(", "return failure", "case ")):
        return
    for kind, rules in (("comparison", COMPARISONS), ("bound", BOUNDS), ("constant", CONSTANTS)):
        for pattern, replacement in rules:
            for match in re.finditer(pattern, code):
                new = str(int(match[1]) + 1) if replacement is None else match.expand(replacement)
                yield Fault(path, number, kind, line, line[: match.start()] + new + line[match.end() :])
    if CALL.match(code) and not code.lstrip().startswith(("return", "assert", "EXPECT")):
        indent = line[: len(line) - len(line.lstrip())]
        yield Fault(path, number, "dropped call", line, indent + ";")


def draw(seed, count, root=ROOT):
    """`count` faults: a kind, then a line that has one, each as likely as any other; no two of one file."""
    by_kind = {}
    for path in sorted((root / "lib").rglob("*.cpp")):
        text = path.read_text()
        name = path.relative_to(root).as_posix()
        for number, (line, code) in enumerate(zip(text.split("\n"), code_of(text), strict=True), 1):
            for fault in faults_of_line(name, number, line, code):
                by_kind.setdefault(fault.kind, []).append(fault)
    numbers, faults = random.Random(seed), []
    while len(faults) < count:
        fault = numbers.choice(by_kind[numbers.choice(sorted(by_kind))])
        if all(fault.path != other.path for other in faults):
            faults.append(fault)
    return faults


def find_line(lines, fault):
    """Where in a file of today the line is, from 0: the nearest one to where it was."""
    places = [number for number, line in enumerate(lines) if line == fault.before]
    if not places:
        raise RuntimeError(f"{fault.path} has no line {fault.before.strip()!r} any more")
    return min(places, key=lambda number: abs(number - (fault.line - 1)))


def plant(fault, root=ROOT):
    """Plants a fault; returns what takes it back."""
    path = root / fault.path
    text = path.read_text()
    lines = text.split("\n")
    lines[find_line(lines, fault)] = fault.after
    path.write_text("\n".join(lines))
    return lambda: path.write_text(text)


def first_failure(output):
    """The first failed test that a run's summary names."""
    match = re.search(r"FAILED: (.*)", output)
    return match[1].strip() if match else "no test is named"


def try_tiers(tiers):
    """Which tier finds what is planted, by which test, and the seconds of all that were run."""
    started = time.monotonic()
    for tier in tiers:
        run = subprocess.run(
            [ROOT / "scripts" / "test", "--no-build", f"--tier={tier}", "--fail-fast"], capture_output=True, text=True
        )
        if run.returncode != 0:
            return {"tier": tier, "test": first_failure(run.stdout), "seconds": round(time.monotonic() - started)}
    return {"tier": None, "seconds": round(time.monotonic() - started)}


def judge(fault, tiers):
    if fault.equivalent:
        return {"left_out": "equivalent: " + fault.equivalent}
    try:
        undo = plant(fault)
    except RuntimeError as error:
        return {"left_out": str(error)}
    try:
        build = subprocess.run([ROOT / "scripts" / "build"], capture_output=True, text=True)
        if build.returncode != 0:
            return {"left_out": "does not compile"}
        return try_tiers(tiers)
    finally:
        undo()


def run(faults, chosen, tiers, path):
    changed = subprocess.run(["git", "-C", ROOT, "status", "--porcelain", "--", "lib"], capture_output=True, text=True, check=True)
    if changed.stdout:
        sys.exit(f"lib/ is not as it was committed:\n{changed.stdout}")
    results = json.loads(path.read_text()) if path.exists() else {}
    for number in chosen or range(len(faults)):
        if str(number) not in results:
            results[str(number)] = judge(faults[number], tiers)
            path.write_text(json.dumps(results, indent=1) + "\n")
        print(row(number, faults[number], results[str(number)]), flush=True)
    subprocess.run([ROOT / "scripts" / "build"], capture_output=True)


def row(number, fault, result):
    found = result.get("left_out") or result["tier"] or "not found"
    return f"| {number} | {fault.kind} | `{fault.path}:{fault.line}` | {found} | {result.get('test', '')} |"


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("draw", "show", "run", "table"))
    parser.add_argument("numbers", nargs="*", type=int)
    parser.add_argument("--seed", type=int, default=41)
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--only", type=lambda text: [int(number) for number in text.split(",")])
    parser.add_argument("--tiers", default=",".join(TIERS))
    parser.add_argument("--results", type=pathlib.Path)
    options = parser.parse_args(arguments)
    if options.what == "draw":
        drawn = [dataclasses.asdict(fault) for fault in draw(options.seed, options.count)]
        FAULTS.write_text(json.dumps(drawn, indent=1) + "\n")
        return 0
    faults = [Fault(**fields) for fields in json.loads(FAULTS.read_text())]
    if options.what == "show":
        for number in options.numbers or range(len(faults)):
            lines = (ROOT / faults[number].path).read_text().split("\n")
            print(f"{number}: {dataclasses.replace(faults[number], line=find_line(lines, faults[number]) + 1).diff()}")
        return 0
    if not options.results:
        parser.error(f"{options.what} needs --results=FILE")
    if options.what == "run":
        run(faults, options.only, options.tiers.split(","), options.results)
        return 0
    print("| | kind | line | found by | first test |\n|--:|---|---|---|---|")
    for number, result in json.loads(options.results.read_text()).items():
        print(row(number, faults[int(number)], result))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
