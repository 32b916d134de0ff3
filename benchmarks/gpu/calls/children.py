# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A process of its own for each unit, killed with all that it started when its time is over."""

import dataclasses
import os
import re
import signal
import subprocess
import tempfile
import time

PASS, WRONG, TRAPPED, HUNG, CRASHED, SKIPPED = "pass", "wrong", "trapped", "hung", "crashed", "skipped"
# A unit that ended so may do so again at the cost of its whole limit, or of the GPU.
NEVER_AGAIN = (TRAPPED, HUNG)
# What the driver, and the emulator, say of a kernel that did not run to its end.
TRAPS = re.compile(
    r"illegal instruction|ILLEGAL_INSTRUCTION|launch fail|LAUNCH_FAILED|illegal (memory )?address|ILLEGAL_ADDRESS|"
    r"misaligned address|MISALIGNED_ADDRESS|INVALID_PC|INVALID_ADDRESS_SPACE|HARDWARE_STACK_ERROR|"
    r"illegal memory access|program counter|device-side assert|"
    r"\btrap(ped)?\b|EXTERNAL_DEVICE|uncorrectable|unspecified launch",
    re.IGNORECASE,
)
TIMEOUT_OF_DRIVER = re.compile(r"LAUNCH_TIMEOUT|launch timed out")
# Seconds that a killed process has to go. One that the driver holds in the kernel is left behind.
PATIENCE = 5.0


@dataclasses.dataclass
class Ended:
    """How a child ended: `code` is None where it was killed for its limit, negative for a signal."""

    code: int | None
    seconds: float
    out: str
    err: str

    @property
    def timed_out(self):
        return self.code is None


def kill_group(process):
    """Kills a process that leads its session, and all that it started. Returns whether it is gone."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    try:
        process.wait(timeout=PATIENCE)
        return True
    except subprocess.TimeoutExpired:
        return False


def run(command, limit, env=None, cwd=None):
    """Runs a command to its end or for `limit` seconds. Raises OSError where it cannot start."""
    begin = time.monotonic()
    # Files: a grandchild that keeps a pipe open would keep us waiting.
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        process = subprocess.Popen(
            [str(word) for word in command],
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=err,
            env=env,
            cwd=cwd,
            start_new_session=True,
        )
        try:
            code = process.wait(timeout=max(limit, 0.1))
        except subprocess.TimeoutExpired:
            code = None
        finally:
            kill_group(process)
        seconds = time.monotonic() - begin
        texts = []
        for file in (out, err):
            file.seek(0)
            texts.append(file.read().decode(errors="replace"))
    return Ended(code, round(seconds, 3), *texts)


def message_of(ended):
    """The line that says most of what went wrong."""
    lines = [line.strip() for line in ended.err.splitlines() if line.strip()]
    for pattern in (TRAPS, TIMEOUT_OF_DRIVER, re.compile("error", re.IGNORECASE)):
        for line in lines:
            if pattern.search(line):
                return line[:500]
    return (lines[-1] if lines else "no message")[:500]


def outcome(ended):
    """(outcome, message) of a run of fusion-run, by its exit code (docs/fusion-run.md) and what it said."""
    if ended.timed_out:
        return HUNG, f"no end within {ended.seconds:.0f} s"
    if ended.code == 0:
        return PASS, ""
    message = message_of(ended)
    if ended.code < 0:
        try:
            name = signal.Signals(-ended.code).name
        except ValueError:
            name = f"signal {-ended.code}"
        return CRASHED, f"{name}: {message}"
    if ended.code in (2, 3):
        return WRONG, message
    if TIMEOUT_OF_DRIVER.search(ended.err):
        return HUNG, message
    return (TRAPPED if TRAPS.search(ended.err) else CRASHED), message
