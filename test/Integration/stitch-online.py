# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Rows that are not kept, or in part: reductions that need one another run in one pass by their running form, so that softmax and
# a layer norm read twice what is not kept, a log-sum-exp and a variance once. One kernel each, silent under the sanitizers, without bank conflicts,
# with the bytes that were predicted, and special values are what the operators say.
# RUN: %python %s %t %S/Inputs

import json
import os
import re
import sys

import numpy

folder, inputs = sys.argv[1], sys.argv[2]
sys.path.insert(0, inputs)
from check_stitch import check  # noqa: E402
from check_stitch import run as attempt  # noqa: E402
from hand_schedule import lower, run  # noqa: E402
from stitch_programs import program  # noqa: E402

WARPS = 16


def schedule(rows, cols, vector, registers, kept, align=1):
    """Rows of all warps, a step of some registers; steps retained in registers and in shared memory; tiles
    begin before rows, at a
    multiple of `align`."""
    step = vector * 32 * WARPS * registers
    # A single row is no axis.
    outer, axis = ("i = #fuse.thread_mapping<tile = 1>, ", "j") if rows > 1 else ("", "i")
    return (f"#fuse.schedule<version = 2, mapping = <warps = {WARPS}>, stitching = <{{{outer}"
            f"{axis} = #fuse.thread_mapping<tile = {-(-(cols + align - 1) // step) * step}, vector = {vector}, lanes = 32, "
            f"warps = {WARPS}{f', align = {align}' if align > 1 else ''}>}}, "
            f'serial_loop = <axis = "{axis}", step = {step}, register_steps = {kept[0]}, shared_steps = {kept[1]}, online = true>>>')  # fmt: skip


def compile(name, pattern, rows, cols, chip, **choices):
    """The plan of the pattern with running forms. Returns its path."""
    path = os.path.join(folder, name)
    with open(path + ".mlir", "w") as file:
        file.write(program(pattern, rows, cols, "f32"))
    groups = run("fusion-opt", path + ".mlir", f"--fuse-to-groups=chip={chip} force-fusion=true")
    lower(path, groups, schedule(rows, cols, **choices))
    return path


def emulate(path, *options):
    run("fusion-run", path + ".mlir", "--manifest=" + path + ".json", "--device=emulator", "--sanitize",
        "--json=" + path + ".report.json", *options)  # fmt: skip
    with open(path + ".report.json") as file:
        (report,) = json.load(file)
    assert report["pass"] and not report["sanitizer"], path
    (kernel,) = report["kernels"]
    for bytes in ("global_load_bytes", "global_store_bytes"):
        assert kernel["counters"][bytes] == kernel["predicted"][bytes], (path, bytes, kernel["counters"], kernel["predicted"])
    assert not kernel["counters"]["shared_bank_conflicts"], path
    return kernel["counters"]["global_load_bytes"]


# Pattern, rows, columns, chip, neighbours in a thread, registers of a step, steps kept in registers and shared memory; how
# often rows are read that are not kept.
CASES = [
    ("softmax", 2, 65536, "sm_86", 4, 1, (0, 0), 2),
    ("softmax", 2, 70001, "sm_86", 1, 4, (2, 3), 2),
    ("log_softmax", 2, 70001, "sm_86", 1, 4, (0, 2), 2),
    ("cross_entropy", 2, 70001, "sm_86", 1, 4, (0, 0), 1),
    ("softmax", 1, 262144, "sm_80", 4, 2, (1, 5), 2),
    ("layer_norm", 2, 65536, "sm_86", 4, 1, (0, 0), 2),
    ("layer_norm", 2, 70001, "sm_86", 1, 4, (2, 3), 2),
    ("mean_var_two_reductions", 2, 70001, "sm_86", 1, 4, (0, 0), 1),
]


# x divided by the mean of its magnitudes about its mean.
DEVIATION = """
#all = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
func.func @deviation(%x: tensor<2x100001xf32>) -> tensor<2x100001xf32> {
  %zero = arith.constant 0.0 : f32
  %count = arith.constant 100001.0 : f32
  %rows = tensor.empty() : tensor<2xf32>
  %full = tensor.empty() : tensor<2x100001xf32>
  %start = linalg.fill ins(%zero : f32) outs(%rows : tensor<2xf32>) -> tensor<2xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<2x100001xf32>) outs(%start : tensor<2xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.addf %a, %o : f32
    linalg.yield %r : f32
  } -> tensor<2xf32>
  %magnitudes = linalg.generic {indexing_maps = [#all, #row, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x, %sum : tensor<2x100001xf32>, tensor<2xf32>) outs(%start : tensor<2xf32>) {
  ^bb0(%a: f32, %s: f32, %o: f32):
    %m = arith.divf %s, %count : f32
    %d = arith.subf %a, %m : f32
    %p = math.absf %d : f32
    %r = arith.addf %p, %o : f32
    linalg.yield %r : f32
  } -> tensor<2xf32>
  %y = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %magnitudes : tensor<2x100001xf32>, tensor<2xf32>) outs(%full : tensor<2x100001xf32>) {
  ^bb0(%a: f32, %m: f32, %o: f32):
    %r = arith.divf %a, %m : f32
    linalg.yield %r : f32
  } -> tensor<2x100001xf32>
  return %y : tensor<2x100001xf32>
}
"""


def count_reads():
    for pattern, rows, cols, chip, vector, registers, kept, reads in CASES:
        name = f"{pattern}-{rows}x{cols}"
        path = compile(name, pattern, rows, cols, chip, vector=vector, registers=registers, kept=kept)
        once = sum(kept) * vector * 32 * WARPS * registers
        expected = rows * 4 * (once + reads * (cols - once))
        # A target and its score for each row, which every thread loads.
        extra = rows * 2 * 4 * 32 * WARPS if pattern == "cross_entropy" else 0
        # Gain and bias, once for each row.
        extra += rows * cols * 2 * 4 if pattern == "layer_norm" else 0
        loaded = emulate(path)
        assert loaded == expected + extra, (name, loaded, expected, extra)


def try_values():
    """What the operators say, NaN where they say so."""
    nan, inf = numpy.nan, numpy.inf
    x = numpy.random.default_rng(3).standard_normal((9, 5001)).astype(numpy.float32)
    x[0] = -inf
    x[1, :5000] = -inf
    x[2, 5000] = nan
    x[3, 5] = inf
    x[4] = numpy.finfo(numpy.float32).min
    x[5] = numpy.linspace(-80, 80, 5001)
    x[6] = -1e30
    x[6, 4999] = -1e29
    x[7, ::2] = -inf
    x[8] = 1e4 - x[8]
    given = os.path.join(folder, "values.npy")
    numpy.save(given, x)
    wide = x.astype(numpy.float64)
    for pattern in ("softmax", "log_softmax"):
        path = compile(pattern + "-values", pattern, *x.shape, "sm_86", vector=1, registers=1, kept=(1, 2))
        os.makedirs(path, exist_ok=True)
        emulate(path, f"--input=0:{given}", "--output-dir=" + path)
        result = numpy.load(os.path.join(path, pattern + ".result0.npy")).astype(numpy.float64)
        with numpy.errstate(all="ignore"):
            terms = numpy.exp(wide - wide.max(1, keepdims=True))
            total = terms.sum(1, keepdims=True)
            expected = terms / total if pattern == "softmax" else wide - wide.max(1, keepdims=True) - numpy.log(total)
            near = numpy.abs(result - expected) <= 1e-7 + 1e-4 * numpy.abs(expected)
        same = (numpy.isnan(result) & numpy.isnan(expected)) | (result == expected)
        assert (same | near).all(), (pattern, sorted(set(numpy.argwhere(~(same | near))[:, 0])))
        assert numpy.isnan(result[[0, 2, 3]]).all() and not numpy.isnan(result[[1, 4, 5, 6, 7, 8]]).any(), pattern


def try_variances():
    """As far off as f32 is of the mean, and no more than the passes apart where that is near the row's spread."""
    x = numpy.random.default_rng(3).standard_normal((8, 5001)).astype(numpy.float32)
    x[1] += 1e3
    x[2] = 7.5
    x[3] *= 1e15
    x[4, 0] = numpy.nan
    x[5, 5000] = numpy.inf
    x[6] = numpy.linspace(-1e4, 1e4, 5001)
    x[7] = numpy.where(numpy.arange(5001) < 2500, 100, 101)
    given = os.path.join(folder, "variances.npy")
    numpy.save(given, x)
    name = "mean_var_two_reductions"
    for align in (1, 8):
        path = compile(f"{name}-values-{align}", name, *x.shape, "sm_86", vector=1, registers=1, kept=(1, 2), align=align)
        os.makedirs(path, exist_ok=True)
        emulate(path, f"--input=0:{given}", "--output-dir=" + path)
        check_variances(x, *(numpy.load(os.path.join(path, f"{name}.result{i}.npy")) for i in (0, 1)))


def check_variances(x, mean, variance):
    assert numpy.isnan(variance[[4, 5]]).all() and not numpy.isnan(variance[[0, 1, 2, 3, 6, 7]]).any(), variance
    with numpy.errstate(invalid="ignore"):
        error = numpy.abs(variance - x.astype(numpy.float64).var(1)) / x.astype(numpy.float64).var(1)
    assert variance[2] == 0 and mean[2] == 7.5, variance
    assert (error[[0, 3, 6]] < 1e-6).all() and (error[[1, 7]] < 1e-4).all(), error


def weigh(rows=3, length=77, width=32):
    """Keys weighed by a softmax of what is made of them: one pass over the history, of which the quotient by the weights' sum leaves
    the sum. Users without any key of weight have what the operators say."""
    name = "din_attention_unit"
    path = os.path.join(folder, name)
    with open(path + ".mlir", "w") as file:
        file.write(program(name, rows, length * width, "f32"))
    groups = run("fusion-opt", path + ".mlir", "--fuse-to-groups=chip=sm_80 force-fusion=true")
    lower(path, groups, "#fuse.schedule<version = 2, mapping = <warps = 2>, stitching = <{i = #fuse.thread_mapping<tile = 1>, "
          "j = #fuse.thread_mapping<tile = 80, lanes = 4, warps = 2>, k = #fuse.thread_mapping<tile = 32, vector = 4, lanes = 8>}, "
          'serial_loop = <axis = "j", step = 16, online = true>>>')  # fmt: skip
    repeated = sum(width * 4 * rows for _ in range(4))  # the query and three rows of weights
    loaded = emulate(path)
    assert loaded == rows * length * width * 4 + repeated * 8, (loaded, repeated)


def explain():
    """Magnitudes of differences from the mean have no online form: three passes, and the reason."""
    path = os.path.join(folder, "deviation.mlir")
    with open(path, "w") as file:
        file.write(DEVIATION)
    _, remarks = attempt("fusion-opt", path, "--fuse-to-groups=chip=sm_86 force-fusion=true", "--remarks-filter=stitch", "-o",
                         os.devnull)  # fmt: skip
    assert re.search(r"3 passes over j .* not in fewer passes: linalg.generic combines what depends on a result of its own loop",
                     remarks), remarks  # fmt: skip
    # The search chooses two for a layer norm, and says what that saves.
    facts = check(folder, "layer_norm", 4, 100001, "f32", "sm_86")
    assert not facts["complaints"] and facts["again"], facts
    _, remarks = attempt("fusion-opt", os.path.join(folder, "layer_norm-4x100001-f32-sm_86.mlir"),
                         "--fuse-to-groups=chip=sm_86 force-fusion=true", "--remarks-filter=stitch", "-o", os.devnull)  # fmt: skip
    assert re.search(r"online along j: 1 reduction is corrected .* 2 passes do for 3", remarks), remarks


os.makedirs(folder, exist_ok=True)
count_reads()
try_values()
try_variances()
weigh()
explain()
