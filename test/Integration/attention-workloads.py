# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Attention of the tables: MCFuser's S1 to S13, Chimera's G1 to G12 with softmax, the long grid up to sequence 2048 with two heads, full
# and causal, f16 and bf16. One kernel each (one more where the schedule splits), right, silent under the sanitizers, the bytes
# that were predicted, no bank conflicts, nothing spilled on sm_80 and sm_90a; causal ones do half the tensor cores' work, up to the
# tiles that the diagonal cuts. A few of them, of one head; nightly all.
# REQUIRES: ptxas
# RUN: %python %s %t --few %sample
#
#   attention-workloads.py FOLDER [--few] [--dtype=f16,bf16] [--only=NAME,...] [--families=s,g,long] [--table=FILE]
#
# What is measured is kept in FOLDER/results.json, of earlier runs too; --table writes it between the marks in a page.

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "Inputs"))
from sample import some

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", ".."))
CHIPS = ("sm_80", "sm_90a")
MARKS = ("<!-- attention-workloads: begin -->", "<!-- attention-workloads: end -->")
LONGEST = 2048
# Every head dimension of the tables, K != H, one kernel and split ones, causal and full; of one head.
FEW = (
    ("S1", "f16"), ("S6", "bf16"), ("S7", "f16"), ("S10", "bf16"), ("S11", "f16"), ("S12", "f16"), ("S13", "f16"), ("G9", "f16"),
    ("G10", "bf16"), ("FA_d64_s512_causal", "bf16"), ("FA_d128_s512", "f16"), ("FA_d128_s1024_causal", "f16"),
)  # fmt: skip


def table(name):
    with open(os.path.join(ROOT, "benchmarks", "workloads", name + ".json")) as file:
        return json.load(file)["cases"]


def workloads():
    """(family, case, sizes, generator's arguments, arguments that leave one head)."""
    for case in table("attention_mcfuser"):
        sizes = "{heads} x {M} x {N}, {K}, {H}".format(**case)
        yield "s", case["name"], sizes, ["--family=attention_mcfuser", f"--case={case['name']}"], ["--heads=1"]
    for case in table("gemm_chains_chimera"):
        sizes = "{batch} x {M} x {L}, {K}, {N}".format(**case)
        words = ["--family=gemm_chains_chimera", f"--case={case['name']}", "--between=softmax"]
        yield "g", case["name"], sizes, words, ["--batch=1"]
    for case in table("attention_long"):
        if case["seq"] <= LONGEST:
            words = ["--family=attention_long", f"--case={case['name']}", "--batch=1"]
            causal = ", causal" if case["causal"] else ""
            sizes = "2 x {seq} x {seq}, {head_dim}, {head_dim}".format(**case) + causal
            yield "long", case["name"], sizes, [*words, "--heads=2"], ["--heads=1"]


def causal_share(seq, m, n):
    """What of a causal product's points the tiles below and on the diagonal hold, if a row of tiles ends with the one that its last
    row ends in; between what the mask leaves, a half, and a half with a tile of rows and one of keys more for each row."""
    visited = sum(-(-min(first + m, seq) // n) for first in range(0, seq, m))
    assert 0.5 < visited * m * n / seq**2 <= (0.5 + (m / 2 + n) / seq) * -(-seq // m) * m / seq
    return visited / (-(-seq // m) * -(-seq // n))


def check_work(case, heads, measured, problems):
    """Tensor cores multiply the tiles that the mask leaves; of the first contraction once for each tile of the
    head's columns."""
    tiles = {"m": 1, "n": 1, "k": 1, "h": 1} | {word[0]: int(word[1:]) for word in measured["tiles"].split()}
    seq, dim = case["seq"], case["head_dim"]
    if tiles["n"] >= seq or tiles["m"] >= seq:
        return
    pairs = -(-seq // tiles["m"]) * -(-seq // tiles["n"]) * tiles["m"] * tiles["n"]
    whole = 2 * heads * pairs * (dim * -(-dim // tiles["h"]) + dim)
    share = causal_share(seq, tiles["m"], tiles["n"]) if case["causal"] else 1
    measured["share"] = measured["mma_flops"] / whole
    if abs(measured["share"] / share - 1) > 1e-9:
        problems.append(f"{measured['share']:.4f} of the products of all tiles, {share:.4f} expected")


def command(*words, **options):
    return subprocess.run(words, capture_output=True, text=True, **options)


def check(path, words, dtype):
    """What is measured of one workload; "problems" lists what is not as it should be."""
    command(sys.executable, os.path.join(ROOT, "benchmarks", "workloads", "generate.py"), *words, f"--dtype={dtype}", "-o",
            path + ".mlir", check=True)  # fmt: skip
    start = time.time()
    done = command("fusion-run", path + ".mlir", "--chip=sm_80", "--device=emulator", "--force-fusion", "--sanitize",
                   f"--json={path}.json")  # fmt: skip
    measured = {"seconds": round(time.time() - start, 1), "problems": []}
    problems = measured["problems"]
    if done.returncode:
        problems.append(f"exit code {done.returncode}: {done.stdout[-800:]}{done.stderr[-400:]}")
        return measured
    with open(path + ".json") as file:
        (report,) = json.load(file)
    kernels = report["kernels"]
    schedule = kernels[0]["schedule"]
    splits = bool(re.search(r"parallel = <\{\w", schedule))
    if len(kernels) != 1 + splits:
        problems.append(f"{len(kernels)} kernels")
    for kernel in kernels:
        for counter in ("global_load_bytes", "global_store_bytes"):
            if kernel["counters"][counter] != kernel["predicted"][counter]:
                problems.append(f"{kernel['name']}: {counter} {kernel['counters'][counter]}, predicted {kernel['predicted'][counter]}")
    # The rows of all operands of these tables are multiples of 16 bytes.
    conflicts = sum(kernel["counters"]["shared_bank_conflicts"] for kernel in kernels)
    if conflicts:
        problems.append(f"{conflicts} bank conflicts")
    if kernels[0]["counters"]["mma_flops"] == 0:
        problems.append("no tensor cores used")
    tiles = {axis: int(size) for axis, size in re.findall(r"\b([a-z]\d*) = (\d+) : i64", schedule.split("mapping")[0])}
    measured |= {
        "kernels": len(kernels),
        "tiling": re.search(r'tiling = <"([^"]*)"', schedule).group(1),
        "tiles": " ".join(f"{axis}{size}" for axis, size in sorted(tiles.items()) if size > 1),
        "skips": 'skip = "' in schedule,
        "mma_flops": sum(kernel["counters"]["mma_flops"] for kernel in kernels),
        "bytes": sum(kernel["counters"][c] for kernel in kernels for c in ("global_load_bytes", "global_store_bytes")),
        "error": report["results"][0]["max_abs_error"],
        "registers": [],
    }
    for chip in CHIPS:
        measured["registers"].append(assemble(path, chip, problems))
    return measured


def assemble(path, chip, problems):
    """The most registers that a kernel takes."""
    lowered = command("fusion-opt", path + ".mlir", f"--fuse-to-nvvm=chip={chip} force-fusion=true", "-o", path + ".nvvm.mlir")
    ptx = command("fusion-translate", "--fuse-to-ptx", path + ".nvvm.mlir", "-o", path + ".ptx")
    if lowered.returncode or ptx.returncode:
        problems.append(f"{chip}: {lowered.stderr[-300:]}{ptx.stderr[-300:]}")
        return None
    done = command(shutil.which("ptxas"), "-v", f"-arch={chip}", path + ".ptx", "-o", path + ".cubin")
    spills = re.findall(r"(\d+) bytes spill stores, (\d+) bytes spill loads", done.stderr)
    if done.returncode or not spills:
        problems.append(f"{chip}: ptxas: {done.stderr[-300:]}")
        return None
    if any(int(number) for pair in spills for number in pair):
        problems.append(f"{chip}: spills {spills}")
    # C7510 to C7517: MMAs of warpgroups are serialized.
    if "(C75" in done.stderr:
        problems.append(f"{chip}: ptxas: {done.stderr[:300]}")
    return max(map(int, re.findall(r"Used (\d+) registers", done.stderr)))


def write_table(page, results):
    names = {name: (number, sizes) for number, (_, name, sizes, _, _) in enumerate(workloads())}
    lines = ["| case | heads x rows x keys, K, H | type | schedule | tiles | kernels | Gflop | bytes | error | registers, sm_80, sm_90a | |",
             "|---|---|---|---|---|---|---|---|---|---|---|"]  # fmt: skip
    for key in sorted(results, key=lambda key: (names[key.split()[0]][0], key)):
        (name, dtype), m = key.split(), results[key]
        if "kernels" not in m:
            lines.append(f"| {name} | {names[name][1]} | {dtype} | | | | | | | | {'; '.join(m['problems'])[:80]} |")
            continue
        tiling = m["tiling"] + (", skips n" if m["skips"] else "")
        lines.append(f"| {name} | {names[name][1]} | {dtype} | `{tiling}` | {m['tiles']} | {m['kernels']} | {m['mma_flops'] / 1e9:.3f} | "
                     f"{m['bytes']:,} | {m['error']:.1e} | {', '.join(map(str, m['registers']))} | "
                     f"{'; '.join(m['problems'])[:80] or 'ok'} |")  # fmt: skip
    with open(page) as file:
        text = file.read()
    before, rest = text.split(MARKS[0])
    _, after = rest.split(MARKS[1])
    with open(page, "w") as file:
        file.write(before + MARKS[0] + "\n" + "\n".join(lines) + "\n" + MARKS[1] + after)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--few", action="store_true")
    parser.add_argument("--dtype", default="f16,bf16")
    parser.add_argument("--only", default="")
    parser.add_argument("--families", default="s,g,long")
    parser.add_argument("--table")
    arguments = parser.parse_args()
    os.makedirs(arguments.folder, exist_ok=True)
    record = os.path.join(arguments.folder, "results.json")
    results = {}
    if os.path.exists(record) and not arguments.few:
        with open(record) as file:
            results = json.load(file)
    only = arguments.only.split(",") if arguments.only else None
    broken = count = 0
    long = {case["name"]: case for case in table("attention_long")}
    few = some(FEW, 3)
    for family, name, _, words, one_head in workloads():
        for dtype in arguments.dtype.split(","):
            if arguments.few and (name, dtype) not in few:
                continue
            if family not in arguments.families.split(",") or (only and name not in only):
                continue
            measured = check(os.path.join(arguments.folder, f"{name}_{dtype}"), [*words, *(one_head if arguments.few else [])], dtype)
            if family == "long" and "mma_flops" in measured:
                check_work(long[name], 1 if arguments.few else 2, measured, measured["problems"])
            count += 1
            broken += bool(measured["problems"])
            print(f"{name} {dtype} {measured['seconds']} s: {'; '.join(measured['problems']) or 'ok'}", flush=True)
            results[f"{name} {dtype}"] = measured
            with open(record, "w") as file:
                json.dump(results, file, indent=1)
    if arguments.table:
        write_table(arguments.table, results)
    print(f"{count} workloads, {broken} broken")
    sys.exit(broken != 0)


if __name__ == "__main__":
    main()
