# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What benchmarks/gpu/prepare does before the GPU host is used: cases and timings compiled to plans, machine code, the
emulator's results.

feature_cases.py lists the cases of the first call, timing_units.py what the second one times, compiler.py makes plans
of both, ranked.py the next schedules of the search's ranking, packing.py the folder, portable.py checks the tools
without LLVM.
"""
