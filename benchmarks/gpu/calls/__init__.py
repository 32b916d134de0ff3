# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The two calls on a GPU: `run --call=1` checks every kernel feature, `run --call=2` times what decides something.

package.py reads what benchmarks/gpu/prepare has compiled, journal.py keeps the results of each unit, phases.py runs the
units within the deadline, archive.py packs everything into one file, report.py writes the summary.
"""
