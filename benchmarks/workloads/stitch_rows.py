# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Patterns of memory-intensive operators that work along rows: normalisations, softmax, losses.

Every builder takes (function, rows, cols, dtype) and appends arguments, operations and results.
Arguments and results are of dtype; everything between is f32.
"""

import math

from products import ACTIVATIONS

EPSILON = 1e-5


def row_sum(f, x, body=lambda v: v):
    """The sum over each row of body(element); a vector of f32."""
    return f.generic(
        "r | c", [(x, "r c")], ("r", "f32", 0.0), lambda v, s: s + body(v.to("f32"))
    )


def row_max(f, x):
    return f.generic(
        "r | c", [(x, "r c")], ("r", "f32", -math.inf), lambda v, m: m.maximum(v.to("f32"))
    )


def by_row(f, x, vectors, body, element="f32"):
    """Element-wise over x with vectors that have one value per row."""
    return f.generic(
        "r c",
        [(x, "r c"), *((v, "r") for v in vectors)],
        ("r c", element),
        lambda v, *s: body(v.to("f32"), *(one.to("f32") for one in s)).to(element),
    )


def by_column(f, x, vectors, body, element="f32"):
    return f.generic(
        "r c",
        [(x, "r c"), *((v, "c") for v in vectors)],
        ("r c", element),
        lambda v, *s: body(v.to("f32"), *(one.to("f32") for one in s)).to(element),
    )


def normalized(f, x):
    """(x - mean) / sqrt(variance + epsilon) of each row, in f32."""
    cols = x.shape[1]
    mean = f.map(row_sum(f, x), lambda s: s * (1.0 / cols))
    centered = by_row(f, x, [mean], lambda v, m: v - m)
    rstd = f.map(
        row_sum(f, centered, lambda v: v * v),
        lambda s: (s * (1.0 / cols) + EPSILON).math("rsqrt"),
    )
    return by_row(f, centered, [rstd], lambda v, r: v * r)


def affine(f, x, gamma, beta, element):
    return by_column(f, x, [gamma, beta], lambda v, g, b: v * g + b, element)


def layer_norm(f, rows, cols, dtype):
    x = f.argument((rows, cols), dtype)
    gamma, beta = f.argument((cols,), dtype), f.argument((cols,), dtype)
    f.result(affine(f, normalized(f, x), gamma, beta, dtype))


def rms_norm(f, rows, cols, dtype):
    x, gamma = f.argument((rows, cols), dtype), f.argument((cols,), dtype)
    rstd = f.map(
        row_sum(f, x, lambda v: v * v), lambda s: (s * (1.0 / cols) + EPSILON).math("rsqrt")
    )
    scaled = by_row(f, x, [rstd], lambda v, r: v * r)
    f.result(by_column(f, scaled, [gamma], lambda v, g: v * g, dtype))


def softmax(f, rows, cols, dtype):
    x = f.argument((rows, cols), dtype)
    f.result(f.cast(f.softmax(f.cast(x, "f32"), 1), dtype))


def log_sum_exp(f, x):
    """(x - row maximum, log of the sum of its exponentials), in f32."""
    shifted = by_row(f, x, [row_max(f, x)], lambda v, m: v - m)
    total = row_sum(f, shifted, lambda v: v.math("exp"))
    return shifted, f.map(total, lambda s: s.math("log"))


def log_softmax(f, rows, cols, dtype):
    x = f.argument((rows, cols), dtype)
    shifted, lse = log_sum_exp(f, x)
    f.result(by_row(f, shifted, [lse], lambda v, l: v - l, dtype))


def cross_entropy(f, rows, cols, dtype):
    """The loss of each row; integer targets, clamped to the classes there are."""
    x, target = f.argument((rows, cols), dtype), f.argument((rows,), "i32")
    shifted, lse = log_sum_exp(f, x)

    def body(t, l):
        return (l - f.extract(shifted, [f.index(0), t.clamped_index(cols)])).to(dtype)

    f.result(f.generic("r", [(target, "r"), (lse, "r")], ("r", dtype), body))


def bias_gelu(f, rows, cols, dtype):
    x, bias = f.argument((rows, cols), dtype), f.argument((cols,), dtype)
    sums = by_column(f, x, [bias], lambda v, b: v + b)
    f.result(f.map(sums, lambda v: ACTIVATIONS["gelu"](v).to(dtype), dtype))


def bias_dropout_residual_layer_norm(f, rows, cols, dtype, probability=0.1):
    """mask: 0 drops an element, anything else keeps it."""
    x, bias = f.argument((rows, cols), dtype), f.argument((cols,), dtype)
    mask, residual = f.argument((rows, cols), "i8"), f.argument((rows, cols), dtype)
    gamma, beta = f.argument((cols,), dtype), f.argument((cols,), dtype)
    biased = by_column(f, x, [bias], lambda v, b: v + b)
    kept = f.generic(
        "r c",
        [(biased, "r c"), (mask, "r c")],
        ("r c", "f32"),
        lambda v, m: m.compare("ne", 0).select(v * (1.0 / (1.0 - probability)), 0.0),
    )
    summed = f.map([kept, residual], lambda v, r: v + r.to("f32"))
    f.result(affine(f, normalized(f, summed), gamma, beta, dtype))


def swiglu(f, rows, cols, dtype):
    gate, up = f.argument((rows, cols), dtype), f.argument((rows, cols), dtype)
    gate32 = f.cast(gate, "f32")
    silu = f.map(gate32, lambda g: g / ((0.0 - g).math("exp") + 1.0))
    f.result(f.map([silu, up], lambda g, u: (g * u.to("f32")).to(dtype), dtype))


def l2_normalize(f, rows, cols, dtype):
    x = f.argument((rows, cols), dtype)
    norm = f.map(
        row_sum(f, x, lambda v: v * v), lambda s: s.maximum(1e-12).math("rsqrt")
    )
    f.result(by_row(f, x, [norm], lambda v, n: v * n, dtype))


def mean_var_two_reductions(f, rows, cols, dtype):
    """Two reductions of the same rows, as batch normalisation's statistics are computed."""
    x = f.argument((rows, cols), dtype)
    mean = f.map(row_sum(f, x), lambda s: s * (1.0 / cols))
    square = f.map(row_sum(f, x, lambda v: v * v), lambda s: s * (1.0 / cols))
    variance = f.map([square, mean], lambda s, m: (s - m * m).to(dtype), dtype)
    f.result(f.cast(mean, dtype), variance)


def layer_norm_backward(f, rows, cols, dtype):
    """Gradients of layer_norm; mean and reciprocal deviation of each row come from forward."""
    dy, x = f.argument((rows, cols), dtype), f.argument((rows, cols), dtype)
    mean, rstd = f.argument((rows,), "f32"), f.argument((rows,), "f32")
    gamma = f.argument((cols,), dtype)
    xhat = by_row(f, x, [mean, rstd], lambda v, m, r: (v - m) * r)
    weighted = by_column(f, dy, [gamma], lambda v, g: v * g)
    sum1 = f.map(row_sum(f, weighted), lambda s: s * (1.0 / cols))
    products = f.map([weighted, xhat], lambda w, h: w * h)
    sum2 = f.map(row_sum(f, products), lambda s: s * (1.0 / cols))
    dx = f.generic(
        "r c",
        [(weighted, "r c"), (xhat, "r c"), (sum1, "r"), (sum2, "r"), (rstd, "r")],
        ("r c", dtype),
        lambda w, h, a, b, r: ((w - a - h * b) * r).to(dtype),
    )
    column_sum = {"loops": "c | r", "outputs": ("c", "f32", 0.0)}
    dgamma = f.generic(
        inputs=[(dy, "r c"), (xhat, "r c")], body=lambda d, h, s: s + d.to("f32") * h, **column_sum
    )
    dbeta = f.generic(inputs=[(dy, "r c")], body=lambda d, s: s + d.to("f32"), **column_sum)
    f.result(dx, f.cast(dgamma, dtype), f.cast(dbeta, dtype))


def reduce_exp_broadcast_reduce(f, rows, cols, dtype):
    x = f.argument((rows, cols), dtype)
    mean = f.map(row_sum(f, x), lambda s: s * (1.0 / cols))
    factor = f.map(mean, lambda m: m.math("exp"))
    scaled = by_row(f, x, [factor], lambda v, e: v * e)
    f.result(f.cast(row_sum(f, scaled, lambda v: v * v), dtype))


def expensive_op_on_small_tensor_in_the_middle(f, rows, cols, dtype):
    """An expensive function of one value per row between two reductions of the rows."""
    x = f.argument((rows, cols), dtype)
    mean = f.map(row_sum(f, x), lambda s: s * (1.0 / cols))
    gate = f.map(mean, lambda m: (m.math("tanh") + 1.5).math("log"))
    f.result(by_row(f, x, [gate], lambda v, g: v * g + g, dtype))


def transpose_of_normalised(f, rows, cols, dtype):
    x = f.argument((rows, cols), dtype)
    f.result(f.transpose(f.cast(normalized(f, x), dtype), (1, 0)))
