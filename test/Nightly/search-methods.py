# What the search may find by all its methods is at most 1 % worse than what the evolutionary search alone finds: drawn rows of
# two, three and four products on all chips.
# REQUIRES: benchmarks
# RUN: search-tables methods > %t.md
# RUN: %python %s %t.md

import sys

with open(sys.argv[1]) as file:
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in file if line.startswith("| ")]
print(*(" ".join(row) for row in rows), sep="\n")
assert [row[0] for row in rows[1:]] == ["2", "3", "4"], rows
for products, count, mean, most, where in rows[1:]:
    assert float(most) <= 1.01, f"{products} products: {most} on {where}"
