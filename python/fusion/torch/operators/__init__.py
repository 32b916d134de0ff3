"""The rules by which operators are lowered, by families."""

from . import (attention, contractions, creation, indexing, normalization, pointwise,
               reductions, shapes, windows)

__all__ = ["attention", "contractions", "creation", "indexing", "normalization", "pointwise",
           "reductions", "shapes", "windows"]
