# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Decompositions of operators: PyTorch's decompositions, and ours of what PyTorch has none for."""

from __future__ import annotations

import math
from typing import Any, Callable

import torch
from torch.nn import functional as F

from . import foreach

aten = torch.ops.aten
OWN: dict[Any, Callable] = foreach.decompositions()


def decomposes(operator: Any) -> Callable[[Callable], Callable]:
    """Files a decomposition of an operator."""
    def file(how: Callable) -> Callable:
        OWN[operator] = how
        return how

    return file


def table() -> dict[Any, Callable]:
    """Every decomposition that there is."""
    return {**torch._decomp.decomposition_table, **OWN}


# The fast path of PyTorch's own modules in inference.


@decomposes(aten._native_multi_head_attention.default)
def native_multi_head_attention(query, key, value, embed_dim, num_head, qkv_weight, qkv_bias, proj_weight,
                                proj_bias, mask=None, need_weights=True, average_attn_weights=True,
                                mask_type=None):
    """`torch.nn.MultiheadAttention`, batch first; the mask says which elements are excluded."""
    def heads(x, weight, bias):
        return F.linear(x, weight, bias).unflatten(-1, (num_head, -1)).transpose(1, 2)

    q, k, v = map(heads, (query, key, value), qkv_weight.chunk(3), qkv_bias.chunk(3))
    scores = (q / math.sqrt(embed_dim // num_head)) @ k.transpose(-1, -2)
    if mask is not None:
        mask = mask.to(torch.bool)
        if mask_type == 1:  # of keys, for each element of the batch
            mask = mask[:, None, None, :]
        scores = scores.masked_fill(mask, -math.inf)
    weights = scores.softmax(-1)
    result = F.linear((weights @ v).transpose(1, 2).flatten(-2), proj_weight, proj_bias)
    if not need_weights:
        return result, query.new_empty(0)
    return result, weights.mean(1) if average_attn_weights else weights


@decomposes(aten._transformer_encoder_layer_fwd.default)
def transformer_encoder_layer(src, embed_dim, num_heads, qkv_weight, qkv_bias, proj_weight, proj_bias,
                              use_gelu, norm_first, eps, norm_weight_1, norm_bias_1, norm_weight_2,
                              norm_bias_2, ffn_weight_1, ffn_bias_1, ffn_weight_2, ffn_bias_2, mask=None,
                              mask_type=None):
    """`torch.nn.TransformerEncoderLayer`."""
    def attend(x):
        return native_multi_head_attention(x, x, x, embed_dim, num_heads, qkv_weight, qkv_bias, proj_weight,
                                           proj_bias, mask, need_weights=False, mask_type=mask_type)[0]

    def feed_forward(x):
        x = F.linear(x, ffn_weight_1, ffn_bias_1)
        return F.linear(F.gelu(x) if use_gelu else F.relu(x), ffn_weight_2, ffn_bias_2)

    def norm1(x):
        return F.layer_norm(x, (embed_dim,), norm_weight_1, norm_bias_1, eps)

    def norm2(x):
        return F.layer_norm(x, (embed_dim,), norm_weight_2, norm_bias_2, eps)

    if norm_first:
        x = src + attend(norm1(src))
        return x + feed_forward(norm2(x))
    x = norm1(src + attend(src))
    return norm2(x + feed_forward(x))
