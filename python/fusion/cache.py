# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiled programs on disk, shared by processes.

A file is named by a hash of everything that its contents depend on: the module's text
(which has the graph, sizes and types in it), the options, the compiler. It is written
under another name and moved into place, so that a reader finds a whole file or none;
its first line is a hash of the rest, and a file that does not agree with it is
compiled anew.
"""

from __future__ import annotations

import collections
import functools
import hashlib
import json
import os
import pathlib
import threading
import uuid
from typing import Any

from . import _native, checks, program
from .program import Program

_MAGIC = "fusion-cache-1"
_KEPT = 256  # programs that a process holds ready

_lock = threading.Lock()
_programs: "collections.OrderedDict[str, Program]" = collections.OrderedDict()

#: How often this process found a program in memory or on disk, or compiled it.
statistics = collections.Counter()


def default_folder() -> pathlib.Path:
    """``$FUSION_CACHE_DIR``, else ``fusion`` under the user's cache folder."""
    chosen = os.environ.get("FUSION_CACHE_DIR")
    if chosen:
        return checks.folder(chosen)
    base = os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache"
    return pathlib.Path(base) / "fusion"


@functools.lru_cache(maxsize=None)
def _compiler() -> str:
    """A hash of the compiler itself."""
    contents = pathlib.Path(_native.__file__).read_bytes()
    return program.version() + hashlib.sha256(contents).hexdigest()


def key_of(text: str, options: dict[str, Any]) -> str:
    # `host` is another chip on another machine, and folders are shared.
    host = _native.host_cpu() if options.get("chip") == "host" else ""
    parts = json.dumps([_MAGIC, _compiler(), host, options, text], sort_keys=True)
    return hashlib.sha256(parts.encode()).hexdigest()


def compile(text: str, options: dict[str, Any], folder: pathlib.Path | None) -> Program:
    """The program of a module, compiled unless it is known.

    Args:
        text: the module.
        options: keyword arguments of `fusion.compile`.
        folder: where files are; None: none are read or written.

    Raises:
        CompileError: as `fusion.compile`.
    """
    key = key_of(text, options)
    with _lock:
        if key in _programs:
            statistics["memory"] += 1
            _programs.move_to_end(key)
            return _programs[key]
    path = folder / key[:2] / key if folder else None
    found = _read(path) if path else None
    if found is None:
        found = program.compile(text, **options)
        statistics["compiled"] += 1
        if path:
            _write(path, found._json)
    else:
        statistics["disk"] += 1
    with _lock:
        _programs[key] = found
        while len(_programs) > _KEPT:
            _programs.popitem(last=False)
    return found


def forget() -> None:
    """Empties this process's memory; files stay."""
    with _lock:
        _programs.clear()


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _read(path: pathlib.Path) -> Program | None:
    try:
        head, _, text = path.read_text().partition("\n")
    except (OSError, UnicodeDecodeError):
        return None
    if head != _digest(text):
        return None
    return Program(text)


def _write(path: pathlib.Path, text: str) -> None:
    """Leaves the file out where it cannot be written: a cache is no reason to fail."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        name = path.parent / f".writing-{uuid.uuid4().hex}"
        # For whom the umask lets, as those of other caches.
        handle = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
        try:
            with os.fdopen(handle, "w") as file:
                file.write(_digest(text) + "\n" + text)
            os.replace(name, path)
        except BaseException:
            os.unlink(name)
            raise
    except OSError:
        pass
