#!/usr/bin/env python3
# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Stands for fusion-run in the tests of the two calls: does what the plan's `behaviour` says.

"right", "wrong", "trap" (as the driver says it), "trap-in-timing" (after its results), "hang" (with a child that hangs, too, and takes
no SIGTERM), "crash" (a signal), "fail" (a message). Each run is written to `calls` beside the executable.

A plan may have `functions`, which run one after the other: {"name", "us", "value" (of its result), "seconds" (before the
result), "behaviour"}. A trap ends the run.
"""

import json
import os
import pathlib
import signal
import subprocess
import sys
import time

import numpy

TRAP = "error: kernel 'k' did not run: CUDA_ERROR_ILLEGAL_INSTRUCTION (715): an illegal instruction was encountered"


def run_functions(functions, options):
    """The exit code of a plan of several functions. The report grows with each."""
    folder, reports = pathlib.Path(options["output-dir"]), []
    for function in functions:
        report = {"entry": function["name"], "kernels": []}
        reports.append(report)
        if function.get("behaviour") == "trap":
            report["error"] = TRAP
            pathlib.Path(options["json"]).write_text(json.dumps(reports))
            print(TRAP, file=sys.stderr)
            return 1
        time.sleep(function.get("seconds", 0))
        numpy.save(folder / f"{function['name']}.result0.npy", numpy.array(function["value"], numpy.float32))
        report["measured_us"] = function["us"]
        pathlib.Path(options["json"]).write_text(json.dumps(reports))
    return 0


def main():
    options = dict(word.lstrip("-").split("=", 1) for word in sys.argv[2:] if "=" in word)
    plan = json.loads(pathlib.Path(options["manifest"]).read_text())
    behaviour, name = plan["behaviour"], pathlib.Path(options["manifest"]).parent.name
    with open(pathlib.Path(__file__).with_name("calls"), "a") as calls:
        calls.write(f"{name} {' '.join(sys.argv[2:])}\n")
    if "functions" in plan:
        return run_functions(plan["functions"], options)
    if behaviour == "hang":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
        pathlib.Path(__file__).with_name("children").write_text(f"{os.getpid()} {child.pid}")
        time.sleep(60)
    if behaviour == "trap":
        print(TRAP, file=sys.stderr)
        return 1
    if behaviour == "crash":
        os.kill(os.getpid(), signal.SIGSEGV)
    if behaviour == "fail":
        print("module.mlir:1:1: error: this is broken", file=sys.stderr)
        return 1
    folder = pathlib.Path(options["output-dir"])
    right = behaviour != "wrong"
    for kind, value in (("result", 1.0 if right else 2.0), ("reference", 1.0)):
        numpy.save(folder / f"f.{kind}0.npy", numpy.full(4, value, numpy.float32))
    result = {
        "mismatches": 0 if right else 4,
        "max_abs_error": 0.0 if right else 1.0,
        "atol": 0.001,
        "rtol": 0.001,
        "reference_rms": 1.0,
    }
    kernel = {"name": "k", "grid": [1, 1, 1], "block": [128, 1, 1], "cluster": [1, 1, 1], "dynamic_shared_memory": 0}
    report = {
        "entry": "f",
        "pass": right,
        "max_abs_error": result["max_abs_error"],
        "results": [result],
        "kernels": [kernel],
    }
    if behaviour == "trap-in-timing":
        report |= {"error": TRAP, "pass": False}
        pathlib.Path(options["json"]).write_text(json.dumps([report]))
        print(TRAP, file=sys.stderr)
        return 1
    report["measured_us"] = plan.get("us")
    pathlib.Path(options["json"]).write_text(json.dumps([report]))
    return 0 if right else 2


if __name__ == "__main__":
    sys.exit(main())
