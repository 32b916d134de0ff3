# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a test of many variants has run and seen."""

import collections


class Tally:
    """Kernels by kind, variants by why they were rejected, and how many of either were broken."""

    def __init__(self, arguments):
        self.arguments = arguments
        self.kinds, self.reasons = collections.Counter(), collections.Counter()
        self.runs = self.broken = 0

    def complain(self, where, said):
        self.broken += 1
        print(f"{where}: {said}", flush=True)

    def report(self):
        for counted in (self.kinds, self.reasons):
            for name, count in sorted(counted.items(), key=str):
                print(f"{count:5} {name}")
