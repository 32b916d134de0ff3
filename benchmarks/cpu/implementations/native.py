# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ours: a module becomes an object, a shared library with the loop of loop.c, and a function that ctypes calls."""

import ctypes
import pathlib
import re
import time

from implementations import arrays
from implementations.base import Unavailable, run_tool

HERE = pathlib.Path(__file__).resolve().parent
COMPILERS = ("cc", "gcc", "clang-22", "clang")
CHIP = "host"


class Native:
    """An implementation (base.py)."""

    versions = ()

    def __init__(self, settings):
        self.binaries, self.threads = pathlib.Path(settings["binaries"]), settings["threads"]
        self.library = f"kernels-{settings['tools']}.so"

    def prepare(self, job, folder):
        """Compiles the module of a job into its folder. Returns the seconds that our tools took."""
        module, lowered, header = (folder / name for name in ("module.mlir", "lowered.mlir", "kernels.h"))
        library = folder / self.library
        if library.exists():
            return {}
        begin = time.monotonic()
        run_tool([self.binaries / "fusion-opt", module, f"--fuse-to-native=chip={CHIP}", "-o", lowered])
        translate = [self.binaries / "fusion-translate", lowered]
        run_tool([*translate, "--fuse-to-object", "-o", folder / "kernels.o"])
        seconds = time.monotonic() - begin
        run_tool([*translate, "--fuse-to-c-header", "-o", header])
        partial = folder / "partial.so"
        loop = [HERE / "loop.c", folder / "kernels.o", "-O2", "-fopenmp", "-shared", "-fPIC", "-o", partial]
        self._compile(loop)
        partial.rename(library)
        return {"compile_seconds": seconds, "kernels": len(re.findall("tile.launch ", lowered.read_text()))}

    @staticmethod
    def _compile(arguments):
        for compiler in COMPILERS:
            try:
                return run_tool([compiler, *arguments])
            except FileNotFoundError:
                continue
        raise Unavailable(f"no C compiler ({', '.join(COMPILERS)})")

    def load(self, job, folder, inputs):
        entry = job["entry"]
        sizes = _sizes(folder / "kernels.h")
        if f"FUSION_{entry.upper()}_SCRATCH_BYTES" not in sizes:
            raise RuntimeError(f"the header has no fusion_{entry}")
        library = ctypes.CDLL(str(folder / self.library))
        function = getattr(library, f"fusion_{entry}")
        function.restype = None
        self.inputs = [arrays.aligned_copy(array) for array in inputs]
        self.outputs = [arrays.aligned(shape, element) for shape, element in job["outputs"]]
        workspace = arrays.aligned_bytes(sizes[f"FUSION_{entry.upper()}_WORKSPACE_BYTES"])
        scratch = arrays.aligned_bytes(sizes[f"FUSION_{entry.upper()}_SCRATCH_BYTES"] * self.threads)
        self.kept = (workspace, scratch, ctypes.c_int64(self.threads))
        loop = ctypes.cast(library.benchmark_parallel_for, ctypes.c_void_p) if self.threads > 1 else None
        buffers = [*self.inputs, *self.outputs, workspace, scratch]
        pointers = [ctypes.c_void_p(array.ctypes.data) for array in buffers]
        arguments = (*pointers, loop, ctypes.cast(ctypes.byref(self.kept[2]), ctypes.c_void_p))
        return lambda: function(*arguments)

    def results(self, result):
        return self.outputs

    def close(self):
        self.inputs = self.outputs = self.kept = None


def _sizes(header):
    """The numbers that a header defines."""
    return {name: int(value) for name, value in re.findall(r"#define (\w+) (\d+)", header.read_text())}
