# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""When a call must be over."""

import time

# Seconds for the last archive and the summary.
RESERVE = 3.0
DEFAULT_SECONDS = {1: 270.0, 2: 360.0}


class Deadline:
    """Counts from its creation. `left` excludes the reserve for the end of the call."""

    def __init__(self, seconds, clock=time.monotonic):
        self.clock, self.seconds = clock, seconds
        self.begin = clock()

    def elapsed(self):
        return self.clock() - self.begin

    def left(self):
        return self.seconds - min(RESERVE, 0.2 * self.seconds) - self.elapsed()
