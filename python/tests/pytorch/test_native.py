# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tensors of the CPU are computed by code for the CPU, in place, on PyTorch's threads."""

import os
import subprocess
import sys
import textwrap
import threading

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
F = torch.nn.functional


def layer(x, w, b):
    return F.gelu(F.linear(x, w, b))


def inputs():
    generator = torch.Generator().manual_seed(0)
    return [torch.randn(shape, generator=generator) for shape in ((48, 40), (56, 40), (56,))]


@pytest.mark.parametrize("chip, kind", [("", "object"), ("host", "object"), ("x86-64-v3", "object"), ("sm_80", "ptx")])
def test_the_chip_says_what_runs(run_compiled, chip, kind):
    result, report = run_compiled(layer, *inputs(), chip=chip)
    torch.testing.assert_close(result, layer(*inputs()), rtol=1e-4, atol=1e-5)
    (region,) = report.regions
    assert region.program.chip == (chip or "host")
    assert bool(getattr(region.program, kind)) and not getattr(region.program, {"object": "ptx", "ptx": "object"}[kind])


def test_chips_that_the_machine_is_not(front, fusion):
    """PyTorch computes what the machine cannot."""
    lacking = [chip for chip in filter(fusion.is_cpu, fusion.chips()) if why_not(fusion, chip)]
    for chip in lacking:
        torch._dynamo.reset()
        report = front.Report()
        compiled = torch.compile(layer, backend=front.backend,
                                 options={"chip": chip, "cache_dir": "", "report": report})
        with pytest.warns(RuntimeWarning, match="the host lacks"), torch.no_grad():
            torch.testing.assert_close(compiled(*inputs()), layer(*inputs()))
        assert all("the host lacks" in region.failure for region in report.regions)


def why_not(fusion, chip):
    program = fusion.compile("""
      func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> {
        %e = tensor.empty() : tensor<4xf32>
        %r = linalg.add ins(%a, %a : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
        return %r : tensor<4xf32>
      }""", chip=chip)
    try:
        program(np.ones(4, np.float32))
    except fusion.RunError as error:
        return str(error)
    return None


def test_only_the_emulator_sanitizes(run_compiled):
    for chip in ("", "host"):
        with pytest.raises(Exception, match="'sanitize' is for the emulator"):
            run_compiled(layer, *inputs(), chip=chip, sanitize=True)
    run_compiled(layer, *inputs(), chip="sm_80", sanitize=True)


@pytest.mark.parametrize("threads", [-1, "2", 1.5])
def test_wrong_threads(run_compiled, threads):
    with pytest.raises(Exception, match="'threads' is"):
        run_compiled(layer, *inputs(), threads=threads)


@pytest.mark.parametrize("view", [
    lambda x: torch.cat([x.new_zeros(1), x.flatten()])[1:].view(x.shape),  # at 4 bytes behind a multiple of 16
    lambda x: x.t().contiguous().t(),
    lambda x: x.repeat_interleave(2, 0)[::2],
    lambda x: torch.complex(torch.zeros_like(x), -x).conj().imag,  # negated when it is read
    lambda x: torch.nn.Parameter(x),
])
def test_other_tensors(front, view):
    """Inputs may lie in memory in another way than the first inputs did."""
    torch._dynamo.reset()
    compiled = torch.compile(lambda x, y: (x * y + 1).relu(), backend=front.backend,
                             options={"cache_dir": "", "strict": True})
    x, y = torch.randn(12, 20), torch.randn(12, 20)
    with torch.no_grad():
        for one, two in ((x, y), (view(x), y), (x, view(y)), (view(x), view(y)), (x, x), (view(x), x)):
            torch.testing.assert_close(compiled(one, two), (one * two + 1).relu())


def test_overlapping_inputs(run_compiled):
    base = torch.randn(400)
    one, two = base[:300].view(10, 30), base[100:].view(10, 30)
    result, _ = run_compiled(lambda a, b: a @ b.t() - a.sum(), one, two)
    torch.testing.assert_close(result, one @ two.t() - one.sum(), rtol=1e-4, atol=1e-4)


def test_results_do_not_share_memory(run_compiled):
    def model(x):
        y = x * 2
        return y, y, x, y.t()

    x = torch.randn(5, 7)
    results, _ = run_compiled(model, x)
    for result, expected in zip(results, model(x)):
        torch.testing.assert_close(result, expected)
        assert result.stride() == expected.stride()
    results[0].zero_()
    assert results[2].equal(x)


def test_open_sizes_of_zero_and_one(front):
    torch._dynamo.reset()
    compiled = torch.compile(lambda x: F.softmax(x, -1) + x.shape[0], backend=front.backend, dynamic=True,
                             options={"cache_dir": "", "strict": True})
    for shape in ((3, 4), (1, 1), (0, 4), (5, 1), (1, 7)):
        x = torch.randn(shape)
        torch.testing.assert_close(compiled(x), F.softmax(x, -1) + shape[0])


def test_programs_take_tensors(fusion):
    """Tensors of the CPU are read and written in place."""
    program = fusion.compile("""
      func.func @twice(%a: tensor<6x4xbf16>) -> tensor<6x4xbf16> {
        %e = tensor.empty() : tensor<6x4xbf16>
        %r = linalg.add ins(%a, %a : tensor<6x4xbf16>, tensor<6x4xbf16>) outs(%e : tensor<6x4xbf16>) -> tensor<6x4xbf16>
        return %r : tensor<6x4xbf16>
      }""", chip="host")
    x = torch.randn(6, 4).bfloat16()
    out = torch.empty_like(x)
    for _ in range(2):
        assert torch.equal(torch.from_numpy(program(x).view(np.int16)).view(torch.bfloat16), x * 2)
        assert program(x, out=[out]) is out and torch.equal(out, x * 2)
        wide = torch.zeros(6, 8, dtype=torch.bfloat16)
        program(x, out=[wide[:, ::2]])
        assert torch.equal(wide[:, ::2], x * 2) and not wide[:, 1::2].any()
        with pytest.raises(TypeError, match="input 0 of 'twice' requires gradients"):
            program(x.clone().requires_grad_())
        with pytest.raises(TypeError, match="input 0 of 'twice' requires gradients"):
            program(x.clone().requires_grad_(), out=[out])
        with pytest.raises(TypeError, match="bf16 takes uint16"):
            program(x.float())
        with pytest.raises(TypeError, match="layout torch.sparse_coo"):
            program(x.to_sparse())
    assert program._quick[0]((x,)) is not None
    assert program._quick[0]((x.t().contiguous().t(),)) is None


def test_calls_from_several_threads(front):
    torch._dynamo.reset()
    given = inputs()
    compiled = torch.compile(layer, backend=front.backend, options={"cache_dir": "", "strict": True})
    wrong = []
    with torch.no_grad():
        expected = compiled(*given)

    def call():
        with torch.no_grad():
            for _ in range(20):
                wrong.extend([1] * (not torch.equal(compiled(*given), expected)))

    callers = [threading.Thread(target=call) for _ in range(4)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert not wrong


def run_alone(build_folder, code):
    """In a process of its own, whose OpenMP has no threads yet."""
    environment = {**os.environ, "PYTHONPATH": str(build_folder / "python")}
    environment.pop("OMP_NUM_THREADS", None)
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


PROGRAM = """
    import os, signal, threading, time, numpy as np, torch, fusion
    program = fusion.compile('''
      func.func @apply(%a: tensor<512x512xf32>) -> tensor<512x512xf32> {
        %e = tensor.empty() : tensor<512x512xf32>
        %r = linalg.exp ins(%a : tensor<512x512xf32>) outs(%e : tensor<512x512xf32>) -> tensor<512x512xf32>
        return %r : tensor<512x512xf32>
      }''', chip="host")
    x = torch.ones(512, 512)
    def threads():
        time.sleep(0.3)  # what links the code has threads for a moment
        return len(os.listdir("/proc/self/task"))
    def is_right(**options):
        return np.allclose(program(x, **options), np.e)
"""


def test_launches_run_on_pytorchs_threads(front, build_folder):
    """The process has the threads of PyTorch's loops, and no others."""
    run_alone(build_folder, PROGRAM + """
    torch.set_num_threads(3)
    x.exp()
    before = threads()
    assert is_right()
    assert threads() == before, (threads(), before)
    # Fewer threads than in the last loop: OpenMP ends the others.
    assert is_right(threads=2)
    assert threads() == before - 1, (threads(), before)
    """)


def test_set_num_threads_is_obeyed(front, build_folder):
    """One thread starts no other, also where another thread of Python calls."""
    run_alone(build_folder, PROGRAM + """
    import fusion.torch
    torch.set_num_threads(1)
    compiled = torch.compile(lambda x: x.exp() + 1, backend="fusion", options={"cache_dir": "", "strict": True})
    with torch.no_grad():
        compiled(x)
    before = threads()
    def call():
        with torch.no_grad():
            compiled(x)
        counts.append(threads())
    counts = []
    call()
    other = threading.Thread(target=call)
    other.start()
    other.join()
    assert counts == [before, before + 1], (counts, before)
    assert is_right(threads=3)
    """)


def test_after_fork(front, build_folder):
    """PyTorch's threads do not exist in a forked process."""
    run_alone(build_folder, PROGRAM + """
    torch.set_num_threads(2)
    x.exp()
    assert is_right()
    for _ in range(3):
        child = os.fork()
        if not child:
            signal.alarm(60)
            os._exit(0 if is_right() and is_right(threads=3) and is_right(threads=1) else 1)
        assert os.waitpid(child, 0)[1] == 0
        assert is_right()
    """)


def test_within_a_parallel_region(front, build_folder):
    """As in a callback of OpenMP's: the thread works alone."""
    run_alone(build_folder, PROGRAM + """
    import ctypes
    torch.set_num_threads(2)
    x.exp()
    assert is_right()
    omp = ctypes.CDLL(next(line.split()[-1] for line in open("/proc/self/maps") if "libgomp" in line))
    results = []
    def body(data):
        results.append((omp.omp_in_parallel(), is_right()))
    call = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(body)
    omp.GOMP_parallel(call, None, 2, 0)
    assert results == [(1, True)] * 2, results
    """)
