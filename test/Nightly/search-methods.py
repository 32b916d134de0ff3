# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# What the search may find by all its methods is at most 1 % worse than what the evolutionary search alone finds, and on average no
# worse: drawn rows of two, three and four products on all chips, within the usual effort and with four times that.
# REQUIRES: benchmarks
# RUN: search-tables methods > %t.md
# RUN: %python %s %t.md

import sys

with open(sys.argv[1]) as file:
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in file if line.startswith("| ")]
print(*(" ".join(row) for row in rows), sep="\n")
assert [(row[0], row[2]) for row in rows[1:]] == [(products, effort) for products in "234" for effort in "14"], rows
for products, count, effort, mean, most, where in rows[1:]:
    assert float(mean) <= 1, f"{products} contractions, effort {effort}: {mean} on average"
    assert float(most) <= 1.01, f"{products} contractions, effort {effort}: {most} on {where}"
