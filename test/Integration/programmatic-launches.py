# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Launches that begin under the ones before them (sm_90a): two contractions that are kernels of their own, with TMA
# copies; a contraction whose partial results are added by a second launch; a sum of everything that every block reads.
# Right under eight orders of the warps, no finding; what earlier launches wrote is read behind the wait alone, and
# never through the read-only cache; the bits are those of launches one after the other. A kernel that does not wait, or
# too late, is found. ptxas takes all of them.
# RUN: %python %s %t %S/Inputs

import json
import os
import re
import subprocess
import sys

folder, inputs = sys.argv[1:]
sys.path.insert(0, inputs)
from hand_schedule import PRODUCT, assemble, emulate, generate, lower, read, run, schedule  # noqa: E402

os.makedirs(folder, exist_ok=True)
LAYER = """
#parallel = affine_map<(m, n) -> (m, n)>
func.func @layer(%x: tensor<128x256xf16>, %w: tensor<256x512xf16>, %v: tensor<512x128xf16>) -> (tensor<128x512xf16>, tensor<128x128xf16>) {
  %zero = arith.constant 0.0 : f16
  %e = tensor.empty() : tensor<128x512xf16>
  %f = linalg.fill ins(%zero : f16) outs(%e : tensor<128x512xf16>) -> tensor<128x512xf16>
  %h = linalg.matmul ins(%x, %w : tensor<128x256xf16>, tensor<256x512xf16>) outs(%f : tensor<128x512xf16>) -> tensor<128x512xf16>
  %r = linalg.generic {indexing_maps = [#parallel, #parallel], iterator_types = ["parallel", "parallel"]}
      ins(%h : tensor<128x512xf16>) outs(%e : tensor<128x512xf16>) {
    ^bb0(%a: f16, %b: f16):
      %m = arith.maximumf %a, %zero : f16
      linalg.yield %m : f16
  } -> tensor<128x512xf16>
  %o = tensor.empty() : tensor<128x128xf16>
  %g = linalg.fill ins(%zero : f16) outs(%o : tensor<128x128xf16>) -> tensor<128x128xf16>
  %y = linalg.matmul ins(%r, %v : tensor<128x512xf16>, tensor<512x128xf16>) outs(%g : tensor<128x128xf16>) -> tensor<128x128xf16>
  return %r, %y : tensor<128x512xf16>, tensor<128x128xf16>
}
"""
# All of a sum is wanted by every block.
CENTRED = """
#all = affine_map<(m, n) -> (m, n)>
#one = affine_map<(m, n) -> ()>
func.func @centred(%x: tensor<1024x1000xf32>) -> tensor<1024x1000xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<f32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %s = linalg.generic {indexing_maps = [#all, #one], iterator_types = ["reduction", "reduction"]}
      ins(%x : tensor<1024x1000xf32>) outs(%f : tensor<f32>) {
    ^bb0(%a: f32, %b: f32):
      %t = arith.addf %b, %a : f32
      linalg.yield %t : f32
  } -> tensor<f32>
  %o = tensor.empty() : tensor<1024x1000xf32>
  %y = linalg.generic {indexing_maps = [#all, #one, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %s : tensor<1024x1000xf32>, tensor<f32>) outs(%o : tensor<1024x1000xf32>) {
    ^bb0(%a: f32, %b: f32, %c: f32):
      %t = arith.subf %a, %b : f32
      linalg.yield %t : f32
  } -> tensor<1024x1000xf32>
  return %y : tensor<1024x1000xf32>
}
"""


def compile(path, text):
    with open(path + ".mlir", "w") as file:
        file.write(text)
    run("fusion-opt", path + ".mlir", "--fuse-to-nvvm=chip=sm_90a", "-o", path + ".nvvm.mlir")
    run("fusion-translate", "--fuse-to-ptx", path + ".nvvm.mlir", "-o", path + ".ptx")
    run("fusion-translate", "--fuse-to-manifest", path + ".nvvm.mlir", "-o", path + ".json")


def kinds_without(path, manifest, edit):
    """The kinds found where the text of the kernels is edited."""
    changed = edit(read(path + ".ptx"))
    assert changed != read(path + ".ptx"), path
    with open(path + ".edited.ptx", "w") as file:
        file.write(changed)
    done = subprocess.run(["fusion-run", path + ".mlir", "--manifest=" + manifest, "--ptx=" + path + ".edited.ptx", "--device=emulator",
                           "--sanitize", "--json=" + path + ".edited.json"], capture_output=True, text=True)  # fmt: skip
    with open(path + ".edited.json") as file:
        (report,) = json.load(file)
    assert done.returncode == (3 if report["sanitizer"] else 0), done
    return {finding["kind"] for finding in report["sanitizer"]}


def last_wait(text):
    """The wait in front of the ends instead of where it was."""
    return text.replace("griddepcontrol.wait;", "").replace("ret;", "griddepcontrol.wait; ret;")


for name in ("layer", "centred", "parts"):
    path = os.path.join(folder, name)
    if name == "parts":
        groups = generate(path, "--chain=64,224,96", "--2d", chip="sm_90a")
        text = schedule(**PRODUCT, stages=dict(A=2, B=2), split=dict(k=4))
        lower(path, groups, text.replace("async16", "tma"))
    else:
        compile(path, LAYER if name == "layer" else CENTRED)
    with open(path + ".json") as file:
        manifest = json.load(file)
    (function,) = manifest["functions"]
    launches = function["launches"]
    assert len(launches) > 1, name
    assert [launch.get("programmatic", False) for launch in launches] == [i > 0 for i in range(len(launches))], name
    ptx = read(path + ".ptx")
    bodies = {re.search(r"(\w+)\(", entry).group(1): entry for entry in ptx.split(".visible .entry ")[1:]}
    for i, launch in enumerate(launches):
        body = bodies[launch["kernel"]]
        assert body.count("griddepcontrol.wait") == (i > 0), f"{name}: {launch}"
        assert body.count("griddepcontrol.launch_dependents") == (i + 1 < len(launches)), f"{name}: {launch}"
        if i > 0 and not any(argument["of"].startswith("arg") for argument in launch["arguments"]):
            assert "ld.global.nc" not in body, name
    _, bits = emulate(path, name, "--schedules=8")
    # One after the other.
    for launch in launches:
        launch.pop("programmatic", None)
    with open(path + ".ordered.json", "w") as file:
        json.dump(manifest, file)
    run("fusion-run", path + ".mlir", f"--manifest={path}.ordered.json", f"--ptx={path}.ptx", "--device=emulator", "--sanitize",
        f"--output-dir={path}.ordered")  # fmt: skip
    ordered = b""
    for result in sorted(result for result in os.listdir(path + ".ordered") if ".result" in result):
        with open(os.path.join(path + ".ordered", result), "rb") as file:
            ordered += file.read()
    assert ordered == bits, name
    without = lambda text: text.replace("griddepcontrol.wait;", "")  # noqa: E731
    for edit in (without, last_wait):
        assert kinds_without(path, path + ".json", edit) == {"missing-grid-wait"}, name
        assert kinds_without(path, path + ".ordered.json", edit) == set(), name
    assemble(path, "sm_90a", name)
