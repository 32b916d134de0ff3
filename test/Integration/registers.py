# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Predicted registers against the registers that ptxas needs, for the schedules that are chosen and for others drawn at
# random. A kernel promises ptxas the blocks that the schedule counts on an SM, so what ptxas uses leaves room for them;
# and the least that it needs to spill nothing is at most kRegisterMargin (Analysis/Resources/Footprint.h) times the
# prediction. That is looked for downwards, as ptxas now and then spills some bytes where it has more registers than
# that, and none where it has fewer: with more it schedules in another way. What is chosen holds to that without
# exception; of what is drawn one schedule in 200 may not.
# REQUIRES: ptxas
# RUN: %python %s %t %S/Inputs %ptxas 3 %sample

import json
import os
import re
import subprocess
import sys

folder, inputs, ptxas, count = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
sys.path.insert(0, inputs)
from hand_schedule import ROOT, run  # noqa: E402
from sample import IS_SAMPLE, some  # noqa: E402

MARGIN, MOST, UNIT, PER_SM = 1.15, 255, 8, 65536
EXCEPTIONS = 1 / 200  # of what is drawn
CHAINS = (
    "64,48,80,32", "128,64,128,64", "96,64,96,64,32", "256,64,256,64", "128,128,128", "512,512,512,256", "1024,64,1024,64",
    "512,256,256,256,128", "65536,64,256,64", "131072,64,64",
)  # fmt: skip
# Softmax, masks and grouped heads between the products, other types and chips.
OTHERS = (
    ("sm_80", "--family=attention_mcfuser --case=S1"),
    ("sm_80", "--family=attention_long --case=FA_d128_s1024_causal"),
    ("sm_80", "--family=decode --case=D_gqa8_d128_r16_n4096"),
    ("sm_80", "--chain=256,64,256,64 --between=bias,relu --dtype=bf16"),
    ("sm_80", "--chain=128,64,128,64 --dtype=f32"),
    ("sm_80", "--chain=512,256,256,256 --dtype=f32"),
    ("sm_80", "--family=gemm_chains_mcfuser --case=G7 --dtype=f32"),
    ("sm_90a", "--family=gemm_chains_mcfuser --case=G10 --dtype=f32"),
    ("sm_89", "--family=attention_mcfuser --case=S1 --dtype=f32"),
    ("sm_80", "--chain=128,511,3,63"),
    ("sm_90a", "--chain=512,257,257,257"),
    ("sm_80", "--chain=17,1023,9,1025"),
    ("sm_90a", "--family=attention_long --case=FA_d64_s512_causal"),
    ("sm_80", "--chain=96,72,100,40 --transpose=1"),
    ("sm_86", "--family=gemm_chains_mcfuser --case=G4"),
    ("sm_89", "--family=attention_mcfuser --case=S10 --dtype=bf16"),
    ("sm_90a", "--family=gemm_chains_mcfuser --case=G4"),
    ("sm_90a", "--family=attention_long --case=FA_d64_s1024"),
    ("sm_80", "--family=conv_chains_chimera --case=C1"),
    ("sm_80", "--family=conv_chains_chimera --case=C6"),
    ("sm_80", "--family=conv_chains_chimera --case=C4 --layout=nchw"),
    ("sm_90a", "--family=conv_chains_chimera --case=C5"),
)
PIPELINE = (
    "builtin.module(fuse-to-unscheduled-groups{{chip={chip} force-fusion=true}},"
    "fuse-search-schedules{{random-seed={seed} report={report}}},tile-pipeline,tile-to-nvvm)"
)


def compile(ptx, path, chip):
    """Registers of a thread, the bytes that are spilled, and what is said of wgmma that is run one by one (C7510 to C7517)."""
    with open(path, "w") as file:
        file.write(ptx)
    said = subprocess.run(
        [ptxas, "-v", "-arch=" + chip, path, "-o", path + ".cubin"], check=True, capture_output=True, text=True
    ).stderr
    spilled = sum(map(int, re.findall(r"(\d+) bytes spill stores", said)))
    return max(map(int, re.findall(r"Used (\d+) registers", said))), spilled, re.findall(r".*\(C75.*", said)


def needs_at_most(room, ptx, path, chip):
    """Whether the kernels spill nothing with some number of registers up to `room`."""
    for registers in range(room, 32, -UNIT):
        _, spilled, _ = compile(re.sub(r"\.minnctapersm \d+", f".maxnreg {registers}", ptx), path, chip)
        if not spilled:
            return True
    return False


os.makedirs(folder, exist_ok=True)
broken = runs = limited = exceptions = 0
cases = [("sm_80", "--chain=" + chain) for chain in CHAINS] + list(OTHERS)
for chip, chain in some(cases, 8):
    path = os.path.join(folder, re.sub(r"\W+", "_", chain + chip))
    generator = os.path.join(ROOT, "benchmarks", "workloads", "generate.py")
    run(sys.executable, generator, *chain.split(), "-o", path + ".mlir")
    for seed in (-1, *some(range(count), 1)):
        pipeline = PIPELINE.format(chip=chip, seed=seed, report=path + ".json")
        lowered = subprocess.run(
            ["fusion-opt", path + ".mlir", "--pass-pipeline=" + pipeline, "-o", path + ".nvvm.mlir"], capture_output=True, text=True
        )
        if " candidates is legal" in lowered.stderr:
            continue  # drawn too large, again and again
        assert lowered.returncode == 0, lowered.stderr
        ptx = run("fusion-translate", "--fuse-to-ptx", path + ".nvvm.mlir")
        with open(path + ".json") as file:
            (group,) = json.load(file)["groups"]
        chosen = group["ranking"][0]
        predicted = chosen["footprint"]["registers"]
        # Warps get registers in units of 256, which is 8 for each thread.
        room = min(MOST, -(-int(predicted * MARGIN) // UNIT) * UNIT)
        which = f"random-seed={seed}" if seed >= 0 else "chosen"
        where = f"{chip} {chain}, {which}: {predicted} predicted: {chosen['tiling']} {chosen['tiles']}"
        # The kernel of the chain is the first; a second one adds the partial results of a split reduction.
        blocks = [int(number) for number in re.findall(r"\.minnctapersm (\d+)", ptx)][0]
        used, spilled, serialized = compile(ptx, path + ".ptx", chip)
        runs += 1
        limited += blocks > 1
        if used * 32 * chosen["warps"] * blocks > PER_SM:
            broken += 1
            print(f"{used} registers do not leave room for {blocks} blocks: {where}")
        # Drawn schedules may take all there are.
        complaints = list(serialized)
        if spilled and (seed < 0 or predicted * MARGIN <= MOST):
            complaints.append(f"{spilled} bytes are spilled at {used} registers")
        if predicted * MARGIN <= MOST and not needs_at_most(room, ptx, path + ".least.ptx", chip):
            complaints.append(f"more than {room} registers are needed to spill nothing")
        for complaint in complaints:
            print(f"{complaint}: {where}", flush=True)
        broken += bool(complaints) and seed < 0
        exceptions += bool(complaints) and seed >= 0
assert runs > len(cases) * count / 2 or IS_SAMPLE
print(f"{runs} schedules, {limited} of several blocks on an SM, {exceptions} beyond the margin, {broken} broken")
sys.exit(broken != 0 or exceptions > max(IS_SAMPLE, runs * EXCEPTIONS))
