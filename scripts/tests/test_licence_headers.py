# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every source file names its licence. Test inputs (.mlir, .ptx, .test) and data are no source files."""

import os
import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[2]
SUFFIXES = {".c", ".cpp", ".h", ".td", ".cu", ".cuh", ".py", ".sh", ".cmake", ".cfg"}
IDENTIFIER = "SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"
# Built, installed or fetched, none of it the project's.
SKIPPED = {"build", "install", "shared", "__pycache__", ".git", ".cache"}


def is_source(path):
    if path.suffix in SUFFIXES or path.name == "CMakeLists.txt" or path.name.endswith(".in"):
        return True
    if path.suffix or path.is_symlink():
        return False
    with path.open("rb") as file:
        return file.read(2) == b"#!"


def sources(root):
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if name not in SKIPPED and not name.startswith("build"))
        yield from (path for name in sorted(names) if is_source(path := pathlib.Path(folder) / name))


def without_header(root):
    return [str(path.relative_to(root)) for path in sources(root)
            if not any(IDENTIFIER in line for line in path.read_text().splitlines()[:8])]  # fmt: skip


def test_every_source_file_has_a_licence_header():
    assert len(list(sources(ROOT))) > 1000
    assert without_header(ROOT) == []


def test_missing_headers_are_found(tmp_path):
    files = {
        "a.cpp": "// " + IDENTIFIER,
        "b.cpp": "int x;",
        "script": "#!/bin/sh\n",
        "LICENSE": "text",
        "x.mlir": "module {}",
        "lit.site.cfg.py.in": "config = 1",
        "late.py": "\n" * 8 + "# " + IDENTIFIER,
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "build").mkdir()
    (tmp_path / "build" / "c.cpp").write_text("")
    assert without_header(tmp_path) == ["b.cpp", "late.py", "lit.site.cfg.py.in", "script"]
