# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# RUN: %python %s %source_root %build_root
"""Distribution to threads is compiled without a header of a machine's dialects, and so is the target of tests.

Compares what ninja knows of each object's headers (its own and those of the precompiled header that it uses).
"""

import pathlib
import re
import subprocess
import sys

source, build = map(pathlib.Path, sys.argv[1:])
MACHINE = re.compile(r"mlir/(Dialect|Conversion)/(AMDGPU|ArmSME|GPU|LLVMIR|NVGPU|ROCDL|SPIRV|XeGPU|\w*NVVM\w*)/")
NEUTRAL = ("FusionTileToThreads", "FusionTestTileToLoops", "fusion-neutral-pch")


def headers():
    """{object: its headers}, of all objects that ninja has built."""
    text = subprocess.run(["ninja", "-C", build, "-t", "deps"], capture_output=True, text=True, check=True).stdout
    result, current = {}, None
    for line in text.splitlines():
        if match := re.match(r"(\S+): #deps", line):
            current = result.setdefault(match[1], [])
        elif line.startswith("    "):
            current.append(line.strip())
    return result


def objects(known, library):
    return {name: own for name, own in known.items() if f"/{library}.dir/" in name}


known = headers()
for library in NEUTRAL:
    for name, own in objects(known, library).items():
        wrong = [header for header in own if MACHINE.search(header)]
        assert not wrong, f"{name} includes {wrong}"

# Every source of the library is looked at, and the pattern finds what it looks for.
compiled = {pathlib.Path(name).name.removesuffix(".o") for name in objects(known, "FusionTileToThreads")}
sources = {path.name for path in (source / "lib/Conversion/TileToThreads").glob("*.cpp")}
assert sources <= compiled, f"not compiled: {sources - compiled}"
assert {"LoopTarget.cpp.o", "TileToLoops.cpp.o"} <= {pathlib.Path(n).name for n in objects(known, NEUTRAL[1])}
gpu = objects(known, "FusionTileToGPU")
assert any(MACHINE.search(header) for own in gpu.values() for header in own), "the pattern finds nothing"
