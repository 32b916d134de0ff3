# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The phase of the second call that asks Nsight Compute about a few kernels."""

import shutil

import script_modules

from . import children
from .phases import Phase, Unit
from .timings import key_of, workload_of


def profile(context, entry, limit):
    script = script_modules.load("profile")
    folder, log = context.units / entry["folders"][context.chip], context.scratch / "ncu.txt"
    output = context.scratch / "profiled"
    shutil.rmtree(output, ignore_errors=True)
    output.mkdir(parents=True)
    log.unlink(missing_ok=True)
    more = [f"--manifest={folder / 'plan.json'}", *entry["options"]]
    files = context.input_files.of(entry["family"], workload_of(entry), limit)
    command = context.fusion.arguments(folder / "module.mlir", output, files, "none", more)
    # Launches that make the results come first; what follows is repeated for the clock.
    options = script.argparse.Namespace(set=None)
    ended = children.run(
        script.ncu_command(context.ncu, options, log, 0, entry["launches"][context.chip], command),
        limit,
        env=context.environment,
    )
    shutil.rmtree(output, ignore_errors=True)
    text = log.read_text(errors="replace") if log.exists() else ended.out
    context.journal.attach(f"profiles/{entry['family']}-{entry['case']}-{entry['dtype']}.txt", text.encode())
    problem = script.problem_of(text + ended.err)
    if ended.timed_out:
        # ncu repeats a kernel for each counter: slow, no fault of the kernel.
        return {"outcome": children.CRASHED, "message": f"ncu did not end within {limit:.0f} s"}
    if problem or ended.code:
        return {
            "outcome": children.CRASHED,
            "message": problem or f"ncu ended with {ended.code}: {children.message_of(ended)}",
        }
    return {"outcome": children.PASS, "message": "", "line": f"{len(text)} bytes", "seconds": ended.seconds}


def phase(context):
    names = context.package.index["profiles"]
    if context.is_rehearsal or not names:
        return Phase("profile", [])
    try:
        context.ncu = script_modules.load("profile").find_ncu(shutil.which("ncu", path=context.environment["PATH"]))
    except script_modules.load("profile").ProfileError as error:
        context.log(f"profile: left out, {error}")
        return Phase("profile", [])
    of_chip = [entry for entry in context.package.index["timings"] if context.chip in entry["folders"]]
    chosen = [entry for entry in of_chip if f"{key_of(entry)} {entry['variant']}" in names]
    return Phase(
        "profile",
        [
            Unit(
                f"{key_of(entry)} ncu",
                lambda limit, entry=entry: profile(context, entry, limit),
                kind=f"{key_of(entry)} {entry['plan']}",
                needs=tuple(entry["kinds"][context.chip]),
                estimate=10,
                limit=60,
            )
            for entry in chosen
        ],
    )
