# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs for CPUs, called on arrays in the host's memory."""

import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from small_modules import PRODUCT, elementwise

TWICE = "%y = arith.addf %x0, %x0 : f32"
SUM = "%y = arith.addf %x0, %x1 : f32"


@pytest.fixture(scope="module")
def product(fusion):
    return fusion.compile(PRODUCT, chip="host")


@pytest.fixture(scope="module")
def add(fusion):
    return fusion.compile(elementwise("f32", SUM, 2), chip="host")


def factors():
    generator = np.random.default_rng(0)
    return [generator.standard_normal(shape).astype(np.float16) for shape in ((32, 16), (16, 24))]


def at_offset(array, offset):
    """A copy whose first element is `offset` bytes behind a multiple of 64."""
    memory = np.empty(array.nbytes + 128, np.uint8)
    begin = -memory.ctypes.data % 64 + offset
    copy = memory[begin : begin + array.nbytes].view(array.dtype).reshape(array.shape)
    copy[...] = array
    return copy


def test_product(product):
    a, b = factors()
    expected = a.astype(np.float32) @ b.astype(np.float32)
    for _ in range(3):
        np.testing.assert_allclose(product(a, b), expected, rtol=1e-4, atol=1e-4)
    assert product.object.startswith(b"\x7fELF") and not product.ptx
    assert "B of scratch memory" in product.report()


def test_arrays_are_read_in_place(product):
    a, b = factors()
    product(a, b)
    call = product._quick[0]
    assert call((a, b)) is not None
    for others in ((at_offset(a, 2), b), (np.asfortranarray(a), b), (a, b[:, ::-1]), (a.astype(np.float32), b),
                   (a, b.view(np.int16)), (a, b.byteswap().view(b.dtype.newbyteorder())), (a, b.ravel()), (a,),
                   (a, a), (a.tolist(), b), (np.ma.masked_array(a), b), (a, None)):
        assert call(others) is None
    read_only = a.copy()
    read_only.flags.writeable = False
    np.testing.assert_array_equal(call((read_only, at_offset(b, 16))), product(a, b))


@pytest.mark.parametrize("view", [
    lambda a: at_offset(a, 2), lambda a: at_offset(a, 8), np.asfortranarray, lambda a: np.repeat(a, 2, 0)[::2],
    lambda a: a[::-1][::-1],
])
def test_other_arrays_are_copied(product, view):
    a, b = factors()
    expected = product(a, b)
    np.testing.assert_array_equal(product(view(a), view(b)), expected)
    np.testing.assert_array_equal(product(a, view(b), threads=1), expected)


def test_overlapping_inputs(add):
    base = np.arange(35, dtype=np.float32)
    one, two = base[:30].reshape(6, 5), base[4:34].reshape(6, 5)
    np.testing.assert_array_equal(add(one, two), one + two)
    np.testing.assert_array_equal(add(one, one), 2 * one)


def test_results_are_written_where_the_caller_says(add):
    x = np.arange(30, dtype=np.float32).reshape(6, 5)
    out = np.empty_like(x)
    for _ in range(2):
        assert add(x, x, out=[out]) is out
        np.testing.assert_array_equal(out, 2 * x)
    # Not contiguous, not aligned, one of the inputs, or overlapping with one.
    strided = np.zeros((6, 10), np.float32)
    add(x, x, out=[strided[:, ::2]])
    np.testing.assert_array_equal(strided[:, ::2], 2 * x)
    assert not strided[:, 1::2].any()
    misaligned = at_offset(np.zeros_like(x), 4)
    np.testing.assert_array_equal(add(x, x, out=[misaligned]), 2 * x)
    same = x.copy()
    np.testing.assert_array_equal(add(same, x, out=[same]), 2 * x)
    base = np.arange(40, dtype=np.float32)
    add(base[:30].reshape(6, 5), x, out=[base[8:38].reshape(6, 5)])
    np.testing.assert_array_equal(base[8:38].reshape(6, 5), 2 * x)


def test_wrong_results(fusion, add):
    x = np.zeros((6, 5), np.float32)
    for _ in range(2):  # the second time after a right call
        with pytest.raises(TypeError, match="has 1 results, not 2"):
            add(x, x, out=[x, x])
        with pytest.raises(TypeError, match="result 0 of 'apply' has elements of type float64"):
            add(x, x, out=[x.astype(np.float64)])
        with pytest.raises(ValueError, match="result 0 of 'apply' has the shape 5x6"):
            add(x, x, out=[x.T])
        with pytest.raises(TypeError, match="no array"):
            add(x, x, out=[x.tolist()])
        read_only = x.copy()
        read_only.flags.writeable = False
        with pytest.raises(ValueError, match="result 0 of 'apply' is read-only"):
            add(x, x, out=[read_only])
        add(x, x, out=[x.copy()])
    two = fusion.compile(elementwise("f32", TWICE).replace("-> tensor<6x5xf32> {\n  %c0", "-> (tensor<6x5xf32>, tensor<6x5xf32>) {\n  %c0")
                         .replace("return %r : tensor<6x5xf32>", "return %r, %a0 : tensor<6x5xf32>, tensor<6x5xf32>"),
                         chip="host")
    y = np.ones((6, 5), np.float32)
    first, second = two(y, out=(np.empty_like(y), np.empty_like(y)))
    np.testing.assert_array_equal(first, 2 * y)
    np.testing.assert_array_equal(second, y)
    both = np.empty(40, np.float32)
    with pytest.raises(ValueError, match="result 1 of 'apply' shares memory with another result"):
        two(y, out=[both[:30].reshape(6, 5), both[10:].reshape(6, 5)])


def test_wrong_inputs(product):
    a, b = factors()
    for _ in range(2):
        with pytest.raises(TypeError, match="takes 2 inputs, not 1"):
            product(a)
        with pytest.raises(TypeError, match="input 0 of 'product'.*float32.*f16"):
            product(a.astype(np.float32), b)
        with pytest.raises(ValueError, match="input 1 of 'product' has the shape 32x16"):
            product(a, a)
        with pytest.raises(TypeError, match="masked array"):
            product(np.ma.masked_array(a), b)
        with pytest.raises(TypeError, match="stream and workspace go with inputs on a GPU"):
            product(a, b, stream=0)
        with pytest.raises(ValueError, match="only the emulator sanitizes"):
            product(a, b, sanitize=True)
        with pytest.raises(fusion_error(product), match="the emulator executes PTX"):
            product(a, b, device="emulator")
        product(a, b)


def fusion_error(program):
    return sys.modules[type(program).__module__].RunError


@pytest.mark.parametrize("threads, error", [
    (-1, ValueError), (5000, ValueError), ("2", TypeError), (1.5, TypeError), (None, TypeError)])
def test_wrong_numbers_of_threads(product, threads, error):
    with pytest.raises(error, match="'threads' is"):
        product(*factors(), threads=threads)


def test_gpus_have_no_threads(fusion):
    with pytest.raises(TypeError, match="out and threads with a program for a CPU"):
        fusion.compile(PRODUCT)(*factors(), threads=2)


def test_other_cpus(fusion):
    """Code for any CPU is made anywhere; it runs where the machine has all that it needs."""
    a, b = factors()
    for chip in filter(fusion.is_cpu, fusion.chips()):
        program = fusion.compile(PRODUCT, chip=chip)
        assert program.object.startswith(b"\x7fELF")
        try:
            result = program(a, b)
        except fusion.RunError as error:
            assert chip != "host"
            assert str(error).startswith("error: the host lacks ") and str(error).endswith(f", which {chip} needs")
        else:
            np.testing.assert_allclose(result, a.astype(np.float32) @ b.astype(np.float32), rtol=1e-4, atol=1e-4)


def test_sizes_of_zero_and_one(fusion):
    program = fusion.compile(elementwise("f32", SUM, 2, dynamic=True), chip="host")
    for shape in ((3, 7), (1, 1), (0, 4), (4, 0), (3, 7), (1, 129)):
        x = np.full(shape, 3.0, np.float32)
        np.testing.assert_array_equal(program(x, x), x + x)
        out = np.empty_like(x)
        assert program(x, x, out=[out]) is out
        np.testing.assert_array_equal(out, x + x)
    with pytest.raises(fusion.RunError, match="size|shape|dimension"):
        program(np.ones((3, 7), np.float32), np.ones((4, 7), np.float32))


def test_threads_do_not_change_results(fusion):
    program = fusion.compile(elementwise("f32", "%y = math.tanh %x0 : f32", shape="256x257"), chip="host")
    x = np.random.default_rng(1).standard_normal((256, 257)).astype(np.float32)
    results = [program(x, threads=threads) for threads in (0, 1, 2, 7) for _ in range(2)]
    np.testing.assert_allclose(results[0], np.tanh(x), rtol=1e-5)
    assert all(np.array_equal(result, results[0]) for result in results)


@pytest.fixture(scope="module")
def long(fusion):
    """A program that takes a while, and its inputs."""
    n = 1536
    text = PRODUCT.replace("32x16", f"{n}x{n}").replace("16x24", f"{n}x{n}").replace("32x24", f"{n}x{n}")
    ones = np.ones((n, n), np.float16)
    return fusion.compile(text, chip="host"), (ones, ones)


def test_other_threads_of_python_run_meanwhile(long):
    program, inputs = long
    program(*inputs)
    turns, done = [], threading.Event()

    def turn():
        while not done.is_set():
            turns.append(time.monotonic())
            time.sleep(0.001)

    other = threading.Thread(target=turn)
    other.start()
    begin = time.monotonic()
    program(*inputs, threads=1)
    end = time.monotonic()
    done.set()
    other.join()
    # Python would let the other thread run once in 5 ms, but not within a call that holds its lock.
    assert sum(begin + (end - begin) / 4 < at < end - (end - begin) / 4 for at in turns) >= 2


def test_interrupt(long):
    """Ctrl-C in the midst of calls ends one of them."""
    program, inputs = long
    timer = threading.Timer(0.2, lambda: signal.raise_signal(signal.SIGINT))
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            timer.start()
            for _ in range(10000):
                program(*inputs)
    finally:
        timer.cancel()
        timer.join()
        signal.signal(signal.SIGINT, before)
    assert (program(*inputs) == inputs[0].shape[0]).all()


def test_progress(long):
    program, inputs = long
    told = []
    program(*inputs, progress=told.append)
    assert told == list(program.kernels)

    def stop(kernel):
        raise LookupError(kernel)

    with pytest.raises(LookupError, match=told[0]):
        program(*inputs, progress=stop)


def test_calls_from_several_threads(fusion):
    text = PRODUCT.replace("32x16", "320x160").replace("16x24", "160x240").replace("32x24", "320x240")
    program = fusion.compile(text, chip="host")
    generator = np.random.default_rng(2)
    wrong = []

    def call(seed):
        a, b = (generator.standard_normal(shape).astype(np.float16) for shape in ((320, 160), (160, 240)))
        expected, out = program(a, b, threads=1), np.empty((320, 240), np.float32)
        for i in range(50):
            result = program(a, b, out=[out]) if i % 2 else program(a, b, threads=i % 3)
            wrong.extend([seed] * (not np.array_equal(result, expected)))

    callers = [threading.Thread(target=call, args=(seed,)) for seed in range(4)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert not wrong


def test_after_fork(build_folder, fusion):
    """In a process of its own: this one may have threads of PyTorch's."""
    code = f"""
import os, signal, numpy as np, fusion
program = fusion.compile('''{elementwise("f32", SUM, 2, shape="300x300")}''', chip="host")
x = np.full((300, 300), 2, np.float32)
assert (program(x, x) == 4).all()
for _ in range(3):
    child = os.fork()
    if not child:
        signal.alarm(60)
        os._exit(0 if all((program(x, x, threads=threads) == 4).all() for threads in (0, 1, 3)) else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert (program(x, x) == 4).all()
"""
    subprocess.run([sys.executable, "-c", code], check=True,
                   env={**os.environ, "PYTHONPATH": str(build_folder / "python")})


def test_save_and_load(fusion, product, tmp_path):
    product.save(tmp_path / "product.json")
    loaded = fusion.Program.load(tmp_path / "product.json")
    assert loaded.object == product.object
    a, b = factors()
    np.testing.assert_array_equal(loaded(a, b), product(a, b))


def test_programs_of_several_functions(fusion):
    program = fusion.compile(PRODUCT + PRODUCT.replace("@product", "@again"), chip="host")
    a, b = factors()
    for _ in range(2):
        np.testing.assert_array_equal(program(a, b, function="again"), program(a, b, function="product"))
        with pytest.raises(ValueError, match="name one of product, again"):
            program(a, b)


def test_many_sizes(fusion):
    """What is prepared for sizes is not kept for ever."""
    program = fusion.compile(elementwise("f32", TWICE, dynamic=True), chip="host")
    for size in range(1, 300):
        x = np.full((2, size), 1.5, np.float32)
        np.testing.assert_array_equal(program(x), x + x)
    assert len(program._calls) <= 256
