# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# The CPU reference against NumPy, which follows the same rules in other code: f32 sums of contractions,
# rounding of every value the IR materialises, softmax inside f32.
#
# RUN: mkdir -p %t && %python %s fusion-run %t

import json
import pathlib
import subprocess
import sys

import numpy as np

TOOL, FOLDER = sys.argv[1], pathlib.Path(sys.argv[2])


# --- Types NumPy lacks, written from the formats' definitions ---------------------------------------


def decode_bf16(bits):
    return (bits.astype(np.uint32) << 16).view(np.float32)


def round_bf16(x):
    """Nearest even, as float32; NaN stays NaN."""
    x = np.asarray(x, np.float32)
    bits = x.view(np.uint32)
    rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) & np.uint32(0xFFFF0000)
    return np.where(np.isnan(x), x, rounded.view(np.float32))


def round_bf16_f64(x):
    """Nearest even from f64, in one step."""
    scale = 2.0 ** (np.floor(np.log2(np.abs(x))) - 7)
    return np.rint(x / scale) * scale


def f8_table(exponent_bits, mantissa_bits, bias, finite_only):
    """Values of the non-negative codes; NaN (and infinity) where the format has them."""
    values = []
    for code in range(128):
        e, m = code >> mantissa_bits, code & ((1 << mantissa_bits) - 1)
        if e == 0:
            v = m * 2.0 ** (1 - bias - mantissa_bits)
        else:
            v = (1 + m / 2**mantissa_bits) * 2.0 ** (e - bias)
        if finite_only:
            if code == 127:
                v = np.nan
        elif e == (1 << exponent_bits) - 1:
            v = np.inf if m == 0 else np.nan
        values.append(v)
    return np.array(values)


F8 = {
    "f8E4M3FN": f8_table(4, 3, 7, True),
    "f8E5M2": f8_table(5, 2, 15, False),
}


def decode_f8(bits, kind):
    return np.where(bits & 128, -1.0, 1.0) * F8[kind][bits & 127]


def round_f8(x, kind):
    """Nearest even. Beyond the largest number: NaN in E4M3FN, infinity in E5M2."""
    table = F8[kind]
    finite = table[np.isfinite(table)]
    x = np.asarray(x, np.float64)
    magnitude = np.abs(x)
    step = finite[-1] - finite[-2]
    index = np.clip(np.searchsorted(finite, magnitude), 1, len(finite) - 1)
    low, high = finite[index - 1], finite[index]
    middle = (low + high) / 2
    up = (magnitude > middle) | ((magnitude == middle) & (index % 2 == 0))
    result = np.where(magnitude >= finite[-1], finite[-1], np.where(up, high, low))
    overflow = magnitude >= finite[-1] + step / 2
    result = np.where(overflow, np.nan if kind == "f8E4M3FN" else np.inf, result)
    result = np.where(np.isnan(x), np.nan, result)
    return np.copysign(result, x)


# --- The generator of inputs ------------------------------------------------------------------------


def mix(z):
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


def random_bits(seed, index, count):
    golden = np.uint64(0x9E3779B97F4A7C15)
    with np.errstate(over="ignore"):
        key = mix(mix(np.uint64(seed) + golden) + np.uint64(index + 1) * golden)
        return mix(key + np.arange(1, count + 1, dtype=np.uint64) * golden)


def check_generator(folder):
    ir = """func.func @f(%a: tensor<5x7xf32>, %b: tensor<64xi1>, %c: tensor<9xi8>, %d: tensor<6xi64>,
                         %e: tensor<3xf64>) -> tensor<5x7xf32> { return %a : tensor<5x7xf32> }"""
    inputs, results = run("generator", ir, seed=7)
    uniform = (random_bits(7, 0, 35) >> np.uint64(40)).astype(np.float64) * 2.0**-23 - 1
    np.testing.assert_array_equal(inputs[0], uniform.astype(np.float32).reshape(5, 7))
    np.testing.assert_array_equal(inputs[1], random_bits(7, 1, 64) >> np.uint64(63) == 1)
    np.testing.assert_array_equal(inputs[2], (random_bits(7, 2, 9) >> np.uint64(56)).astype(np.int64) - 128)
    np.testing.assert_array_equal(inputs[3], (random_bits(7, 3, 6) >> np.uint64(1)) % np.uint64(3))
    np.testing.assert_array_equal(
        inputs[4], (random_bits(7, 4, 3) >> np.uint64(11)).astype(np.float64) * 2.0**-52 - 1)
    np.testing.assert_array_equal(results[0], inputs[0])


# --- Running ----------------------------------------------------------------------------------------


def run(name, ir, seed=1, files={}, shapes={}, threads=0):
    """Inputs and results of the single function @f."""
    folder = FOLDER / name
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "in.mlir").write_text(ir)
    command = [TOOL, str(folder / "in.mlir"), "--device=reference", f"--seed={seed}", f"--output-dir={folder}",
               f"--json={folder}/report.json", f"--threads={threads}"]
    for i, array in files.items():
        np.save(folder / f"given{i}.npy", array)
        command.append(f"--input={i}:{folder}/given{i}.npy")
    for i, shape in shapes.items():
        command.append(f"--shape={i}:" + "x".join(map(str, shape)))
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    report = json.loads((folder / "report.json").read_text())
    assert len(report) == 1 and report[0]["error"] is None and report[0]["device"] == "reference"
    load = lambda kind: [np.load(folder / f"f.{kind}{i}.npy")
                         for i in range(len(list(folder.glob(f"f.{kind}*.npy"))))]
    return load("input"), load("result")


def near(actual, expected, rtol, atol=0.0):
    np.testing.assert_allclose(np.asarray(actual, np.float64), np.asarray(expected, np.float64),
                               rtol=rtol, atol=atol)


def f32(x):
    return np.asarray(x, np.float32)


def product(a, b, c):
    """c + a b in the type of c, adding the terms one by one: what the reference promises to do."""
    c = np.array(c)
    for k in range(a.shape[-1]):
        c += a[..., :, k, None].astype(c.dtype) * b[..., k, None, :].astype(c.dtype)
    return c


# --- Cases ------------------------------------------------------------------------------------------


def matmul_ir(ta, tb, tc, m, n, k, b_transposed=False):
    b = f"{n}x{k}" if b_transposed else f"{k}x{n}"
    maps = ("indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, "
            "affine_map<(m, n, k) -> (m, n)>] ") if b_transposed else ""
    return f"""func.func @f(%a: tensor<{m}x{k}x{ta}>, %b: tensor<{b}x{tb}>, %c: tensor<{m}x{n}x{tc}>)
        -> tensor<{m}x{n}x{tc}> {{
      %r = linalg.matmul {maps}ins(%a, %b : tensor<{m}x{k}x{ta}>, tensor<{b}x{tb}>)
             outs(%c : tensor<{m}x{n}x{tc}>) -> tensor<{m}x{n}x{tc}>
      return %r : tensor<{m}x{n}x{tc}> }}"""


def check_matmul():
    equal = np.testing.assert_array_equal
    for transposed in (False, True):
        for m, n, k in ((33, 50, 70), (1, 1, 1), (5, 1, 300), (128, 17, 64)):
            (a, b, c), (r,) = run("matmul_f16", matmul_ir("f16", "f16", "f16", m, n, k, transposed))
            equal(r, np.float16(product(a, b.T if transposed else b, f32(c))))
    (a, b, c), (r,) = run("matmul_f16_f32", matmul_ir("f16", "f16", "f32", 40, 30, 50))
    equal(r, product(a, b, c))
    (a, b, c), (r,) = run("matmul_f64", matmul_ir("f64", "f64", "f64", 40, 30, 50))
    equal(r, product(a, b, c))
    (a, b, c), (r,) = run("matmul_i8_i32", matmul_ir("i8", "i8", "i32", 40, 30, 50))
    equal(r, c + a.astype(np.int32) @ b.astype(np.int32))
    (a, b, c), (r,) = run("matmul_i8", matmul_ir("i8", "i8", "i8", 40, 30, 50))
    equal(r, (c + a.astype(np.int32) @ b.astype(np.int32)).astype(np.int8))
    (a, b, c), (r,) = run("matmul_bf16", matmul_ir("bf16", "bf16", "bf16", 64, 64, 64))
    equal(decode_bf16(r), round_bf16(product(*map(decode_bf16, (a, b, c)))))
    for kind in F8:
        (a, b, c), (r,) = run("matmul_" + kind, matmul_ir(kind, kind, kind, 24, 40, 56))
        equal(decode_f8(r, kind), round_f8(product(*(f32(decode_f8(x, kind)) for x in (a, b, c))), kind))


def check_accumulation():
    """1.25 * 1.25 over k = 64: 100 in f32, 97 where sums round to bf16."""
    ones = np.full((64, 64), 0x3FA0, np.uint16)
    zeros = np.zeros((64, 64), np.uint16)
    _, (r,) = run("accumulation", matmul_ir("bf16", "bf16", "bf16", 64, 64, 64),
                  files={0: ones, 1: ones, 2: zeros})
    np.testing.assert_array_equal(decode_bf16(r), 100.0)


def check_chain():
    """A contraction, bias, relu as a chain of f16 operations, a second contraction; dynamic sizes."""
    ir = """
    #id = affine_map<(b, i, j) -> (b, i, j)>
    #col = affine_map<(b, i, j) -> (j)>
    func.func @f(%a: tensor<2x?x?xf16>, %b: tensor<2x?x?xf16>, %bias: tensor<?xf16>, %d: tensor<2x?x?xf16>)
        -> tensor<2x?x?xf16> {
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %zero = arith.constant 0.0 : f16
      %m = tensor.dim %a, %c1 : tensor<2x?x?xf16>
      %n = tensor.dim %b, %c2 : tensor<2x?x?xf16>
      %h = tensor.dim %d, %c2 : tensor<2x?x?xf16>
      %e = tensor.empty(%m, %n) : tensor<2x?x?xf16>
      %f = linalg.fill ins(%zero : f16) outs(%e : tensor<2x?x?xf16>) -> tensor<2x?x?xf16>
      %c = linalg.batch_matmul ins(%a, %b : tensor<2x?x?xf16>, tensor<2x?x?xf16>)
             outs(%f : tensor<2x?x?xf16>) -> tensor<2x?x?xf16>
      %t = linalg.generic {indexing_maps = [#id, #col, #id], iterator_types = ["parallel", "parallel", "parallel"]}
          ins(%c, %bias : tensor<2x?x?xf16>, tensor<?xf16>) outs(%e : tensor<2x?x?xf16>) {
        ^bb0(%x: f16, %y: f16, %o: f16):
          %s = arith.addf %x, %y : f16
          %q = arith.mulf %s, %s : f16
          %r = arith.maximumf %q, %zero : f16
          linalg.yield %r : f16
      } -> tensor<2x?x?xf16>
      %e2 = tensor.empty(%m, %h) : tensor<2x?x?xf16>
      %f2 = linalg.fill ins(%zero : f16) outs(%e2 : tensor<2x?x?xf16>) -> tensor<2x?x?xf16>
      %r = linalg.batch_matmul ins(%t, %d : tensor<2x?x?xf16>, tensor<2x?x?xf16>)
             outs(%f2 : tensor<2x?x?xf16>) -> tensor<2x?x?xf16>
      return %r : tensor<2x?x?xf16>
    }"""
    shapes = {0: (2, 37, 24), 1: (2, 24, 51), 2: (51,), 3: (2, 51, 19)}
    for threads in (1, 3):
        (a, b, bias, d), (r,) = run("chain", ir, shapes=shapes, threads=threads)
        c = np.float16(product(a, b, np.zeros((2, 37, 51), np.float32)))
        s = c + bias
        t = np.maximum(s * s, np.float16(0))
        expected = np.float16(product(t, d, np.zeros((2, 37, 19), np.float32)))
        np.testing.assert_array_equal(r, expected)


def check_elementwise(kind="f16"):
    """Every operation of an f16 chain rounds; the result is exact."""
    ir = f"""
    #id = affine_map<(i) -> (i)>
    func.func @f(%a: tensor<1000x{kind}>, %b: tensor<1000x{kind}>) -> tensor<1000x{kind}> {{
      %e = tensor.empty() : tensor<1000x{kind}>
      %r = linalg.generic {{indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}}
          ins(%a, %b : tensor<1000x{kind}>, tensor<1000x{kind}>) outs(%e : tensor<1000x{kind}>) {{
        ^bb0(%x: {kind}, %y: {kind}, %o: {kind}):
          %s = arith.addf %x, %y : {kind}
          %p = arith.mulf %s, %x : {kind}
          %q = arith.divf %p, %y : {kind}
          %t = arith.subf %q, %s : {kind}
          %neg = arith.cmpf olt, %t, %x : {kind}
          %u = arith.select %neg, %t, %y : {kind}
          linalg.yield %u : {kind}
      }} -> tensor<1000x{kind}>
      return %r : tensor<1000x{kind}>
    }}"""
    (x, y), (r,) = run("elementwise_" + kind, ir)
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        if kind == "f16":
            t = (x + y) * x / y - (x + y)
            np.testing.assert_array_equal(r, np.where(t < x, t, y))
            return
        if kind == "bf16":
            x, y, r = map(decode_bf16, (x, y, r))
            rnd = round_bf16
        else:
            x, y, r = (f32(decode_f8(v, kind)) for v in (x, y, r))
            rnd = lambda v: f32(round_f8(v, kind))
        s = rnd(x + y)
        t = rnd(rnd(rnd(s * x) / y) - s)
        np.testing.assert_array_equal(r, np.where(t < x, t, y))


def check_conversions():
    """Between all widths, and the fused multiply-add of f16, which rounds once."""
    kinds = ("f64", "f32", "f16", "bf16", "f8E5M2", "f8E4M3FN")
    ext = [(a, b) for a in kinds[1:] for b in kinds
           if {"f64": 64, "f32": 32, "f16": 16, "bf16": 16}.get(b, 8) > {"f32": 32, "f16": 16, "bf16": 16}.get(a, 8)]
    lines, types, outs = [], [], []
    for n, (narrow, wide) in enumerate(ext):
        lines.append(f"%t{n} = arith.truncf %x : f64 to {narrow}" if wide == "f64" else
                     f"%w{n} = arith.truncf %x : f64 to {wide}\n %t{n} = arith.truncf %w{n} : {wide} to {narrow}")
        lines.append(f"%e{n} = arith.extf %t{n} : {narrow} to {wide}")
        if wide != "f64":
            lines.append(f"%r{n} = arith.extf %e{n} : {wide} to f64")
        outs.append(f"%r{n}" if wide != "f64" else f"%e{n}")
    tensors = ", ".join(["tensor<500xf64>"] * len(ext))
    maps = ", ".join(["#id"] * (len(ext) + 1))
    ir = f"""
    #id = affine_map<(i) -> (i)>
    func.func @f(%a: tensor<500xf64>, %h: tensor<500xf16>) -> ({tensors}, tensor<500xf16>) {{
      %e = tensor.empty() : tensor<500xf64>
      %r:{len(ext)} = linalg.generic {{indexing_maps = [{maps}], iterator_types = ["parallel"]}}
          ins(%a : tensor<500xf64>) outs({", ".join(["%e"] * len(ext))} : {tensors}) {{
        ^bb0(%x: f64, {", ".join(f"%o{n}: f64" for n in range(len(ext)))}):
          {chr(10).join(lines)}
          linalg.yield {", ".join(outs)} : {", ".join(["f64"] * len(ext))}
      }} -> ({tensors})
      %m = linalg.generic {{indexing_maps = [#id, #id], iterator_types = ["parallel"]}}
          ins(%h : tensor<500xf16>) outs(%h : tensor<500xf16>) {{
        ^bb0(%x: f16, %o: f16):
          %y = math.fma %x, %x, %x : f16
          linalg.yield %y : f16
      }} -> tensor<500xf16>
      return {", ".join(f"%r#{n}" for n in range(len(ext)))}, %m : {tensors}, tensor<500xf16>
    }}"""
    (x, h), results = run("conversions", ir)
    rounders = {"f64": lambda v: v, "f32": lambda v: f32(v).astype(np.float64),
                "f16": lambda v: np.float16(v).astype(np.float64), "bf16": round_bf16_f64,
                "f8E5M2": lambda v: round_f8(v, "f8E5M2"), "f8E4M3FN": lambda v: round_f8(v, "f8E4M3FN")}
    for (narrow, wide), result in zip(ext, results):
        np.testing.assert_array_equal(result, rounders[narrow](rounders[wide](x)), err_msg=f"{wide} to {narrow}")
    wide = h.astype(np.float64)
    np.testing.assert_array_equal(results[-1], np.float16(wide * wide + wide))


def check_functions():
    """exp, tanh, erf, rsqrt in f32 and rounded to f16."""
    for kind, rtol in (("f32", 1e-6), ("f16", 2.0**-10)):
        ir = f"""
        #id = affine_map<(i) -> (i)>
        func.func @f(%a: tensor<777x{kind}>) -> (tensor<777x{kind}>, tensor<777x{kind}>, tensor<777x{kind}>,
                                               tensor<777x{kind}>) {{
          %e = tensor.empty() : tensor<777x{kind}>
          %r:4 = linalg.generic {{indexing_maps = [#id, #id, #id, #id, #id], iterator_types = ["parallel"]}}
              ins(%a : tensor<777x{kind}>)
              outs(%e, %e, %e, %e : tensor<777x{kind}>, tensor<777x{kind}>, tensor<777x{kind}>, tensor<777x{kind}>) {{
            ^bb0(%x: {kind}, %o0: {kind}, %o1: {kind}, %o2: {kind}, %o3: {kind}):
              %0 = math.exp %x : {kind}
              %1 = math.tanh %x : {kind}
              %2 = math.erf %x : {kind}
              %x2 = arith.mulf %x, %x : {kind}
              %3 = math.rsqrt %x2 : {kind}
              linalg.yield %0, %1, %2, %3 : {kind}, {kind}, {kind}, {kind}
          }} -> (tensor<777x{kind}>, tensor<777x{kind}>, tensor<777x{kind}>, tensor<777x{kind}>)
          return %r#0, %r#1, %r#2, %r#3
            : tensor<777x{kind}>, tensor<777x{kind}>, tensor<777x{kind}>, tensor<777x{kind}>
        }}"""
        (x,), (e, t, erf, rs) = run("functions_" + kind, ir)
        wide = x.astype(np.float64)
        near(e, np.exp(wide), rtol)
        near(t, np.tanh(wide), rtol)
        from math import erf as scalar_erf
        near(erf, np.vectorize(scalar_erf)(wide), rtol, atol=1e-7)
        with np.errstate(divide="ignore"):
            near(rs, 1 / np.sqrt((x * x).astype(np.float64)), rtol)


def check_softmax():
    for kind, dtype, rtol in (("f16", np.float16, 2.0**-10), ("f32", np.float32, 1e-5)):
        for axis in (0, 1):
            ir = f"""func.func @f(%x: tensor<40x90x{kind}>) -> tensor<40x90x{kind}> {{
              %e = tensor.empty() : tensor<40x90x{kind}>
              %r = linalg.softmax dimension({axis}) ins(%x : tensor<40x90x{kind}>)
                     outs(%e : tensor<40x90x{kind}>) -> tensor<40x90x{kind}>
              return %r : tensor<40x90x{kind}> }}"""
            x = np.random.default_rng(3).normal(size=(40, 90)).astype(dtype) * dtype(4)
            lines = x if axis == 1 else x.T
            lines[3, :] = -np.inf  # a masked line: 0 / 0
            lines[5, 7] = np.nan
            lines[6, 11] = -np.inf
            lines[8, 2] = np.inf
            _, (r,) = run("softmax", ir, files={0: np.ascontiguousarray(x)})
            wide = x.astype(np.float64)
            with np.errstate(invalid="ignore"):
                e = np.exp(wide - np.max(wide, axis=axis, keepdims=True))
                expected = e / e.sum(axis=axis, keepdims=True)
            got = r if axis == 1 else r.T
            assert np.isnan(got[3]).all() and np.isnan(got[5]).all() and np.isnan(got[8]).all()
            near(r, expected, rtol, atol=2.0**-24 if kind == "f16" else 0)


def check_convolution_and_pooling():
    ir = """func.func @f(%x: tensor<2x9x9x4xf16>, %f: tensor<3x3x4x8xf16>, %c: tensor<2x4x4x8xf16>,
                         %w: tensor<2x2xf16>, %p: tensor<2x3x3x8xf16>)
        -> (tensor<2x4x4x8xf16>, tensor<2x3x3x8xf16>, tensor<2x3x3x8xf16>) {
      %r = linalg.conv_2d_nhwc_hwcf {strides = dense<2> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
        ins(%x, %f : tensor<2x9x9x4xf16>, tensor<3x3x4x8xf16>) outs(%c : tensor<2x4x4x8xf16>) -> tensor<2x4x4x8xf16>
      %s = linalg.pooling_nhwc_sum ins(%r, %w : tensor<2x4x4x8xf16>, tensor<2x2xf16>)
        outs(%p : tensor<2x3x3x8xf16>) -> tensor<2x3x3x8xf16>
      %m = linalg.pooling_nhwc_max ins(%r, %w : tensor<2x4x4x8xf16>, tensor<2x2xf16>)
        outs(%p : tensor<2x3x3x8xf16>) -> tensor<2x3x3x8xf16>
      return %r, %s, %m : tensor<2x4x4x8xf16>, tensor<2x3x3x8xf16>, tensor<2x3x3x8xf16> }"""
    (x, f, c, _, p), (r, s, m) = run("convolution", ir)
    windows = np.lib.stride_tricks.sliding_window_view(f32(x), (3, 3), axis=(1, 2))[:, ::2, ::2]
    expected = f32(c) + np.einsum("nhwcij,ijcf->nhwf", windows, f32(f))
    near(r, np.float16(expected), rtol=2.0**-10, atol=1e-4)
    pools = np.lib.stride_tricks.sliding_window_view(r, (2, 2), axis=(1, 2))
    near(s, np.float16(f32(p) + f32(pools).sum(axis=(-1, -2))), rtol=2.0**-10, atol=1e-4)
    np.testing.assert_array_equal(m, np.maximum(p, pools.max(axis=(-1, -2))))
    ir = """func.func @f(%x: tensor<1x3x12x14xf32>, %f: tensor<5x3x3x3xf32>, %c: tensor<1x5x10x12xf32>)
        -> tensor<1x5x10x12xf32> {
      %r = linalg.conv_2d_nchw_fchw {strides = dense<1> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
        ins(%x, %f : tensor<1x3x12x14xf32>, tensor<5x3x3x3xf32>) outs(%c : tensor<1x5x10x12xf32>)
        -> tensor<1x5x10x12xf32>
      return %r : tensor<1x5x10x12xf32> }"""
    (x, f, c), (r,) = run("convolution_nchw", ir)
    windows = np.lib.stride_tricks.sliding_window_view(x, (3, 3), axis=(2, 3))
    near(r, c + np.einsum("nchwij,fcij->nfhw", windows, f), rtol=1e-5, atol=1e-5)


def check_sums():
    ir = """func.func @f(%x: tensor<70x300xbf16>, %i: tensor<70xbf16>, %j: tensor<300xbf16>)
        -> (tensor<70xbf16>, tensor<300xbf16>, tensor<70xbf16>) {
      %r = linalg.reduce { arith.addf } ins(%x : tensor<70x300xbf16>) outs(%i : tensor<70xbf16>) dimensions = [1]
      %c = linalg.reduce { arith.addf } ins(%x : tensor<70x300xbf16>) outs(%j : tensor<300xbf16>) dimensions = [0]
      %m = linalg.reduce { arith.maximumf } ins(%x : tensor<70x300xbf16>) outs(%i : tensor<70xbf16>) dimensions = [1]
      return %r, %c, %m : tensor<70xbf16>, tensor<300xbf16>, tensor<70xbf16> }"""
    inputs, results = run("sums", ir)
    (x, i, j), (r, c, m) = map(decode_bf16, inputs), map(decode_bf16, results)
    near(r, round_bf16(i + x.sum(axis=1)), rtol=2.0**-7, atol=1e-4)
    near(c, round_bf16(j + x.sum(axis=0)), rtol=2.0**-7, atol=1e-4)
    np.testing.assert_array_equal(m, np.maximum(i, x.max(axis=1)))


def check_data_movement():
    """A gather written as generic, padding, slices, a mask, scalars, an input passed through."""
    ir = """
    #row = affine_map<(i, j) -> (i)>
    #id = affine_map<(i, j) -> (i, j)>
    func.func @f(%table: tensor<11x6xf32>, %index: tensor<20xi32>, %mask: tensor<20x6xi1>, %s: f32, %w: index)
        -> (tensor<20x6xf32>, tensor<14x8xf32>, tensor<5x3xf32>, tensor<11x6xf32>, index) {
      %e = tensor.empty() : tensor<20x6xf32>
      %g = linalg.generic {indexing_maps = [#row, #id, #id], iterator_types = ["parallel", "parallel"]}
          ins(%index, %mask : tensor<20xi32>, tensor<20x6xi1>) outs(%e : tensor<20x6xf32>) {
        ^bb0(%at: i32, %m: i1, %o: f32):
          %row = arith.index_cast %at : i32 to index
          %col = linalg.index 1 : index
          %v = tensor.extract %table[%row, %col] : tensor<11x6xf32>
          %scaled = arith.mulf %v, %s : f32
          %r = arith.select %m, %scaled, %s : f32
          linalg.yield %r : f32
      } -> tensor<20x6xf32>
      %p = tensor.pad %table low[1, 0] high[2, 2] {
        ^bb0(%i: index, %j: index):
          tensor.yield %s : f32
      } : tensor<11x6xf32> to tensor<14x8xf32>
      %sl = tensor.extract_slice %table[1, 0] [5, 3] [2, 2] : tensor<11x6xf32> to tensor<5x3xf32>
      return %g, %p, %sl, %table, %w
        : tensor<20x6xf32>, tensor<14x8xf32>, tensor<5x3xf32>, tensor<11x6xf32>, index
    }"""
    (table, index, mask, s, w), (g, p, sl, through, width) = run("movement", ir)
    assert index.min() >= 0 and index.max() < 6 and len(np.unique(index)) > 1 and 0 < mask.sum() < 120
    np.testing.assert_array_equal(g, np.where(mask, table[index] * s, s))
    np.testing.assert_array_equal(p, np.pad(table, ((1, 2), (0, 2)), constant_values=s))
    np.testing.assert_array_equal(sl, table[1:11:2, 0:6:2])
    np.testing.assert_array_equal(through, table)
    assert width == w


def check_pack():
    ir = """func.func @f(%x: tensor<10x12xf16>, %pad: f16) -> (tensor<3x3x4x4xf16>, tensor<10x12xf16>) {
      %e = tensor.empty() : tensor<3x3x4x4xf16>
      %p = linalg.pack %x padding_value(%pad : f16) inner_dims_pos = [0, 1] inner_tiles = [4, 4] into %e
        : tensor<10x12xf16> -> tensor<3x3x4x4xf16>
      %d = tensor.empty() : tensor<10x12xf16>
      %u = linalg.unpack %p inner_dims_pos = [0, 1] inner_tiles = [4, 4] into %d
        : tensor<3x3x4x4xf16> -> tensor<10x12xf16>
      return %p, %u : tensor<3x3x4x4xf16>, tensor<10x12xf16> }"""
    (x, pad), (packed, unpacked) = run("pack", ir)
    padded = np.pad(x, ((0, 2), (0, 0)), constant_values=pad)
    np.testing.assert_array_equal(packed, padded.reshape(3, 4, 3, 4).transpose(0, 2, 1, 3))
    np.testing.assert_array_equal(unpacked, x)


def check_constants_and_scalars():
    """Constants, scalar inputs and scalar results of every type; calls and loops."""
    for kind in ("f16", "bf16", "f32", "f64", "f8E4M3FN", "f8E5M2", "i1", "i8", "i16", "i32", "i64", "index"):
        value = "true" if kind == "i1" else "1.5" if kind[0] in "fb" else "3"
        ir = f"""
        func.func private @same(%x: tensor<2x{kind}>) -> tensor<2x{kind}> {{ return %x : tensor<2x{kind}> }}
        func.func @f(%a: {kind}, %b: tensor<{kind}>) -> (tensor<4x{kind}>, tensor<2x{kind}>, {kind}, tensor<3x{kind}>,
                                                       tensor<{kind}>) {{
          %c = arith.constant dense<{value}> : tensor<4x{kind}>
          %d = arith.constant dense<[{value}, {value}]> : tensor<2x{kind}>
          %s = call @same(%d) : (tensor<2x{kind}>) -> tensor<2x{kind}>
          %e = tensor.empty() : tensor<3x{kind}>
          %r = linalg.fill ins(%a : {kind}) outs(%e : tensor<3x{kind}>) -> tensor<3x{kind}>
          return %c, %s, %a, %r, %b : tensor<4x{kind}>, tensor<2x{kind}>, {kind}, tensor<3x{kind}>, tensor<{kind}>
        }}"""
        (a, b), (c, d, same, filled, through) = run("constants_" + kind, ir)
        decode = decode_bf16 if kind == "bf16" else (lambda x: decode_f8(x, kind)) if kind in F8 else lambda x: x
        expected = {"t": True, "1": 1.5, "3": 3}[value[0]]
        np.testing.assert_array_equal(decode(c), np.full(4, expected))
        np.testing.assert_array_equal(decode(d), np.full(2, expected))
        np.testing.assert_array_equal(same, a)
        np.testing.assert_array_equal(filled, np.full(3, a))
        np.testing.assert_array_equal(through, b)
        assert through.shape == () and same.shape == ()


def check_winograd():
    """A 3x3 convolution by F(4, 3) equals the direct one up to the roundings of the transforms."""
    ir = """func.func @f(%x: tensor<1x6x6x5xf32>, %f: tensor<2x3x3x5xf32>) -> tensor<1x4x4x2xf32> {
      %e0 = tensor.empty() : tensor<6x6x5x2xf32>
      %tf = linalg.winograd_filter_transform fmr(F_4_3) ins(%f : tensor<2x3x3x5xf32>)
              outs(%e0 : tensor<6x6x5x2xf32>) -> tensor<6x6x5x2xf32>
      %e1 = tensor.empty() : tensor<6x6x1x1x1x5xf32>
      %tx = linalg.winograd_input_transform fmr(F_4_3) ins(%x : tensor<1x6x6x5xf32>)
              outs(%e1 : tensor<6x6x1x1x1x5xf32>) -> tensor<6x6x1x1x1x5xf32>
      %cf = tensor.collapse_shape %tf [[0, 1], [2], [3]] : tensor<6x6x5x2xf32> into tensor<36x5x2xf32>
      %cx = tensor.collapse_shape %tx [[0, 1], [2, 3, 4], [5]] : tensor<6x6x1x1x1x5xf32> into tensor<36x1x5xf32>
      %zero = arith.constant 0.0 : f32
      %e2 = tensor.empty() : tensor<36x1x2xf32>
      %z = linalg.fill ins(%zero : f32) outs(%e2 : tensor<36x1x2xf32>) -> tensor<36x1x2xf32>
      %m = linalg.batch_matmul ins(%cx, %cf : tensor<36x1x5xf32>, tensor<36x5x2xf32>)
             outs(%z : tensor<36x1x2xf32>) -> tensor<36x1x2xf32>
      %em = tensor.expand_shape %m [[0, 1], [2, 3, 4], [5]] output_shape [6, 6, 1, 1, 1, 2]
              : tensor<36x1x2xf32> into tensor<6x6x1x1x1x2xf32>
      %e3 = tensor.empty() : tensor<1x4x4x2xf32>
      %r0 = linalg.fill ins(%zero : f32) outs(%e3 : tensor<1x4x4x2xf32>) -> tensor<1x4x4x2xf32>
      %r = linalg.winograd_output_transform fmr(F_4_3) ins(%em : tensor<6x6x1x1x1x2xf32>)
             outs(%r0 : tensor<1x4x4x2xf32>) -> tensor<1x4x4x2xf32>
      return %r : tensor<1x4x4x2xf32> }"""
    (x, f), (r,) = run("winograd", ir)
    windows = np.lib.stride_tricks.sliding_window_view(x, (3, 3), axis=(1, 2))
    near(r, np.einsum("nhwcij,fijc->nhwf", windows, f), rtol=1e-4, atol=1e-4)


check_generator(FOLDER)
check_matmul()
check_accumulation()
check_chain()
for kind in ("f16", "bf16", "f8E4M3FN", "f8E5M2"):
    check_elementwise(kind)
check_conversions()
check_functions()
check_softmax()
check_convolution_and_pooling()
check_sums()
check_data_movement()
check_pack()
check_constants_and_scalars()
check_winograd()
