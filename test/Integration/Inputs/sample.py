# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the tier presubmit runs of a test's cases; the tier full runs them all.

A script that has more cases than presubmit has time for gets `%sample` on its RUN line, which is `--sample` up to
presubmit and nothing from full on, and asks for its cases with `some`. Importing this module takes the word from the
command line.
"""

import sys

IS_SAMPLE = "--sample" in sys.argv
if IS_SAMPLE:
    sys.argv.remove("--sample")
# Orders of a kernel's warps that the emulator tries.
ORDERS = f"--schedules={2 if IS_SAMPLE else 8}"
_calls = 0


def some(items, count):
    """All items, or of a sample `count` of them, evenly spaced. Every call begins one item later, so that a test that asks
    for the variants of each of its cases tries all variants, on some case each."""
    global _calls
    items = list(items)
    if not IS_SAMPLE or count >= len(items):
        return items
    first, _calls = _calls, _calls + 1
    return [items[(first + number * len(items) // count) % len(items)] for number in range(count)]


def is_left_out(of):
    """Whether a sample goes without this case: all calls but one of `of` say so."""
    global _calls
    _calls += 1
    return IS_SAMPLE and _calls % of != 1
