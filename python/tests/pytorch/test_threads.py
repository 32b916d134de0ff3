# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiled models that several threads call, while new sizes come."""

import threading

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
nn, F = torch.nn, torch.nn.functional


def in_threads(*calls):
    """Runs calls at once; gives what they raise."""
    raised = []

    def guarded(call):
        try:
            call()
        except Exception as error:
            raised.append(error)

    threads = [threading.Thread(target=guarded, args=(call,)) for call in calls]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return raised


class Taken(nn.Module):
    """Operators of all kinds: with rules, and decomposed when they are compiled."""

    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(8, 8)

    def forward(self, x):
        x = F.hardswish(self.linear(x)).sum(0, keepdim=True) * x + x.shape[0]
        return F.huber_loss(x, x.roll(1, 0), reduction="none").logsumexp(-1)


def test_other_models_are_called_meanwhile(front):
    torch._dynamo.reset()
    torch.manual_seed(0)
    open_sizes, other = Taken().eval(), nn.Sequential(nn.Linear(4, 4), nn.Tanh()).eval()
    options = {"cache_dir": "", "strict": True}
    compiled = torch.compile(open_sizes, backend=front.backend, dynamic=True, options=options)
    called = torch.compile(other, backend=front.backend, options=options)
    x, done, calls = torch.randn(3, 4), threading.Event(), []
    before = nn.Module.__call__, nn.Module.__getattr__
    with torch.no_grad():
        called(x), compiled(torch.randn(5, 8))

    def call():
        with torch.no_grad():
            while not done.is_set():
                calls.append(torch.equal(called(x), called(x)))
                assert (nn.Module.__call__, nn.Module.__getattr__) == before

    def compile():
        try:
            with torch.no_grad():
                for size in (6, 7, 9, 10):
                    y = torch.randn(size, 8)
                    torch.testing.assert_close(compiled(y), open_sizes(y), rtol=1e-5, atol=1e-5)
        finally:
            done.set()

    assert not in_threads(call, compile)
    assert all(calls) and calls
    assert (nn.Module.__call__, nn.Module.__getattr__) == before
    torch._dynamo.reset()


def test_one_model_at_different_sizes(front):
    torch._dynamo.reset()
    torch.manual_seed(0)
    model, report = Taken(), front.Report()
    compiled = torch.compile(model, backend=front.backend, dynamic=True,
                             options={"cache_dir": "", "strict": True, "report": report})
    torch.autograd.grad(compiled(torch.randn(4, 8, requires_grad=True)).sum(), list(model.parameters()))
    graphs = report.graphs

    def at(sizes):
        def call():
            for size in sizes:
                ours = torch.linspace(-1, 1, size * 8).view(size, 8).requires_grad_()
                theirs = ours.detach().clone().requires_grad_()
                result, expected = compiled(ours), model(theirs)
                torch.testing.assert_close(result, expected, rtol=1e-5, atol=1e-5)
                made, = torch.autograd.grad(result.sum(), ours)
                wanted, = torch.autograd.grad(expected.sum(), theirs)
                torch.testing.assert_close(made, wanted, rtol=1e-4, atol=1e-5)
        return call

    assert not in_threads(at([5, 6, 7]), at([7, 6, 5]), at([6, 5, 9]))
    # Each size is compiled once, by the thread that meets it first: forward and backward.
    assert report.graphs == graphs + 2 * 4
    torch._dynamo.reset()


def test_sizes_that_depend_on_data(front, recwarn):
    """What is open when it is called, too, is PyTorch's."""
    torch._dynamo.reset()
    with torch._dynamo.config.patch(capture_dynamic_output_shape_ops=True):
        compiled = torch.compile(lambda x: (x * 2).nonzero().sum(0) + x.shape[0], backend=front.backend,
                                 dynamic=True, options={"cache_dir": ""})
        for size in (3, 5):
            x = torch.arange(float(size))
            assert torch.equal(compiled(x), (x * 2).nonzero().sum(0) + size)
    torch._dynamo.reset()
