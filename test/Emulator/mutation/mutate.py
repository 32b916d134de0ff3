#!/usr/bin/env python3
# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Breaks the synchronisation of PTX kernels, one instruction at a time, and asks whether
fusion-emulate notices.

    mutate.py FOLDER/index.json... --emulate=build/bin/fusion-emulate [--accepted=FILE] [--state=FILE]
              [--kernel=PATTERN,...] [--operation=PATTERN,...] [--jobs=2] [--list] [--print]

An index (`python3 -m cases` and compiler_cases.py write them) is a JSON array of objects with `kernel`,
`case`, `ptx`, `launch` and optionally `varies` (results depend on the schedule), `swizzles` (all addresses
that it computes are used) and `name` (what the kernel is called here, where several texts have one of that
name). A mutant that one case
does not catch may be caught by the next case of its kernel.

A mutant has one barrier, wait, commit, fence or expect_tx taken out, moved or weakened: mutants.py lists the
operations; or one swizzle taken for another (swizzles.py). It is caught when `--sanitize --schedules=8` gives
a finding, an error at run time, or another result than the kernel itself. What survives must be a line of the
accepted file:

    KERNEL SITE OPERATION | INSTRUCTION | why it is harmless

where INSTRUCTION may be its beginning (which register its guard is does not count), and the first three may be several: `a,b 3,5-7 remove,up-1..4`. SITE
counts the kernel's synchronising instructions from 0, and with a letter what has a swizzle. Lines of kernels
that were mutated and that name no survivor are errors too. `--state` keeps what was found, so that a run can go on where it was
stopped; it is valid for one emulator and one text only and checks both.
"""

import argparse
import concurrent.futures
import fnmatch
import hashlib
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import threading

import swizzles
from mutants import mutants
from statements import Body

UNSUPPORTED = re.compile("unknown or unsupported instruction|not supported yet")


class Runner:
    def __init__(self, entry, emulate, schedules):
        self.entry, self.emulate, self.schedules = entry, emulate, schedules
        self.launch = pathlib.Path(entry["launch"])
        self.arguments = json.loads(self.launch.read_text()).get("arguments", [])
        self.results = sorted({of["write_back"] for a in self.arguments for of in (a, a.get("tensor_map", {})) if "write_back" in of})
        self.expected = None

    def run(self, text, schedules, swizzle=None):
        """(exit code, buffers afterwards, messages). `swizzle`: an argument, and what its tensor map has then."""
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            for path in self.launch.parent.iterdir():
                # What is written over must not be the file itself.
                if path.is_file():
                    place = folder / path.name
                    shutil.copy(path, place) if path.name in self.results else place.symlink_to(path)
            (folder / "mutant.ptx").write_text(text)
            launch = json.loads(self.launch.read_text())
            if swizzle:
                argument, name = swizzle
                launch["arguments"][argument]["tensor_map"]["swizzle"] = name
            (folder / "mutant.json").write_text(json.dumps(launch))
            command = [
                self.emulate, folder / "mutant.ptx", f"--launch={folder / 'mutant.json'}", "--sanitize",
                f"--schedules={schedules}", "--instruction-limit=3000000", "--threads=1", "--json=-",
            ]
            try:
                answer = subprocess.run(command, capture_output=True, text=True, timeout=600)
            except subprocess.TimeoutExpired:
                return 1, {}, "(kernel timeout)"
            after = {}
            if answer.returncode in (0, 3):
                after = {n: hashlib.sha256((folder / n).read_bytes()).hexdigest() for n in self.results}
            return answer.returncode, after, answer.stderr

    def check(self, text):
        """None, or why the kernel itself is no good."""
        code, self.expected, messages = self.run(text, self.schedules)
        return None if code == 0 or self.entry.get("varies") and code == 3 else messages

    def verdict(self, text, swizzle=None):
        # Most mutants fall at once.
        for schedules in (1, self.schedules):
            code, after, messages = self.run(text, schedules, swizzle)
            if code == 3:
                findings = re.findall(r": ([a-z-]+): ", messages)
                if self.entry.get("varies"):
                    findings = [f for f in findings if f != "schedule-dependent"]
                if findings:
                    return f"caught: {findings[0]}"
            elif code == 1:
                if swizzle and "(kernel " not in messages:
                    return "caught: refused"
                if "(kernel " not in messages:
                    return f"broken: {messages.strip()}"
                kind = re.search(r"error: ([^:(]*)", messages)
                return f"caught: {kind.group(1).strip() if kind else 'error'}"
            elif code != 0:
                return f"broken: exit code {code}"
            if not self.entry.get("varies") and after != self.expected:
                return "caught: wrong result"
        return "survived"


def sites_of(text):
    """The sites of "1,4-6,a2"."""
    found = []
    for part in text.split(","):
        letter, first, last = re.fullmatch(r"([a-z]?)(\d+)(?:-(\d+))?", part).groups()
        found.extend(f"{letter}{n}" for n in range(int(first), int(last or first) + 1))
    return found


def operations(text):
    """The names of "remove,up-1..3"."""
    found = []
    for part in text.split(","):
        match = re.fullmatch(r"(.*-)(\d+)\.\.(\d+)", part)
        found.extend(f"{match[1]}{n}" for n in range(int(match[2]), int(match[3]) + 1)) if match else found.append(part)
    return found


def guarded(instruction):
    """Without the number of the guard's register: other code of the kernel decides on that."""
    return re.sub(r"^(@!?)%p\d+", r"\1%p", instruction)


def read_accepted(path):
    """{mutant: how its instruction begins}."""
    accepted = {}
    for line in pathlib.Path(path).read_text().splitlines() if path else ():
        if not line.strip() or line.startswith("#"):
            continue
        parts = [part.strip() for part in line.split("|")]
        if len(parts) != 3 or not parts[2] or len(parts[0].split()) != 3:
            raise SystemExit(f"error: {path}: '{line}' gives no reason")
        kernels, sites, names = parts[0].split()
        for kernel in kernels.split(","):
            for site in sites_of(sites):
                for name in operations(names):
                    label = f"{kernel} {site} {name}"
                    if label in accepted:
                        raise SystemExit(f"error: {path}: '{label}' is there twice")
                    accepted[label] = guarded(parts[1])
    return accepted


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("index", nargs="+")
    parser.add_argument("--emulate", required=True)
    parser.add_argument("--accepted")
    parser.add_argument("--state")
    parser.add_argument("--kernel", default="*")
    parser.add_argument("--operation", default="*")
    parser.add_argument("--without", help="leaves out kernels whose text matches this regular expression")
    parser.add_argument("--schedules", type=int, default=8)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--list", action="store_true", help="names the mutants and runs none")
    parser.add_argument("--print", action="store_true", help="prints the mutants and runs none")
    arguments = parser.parse_args()
    arguments.emulate = shutil.which(arguments.emulate) or arguments.emulate

    entries = {}
    for index in arguments.index:
        for entry in json.loads(pathlib.Path(index).read_text()):
            name = entry.get("name", entry["kernel"])
            if any(fnmatch.fnmatch(name, pattern) for pattern in arguments.kernel.split(",")):
                entries.setdefault(name, []).append(entry)

    known, state = {}, None
    stamp = hashlib.sha256(pathlib.Path(arguments.emulate).read_bytes()).hexdigest()[:16]
    if arguments.state:
        path = pathlib.Path(arguments.state)
        if path.exists():
            for line in path.read_text().splitlines():
                key, _, verdict = line.partition("\t")
                known[key] = verdict
        state = path.open("a")

    accepted = read_accepted(arguments.accepted)
    failures, survivors, lock, counts = [], {}, threading.Lock(), {}
    pool = concurrent.futures.ThreadPoolExecutor(arguments.jobs)

    def mutate(name, runners, site, operation, text, instruction, swizzle=None):
        launches = b"".join(runner.launch.read_bytes() for runner in runners) + str(swizzle or "").encode()
        key = hashlib.sha256(f"{stamp} {name} {text} {arguments.schedules}".encode() + launches).hexdigest()
        verdict = known.get(key)
        for runner in runners if verdict is None else ():
            verdict = runner.verdict(text, swizzle)
            if verdict != "survived":
                break
        with lock:
            if state and key not in known:
                state.write(f"{key}\t{verdict}\n".replace("\n", " ").rstrip() + "\n")
                state.flush()
            if verdict.startswith("broken") and "is not defined" in verdict:
                verdict = "no mutant: a name would be used before its scope"
            counts[verdict] = counts.get(verdict, 0) + 1
            label = f"{name} {site} {operation}"
            if verdict == "survived":
                survivors[label] = instruction
            elif verdict.startswith("broken"):
                failures.append(f"{label} | {instruction}: {verdict}")

    futures = []
    for name, cases in sorted(entries.items()):
        text = pathlib.Path(cases[0]["ptx"]).read_text()
        body = Body(text, cases[0]["kernel"])
        if not body.sites or (arguments.without and re.search(arguments.without, body.text(body.statements))):
            continue
        plain = body.text(body.statements)
        launched = json.loads(pathlib.Path(cases[0]["launch"]).read_text()).get("arguments", [])
        made = [
            *((site, operation, mutant, body.statements[at].text)
              for site, at in enumerate(body.sites) for operation, mutant in mutants(body, at).items()),
            *swizzles.of_descriptors(body),
            *(swizzles.of_addresses(body) if cases[0].get("swizzles") else ()),
            *((site, operation, plain, what, swizzle) for site, operation, swizzle, what in swizzles.of_maps(launched)),
        ]  # fmt: skip
        made = [each for each in made if any(fnmatch.fnmatch(each[1], pattern) for pattern in arguments.operation.split(","))]
        for site, operation, mutant, instruction, *_ in made if arguments.list or arguments.print else ():
            print(f"{name} {site} {operation} | {instruction}")
            if arguments.print:
                print(mutant)
        if arguments.list or arguments.print:
            continue
        runners = [Runner(entry, arguments.emulate, arguments.schedules) for entry in cases]
        problems = [problem for problem in pool.map(lambda runner: runner.check(plain), runners) if problem]
        if problems and UNSUPPORTED.search(problems[0]):
            print(f"skipped: {name}: {problems[0].strip().splitlines()[0]}")
            continue
        if problems:
            failures.append(f"{name}: the kernel itself has findings:\n{problems[0]}")
            continue
        for each in made:
            futures.append(pool.submit(mutate, name, runners, *each))
    for future in futures:
        future.result()

    if arguments.list or arguments.print:
        return 0
    total = sum(counts.values())
    for verdict, count in sorted(counts.items(), key=lambda item: -item[1]):
        print(f"{count:6} {verdict[:100]}")
    unexplained = [
        f"{label} | {instruction}" for label, instruction in sorted(survivors.items())
        if label not in accepted or not guarded(instruction).startswith(accepted[label])
    ]
    for line in unexplained:
        print(f"unexplained survivor: {line} |")
    for line in failures:
        print(f"error: {line}")
    stale = []
    if arguments.operation == "*":
        stale = [l for l in accepted if l.split()[0] in entries and l not in survivors]
        for label in stale:
            print(f"error: accepted, but does not survive: {label}")
    print(f"{total} mutants of {len(entries)} kernels, {len(survivors)} survive, {len(unexplained)} unexplained")
    return 1 if failures or stale or unexplained else 0


if __name__ == "__main__":
    sys.exit(main())
