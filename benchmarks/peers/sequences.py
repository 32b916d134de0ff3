# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Launches of kernels one after the other, on named buffers, as files for `fusion-emulate`."""

import dataclasses
import json
import math

import numpy as np


@dataclasses.dataclass
class Launch:
    """One launch of a kernel.

    arguments: those of a launch file (docs/emulator-reference.md), in which "buffer" is the name of a buffer of the
    sequence. written: the buffers that the kernel writes."""

    ptx: str
    kernel: str
    grid: tuple
    block: tuple
    arguments: list
    written: frozenset
    cluster: tuple = (1, 1, 1)
    shared_bytes: int = 0  # dynamic

    @property
    def blocks(self):
        return math.prod(self.grid)

    @property
    def warps(self):
        return -(-math.prod(self.block) // 32)

    def file(self):
        """The launch file's object. The buffer NAME is the file NAME.bin, and is written back to it."""
        written = set()

        def argument(one):
            if "tensor_map" in one:
                return {"tensor_map": argument(one["tensor_map"])}
            if "buffer" not in one:
                return one
            name = one["buffer"]
            result = {**one, "buffer": f"{name}.bin"}
            if name in self.written and name not in written:
                result["write_back"] = f"{name}.bin"
                written.add(name)
            return result

        launch = {"kernel": self.kernel, "grid": list(self.grid), "block": list(self.block),
                  "dynamic_shared_memory": self.shared_bytes,
                  "arguments": [argument(one) for one in self.arguments]}  # fmt: skip
        if math.prod(self.cluster) > 1:
            launch["cluster"] = list(self.cluster)
        return launch


@dataclasses.dataclass
class HostCall:
    """What a library does between launches, computed on the host. bytes: what it must move."""

    name: str
    run: object  # called with {name of a buffer: bytes}, which it changes in place
    bytes: int
    flops: int = 0


@dataclasses.dataclass
class Sequence:
    """steps: Launch and HostCall. buffers: {name: contents (an array of bytes), or a number of bytes};
    unwritten memory is full of 0xff, which is NaN."""

    steps: list
    buffers: dict

    @property
    def launches(self):
        return [step for step in self.steps if isinstance(step, Launch)]

    @property
    def calls(self):
        return [step for step in self.steps if isinstance(step, HostCall)]


def write_buffers(sequence, folder):
    for name, contents in sequence.buffers.items():
        if isinstance(contents, int):
            contents = np.full(contents, 0xFF, np.uint8)
        contents.tofile(folder / f"{name}.bin")


def write_launch(launch, folder, number):
    """The names of the PTX file and of the launch file."""
    ptx, file = f"launch{number}.ptx", f"launch{number}.json"
    (folder / ptx).write_text(launch.ptx)
    (folder / file).write_text(json.dumps(launch.file(), indent=1))
    return ptx, file


class FileBuffers:
    """The buffers of a folder for a HostCall, {name: array of bytes}. Assignments change the file."""

    def __init__(self, folder):
        self.folder = folder

    def __getitem__(self, name):
        return np.fromfile(self.folder / f"{name}.bin", np.uint8)

    def __setitem__(self, name, contents):
        np.ascontiguousarray(contents).tofile(self.folder / f"{name}.bin")
