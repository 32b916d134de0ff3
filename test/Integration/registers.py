# Registers that are predicted against those that ptxas needs, for schedules drawn at random. A kernel promises ptxas the blocks
# that the schedule counts on an SM, so what ptxas uses leaves room for them; and the least that it needs to spill nothing is at most
# kRegisterMargin (Analysis/Footprint.h) times the prediction: compiled for so many, nothing spills.
# REQUIRES: ptxas
# RUN: %python %s %t %S/Inputs %ptxas 3

import json
import os
import re
import subprocess
import sys

folder, inputs, ptxas, count = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
sys.path.insert(0, inputs)
from hand_schedule import ROOT, run  # noqa: E402

MARGIN, MOST, PER_SM = 1.125, 255, 65536
CHAINS = (
    "64,48,80,32", "128,64,128,64", "96,64,96,64,32", "256,64,256,64", "128,128,128", "512,512,512,256", "1024,64,1024,64",
    "512,256,256,256,128", "65536,64,256,64", "131072,64,64",
)  # fmt: skip
PIPELINE = (
    "builtin.module(fuse-explicit-numerics,fuse-normalize,cse,fuse-form-groups{{chip=sm_80 force-fusion=true}},"
    "fuse-search-schedules{{random-seed={seed} report={report}}},tile-pipeline,tile-to-nvvm)"
)


def compile(ptx, path):
    """Registers of a thread, and the bytes that are spilled."""
    with open(path, "w") as file:
        file.write(ptx)
    said = subprocess.run(
        [ptxas, "-v", "-arch=sm_80", path, "-o", path + ".cubin"], check=True, capture_output=True, text=True
    ).stderr
    return max(map(int, re.findall(r"Used (\d+) registers", said))), sum(map(int, re.findall(r"(\d+) bytes spill stores", said)))


os.makedirs(folder, exist_ok=True)
broken = runs = limited = 0
for chain in CHAINS:
    path = os.path.join(folder, chain)
    generator = os.path.join(ROOT, "benchmarks", "workloads", "generate.py")
    run(sys.executable, generator, "--chain=" + chain, "-o", path + ".mlir")
    for seed in range(count):
        pipeline = PIPELINE.format(seed=seed, report=path + ".json")
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
        room = min(MOST, int(predicted * MARGIN))
        where = f"{chain}, random-seed={seed}: {predicted} predicted: {chosen['tiling']} {chosen['tiles']}"
        # The kernel of the chain is the first; a second one adds the parts of a split reduction.
        blocks = [int(number) for number in re.findall(r"\.minnctapersm (\d+)", ptx)][0]
        used, spilled = compile(ptx, path + ".ptx")
        runs += 1
        limited += blocks > 1
        if used * 32 * chosen["warps"] * blocks > PER_SM:
            broken += 1
            print(f"{used} registers do not leave room for {blocks} blocks: {where}")
        # Drawn schedules may take all there are.
        if spilled and predicted * MARGIN <= MOST:
            broken += 1
            print(f"{spilled} bytes are spilled at {used} registers: {where}")
        if predicted * MARGIN <= MOST:
            _, spilled = compile(re.sub(r"\.minnctapersm \d+", f".maxnreg {room}", ptx), path + ".least.ptx")
            if spilled:
                broken += 1
                print(f"{spilled} bytes are spilled at {room} registers: {where}")
assert runs > len(CHAINS) * count / 2
print(f"{runs} schedules, {limited} of several blocks on an SM, {broken} broken")
sys.exit(broken != 0)
