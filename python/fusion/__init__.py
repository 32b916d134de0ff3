"""Fusion: operator fusion for GPUs.

`compile` makes a `Program` of a module in MLIR; a program can be called with NumPy's
arrays. `fusion.torch` is the backend of PyTorch's compiler; importing it needs PyTorch.
"""

from .diagnostics import CompileError, Diagnostic, FusionError, RunError
from .program import Program, Run, chips, compile, version

__all__ = ["CompileError", "Diagnostic", "FusionError", "Program", "Run", "RunError",
           "chips", "compile", "version"]
