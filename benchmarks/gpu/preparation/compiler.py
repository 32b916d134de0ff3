# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tools of a build: from modules and schedules to plans."""

import json
import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[3] / "test" / "Integration" / "Inputs"))

from set_schedule import replace_schedule  # noqa: E402

# A wait for an mbarrier that does not trap after some tries: `trap` stands in no kernel for another reason.
WAIT, TRAP = re.compile(r"mbarrier\.try_wait"), re.compile(r"^\s*(@!?%?\w+ )?trap;", re.MULTILINE)


class CompileError(RuntimeError):
    pass


class Compiler:
    """bin: the folder of the tools. wait_limit: tries after which waits trap, 0 for none. scratch: a folder of its
    own."""

    def __init__(self, bin, scratch, wait_limit=0, limit=600):
        self.bin, self.scratch, self.wait_limit, self.limit = (
            pathlib.Path(bin).resolve(),
            pathlib.Path(scratch),
            wait_limit,
            limit,
        )
        self.scratch.mkdir(parents=True, exist_ok=True)

    def run(self, tool, *arguments, text=None):
        """What a tool prints. Raises CompileError with its message."""
        command = [str(self.bin / tool), *map(str, arguments)]
        try:
            done = subprocess.run(command, input=text, capture_output=True, text=True, timeout=self.limit)
        except subprocess.TimeoutExpired:
            raise CompileError(f"{tool} did not end within {self.limit} s") from None
        except OSError as error:
            raise CompileError(str(error)) from None
        if done.returncode:
            lines = (
                [line for line in done.stderr.splitlines() if "error" in line]
                or done.stderr.splitlines()
                or ["no message"]
            )
            raise CompileError(f"{tool}: {lines[0]}"[:600])
        return done.stdout

    def groups(self, module, chip, options="force-fusion=true", unscheduled=False):
        """The module with groups, under the search's schedules or without any."""
        pipeline = "--fuse-to-unscheduled-groups" if unscheduled else "--fuse-to-groups"
        return self.run("fusion-opt", "-", f"{pipeline}=chip={chip} {options}".rstrip(), text=module)

    def report(self, groups):
        """The search's report of groups without schedules."""
        path = self.scratch / "report.json"
        path.unlink(missing_ok=True)
        self.run("fusion-opt", "-", f"--fuse-search-schedules=report={path}", "-o", "/dev/null", text=groups)
        return json.loads(path.read_text())["groups"] if path.exists() else []

    def drawn(self, groups, seed):
        """(the module with groups under schedules that are drawn with `seed`, the report's groups)."""
        path = self.scratch / "drawn.json"
        drawn = self.run("fusion-opt", "-", f"--fuse-search-schedules=random-seed={seed} report={path}", text=groups)
        return drawn, json.loads(path.read_text())["groups"]

    def bounded(self, groups):
        """A module as the tools print it, with the attribute that bounds its waits."""
        if not self.wait_limit:
            return groups
        attribute = f"tile.wait_limit = {self.wait_limit} : i64"
        head = re.search(r"^module( attributes \{)?", groups, re.MULTILINE)
        if head is None:
            raise CompileError("there is no module whose waits could be bounded")
        with_others = head.group(0) + f"{attribute}, " if head.group(1) else f"module attributes {{{attribute}}}"
        return groups[: head.start()] + with_others + groups[head.end() :]

    def lower(self, groups):
        """The plan (manifest with PTX) of groups that have their schedules."""
        lowered = self.run(
            "fusion-opt", "-", "--fuse-search-schedules", "--tile-pipeline", "--tile-to-nvvm", text=self.bounded(groups)
        )
        return self.plan(lowered)

    def compile(self, module, chip, options=""):
        """The plan that the search chooses."""
        bound = f" wait-limit={self.wait_limit}" if self.wait_limit else ""
        lowered = self.run("fusion-opt", "-", f"--fuse-to-nvvm=chip={chip} {options}".rstrip() + bound, text=module)
        return self.plan(lowered)

    def plan(self, lowered):
        manifest = json.loads(self.run("fusion-translate", "--fuse-to-manifest", text=lowered))
        if not manifest.get("ptx"):
            manifest["ptx"] = self.run("fusion-translate", "--fuse-to-ptx", text=lowered)
        if self.wait_limit and WAIT.search(manifest["ptx"]) and not TRAP.search(manifest["ptx"]):
            raise CompileError("waits for mbarriers are not bounded: this build does not know tile.wait_limit")
        return manifest


def with_schedule(groups, text):
    """The groups of a module of one group under another schedule."""
    return replace_schedule(groups, text)


def predicted_us(manifest):
    """The time of all launches that the model predicts, or None."""
    kernels = {kernel["name"]: kernel for kernel in manifest["kernels"]}
    total = 0.0
    for function in manifest["functions"]:
        for launch in function["launches"]:
            us = (launch.get("predicted") or kernels[launch["kernel"]].get("predicted") or {}).get("us")
            if us is None:
                return None
            total += us
    return total


def launches(manifest):
    return sum(len(function["launches"]) for function in manifest["functions"])
