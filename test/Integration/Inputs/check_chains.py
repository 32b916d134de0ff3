# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs chains of contractions on the emulator and checks what the compiler promises of each: one kernel,
and one more that adds the partial results where it splits a reduction, right numbers, counted bytes and shared
memory as predicted, no bank conflict for operands whose rows
are multiples of 16 bytes.

    check_chains.py TOOL ROOT FOLDER [--family=NAME | --chains=M,K,N,H:M,K,N,H...] [--dtype=f16] ...

Further arguments go to the workload generator. --conflicts allows bank conflicts (for operands of the
narrower transports), --kernels=N asks for another number of kernels, --sanitize looks for races.
"""

import argparse
import json
import re
import subprocess
import sys

import workload_files


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("tool")
    workload_files.add_arguments(parser)
    parser.add_argument("--chip", default="sm_80")
    parser.add_argument("--kernels", type=int, default=1)
    parser.add_argument("--conflicts", action="store_true")
    parser.add_argument("--sanitize", action="store_true")
    return parser.parse_known_args()


def check(name, report, arguments):
    """The promises that a report breaks."""
    if report["error"] or not report["pass"]:
        yield f"error {report['error']}, max abs error {report['max_abs_error']}"
    if report["sanitizer"]:
        yield f"sanitizer: {report['sanitizer'][0]}"
    kernels = report["kernels"]
    splits = sum(bool(re.search(r"parallel = <\{\w", kernel["schedule"])) for kernel in kernels)
    if len(kernels) - splits != arguments.kernels:
        yield f"{len(kernels)} kernels instead of {arguments.kernels}"
    for kernel in kernels:
        counters, predicted = kernel["counters"], kernel["predicted"]
        for counter in ("global_load_bytes", "global_store_bytes"):
            if counters[counter] != predicted[counter]:
                yield f"{counter}: predicted {predicted[counter]}, counted {counters[counter]}"
        if kernel["dynamic_shared_memory"] != predicted["shared_memory"]:
            yield (
                f"shared memory: predicted {predicted['shared_memory']}, "
                f"launched with {kernel['dynamic_shared_memory']}"
            )
        if counters["shared_bank_conflicts"] and not arguments.conflicts:
            yield f"{counters['shared_bank_conflicts']} bank conflicts"
        # Padding included, so never less than the operands' products; zero would be the generic form.
        if counters["mma_flops"] == 0 and not (splits and "tiling" not in kernel["schedule"]):
            yield "no tensor cores used"


def main():
    arguments, rest = parse()
    count = broken = 0
    for name, source in workload_files.make(arguments, rest):
        output = source.with_suffix(".json")
        output.unlink(missing_ok=True)
        command = [arguments.tool, source, f"--chip={arguments.chip}", "--device=emulator"]
        command += ["--force-fusion", f"--json={output}"]
        if arguments.sanitize:
            command.append("--sanitize")
        run = subprocess.run(command, capture_output=True, text=True)
        if output.exists():
            problems = list(check(name, json.loads(output.read_text())[0], arguments))
        else:
            problems = ["no report"]
        if run.returncode != 0:
            problems.append(f"exit code {run.returncode}: {run.stderr}")
        count += 1
        broken += bool(problems)
        print(f"{name}: {'; '.join(problems) or 'ok'}")
    print(f"{count} chains, {broken} broken")
    sys.exit(broken != 0 or count == 0)


main()
