#!/usr/bin/env python3
# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws one-line faults in lib/, plants one at a time, and says which test tier finds it.

    plant_faults.py list [--seed=N] [--count=N]          the faults of a seed
    plant_faults.py show K …                             one of them as a diff
    plant_faults.py run [--first=K] [--last=K] --results=FILE …

`run` works in the checkout that it stands in, which must be clean: it plants a fault, builds, runs the tiers in their
order until a test fails, and takes the fault back. A fault that does not compile, or that a person has found to change
nothing (--equivalent=FILE: lines "K reason"), is left out with the reason. The results are a JSON object by number and
go on where they stopped.
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
TIERS = ("smoke", "presubmit", "full")


@dataclasses.dataclass(frozen=True)
class Fault:
    """`line` counts from 1 in `path`, relative to the root."""

    path: str
    line: int
    kind: str
    before: str
    after: str

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


def plant(fault, root=ROOT):
    """Plants a fault; returns what takes it back."""
    path = root / fault.path
    text = path.read_text()
    lines = text.split("\n")
    if lines[fault.line - 1] != fault.before:
        raise RuntimeError(f"{fault.path}:{fault.line} is not what it was when the faults were drawn")
    lines[fault.line - 1] = fault.after
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
    undo = plant(fault)
    try:
        build = subprocess.run([ROOT / "scripts" / "build"], capture_output=True, text=True)
        if build.returncode != 0:
            return {"left_out": "does not compile"}
        return try_tiers(tiers)
    finally:
        undo()


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("list", "show", "run"))
    parser.add_argument("number", nargs="?", type=int)
    parser.add_argument("--seed", type=int, default=41)
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--last", type=int)
    parser.add_argument("--tiers", default=",".join(TIERS))
    parser.add_argument("--equivalent", type=pathlib.Path)
    parser.add_argument("--results", type=pathlib.Path)
    options = parser.parse_args(arguments)
    faults = draw(options.seed, options.count)
    if options.what == "list":
        for number, fault in enumerate(faults):
            print(f"{number:3} {fault.kind:<13}{fault.path}:{fault.line}  {fault.after.strip()}")
        return 0
    if options.what == "show":
        print(faults[options.number or 0].diff())
        return 0
    if not options.results:
        parser.error("run needs --results=FILE")
    results = json.loads(options.results.read_text()) if options.results.exists() else {}
    equivalent = {}
    if options.equivalent:
        for line in options.equivalent.read_text().splitlines():
            number, _, reason = line.partition(" ")
            equivalent[number] = reason
    for number, fault in list(enumerate(faults))[options.first : options.last]:
        key = str(number)
        if key not in results:
            reason = equivalent.get(key)
            results[key] = {"left_out": reason} if reason else judge(fault, options.tiers.split(","))
            results[key] |= {"fault": fault.diff()}
            options.results.write_text(json.dumps(results, indent=1) + "\n")
        found = results[key]
        print(f"{number:3} {fault.path}:{fault.line}: {found.get('left_out') or found['tier'] or 'not found'}"
              f" {found.get('test', '')}", flush=True)  # fmt: skip
    subprocess.run([ROOT / "scripts" / "build"], capture_output=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
