"""What `explain` says of models: parts, predictions, graph breaks."""

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
    # Sums of what precedes are no chain's: the product reads both from memory.
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


# What docs/python.md says that stays with PyTorch: a model, its inputs and the operator.
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
