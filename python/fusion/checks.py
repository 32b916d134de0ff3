# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Arguments that are not what they have to be, as exceptions that name them."""

from __future__ import annotations

import difflib
import operator
import os
import pathlib
from typing import Any, Sequence

import numpy as np


def text(value: Any, name: str) -> str:
    """Raises TypeError where `value` is no string."""
    if not isinstance(value, str):
        raise TypeError(f"'{name}' is a string, not {_shown(value)}")
    return value


def choice(value: Any, name: str, choices: Sequence[str]) -> str:
    """Raises TypeError where `value` is no string, ValueError where it is none of the
    choices; the empty string leaves the choice to others."""
    if text(value, name) and value not in choices:
        near = difflib.get_close_matches(value, choices, 1)
        meant = f" (did you mean {near[0]!r}?)" if near else ""
        raise ValueError(f"'{name}' is {value!r}{meant}; it is one of {', '.join(choices)}")
    return value


def truth(value: Any, name: str) -> bool:
    """Raises TypeError where `value` is no boolean."""
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


def threads(value: Any, name: str) -> int:
    """Raises TypeError or ValueError where `value` is no number of threads; 0 is a default."""
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"'{name}' is an integer, not {_shown(value)}") from None
    if not 0 <= number <= 4096:
        raise ValueError(f"'{name}' is {number}; it is at least 0 and at most 4096")
    return number


def folder(path: str | os.PathLike) -> pathlib.Path:
    """A path, with `~` for a home folder as shells have it.

    Raises:
        ValueError: no user has this home directory.
    """
    try:
        return pathlib.Path(path).expanduser()
    except RuntimeError as error:
        raise ValueError(f"{os.fspath(path)!r} is no folder: {error}") from None


def usable_folder(path: pathlib.Path, name: str) -> pathlib.Path:
    """A folder, made where it is not there yet; one that can only be read will do.

    Raises:
        ValueError: it cannot be made, or cannot be read.
    """
    try:
        path.mkdir(parents=True, exist_ok=True)
        os.scandir(path).close()
    except (OSError, ValueError) as error:  # ValueError: a null character
        why = getattr(error, "strerror", None) or str(error)
        raise ValueError(f"'{name}' is {str(path)!r}, which is no folder that can be used: {why}") from None
    return path


def _shown(value: Any) -> str:
    return "None" if value is None else f"{value!r} of type {type(value).__name__}"
