# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# What is chosen for sm_90a for every chain, attention, decoding, convolution and product of the tables, at all of their
# sizes and in every type, and for f32 truncated to tf32 and 8-bit floats added up coarsely: ptxas spills nothing, and
# runs no wgmma one by one (C7510 to C7517).
# REQUIRES: ptxas
# RUN: %python %s %t %ptxas f16,bf16
#
#   ptxas-workloads.py FOLDER PTXAS TYPES [--families=NAME,...] [--only=CASE,...]

import argparse
import os
import pathlib
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "Integration", "Inputs"))
from check_ptxas import check
from hand_schedule import ROOT, run
from typed_chains import chain

sys.path.insert(0, os.path.join(ROOT, "benchmarks", "workloads"))
import families as tables

CHIP = "sm_90a"
FAMILIES = (
    "gemm_chains_mcfuser", "gemm_chains_chimera", "attention_mcfuser", "attention_long", "decode", "conv_chains_chimera", "operators_alcop",
    "operators_gta",
)  # fmt: skip
OPTIONS = {"tf32-cut": "f32-products=tf32-cut", "e4m3": "f8-products=coarse", "e5m2": "f8-products=coarse"}


def write(path, family, case, kind):
    """Writes the module; none where the family is not of the type."""
    if kind in ("f16", "bf16", "f32", "tf32-cut"):
        generator = os.path.join(ROOT, "benchmarks", "workloads", "generate.py")
        run(sys.executable, generator, f"--family={family.name}", f"--case={case['name']}", f"--dtype={kind.replace('tf32-cut', 'f32')}", "-o", path)
        return True
    # Of bytes the generator writes nothing; chains and attention of the same sizes.
    if family.name.startswith("gemm_chains"):
        sizes, between = tables.chain_sizes(case), ()
        batch = case["batch"]
    elif family.name.startswith("attention"):
        batch, m, n, k, h = tables._attention_sizes(case)
        sizes, between = (m, k, n, h), ("scale", "softmax")
    elif case.get("op") in ("gemm", "bmm"):
        sizes, between, batch = [case[name] for name in "MKN"], (), case.get("batch", 1)
    else:
        return False
    # Scores are of columns that lie as rows, as attention has its keys.
    with open(path, "w") as file:
        file.write(chain(kind, sizes, tuple(range(1, len(sizes) - 1)), between, batch if batch > 1 else None))
    return True


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("ptxas")
    parser.add_argument("types", help="f16, bf16, f32, tf32-cut, s8, e4m3, e5m2")
    parser.add_argument("--families", default=",".join(FAMILIES))
    parser.add_argument("--only")
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    count = broken = wgmma = 0
    for kind in arguments.types.split(","):
        tools = argparse.Namespace(opt="fusion-opt", translate="fusion-translate", ptxas=arguments.ptxas, search="", dtype=kind,
                                   options=OPTIONS.get(kind, ""))  # fmt: skip
        of_kind = 0
        for name in arguments.families.split(","):
            family = tables.families()[name]
            for case in family.cases:
                # Products with a vector and scans are no chains.
                if case.get("op") in ("gemv", "scan") or (arguments.only and case["name"] not in arguments.only.split(",")):
                    continue
                path = arguments.folder / f"{name}-{case['name']}-{kind}.mlir"
                if not write(str(path), family, case, kind):
                    continue
                problems = list(check(tools, path, CHIP))
                count += 1
                broken += bool(problems)
                ptx = path.with_suffix(f".{CHIP}.ptx")
                of_kind += ptx.exists() and "wgmma.mma_async" in ptx.read_text()
                print(f"{name} {case['name']} {kind}: {'; '.join(problem[:400] for problem in problems) or 'ok'}", flush=True)
        print(f"{kind}: wgmma in {of_kind}")
        assert arguments.only or kind == "f32" or of_kind, f"no product of {kind} is wgmma"
    print(f"{count} modules, {broken} broken")
    sys.exit(broken != 0 or count == 0)


if __name__ == "__main__":
    main()
