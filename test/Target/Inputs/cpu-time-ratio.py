# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fails where translating the second file to PTX takes more than the given number of times the CPU time of the first.

    cpu-time-ratio.py MOST SMALL LARGE
"""

import resource
import subprocess
import sys


def seconds(path):
    """CPU seconds of a translation, the faster one of two."""
    taken = []
    for _ in range(2):
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        subprocess.run(["fusion-translate", "--fuse-to-ptx", path, "-o", path + ".ptx"], check=True)
        taken.append(resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before)
    return min(taken)


most, small, large = float(sys.argv[1]), seconds(sys.argv[2]), seconds(sys.argv[3])
print(f"{small:.2f} s and {large:.2f} s: {large / small:.1f} times as long")
sys.exit(large > most * small)
