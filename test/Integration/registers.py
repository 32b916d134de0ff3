# Registers that are predicted against those that ptxas uses, for schedules drawn at random: what leaves the room that the search
# asks for (kRegisterMargin in Analysis/Footprint.h) does not spill, and of those that use many at most one in ten uses more than
# that margin; ptxas takes registers where there are some.
# REQUIRES: ptxas
# RUN: %python %s %t %S/Inputs %ptxas 3

import json
import os
import re
import subprocess
import sys

folder, inputs, ptxas, count = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
sys.path.insert(0, inputs)
from hand_schedule import ROOT  # noqa: E402

MARGIN, MANY, MOST = 1.25, 128, 255
CHAINS = ("64,48,80,32", "128,64,128,64", "96,64,96,64,32", "256,64,256,64", "128,128,128", "512,512,512,256")
PIPELINE = (
    "builtin.module(fuse-explicit-numerics,fuse-normalize,cse,fuse-form-groups{{chip=sm_80 force-fusion=true}},"
    "fuse-search-schedules{{random-seed={seed} report={report}}},tile-pipeline,tile-to-nvvm)"
)

os.makedirs(folder, exist_ok=True)
broken = runs = many = above = 0
for chain in CHAINS:
    path = os.path.join(folder, chain)
    generator = os.path.join(ROOT, "benchmarks", "workloads", "generate.py")
    subprocess.run([sys.executable, generator, "--chain=" + chain, "-o", path + ".mlir"], check=True)
    for seed in range(count):
        pipeline = PIPELINE.format(seed=seed, report=path + ".json")
        lowered = subprocess.run(
            ["fusion-opt", path + ".mlir", "--pass-pipeline=" + pipeline], check=True, capture_output=True
        )
        ptx = subprocess.run(["fusion-translate", "--fuse-to-ptx"], input=lowered.stdout, check=True, capture_output=True)
        with open(path + ".ptx", "wb") as file:
            file.write(ptx.stdout)
        said = subprocess.run(
            [ptxas, "-v", "-arch=sm_80", path + ".ptx", "-o", path + ".cubin"], check=True, capture_output=True, text=True
        ).stderr
        used = max(int(number) for number in re.findall(r"Used (\d+) registers", said))
        with open(path + ".json") as file:
            (group,) = json.load(file)["groups"]
        chosen = group["ranking"][0]
        predicted = chosen["footprint"]["registers"]
        runs += 1
        spills = any(int(number) for number in re.findall(r"(\d+) bytes spill stores", said))
        many += used >= MANY
        where = f"{chain}, random-seed={seed}: {used} registers, {predicted} predicted: {chosen['tiling']} {chosen['tiles']}"
        if used >= MANY and used > MARGIN * predicted:
            above += 1
            print(where)
        if spills and predicted * MARGIN <= MOST:
            broken += 1
            print("spills: " + where)
print(f"{runs} schedules, {many} of many registers, {above} of them above the margin, {broken} broken")
sys.exit(broken != 0 or above > 1 + many / 10)
