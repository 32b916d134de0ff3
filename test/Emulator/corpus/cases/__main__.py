# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the corpus's launches: python3 -m cases OUTPUT [PATTERN]."""

import pathlib
import sys

import cases

if len(sys.argv) not in (2, 3):
    sys.exit("usage: python3 -m cases OUTPUT [PATTERN]")
cases.write_all(pathlib.Path(sys.argv[1]), sys.argv[2] if len(sys.argv) == 3 else "*")
