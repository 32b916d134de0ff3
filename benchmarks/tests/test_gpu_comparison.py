# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the check of results lets pass: the roundings of fused attention, and none of the errors that are planted.

Needs PyTorch (CPU is enough).
"""

import pathlib
import sys

import numpy
import pytest

torch = pytest.importorskip("torch")

GPU = pathlib.Path(__file__).parents[1] / "gpu"
sys.path.insert(0, str(GPU))

import comparison  # noqa: E402
import inputs  # noqa: E402
import peer_worker  # noqa: E402
import peers  # noqa: E402

PANEL = 128
CAUSAL = ("attention_long", {"seq": 1024, "head_dim": 64, "batch": 1, "causal": True}, [(2, 1024, 64)] * 3)
FULL = ("attention_long", {"seq": 1024, "head_dim": 128, "batch": 1}, [(1, 1024, 128)] * 3)
DECODE = ("decode", {"head_dim": 128, "causal": False}, [(1, 2, 4, 1, 128), *[(1, 2, 65536, 128)] * 2])


def fused(q, key, v, causal, scale=1.0, left_out=(), of_panel=None):
    """FlashAttention in f16: weights relative to the largest score so far, rounded, accumulated in f32, divided at the
    end. left_out: keys that no row sees; of_panel: (a panel, the one whose values stand in its place)."""
    if q.dim() > key.dim():
        key, v = key.unsqueeze(2), v.unsqueeze(2)
    if of_panel:
        to, of = (slice(PANEL * panel, PANEL * (panel + 1)) for panel in of_panel)
        v = v.clone()
        v[..., to, :] = v[..., of, :].clone()
    rows, keys = q.shape[-2], key.shape[-2]
    seen = torch.ones(rows, keys, dtype=torch.bool)
    seen = seen.tril(keys - rows) if causal else seen
    seen[:, list(left_out)] = False
    largest = torch.full((*q.shape[:-1], 1), -1e30)
    total, accumulator = torch.zeros_like(largest), torch.zeros(*q.shape[:-1], v.shape[-1])
    for first in range(0, keys, PANEL):
        panel = slice(first, first + PANEL)
        scores = torch.matmul(q.float(), key[..., panel, :].float().transpose(-1, -2)) * q.shape[-1] ** -0.5 * scale
        scores = scores.masked_fill(~seen[:, panel], float("-inf"))
        larger = torch.maximum(largest, scores.amax(-1, keepdim=True))
        weights, correction = torch.exp(scores - larger), torch.exp(largest - larger)
        total = total * correction + weights.sum(-1, keepdim=True)
        accumulator = accumulator * correction + torch.matmul(weights.half().float(), v[..., panel, :].float())
        largest = larger
    return (accumulator / total).half()


def normalized(q, key, v, causal):
    """As PyTorch computes it: weights are divided by their sum, then rounded."""
    return peers.peer(*CAUSAL[:2] if causal else DECODE[:2]).reference([q, key, v], torch.float16)[0].half()


@pytest.fixture(scope="module")
def check(tmp_path_factory):
    """The worker's answer to a result of a workload."""
    worker = peer_worker.Worker()
    worker.torch, worker.device = torch, "cpu"
    path = tmp_path_factory.mktemp("results") / "f.result0.npy"

    def ask(workload, result):
        family, case, shapes = workload
        numpy.save(path, result.numpy())
        request = {"family": family, "case": case, "dtype": "f16", "seed": 1, "outputs": [str(path)]}
        request["inputs"] = [(shape, "f16", 1) for shape in shapes]
        return worker.check(request)

    return ask


def arguments_of(workload):
    return [inputs.make_input(shape, "f16", 1, number, "cpu") for number, shape in enumerate(workload[2])]


@pytest.mark.parametrize(
    "workload",
    (CAUSAL, FULL, pytest.param(DECODE, marks=pytest.mark.full)),
    ids=("causal", "full", "decode"),
)
def test_attention(check, workload):
    causal = workload[1].get("causal", False)
    arguments = arguments_of(workload)
    assert check(workload, fused(*arguments, causal))["pass"]
    # The first keys of causal attention are the keys that most rows see.
    for wrong in ({"left_out": [700]}, {"of_panel": (5, 2)}, {"scale": 1.01}, {"scale": 0.99}):
        assert not check(workload, fused(*arguments, causal, **wrong))["pass"], wrong
    result = fused(*arguments, causal)
    for factor in (1.01, 0.99):
        assert not check(workload, (result.float() * factor).half())["pass"], factor
    elsewhere = result.clone()
    elsewhere[..., -1, :] = result[..., -1, :].roll(1, -1)
    assert not check(workload, elsewhere)["pass"], "columns of one row"


def test_both_forms_of_softmax(check):
    """Weights of 65536 keys are subnormal numbers where they are rounded behind the division, and not before it."""
    arguments = arguments_of(DECODE)
    assert check(DECODE, normalized(*arguments, False))["rounded_to"] == "float16"
    assert check(DECODE, fused(*arguments, False))["rounded_to"] == "float32"


def test_rows_count():
    """A row's own size decides, within limits."""
    generator = torch.Generator().manual_seed(1)
    rows = torch.randn(4, 64, generator=generator) * torch.tensor([1.0, 0.1, 0.0, 1.0])[:, None]
    error = 2.0**-10 * comparison.root_mean_square(rows[0])

    def passes(row, amount, reference=rows):
        actual = reference.clone()
        actual[row] += amount
        return comparison.compare(actual, reference, "f16")["pass"]

    assert passes(0, error) and not passes(1, 3 * error)
    assert passes(1, error / 20), "as large against its row"
    assert passes(2, error / 20) and not passes(2, error / 2), "a row of zeros"
    few = rows.reshape(-1, 8)
    assert passes(20, error / 2, few), "short rows are those of the whole"
    numbers = torch.tensor([1.0, float("nan"), float("inf")])
    assert comparison.compare(numbers, numbers, "f16")["pass"]
    assert not comparison.compare(numbers.nan_to_num(), numbers, "f16")["pass"]
    assert comparison.compare(torch.tensor(1.0), torch.tensor(1.001), "f16")["pass"], "a result without dimensions"
