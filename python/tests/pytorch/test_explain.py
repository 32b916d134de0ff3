# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What `explain` says of models: parts, predictions, graph breaks."""

import copy
import random

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
F = torch.nn.functional


def test_parts(front):
    explanation = front.explain(lambda x: torch.sort(F.softmax(x @ x.t(), -1)).values,
                                torch.randn(8, 16), options={"cache_dir": ""})
    assert explanation.graph_breaks == 0
    text = str(explanation)
    assert "1 graph, 0 graph breaks\n" in text
    assert "1 x aten.sort.default: no rule and no decomposition" in text
    assert "(the compiled parts alone, without what PyTorch computes)" in text
    assert explanation.report.kernels >= 1
    # Sums of earlier values are in no chain: the contraction reads both from memory.
    explanation = front.explain(lambda x: x.cumsum(0) @ x.t().cumsum(1), torch.randn(8, 16),
                                options={"cache_dir": ""})
    assert explanation.temporary_bytes == 2 * 8 * 16 * 4
    assert "1024 B of temporaries at the peak" in str(explanation)
    assert "the compiled parts alone" not in str(explanation)


def test_nothing_is_predicted_where_nothing_is_compiled(front):
    explanation = front.explain(lambda x: x.sort()[0], torch.randn(3), options={"cache_dir": ""})
    assert explanation.predicted_us is None and explanation.separate_us is None
    text = str(explanation)
    assert "1 operator, 0 of them in 0 compiled parts with 0 kernels" in text
    assert "nothing was compiled: PyTorch computes all of it" in text and "predicted" not in text


def test_kernels_for_each_operator_have_the_options(front):
    """Of one operator, the part is the kernel for each."""
    a, b = torch.randn(128, 128), torch.randn(128, 128)
    times = []
    for options in ({}, {"f32_products": "tf32"}, {"chip": "sm_90a", "force_fusion": True}):
        explanation = front.explain(lambda a, b: a @ b, a, b, options={"cache_dir": "", **options})
        assert explanation.predicted_us == explanation.separate_us
        times.append(explanation.separate_us)
    assert len(set(times)) == 3


def test_graph_breaks_have_places_and_reasons(front):
    def model(x):
        x = x * 2
        print("between")
        x = x + 1
        if x.sum() > 0:
            return x * 3
        return x

    first = model.__code__.co_firstlineno
    explanation = front.explain(model, torch.ones(3), options={"cache_dir": ""})
    assert explanation.graph_breaks == 2 and explanation.report.graphs == 3
    places = [one.place for one in explanation.breaks]
    assert places == [f"{__file__}:{first + line} in model" for line in (2, 4)]
    assert "`print`" in explanation.breaks[0].reason
    assert explanation.breaks[1].reason == "Data-dependent branching"
    assert "graph breaks:\n  " + str(explanation.breaks[0]) in str(explanation)


def test_what_pytorch_makes_no_graph_of(front):
    explanation = front.explain(torch.nn.LSTM(3, 4), torch.randn(2, 3, 3), options={"cache_dir": ""})
    assert explanation.report.graphs == 0 and explanation.graph_breaks == 1
    assert "does not support RNN, GRU, or LSTM" in explanation.breaks[0].reason
    assert "nothing was compiled: PyTorch computes all of it" in str(explanation)

    def model(x):
        for _ in range(2):
            x = x * 2
            torch._dynamo.graph_break()
        return x

    explanation = front.explain(model, torch.ones(3), options={"cache_dir": ""})
    if hasattr(torch._dynamo.eval_frame, "get_skip_reasons"):
        assert any("model" in one for one in explanation.skipped), explanation
        assert "functions that PyTorch made no graph of:" in str(explanation)


# What docs/pytorch.md says that stays with PyTorch: a model, its inputs and the operator.
STAYING = {
    "random": (lambda x: x + torch.rand_like(x), (8,), "rand_like"),
    "complex": (lambda x: torch.view_as_complex(x.reshape(4, 2)).abs(), (8,), "view_as_complex"),
    "strides": (lambda x: x.as_strided((3, 3), (1, 2)) + 1, (8,), "as_strided"),
    "sort": (torch.sort, (8,), "sort"),
    "topk": (lambda x: x.topk(3), (8,), "topk"),
    "median": (torch.median, (8,), "median"),
    "mode": (torch.mode, (8,), "mode"),
    "scatter": (lambda x: x.scatter_add(0, torch.arange(8), x), (8,), "scatter_add"),
    "index_add": (lambda x: torch.zeros(8).index_add(0, torch.arange(8), x), (8,), "index_put"),
    "accumulate": (lambda x: x.index_put((torch.arange(8),), x, accumulate=True), (8,), "index_put"),
    "decomposition": (torch.linalg.cholesky, (1, 1), "linalg_cholesky_ex"),
    "cdist": (lambda x: torch.cdist(x, x), (3, 4), "_cdist_forward"),
    "searchsorted": (lambda x: torch.searchsorted(x, x), (8,), "searchsorted"),
    "lgamma": (torch.lgamma, (8,), "lgamma"),
    "digamma": (torch.digamma, (8,), "digamma"),
    "erfinv": (torch.erfinv, (8,), "erfinv"),
    "i0": (torch.special.i0, (8,), "i0"),
    "nextafter": (lambda x: torch.nextafter(x, x), (8,), "nextafter"),
}


@pytest.mark.parametrize("name", STAYING)
def test_what_stays_with_pytorch(front, name):
    model, shape, operator = STAYING[name]
    text = str(front.explain(model, torch.ones(shape), options={"cache_dir": ""}))
    assert f"1 x aten.{operator}." in text.partition("computed by PyTorch:")[2], text


# It changes nothing.


class Counting(torch.nn.Module):
    """Whose state is everywhere that a module's can be."""

    def __init__(self):
        super().__init__()
        self.norm = torch.nn.BatchNorm1d(4)
        self.linear = torch.nn.Linear(4, 4)
        self.calls, self.seen, self.by_name = 0, [], {}
        self.cache = torch.zeros(3, 4)

    def forward(self, x):
        self.calls += 1
        self.seen.append(x.shape)
        self.by_name[self.calls] = x.shape
        x = F.dropout(self.norm(self.linear(x)), 0.5)
        torch._dynamo.graph_break()
        self.cache.add_(x.sum())
        x.relu_()
        return x + random.random()


def test_state_is_as_it_was(front):
    torch.manual_seed(0)
    model, x = Counting(), torch.randn(3, 4)
    before = copy.deepcopy((model.state_dict(), model.calls, model.seen, model.by_name, model.cache))
    versions = [tensor._version for tensor in (model.cache, *model.buffers(), *model.parameters())]
    generators = torch.get_rng_state(), random.getstate(), np.random.get_state()[1]
    explanation = front.explain(model, x, options={"cache_dir": ""})
    assert explanation.report.graphs >= 2
    torch.testing.assert_close((model.state_dict(), model.calls, model.seen, model.by_name, model.cache), before,
                               rtol=0, atol=0)
    assert versions == [tensor._version for tensor in (model.cache, *model.buffers(), *model.parameters())]
    assert torch.equal(torch.get_rng_state(), generators[0]) and random.getstate() == generators[1]
    assert (np.random.get_state()[1] == generators[2]).all()
    assert all(parameter.grad is None for parameter in model.parameters()) and model.training


def test_arguments_are_as_they_were(front):
    def model(x, cache, state):
        x.mul_(2)
        cache[:, 1] = x
        state["steps"].add_(1)
        return x.sum()

    inputs = torch.ones(3), torch.zeros(3, 2), {"steps": torch.zeros(())}
    before = copy.deepcopy(inputs)
    front.explain(model, *inputs, options={"cache_dir": ""})
    torch.testing.assert_close(inputs, before, rtol=0, atol=0)


class Cache:
    """Of keys, as libraries of transformers have them."""

    def __init__(self):
        self.layers, self.length = [], 0

    def update(self, key):
        self.layers.append(key)
        self.length += key.shape[0]
        return torch.cat(self.layers)


def test_caches_are_as_they_were(front):
    cache = Cache()
    cache.update(torch.ones(2, 3))
    explanation = front.explain(lambda x, cache: cache.update(x * 2).exp(), torch.ones(1, 3), cache=cache,
                                options={"cache_dir": ""})
    assert explanation.report.covered == 3 and not explanation.breaks
    assert cache.length == 2 and [key.shape[0] for key in cache.layers] == [2]


@pytest.mark.parametrize("foreach", [True, False])
def test_optimizers_are_as_they_were(front, foreach):
    parameters = [torch.nn.Parameter(torch.ones(3)), torch.nn.Parameter(torch.ones(2))]
    optimizer = torch.optim.AdamW(parameters, foreach=foreach)
    for parameter in parameters:
        parameter.grad = torch.ones_like(parameter)
    before = copy.deepcopy(optimizer.state_dict())
    explanation = front.explain(optimizer.step, options={"cache_dir": ""})
    assert explanation.report.covered and not explanation.report.declined
    assert all((parameter == 1).all() and (parameter.grad == 1).all() for parameter in parameters)
    torch.testing.assert_close(optimizer.state_dict(), before)


def test_what_is_compiled_stays_compiled(front):
    torch._dynamo.reset()
    graphs = []

    def counting(graph, inputs):
        graphs.append(graph)
        return graph.forward

    def model(x):
        return x.sin() + 1

    compiled = torch.compile(model, backend=counting)
    compiled(torch.ones(3))
    counters = copy.deepcopy(torch._dynamo.utils.counters)
    for size in (3, 7):
        explanation = front.explain(model, torch.ones(size), options={"cache_dir": ""})
        assert explanation.report.graphs == 1 and explanation.report.operators == 2
    assert torch._dynamo.utils.counters == counters
    compiled(torch.ones(3))
    assert len(graphs) == 1
    # Nor does PyTorch leave sizes open because of it: the second size is the one after it.
    compiled(torch.ones(5))
    assert len(graphs) == 2
    compiled(torch.ones(6))
    assert len(graphs) == 2
    torch._dynamo.reset()


# Training, and views.


def test_what_the_backward_leaves(front):
    model = torch.nn.Sequential(torch.nn.Conv2d(3, 4, 3), torch.nn.Tanh(), torch.nn.Flatten(), torch.nn.Linear(16, 2))
    explanation = front.explain(model, torch.randn(2, 3, 4, 4), options={"cache_dir": ""})
    assert not explanation.report.declined and not explanation.training.declined
    assert explanation.training.graphs == explanation.backward.graphs == 1
    assert explanation.backward.declined == {
        ("aten.convolution_backward.default", "no rule and no decomposition"): 1}
    text = str(explanation)
    assert "in training, forward: " in text and "in training, backward: " in text
    assert ("computed by PyTorch in training, backward:\n"
            "  1 x aten.convolution_backward.default: no rule and no decomposition") in text
    with torch.no_grad():
        explanation = front.explain(model, torch.randn(2, 3, 4, 4), options={"cache_dir": ""})
    assert explanation.training is None and explanation.backward is None and "training" not in str(explanation)
    explanation = front.explain(lambda x: x * 2, torch.ones(3), options={"cache_dir": ""})
    assert explanation.training is None


def test_models_that_no_gradient_goes_through(front):
    weight = torch.nn.Parameter(torch.ones(3))
    explanation = front.explain(lambda x: weight.add_(x), torch.ones(3), options={"cache_dir": ""})
    assert explanation.report.graphs == 1 and (weight == 1).all()
    assert "in training: " in str(explanation)


def test_views_are_counted(front):
    def model(x):
        y = x * 2
        return y.t(), y[1:], x.view(-1).exp(), x.t()

    explanation = front.explain(model, torch.randn(3, 4), options={"cache_dir": ""})
    report = explanation.report
    assert report.operators == report.covered + report.views + sum(report.declined.values())
    assert report.views == 2
    assert "2 views of no cost, which PyTorch makes" in str(explanation)
    # A graph of views alone.
    report = front.explain(lambda x: x.sort(0).values.t()[1:], torch.randn(3, 4), options={"cache_dir": ""}).report
    assert (report.operators, report.covered, report.views, sum(report.declined.values())) == (3, 0, 2, 1)
