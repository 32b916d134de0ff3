# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Rows that `search-tables` and `benchmarks/search/emulated.py` print are those of docs/measurements/search.md, and rows of
# `benchmarks/pipelining/ablation.py` those of docs/pipelining.md.
# REQUIRES: benchmarks
# RUN: search-tables spaces dead-loops evolution fusion > %t.md
# RUN: %python %s %t.md %source_root/docs/measurements/search.md 34
# RUN: %python %source_root/benchmarks/pipelining/ablation.py --bin=%build_root/bin -o %t.pipelining.md
# RUN: %python %s %t.pipelining.md %source_root/docs/pipelining.md 43
# RUN: %python %source_root/benchmarks/search/emulated.py --fusion-run=%build_root/bin/fusion-run gemm_chains_mcfuser:G1 > %t.emulated.md
# RUN: %python %s %t.emulated.md %source_root/docs/measurements/search.md 11 "`chimera`"
#
#   search-tables.py PRINTED PAGE LEAST [WITHOUT...]
#
# Rows that begin with one of WITHOUT are not on the page. There are LEAST rows at least.

import sys

printed, page, least, *without = sys.argv[1:]
with open(page) as file:
    given = set(file.read().splitlines())
with open(printed) as file:
    rows = [line.rstrip("\n") for line in file if line.startswith("| ")]
rows = [row for row in rows if not any(row.startswith("| " + name) for name in without)]
missing = [row for row in rows if row not in given]
for row in missing:
    print(f"not in {page}: {row}")
assert len(rows) >= int(least), rows
sys.exit(bool(missing))
