# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Conversions of the 8-bit floats, by instructions and by integer arithmetic, on GPUs and on a CPU: every code of a format,
# and every f16 number, which has the middle between any two of its numbers, with its neighbours in f32 and f64. The
# reference's come from tables and LLVM's APFloat.
# RUN: %python %s > %t.mlir
# RUN: fusion-run %t.mlir --device=emulator --chip=sm_80 --tolerance=f32:0,0 > %t.sm_80.log
# RUN: fusion-run %t.mlir --device=emulator --chip=sm_90a --tolerance=f32:0,0 > %t.sm_90a.log
# RUN: fusion-run %t.mlir --device=cpu --chip=x86-64-v3 --tolerance=f32:0,0 > %t.cpu.log
# RUN: fusion-opt %t.mlir --fuse-to-nvvm=chip=sm_89 -o %t.nvvm.mlir
# RUN: fusion-translate --fuse-to-ptx %t.nvvm.mlir -o %t.ptx
# RUN: %if ptxas %{ %ptxas -arch=sm_89 %t.ptx -o /dev/null %}
# RUN: FileCheck %s --input-file=%t.ptx
# CHECK-DAG: cvt.rn.f16x2.e4m3x2
# CHECK-DAG: cvt.rn.f16x2.e5m2x2
# CHECK-DAG: cvt.rn.satfinite.e4m3x2.f32
# CHECK-DAG: cvt.rn.satfinite.e5m2x2.f32

FORMATS = ["f8E4M3FN", "f8E5M2", "f8E4M3", "f8E3M4", "f8E4M3FNUZ", "f8E5M2FNUZ", "f8E4M3B11FNUZ", "f8E8M0FNU"]


def function(name, shape, result, body):
    """A function that computes its result's elements from their positions."""
    dims = ", ".join(f"d{i}" for i in range(len(shape)))
    kinds = ", ".join(['"parallel"'] * len(shape))
    tensor = f"tensor<{'x'.join(map(str, shape))}x{result}>"
    print(
        f"""func.func @{name}() -> {tensor} {{
  %empty = tensor.empty() : {tensor}
  %all = linalg.generic {{indexing_maps = [affine_map<({dims}) -> ({dims})>], iterator_types = [{kinds}]}}
      outs(%empty : {tensor}) {{
  ^bb0(%old: {result}):
    %row = linalg.index 0 : index
{body}
    linalg.yield %y : {result}
  }} -> {tensor}
  return %all : {tensor}
}}"""
    )


for format in FORMATS:
    for wide in ["f16", "bf16", "f32", "f64"]:
        # An f64 with the 29 lowest bits clear compares as the f32 that it is.
        function(
            f"extend_{format}_{wide}",
            [256],
            "f32",
            f"""    %code = arith.index_cast %row : index to i8
    %x = arith.bitcast %code : i8 to {format}
    %z = arith.extf %x : {format} to {wide}
"""
            + {
                "f16": "    %y = arith.extf %z : f16 to f32",
                "bf16": "    %y = arith.extf %z : bf16 to f32",
                "f32": "    %zero = arith.constant -0.0 : f32\n    %y = arith.addf %z, %zero : f32",
                "f64": "    %y = arith.truncf %z : f64 to f32",
            }[wide],
        )
    # Codes are compared as numbers: two that are not numbers need not be the same.
    function(
        f"truncate_{format}_f16",
        [65536],
        "f32",
        f"""    %bits = arith.index_cast %row : index to i16
    %x = arith.bitcast %bits : i16 to f16
    %z = arith.truncf %x : f16 to {format}
    %y = arith.extf %z : {format} to f32""",
    )
    for wide, bits in [("f32", "i32"), ("f64", "i64")]:
        function(
            f"truncate_{format}_{wide}",
            [65536, 3],
            "f32",
            f"""    %column = linalg.index 1 : index
    %half = arith.index_cast %row : index to i16
    %x = arith.bitcast %half : i16 to f16
    %w = arith.extf %x : f16 to {wide}
    %bits = arith.bitcast %w : {wide} to {bits}
    %away = arith.index_cast %column : index to {bits}
    %one = arith.constant 1 : {bits}
    %less = arith.subi %bits, %one : {bits}
    %moved = arith.addi %less, %away : {bits}
    %isNaN = arith.cmpf uno, %w, %w : {wide}
    %kept = arith.select %isNaN, %bits, %moved : {bits}
    %neighbour = arith.bitcast %kept : {bits} to {wide}
    %z = arith.truncf %neighbour : {wide} to {format}
    %y = arith.extf %z : {format} to f32""",
        )
    # Every operation rounds.
    function(
        f"arithmetic_{format}",
        [256, 256],
        "f32",
        f"""    %column = linalg.index 1 : index
    %i = arith.index_cast %row : index to i8
    %j = arith.index_cast %column : index to i8
    %a = arith.bitcast %i : i8 to {format}
    %b = arith.bitcast %j : i8 to {format}
    %c = arith.constant 2.0 : {format}
    %product = arith.mulf %a, %b : {format}
    %sum = arith.addf %product, %c : {format}
    %larger = arith.maximumf %sum, %a : {format}
    %isLess = arith.cmpf olt, %b, %larger : {format}
    %chosen = arith.select %isLess, %larger, %b : {format}
    %y = arith.extf %chosen : {format} to f32""",
    )
