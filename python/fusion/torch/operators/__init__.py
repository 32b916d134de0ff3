"""The rules by which operators are lowered, by families."""

from . import contractions, indexing, normalization, pointwise, reductions, shapes, windows

__all__ = ["contractions", "indexing", "normalization", "pointwise", "reductions", "shapes",
           "windows"]
