"""The backend of PyTorch's compiler: ``torch.compile(model, backend="fusion")``.

`Options` are given as ``options={…}``; `explain` says what was made of a model.
"""

from .. import cache
from .backend import Explanation, backend, explain
from .emit import Unsupported
from .regions import Options, Region, Report

__all__ = ["Explanation", "Options", "Region", "Report", "Unsupported", "backend", "cache",
           "explain"]
