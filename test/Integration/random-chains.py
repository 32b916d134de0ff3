# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Chains of contractions drawn at random (Inputs/random_chains.py), through the whole pipeline and the emulator with its
# sanitizers: right by the reference and by NumPy, the bytes that were predicted, and a reason where something is left
# to a kernel of its own.
# RUN: %python %s %t 0 %if full %{ 100 %} %else %{ 16 %}
#
#   random-chains.py FOLDER FIRST COUNT [--most=SIZE] [--limit=WORK] [--force] [--raw]
#
# One seed is one case: `random-chains.py FOLDER 1234 1` runs it again. What fails is made as small as it still fails in the same
# way and written to FOLDER/seed1234.mlir, beside the command that shows it.

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "Inputs"))
from random_chains import draw
from random_programs import main


def chain(seed, most, limit, force):
    program = draw(seed, most, limit)
    program.isForced |= force
    return program


main("chains", chain, limit=3e6)
