# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Chains of contractions, single contractions and attention as linalg.

The canonical form: inputs of the named type, products into f32, element-wise work in f32, and one
rounding wherever a value of the named type is materialised (each intermediate of a chain, the
result).
"""

import math

from linalg_builder import Function

# Name -> body on one f32 scalar. bias, scale, cast and softmax need more than a scalar function.
ACTIVATIONS = {
    "relu": lambda x: x.maximum(0.0),
    "gelu": lambda x: x * 0.5 * ((x * math.sqrt(0.5)).math("erf") + 1.0),
    "gelu_tanh": lambda x: x
    * 0.5
    * ((math.sqrt(2.0 / math.pi) * (x + 0.044715 * x * x * x)).math("tanh") + 1.0),
    "silu": lambda x: x / ((0.0 - x).math("exp") + 1.0),
    "sigmoid": lambda x: 1.0 / ((0.0 - x).math("exp") + 1.0),
    "tanh": lambda x: x.math("tanh"),
    "exp": lambda x: x.math("exp"),
}
ELEMENTWISE = ("bias", "scale", "cast", "softmax", *ACTIVATIONS)


def apply_elementwise(f, value, operations, dtype, scale):
    """Applies the operations in f32, each as an operation of its own, and returns an f32 tensor.

    bias takes one more argument, a vector over the last dimension; scale multiplies by `scale`;
    cast rounds to dtype and back; softmax is over the last dimension.
    """
    for operation in operations:
        if operation == "bias":
            bias = f.argument(value.shape[-1:], dtype)
            loops = [f"d{i}" for i in range(len(value.shape))]
            value = f.generic(
                " ".join(loops),
                [(value, " ".join(loops)), (bias, loops[-1])],
                (" ".join(loops), "f32"),
                lambda x, b: x + b.to("f32"),
            )
        elif operation == "scale":
            value = f.map(value, lambda x: x * scale)
        elif operation == "cast":
            value = f.cast(f.cast(value, dtype), "f32")
        elif operation == "softmax":
            value = f.softmax(value, len(value.shape) - 1)
        elif operation in ACTIVATIONS:
            value = f.map(value, ACTIVATIONS[operation])
        else:
            raise ValueError(
                f"unknown element-wise operation '{operation}' ({', '.join(ELEMENTWISE)})"
            )
    return value


def gemm_chain(
    name, sizes, dtype, batch=None, before=(), between=(), after=(), transposed=(), form="named"
):
    """A chain of len(sizes) - 2 contractions.

    sizes: M, K, N, H, ...: the first LHS is M x K, the others K x N, N x H, ... batch: None for
    2-D products. transposed: numbers of the operands (0 is the first) stored with their last two
    dimensions swapped. before: on the first LHS; between: after every contraction but the last.
    """
    f = Function(name)
    loops = [f"d{i}" for i in range(len(sizes))]
    lead = [] if batch is None else ["b"]
    shape_of = dict(zip(loops, sizes, strict=True)) | {"b": batch}

    def operand(number, row, column):
        order = lead + ([column, row] if number in transposed else [row, column])
        return f.argument([shape_of[l] for l in order], dtype), " ".join(order)

    value, access = operand(0, loops[0], loops[1])
    # Scaled by the reduction of the first contraction wherever scale stands, as attention does.
    scale = sizes[1] ** -0.5
    if before:
        value = f.cast(apply_elementwise(f, f.cast(value, "f32"), before, dtype, scale), dtype)
    for number in range(1, len(sizes) - 1):
        weight, weight_access = operand(number, loops[number], loops[number + 1])
        result_access = " ".join([*lead, loops[0], loops[number + 1]])
        product = f.contract(value, weight, (access, weight_access, result_access), form)
        operations = after if number == len(sizes) - 2 else between
        product = apply_elementwise(f, product, operations, dtype, scale)
        value, access = f.cast(product, dtype), result_access
    f.result(value)
    return f


def gemv(name, m, k, dtype):
    """y[m] = A[m, k] x[k]."""
    f = Function(name)
    a, x = f.argument((m, k), dtype), f.argument((k,), dtype)
    f.result(f.cast(f.named("matvec", [a, x], (m,)), dtype))
    return f


def attention(name, batch, m, n, k, h, dtype, causal=False):
    """softmax(Q[b, m, k] K[b, n, k]^T / sqrt(k)) V[b, n, h]; batch counts batch and heads.

    causal: query i sees keys up to i + n - m, so that the last query sees all.
    """
    f = Function(name)
    q = f.argument((batch, m, k), dtype)
    key = f.argument((batch, n, k), dtype)
    v = f.argument((batch, n, h), dtype)
    scores = f.contract(q, key, ("b m k", "b n k", "b m n"))
    weights = _attention_weights(f, scores, k, dtype, causal)
    f.result(f.cast(f.contract(weights, v, ("b m n", "b n h", "b m h")), dtype))
    return f


def grouped_attention(name, batch, heads, group, m, n, k, h, dtype, causal=False):
    """Attention of `group` queries of m rows each to one of `heads` keys and values, b c g m k to b c n k; one query
    has no dimension of its own."""
    f = Function(name)
    lead = "b c g" if group > 1 else "b c"
    sizes = (batch, heads, group) if group > 1 else (batch, heads)
    q = f.argument((*sizes, m, k), dtype)
    key = f.argument((batch, heads, n, k), dtype)
    v = f.argument((batch, heads, n, h), dtype)
    scores = f.contract(q, key, (f"{lead} m k", "b c n k", f"{lead} m n"), "generic")
    weights = _attention_weights(f, scores, k, dtype, causal)
    result = f.contract(weights, v, (f"{lead} m n", "b c n h", f"{lead} m h"), "generic")
    f.result(f.cast(result, dtype))
    return f


def _attention_weights(f, scores, k, dtype, causal):
    """The softmax of scaled scores over their last dimension, rounded."""
    m, n = scores.shape[-2:]
    rank = len(scores.shape)
    scores = f.map(scores, lambda x: x * k**-0.5)
    if causal:

        def mask(x):
            row, column = f.index(rank - 2), f.index(rank - 1)
            last = row if n == m else row + (n - m)
            return column.compare("sle", last).select(x, -math.inf)

        scores = f.map(scores, mask)
    return f.cast(f.softmax(scores, rank - 1), dtype)


# The longest row that a scan sums in one step; a row of a tile of the matrix units.
SCAN_BLOCK = 128


def _inclusive_scan(f, x):
    """Running sums over the last dimension of a rows x length tensor, in f32."""
    rows, length = x.shape
    block = min(SCAN_BLOCK, length)
    blocks = -(-length // block)
    x = f.pad(x, (0, 0), (0, blocks * block - length))
    x = f.reshape(x, "[[0], [1, 2]]", (rows, blocks, block))
    # A product with the triangle of ones; linalg has no scan.
    triangle = f.generic(
        "j i",
        [],
        ("j i", x.element),
        lambda: f.index(0).compare("sle", f.index(1)).select(f.number(1.0, x.element), 0.0),
        sizes={"j": block, "i": block},
    )
    sums = f.contract(x, triangle, ("r c j", "j i", "r c i"), form="contract")
    if blocks > 1:
        totals = f.slice(sums, (0, 0, block - 1), (rows, blocks, 1))
        totals = f.reshape(totals, "[[0], [1, 2]]", (rows, blocks))
        before = f.pad(f.slice(totals, (0, 0), (rows, blocks - 1)), (0, 1), (0, 0))
        before = _inclusive_scan(f, before)
        sums = f.generic(
            "r c i", [(sums, "r c i"), (before, "r c")], ("r c i", "f32"), lambda s, t: s + t
        )
    sums = f.reshape(sums, "[[0], [1, 2]]", (rows, blocks * block))
    return sums if blocks * block == length else f.slice(sums, (0, 0), (rows, length))


def scan(name, rows, length, dtype):
    """Inclusive running sums of each row: block by block, then the same over the block totals."""
    f = Function(name)
    x = f.argument((rows, length), dtype)
    f.result(f.cast(_inclusive_scan(f, x), dtype))
    return f
