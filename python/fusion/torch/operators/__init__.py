"""The rules by which operators are lowered, by families."""

from . import attention, contractions, indexing, normalization, pointwise, reductions, shapes, windows

__all__ = ["attention", "contractions", "indexing", "normalization", "pointwise",
           "reductions", "shapes", "windows"]
