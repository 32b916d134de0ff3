#!/usr/bin/env python3
# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles the corpus's sources to the PTX that is kept beside them (needs nvcc 13).

    compile_corpus.py [NAME...]     all, or these
"""

import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
# llvm.ptx comes from clang; unittests/Emulator/CorpusTest.cpp launches it.
TESTED_ELSEWHERE = {"mixture"}


def sources():
    return sorted(path.stem for path in HERE.glob("*.cu"))


def chip(source):
    """A source named hopper_* is for sm_90a."""
    return "sm_90a" if source.startswith("hopper") else "sm_80"


def compile_source(source):
    """The PTX of a source, without nvcc's header, which names its build."""
    command = ["nvcc", "-ptx", "-std=c++17", "-fmad=false", f"-arch={chip(source)}", "-o", "-"]
    run = subprocess.run([*command, f"{source}.cu"], cwd=HERE, capture_output=True, text=True)
    if run.returncode != 0:
        raise RuntimeError(run.stderr)
    return "".join(f"{line}\n" for line in statements(run.stdout))


def statements(text):
    """Lines without the comments and blank lines of the header and between statements."""
    lines = [line.rstrip() for line in text.splitlines()]
    return [line for line in lines if line.strip() and not re.match(r"\s*//", line)]


def difference(kept, current):
    """None, or the first statement that differs. Comments, the name that nvcc derives from the file's
    path, and the version of the ISA do not count."""

    def normal(text):
        for line in statements(text):
            line = re.sub(r"_[0-9a-f]{8}_\d+_\w+_cu_[0-9a-f]{8}(_\d+)?", "_cu", line)
            line = re.sub(r"_INTERNAL_[0-9a-f]+", "_cu", line)
            yield re.sub(r"^\.version .*", ".version", line).split()

    kept, current = list(normal(kept)), list(normal(current))
    for one, other in zip(kept, current):
        if one != other:
            return f"'{' '.join(one)}' is '{' '.join(other)}' now"
    return None if len(kept) == len(current) else "one has more statements than the other"


if __name__ == "__main__":
    for source in sys.argv[1:] or sources():
        (HERE / f"{source}.ptx").write_text(compile_source(source))
        print(f"{source}.ptx")
