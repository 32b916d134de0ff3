# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Block programs written by hand: a pipelined loop whose trip count is known at run time only, from none to more than the
# stages, and two pipelined loops one after the other in the same shared memory. Against NumPy, silent under eight orders
# of the warps.
# RUN: %python %s %t %S/Inputs

import json
import os
import sys

import numpy

folder, inputs = sys.argv[1], sys.argv[2]
sys.path.insert(0, inputs)
from hand_schedule import run  # noqa: E402

os.makedirs(folder, exist_ok=True)

HEAD = """
#a = #tile.layout<"offset: 8*[0,1] x[0,8] x[0,16] 2*[1,0] x[2,8] x[4,16] 8*[8,0] -> [64, 32]">
#b = #tile.layout<"offset: 8*[0,1] x[0,8] x[0,16] x[0,32] x[1,8] x[2,16] x[4,32] 4*[8,0] -> [32, 64]">
!a = !tile.buffer<1, 64, 32, f16, #a>
!b = !tile.buffer<1, 32, 64, f16, #b>
!view = !tile.view<2 x f16, unit = 1, alignment = 16>
!out = !tile.view<2 x f32, unit = 1, alignment = 16>
module attributes {fuse.chip = #fuse.chip<"sm_80">} {
tile.kernel @kernel(%pa: !tile.ptr<f16> {tile.access = #tile.access<read>},
                    %pb: !tile.ptr<f16> {tile.access = #tile.access<read>},
                    %pc: !tile.ptr<f32> {tile.access = #tile.access<write>}, %K: index)
    attributes {warps = 4 : i64, register_stages = REGISTERS : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %va = tile.view %pa[%c0] sizes[%c64, %K] strides[%K, %c1] : !tile.ptr<f16> -> !view
  %vb = tile.view %pb[%c0] sizes[%K, %c64] strides[%c64, %c1] : !tile.ptr<f16> -> !view
  %vc = tile.view %pc[%c0] sizes[%c64, %c64] strides[%c64, %c1] : !tile.ptr<f32> -> !out
"""
LOOP = """
  %A{0} = tile.alloc {{pipeline_stages = {1} : i64}} : !a
  %B{0} = tile.alloc {{pipeline_stages = {1} : i64}} : !b
  %C{0} = scf.for %k = {2} to %K step {3} iter_args(%sum = {4}) -> tensor<64x64xf32> {{
    tile.copy_async %va[%c0, %k], %A{0}[%c0] by async16 : !view, !a
    tile.copy_async %vb[%k, %c0], %B{0}[%c0] by async16 : !view, !b
    tile.commit
    tile.wait 0
    %a0 = tile.local_load %A{0}[%c0] at [0, 0] : !a -> tensor<64x16xf16>
    %b0 = tile.local_load %B{0}[%c0] at [0, 0] : !b -> tensor<16x64xf16>
    %d0 = tile.dot %a0, %b0, %sum "mma.m16n8k16" warps [2, 2] : tensor<64x16xf16>, tensor<16x64xf16> -> tensor<64x64xf32>
    %a1 = tile.local_load %A{0}[%c0] at [0, 16] : !a -> tensor<64x16xf16>
    %b1 = tile.local_load %B{0}[%c0] at [16, 0] : !b -> tensor<16x64xf16>
    %d1 = tile.dot %a1, %b1, %d0 "mma.m16n8k16" warps [2, 2] : tensor<64x16xf16>, tensor<16x64xf16> -> tensor<64x64xf32>
    scf.yield %d1 : tensor<64x64xf32>
  }}
  tile.free %A{0} : !a
  tile.free %B{0} : !b
"""
TAIL = """
  tile.store {0}, %vc[%c0, %c0] : tensor<64x64xf32>, !out
  tile.return
}}
}}
"""
# Even and odd steps of 32 in two loops make the same product as one loop over all of them.
ONE = HEAD + LOOP.format("0", "STAGES", "%c0", "%c32", "%zero") + TAIL.format("%C0")
TWO = (
    HEAD
    + LOOP.format("0", "STAGES", "%c0", "%c64", "%zero")
    + LOOP.format("1", "STAGES", "%c32", "%c64", "%C0")
    + TAIL.format("%C1")
)

random = numpy.random.default_rng(7)
for name, text in (("one", ONE), ("two", TWO)):
    for stages in (1, 2, 3, 5):
        for registers in (1, 2):
            path = os.path.join(folder, f"{name}_{stages}_{registers}")
            with open(path + ".mlir", "w") as file:
                file.write(text.replace("STAGES", str(stages)).replace("REGISTERS", str(registers)))
            passes = ("identify", "assign-stages", "place", "expand", "registers")
            kernel = ",".join(["tile-pipeline-" + name for name in passes]
                              + ["tile-assign-layouts", "tile-allocate-shared", "tile-insert-barriers"])  # fmt: skip
            run("fusion-opt", path + ".mlir", f"--pass-pipeline=builtin.module(tile.kernel({kernel}),tile-to-nvvm)",
                "-o", path + ".nvvm.mlir")  # fmt: skip
            run("fusion-translate", "--fuse-to-ptx", path + ".nvvm.mlir", "-o", path + ".ptx")
            shared = stages * (64 * 32 + 32 * 64) * 2
            with open(path + ".nvvm.mlir") as file:
                assert f"fuse.shared_memory = {shared} : i64" in file.read(), f"{path}: not {shared} bytes"
            for k in (0, 32, 64, 96, 160, 224):
                # Small integers: sums are exact in any order.
                a = random.integers(-3, 4, (64, k)).astype(numpy.float16)
                b = random.integers(-3, 4, (k, 64)).astype(numpy.float16)
                a.tofile(path + ".a"), b.tofile(path + ".b")
                numpy.full((64, 64), numpy.nan, numpy.float32).tofile(path + ".c")
                # An empty buffer has no address.
                buffers = [{"buffer": path + end} for end in (".a", ".b")] if k else [{"i64": 0}, {"i64": 0}]
                launch = {
                    "kernel": "kernel", "grid": [1, 1, 1], "block": [128, 1, 1], "dynamic_shared_memory": shared,
                    "arguments": buffers + [{"buffer": path + ".c", "write_back": path + ".out"}, {"i32": k}],
                }  # fmt: skip
                with open(path + ".json", "w") as file:
                    json.dump(launch, file)
                run("fusion-emulate", path + ".ptx", "--launch=" + path + ".json", "--sanitize", "--schedules=8")
                c = numpy.fromfile(path + ".out", numpy.float32).reshape(64, 64)
                expected = a.astype(numpy.float32) @ b.astype(numpy.float32)
                assert (c == expected).all(), f"{path}, K = {k}"
