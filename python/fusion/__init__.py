# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fusion: operator fusion for GPUs and CPUs.

`compile` makes a `Program` of a module in MLIR; a program can be called with NumPy's
arrays, on the CPU or the emulator, and with arrays in a GPU's memory. `fusion.torch` is the backend of PyTorch's compiler; importing it needs PyTorch.
"""

from .diagnostics import CompileError, Diagnostic, FusionError, RunError
from .gpu import DeviceArray
from .program import Program, Run, chips, compile, is_cpu, version

__all__ = ["CompileError", "DeviceArray", "Diagnostic", "FusionError", "Program", "Run", "RunError",
           "chips", "compile", "is_cpu", "version"]
