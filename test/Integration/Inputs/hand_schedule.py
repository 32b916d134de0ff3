# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Schedules written by hand, for chains of contractions of the workload generator."""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys

from set_schedule import replace_schedule

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "..", ".."))
# A matmul, to be varied: no stages, no split.
PRODUCT = dict(
    tiling="mn(k(LA,LB,CC),SC)",
    tiles=dict(m=32, n=32, k=32),
    blocks=["m", "n"],
    maps=dict(C=("m", "n", "k", "[2, 2]")),
    places=dict(A="shared, async16", B="shared, async16", C="shared"),
)
OPERATOR = '#fuse.operator_map<"{}", i1 = "{}", i2 = "{}", r1 = "{}", warps = {}>'


def schedule(tiling, tiles, blocks, maps, places, stages, registers=1, warps=4, raster=1, split=None, skip=None,
             reduction=None, intrinsic="mma.m16n8k16", producers=0, persistent=False, cluster=1, overlapped=(), in_cluster=False,
             turns=False):  # fmt: skip
    """The text of a schedule.

    * `maps`: contraction → (i1, i2, r1, warps).
    * `places`: tensor → space and transport.
    * `stages`: tensor → number.
    * `registers`: stages of all fragments, or tensor → number.
    * `split`: axis → number of splits.
    * `skip`: the axis of which masked tiles are skipped.
    * `intrinsic`: of all contractions.
    * `producers`: producer warps.
    * `persistent`: whether blocks are persistent.
    * `cluster`: blocks of a cluster.
    * `overlapped`: contractions with cross-iteration overlap.
    * `in_cluster`: whether a cluster reduces the partial results.
    * `turns`: whether warpgroups have ping-pong scheduling."""
    operators = ", ".join(f"{name} = {OPERATOR.format(intrinsic, *axes)}" for name, axes in maps.items())
    memory = ", ".join(f"{name} = #fuse.place<{place}>" for name, place in places.items())
    pipeline = ", ".join(f"{name} = {count}" for name, count in stages.items())
    level = f"register_stages = {registers}"
    if isinstance(registers, dict):
        level = "fragments = {" + ", ".join(f"{name} = {count}" for name, count in registers.items()) + "}"
    if overlapped:
        level += ", overlap = {" + ", ".join(f"{name} = 2" for name in overlapped) + "}"
    sizes = ", ".join(f"{axis} = {size}" for axis, size in tiles.items())
    parallel = ", ".join(f"{axis} = {parts}" for axis, parts in (split or {}).items())
    skipped = f', skip = "{skip}"' if skip else ""
    others = (", in_cluster = true" if in_cluster else "") + (f", producers = {producers}" if producers else "")
    others += ", ping_pong = true" if turns else ""
    stays = ", persistent = true" if persistent else ""
    clusters = f", cluster = {cluster}" if cluster > 1 else ""
    form = f", reduction = <{reduction}>" if reduction else ""
    return (
        f'#fuse.schedule<version = 2, tiling = <"{tiling}", {{{sizes}}}{skipped}>, mapping = <warps = {warps}, '
        f"blocks = {json.dumps(blocks)}, operators = {{{operators}}}, block_swizzle = {raster}{stays}{clusters}>, memory = <{{{memory}}}>, "
        f"pipeline = <{{{pipeline}}}, {level}>, "
        f"parallel = <{{{parallel}}}{others}>{form}>"
    )


def contractions_by_warpgroups(groups):
    """Arguments of `schedule` for two contractions with an element-wise operator between them by `groups` warpgroups of
    sm_90a: 64 rows for each warpgroup, TMA copies, the first contraction's result in registers."""
    return dict(
        tiling="m(LA,n(LB,CC,LD,CE),SE)",
        tiles=dict(m=64 * groups, n=64, k=64, h=64),
        blocks=["m"],
        maps=dict(C=("m", "n", "k", f"[{4 * groups}, 1]"), E=("m", "h", "n", f"[{4 * groups}, 1]")),
        places={each: "shared, tma" for each in "ABD"} | dict(C="registers", E="shared"),
        stages=dict(B=2, D=2),
        warps=4 * groups,
        intrinsic="wgmma.m64k16",
    )


def run(*command):
    """The command's output; ends the test where it fails."""
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    return done.stdout


def generate(path, *arguments, chip="sm_80"):
    """Writes the chain to PATH.mlir; returns it with its group formed."""
    generator = os.path.join(ROOT, "benchmarks", "workloads", "generate.py")
    run(sys.executable, generator, *arguments, "-o", path + ".mlir")
    return run("fusion-opt", path + ".mlir", f"--fuse-to-groups=chip={chip} force-fusion=true")


def form(path, chain, chip):
    """Writes a chain, a module or what the generator makes one of, to PATH.mlir; returns it with its group formed."""
    if not isinstance(chain, str):
        return generate(path, *chain, chip=chip)
    with open(path + ".mlir", "w") as file:
        file.write(chain)
    return run("fusion-opt", path + ".mlir", f"--fuse-to-groups=chip={chip} force-fusion=true")


def read(path):
    with open(path) as file:
        return file.read()


def emulate(path, where, *options, is_exact=True):
    """Runs the plan PATH.json on the emulator with its sanitizers. Ends the test, naming `where`, on wrong numbers, findings,
    and where bytes (unless `is_exact` is off: then more) or shared memory are not those predicted. Returns the function's
    report and the bytes of its results."""
    run("fusion-run", path + ".mlir", "--manifest=" + path + ".json", "--device=emulator", "--sanitize",
        "--output-dir=" + path, "--json=" + path + ".report.json", *options)  # fmt: skip
    with open(path + ".report.json") as file:
        (report,) = json.load(file)
    assert report["pass"] and not report["sanitizer"], where
    for kernel in report["kernels"]:
        name = f"{where}, {kernel['name']}"
        for bytes in ("global_load_bytes", "global_store_bytes"):
            counted, predicted = kernel["counters"][bytes], kernel["predicted"][bytes]
            assert counted == predicted if is_exact else counted <= predicted, f"{name}: {bytes} {counted} {predicted}"
        assert kernel["dynamic_shared_memory"] == kernel["predicted"]["shared_memory"], name
    bits = b""
    for name in sorted(os.listdir(path)):
        if name.startswith(report["entry"] + ".result"):
            with open(os.path.join(path, name), "rb") as file:
                bits += file.read()
    return report, bits


def lower(path, groups, text):
    """Writes PATH.tile.mlir, PATH.nvvm.mlir, PATH.ptx and PATH.json of the group under the schedule `text`."""
    with open(path + ".scheduled.mlir", "w") as file:
        file.write(replace_schedule(groups, text))
    run("fusion-opt", path + ".scheduled.mlir", "--fuse-search-schedules", "--tile-pipeline", "-o", path + ".tile.mlir")
    run("fusion-opt", path + ".tile.mlir", "--tile-to-nvvm", "-o", path + ".nvvm.mlir")
    run("fusion-translate", "--fuse-to-ptx", path + ".nvvm.mlir", "-o", path + ".ptx")
    run("fusion-translate", "--fuse-to-manifest", path + ".nvvm.mlir", "-o", path + ".json")


def lower_scheduled(path, module):
    """Writes PATH.nvvm.mlir, PATH.ptx and PATH.json of a module whose groups have their schedules."""
    with open(path + ".scheduled.mlir", "w") as file:
        file.write(module)
    run("fusion-opt", path + ".scheduled.mlir", "--fuse-search-schedules", "--tile-pipeline", "--tile-to-nvvm", "-o", path + ".nvvm.mlir")
    run("fusion-translate", "--fuse-to-ptx", path + ".nvvm.mlir", "-o", path + ".ptx")
    run("fusion-translate", "--fuse-to-manifest", path + ".nvvm.mlir", "-o", path + ".json")


def emulate_stitched(path, where):
    """The counters of a plan of one kernel, which has no bank conflicts. Returns the kernel's report."""
    report, _ = emulate(path, where, "--schedules=2")
    (kernel,) = report["kernels"]
    assert not kernel["counters"]["shared_bank_conflicts"], where
    return kernel


def compute(path, groups, text, where, *options):
    """Lowers the group under the schedule `text` and emulates it. Returns the PTX, the function's report and a digest of the
    bits of its result."""
    lower(path, groups, text)
    report, bits = emulate(path, where, *options)
    return read(path + ".ptx"), report, hashlib.sha256(bits).hexdigest()


def assemble(path, chip, where):
    """Assembles PATH.ptx where there is a ptxas. Ends the test, naming `where`, on spills and warnings, those of wgmma that is run
    one by one (C7510 to C7517) among them."""
    ptxas = shutil.which("ptxas")
    if not ptxas:
        return
    done = subprocess.run([ptxas, "-v", f"-arch={chip}", path + ".ptx", "-o", os.devnull], capture_output=True, text=True)
    said = done.stdout + done.stderr
    assert done.returncode == 0, f"{where}: {said}"
    spills = re.findall(r"(\d+) bytes spill stores", said)
    assert spills and set(spills) == {"0"} and "warning" not in said and "C75" not in said, f"{where}: {said}"
