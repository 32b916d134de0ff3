#!/usr/bin/env python3
# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles chains and other programs (programs.py) and writes each of their kernels as a launch for mutate.py.

    compiler_cases.py OUTPUT --bin=build/bin [--case=PATTERN]

The kernels of a plan are launched on inputs of small integers, so that sums are exact.
"""

import argparse
import fnmatch
import json
import os
import pathlib
import random
import struct
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "test" / "Integration" / "Inputs"))
from tma_copy_cases import CASES as BULK  # noqa: E402
from tma_store_cases import CASES as STORES  # noqa: E402
from cluster_cases import CASES as CLUSTERS  # noqa: E402
from hand_schedule import PRODUCT, generate, lower, run, schedule  # noqa: E402
from hopper_cases import CASES as HOPPER  # noqa: E402
from persistent_cases import CASES as PERSISTENT  # noqa: E402
from pipelined_cases import CASES, stage_counts  # noqa: E402
from programs import CASES as PROGRAMS  # noqa: E402
from producer_cases import CASES as ROLES  # noqa: E402
from score_chains import chain  # noqa: E402
from warpgroup_cases import CASES as WARPGROUPS  # noqa: E402

# Chains, all schedules written here, so that the kernels stay of the same kinds whatever the search prefers: chip, arguments
# of the workload generator, schedule. Several blocks, and as many iterations as stages and two more. (Every chip that the
# compiler knows has cp.async; those of sm_90a differ by its smaller tiles.)
SMALL_PRODUCT = dict(
    tiling="mn(LA,LB,CC,SC)",
    tiles=dict(k=192, m=16, n=16),
    blocks=["m", "n"],
    maps=dict(C=("m", "n", "k", "[1, 1]")),
    places=dict(A="shared, async16", B="shared, async16", C="shared"),
    stages={},
    warps=1,
    registers=2,
)
OVER_N = dict(
    tiling="mh(LA,n(LB,CC,LD,CE),SE)",
    tiles=dict(h=32, k=64, m=16, n=224),
    blocks=["m", "h"],
    maps=dict(C=("m", "n", "k", "[1, 4]"), E=("m", "h", "n", "[1, 4]")),
    places={x: "shared, async16" for x in "ABD"} | dict(C="shared", E="shared"),
    stages=dict(B=2, D=2),
    registers=2,
)
ROW_IN_A_TILE = OVER_N | dict(
    tiling="mh(LA,LB,CC,LD,CE,SE)", tiles=dict(h=32, k=64, m=16, n=192), stages={}, reduction="one_tile"
)
WARP = OVER_N | dict(
    tiles=dict(h=16, k=32, m=16, n=112),
    maps=dict(C=("m", "n", "k", "[1, 1]"), E=("m", "h", "n", "[1, 1]")),
    places=OVER_N["places"] | dict(C="registers"),
    warps=1,
)


def with_bias(description):
    """The result's bias is loaded behind the loop."""
    places = description["places"] | dict(F="registers")
    return description | dict(tiling=description["tiling"].replace("SE", "LF,SE"), places=places)


CHAINS = {
    "32x192x64": ("sm_80", ("--chain=32,192,64",), SMALL_PRODUCT),
    "32x64x896x64_relu": ("sm_80", ("--chain=32,64,896,64", "--between=relu"), OVER_N),
    "32x64x192x64_softmax": ("sm_80", ("--chain=32,64,192,64", "--between=softmax"), ROW_IN_A_TILE),
    "32x64x896x64_biasxrelu": ("sm_80", ("--chain=32,64,896,64", "--epilogue=bias,relu"), with_bias(OVER_N)),
    "sm_90a_32x32x448x32_relu": ("sm_90a", ("--chain=32,32,448,32", "--between=relu"), WARP),
    "sm_90a_32x32x896x32_biasxrelu": (
        "sm_90a", ("--chain=32,32,896,32", "--epilogue=bias,relu"), with_bias(WARP | dict(tiles=WARP["tiles"] | dict(n=128))),
    ),
    "sm_90a_four-stages": (
        "sm_90a", ("--chain=32,32,192,32",), WARP | dict(tiles=WARP["tiles"] | dict(n=32), stages=dict(B=4, D=4)),
    ),
}  # fmt: skip
# Chains whose schedule is written by hand: name of the case, stages, register stages; another shape where
# the case has fewer iterations than the most stages and two, or one block.
PIPELINED = (
    ("loop-over-n", (3,), 2),
    ("nest", (2,), 1),
    ("masked-product", (3, 2), 2, "--chain=72,196,52"),
    ("one-through-registers", (3,), 1),
    ("both-through-registers", (2,), 2),
    ("registers-around-copies", (3,), 1),
    # The last iteration's buffers lie where the result is staged.
    ("one-warp", (3,), 2, "--chain=32,112,32"),
)
# Contractions by warpgroups with operands in shared memory: the case, stages, another shape.
MULTIPLIED_IN_PLACE = (
    ("plain", 3, ["--chain=128,448,128", "--2d"]),
    ("handed-over", 2, ["--chain=128,64,256,64", "--2d"]),
    ("through-shared-memory", 1, ["--chain=128,64,256,128", "--2d"]),
)
# Contractions with TMA copies of their operands: the case, stages of operands and of fragments, another shape.
IN_BULK = (
    ("plain", 3, 1, ["--chain=128,448,128", "--2d"]),
    ("handed-over", 2, 1, ["--chain=128,64,256,64", "--2d"]),
    ("mixed", 3, 1, ["--chain=128,448,128", "--2d"]),
    ("sm_90a-loop-over-n", 3, 2, ["--chain=64,32,160,48", "--2d"]),
)
# Contractions with producer warps: the case, stages of operands and of fragments, producers, another shape.
WITH_ROLES = (
    ("plain", 3, 1, 4, ["--chain=128,448,128", "--2d"]),
    ("wide", 2, 1, 4, ["--chain=256,64,256,256", "--2d"]),
    ("mixed-chain", 2, 1, 1, ["--chain=128,64,320,64", "--2d"]),
    ("sm_90a-loop-over-n", 3, 2, 1, ["--chain=64,32,160,48", "--2d"]),
)
# Contractions with TMA stores of their results: at the end, in a loop, beside producers.
STORED_IN_BULK = ("by-threads", "by-threads-in-a-loop", "in-a-loop-of-producers")
# Persistent blocks: stages, another shape, of which two blocks run, each with two tiles.
THROUGH_TILES = (
    ("product-stored-in-bulk", 5, ["--chain=1064,424,1064", "--2d"]),
    # A cluster of two.
    ("product-in-clusters", 5, ["--chain=1088,424,1152", "--2d"]),
)
# Partial results along k, which a cluster reduces, and which a second launch adds, which begins under the first.
PARTS = {"in-clusters-parts": True, "programmatic-parts": False}
# The second contraction overlaps with the next iteration's first one: producers.
OVERLAPPED = (0, 4)
# Two warpgroups with ping-pong scheduling, with the second contraction of an iteration waited for in its turn, and
# overlapping with the next iteration.
TURNS = {"turns": (), "turns-overlapped": "E"}
# Blocks of a cluster that copy for one another: the case, producers, another shape.
IN_CLUSTERS = (
    ("first-operand", 0, ["--chain=128,448,128", "--2d"]),
    ("handed-over", 4, ["--chain=128,64,256,64", "--2d"]),
    ("filled-anew", 0, ["--chain=128,144,96,144", "--2d"]),
    ("filled-anew", 4, ["--chain=128,144,96,144", "--2d"]),
)
# Contractions with reductions between them that run with the loop over n, which is pipelined: arguments of
# score_chains.py, schedule, stages, and perhaps the axis whose masked tiles are skipped. Two blocks; five
# iterations at least.
SCORES = {
    "softmax-in-shared-memory": (
        dict(b=1, m=64, n=160, k=32, h=32, lse=True),
        dict(
            tiling="m(LA,n(LB,CC,LD,CE),SE,SF)",
            tiles=dict(b=1, m=32, n=32, k=32, h=32),
            maps=dict(C=("m", "n", "k", "[2, 2]"), E=("m", "h", "n", "[2, 2]")),
            places=dict(A="shared, async16", B="shared, async16", C="shared", D="shared, async16", E="shared", F="registers"),
        ),
        dict(B=3, D=2),
    ),
    "causal-softmax-in-registers": (
        dict(b=1, m=128, n=224, k=32, h=32, mask="causal"),
        dict(
            tiling="m(LA,n(LB,CC,LD,CE),SE)",
            tiles=dict(b=1, m=64, n=32, k=32, h=32),
            maps=dict(C=("m", "n", "k", "[4, 1]"), E=("m", "h", "n", "[4, 1]")),
            places=dict(A="shared, async16", B="shared, async16", C="registers", D="shared, async16", E="shared"),
        ),
        dict(B=2, D=3),
        "n",
    ),
    "rms": (
        dict(b=1, m=64, n=160, k=32, h=32, scores="rms", type="bf16"),
        dict(
            tiling="m(LA,n(LB,CC,LD,CE),SE)",
            tiles=dict(b=1, m=32, n=32, k=32, h=32),
            maps=dict(C=("m", "n", "k", "[2, 2]"), E=("m", "h", "n", "[2, 2]")),
            places=dict(A="shared, async16", B="shared, async16", C="shared", D="shared, async16", E="shared"),
        ),
        dict(B=2, D=2),
    ),
}
SIZES = {"f16": 2, "bf16": 2, "f32": 4, "i32": 4, "i8": 1, "i64": 8, "f64": 8, "f8E4M3FN": 1}
E4M3 = {-2: 0xC0, -1: 0xB8, 0: 0, 1: 0x38, 2: 0x40}


def fill(kind, count, rng):
    values = [rng.randint(-2, 2) for _ in range(count)]
    if kind == "f16":
        return struct.pack(f"<{count}e", *values)
    if kind == "f32":
        return struct.pack(f"<{count}f", *values)
    if kind == "bf16":
        return b"".join(struct.pack("<f", v)[2:] for v in values)
    if kind == "f8E4M3FN":
        return bytes(E4M3[v] for v in values)
    if kind == "i8":
        # The intermediate is scaled for bytes of any value.
        return struct.pack(f"<{count}b", *(rng.randint(-128, 127) for _ in range(count)))
    return bytes(count * SIZES[kind])


def elements(value):
    count = 1
    for size in value["shape"]:
        count *= size
    return count


def write_chain(output, name, index):
    chip, options, description = CHAINS[name]
    folder = output / name
    folder.mkdir(parents=True, exist_ok=True)
    path = str(folder / "kernels")
    lower(path, generate(path, *options, chip=chip), schedule(**description))
    launches(name, folder, index)


def write_pipelined(output, case, stages, registers, index, shape=None):
    arguments, description, operands = CASES[case]
    if shape:
        arguments = [shape, *arguments[1:]]
    folder = output / case
    folder.mkdir(parents=True, exist_ok=True)
    path = str(folder / "kernels")
    (counts,) = stage_counts(case, [stages])
    text = schedule(**description, stages=dict(zip(operands, counts)), registers=registers)
    lower(path, generate(path, *arguments), text)
    launches(case, folder, index)


def write_in_place(output, case, stages, shape, index):
    _, description, operands = WARPGROUPS[case]
    name = f"groups-of-warps-{case}"
    folder = output / name
    folder.mkdir(parents=True, exist_ok=True)
    path = str(folder / "kernels")
    text = schedule(**description, stages={operand: stages for operand in operands})
    lower(path, generate(path, *shape, chip="sm_90a"), text)
    launches(name, folder, index)


def write_in_bulk(output, case, stages, registers, shape, index, producers=0):
    chip, _, description, operands = (ROLES | BULK)[case][:4]
    name = f"with-roles-{case}" if producers else f"in-bulk-{case}"
    folder = output / name
    folder.mkdir(parents=True, exist_ok=True)
    path = str(folder / "kernels")
    counts = {operand: stages for operand in operands}
    text = schedule(**description, stages=counts, registers=registers, producers=producers)
    lower(path, generate(path, *shape, chip=chip), text)
    launches(name, folder, index)


def write_stored(output, case, index):
    chip, shape, description, _ = STORES[case]
    name = f"stored-in-bulk-{case}"
    folder = output / name
    folder.mkdir(parents=True, exist_ok=True)
    path = str(folder / "kernels")
    lower(path, generate(path, *shape, chip=chip), schedule(**description))
    launches(name, folder, index)


def write_through_tiles(output, case, stages, shape, index):
    description = PERSISTENT[case][1]
    name = f"through-tiles-{case}"
    folder = output / name
    folder.mkdir(parents=True, exist_ok=True)
    path = str(folder / "kernels")
    description = description | dict(stages={operand: stages for operand in description["stages"]})
    lower(path, generate(path, *shape, chip="sm_90a"), schedule(**description, persistent=True))
    launches(name, folder, index, blocks=2)


def write_overlapped(output, producers, index):
    name = "overlapped" + ("-with-producers" if producers else "")
    folder = output / name
    folder.mkdir(parents=True, exist_ok=True)
    path = str(folder / "kernels")
    text = schedule(**BULK["handed-over"][2], stages=dict(B=2, D=2), producers=producers, overlapped="E")
    lower(path, generate(path, "--chain=128,64,256,64", "--between=gelu", "--2d", chip="sm_90a"), text)
    launches(name, folder, index)


def write_turns(output, name, index):
    folder = output / name
    folder.mkdir(parents=True, exist_ok=True)
    path = str(folder / "kernels")
    maps = dict(C=("m", "n", "k", "[8, 1]"), E=("m", "h", "n", "[8, 1]"))
    case = BULK["handed-over"][2]
    description = case | dict(tiles=case["tiles"] | dict(m=128), maps=maps, warps=8)
    text = schedule(**description, stages=dict(B=2, D=2), producers=4, turns=True, overlapped=TURNS[name])
    lower(path, generate(path, "--chain=256,64,256,64", "--between=gelu", "--2d", chip="sm_90a"), text)
    launches(name, folder, index)


def write_in_clusters(output, case, producers, shape, index):
    chip, _, description, operands, stages, _, clusters = CLUSTERS[case]
    name = f"in-clusters-{case}" + ("-with-producers" if producers else "")
    folder = output / name
    folder.mkdir(parents=True, exist_ok=True)
    path = str(folder / "kernels")
    text = schedule(
        **description, stages={operand: stages for operand in operands}, producers=producers, cluster=clusters[0]
    )
    lower(path, generate(path, *shape, chip=chip), text)
    launches(name, folder, index)


def write_parts(output, name, index):
    folder = output / name
    folder.mkdir(parents=True, exist_ok=True)
    path = str(folder / "kernels")
    # Its rows are one tile.
    places = dict(A="shared, async16", B="shared, async16", C="registers")
    description = PRODUCT | dict(tiling="n(k(LA,LB,CC),SC)", blocks=["n"], places=places)
    text = schedule(**description, stages=dict(A=2, B=2), split=dict(k=4), in_cluster=PARTS[name])
    lower(path, generate(path, "--chain=32,224,64", "--2d", chip="sm_90a"), text)
    launches(name, folder, index)


def write_scores(output, case, index):
    sizes, description, stages, *skip = SCORES[case]
    folder = output / case
    folder.mkdir(parents=True, exist_ok=True)
    path = str(folder / "kernels")
    (folder / "kernels.mlir").write_text(chain(**sizes))
    groups = run("fusion-opt", path + ".mlir", "--fuse-to-groups=chip=sm_80 force-fusion=true")
    text = schedule(**description, blocks=["m"], stages=stages, registers=2)
    text = text.replace("parallel = <{}>>", "reduction = <online>>")
    for axis in skip:
        text = text.replace("}>, mapping", f'}}, skip = "{axis}">, mapping', 1)
    lower(path, groups, text)
    launches(case, folder, index)


def write_program(output, name, index):
    case = PROGRAMS[name]
    folder = output / name
    folder.mkdir(parents=True, exist_ok=True)
    path = str(folder / "kernels")
    (folder / "kernels.mlir").write_text(case.text)
    options = f"=chip={case.chip} force-fusion=true{case.options}"
    lower(path, run("fusion-opt", path + ".mlir", "--fuse-to-groups" + options), case.schedule)
    launches(name, folder, index)


def write_hopper(output, name, index):
    make, blocks = HOPPER[name]
    text, scheduled = make()
    folder = output / name
    folder.mkdir(parents=True, exist_ok=True)
    path = str(folder / "kernels")
    (folder / "kernels.mlir").write_text(text)
    lower(path, run("fusion-opt", path + ".mlir", "--fuse-to-groups=chip=sm_90a force-fusion=true"), scheduled)
    launches(name, folder, index, blocks)


def launches(name, folder, index, blocks=None):
    """Adds the launches of FOLDER/kernels.json, each in a folder of its own; a later one has what those before
    it made. The launches of all their blocks, or of the first ones only."""
    ptx = folder / "kernels.ptx"
    manifest = json.loads((folder / "kernels.json").read_text())
    kernels = {kernel["name"]: kernel for kernel in manifest["kernels"]}
    rng = random.Random(name)
    for function in manifest["functions"]:
        buffers = {}
        for i, value in enumerate(function["inputs"]):
            buffers[f"arg{i}"] = fill(value["type"], elements(value), rng)
        for i, value in enumerate(function["results"]):
            buffers[f"result{i}"] = bytes(elements(value) * SIZES[value["type"]])
        for i, value in enumerate(function["temporaries"]):
            buffers[f"temp{i}"] = bytes(value["bytes"])
        for i, launch in enumerate(function["launches"]):
            kernel = kernels[launch["kernel"]]
            where = folder / str(i)
            where.mkdir(exist_ok=True)
            arguments = []
            for argument in launch["arguments"]:
                if argument["kind"] == "buffer":
                    of = argument["of"]
                    (where / f"{of}.in").write_bytes(buffers[of])
                    # What launches before may still access where they need not have ended.
                    pending = bool(launch.get("programmatic")) and not of.startswith(("arg", "const"))
                    arguments.append({"buffer": f"{of}.in", "write_back": f"{of}.out"} | ({"pending": True} if pending else {}))
                elif argument["kind"] == "tensor_map":
                    keys = ("type", "dims", "strides_bytes", "box", "swizzle", "fill")
                    tensor = {key: argument[key] for key in keys}
                    arguments.append({"tensor_map": {"buffer": f"{argument['of']}.in"} | tensor})
                else:
                    arguments.append({argument["kind"]: argument["of"]})
            path = where / "launch.json"
            path.write_text(json.dumps({
                "kernel": launch["kernel"], "grid": [blocks, 1, 1] if blocks else launch["grid"], "block": kernel["block"],
                "cluster": kernel.get("cluster") or [1, 1, 1],
                "dynamic_shared_memory": kernel["dynamic_shared_memory"], "arguments": arguments,
            }))
            if i + 1 < len(function["launches"]):
                run("fusion-emulate", str(ptx), f"--launch={path}")
                buffers.update((of, (where / f"{of}.out").read_bytes()) for of in buffers if (where / f"{of}.out").exists())
            index.append({
                "name": f"{name}_{i}", "kernel": launch["kernel"], "case": i, "ptx": str(ptx), "launch": str(path), "swizzles": True,
            })


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("output", type=pathlib.Path)
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    parser.add_argument("--case", default="*")
    arguments = parser.parse_args()
    os.environ["PATH"] = str(arguments.bin.resolve()) + os.pathsep + os.environ["PATH"]
    index = []

    def wanted(name):
        return fnmatch.fnmatch(name, arguments.case)

    for name in filter(wanted, CHAINS):
        write_chain(arguments.output, name, index)
    for case, stages, registers, *shape in PIPELINED:
        if wanted(case):
            write_pipelined(arguments.output, case, stages, registers, index, *shape)
    for case, stages, shape in MULTIPLIED_IN_PLACE:
        if wanted(f"groups-of-warps-{case}"):
            write_in_place(arguments.output, case, stages, shape, index)
    for case, stages, registers, shape in IN_BULK:
        if wanted(f"in-bulk-{case}"):
            write_in_bulk(arguments.output, case, stages, registers, shape, index)
    for case, stages, registers, producers, shape in WITH_ROLES:
        if wanted(f"with-roles-{case}"):
            write_in_bulk(arguments.output, case, stages, registers, shape, index, producers)
    for case in STORED_IN_BULK:
        if wanted(f"stored-in-bulk-{case}"):
            write_stored(arguments.output, case, index)
    for case, stages, shape in THROUGH_TILES:
        if wanted(f"through-tiles-{case}"):
            write_through_tiles(arguments.output, case, stages, shape, index)
    for case, producers, shape in IN_CLUSTERS:
        if wanted(f"in-clusters-{case}" + ("-with-producers" if producers else "")):
            write_in_clusters(arguments.output, case, producers, shape, index)
    for name in filter(wanted, PARTS):
        write_parts(arguments.output, name, index)
    for producers in OVERLAPPED:
        if wanted("overlapped" + ("-with-producers" if producers else "")):
            write_overlapped(arguments.output, producers, index)
    for name in filter(wanted, TURNS):
        write_turns(arguments.output, name, index)
    for case in filter(wanted, SCORES):
        write_scores(arguments.output, case, index)
    for name in filter(wanted, HOPPER):
        write_hopper(arguments.output, name, index)
    for name in filter(wanted, PROGRAMS):
        write_program(arguments.output, name, index)
    (arguments.output / "index.json").write_text(json.dumps(index, indent=1) + "\n")


if __name__ == "__main__":
    main()
