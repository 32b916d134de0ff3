# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Chains of contractions of f32, tf32, s8 and 8-bit floats, on sm_90a also truncated to tf32 and added up coarsely, with
# softmax and others between them, every transposition, odd sizes: one kernel each, right within the bounds of
# docs/numerics.md, moving the bytes that were predicted, silent under the sanitizers; as the search chooses and by
# schedules drawn at random. Where rows are multiples of 16 bytes, no bank conflict but for 32-bit results with TMA
# stores.
# RUN: %python %s %t 2 %sample

import json
import os
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "Inputs"))
import devices
from sample import IS_SAMPLE, some
from typed_chains import chain

folder, draws = sys.argv[1], int(sys.argv[2])
nightly = "--nightly" in sys.argv
only = [word[len("--type=") :] for word in sys.argv if word.startswith("--type=")]
device = "cpu" if "--device=cpu" in sys.argv else "emulator"
ptxas = shutil.which("ptxas")
os.makedirs(folder, exist_ok=True)

# name: sizes, transposed operands, operators between, batch
CASES = {
    "two": ((64, 64, 96, 32), (), (), None),
    "transposed": ((64, 64, 96, 32), (1, 2), (), None),
    "first_transposed": ((64, 64, 64, 64), (0,), ("relu",), None),
    "three": ((96, 64, 96, 64, 32), (2,), ("bias", "relu"), None),
    "odd": ((33, 17, 65, 9), (), (), None),
    "odd_three": ((50, 21, 30, 40, 50), (0, 2), ("relu",), None),
    "softmax": ((96, 64, 96, 64), (1,), ("scale", "softmax"), 2),
    "softmax_odd": ((40, 72, 100, 24), (1, 2), ("bias", "softmax"), None),
    "softmax_narrow": ((100, 8, 77, 8), (1,), ("scale", "softmax"), 2),
    "softmax_online": ((64, 64, 256, 64), (1,), ("scale", "softmax"), None),
    # For warpgroups, with columns of the RHS as rows.
    "groups": ((128, 96, 128, 64), (1, 2), ("relu",), None),
    "groups_softmax": ((128, 64, 192, 64), (1, 2), ("scale", "softmax"), 2),
}
FEW_OF_GROUPS = ("transposed", "odd", "softmax_odd", "groups", "groups_softmax")
if nightly:
    for number in range(16):
        transposed = tuple(bit for bit in range(4) if number >> bit & 1)
        CASES[f"all_{number}"] = ((48, 80, 112, 64, 96), transposed, ("relu",), None)
        CASES[f"all_odd_{number}"] = ((47, 79, 33, 61, 95), transposed, ("bias",), 2)
    for heads in range(8, 136, 24):
        CASES[f"heads_{heads}"] = ((100, heads, 77, heads), (1,), ("scale", "softmax"), 2)

# The chip, the bytes of an element, and what an error may be, of the root mean square of the result: f32 adds in another
# order; tf32 rounds the factors; s8 is exact; a narrow intermediate may round to its other neighbour.
TYPES = {
    "f32": ("sm_80", 4, 2**-18),
    "tf32": ("sm_80", 4, 2**-8),
    "s8": ("sm_80", 1, 0),
    "e4m3": ("sm_89", 1, 2**-4),
    "e5m2": ("sm_89", 1, 2**-3),
    # What is cut off does not cancel: 2^-9 of the element, of which the largest are some root mean squares.
    "tf32-cut": ("sm_90a", 4, 2**-6),
    # Sums of fewer bits make more intermediate values round to the other neighbour. The tolerance of fusion-run, which
    # follows from the number of terms, is several times as large.
    "e4m3-coarse": ("sm_90a", 1, 2**-3),
    "e5m2-coarse": ("sm_90a", 1, 2**-2),
}
# What the module allows, as an option of the tools.
OPTIONS = {
    "tf32": "f32-products=tf32",
    "tf32-cut": "f32-products=tf32-cut",
    "e4m3-coarse": "f8-products=coarse",
    "e5m2-coarse": "f8-products=coarse",
}


def check(kind, name, seed):
    """What is wrong with one case, random schedule `seed` or, of -1, the one that is chosen."""
    sizes, transposed, between, batch = CASES[name]
    chip, bytes, bound = TYPES[kind]
    path = os.path.join(folder, f"{kind}_{name}")
    with open(path + ".mlir", "w") as file:
        file.write(chain(kind.removesuffix("-coarse").removesuffix("-cut"), sizes, transposed, between, batch))
    command = ["fusion-run", path + ".mlir", *devices.words(device, chip), f"--json={path}.json"]
    command.append(devices.drawn(device, chip, seed) if seed >= 0 else "--force-fusion")
    if kind in OPTIONS:
        command.append("--" + OPTIONS[kind])
    done = subprocess.run(command, capture_output=True, text=True)
    if seed >= 0 and " candidates is legal" in done.stderr:
        return  # drawn too large, again and again
    if done.returncode:
        yield f"exit code {done.returncode}\n{done.stdout[-1500:]}{done.stderr[-500:]}"
        return
    with open(path + ".json") as file:
        (report,) = json.load(file)
    (result,) = report["results"]
    if result["max_abs_error"] > bound * result["reference_rms"]:
        yield f"error {result['max_abs_error']} of {result['reference_rms']}"
    if device == "cpu":  # which counts nothing
        return
    # A reduction that is split over blocks has a kernel that reduces the partial results.
    isSplit = len(report["kernels"]) == 2 and "parallel =" in report["kernels"][0]["schedule"]
    if len(report["kernels"]) != 1 and not isSplit:
        yield f"{len(report['kernels'])} kernels"
        return
    kernel = report["kernels"][0]
    counted, predicted = kernel["counters"], kernel["predicted"]
    # Of loads through registers LLVM leaves out those whose data is known to be there already.
    isSynchronous = any(size * bytes % 4 for size in sizes)
    for what in ("global_load_bytes", "global_store_bytes"):
        if counted[what] > predicted[what] or (counted[what] != predicted[what] and not isSynchronous):
            yield f"{what} {counted[what]} {predicted[what]} {kernel['schedule']}"
    if kernel["dynamic_shared_memory"] != predicted["shared_memory"]:
        yield f"shared memory {kernel['dynamic_shared_memory']} {predicted['shared_memory']}"
    # 8-bit elements of an LHS that is stored transposed are loaded one by one.
    isClaimed = all(size * bytes % 16 == 0 for size in sizes) and not (bytes == 1 and 0 in transposed)
    # A 32-bit result with a TMA store is staged with two wavefronts where one would do (docs/hopper-reference.md).
    isInBulk = f"{'CEGI'[len(sizes) - 3]} = #fuse.place<shared, tma>" in kernel["schedule"]
    unavoidable = counted["global_store_bytes"] // 128 if isInBulk else 0
    if seed < 0 and isClaimed and counted["shared_bank_conflicts"] > unavoidable:
        yield f"{counted['shared_bank_conflicts']} bank conflicts {kernel['schedule']}"
    usesTensorCores = counted["mma_flops"] > 0
    if usesTensorCores != (kind != "f32"):
        yield f"{counted['mma_flops']} flops of tensor cores"
    if '"wgmma.' in kernel["schedule"]:
        inShared.add(kind)
    if seed < 0 and ptxas:
        yield from assemble(kind, path, chip)


def assemble(kind, path, chip):
    options = f"--fuse-to-nvvm=chip={chip} force-fusion=true {OPTIONS.get(kind, '')}"
    lowered = subprocess.run(["fusion-opt", path + ".mlir", options], capture_output=True, text=True, check=True)
    ptx = subprocess.run(
        ["fusion-translate", "--fuse-to-ptx"], input=lowered.stdout, capture_output=True, text=True, check=True
    )
    with open(path + ".ptx", "w") as file:
        file.write(ptx.stdout)
    if kind == "f32" and "fma.rn.f32" not in ptx.stdout:
        yield "products of f32 are no multiply-adds"
    done = subprocess.run(
        [ptxas, "-v", f"-arch={chip}", path + ".ptx", "-o", path + ".cubin"], capture_output=True, text=True
    )
    if done.returncode or " 0 bytes spill stores, 0 bytes spill loads" not in done.stderr or "(C75" in done.stderr:
        yield f"ptxas: {done.stderr}"


def cases_of(kind):
    """Nightly all of them."""
    isOfGroups = TYPES[kind][0] == "sm_90a"
    return [name for name in CASES if nightly or (name in FEW_OF_GROUPS if isOfGroups else not name.startswith("groups"))]


broken = runs = 0
inShared = set()
kinds = only or list(TYPES)
for kind in kinds:
    for name in some(cases_of(kind), 4):
        for seed in some(range(-1, draws), 1):
            runs += 1
            for problem in check(kind, name, seed):
                broken += 1
                print(f"{kind} {name} random-seed={seed}: {problem}")
# What only these options allow.
lacking = [kind for kind in kinds if device == "emulator" and kind in OPTIONS and TYPES[kind][0] == "sm_90a" and kind not in inShared]
assert not lacking or IS_SAMPLE, f"no product of {lacking} is wgmma"
print(f"{runs} runs, {broken} broken")
sys.exit(broken != 0)
