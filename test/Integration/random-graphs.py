# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Graphs of memory-intensive operators drawn at random (Inputs/random_graphs.py), through the whole pipeline and the emulator with its
# sanitizers: right by the reference and by NumPy, to the bit where nothing is approximate, the bytes that were predicted, a reason at
# every boundary between kernels.
# RUN: %python %s %t 0 %if full %{ 100 %} %else %{ 16 %}
# RUN: %python %s %t 1993 1
#
#   random-graphs.py FOLDER FIRST COUNT [--most=SIZE] [--limit=ELEMENTS] [--force] [--raw]
#
# One seed is one case: `random-graphs.py FOLDER 1234 1` runs it again. What fails is made as small as it still fails in the same way
# and written to FOLDER/seed1234.mlir, beside the command that shows it.

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "Inputs"))
from random_graphs import draw
from random_programs import main


def graph(seed, most, limit, force):
    """Two of three as the costs say."""
    program = draw(seed, most, limit)
    program.isForced = force or seed % 3 == 0
    return program


main("graphs", graph, limit=4000)
