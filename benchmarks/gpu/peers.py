# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What PyTorch computes for each workload, from the same arguments in the same order.

peer(family, case) is a Peer. Its function is written once and used twice: in the workload's own type
as a program would write it (that is what is timed), and on f32 inputs with the rounding of every
materialised intermediate (that is what results are checked against).
"""

import dataclasses
import sys
import pathlib

import torch
import torch.nn.functional as F

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "workloads"))

from stitch_rows import EPSILON  # noqa: E402


@dataclasses.dataclass(frozen=True)
class Peer:
    """prepare: arguments -> tensors as PyTorch wants them (not timed). function: (rounded, *tensors) ->
    tensor or tuple; `rounded` is applied to what the IR materialises. finish: result -> our layout."""

    function: object
    prepare: object = staticmethod(lambda *tensors: tensors)
    finish: object = staticmethod(lambda result: result)
    # For attention whose heads have one width: what scaled_dot_product_attention needs to know.
    sdpa: dict | None = None

    def timed(self):
        """A callable on prepared tensors, in their own type."""
        return lambda *tensors: self.function(lambda value: value, *tensors)

    def reference(self, arguments, dtype):
        """Results in f32 on arguments of any type."""
        wide = [a.float() if a.is_floating_point() else a for a in self.prepare(*arguments)]
        result = self.function(lambda value: value.to(dtype).float(), *wide)
        results = result if isinstance(result, tuple) else (result,)
        return [self.finish(one) for one in results]


def _chain(case):
    def function(rounded, value, *weights):
        for weight in weights[:-1]:
            value = rounded(torch.matmul(value, weight))
        return torch.matmul(value, weights[-1])

    return Peer(function)


# Scores of this many elements at a time: 2 GB in f32.
_SCORES = 1 << 29


def _masked(scores, causal):
    if not causal:
        return scores
    m, n = scores.shape[-2:]
    keep = torch.ones(m, n, dtype=torch.bool, device=scores.device).tril(n - m)
    return scores.masked_fill(~keep, float("-inf"))


def _attention(case):
    causal, equal = case.get("causal", False), True
    if "seq" in case:
        k = case["head_dim"]
    else:
        k, equal = case["K"], case["K"] == case["H"]

    def function(rounded, q, key, v):
        if q.dtype != torch.float32:
            scores = _masked(torch.matmul(q, key.transpose(1, 2)) * k**-0.5, causal)
            return torch.matmul(torch.softmax(scores, -1), v)
        # The reference: heads in groups, so that long sequences fit.
        step = max(1, _SCORES // (q.shape[1] * key.shape[1]))
        parts = []
        for first in range(0, q.shape[0], step):
            heads = slice(first, first + step)
            scores = torch.matmul(q[heads], key[heads].transpose(1, 2)) * k**-0.5
            weights = rounded(torch.softmax(_masked(scores, causal), -1))
            parts.append(torch.matmul(weights, v[heads]))
        return torch.cat(parts)

    return Peer(function, sdpa={"causal": causal, "scale": k**-0.5} if equal else None)


def _decode(case):
    """A few rows, of one head or of several that share keys and values, against many keys."""
    causal, k = case["causal"], case["head_dim"]

    def function(rounded, q, key, v):
        if q.dim() > key.dim():  # a dimension of heads that share
            key, v = key.unsqueeze(2), v.unsqueeze(2)
        scores = torch.matmul(q, key.transpose(-1, -2)) * k**-0.5
        return torch.matmul(rounded(torch.softmax(_masked(scores, causal), -1)), v)

    return Peer(function)


# Convolutions: PyTorch's shapes are NCHW and FCHW; channels last is a memory format there.


def _to_first(x):
    """N spatial C -> N C spatial, as a view."""
    return x.movedim(-1, 1)


def _filter_to_first(w):
    """Spatial C F -> F C spatial."""
    rank = w.dim() - 2
    return w.permute(rank + 1, rank, *range(rank))


def _contiguous(w):
    formats = {4: torch.channels_last, 5: torch.channels_last_3d}
    if w.dim() in formats:
        return w.contiguous(memory_format=formats[w.dim()])
    return w.contiguous()


_CONVOLUTIONS = {3: F.conv1d, 4: F.conv2d, 5: F.conv3d}


def _operator(case):
    op = case["op"]
    if op in ("gemm", "bmm"):
        return _chain(case)
    if op == "gemv":
        return Peer(lambda rounded, a, x: torch.mv(a, x))
    if op == "scan":
        return Peer(lambda rounded, x: torch.cumsum(x, 1))
    if op == "conv2d_transposed":
        # Ours applies the filter as it is stored; PyTorch applies it flipped.
        return Peer(
            lambda rounded, x, w: F.conv_transpose2d(
                x, w, stride=case["stride"], padding=case["pad"]
            ),
            prepare=lambda x, w: (
                _to_first(x),
                w.flip(0, 1).permute(2, 3, 0, 1).contiguous(memory_format=torch.channels_last),
            ),
            finish=lambda y: y.movedim(1, -1),
        )

    def function(rounded, x, w):
        return _CONVOLUTIONS[x.dim()](
            x, w, stride=case["stride"], padding=case["pad"], dilation=case.get("dilation", 1)
        )

    if case.get("layout") == "NCHW":
        return Peer(function)
    return Peer(
        function,
        prepare=lambda x, w: (_to_first(x), _contiguous(_filter_to_first(w))),
        finish=lambda y: y.movedim(1, -1),
    )


def _convolution_chain(case):
    def function(rounded, x, w1, w2):
        x = rounded(F.relu(F.conv2d(x, w1, stride=case["stride1"], padding=case["k1"] // 2)))
        return F.relu(F.conv2d(x, w2, stride=case["stride2"], padding=case["k2"] // 2))

    return Peer(
        function,
        prepare=lambda x, *ws: (_to_first(x), *(_contiguous(_filter_to_first(w)) for w in ws)),
        finish=lambda y: y.movedim(1, -1),
    )


# Stitched patterns. The IR materialises nothing but the results, so that `rounded` has no work.


def _layer_norm(x, gamma=None, beta=None):
    return F.layer_norm(x, x.shape[-1:], gamma, beta, EPSILON)


def _layer_norm_backward(dy, x, mean, rstd, gamma):
    xhat = (x - mean[:, None]) * rstd[:, None]
    weighted = dy * gamma
    a = weighted.mean(1, keepdim=True)
    b = (weighted * xhat).mean(1, keepdim=True)
    dx = (weighted - a - xhat * b) * rstd[:, None]
    return dx.to(dy.dtype), (dy * xhat).sum(0).to(dy.dtype), dy.sum(0)


def _rms_norm(x, gamma):
    return F.rms_norm(x, x.shape[-1:], gamma, EPSILON)


def _dropout_norm(x, bias, mask, residual, gamma, beta):
    kept = torch.where(mask != 0, (x + bias) / 0.9, 0.0)
    return _layer_norm(kept + residual, gamma, beta)


def _l2_normalize(x):
    return x * (x * x).sum(1, keepdim=True).clamp_min(1e-12).rsqrt()


def _mean_var(x):
    mean = x.mean(1)
    return mean, (x * x).mean(1) - mean * mean


def _packed8(*x):
    return (
        x[0] * 2.0,
        x[1] + 1.0,
        F.relu(x[2]),
        x[3] * x[3],
        x[4].abs(),
        1.0 - x[5],
        x[6].exp(),
        x[7].tanh(),
    )


def _packed_shapes(a, b, c, d):
    return a * 2.0, b.exp(), c + 1.0, F.relu(d)


def _rope(x, cosine, sine):
    half = x.shape[1] // 2
    first, second, rest = x[:, :half], x[:, half : 2 * half], x[:, 2 * half :]
    rotated = [first * cosine - second * sine, second * cosine + first * sine, rest]
    return torch.cat(rotated, 1)


def _gather_mix(table, index, x, bias):
    half = x.shape[1] // 2
    picked = table[index.long().clamp(0, table.shape[0] - 1), :half]
    return torch.cat([picked * 2.0, x[:, half:] + bias], 1)


def _cross_entropy(x, target):
    return F.cross_entropy(x, target.long().clamp(0, x.shape[1] - 1), reduction="none")


def _reduce_exp_reduce(x):
    scaled = x * x.mean(1, keepdim=True).exp()
    return (scaled * scaled).sum(1)


def _expensive_middle(x):
    gate = (x.mean(1, keepdim=True).tanh() + 1.5).log()
    return x * gate + gate


def _lstm(from_x, from_h, bias, cell):
    i, f, g, o = (from_x + from_h + bias).chunk(4, 1)
    cell = f.sigmoid() * cell + i.sigmoid() * g.tanh()
    return o.sigmoid() * cell.tanh(), cell


def _gru(from_x, from_h, hidden):
    (xr, xz, xn), (hr, hz, hn) = from_x.chunk(3, 1), from_h.chunk(3, 1)
    reset, update = (xr + hr).sigmoid(), (xz + hz).sigmoid()
    return (1.0 - update) * (xn + reset * hn).tanh() + update * hidden


def _din(query, keys, weight, mask):
    repeated = query[:, None].expand_as(keys)
    features = torch.cat([keys, repeated, keys - repeated, keys * repeated], 2)
    score = torch.matmul(features, weight).sigmoid().float()
    share = torch.where(mask != 0, score, -1e9).softmax(1).to(keys.dtype)
    return torch.matmul(share[:, None], keys)[:, 0]


_STITCH = {
    "layer_norm": _layer_norm,
    "rms_norm": _rms_norm,
    "softmax": lambda x: x.softmax(1),
    "log_softmax": lambda x: x.log_softmax(1),
    "cross_entropy": _cross_entropy,
    "bias_gelu": lambda x, bias: F.gelu(x + bias),
    "bias_dropout_residual_layer_norm": _dropout_norm,
    "swiglu": lambda gate, up: F.silu(gate) * up,
    "l2_normalize": _l2_normalize,
    "mean_var_two_reductions": _mean_var,
    "packed_elementwise_of_8_tensors": _packed8,
    "rope": _rope,
    "layer_norm_backward": _layer_norm_backward,
    "reduce_exp_broadcast_reduce": _reduce_exp_reduce,
    "expensive_op_on_small_tensor_in_the_middle": _expensive_middle,
    "transpose_of_normalised": lambda x: _layer_norm(x).t().contiguous(),
    "gather_slice_concat_mix": _gather_mix,
    "packed_elementwise_of_different_shapes": _packed_shapes,
    "lstm_cell_gates": _lstm,
    "gru_cell_gates": _gru,
    "din_attention_unit": _din,
}


def _stitch(case):
    function = _STITCH[case["pattern"]]
    return Peer(lambda rounded, *tensors: function(*tensors))


_FAMILIES = {
    "gemm_chains_mcfuser": _chain,
    "gemm_chains_chimera": _chain,
    "attention_mcfuser": _attention,
    "attention_long": _attention,
    "decode": _decode,
    "conv_chains_chimera": _convolution_chain,
    "operators_alcop": _operator,
    "operators_gta": _operator,
    "products_large": _operator,
    "stitch_patterns": _stitch,
}


def peer(family, case):
    return _FAMILIES[family](case)
