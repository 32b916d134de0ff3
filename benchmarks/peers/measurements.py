# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a sequence of launches costs: counters of the emulator, and what its machine code says."""

import dataclasses
import math
import re

import hot_loops
import placement
import sass_counts
from emulation import EmulatorError

COUNTERS = ("instructions", "global_load_bytes", "global_store_bytes", "global_sectors", "shared_wavefronts",
            "shared_bank_conflicts", "mma_flops", "barriers")  # fmt: skip


@dataclasses.dataclass
class Measurement:
    """Sums over the launches of a sequence, but for what says otherwise."""

    launches: int = 0
    counters: dict | None = None
    registers: int = 0  # of a thread, the most of any launch
    spill_bytes: int = 0  # of a thread
    shared_bytes: int = 0  # of a block, the most of any launch
    slots: float = 0  # executed SASS instructions
    busiest: float = 0  # those of the busiest scheduler of each launch
    sass_flops: float = 0  # of the MMAs, by the executions of SASS; counters has those of the PTX
    hot_loop: float | None = None  # SASS instructions per 1000 flops, of the launch with the most slots
    kernels: list = dataclasses.field(default_factory=list)  # of each launch its own numbers
    seconds: float | None = None  # predicted (docs/timing.md), or None
    why_no_seconds: str = ""
    library_calls: int = 0
    library_bytes: int = 0


class Meter:
    def __init__(self, emulator, tools, device, chip):
        self.emulator, self.tools, self.device, self.chip = emulator, tools, device, chip
        self.assembled = {}

    def measure(self, sequence, folder, with_slots=True):
        """The Measurement without counters. Buffers lie in `folder`/counted afterwards, if issue slots are counted."""
        result = Measurement(len(sequence.launches))
        result.library_calls = len(sequence.calls)
        result.library_bytes = sum(call.bytes for call in sequence.calls)
        if not with_slots:
            return result
        counted = self.emulator.warp_counts(sequence, folder / "counted")
        for launch, (kernel, counts) in zip(sequence.launches, counted, strict=True):
            self._add_machine_code(result, launch, kernel, counts, folder)
        try:
            seconds = self.emulator.seconds_of(sequence, folder / "timed", self.chip)
            result.seconds = sum(seconds)
            for kernel, one in zip(result.kernels, seconds, strict=True):
                kernel["seconds"] = one
        except EmulatorError as error:
            result.why_no_seconds = str(error)
        return result

    def add_counters(self, result, sequence, folder):
        """Adds the emulator's counters, of the kernels themselves and not of their copies that count. Buffers lie in
        `folder`/plain afterwards."""
        counters, _ = self.emulator.run(sequence, folder / "plain")
        result.counters = {name: sum(one[name] for one in counters) for name in COUNTERS}

    def _add_machine_code(self, result, launch, kernel, counts, folder):
        key = launch.ptx, launch.kernel
        if key not in self.assembled:
            self.assembled[key] = self.tools.assemble(launch.ptx, launch.kernel, self.chip, folder)
        code = self.assembled[key]
        done = sass_counts.executions(code, kernel, counts)
        shared = code.shared_bytes + launch.shared_bytes
        registers = max(code.registers, _allocated(launch.ptx, launch.kernel))
        resident = max(1, self.device.blocks_per_processor(launch.warps, shared, registers))
        busiest = placement.busiest(done.slots, self.device.multi_processor_count, resident, math.prod(launch.cluster))
        most = max((one["slots"] for one in result.kernels), default=-1)
        slots = float(done.slots.sum())
        loop = hot_loops.instructions_per_kiloflop(code, done.of_blocks)
        if slots > most:
            result.hot_loop = loop
        result.kernels.append({
            "kernel": launch.kernel, "grid": list(launch.grid), "block": list(launch.block), "registers": registers,
            "spill_bytes": code.spill_bytes, "shared_bytes": shared, "slots": slots, "busiest": busiest,
            "hot_loop": loop, "resident": resident,
        })  # fmt: skip
        result.slots += slots
        result.sass_flops += sum(hot_loops.flops(one) * executed for block, executed in zip(code.blocks, done.of_blocks)
                                 for one in block.instructions)  # fmt: skip
        result.busiest += busiest
        result.registers = max(result.registers, registers)
        result.shared_bytes = max(result.shared_bytes, shared)
        result.spill_bytes += code.spill_bytes


def _allocated(ptx, kernel):
    """Registers that a block starts with, by .maxnreg: with reallocation ptxas prints those of the largest part."""
    head = re.search(rf"\.entry\s+{re.escape(kernel)}\s*\(.*?\{{", ptx, re.DOTALL).group(0)
    found = re.search(r"\.maxnreg\s+(\d+)", head)
    return int(found.group(1)) if found else 0
