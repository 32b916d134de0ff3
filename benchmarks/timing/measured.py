# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Schedules whose times were measured on a GPU."""

import dataclasses
import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "benchmarks" / "workloads"), str(ROOT / "test" / "Integration" / "Inputs")]

import generate  # noqa: E402
from set_schedule import replace_schedule  # noqa: E402, F401

# Words of schedules before version 2, with what they became.
_RENAMED = (
    (r"version = 1", "version = 2"), (r"\bbulk\b", "tma"), (r"\braster\b", "block_swizzle"), (r"\bturns\b", "ping_pong"),
    (r"\bproducts = ", "overlap = "), (r"\bregisters = ", "register_stages = "), (r"\bahead\b", "prepass"),
)  # fmt: skip


def in_version_2(text):
    for old, new in _RENAMED:
        text = re.sub(old, new, text)
    return text


@dataclasses.dataclass(frozen=True)
class MeasuredSchedule:
    workload: str  # family:case/type
    name: str
    text: str  # of the schedule
    us: float

    @property
    def key(self):
        return f"{self.workload}|{self.name}"

    def module(self):
        """The linalg module."""
        family, rest = self.workload.split(":")
        return generate.workload(family, *rest.split("/")).text


def schedules(file, each):
    """`each` MeasuredSchedules of each workload of a second call of benchmarks/gpu/run, spread over all of them."""
    for key, workload in json.loads(pathlib.Path(file).read_text())["phases"]["drawn"].items():
        if workload.get("outcome") != "pass":
            continue
        functions = list(workload["functions"].items())
        for name, function in functions[:: max(1, len(functions) // each)][:each]:
            yield MeasuredSchedule(key.split(" ")[0], name, in_version_2(function["schedule"]), function["us"])
