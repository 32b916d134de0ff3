# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The backend of PyTorch's compiler: ``torch.compile(model, backend="fusion")``.

`Options` are given as ``options={…}``; `explain` says what was made of a model.
"""

import torch

from .. import cache
from .backend import backend
from .emit import Unsupported
from .explanation import Break, Explanation, explain
from .regions import Options, Region, Report

# Where the package is not installed, its entry point is not there.
if "fusion" not in torch._dynamo.list_backends(exclude_tags=()):
    torch._dynamo.register_backend(backend, name="fusion")

__all__ = ["Break", "Explanation", "Options", "Region", "Report", "Unsupported", "backend",
           "cache", "explain"]
