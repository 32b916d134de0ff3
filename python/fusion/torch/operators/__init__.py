# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The rules by which operators are lowered, by families."""

from . import (attention, contractions, creation, division, indexing, normalization, pointwise,
               reductions, shapes, windows)

__all__ = ["attention", "contractions", "creation", "division", "indexing", "normalization",
           "pointwise", "reductions", "shapes", "windows"]
