# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""set_schedule.py MODULE SCHEDULE: prints MODULE with the schedule of its group replaced by the text in SCHEDULE."""

import sys


def replace_schedule(module, schedule):
    start = module.index("schedule = #fuse.schedule<")
    depth, end = 0, module.index("<", start)
    while True:
        # "->" closes nothing.
        if module[end] == "<":
            depth += 1
        elif module[end] == ">" and module[end - 1] != "-":
            depth -= 1
            if depth == 0:
                return module[:start] + "schedule = " + schedule.strip() + module[end + 1 :]
        end += 1


if __name__ == "__main__":
    with open(sys.argv[1]) as module, open(sys.argv[2]) as schedule:
        print(replace_schedule(module.read(), schedule.read()))
