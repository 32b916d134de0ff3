"""The rules by which operators are lowered, by families."""

from . import (attention, contractions, creation, division, indexing, normalization, pointwise,
               reductions, shapes, windows)

__all__ = ["attention", "contractions", "creation", "division", "indexing", "normalization",
           "pointwise", "reductions", "shapes", "windows"]
