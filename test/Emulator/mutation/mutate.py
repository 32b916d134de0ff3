#!/usr/bin/env python3
# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Breaks the synchronisation of PTX kernels, one instruction at a time, and asks whether
fusion-emulate notices.

    mutate.py FOLDER/index.json... --emulate=build/bin/fusion-emulate [--accepted=FILE] [--state=FILE]
              [--kernel=PATTERN,...] [--jobs=2] [--list]

An index (`python3 -m cases` and compiler_cases.py write them) is a JSON array of objects with `kernel`,
`case`, `ptx`, `launch` and optionally `varies` (results depend on the schedule) and `name` (what the
kernel is called here, where several texts have one of that name). A mutant that one case
does not catch may be caught by the next case of its kernel.

A mutant has one barrier, wait, commit, fence or expect_tx
    remove        taken out
    up, down      moved before, after the memory instructions beside it
    not-first     left out the first time a loop comes by
    only-first    left out every time but the first
    more          allowing one more group (wait_group N) to be pending
and is caught when `--sanitize --schedules=8` gives a finding, an error at run time, or another result
than the kernel itself. What survives must be a line of the accepted file:

    KERNEL SITE OPERATION | INSTRUCTION | why it is harmless

SITE counts the kernel's synchronising instructions from 0. Lines of kernels that were mutated and that
name no survivor are errors too. `--state` keeps what was found, so that a run can go on where it was
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

SYNC = re.compile(
    r"(@!?%\w+\s+)?(bar|barrier|membar|fence|cp\.async\.(commit_group|wait_group|wait_all|mbarrier)|"
    r"cp\.async\.bulk\.(commit_group|wait_group)|wgmma\.(fence|commit_group|wait_group)|"
    r"mbarrier\.(arrive|expect_tx|complete_tx|test_wait|try_wait)|griddepcontrol)\b[^;]*;"
)
MEMORY = re.compile(
    r"(@!?%\w+\s+)?(ld|st|atom|red|ldmatrix|stmatrix|wgmma\.mma_async|wmma\.(load|store)|"
    r"cp\.async\.(ca|cg|bulk))\b(?!\.param|\.local|\.const|\.commit|\.wait)"
)
LABEL = re.compile(r"\s*([$\w]+):")
BRANCH = re.compile(r"\s*(@!?%\w+\s+)?(bra(\.uni)?\s+([$\w]+)|brx|ret|exit|call)")
UNSUPPORTED = re.compile("unknown or unsupported instruction|not supported yet")
OPERATIONS = ("remove", "up", "down", "not-first", "only-first", "more")


class Kernel:
    """The lines of an entry with its synchronising instructions."""

    def __init__(self, text, name):
        self.lines = text.split("\n")
        start = next(
            (i for i, line in enumerate(self.lines) if re.search(rf"\.entry\s+{re.escape(name)}\b", line)), None
        )
        if start is None:
            raise SystemExit(f"error: no kernel '{name}'")
        depth, self.first = 0, None
        for i in range(start, len(self.lines)):
            line = self.lines[i].split("//")[0]
            depth += line.count("{") - line.count("}")
            if self.first is None and "{" in line:
                self.first = i
            if self.first is not None and depth == 0:
                self.last = i
                break
        self.sites = [i for i in range(self.first, self.last) if SYNC.match(self.lines[i].strip())]

    def instruction(self, site):
        return " ".join(self.lines[self.sites[site]].split())

    def _ends_block(self, line):
        return LABEL.match(line) or BRANCH.match(line) or SYNC.match(line.strip())

    def _neighbours(self, at, step):
        """The last line of the memory instructions beside `at`, before control flow or another
        synchronising instruction; None where there are none."""
        found, i = None, at + step
        while self.first < i < self.last and not self._ends_block(self.lines[i]):
            if MEMORY.match(self.lines[i].strip()):
                found = i
            i += step
        return found

    def _in_loop(self, at):
        """Whether control that passes `at` may come back."""
        labels = {}
        for i in range(self.first, self.last):
            if match := LABEL.match(self.lines[i]):
                labels[match.group(1)] = i
        seen, left = set(), [at + 1]
        while left:
            i = left.pop()
            if i in seen or not self.first < i < self.last:
                continue
            if i == at:
                return True
            seen.add(i)
            match = BRANCH.match(self.lines[i])
            kind = match.group(2) if match else ""
            if kind.startswith("bra"):
                left.append(labels.get(match.group(4), -1))
            if kind.startswith("brx"):
                left.extend(labels.values())
            if match and not match.group(1) and kind.split()[0].split(".")[0] in ("bra", "brx", "ret", "exit"):
                continue
            left.append(i + 1)
        return False

    def mutant(self, site, operation):
        """The text, with as many lines as before, or None where the operation does not apply."""
        lines, at = list(self.lines), self.sites[site]
        instruction = lines[at].strip()
        if operation == "remove":
            lines[at] = ""
        elif operation in ("up", "down"):
            to = self._neighbours(at, -1 if operation == "up" else 1)
            if to is None:
                return None
            lines[at] = ""
            lines[to] = f"{instruction} {lines[to]}" if operation == "up" else f"{lines[to]} {instruction}"
        elif operation == "more":
            match = re.search(r"wait_group(\.sync\.aligned|\.read)?\s+(\d+)", instruction)
            if not match:
                return None
            lines[at] = re.sub(r"(\d+)(\s*;)", lambda m: f"{int(m.group(1)) + 1}{m.group(2)}", instruction)
        else:
            if instruction.startswith("@") or not self._in_loop(at):
                return None
            compare = "ne" if operation == "not-first" else "eq"
            lines[at] = (
                f"setp.{compare}.u32 %mutation_p, %mutation_n, 0; add.u32 %mutation_n, %mutation_n, 1; "
                f"@%mutation_p {instruction}"
            )
            head, _, tail = lines[self.first].partition("{")
            declared = ".reg .pred %mutation_p; .reg .b32 %mutation_n; mov.u32 %mutation_n, 0;"
            lines[self.first] = f"{head}{{ {declared} {tail}"
        return "\n".join(lines)


class Runner:
    def __init__(self, entry, emulate, schedules):
        self.entry, self.emulate, self.schedules = entry, emulate, schedules
        self.launch = pathlib.Path(entry["launch"])
        self.expected = None

    def run(self, text, schedules):
        """(exit code, buffers afterwards, messages)."""
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            for path in self.launch.parent.iterdir():
                if path.is_file():
                    shutil.copy(path, folder)
            (folder / "mutant.ptx").write_text(text)
            command = [
                self.emulate, folder / "mutant.ptx", f"--launch={folder / self.launch.name}", "--sanitize",
                f"--schedules={schedules}", "--instruction-limit=3000000", "--threads=1", "--json=-",
            ]
            try:
                answer = subprocess.run(command, capture_output=True, text=True, timeout=600)
            except subprocess.TimeoutExpired:
                return 1, {}, "(kernel timeout)"
            arguments = json.loads(self.launch.read_text()).get("arguments", [])
            names = sorted({a["write_back"] for a in arguments if "write_back" in a})
            after = {}
            if answer.returncode in (0, 3):
                after = {n: hashlib.sha256((folder / n).read_bytes()).hexdigest() for n in names}
            return answer.returncode, after, answer.stderr

    def check(self, text):
        """None, or why the kernel itself is no good."""
        code, self.expected, messages = self.run(text, self.schedules)
        return None if code == 0 or self.entry.get("varies") and code == 3 else messages

    def verdict(self, text):
        # Most mutants fall at once.
        for schedules in (1, self.schedules):
            code, after, messages = self.run(text, schedules)
            if code == 3:
                findings = re.findall(r": ([a-z-]+): ", messages)
                if self.entry.get("varies"):
                    findings = [f for f in findings if f != "schedule-dependent"]
                if findings:
                    return f"caught: {findings[0]}"
            elif code == 1:
                if "(kernel " not in messages:
                    return f"broken: {messages.strip()}"
                kind = re.search(r"error: ([^:(]*)", messages)
                return f"caught: {kind.group(1).strip() if kind else 'error'}"
            elif code != 0:
                return f"broken: exit code {code}"
            if not self.entry.get("varies") and after != self.expected:
                return "caught: wrong result"
        return "survived"


def read_accepted(path):
    accepted = {}
    if path:
        for line in pathlib.Path(path).read_text().splitlines():
            line = line.strip()
            if not line or line.startswith("#"):
                continue
            parts = [part.strip() for part in line.split("|")]
            if len(parts) != 3 or not parts[2]:
                raise SystemExit(f"error: {path}: '{line}' gives no reason")
            accepted[parts[0]] = parts[1]
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

    def mutate(name, kernel, runners, site, operation, text):
        launches = b"".join(runner.launch.read_bytes() for runner in runners)
        key = hashlib.sha256(f"{stamp} {name} {text} {arguments.schedules}".encode() + launches).hexdigest()
        verdict = known.get(key)
        for runner in runners if verdict is None else ():
            verdict = runner.verdict(text)
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
                survivors[label] = kernel.instruction(site)
            elif verdict.startswith("broken"):
                failures.append(f"{label} | {kernel.instruction(site)}: {verdict}")

    futures = []
    for name, cases in sorted(entries.items()):
        text = pathlib.Path(cases[0]["ptx"]).read_text()
        kernel = Kernel(text, cases[0]["kernel"])
        if arguments.list:
            for site in range(len(kernel.sites)):
                applicable = [o for o in OPERATIONS if kernel.mutant(site, o) is not None]
                print(f"{name} {site} {','.join(applicable)} | {kernel.instruction(site)}")
            continue
        body = "\n".join(kernel.lines[kernel.first : kernel.last])
        if not kernel.sites or (arguments.without and re.search(arguments.without, body)):
            continue
        runners = [Runner(entry, arguments.emulate, arguments.schedules) for entry in cases]
        problems = [problem for problem in pool.map(lambda runner: runner.check(text), runners) if problem]
        if problems and UNSUPPORTED.search(problems[0]):
            print(f"skipped: {name}: {problems[0].strip().splitlines()[0]}")
            continue
        if problems:
            failures.append(f"{name}: the kernel itself has findings:\n{problems[0]}")
            continue
        for site in range(len(kernel.sites)):
            for operation in OPERATIONS:
                if not fnmatch.fnmatch(operation, arguments.operation):
                    continue
                mutant = kernel.mutant(site, operation)
                if mutant is not None:
                    futures.append(pool.submit(mutate, name, kernel, runners, site, operation, mutant))
    for future in futures:
        future.result()

    total = sum(counts.values())
    for verdict, count in sorted(counts.items(), key=lambda item: -item[1]):
        print(f"{count:6} {verdict[:100]}")
    unexplained = [
        f"{label} | {instruction}" for label, instruction in sorted(survivors.items())
        if accepted.get(label) != instruction
    ]
    for line in unexplained:
        print(f"unexplained survivor: {line} |")
    for line in failures:
        print(f"error: {line}")
    stale = []
    if arguments.operation == "*" and not arguments.list:
        stale = [l for l in accepted if l.split()[0] in entries and l not in survivors]
        for label in stale:
            print(f"error: accepted, but does not survive: {label}")
    print(f"{total} mutants of {len(entries)} kernels, {len(survivors)} survive, {len(unexplained)} unexplained")
    return 1 if failures or stale or unexplained else 0


if __name__ == "__main__":
    sys.exit(main())
