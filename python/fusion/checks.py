"""Arguments that are not what they have to be, as exceptions that name them."""

from __future__ import annotations

import operator
import os
import pathlib
from typing import Any

import numpy as np


def text(value: Any, name: str) -> str:
    """Raises TypeError where `value` is no string."""
    if not isinstance(value, str):
        raise TypeError(f"'{name}' is a string, not {_shown(value)}")
    return value


def truth(value: Any, name: str) -> bool:
    """Raises TypeError where `value` is no truth value."""
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(f"'{name}' is True or False, not {_shown(value)}")
    return bool(value)


def seed(value: Any, name: str) -> int:
    """Raises TypeError or ValueError where `value` is no integer of 64 bits without a sign."""
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"'{name}' is an integer, not {_shown(value)}") from None
    if not 0 <= number < 1 << 64:
        raise ValueError(f"'{name}' is {number}; it is at least 0 and below 2^64")
    return number


def folder(path: str | os.PathLike) -> pathlib.Path:
    """A path, with `~` for a home folder as shells have it."""
    return pathlib.Path(path).expanduser()


def _shown(value: Any) -> str:
    return "None" if value is None else f"{value!r} of type {type(value).__name__}"
