# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# The tables of docs/measurements/hopper.md are what benchmarks/hopper/copies.py prints now: registers of ptxas 13.0 and
# wavefronts exactly, instructions within 5 %, since how often waits poll depends on the order of warps.
# REQUIRES: ptxas
# RUN: %python %source_root/benchmarks/hopper/copies.py > %t.md
# RUN: %python %s %t.md %source_root/docs/measurements/hopper.md %ptxas

import subprocess
import sys

printed, page, ptxas = sys.argv[1:]


def rows_of(path):
    """{first cell: [(column's name, cell)]} of all tables with counted columns."""
    rows, header = {}, None
    with open(path) as file:
        for line in file:
            cells = [cell.strip() for cell in line.split("|")[1:-1]]
            if not cells:
                header = None
            elif header is None:
                header = cells
            elif not cells[0].startswith("---"):
                # A column without a name of its own goes on with the one before it.
                names, kind = [], ""
                for name in header[1:]:
                    kind = (
                        name.split(",")[0]
                        if name.split(",")[0] in ("registers", "instructions", "wavefronts")
                        else kind
                    )
                    names.append(kind)
                if all(names):
                    rows[cells[0]] = list(zip(names, cells[1:]))
    return rows


found, given = rows_of(printed), rows_of(page)
assert found and found.keys() == given.keys(), (found.keys(), given.keys())
release = "release 13.0" in subprocess.run([ptxas, "--version"], check=True, capture_output=True, text=True).stdout
wrong = []
for name, cells in found.items():
    for (kind, now), (_, said) in zip(cells, given[name], strict=True):
        if kind == "registers" and not release:
            continue
        if abs(int(now) - int(said)) > (0.05 * int(said) if kind == "instructions" else 0):
            wrong.append(f"{name}: {kind} {now}, the page has {said}")
print("\n".join(wrong))
sys.exit(bool(wrong))
