# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Query heads that share keys and values, in all the ways to write it: a dimension of their own, an index that is divided,
# keys repeated by an operator and heads put together, by a copy. One kernel each, which loads the keys once for all rows of a
# block; numbers, sanitizers, and the predicted bytes.
# RUN: %python %s %t %S/Inputs %sample

import json
import os
import sys

folder, inputs = sys.argv[1], sys.argv[2]
sys.path.insert(0, inputs)
from hand_schedule import run  # noqa: E402
from sample import some  # noqa: E402

BATCH, HEADS, GROUP, DIM = 2, 2, 4, 32
INDEX4, INDEX5 = "b, h, m, n", "b, h, m, n, d"


def tensor(*sizes, type="f16"):
    return "tensor<" + "".join(f"{size}x" for size in sizes) + type + ">"


def generic(maps, iterators, inputs, types, output, type, body):
    loops = {4: "b, h, m, n", 5: "b, h, m, n, d"}[len(iterators)]
    maps = ", ".join(f"affine_map<({loops}) -> ({map})>" for map in maps)
    kinds = ", ".join('"parallel"' if kind == "p" else '"reduction"' for kind in iterators)
    return (f"linalg.generic {{indexing_maps = [{maps}], iterator_types = [{kinds}]}}\n"
            f"  ins({', '.join(inputs)} : {', '.join(types)}) outs({output} : {type}) {{\n{body}\n}} -> {type}")  # fmt: skip


PRODUCT = """^bb0(%a: f16, %b: f16, %c: f32):
  %x = arith.extf %a : f16 to f32
  %y = arith.extf %b : f16 to f32
  %z = arith.mulf %x, %y : f32
  %w = arith.addf %c, %z : f32
  linalg.yield %w : f32"""


def module(form, rows, keys, causal):
    heads = HEADS * GROUP
    q, shared = tensor(BATCH, heads, rows, DIM), tensor(BATCH, HEADS, keys, DIM)
    scores = tensor(BATCH, heads, rows, keys, type="f32")
    weights, out = scores.replace("f32", "f16"), tensor(BATCH, heads, rows, DIM, type="f32")
    repeated, apart = tensor(BATCH, heads, keys, DIM), tensor(BATCH, HEADS, GROUP, keys, DIM)
    lines = [f"func.func @{form}(%q: {q}, %k: {shared}, %v: {shared}) -> {out} {{", "%zero = arith.constant 0.0 : f32",
             "%scale = arith.constant 0.17 : f32", "%low = arith.constant 0xFF800000 : f32"]  # fmt: skip

    def share(name):
        if form == "quotient":
            return f"%{name}", shared
        if form == "broadcast":
            lines.extend([
                f"%{name}0 = tensor.empty() : {apart}",
                f"%{name}1 = linalg.broadcast ins(%{name} : {shared}) outs(%{name}0 : {apart}) dimensions = [2]",
                f"%{name}2 = tensor.collapse_shape %{name}1 [[0], [1, 2], [3], [4]] : {apart} into {repeated}"])  # fmt: skip
        else:
            lines.append(f"%{name}0 = tensor.empty() : {repeated}")
            copy = generic([f"b, h floordiv {GROUP}, m, n", INDEX4], "pppp", [f"%{name}"], [shared], f"%{name}0", repeated,
                           "^bb0(%a: f16, %b: f16):\n  linalg.yield %a : f16")  # fmt: skip
            lines.append(f"%{name}2 = {copy}")
        return f"%{name}2", repeated

    head = f"h floordiv {GROUP}" if form == "quotient" else "h"
    k, key_type = share("k")
    v, value_type = share("v")
    mask = f"""  %m = linalg.index 2 : index
  %n = linalg.index 3 : index
  %more = arith.constant {keys - rows} : index
  %last = arith.addi %m, %more : index
  %sees = arith.cmpi sle, %n, %last : index
  %r = arith.select %sees, %x, %low : f32"""
    lines += [
        f"%s0 = tensor.empty() : {scores}",
        f"%s1 = linalg.fill ins(%zero : f32) outs(%s0 : {scores}) -> {scores}",
        "%s = " + generic(["b, h, m, d", f"b, {head}, n, d", INDEX4], "ppppr", ["%q", k], [q, key_type], "%s1", scores, PRODUCT),
        "%t = " + generic([INDEX4, INDEX4], "pppp", ["%s"], [scores], "%s0", scores,
                          "^bb0(%a: f32, %b: f32):\n  %x = arith.mulf %a, %scale : f32\n" +
                          (mask if causal else "  %r = math.tanh %x : f32") + "\n  linalg.yield %r : f32"),
        f"%p = linalg.softmax dimension(3) ins(%t : {scores}) outs(%s0 : {scores}) -> {scores}",
        f"%h0 = tensor.empty() : {weights}",
        "%h = " + generic([INDEX4, INDEX4], "pppp", ["%p"], [scores], "%h0", weights,
                          "^bb0(%a: f32, %b: f16):\n  %x = arith.truncf %a : f32 to f16\n  linalg.yield %x : f16"),
        f"%o0 = tensor.empty() : {out}",
        f"%o1 = linalg.fill ins(%zero : f32) outs(%o0 : {out}) -> {out}",
        "%o = " + generic(["b, h, m, d", f"b, {head}, d, n", INDEX4], "ppppr", ["%h", v], [weights, value_type], "%o1", out, PRODUCT),
        f"return %o : {out}", "}"]  # fmt: skip
    return "\n".join(lines) + "\n"


def check(path, kernels, *arguments):
    run("fusion-run", path + ".mlir", "--device=emulator", "--sanitize", "--force-fusion", "--json=" + path + ".json", *arguments)
    with open(path + ".json") as file:
        (report,) = json.load(file)
    assert report["pass"] and not report["sanitizer"], path
    assert len(report["kernels"]) in kernels, (path, len(report["kernels"]))
    for kernel in report["kernels"]:
        for key in ("global_load_bytes", "global_store_bytes"):
            assert kernel["counters"][key] == kernel["predicted"][key], (path, kernel["name"], key)
    return report["kernels"]


def main():
    os.makedirs(folder, exist_ok=True)
    for form in ("quotient", "broadcast", "copy"):
        for rows, keys, causal in some(((3, 150, False), (3, 150, True), (40, 64, True)), 1):
            path = os.path.join(folder, f"{form}-{rows}{'-causal' if causal else ''}")
            with open(path + ".mlir", "w") as file:
                file.write(module(form, rows, keys, causal))
            kernels = check(path, (1, 2), "--chip=sm_80")
            if not causal:
                # All rows of the heads that share keys are in one tile of 16.
                assert "m = 16" in kernels[0]["schedule"] and "m1 =" not in kernels[0]["schedule"], kernels[0]["schedule"]
    generator = os.path.join(os.path.dirname(inputs), "..", "..", "benchmarks", "workloads", "generate.py")
    for case, chip in some((("D_mha_d64_r1_n4096", "sm_80"), ("D_gqa4_d128_r4_n4096", "sm_90a"), ("D_gqa8_d64_r16_n4096", "sm_86"),
                       ("D_gqa8_d128_r1_n65536", "sm_90a"), ("D_gqa8_d128_r4_n65536_causal", "sm_80")), 2):  # fmt: skip
        path = os.path.join(folder, case)
        run(sys.executable, generator, "--family=decode", "--case=" + case, "--heads=1", "--keys=1500", "-o", path + ".mlir")
        # Blocks share the keys, of which a cluster combines what they have, or a second launch.
        in_clusters = chip == "sm_90a"
        kernels = check(path, (1,) if in_clusters else (2,), "--chip=" + chip)
        assert "parallel = <{n = " in kernels[0]["schedule"], kernels[0]["schedule"]
        assert ("in_cluster = true" in kernels[0]["schedule"]) == in_clusters, kernels[0]["schedule"]


main()
