# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs sequences of launches on the emulator."""

import dataclasses
import json
import pathlib
import shutil
import subprocess

import assembly
import numpy as np
import ptx_counts
import sequences
from sequences import HostCall


class EmulatorError(RuntimeError):
    """A kernel that the emulator does not run, or that ends early."""


@dataclasses.dataclass
class Emulator:
    program: str  # fusion-emulate
    threads: int = 2
    seconds: float = 600  # of one launch

    def run(self, sequence, folder, sanitize=False):
        """(counters of each launch, findings of all). Buffers lie in `folder` afterwards."""
        counters, findings = [], []
        for number, step in self._launches(sequence, folder):
            report = self._launch(folder, number, step, ["--sanitize"] * sanitize)
            counters.append(report["counters"])
            findings += [{"launch": number, **finding} for finding in report["sanitizer"]]
        return counters, findings

    def seconds_of(self, sequence, folder, chip):
        """Predicted seconds of each launch on a chip of the chip table, each behind another one like it."""
        found = []
        for number, step in self._launches(sequence, folder):
            known = dataclasses.replace(step, ptx=assembly.with_known_version(step.ptx))
            report = self._launch(folder, number, known, ["--time", "--warm", f"--chip={chip}"])
            found.append(report["time"]["seconds"])
        return found

    def warp_counts(self, sequence, folder):
        """For each launch (ptx_counts.Kernel, array [block, warp, basic block] of executions)."""
        found = []
        for number, step in self._launches(sequence, folder):
            kernel = ptx_counts.parse(step.ptx, step.kernel)
            shape = step.blocks, step.warps, len(kernel.starts)
            np.zeros(shape, np.uint32).tofile(folder / "counts.bin")
            counting = dataclasses.replace(
                step, ptx=kernel.counting(step.warps), arguments=[*step.arguments, {"buffer": "counts"}],
                written=step.written | {"counts"},
            )  # fmt: skip
            self._launch(folder, number, counting, [])
            found.append((kernel, np.fromfile(folder / "counts.bin", np.uint32).reshape(shape)))
        return found

    @staticmethod
    def _launches(sequence, folder):
        """Each (number, launch) of a sequence, whose buffers are written to `folder`, emptied, first. The caller runs
        the launch; calls of the host between launches are made here."""
        _emptied(folder)
        sequences.write_buffers(sequence, folder)
        for number, step in enumerate(sequence.steps):
            if isinstance(step, HostCall):
                step.run(sequences.FileBuffers(folder))
            else:
                yield number, step

    def _launch(self, folder, number, step, options):
        ptx, launch = sequences.write_launch(step, folder, number)
        command = [self.program, ptx, f"--launch={launch}", "--json=report.json", f"--threads={self.threads}"]
        report = folder / "report.json"
        report.unlink(missing_ok=True)
        try:
            done = subprocess.run(command + options, cwd=folder, capture_output=True, text=True,
                                  timeout=self.seconds)  # fmt: skip
        except subprocess.TimeoutExpired:
            raise EmulatorError(f"{launch}: not done after {self.seconds} s") from None
        if done.returncode not in (0, 3):
            raise EmulatorError(f"{launch}: {(done.stderr or done.stdout).strip()[:1000]}")
        return json.loads(report.read_text())


def _emptied(folder):
    folder = pathlib.Path(folder)
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder
