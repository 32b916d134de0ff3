# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch's own samples of its operators (torch.testing OpInfo) through the backend.

Every sample is traced to ATen, compiled with our decompositions, run on the CPU, or for the chip
of a GPU on the emulator, and compared with PyTorch.
`python operator_samples.py [-n SAMPLES] [-t f32,f16] [--chip sm_80] [NAME…]` prints what comes out.
"""

from __future__ import annotations

import argparse
import collections
import dataclasses
import functools
import itertools
import sys
import time
import warnings

import torch
from torch.fx.experimental.proxy_tensor import make_fx
from torch.testing._internal.common_methods_invocations import op_db
from torch.utils._pytree import tree_flatten, tree_leaves, tree_map, tree_unflatten

import fusion.torch as front
from fusion.torch.backend import decompositions
from fusion.torch.regions import compile_graph

DTYPES = {"f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16, "f64": torch.float64,
          "i64": torch.int64, "i32": torch.int32, "i16": torch.int16, "i8": torch.int8, "i1": torch.bool}
# As fusion-run compares (docs/fusion-run.md), by the narrowest type that takes part.
ERRORS = {torch.float64: 1e-4, torch.float32: 1e-4, torch.float16: 2.0**-9,
          torch.bfloat16: 2.0**-6}


@dataclasses.dataclass
class Outcome:
    """The samples of one operator and type: how many came out right, were left to
    PyTorch, or were wrong; and which ATen operators the right ones have."""

    right: int = 0
    declined: int = 0
    wrong: list[str] = dataclasses.field(default_factory=list)
    uncompiled: list[str] = dataclasses.field(default_factory=list)
    operators: set[str] = dataclasses.field(default_factory=set)
    reasons: collections.Counter = dataclasses.field(default_factory=collections.Counter)


def agreement(result, expected, dtype):
    """Which elements of a result are what is expected, up to roundings of `dtype`."""
    if result.dtype != expected.dtype or result.shape != expected.shape:
        return torch.zeros((), dtype=torch.bool)
    if not expected.is_floating_point():
        return result == expected
    narrowest = max(ERRORS.get(dtype, 0), ERRORS.get(expected.dtype, 0))
    a, r = result.double(), expected.double()
    finite = r[r.isfinite()]
    rms = finite.square().mean().sqrt().item() if finite.numel() else 0.0
    return torch.isclose(a, r, rtol=max(ERRORS[expected.dtype], narrowest),
                         atol=narrowest * min(max(rms, 1e-6), 1e30), equal_nan=True)


def agrees(result, expected, wide, dtype) -> bool:
    """Whether each element is PyTorch's, or what PyTorch computes in a wider type: its
    half types round, and overflow, where decompositions do not. `wide` gives that; where
    roundings leave little of a number, it may be no farther from that than PyTorch's."""
    right = agreement(result, expected, dtype)
    if right.all():
        return True
    if result.dtype != expected.dtype or result.shape != expected.shape:
        return False
    try:
        exact = wide()
    except Exception:
        return False
    right = right | agreement(result, exact.to(expected.dtype), dtype)
    if expected.is_floating_point():
        exact = exact.double()
        right = right | ((result.double() - exact).abs() <= (expected.double() - exact).abs())
    return bool(right.all())


def has_elements(sample) -> bool:
    tensors = [leaf for leaf in tree_leaves((sample.input, sample.args, sample.kwargs))
               if isinstance(leaf, torch.Tensor)]
    return bool(tensors) and all(tensor.numel() for tensor in tensors)


def describe(sample) -> str:
    """A sample with the looks of its tensors in place of their elements."""
    looks = tree_map(lambda leaf: f"{leaf.dtype} {tuple(leaf.shape)}"
                     if isinstance(leaf, torch.Tensor) else leaf,
                     (sample.input, *sample.args))
    kwargs = tree_map(lambda leaf: f"{leaf.dtype} {tuple(leaf.shape)}"
                      if isinstance(leaf, torch.Tensor) else leaf, sample.kwargs)
    return f"{looks} {kwargs}"


@functools.cache
def table():
    return decompositions()


def traced(call, tensors):
    """The graph of a call in ATen, without mutation."""
    return make_fx(torch.func.functionalize(call, remove="mutations"),
                   decomposition_table=table(), tracing_mode="fake",
                   _allow_non_fake_inputs=True)(*tensors)


def check_sample(op, sample, dtype, outcome: Outcome, chip: str) -> None:
    leaves, spec = tree_flatten((sample.input, sample.args, sample.kwargs))
    tensors = [leaf for leaf in leaves if isinstance(leaf, torch.Tensor)]

    def call(*tensors, wider=None):
        rest = iter(tensors)
        input, args, kwargs = tree_unflatten(
            [next(rest) if isinstance(leaf, torch.Tensor) else wider if wider and leaf is dtype else leaf
             for leaf in leaves], spec)
        result = op(input, *args, **kwargs)
        return [leaf for leaf in tree_leaves(result) if isinstance(leaf, torch.Tensor)]

    try:
        torch.manual_seed(1)  # random numbers stay PyTorch's, and in order
        expected = call(*[t.clone() for t in tensors])
        graph = traced(call, [t.clone() for t in tensors])
    except Exception as error:
        outcome.declined += 1
        outcome.reasons[f"not traced: {type(error).__name__}"] += 1
        return
    if any(torch.Tag.nondeterministic_seeded in getattr(node.target, "tags", ())
           and not str(node.target).startswith("aten._scaled_dot") for node in graph.graph.nodes):
        outcome.declined += 1
        outcome.reasons["random numbers"] += 1
        return
    if any("empty" in str(node.target) for node in graph.graph.output_node().all_input_nodes):
        outcome.declined += 1
        outcome.reasons["contents are undefined"] += 1
        return
    report = front.Report()
    try:
        compiled = compile_graph(graph, front.Options(report=report, cache_dir="", views=True, chip=chip))
        made = [r for r in report.regions if r.failure is None]
        failed = [r for r in report.regions if r.failure is not None]
        for region in failed:
            outcome.uncompiled.append(f"{region.names}: {region.failure}")
        if not made:
            outcome.declined += 1
            outcome.reasons.update(f"{name}: {why}" for name, why in report.declined)
            return
        torch.manual_seed(1)
        results = compiled(*[t.clone() for t in tensors])
        wider = torch.float64 if dtype == torch.float32 else torch.float32
        for i, (result, one) in enumerate(zip(results, expected, strict=True)):
            def wide(i=i):
                return call(*[t.to(wider) if t.dtype == dtype else t.clone() for t in tensors],
                            wider=wider)[i]

            if not agrees(result, one, wide, dtype):
                difference = ""
                if result.shape == one.shape and result.numel():
                    difference = (f", off by {(result.double() - one.double()).abs().max():.3g} "
                                  f"of {one.double().abs().max():.3g}")
                outcome.wrong.append(f"{describe(sample)}: {result.dtype}{difference}")
                return
    except Exception as error:
        outcome.wrong.append(f"{describe(sample)}: {type(error).__name__}: {error}"[:600])
        return
    outcome.right += 1
    for region in made:
        outcome.operators.update(region.names)


def check(op, dtype, samples: int | None, chip: str = "") -> Outcome:
    """The outcome of the first samples of an operator; `chip`: as of the backend's options."""
    outcome = Outcome()
    torch.manual_seed(0)
    front.cache.forget()
    if dtype not in op.supported_dtypes("cpu"):
        return outcome
    with torch.no_grad(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        every = op.sample_inputs("cpu", dtype, requires_grad=False)
        for sample in itertools.islice(filter(has_elements, every), samples):
            check_sample(op, sample, dtype, outcome, chip)
    return outcome


def name_of(op) -> str:
    return op.name + (f".{op.variant_test_name}" if op.variant_test_name else "")


def run(chosen, arguments, total: Outcome, claimed: set[str]) -> None:
    """Adds up the outcomes of operators, and prints those to look at."""
    for op in chosen:
        for type in arguments.types.split(","):
            start = time.time()
            outcome = check(op, DTYPES[type], arguments.samples, arguments.chip)
            total.right += outcome.right
            total.declined += outcome.declined
            total.wrong += outcome.wrong
            total.uncompiled += outcome.uncompiled
            total.operators |= outcome.operators
            if outcome.right:
                claimed.add(name_of(op))
            if outcome.wrong or outcome.uncompiled or arguments.verbose:
                print(f"{name_of(op)} {type}: {outcome.right} right, {outcome.declined} declined, "
                      f"{len(outcome.wrong)} wrong, {len(outcome.uncompiled)} uncompiled, "
                      f"{time.time() - start:.1f} s")
                for text in outcome.wrong[:2]:
                    print("   wrong:", text)
                for text in outcome.uncompiled[:1]:
                    print("   uncompiled:", text[:400])
                if arguments.verbose:
                    for reason, count in outcome.reasons.most_common(2):
                        print("   declined:", count, reason[:200])
            sys.stdout.flush()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*")
    parser.add_argument("-n", "--samples", type=int, default=None)
    parser.add_argument("-t", "--types", default="f32,f16,bf16")
    parser.add_argument("--chip", default="")
    parser.add_argument("--part", default="0/1", help="I/N: every N-th operator from the I-th")
    parser.add_argument("-v", "--verbose", action="store_true")
    arguments = parser.parse_args()
    import logging
    logging.getLogger("fusion.torch").setLevel(logging.ERROR)
    part, parts = map(int, arguments.part.split("/"))
    chosen = [op for op in op_db if not arguments.names or op.name in arguments.names
              or name_of(op) in arguments.names][part::parts]
    total = Outcome()
    claimed = set()
    try:
        run(chosen, arguments, total, claimed)
    except KeyboardInterrupt:
        print("stopped")
    print(f"{len(claimed)} operators of PyTorch's tests, {len(total.operators)} of ATen: "
          f"{total.right} samples right, {total.declined} declined, {len(total.wrong)} wrong, "
          f"{len(total.uncompiled)} parts that did not compile")
    return 1 if total.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
