# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Assembles what the compiler writes for chains of contractions, and checks that ptxas accepts it without
spilling a register, and that what LLVM wrote keeps its promises: no contraction, no call to a library,
the threads of a block bounded, dynamic shared memory external.

    check_ptxas.py OPT TRANSLATE PTXAS ROOT FOLDER --chips=sm_80,sm_86 [--family=NAME | --chains=...]
                   [--search="space=paper ..."] [--options="f32-products=tf32-cut ..."] [--dtype=f16] ...

Further arguments go to the workload generator.
"""

import argparse
import re
import subprocess
import sys

import workload_files


def parse():
    parser = argparse.ArgumentParser()
    for name in ("opt", "translate", "ptxas"):
        parser.add_argument(name)
    workload_files.add_arguments(parser)
    parser.add_argument("--chips", default="sm_80")
    parser.add_argument("--search", default="", help="options of fuse-search-schedules")
    parser.add_argument("--options", default="", help="options of the pipeline, where there are none of the search")
    return parser.parse_known_args()


def check(arguments, source, chip):
    """The promises that are broken."""
    pipeline = (
        f"builtin.module(fuse-to-unscheduled-groups{{chip={chip} force-fusion=true}},"
        f"fuse-search-schedules{{chip={chip} {arguments.search}}},tile-pipeline,tile-to-nvvm)"
        if arguments.search
        else f"builtin.module(fuse-to-nvvm{{chip={chip} force-fusion=true {arguments.options}}})"
    )
    lowered = subprocess.run(
        [arguments.opt, source, f"--pass-pipeline={pipeline}"],
        capture_output=True,
        text=True,
    )
    if lowered.returncode != 0:
        yield f"fusion-opt: {lowered.stderr}"
        return
    ptx = subprocess.run(
        [arguments.translate, "--fuse-to-ptx"], input=lowered.stdout, capture_output=True, text=True
    )
    if ptx.returncode != 0:
        yield f"fusion-translate: {ptx.stderr}"
        return
    path = source.with_suffix(f".{chip}.ptx")
    path.write_text(ptx.stdout)
    if f".target {chip}" not in ptx.stdout:
        yield "the target is another"
    if ".extern .func" in ptx.stdout:
        yield "calls a library"
    entries = len(re.findall(r"\.visible \.entry", ptx.stdout))
    if entries == 0 or len(re.findall(r"\.maxntid", ptx.stdout)) != entries:
        yield "a kernel's threads are not bounded"
    # Factors of f32 are multiplied by them only where the module allows it.
    isOfThreads = arguments.dtype == "f32" and "f32-products" not in arguments.options
    if not isOfThreads and "mma.sync" not in ptx.stdout and "wgmma.mma_async" not in ptx.stdout:
        yield "no tensor cores used"
    for line in re.findall(r".*\.shared .*\[\];", ptx.stdout):
        if not line.startswith(".extern .shared .align 1024"):
            yield f"shared memory: {line}"
    # Local memory in PTX is an array that LLVM could not keep in registers.
    if "__local_depot" in ptx.stdout:
        yield "local memory"
    assembled = subprocess.run(
        [arguments.ptxas, "-v", f"-arch={chip}", path, "-o", path.with_suffix(".cubin")],
        capture_output=True,
        text=True,
    )
    if assembled.returncode != 0:
        yield f"ptxas: {assembled.stderr}"
        return
    spills = re.findall(r"(\d+) bytes spill stores, (\d+) bytes spill loads", assembled.stderr)
    if len(spills) != entries:
        yield f"ptxas says nothing of spills: {assembled.stderr}"
    if any(int(number) for pair in spills for number in pair):
        yield f"spills {spills}"
    # C7510 to C7517: instructions of warpgroups are serialized.
    if "(C75" in assembled.stderr:
        yield f"ptxas: {assembled.stderr}"


def main():
    arguments, rest = parse()
    count = broken = 0
    for name, source in workload_files.make(arguments, rest):
        for chip in arguments.chips.split(","):
            problems = list(check(arguments, source, chip))
            count += 1
            broken += bool(problems)
            print(f"{name} {chip}: {'; '.join(problems) or 'ok'}")
    print(f"{count} modules, {broken} broken")
    sys.exit(broken != 0 or count == 0)


if __name__ == "__main__":
    main()
