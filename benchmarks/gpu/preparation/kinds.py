# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which kernel features a plan uses: what must be found in the plan of a feature's case, and what a timing depends
on."""

import re

TYPES = {
    "f16": "f16.f16",
    "bf16": "bf16.bf16",
    "tf32": "tf32.tf32",
    "s8": "s8.s8",
    "e4m3": "e4m3.e4m3",
    "e5m2": "e5m2.e5m2",
}
# In the PTX.
PATTERNS = {
    "cp.async": r"cp\.async\.c[ag]\.shared",
    "TMA load": r"cp\.async\.bulk\.tensor\.\dd\.shared::cluster\.global",
    "TMA store": r"cp\.async\.bulk\.tensor\.\dd\.global\.shared::cta",
    "ldmatrix": r"ldmatrix\.sync",
    "stmatrix": r"stmatrix\.sync",
    "register reallocation": r"setmaxnreg\.inc",
    "distributed shared memory": r"mapa\.shared::cluster",
    "warp shuffles": r"shfl\.sync",
    "block barriers": r"bar(rier)?\.(cta\.)?(sync|arrive)",
}
PATTERNS |= {
    f"mma.sync {name}": rf"mma\.sync\.\S*\.{types.replace('.', chr(92) + '.')}\." for name, types in TYPES.items()
}
PATTERNS |= {
    f"wgmma {name}": rf"wgmma\.mma_async\S*\.{types.replace('.', chr(92) + '.')}" for name, types in TYPES.items()
}
# In the schedules of kernels.
SCHEDULES = {
    "producers": r"producers = [1-9]",
    "ping-pong": r"ping_pong = true",
    "persistent": r"persistent = true",
    "split sums in clusters": r"in_cluster = true",
    "cross-iteration overlap": r"overlap = \{",
    "masked tiles skipped": r"skip = ",
    "stitched": r"stitching = <",
    "online reduction": r"online",
}


def of(manifest):
    """The features of a plan by name."""
    ptx = manifest["ptx"]
    found = {name for name, pattern in PATTERNS.items() if re.search(pattern, ptx)}
    schedules = " ".join(kernel.get("schedule") or "" for kernel in manifest["kernels"])
    found |= {name for name, pattern in SCHEDULES.items() if re.search(pattern, schedules)}
    if any(launch.get("programmatic") for function in manifest["functions"] for launch in function["launches"]):
        found.add("programmatic launch")
    maps = [
        argument
        for function in manifest["functions"]
        for launch in function["launches"]
        for argument in launch["arguments"]
        if argument.get("kind") == "tensor_map" or "box" in argument
    ]
    found |= {f"swizzle {argument.get('swizzle', 'none')}" for argument in maps}
    for kernel in manifest["kernels"]:
        blocks = (kernel.get("cluster") or [1])[0]
        if blocks > 1:
            found.add(f"cluster of {blocks}")
            body = entry(ptx, kernel["name"])
            if "multicast::cluster" in body:
                found.add(f"multicast in clusters of {blocks}")
    return found


def entry(ptx, name):
    """The text of a kernel."""
    begin = re.search(rf"\.entry {re.escape(name)}\b", ptx)
    if not begin:
        return ""
    end = ptx.find(".entry ", begin.end())
    return ptx[begin.start() : end if end >= 0 else len(ptx)]
