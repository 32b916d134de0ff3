# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The rows of the table as linalg modules, by the builders of benchmarks/workloads."""

import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "workloads"))

import products  # noqa: E402
import stitch_rows  # noqa: E402
from linalg_builder import Function  # noqa: E402


def module(row):
    """The text. Arguments are in the order of `computations.inputs`."""
    return _BUILDERS[row.family](row).text()


def _pattern(row):
    function = Function(row.family)
    getattr(stitch_rows, row.family)(function, row.rows, row.columns, row.dtype)
    return function


def _bias_residual_norm(row):
    f, shape, dtype = Function(row.family), (row.rows, row.columns), row.dtype
    x, bias = f.argument(shape, dtype), f.argument(shape[1:], dtype)
    residual = f.argument(shape, dtype)
    gamma, beta = f.argument(shape[1:], dtype), f.argument(shape[1:], dtype)
    biased = stitch_rows.by_column(f, x, [bias], lambda v, b: v + b)
    summed = f.map([biased, residual], lambda v, r: v + r.to("f32"))
    f.result(stitch_rows.affine(f, stitch_rows.normalized(f, summed), gamma, beta, dtype))
    return f


def _rms_norm_backward(row):
    """Gradients of rms_norm; the reciprocal deviation of each row comes from forward."""
    f, shape, dtype = Function(row.family), (row.rows, row.columns), row.dtype
    dy, x = f.argument(shape, dtype), f.argument(shape, dtype)
    deviation, gamma = f.argument(shape[:1], "f32"), f.argument(shape[1:], dtype)
    unit = stitch_rows.by_row(f, x, [deviation], lambda v, r: v * r)
    weighted = stitch_rows.by_column(f, dy, [gamma], lambda v, g: v * g)
    products_ = f.map([weighted, unit], lambda w, u: w * u)
    mean = f.map(stitch_rows.row_sum(f, products_), lambda s: s * (1.0 / shape[1]))
    dx = f.generic(
        "r c", [(weighted, "r c"), (unit, "r c"), (mean, "r"), (deviation, "r")], ("r c", dtype),
        lambda w, u, m, r: ((w - u * m) * r).to(dtype),
    )  # fmt: skip
    dgamma = f.generic("c | r", [(dy, "r c"), (unit, "r c")], ("c", "f32", 0.0), lambda d, u, s: s + d.to("f32") * u)
    f.result(dx, f.cast(dgamma, dtype))
    return f


def _gated_mlp(row):
    """(silu(X G) * (X U)) D."""
    f, dtype = Function(row.family), row.dtype
    x = f.argument((row.m, row.k), dtype)
    gate, up = f.argument((row.k, row.n), dtype), f.argument((row.k, row.n), dtype)
    down = f.argument((row.n, row.h), dtype)
    first = f.contract(x, gate, ("m k", "k n", "m n"))
    second = f.contract(x, up, ("m k", "k n", "m n"))
    silu = f.map(first, products.ACTIVATIONS["silu"])
    middle = f.map([silu, second], lambda g, u: (g * u).to(dtype), dtype)
    f.result(f.cast(f.contract(middle, down, ("m n", "n h", "m h")), dtype))
    return f


def _attention(row):
    return products.attention(row.family, row.heads, row.rows, row.rows, row.width, row.width, row.dtype,
                              causal=row.family == "attention_causal")  # fmt: skip


def _decode(row):
    return products.grouped_attention(row.family, 1, row.heads, row.group, 1, row.keys, row.width, row.width, row.dtype)


_BUILDERS = {
    **dict.fromkeys(("softmax", "layer_norm", "layer_norm_backward", "rms_norm"), _pattern),
    "rms_norm_backward": _rms_norm_backward,
    "bias_residual_norm": _bias_residual_norm,
    "matmul": lambda row: products.gemm_chain("matmul", [row.m, row.k, row.n], row.dtype),
    "chain": lambda row: products.gemm_chain("chain", [row.m, row.k, row.n, row.h], row.dtype),
    "attention": _attention,
    "attention_causal": _attention,
    "decode": _decode,
    "gated_mlp": _gated_mlp,
}
