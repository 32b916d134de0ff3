# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The backend itself: what it takes, what it leaves, its cache, its options."""

import os
import subprocess
import sys
import textwrap

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
F = torch.nn.functional


def test_parts_between_what_is_left(run_compiled):
    """What has no rule stays with PyTorch; what is around it is compiled."""

    def model(x):
        return torch.sort(x * 2 + 1).values.exp() - 1

    x = torch.randn(4, 9)
    result, report = run_compiled(model, x)
    torch.testing.assert_close(result, model(x))
    assert len(report.regions) == 2
    assert report.declined == {("aten.sort.default", "no rule and no decomposition"): 1}


def test_in_place(run_compiled):
    def model(x):
        y = x.clone()
        y[:, 1:3] *= 2
        y.add_(1)
        y[0] = x[1]
        return y

    x = torch.randn(4, 6)
    result, _ = run_compiled(model, x)
    torch.testing.assert_close(result, model(x))


def test_graphs_with_writes(front):
    """A graph that is not functional: what is written in place is left to PyTorch."""
    import torch
    from fusion.torch.regions import compile_graph
    from torch.fx.experimental.proxy_tensor import make_fx

    def whole(x):
        y = torch.empty(4, 6)
        y[:, :3].copy_(x)
        y[:, 3:].copy_(y[:, :3] * 2)
        return y, x.exp().sum(1) + 1

    def input(x):
        first = x[:, 1:] * 2
        x.add_(1)
        return first, x[:, 1:] * 2

    for call in (whole, input):
        x = torch.randn(4, 3)
        expected = call(x.clone())
        report = front.Report()
        graph = make_fx(call, tracing_mode="fake")(x)
        compiled = compile_graph(graph, front.Options(report=report, cache_dir="", views=True))
        for result, wanted in zip(compiled(x.clone()), expected, strict=True):
            torch.testing.assert_close(result, wanted)
        assert any("in place" in reason for _, reason in report.declined)
        assert call is input or report.regions


@pytest.mark.parametrize("model", [
    lambda a: (a, a.clone()), lambda a: (a, a.to(torch.float32, copy=True)), lambda a: (a, a + 0),
    lambda a: (a, a.view(2, 2)), lambda a: (a, a[1:3]), lambda a: (a, *a.view(2, 2).unbind(0)),
    lambda a: (a.view(2, 2).t() * 2, a.view(2, 2).t()[1:], a),
])
def test_results_share_memory_as_eager_ones_do(run_compiled, model):
    x = torch.arange(4.0)
    wanted = model(x + 1)
    results, _ = run_compiled(lambda x: model(x + 1), x)
    for result, one in zip(results, wanted, strict=True):
        assert result.stride() == one.stride()
    wanted[1].fill_(7)
    results[1].fill_(7)
    for result, one in zip(results, wanted, strict=True):
        torch.testing.assert_close(result, one)


def test_gradient_after_a_result_is_written(front):
    x = torch.arange(3.0, requires_grad=True)
    torch._dynamo.reset()
    y = torch.compile(lambda x: x.exp().clone(), backend=front.backend,
                      options={"strict": True, "cache_dir": ""})(x)
    with torch.no_grad():
        y.mul_(0)
    y.sum().backward()
    torch.testing.assert_close(x.grad, x.detach().exp())


def test_masked_attention_keeps_nan(run_compiled):
    query, key, value = torch.randn(3, 1, 1, 3, 4)
    key[0, 0, 0, 0] = float("nan")
    mask = torch.tensor([[True, True, False], [False, True, True], [False, False, False]])
    def model(*operands):
        return torch.nn.functional.scaled_dot_product_attention(*operands, attn_mask=mask)

    result, _ = run_compiled(model, query, key, value)
    assert result[0, 0, 0].isnan().all()
    torch.testing.assert_close(result, model(query, key, value), equal_nan=True)
    key = torch.randn(1, 1, 3, 4)
    result, _ = run_compiled(model, query, key, value)
    assert (result[0, 0, 2] == 0).all()
    torch.testing.assert_close(result, model(query, key, value))


def test_arguments_that_no_rule_knows(front):
    """A number in place of a tensor, and numbers that a type does not hold."""
    def compiled(model):
        torch._dynamo.reset()
        return torch.compile(model, backend=front.backend, options={"cache_dir": ""})

    x, j = torch.randn(3, 3), torch.tensor([0, 1, 2])
    picked = torch.func.vmap(compiled(lambda a, j: a[j] * 2), in_dims=(1, 0))(x, j)
    torch.testing.assert_close(picked, x.diagonal() * 2)
    small = torch.tensor([1, 0, 127], dtype=torch.int8)
    for model in (lambda x: x.clamp(0, 200), lambda x: x < 300, lambda x: x.clamp(-129, 5)):
        try:
            expected = model(small)
        except RuntimeError:  # releases of PyTorch that refuse such numbers
            with pytest.raises(RuntimeError):
                compiled(model)(small)
        else:
            assert torch.equal(compiled(model)(small), expected)


@pytest.mark.parametrize("rule, why", [
    (lambda call, x: x.missing, "AttributeError: 'Tensor' object has no attribute 'missing'"),
    (lambda call, x: x.shape[7], "IndexError"),
    (lambda call, x: call.f.convert(x), "TypeError"),
    (lambda call, x: call.f.convert(x, "f64"), "it made tensor<3xf64> of what is"),
])
def test_mistakes_of_rules_surface(front, monkeypatch, rule, why):
    """Not as something that is not supported: with the operator and the node."""
    from fusion.torch.lowering import RULES

    monkeypatch.setitem(RULES, "aten.sin.default", rule)
    torch._dynamo.reset()
    compiled = torch.compile(lambda x: x.sin() * 2, backend=front.backend, options={"cache_dir": ""})
    with pytest.raises(Exception, match="internal error: the rule for aten.sin.default") as caught:
        compiled(torch.ones(3))
    assert why in str(caught.value) and "(at the node %sin" in str(caught.value)
    torch._dynamo.reset()


def test_backend_has_a_name(front):
    torch._dynamo.reset()
    x = torch.randn(5)
    torch.testing.assert_close(torch.compile(torch.exp, backend="fusion")(x), x.exp())


def test_input_is_changed(front, run_compiled):
    def model(x):
        x.mul_(2)
        return x + 1

    x = torch.randn(3, 5)
    expected = x.clone()
    wanted = model(expected)
    result, _ = run_compiled(model, x)
    torch.testing.assert_close(result, wanted)
    torch.testing.assert_close(x, expected)


@pytest.mark.parametrize("view", [
    lambda x: x.t(), lambda x: x[::2, 1:], lambda x: x.expand(3, 6, 8), lambda x: x.flatten(),
    lambda x: x.as_strided((4, 4), (8, 2)),
])
def test_strided_inputs(run_compiled, view):
    x = view(torch.randn(6, 8))
    result, _ = run_compiled(lambda x: x.exp() + x, x)
    torch.testing.assert_close(result, x.exp() + x)
    assert result.stride() == (x.exp() + x).stride()


def test_sums_of_what_is_repeated(run_compiled):
    def model(x):
        return x.expand(3, 6).sum(0), x.expand(3, 6).mean(), x.repeat(4).view(4, 6).amax(0), x[:, None].expand(6, 5) @ x[:5]

    x = torch.randn(6)
    results, report = run_compiled(model, x)
    for result, expected in zip(results, model(x), strict=True):
        torch.testing.assert_close(result, expected)
    assert not report.declined


def test_aliasing_inputs(run_compiled):
    base = torch.randn(4, 4)
    result, _ = run_compiled(lambda a, b: a @ b, base, base.t())
    torch.testing.assert_close(result, base @ base.t())


def test_result_is_an_input(run_compiled):
    x, y = torch.randn(3), torch.randn(3)
    (same, sum), _ = run_compiled(lambda x, y: (x, x + y), x, y)
    torch.testing.assert_close(same, x)
    torch.testing.assert_close(sum, x + y)


def test_mixed_types(run_compiled):
    def model(half, wide, number, truth):
        return half * wide + number * truth, half.to(torch.bfloat16) - 1, number // 2

    inputs = (torch.randn(4, 4).half(), torch.randn(4, 4), torch.arange(4), torch.ones(4, 4) > 0)
    results, _ = run_compiled(model, *inputs)
    for result, expected in zip(results, model(*inputs)):
        torch.testing.assert_close(result, expected)


def test_changed_shapes(run_compiled, front):
    """Other sizes are compiled anew, whether PyTorch leaves them open or not."""
    report = front.Report()
    torch._dynamo.reset()
    compiled = torch.compile(lambda x: F.softmax(x, -1) * x.shape[0], backend=front.backend,
                             options={"strict": True, "cache_dir": "", "report": report})
    for shape in ((3, 4), (5, 4), (7, 6), (3, 4)):
        x = torch.randn(shape)
        torch.testing.assert_close(compiled(x), F.softmax(x, -1) * shape[0])
    assert len(report.regions) >= 3 and all(region.program for region in report.regions)


def test_without_elements(run_compiled):
    x = torch.randn(0, 4)
    result, report = run_compiled(lambda x: (x * 2).sum(0), x)
    torch.testing.assert_close(result, torch.zeros(4))
    assert not report.regions


@pytest.mark.parametrize("dtype", [torch.complex64, torch.uint8])
def test_other_types_stay(run_compiled, dtype):
    x = torch.ones(4, dtype=dtype)
    result, report = run_compiled(lambda x: x + x, x)
    assert torch.equal(result, x + x) and not report.regions
    ((_, reason),) = report.declined
    assert str(dtype) in reason


def test_random_numbers_are_pytorchs(run_compiled):
    def model(x):
        return F.dropout(x * 2, 0.5) + 1

    x = torch.randn(50)
    torch.manual_seed(3)
    result, _ = run_compiled(model, x)
    torch.manual_seed(3)
    torch.testing.assert_close(result, model(x))


def mask_and_noise(x):
    return torch.bernoulli((x * 0.3).sigmoid()), torch.rand(3) + x


def views_of_one_value(x):
    h = x * 2 + 1
    return F.dropout(h, 0.5), h * torch.empty(1).bernoulli_(0.5), h + torch.randn_like(h), F.dropout(h, 0.2)


def sampled(x):
    y = ((x + torch.randn_like(x)) * 2).sigmoid()
    return torch.bernoulli(y), x + torch.rand_like(x), y.sum()


@pytest.mark.parametrize("model", [mask_and_noise, views_of_one_value, sampled])
def test_random_numbers_are_drawn_in_order(run_compiled, model):
    """What is computed between two draws moves neither."""
    x = torch.linspace(-1, 1, 3)
    torch.manual_seed(5)
    results, report = run_compiled(model, x)
    torch.manual_seed(5)
    torch.testing.assert_close(results, model(x))
    assert report.regions


def test_operators_on_functions_stay(run_compiled):
    """A custom operator that writes to an argument comes as an operator on an operator."""
    @torch.library.custom_op("fusion_tests::add_one", mutates_args=("x",))
    def add_one(x: torch.Tensor) -> None:
        x.add_(1)

    def model(x):
        y = x * 2
        add_one(y)
        return y.exp() + 1

    x = torch.randn(4)
    result, report = run_compiled(model, x)
    torch.testing.assert_close(result, model(x))
    assert report.regions and all(reason == "no rule and no decomposition" for _, reason in report.declined)


def test_other_layouts(run_compiled):
    x = torch.ones(3)
    result, _ = run_compiled(lambda x: x * 2, x.to_mkldnn())
    torch.testing.assert_close(result.to_dense(), x * 2)


def test_tensors_for_programs(fusion):
    def double(type_):
        return fusion.compile(f"""
          func.func @double(%a: tensor<4x{type_}>) -> tensor<4x{type_}> {{
            %e = tensor.empty() : tensor<4x{type_}>
            %r = linalg.add ins(%a, %a : tensor<4x{type_}>, tensor<4x{type_}>) outs(%e : tensor<4x{type_}>) -> tensor<4x{type_}>
            return %r : tensor<4x{type_}>
          }}""")

    x = torch.tensor([1.5, -2.0, 3.0, 0.25])
    (bits,) = [double("bf16")(x.bfloat16())]
    assert torch.equal(torch.from_numpy(bits.view("int16")).view(torch.bfloat16), x.bfloat16() * 2)
    program = double("f32")
    assert torch.equal(torch.from_numpy(program(torch.stack([x, x], 1)[:, 0])), x * 2)
    with pytest.raises(TypeError, match="input 0 of 'double' requires gradients"):
        program(x.clone().requires_grad_())
    with pytest.raises(TypeError, match="layout torch.sparse_coo"):
        program(x.to_sparse())
    with pytest.raises(TypeError, match="f32 takes float32"):
        program(x.bfloat16())


def test_gradients(front):
    """Forward and backward graphs are compiled alike."""
    model = torch.nn.Sequential(torch.nn.Linear(6, 8), torch.nn.Tanh(), torch.nn.Linear(8, 2))
    x, report = torch.randn(5, 6), front.Report()
    torch._dynamo.reset()
    compiled = torch.compile(model, backend=front.backend,
                             options={"strict": True, "cache_dir": "", "report": report})
    compiled(x).square().sum().backward()
    made = [p.grad.clone() for p in model.parameters()]
    model.zero_grad()
    model(x).square().sum().backward()
    for result, parameter in zip(made, model.parameters()):
        torch.testing.assert_close(result, parameter.grad)
    assert report.graphs == 2 and all(region.program for region in report.regions)


def test_asynchronous(front):
    report = front.Report()
    torch._dynamo.reset()
    compiled = torch.compile(lambda x: x.exp() * 2, backend=front.backend,
                             options={"async_compile": True, "cache_dir": "", "report": report})
    x = torch.randn(4, 4)
    torch.testing.assert_close(compiled(x), x.exp() * 2)
    (region,) = report.regions
    region.wait()
    assert region.program is not None
    torch.testing.assert_close(compiled(x), x.exp() * 2)


# The cache.


def test_cache(front, run_compiled, tmp_path):
    def model(x):
        return x.sin() + 0.25

    x = torch.randn(3, 3)
    counts = []
    for _ in range(2):
        front.cache.forget()
        front.cache.statistics.clear()
        run_compiled(model, x)
        counts.append(dict(front.cache.statistics))
    assert counts == [{"compiled": 1}, {"disk": 1}]
    # Another chip is another program.
    run_compiled(model, x, chip="sm_90a")
    assert front.cache.statistics["compiled"] == 1
    # What is in a file that was damaged is not used.
    files = [file for file in (tmp_path / "cache").rglob("*") if file.is_file()]
    assert len(files) == 2
    for damage in (b"", b"\xff\xfe", files[0].read_bytes()[:-10],
                   files[0].read_bytes().replace(b"mul", b"add")):
        for file in files:
            file.write_bytes(damage)
        front.cache.forget()
        front.cache.statistics.clear()
        result, _ = run_compiled(model, x)
        torch.testing.assert_close(result, model(x))
        assert front.cache.statistics == {"compiled": 1}


def test_cache_cannot_be_written(front, run_compiled, tmp_path, monkeypatch):
    """A folder that nobody named is no reason to fail."""
    (tmp_path / "file").write_text("")
    monkeypatch.setattr(front.cache, "default_folder", lambda: tmp_path / "file" / "below")
    x = torch.randn(3)
    result, _ = run_compiled(lambda x: x * 7, x, cache_dir=None)
    torch.testing.assert_close(result, x * 7)


@pytest.mark.nightly
def test_processes_share_the_cache(front, build_folder, tmp_path):
    """Several processes at once, then one more, which finds everything."""
    script = tmp_path / "model.py"
    script.write_text(textwrap.dedent("""
        import torch, fusion.torch as front
        x = torch.arange(12.0).reshape(3, 4)
        compiled = torch.compile(lambda x: x.softmax(-1) + 1, backend=front.backend,
                                 options={"strict": True})
        torch.testing.assert_close(compiled(x), x.softmax(-1) + 1)
        print(dict(front.cache.statistics))
    """))
    environment = {**os.environ, "PYTHONPATH": str(build_folder / "python"),
                   "FUSION_CACHE_DIR": str(tmp_path / "shared")}

    def start():
        return subprocess.Popen([sys.executable, str(script)], env=environment, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    for process in [start(), start()]:
        output, errors = process.communicate()
        assert process.returncode == 0, errors
    output, errors = start().communicate()
    assert output.strip() == "{'disk': 1}", errors
    assert not list((tmp_path / "shared").rglob(".writing-*"))
