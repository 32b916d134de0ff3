# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The machine of a measurement."""

import os
import pathlib
import platform
import re
import subprocess

_CPU = pathlib.Path("/sys/devices/system/cpu")
_UNITS = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
# Features that decide which kernels there are.
_FEATURES = ("avx2", "fma", "f16c", "avx_vnni", "avx512f", "avx512_bf16", "avx512_vnni", "avx512_fp16", "amx_bf16",
             "amx_int8")  # fmt: skip


def caches():
    """{"L1", "L2", "L3"}: bytes; L1 and L2 of a core. What the system does not tell is missing."""
    found = {}
    for index in sorted((_CPU / "cpu0" / "cache").glob("index*")):
        level, kind, size = ((index / name).read_text().strip() for name in ("level", "type", "size"))
        if kind != "Instruction" and re.fullmatch(r"\d+[KMG]", size):
            found[f"L{level}"] = int(size[:-1]) * _UNITS[size[-1]]
    return found


def describe():
    """{"cpu", "cores", "caches", "features", "system", "compiler"}."""
    text = pathlib.Path("/proc/cpuinfo").read_text()

    def field(name):
        line = re.search(rf"^{name}\s*: (.*)$", text, re.MULTILINE)
        return line.group(1) if line else "unknown"

    flags = field("flags").split()
    family = "family {}, model {}".format(field("cpu family"), field("model"))
    return {
        "cpu": f"{field('model name')} ({family})",
        "cores": len(os.sched_getaffinity(0)),
        "caches": caches(),
        "features": [name for name in _FEATURES if name in flags],
        "system": f"{platform.system()} {platform.release()}",
        "compiler": _version(["cc", "--version"]),
    }


def _version(command):
    try:
        lines = subprocess.run(command, capture_output=True, text=True).stdout.splitlines()
    except OSError:
        return "none"
    return lines[0] if lines else "unknown"


def levels(caches, threads):
    """{level: bytes} of all arrays of a stream together: each in the middle of its level."""
    l2, l3 = caches.get("L2", 1 << 19), caches.get("L3", 1 << 23)
    return {"L2": l2 * threads // 2, "L3": max(l3 // 2, 4 * l2 * threads), "DRAM": max(8 * l3, 1 << 28)}
