#!/usr/bin/env python3
# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels that blocks of models become with us and with TorchInductor, both for a GPU, on a machine without one.

    blocks.py                         the tables of docs/pytorch-blocks.md
    blocks.py --block=bert --small    one of them, the small sizes only
    blocks.py --inductor-only         what TorchInductor launches
    blocks.py --code=FOLDER           also writes the code that TorchInductor generates

Needs PyTorch, the package `triton` (`pip install --no-deps triton`; a build of PyTorch for the CPU is enough) and the
Python package of Fusion (PYTHONPATH=build/python). `--json=FILE` writes the numbers.
"""

import argparse
import json
import pathlib
import sys

import torch

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "python" / "tests" / "pytorch")]

import inductor  # noqa: E402
import models  # noqa: E402

NAMES = {
    "bert": "BERT encoder layer",
    "llama": "LLaMA-style block: RMSNorm, rotary embedding, grouped queries, gated MLP",
    "vit": "ViT block",
    "mixer": "MLP-Mixer block",
    "dien": "DIEN-like unit",
}
REAL_NAMES = {
    "bert": "BERT-base, 128 tokens",
    "llama": "LLaMA 3 8B, 128 tokens",
    "vit": "ViT-B/16, 197 tokens",
    "mixer": "Mixer-S/16, 196 patches",
    "dien": "128 users, 100 items, size 36",
}
SMALL_TARGETS = [("f32", "sm_80")]
REAL_TARGETS = [("f16", "sm_80"), ("f16", "sm_90a"), ("f32", "sm_80")]
DTYPES = {"f16": torch.float16, "f32": torch.float32}


def count_ours(model, inputs, chip):
    import fusion.torch
    from fusion.torch.backend import decompositions
    from fusion.torch.regions import compile_graph

    report = fusion.torch.Report()
    compile_graph(models.graph_of(model, inputs, decompositions()),
                  fusion.torch.Options(report=report, cache_dir="", strict=True, chip=chip))  # fmt: skip
    return {"operators": report.operators, "ours": report.kernels}


def count(name, is_small, options):
    """What a block becomes, for each target: {"f16 sm_80": {"operators", "ours", "triton", "libraries"}}."""
    found = {}
    for dtype, chip in SMALL_TARGETS if is_small else REAL_TARGETS:
        model, inputs = models.blocks()[name] if is_small else models.real_block(name)
        model = model.eval().to(DTYPES[dtype])
        inputs = [x.to(DTYPES[dtype]) if x.is_floating_point() else x for x in inputs]
        code = inductor.source(model, inputs, inductor.DEVICES[chip])
        launches = inductor.launches(code)
        entry = {"triton": launches.triton, "libraries": len(launches.libraries)}
        if not options.inductor_only:
            entry.update(count_ours(model, inputs, chip))
        found[f"{dtype} {chip}"] = entry
        if options.code:
            folder = pathlib.Path(options.code)
            folder.mkdir(parents=True, exist_ok=True)
            (folder / f"{name}{'-small' if is_small else ''}-{dtype}-{chip}.py").write_text(code)
        print(f"{name}{' (small)' if is_small else ''}, {dtype}, {chip}: {entry}", file=sys.stderr, flush=True)
    return found


def theirs(entry):
    return f"{entry['triton']} + {entry['libraries']} = {entry['triton'] + entry['libraries']}"


def small_table(found):
    yield "| block | operators in core ATen | kernels | TorchInductor: Triton kernels + calls of libraries |"
    yield "|---|---|---|---|"
    for name, targets in found.items():
        (entry,) = targets.values()
        yield f"| {name}: {NAMES[name]} | {entry.get('operators', '')} | {entry.get('ours', '')} | {theirs(entry)} |"


def real_table(found):
    cells = [f"{dtype}, {chip} | TorchInductor" for dtype, chip in REAL_TARGETS]
    yield "| block at its real size | " + " | ".join(cells) + " |"
    yield "|---" * (1 + 2 * len(cells)) + "|"
    for name, targets in found.items():
        cells = [f"{entry.get('ours', '')} | {theirs(entry)}" for entry in targets.values()]
        yield f"| {name}: {REAL_NAMES[name]} | " + " | ".join(cells) + " |"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--block", action="append", choices=NAMES, help="only this one; may be repeated")
    parser.add_argument("--small", action="store_true", help="the small sizes only")
    parser.add_argument("--inductor-only", action="store_true", help="do not compile with Fusion")
    parser.add_argument("--code", metavar="FOLDER", help="where TorchInductor's code is written")
    parser.add_argument("--json", metavar="FILE")
    options = parser.parse_args()
    names = options.block or list(NAMES)
    found = {"small": {name: count(name, True, options) for name in names}}
    if not options.small:
        found["real"] = {name: count(name, False, options) for name in names}
    print(f"PyTorch {torch.__version__}")
    print("\n".join(small_table(found["small"])))
    if not options.small:
        print("\n" + "\n".join(real_table(found["real"])))
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps({"torch": torch.__version__, **found}, indent=1))


if __name__ == "__main__":
    main()
