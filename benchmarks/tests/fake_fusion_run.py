#!/usr/bin/env python3
# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Stands for fusion-run on a GPU in the tests of benchmarks/gpu/run.

Answers as the command-line contract says. A file `behaviour` beside the executable says how: "right",
"wrong" (zeros), "crash", or "cpu-wrong" (its own check fails). "right" needs PyTorch.
"""

import argparse
import json
import pathlib
import re
import sys

import numpy

BYTES = {"f32": numpy.float32, "f16": numpy.float16}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("module", type=pathlib.Path)
    parser.add_argument("--device", required=True)
    parser.add_argument("--seed", type=int, required=True)
    parser.add_argument("--chip")
    parser.add_argument("--exponentials")
    parser.add_argument("--input", action="append", default=[])
    parser.add_argument("--reference", required=True)
    parser.add_argument("--output-dir", type=pathlib.Path, required=True)
    parser.add_argument("--json", type=pathlib.Path, required=True)
    options = parser.parse_args()
    here = pathlib.Path(__file__).parent
    behaviour = (here / "behaviour").read_text().strip()
    with open(here / "calls", "a") as calls:
        calls.write(" ".join(sys.argv[1:]) + "\n")
    if behaviour == "crash":
        print("module.mlir:1:1: error: this is broken", file=sys.stderr)
        return 1

    signature = re.search(r"func.func @(\w+)\((.*?)\) -> (.*?) \{", options.module.read_text())
    results = re.findall(r"tensor<([\dx]+)x(\w+)>", signature.group(3))
    made = None
    if behaviour == "right":
        made = right_results(signature, results)
    for number, (shape, element) in enumerate(results):
        shape = [int(size) for size in shape.split("x")]
        array = numpy.zeros(shape, BYTES[element]) if made is None else made[number]
        numpy.save(options.output_dir / f"{signature.group(1)}.result{number}.npy", array)
    # The real one writes its inputs too.
    numpy.save(options.output_dir / f"{signature.group(1)}.input0.npy", numpy.zeros(3))
    kernel = {"name": "k", "grid": [1, 1, 1], "block": [128, 1, 1], "cluster": [1, 1, 1]}
    kernels = [{**kernel, "dynamic_shared_memory": 0, "measured_us": us} for us in (10.0, 2.5)]
    good = behaviour != "cpu-wrong"
    function = {"entry": signature.group(1), "pass": good, "max_abs_error": 0.0, "kernels": kernels}
    options.json.write_text(json.dumps([function]))
    return 0 if good else 2


def right_results(signature, results):
    """Two chained products of seed 1, as PyTorch makes them."""
    import inputs
    import torch

    arguments = [
        inputs.make_input([int(s) for s in shape.split("x")], element, 1, number, "cpu")
        for number, (shape, element) in enumerate(
            re.findall(r"tensor<([\dx]+)x(\w+)>", signature.group(2))
        )
    ]
    a, b, d = (argument.float() for argument in arguments)
    middle = torch.matmul(a, b).to(arguments[0].dtype).float()
    return [torch.matmul(middle, d).to(arguments[0].dtype).numpy()]


if __name__ == "__main__":
    sys.exit(main())
