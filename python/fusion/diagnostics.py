# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the compiler and the runtime say, and the exceptions that carry it."""

from __future__ import annotations

import dataclasses
from typing import Iterable, Sequence

_SEVERITIES = ("note", "remark", "warning", "error")


@dataclasses.dataclass(frozen=True)
class Diagnostic:
    """One message.

    Attributes:
        severity: ``"error"``, ``"warning"``, ``"remark"`` or ``"note"``.
        message: the text.
        file: the source's name; empty where the message has no place in one.
        line, column: counted from 1; 0 where the message has no place.
        notes: further messages that belong to this one.
    """

    severity: str
    message: str
    file: str = ""
    line: int = 0
    column: int = 0
    notes: tuple["Diagnostic", ...] = ()

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}:{self.column}: " if self.line else ""
        lines = [f"{place}{self.severity}: {self.message}"]
        lines += [f"  {note}" for note in self.notes]
        return "\n".join(lines)


def from_native(messages: Iterable[tuple]) -> list[Diagnostic]:
    """The messages of the native module, each with its notes."""
    result: list[Diagnostic] = []
    for severity, text, file, line, column in messages:
        one = Diagnostic(_SEVERITIES[severity], text, file, line, column)
        if one.severity == "note" and result:
            result[-1] = dataclasses.replace(result[-1], notes=result[-1].notes + (one,))
        else:
            result.append(one)
    return result


class FusionError(Exception):
    """An error of the compiler or the runtime.

    Attributes:
        diagnostics: everything that was said, errors and what led to them.
    """

    def __init__(self, diagnostics: Sequence[Diagnostic]):
        self.diagnostics = list(diagnostics)
        errors = [str(d) for d in self.diagnostics if d.severity == "error"]
        super().__init__("\n".join(errors) or "failed without a message")


class CompileError(FusionError):
    """The module is malformed or cannot be compiled."""


class RunError(FusionError):
    """A plan could not be executed."""
