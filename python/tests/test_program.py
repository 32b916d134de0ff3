# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiling from Python, running on arrays, errors."""

import json
import re
import signal
import subprocess
import threading
import time

import numpy as np
import pytest
from small_modules import PRODUCT, elementwise


@pytest.fixture(scope="module")
def product(fusion):
    return fusion.compile(PRODUCT)


def test_product(product):
    a = np.random.default_rng(0).standard_normal((32, 16)).astype(np.float16)
    b = np.random.default_rng(1).standard_normal((16, 24)).astype(np.float16)
    expected = a.astype(np.float32) @ b.astype(np.float32)
    np.testing.assert_allclose(product(a, b), expected, atol=1e-4)
    # Not contiguous: a transposed array and every second row of one.
    np.testing.assert_allclose(product(np.asfortranarray(a), b), expected, atol=1e-4)
    np.testing.assert_allclose(product(np.repeat(a, 2, axis=0)[::2], b), expected, atol=1e-4)


def test_tensor_maps(fusion):
    """Made again at every call, for the addresses of that call."""
    program = fusion.compile(PRODUCT, chip="sm_90a")
    (function,) = program.manifest["functions"]
    (launch,) = function["launches"]
    assert [argument["of"] for argument in launch["arguments"] if argument["kind"] == "tensor_map"] == ["arg0", "arg1", "result0"]
    numbers = np.random.default_rng(0)
    for _ in range(2):
        a, b = (numbers.standard_normal(shape).astype(np.float16) for shape in ((32, 16), (16, 24)))
        np.testing.assert_allclose(program(a, b), a.astype(np.float32) @ b.astype(np.float32), atol=1e-4)


def test_attributes(product):
    assert product.chip == "sm_80"
    assert product.functions == ("product",)
    assert len(product.kernels) == 1
    assert f".entry {product.kernels[0]}(" in product.ptx
    assert product.schedules[product.kernels[0]].startswith("#fuse.schedule<")
    assert product.predicted_us["product"] > 0
    assert "fuse.chain" in product.groups
    assert "1 launch" in product.report() and "#fuse.schedule" in product.report()
    assert product.manifest["version"] == 1 and "ptx" not in product.manifest


def test_run_counts(product):
    run = product.run(np.zeros((32, 16), np.float16), np.zeros((16, 24), np.float16),
                      sanitize=True, seed=3)
    (launch,) = run.launches
    assert launch["name"] == product.kernels[0]
    assert launch["counters"]["mma_flops"] > 0
    assert launch["sanitizer"] == []


@pytest.mark.parametrize("element_type, dtype, body", [
    ("f64", np.float64, "%y = arith.addf %x0, %x0 : f64"),
    ("f32", np.float32, "%y = arith.addf %x0, %x0 : f32"),
    ("f16", np.float16, "%y = arith.addf %x0, %x0 : f16"),
    ("i64", np.int64, "%y = arith.addi %x0, %x0 : i64"),
    ("i32", np.int32, "%y = arith.addi %x0, %x0 : i32"),
    ("i8", np.int8, "%y = arith.addi %x0, %x0 : i8"),
    ("i1", np.bool_, "%t = arith.constant true\n%y = arith.xori %x0, %t : i1"),
])
def test_element_types(fusion, element_type, dtype, body):
    values = np.arange(30).reshape(6, 5).astype(dtype)
    expected = ~values if dtype == np.bool_ else values + values
    result = fusion.compile(elementwise(element_type, body))(values)
    assert result.dtype == dtype
    np.testing.assert_array_equal(result, expected)


def test_bf16_is_bits(fusion):
    program = fusion.compile(elementwise("bf16", "%y = arith.addf %x0, %x0 : bf16"))
    bits = (np.arange(30, dtype=np.float32).reshape(6, 5).view(np.uint32) >> 16).astype(np.uint16)
    result = program(bits)
    assert result.dtype == np.uint16
    np.testing.assert_array_equal((result.astype(np.uint32) << 16).view(np.float32),
                                  2 * np.arange(30, dtype=np.float32).reshape(6, 5))


def test_open_sizes(fusion):
    program = fusion.compile(elementwise("f32", "%y = arith.mulf %x0, %x1 : f32", 2, dynamic=True))
    for shape in ((3, 7), (1, 1), (0, 4)):
        a = np.full(shape, 3.0, np.float32)
        np.testing.assert_array_equal(program(a, a), a * a)
    with pytest.raises(fusion.RunError, match="size|shape|dimension"):
        program(np.ones((3, 7), np.float32), np.ones((4, 7), np.float32))


def test_scalar(fusion):
    program = fusion.compile("""
func.func @fill(%s: f32) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %r = linalg.fill ins(%s : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}""")
    np.testing.assert_array_equal(program(2.5), np.full(4, 2.5, np.float32))
    np.testing.assert_array_equal(program(0.1), np.full(4, 0.1, np.float32))  # rounded
    with pytest.raises(ValueError, match="input 0 of 'fill' is 1e[+]?300, which no number of type f32 is"):
        program(1e300)
    assert program(float("inf"))[0] == np.inf


@pytest.mark.parametrize("element_type, good, bad", [
    ("i8", (0, -128, 127, 3.0), (2.7, 128, -129, float("nan"))),
    ("i1", (True, 0, 1.0), (2, 0.5)),
    ("i64", (2**62,), (2**63, 0.5, float("inf"))),
    ("f16", (65504, 0.1), (1e6,)),
    ("bf16", (1.0, -0.1, 3e38, float("inf")), (3.4e38, 1e300)),
])
def test_numbers_fit(fusion, element_type, good, bad):
    program = fusion.compile(f"""
func.func @fill(%s: {element_type}) -> tensor<2x{element_type}> {{
  %e = tensor.empty() : tensor<2x{element_type}>
  %r = linalg.fill ins(%s : {element_type}) outs(%e : tensor<2x{element_type}>) -> tensor<2x{element_type}>
  return %r : tensor<2x{element_type}>
}}""")
    for value in good:
        result = program(value)
        if element_type == "bf16":
            wide = (result.astype(np.uint32) << 16).view(np.float32)
            np.testing.assert_allclose(wide, value, rtol=2**-8)
        else:
            np.testing.assert_array_equal(result, np.full(2, value, result.dtype))
    for value in bad:
        with pytest.raises(ValueError, match=f"no number of type {element_type}"):
            program(value)


def test_several_functions(fusion):
    program = fusion.compile(PRODUCT + PRODUCT.replace("@product", "@again"))
    zeros = np.zeros((32, 16), np.float16), np.zeros((16, 24), np.float16)
    assert program(*zeros, function="again").shape == (32, 24)
    with pytest.raises(ValueError, match="name one of product, again"):
        program(*zeros)
    with pytest.raises(ValueError, match="no function 'third'"):
        program(*zeros, function="third")


def test_wrong_inputs(fusion, product):
    a, b = np.zeros((32, 16), np.float16), np.zeros((16, 24), np.float16)
    with pytest.raises(TypeError, match="takes 2 inputs, not 1"):
        product(a)
    with pytest.raises(TypeError, match="input 0 of 'product'.*float32.*f16"):
        product(a.astype(np.float32), b)
    with pytest.raises(ValueError, match="input 1 of 'product' has the shape 32x16"):
        product(a, a)
    with pytest.raises(TypeError, match="is a number"):
        product(1.0, b)
    with pytest.raises(TypeError, match="no array"):
        product(object(), b)
    with pytest.raises(ValueError, match="no device 'tpu'"):
        product(a, b, device="tpu")


def test_diagnostics(fusion):
    with pytest.raises(fusion.CompileError) as caught:
        fusion.compile(PRODUCT.replace("return %c", "return %d"), file_name="model.mlir")
    (error,) = caught.value.diagnostics
    assert (error.severity, error.file, error.line, error.column) == ("error", "model.mlir", 8, 10)
    assert str(caught.value).startswith("model.mlir:8:10: error: ")


def test_impossible_options(fusion):
    with pytest.raises(fusion.CompileError, match="unknown chip 'sm_1'; known are sm_80"):
        fusion.compile(PRODUCT, chip="sm_1")
    with pytest.raises(fusion.CompileError, match="not as 'f8'"):
        fusion.compile(PRODUCT, f32_products="f8")
    with pytest.raises(fusion.CompileError, match="not as 'fast'"):
        fusion.compile(PRODUCT, exponentials="fast")
    assert "sm_90a" in fusion.chips()


@pytest.mark.parametrize("pipeline, why", [
    ("builtin.module(no-such-pass)", "'no-such-pass' does not refer to a registered pass"),
    ("builtin.module(", "wrapped with the anchor"), ("func.func(canonicalize)", "builtin.module"),
])
def test_malformed_pipeline(fusion, capfd, pipeline, why):
    """What is wrong is in the exception, and nowhere else."""
    with pytest.raises(fusion.CompileError, match="pipeline") as caught:
        fusion.compile(PRODUCT, pass_pipeline=pipeline)
    assert re.search(why, str(caught.value)), str(caught.value)
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("text", ["", "module {}", "func.func private @f(tensor<4xf32>) -> tensor<4xf32>"])
def test_nothing_to_compile(fusion, text):
    with pytest.raises(fusion.CompileError, match="no function with a body"):
        fusion.compile(text)


def softmaxes(size, count=3):
    """One behind the other over a vector of `size` (`?` for one that is open): several kernels."""
    vector = f"tensor<{size}xf32>"
    lines, last = [], "%x"
    for i in range(count):
        lines += [f"%m{i} = linalg.exp ins({last} : {vector}) outs(%e : {vector}) -> {vector}",
                  f"%t{i} = linalg.reduce ins(%m{i} : {vector}) outs(%f : tensor<f32>) dimensions = [0]",
                  "  (%a: f32, %b: f32) { %c = arith.addf %a, %b : f32 linalg.yield %c : f32 }",
                  f"%b{i} = linalg.broadcast ins(%t{i} : tensor<f32>) outs(%e : {vector}) dimensions = [0]",
                  f"%s{i} = linalg.div ins(%m{i}, %b{i} : {vector}, {vector}) outs(%e : {vector}) -> {vector}"]
        last = f"%s{i}"
    return f"""
func.func @main(%x: {vector}) -> {vector} {{
  %c0 = arith.constant 0 : index
  %n = tensor.dim %x, %c0 : {vector}
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty({"%n" if size == "?" else ""}) : {vector}
  %z = tensor.empty() : tensor<f32>
  %f = linalg.fill ins(%zero : f32) outs(%z : tensor<f32>) -> tensor<f32>
  {chr(10).join(lines)}
  return {last} : {vector}
}}
"""


def test_temporaries(fusion):
    """Their peak is told, whether sizes are known or not."""
    x = np.linspace(-1, 1, 1 << 16, dtype=np.float32)
    known, open_ = fusion.compile(softmaxes(x.size)), fusion.compile(softmaxes("?"))
    own = [t["bytes"] for t in known.manifest["functions"][0]["temporaries"] if "alias" not in t]
    peak = known.temporary_bytes["main"]
    assert 0 < max(own) <= peak < sum(own)  # memory is used again
    assert known.run(x).temporary_bytes == peak
    assert f"{peak} B of temporaries" in known.report()
    assert open_.temporary_bytes == {}
    assert 0 < open_.run(x[:1024]).temporary_bytes < open_.run(x).temporary_bytes


def test_remarks(fusion):
    chain = (PRODUCT.replace("return %c : tensor<32x24xf32>", """
  %d0 = tensor.empty() : tensor<24x8xf32>
  %d = linalg.fill ins(%zero : f32) outs(%d0 : tensor<24x8xf32>) -> tensor<24x8xf32>
  %e0 = tensor.empty() : tensor<32x8xf32>
  %e1 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<32x8xf32>) -> tensor<32x8xf32>
  %e = linalg.matmul ins(%c, %d : tensor<32x24xf32>, tensor<24x8xf32>)
                     outs(%e1 : tensor<32x8xf32>) -> tensor<32x8xf32>
  return %e : tensor<32x8xf32>""").replace("-> tensor<32x24xf32> {", "-> tensor<32x8xf32> {"))
    assert not fusion.compile(chain).diagnostics
    remarks = fusion.compile(chain, remarks=True).diagnostics
    assert any("intensity of the contraction" in remark.message for remark in remarks)


def test_progress_and_stop(fusion, product):
    passes = []
    fusion.compile(PRODUCT, progress=passes.append)
    assert passes.index("fuse-form-groups") < passes.index("fuse-lower-to-tile")

    def stop(what):
        if what == "fuse-form-groups":
            raise KeyError("enough")

    with pytest.raises(KeyError, match="enough"):
        fusion.compile(PRODUCT, progress=stop)
    launches = []
    zeros = np.zeros((32, 16), np.float16), np.zeros((16, 24), np.float16)
    product(*zeros, progress=launches.append)
    assert launches == list(product.kernels)
    with pytest.raises(ZeroDivisionError):
        product(*zeros, progress=lambda kernel: 1 / 0)
    assert product(*zeros).shape == (32, 24)


def test_interrupt(fusion):
    """What Ctrl-C does: the handler raises in the middle of a compilation."""
    # A shell's background jobs begin with the signal ignored.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            fusion.compile(PRODUCT, progress=lambda what: signal.raise_signal(signal.SIGINT))
    finally:
        signal.signal(signal.SIGINT, before)


def row_of_products(count):
    """Products one behind the other, with something between: much to decide on."""
    value, weight = "tensor<256x128xf16>", "tensor<128x128xf16>"
    lines, last = [], "%x"
    for i in range(count):
        lines += [f"%m{i} = linalg.matmul ins({last}, %w{i} : {value}, {weight}) outs(%f : {value}) -> {value}",
                  f"%r{i} = linalg.exp ins(%m{i} : {value}) outs(%e : {value}) -> {value}"]
        last = f"%r{i}"
    return f"""
func.func @main(%x: {value}, {", ".join(f"%w{i}: {weight}" for i in range(count))}) -> {value} {{
  %zero = arith.constant 0.0 : f16
  %e = tensor.empty() : {value}
  %f = linalg.fill ins(%zero : f16) outs(%e : {value}) -> {value}
  {chr(10).join(lines)}
  return {last} : {value}
}}
"""


@pytest.mark.parametrize("after", [0.05, 0.3, 0.6])
def test_interrupt_of_a_pass(fusion, after):
    """Ctrl-C in the midst of a pass that would take far longer."""
    rung, passes = [], []

    def ring():
        rung.append(time.process_time())
        signal.raise_signal(signal.SIGINT)

    def begin(what):
        passes.append(what)
        if what == "fuse-form-groups":
            timer.start()

    timer = threading.Timer(after, ring)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            fusion.compile(row_of_products(64), progress=begin)
        # The processor's time: other processes may run at the same time.
        assert time.process_time() - rung[0] < 0.5
    finally:
        timer.cancel()
        timer.join()
        signal.signal(signal.SIGINT, before)
    assert passes[-1] == "fuse-form-groups"


def test_interrupt_of_fusion_opt(build_folder, fusion, tmp_path):
    (tmp_path / "row.mlir").write_text(row_of_products(64))
    process = subprocess.Popen([build_folder / "bin" / "fusion-opt", tmp_path / "row.mlir", "--fuse-to-nvvm",
                                "--mlir-print-ir-before=fuse-form-groups", "-o", tmp_path / "out.mlir"],
                               stderr=subprocess.PIPE,
                               preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
    for line in process.stderr:
        if line.startswith(b"}"):  # the end of the module: the pass begins
            break
    time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    assert process.wait() == -signal.SIGINT
    process.stderr.close()
    assert not (tmp_path / "out.mlir").exists()


def test_interrupt_of_a_launch(fusion):
    """Ctrl-C in the midst of a kernel that would take the emulator far longer."""
    n = 4096
    program = fusion.compile(PRODUCT.replace("32x16", f"{n}x{n}").replace("16x24", f"{n}x{n}").replace("32x24", f"{n}x{n}"))
    ones = np.ones((n, n), np.float16)
    rung = []

    def ring():
        rung.append(time.monotonic())
        signal.raise_signal(signal.SIGINT)

    timer = threading.Timer(0.2, ring)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            program(ones, ones, progress=lambda kernel: timer.start())
        assert time.monotonic() - rung[0] < 3
    finally:
        timer.cancel()
        signal.signal(signal.SIGINT, before)


def test_save_and_load(fusion, product, tmp_path):
    product.save(tmp_path / "product.json")
    loaded = fusion.Program.load(tmp_path / "product.json")
    assert loaded.ptx == product.ptx
    a, b = np.ones((32, 16), np.float16), np.ones((16, 24), np.float16)
    np.testing.assert_array_equal(loaded(a, b), product(a, b))
    (tmp_path / "list.json").write_text("[]")
    with pytest.raises(ValueError, match="no manifest"):
        fusion.Program.load(tmp_path / "list.json")
    (tmp_path / "half.json").write_text(json.dumps(product.manifest | {"ptx": ".version 8"}))
    with pytest.raises(fusion.RunError, match="PTX|emulator"):
        fusion.Program.load(tmp_path / "half.json")(a, b)


def test_threads(fusion):
    """Compilations and runs of several threads do not disturb one another."""
    results = []

    def work(scale):
        body = f"%s = arith.constant {scale}.0 : f32\n%y = arith.mulf %x0, %s : f32"
        program = fusion.compile(elementwise("f32", body))
        results.append((scale, program(np.ones((6, 5), np.float32)).max()))

    threads = [threading.Thread(target=work, args=(scale,)) for scale in range(1, 5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(results) == [(scale, scale) for scale in range(1, 5)]


def test_exponentials(fusion):
    """exp(3 x - max 3 x): the scale and the difference in one multiply-add."""
    text = """
#ij = affine_map<(i, j) -> (i, j)>
#i = affine_map<(i, j) -> (i)>
func.func @weights(%x: tensor<4x64xf32>) -> tensor<4x64xf32> {
  %c = arith.constant 3.0 : f32
  %low = arith.constant 0xFF800000 : f32
  %e = tensor.empty() : tensor<4x64xf32>
  %e1 = tensor.empty() : tensor<4xf32>
  %i = linalg.fill ins(%low : f32) outs(%e1 : tensor<4xf32>) -> tensor<4xf32>
  %s = linalg.generic {indexing_maps = [#ij, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<4x64xf32>) outs(%e : tensor<4x64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %p = arith.mulf %a, %c : f32
    linalg.yield %p : f32
  } -> tensor<4x64xf32>
  %m = linalg.generic {indexing_maps = [#ij, #i], iterator_types = ["parallel", "reduction"]}
      ins(%s : tensor<4x64xf32>) outs(%i : tensor<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %p = arith.maximumf %o, %a : f32
    linalg.yield %p : f32
  } -> tensor<4xf32>
  %r = linalg.generic {indexing_maps = [#ij, #i, #ij], iterator_types = ["parallel", "parallel"]}
      ins(%s, %m : tensor<4x64xf32>, tensor<4xf32>) outs(%e : tensor<4x64xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %d = arith.subf %a, %b : f32
    %p = math.exp %d : f32
    linalg.yield %p : f32
  } -> tensor<4x64xf32>
  return %r : tensor<4x64xf32>
}
"""
    x = np.random.default_rng(0).uniform(-4, 4, (4, 64)).astype(np.float32)
    expected = np.exp(3 * x.astype(np.float64) - (3 * x.astype(np.float64)).max(1, keepdims=True))
    instructions = {}
    for how in ("difference", "fma"):
        run = fusion.compile(text, exponentials=how).run(x)
        np.testing.assert_allclose(run.results[0], expected, rtol=2e-5)
        instructions[how] = run.launches[0]["counters"]["instructions"]
    assert instructions["fma"] < instructions["difference"]


def test_results_have_memory_of_their_own(fusion):
    program = fusion.compile("""
func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<2x2xf32>) {
  %e = tensor.empty() : tensor<4xf32>
  %0 = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %1 = tensor.expand_shape %0 [[0, 1]] output_shape [2, 2] : tensor<4xf32> into tensor<2x2xf32>
  return %0, %1 : tensor<4xf32>, tensor<2x2xf32>
}
""", chip="sm_80")
    flat, square = program(np.zeros(4, np.float32))
    square[:] = 7
    assert (flat == 1).all()
