# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the rows of the table compute: inputs, and results in f64 by PyTorch."""

import hashlib
import math

import torch

EPSILON = 1e-5
DTYPES = {"f16": torch.float16, "bf16": torch.bfloat16, "f32": torch.float32}
# Tolerances of an element, and of the root mean square of its row: docs/benchmarks.md, "How results are checked".
TOLERANCES = {torch.float16: 2**-9, torch.bfloat16: 2**-6, torch.float32: 1e-4}


def inputs(row):
    """{name: tensor}, the same in every run, in the order of the arguments of the linalg module."""
    generator = torch.Generator().manual_seed(int.from_bytes(hashlib.sha256(row.label.encode()).digest()[:4], "big"))
    dtype = DTYPES[row.dtype]

    def random(*shape, scale=1.0, kind=dtype):
        return (torch.randn(shape, generator=generator) * scale).to(kind)

    def weights(size):
        return (torch.rand(size, generator=generator) + 0.5).to(dtype)

    family = row.family
    if family in ("softmax", "layer_norm", "rms_norm", "bias_residual_norm"):
        made = {"x": random(row.rows, row.columns)}
        if family == "bias_residual_norm":
            made |= {"bias": random(row.columns), "residual": random(row.rows, row.columns)}
        if family != "softmax":
            made["gamma"] = weights(row.columns)
        if family in ("layer_norm", "bias_residual_norm"):
            made["beta"] = random(row.columns)
        return made
    if family.endswith("norm_backward"):
        made = {"dy": random(row.rows, row.columns), "x": random(row.rows, row.columns)}
        wide = made["x"].double()
        mean = wide.mean(1) if family == "layer_norm_backward" else torch.zeros(row.rows)
        deviation = (((wide - mean[:, None]) ** 2).mean(1) + EPSILON).rsqrt()
        if family == "layer_norm_backward":
            made["mean"] = mean.float()
        return made | {"deviation": deviation.float(), "gamma": weights(row.columns)}
    if family == "matmul":
        return {"a": random(row.m, row.k), "b": random(row.k, row.n, scale=row.k**-0.5)}
    if family == "chain":
        return {"a": random(row.m, row.k), "b": random(row.k, row.n, scale=row.k**-0.5),
                "d": random(row.n, row.h, scale=row.n**-0.5)}  # fmt: skip
    if family == "gated_mlp":
        return {"x": random(row.m, row.k), "gate": random(row.k, row.n, scale=row.k**-0.5),
                "up": random(row.k, row.n, scale=row.k**-0.5),
                "down": random(row.n, row.h, scale=row.n**-0.5)}  # fmt: skip
    if family == "decode":
        queries = (row.heads, row.group, 1, row.width) if row.group > 1 else (row.heads, 1, row.width)
        return {"q": random(1, *queries), "k": random(1, row.heads, row.keys, row.width),
                "v": random(1, row.heads, row.keys, row.width)}  # fmt: skip
    shape = row.heads, row.rows, row.width
    return {"q": random(*shape), "k": random(*shape), "v": random(*shape)}


def results(row, given):
    """{name: tensor of f64}, in the order of the module's results."""
    x = {name: tensor.double() for name, tensor in given.items()}
    family = row.family
    if family == "softmax":
        return {"y": x["x"].softmax(1)}
    if family == "rms_norm":
        return {"y": _normalized(x["x"], False) * x["gamma"]}
    if family == "layer_norm":
        return {"y": _normalized(x["x"], True) * x["gamma"] + x["beta"]}
    if family == "bias_residual_norm":
        return {"y": _normalized(x["x"] + x["bias"] + x["residual"], True) * x["gamma"] + x["beta"]}
    if family.endswith("norm_backward"):
        return _norm_backward(x)
    if family == "matmul":
        return {"c": x["a"] @ x["b"]}
    if family == "chain":
        return {"e": x["a"] @ x["b"] @ x["d"]}
    if family == "gated_mlp":
        middle = torch.nn.functional.silu(x["x"] @ x["gate"]) * (x["x"] @ x["up"])
        return {"y": middle @ x["down"]}
    key, value = x["k"], x["v"]
    if family == "decode" and row.group > 1:
        key, value = key[:, :, None], value[:, :, None]
    scores = x["q"] @ key.transpose(-1, -2) / math.sqrt(row.width)
    if family == "attention_causal":
        scores = scores.masked_fill(~torch.ones(scores.shape[-2:], dtype=torch.bool).tril(), -math.inf)
    return {"out": scores.softmax(-1) @ value}


def _normalized(x, is_centred):
    x = x - x.mean(1, keepdim=True) if is_centred else x
    return x * ((x * x).mean(1, keepdim=True) + EPSILON).rsqrt()


def _norm_backward(x):
    deviation = x["deviation"][:, None]
    unit = (x["x"] - x["mean"][:, None] if "mean" in x else x["x"]) * deviation
    weighted = x["dy"] * x["gamma"]
    dx = weighted - unit * (weighted * unit).mean(1, keepdim=True)
    if "mean" in x:
        dx = dx - weighted.mean(1, keepdim=True)
    found = {"dx": dx * deviation, "dgamma": (x["dy"] * unit).sum(0)}
    return found | ({"dbeta": x["dy"].sum(0)} if "mean" in x else {})


def mismatches(found, expected):
    """(elements outside of the tolerance, the largest error in units of the tolerance)."""
    tolerance = TOLERANCES[found.dtype]
    rows = expected.reshape(-1, expected.shape[-1]) if expected.shape[-1] >= 16 else expected.reshape(1, -1)
    error = (found.double() - expected).abs().reshape(rows.shape)
    level = rows.square().mean(1, keepdim=True).sqrt().clamp(min=rows.square().mean().sqrt().item() / 16)
    relative = error / (tolerance * (rows.abs() + level))
    return int((~(relative <= 1)).sum()), relative.nan_to_num(nan=math.inf).max().item()
