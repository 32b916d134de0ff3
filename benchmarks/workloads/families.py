# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The families of workloads: the cases of the JSON files beside this one, and how each is built.

A case is a dict of sizes with a unique "name". A family builds a Function from (case, dtype,
options); options are those of Options that apply to it.
"""

import dataclasses
import functools
import json
import math
import pathlib
import re

import convolutions
import products
import stitch_mixed
import stitch_rows
from linalg_builder import Function

HERE = pathlib.Path(__file__).parent
DTYPES = ("f16", "bf16", "f32")


@dataclasses.dataclass(frozen=True)
class Options:
    """What a chain can be varied by; see products.gemm_chain. Others ignore what is not theirs."""

    before: tuple = ()
    between: tuple = ()
    after: tuple = ()
    transposed: tuple = ()
    form: str = "named"
    two_dimensional: bool = False
    channels_first: bool | None = None


@dataclasses.dataclass(frozen=True)
class Family:
    name: str
    cases: tuple
    build: object  # (case, dtype, Options) -> Function
    flops: object  # case -> floating-point operations of its contractions, or None

    def case(self, name):
        for case in self.cases:
            if case["name"] == name:
                return dict(case)
        raise ValueError(f"family '{self.name}' has no case '{name}' (--list shows them)")


def identifier(text):
    """A name that MLIR and PTX accept."""
    return re.sub(r"\W", "_", text)


# Products.


def chain_sizes(case):
    """M, K, N, H, ... of a chain; Chimera calls N, H by L, N."""
    if "sizes" in case:
        return list(case["sizes"])
    if "L" in case:
        return [case[key] for key in ("M", "K", "L", "N")]
    return [case[key] for key in ("M", "K", "N", "H")]


def _build_chain(case, dtype, options):
    batch = case.get("batch")
    if options.two_dimensional:
        if batch not in (None, 1):
            raise ValueError(f"a batch of {batch} cannot be written with 2-D products")
        batch = None
    return products.gemm_chain(
        identifier(case["name"]),
        chain_sizes(case),
        dtype,
        batch=batch,
        before=options.before,
        between=options.between,
        after=options.after,
        transposed=options.transposed,
        form=options.form,
    )


def _chain_flops(case):
    m, *rest = chain_sizes(case)
    pairs = sum(a * b for a, b in zip(rest, rest[1:]))
    return 2 * (case.get("batch") or 1) * m * pairs


def _attention_sizes(case):
    """batch (with heads), M, N, K, H of either table."""
    if "seq" in case:
        seq, dim = case["seq"], case["head_dim"]
        return case["batch"] * case["heads"], seq, seq, dim, dim
    return case["heads"], case["M"], case["N"], case["K"], case["H"]


def _build_attention(case, dtype, options):
    return products.attention(
        identifier(case["name"]),
        *_attention_sizes(case),
        dtype,
        causal=case.get("causal", False),
    )


def _attention_flops(case):
    batch, m, n, k, h = _attention_sizes(case)
    return 2 * batch * m * n * (k + h) // (2 if case.get("causal") else 1)


def _build_decode(case, dtype, options):
    sizes = [case[key] for key in ("batch", "heads", "group", "rows", "keys", "head_dim")]
    return products.grouped_attention(
        identifier(case["name"]),
        *sizes,
        case.get("value_dim", case["head_dim"]),
        dtype,
        causal=case["causal"],
    )


def _decode_flops(case):
    batch, heads, group, rows, keys, dim = (
        case[key] for key in ("batch", "heads", "group", "rows", "keys", "head_dim")
    )
    return 4 * batch * heads * group * rows * keys * dim


# Single operators.


def _spatial(case):
    return [case[key] for key in ("L", "D", "H", "W") if key in case]


def _build_operator(case, dtype, options):
    name, op = identifier(case["name"]), case["op"]
    if op == "gemm":
        return products.gemm_chain(name, [case["M"], case["K"], case["N"]], dtype)
    if op == "bmm":
        sizes = [case["M"], case["K"], case["N"]]
        return products.gemm_chain(name, sizes, dtype, batch=case["batch"])
    if op == "gemv":
        return products.gemv(name, case["M"], case["K"], dtype)
    if op == "scan":
        return products.scan(name, case["rows"], case["L"], dtype)
    arguments = (name, case["batch"], _spatial(case), case["CI"], case["CO"], case["k"])
    arguments += (case["stride"], case["pad"], dtype)
    if op == "conv2d_transposed":
        return convolutions.transposed_convolution(*arguments)
    channels_first = options.channels_first
    if channels_first is None:
        channels_first = case.get("layout") == "NCHW"
    if channels_first and len(_spatial(case)) != 2:
        raise ValueError(f"'{case['name']}': channels first is for 2-D convolutions")
    return convolutions.convolution(
        *arguments, dilation=case.get("dilation", 1), channels_first=channels_first
    )


def _operator_flops(case):
    op = case["op"]
    if op in ("gemm", "bmm"):
        return 2 * case.get("batch", 1) * case["M"] * case["N"] * case["K"]
    if op == "gemv":
        return 2 * case["M"] * case["K"]
    if op == "scan":
        return case["rows"] * case["L"]
    window = case["k"] ** len(_spatial(case)) * case["CI"] * case["CO"]
    if op == "conv2d_transposed":
        return 2 * case["batch"] * math.prod(_spatial(case)) * window
    out = [
        convolutions.output_size(
            size, case["k"], case["stride"], case["pad"], case.get("dilation", 1)
        )
        for size in _spatial(case)
    ]
    return 2 * case["batch"] * math.prod(out) * window


def _operator_name(case):
    if case["op"] == "gemm":
        return "gemm_{M}x{N}x{K}".format(**case)
    if case["op"] == "bmm":
        return "bmm_{batch}x{M}x{N}x{K}".format(**case)
    if case["op"] == "gemv":
        return "gemv_{M}x{K}".format(**case)
    if case["op"] == "scan":
        return "scan_{rows}x{L}".format(**case)
    if "name" in case:
        return f"{case['name']}_b{case['batch']}"
    sizes = "x".join(map(str, _spatial(case)))
    return f"{case['op']}_b{case['batch']}_{sizes}_c{case['CI']}_f{case['CO']}_k{case['k']}"


def _build_convolution_chain(case, dtype, options):
    return convolutions.convolution_chain(
        identifier(case["name"]),
        case["batch"],
        case["IC"],
        case["H"],
        case["W"],
        case["OC1"],
        case["OC2"],
        case["k1"],
        case["k2"],
        case["stride1"],
        case["stride2"],
        dtype,
        channels_first=bool(options.channels_first),
    )


def _convolution_chain_flops(case):
    h, w, channels, flops = case["H"], case["W"], case["IC"], 0
    for n in ("1", "2"):
        kernel, stride, filters = case["k" + n], case["stride" + n], case["OC" + n]
        h, w = (convolutions.output_size(s, kernel, stride, kernel // 2) for s in (h, w))
        flops += 2 * case["batch"] * h * w * kernel * kernel * channels * filters
        channels = filters
    return flops


# Stitched patterns.


def stitch_builder(pattern):
    for module in (stitch_rows, stitch_mixed):
        if hasattr(module, pattern):
            return getattr(module, pattern)
    raise ValueError(f"no builder for the pattern '{pattern}'")


def _build_stitch(case, dtype, options):
    function = Function(identifier(case["name"]))
    stitch_builder(case["pattern"])(function, case["rows"], case["cols"], dtype)
    return function


def _stitch_cases(table):
    return [
        {"name": f"{pattern}_{shape['rows']}x{shape['cols']}", "pattern": pattern, **shape}
        for pattern in table["patterns"]
        for shape in table["shapes"]
    ]


@functools.cache
def families():
    """All families by name, in the order of their files."""

    def table(name):
        return json.loads((HERE / f"{name}.json").read_text())

    result = {}

    def add(name, build, flops, cases=None):
        cases = table(name)["cases"] if cases is None else cases
        names = [case["name"] for case in cases]
        assert len(set(names)) == len(names), f"{name}: names are not unique"
        result[name] = Family(name, tuple(cases), build, flops)

    add("gemm_chains_mcfuser", _build_chain, _chain_flops)
    add("gemm_chains_chimera", _build_chain, _chain_flops)
    add("attention_mcfuser", _build_attention, _attention_flops)
    add("attention_long", _build_attention, _attention_flops)
    add("decode", _build_decode, _decode_flops)
    add("conv_chains_chimera", _build_convolution_chain, _convolution_chain_flops)
    for name in ("operators_alcop", "operators_gta", "products_large"):
        cases = [{**case, "name": _operator_name(case)} for case in table(name)["cases"]]
        add(name, _build_operator, _operator_flops, cases)
    add("stitch_patterns", _build_stitch, None, _stitch_cases(table("stitch_patterns")))
    return result


def free_chain(sizes, batch):
    """A chain that is in no table."""
    name = "chain_" + "x".join(map(str, sizes)) + (f"_b{batch}" if batch else "")
    case = {"name": name, "sizes": tuple(sizes), "batch": batch}
    return Family("chain", (case,), _build_chain, _chain_flops)
