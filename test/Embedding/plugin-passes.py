# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Upstream's mlir-opt with the plugin knows every pass, and its pipelines make of a workload what those of fusion-opt make.
# UNSUPPORTED: asan
# RUN: %python %s %source_root fusion-opt %mlir-opt %build_root/lib/libFusionPlugin.so %t

import os
import pathlib
import re
import subprocess
import sys

root, fusion_opt, mlir_opt, plugin, folder = sys.argv[1:]
os.makedirs(folder, exist_ok=True)
PLUGIN = [mlir_opt, f"--load-dialect-plugin={plugin}", f"--load-pass-plugin={plugin}"]


def run(command, text):
    done = subprocess.run(command, input=text, capture_output=True, text=True)
    assert done.returncode == 0, (command, done.stderr)
    return done


names = {}
for path in (pathlib.Path(root) / "include" / "fusion").rglob("*.td"):
    for name, anchor in re.findall(r'\bPass<"([\w-]+)"(?:,\s*"([\w:]+)")?>', path.read_text()):
        names[name] = anchor.rpartition("::")[2] or "ModuleOp"
assert len(names) > 30, names
wrap = {"ModuleOp": "{}", "FuncOp": "func.func({})", "GPUModuleOp": "gpu.module({})", "KernelOp": "tile.kernel({})"}
passes = ",".join(wrap[anchor].format(name) for name, anchor in names.items())
said = run([*PLUGIN, f"--pass-pipeline=builtin.module({passes})", "--dump-pass-pipeline"], "module {}").stderr
for name in names:
    assert re.search(rf"\b{name}\b", said), (name, said)

WORKLOAD = """
func.func @chain(%a: tensor<64x48xf16>, %b: tensor<48x80xf16>, %d: tensor<80x32xf16>) -> tensor<64x32xf16> {
  %z = arith.constant 0.0 : f16
  %e0 = tensor.empty() : tensor<64x80xf16>
  %f0 = linalg.fill ins(%z : f16) outs(%e0 : tensor<64x80xf16>) -> tensor<64x80xf16>
  %c = linalg.matmul ins(%a, %b : tensor<64x48xf16>, tensor<48x80xf16>) outs(%f0 : tensor<64x80xf16>) -> tensor<64x80xf16>
  %e1 = tensor.empty() : tensor<64x32xf16>
  %f1 = linalg.fill ins(%z : f16) outs(%e1 : tensor<64x32xf16>) -> tensor<64x32xf16>
  %r = linalg.matmul ins(%c, %d : tensor<64x80xf16>, tensor<80x32xf16>) outs(%f1 : tensor<64x32xf16>) -> tensor<64x32xf16>
  return %r : tensor<64x32xf16>
}
"""
made = {"": WORKLOAD}
for source, pipeline in (("", "fuse-to-unscheduled-groups{chip=sm_80}"), ("", "fuse-to-groups{chip=sm_80}"),
                         ("fuse-to-groups{chip=sm_80}", "tile-pipeline"), ("tile-pipeline", "tile-to-nvvm"),
                         ("", "fuse-to-nvvm{chip=sm_90a}"), ("", "reference-to-llvm")):
    how = f"--pass-pipeline=builtin.module({pipeline})"
    made[pipeline] = run([fusion_opt, how], made[source]).stdout
    assert run([*PLUGIN, how], made[source]).stdout == made[pipeline], pipeline
    assert made[pipeline] != made[source], pipeline
