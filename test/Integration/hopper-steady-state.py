# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# What ptxas makes of attention with heads of 128 on sm_90a, two warpgroups with ping-pong scheduling and producers:
# both contractions by wgmma, the second one's A in registers, all exponentials between the waits for the first and for
# the second one, nothing but a few instructions for a score, and a producer that waits and copies.
# REQUIRES: ptxas, nvdisasm
# RUN: %python %s %t %S/Inputs %ptxas %nvdisasm

import re
import sys

folder, inputs, ptxas, nvdisasm = sys.argv[1:]
sys.path.insert(0, inputs)
from hand_attention import Attention  # noqa: E402
from hand_schedule import lower, schedule  # noqa: E402
from sass import assemble, loops, opcodes  # noqa: E402

# 64 x 128 scores of a group, 64 of each thread; eight steps of 16 of either product.
SCORES, STEPS = 64, 8
attention = Attention(folder, "full", "FA_d128_s1024", 512, 128, 128, 128, 2, 2, False)
attention.description["places"]["E"] = "shared, tma"
lower(attention.path, attention.groups, schedule(**attention.description, producers=4, overlapped="E", turns=True))
bodies = list(loops(assemble(ptxas, nvdisasm, "sm_90a", attention.path)))
body = next(body for body in bodies if opcodes(body).count("HGMMA") == 2 * STEPS)
names = opcodes(body)
of_registers = sum(bool(re.match(r"HGMMA\.\S+ R\d+, R\d+, gdesc", text)) for text in body)
assert of_registers == STEPS, of_registers
waits = [place for place, name in enumerate(body) if "WARPGROUP.DEPBAR" in name]
assert len(waits) == 2, waits
exponentials = [place for place, name in enumerate(names) if name == "MUFU"]
under = sum(waits[0] < place < waits[1] for place in exponentials)
assert len(exponentials) >= SCORES and under >= 0.95 * len(exponentials), (under, len(exponentials))
# The wait for the turn, its end, and no other barrier.
assert names.count("BAR") == 2, names.count("BAR")
# A branch behind the vote leaves out what rows of large maxima need, two to five instructions for a score. The first multiply-adds
# follow it, then the first exponential.
branch = next(place for place in range(names.index("VOTE"), len(names)) if names[place] == "BRA")
assert branch + 2 * SCORES < exponentials[0] < branch + 5 * SCORES, (branch, exponentials[0])
others = len(names) - (exponentials[0] - branch)
assert others <= 8 * SCORES, (others, len(names))
# Results below the normal numbers would take a comparison and two multiplications for each exponential.
assert names.count("FSETP") < SCORES / 4, names.count("FSETP")
(producer,) = [names for names in map(opcodes, bodies) if names.count("UTMALDG") > 1 and "HGMMA" not in names and "MUFU" not in names]
assert "SYNCS" in producer, producer
print(f"{others} of {len(names)} instructions are not between the branch and the first exponential, for {SCORES} scores of a thread, {under} of {len(exponentials)} exponentials under the second contraction")
