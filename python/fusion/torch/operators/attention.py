# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Scaled dot-product attention: softmax(scale · q kᵀ + mask) v."""

from __future__ import annotations

import math

from ..emit import FLOATS, Body, Scalar, Tensor, Unsupported
from ..lowering import Call, lowers, type_of
from .contractions import contract
from .normalization import exponentials, without_rows


@lowers("aten._scaled_dot_product_flash_attention_for_cpu.default")
def flash_attention(call: Call, q: Tensor, k: Tensor, v: Tensor, dropout_p: float = 0.0,
                    is_causal: bool = False, *, attn_mask: Tensor | None = None,
                    scale: float | None = None) -> tuple:
    if dropout_p:
        raise Unsupported("random numbers")
    if call.used(1):
        raise Unsupported("the logarithms of an attention's sums")
    return attention(call, q, k, v, is_causal, attn_mask, scale), None


def attention(call: Call, q: Tensor, k: Tensor, v: Tensor, is_causal: bool,
              mask: Tensor | None, scale: float | None) -> Tensor:
    """q is B x H x M x E, k B x G x N x E, v B x G x N x F, where G divides H. Scores are
    f32 for half types; weights are rounded to v's type."""
    f = call.f
    if q.type not in FLOATS:
        raise Unsupported(f"attention of {q.type}")
    shape = [*q.shape[:-1], v.shape[-1]]
    scale = 1 / math.sqrt(q.shape[-1]) if scale is None else scale
    # Keys and values that several heads share are read in place, whether they were
    # repeated for it or not.
    keys, values = f.source_of_reshape(k), f.source_of_reshape(v)
    repeated = (len(q.shape) == 4 and len(keys.shape) == len(values.shape) == 5
                and keys.shape[3:] == k.shape[2:] and values.shape[3:] == v.shape[2:]
                and keys.shape[:3] == values.shape[:3])
    lead = "abcdefgh"[: len(q.shape) - 2]
    if repeated:
        k, v, shared = keys, values, "abc"
        q = f.reshape(q, [*k.shape[:3], *q.shape[2:]])
        lead = "abc"
    elif len(q.shape) == 4 and k.shape[1] != q.shape[1]:
        q = f.reshape(q, [q.shape[0], k.shape[1], q.shape[1] // k.shape[1], *q.shape[2:]])
        lead, shared = "abc", "ab"
    else:
        shared = lead
    scores = contract(call, q, k, (lead + "me", shared + "ne", lead + "mn"))
    operands = [scores]
    if mask is not None:
        mask = f.reshape(mask, [1] * (len(shape) - len(mask.shape)) + list(mask.shape))
        if len(scores.shape) != len(shape):
            heads = mask.shape[1]
            groups = [1, 1] if heads == 1 else list(scores.shape[1:3])
            mask = f.reshape(mask, [mask.shape[0], *groups, *mask.shape[2:]])
        operands.append(mask)

    def weigh(b: Body, indices: list[Scalar], score: Scalar, *added: Scalar) -> Scalar:
        score = b.binary("arith.mulf", score, b.constant(scale, score.type))
        for one in added:
            if one.type == "i1":
                score = b.select(one, score, b.constant(-math.inf, score.type))
            else:
                score = b.binary("arith.addf", score, b.convert(one, score.type))
        if is_causal:
            seen = b.emit(f"arith.cmpi sle, {indices[-1].name}, {indices[-2].name} : index", "i1")
            score = b.select(seen, score, b.constant(-math.inf, score.type))
        return score

    scores = f.indexed(scores.shape, scores.type, weigh, operands)
    _, powers, sum, top = exponentials(call, scores, len(scores.shape) - 1)

    def divide(b: Body, power: Scalar, sum: Scalar, *top: Scalar) -> Scalar:
        weight = b.binary("arith.divf", power, sum)
        if top:  # a row without any key is 0
            weight = without_rows(b, weight, *top)
        return b.convert(weight, v.type)

    weights = f.elementwise([powers, sum, *([] if mask is None else [top])], scores.shape,
                            v.type, divide)
    result = contract(call, weights, v, (lead + "mn", shared + "nf", lead + "mf"))
    return f.convert(f.reshape(result, shape), type_of(call.value[0]))
