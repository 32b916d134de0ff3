# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Two contractions with reductions, masks and element-wise operators between them, as MLIR text."""

import math


def tensor(sizes, type):
    return "tensor<" + "".join(f"{size}x" for size in sizes) + type + ">"


class Function:
    """A function that is written operator by operator; values are (name, sizes, type)."""

    def __init__(self):
        self.arguments, self.code, self.count = [], [], 0

    def fresh(self):
        self.count += 1
        return f"%v{self.count}"

    def argument(self, sizes, type):
        value = (f"%arg{len(self.arguments)}", sizes, type)
        self.arguments.append(f"{value[0]}: {tensor(sizes, type)}")
        return value

    def destination(self, sizes, type, fill=None):
        empty = self.fresh()
        self.code.append(f"{empty} = tensor.empty() : {tensor(sizes, type)}")
        if fill is None:
            return empty
        constant, filled = self.fresh(), self.fresh()
        self.code.append(f"{constant} = arith.constant {fill} : {type}")
        self.code.append(f"{filled} = linalg.fill ins({constant} : {type}) outs({empty} : {tensor(sizes, type)}) -> {tensor(sizes, type)}")
        return filled

    def generic(self, inputs, maps, loops, kinds, sizes, type, out_map, body, fill=None):
        """`body` maps the names of the inputs' scalars and of the old result to lines and the yielded name."""
        out = self.destination(sizes, type, fill)
        names = [f"%a{i}" for i in range(len(inputs))]
        lines, result = body(names, "%old")
        value = self.fresh()
        affine = ", ".join(f"affine_map<({loops}) -> ({m})>" for m in [*maps, out_map])
        iterators = ", ".join(f'"{kind}"' for kind in kinds)
        block = ", ".join([f"{n}: {i[2]}" for n, i in zip(names, inputs)] + [f"%old: {type}"])
        ins = ""
        if inputs:
            ins = f"ins({', '.join(i[0] for i in inputs)} : {', '.join(tensor(i[1], i[2]) for i in inputs)}) "
        self.code.append(
            f"{value} = linalg.generic {{indexing_maps = [{affine}], iterator_types = [{iterators}]}} {ins}"
            f"outs({out} : {tensor(sizes, type)}) {{\n^bb0({block}):\n" + "\n".join(lines) +
            f"\nlinalg.yield {result} : {type}\n}} -> {tensor(sizes, type)}")  # fmt: skip
        return (value, sizes, type)

    def product(self, lhs, rhs, lhs_map, rhs_map, sizes):
        """Over b, i, j and the reduced k, in f32."""
        def body(names, old):
            lines = [f"%x{i} = arith.extf {n} : {v[2]} to f32" for i, (n, v) in enumerate(zip(names, (lhs, rhs)))
                     if v[2] != "f32"]  # fmt: skip
            factors = [n if v[2] == "f32" else f"%x{i}" for i, (n, v) in enumerate(zip(names, (lhs, rhs)))]
            return lines + [f"%p = arith.mulf {factors[0]}, {factors[1]} : f32", f"%r = arith.addf {old}, %p : f32"], "%r"
        return self.generic([lhs, rhs], [lhs_map, rhs_map], "b, i, j, k", ["parallel"] * 3 + ["reduction"], sizes, "f32",
                            "b, i, j", body, fill="0.0")  # fmt: skip

    def pointwise(self, inputs, maps, lines, sizes, type="f32", loops="b, i, j"):
        """Lines name the inputs' scalars %a0, %a1, … and make %r."""
        return self.generic(inputs, maps, loops, ["parallel"] * (loops.count(",") + 1), sizes, type, loops,
                            lambda names, old: (lines, "%r"))  # fmt: skip

    def rows(self, value, combiner, start):
        """Combines along the last dimension of [b, i, j]."""
        return self.generic([value], ["b, i, j"], "b, i, j", ["parallel", "parallel", "reduction"], value[1][:2], "f32", "b, i",
                            lambda names, old: ([f"%r = arith.{combiner} {names[0]}, {old} : f32"], "%r"), fill=start)  # fmt: skip

    def text(self, name, results):
        types = ", ".join(tensor(r[1], r[2]) for r in results)
        return (f"func.func @{name}({', '.join(self.arguments)}) -> ({types}) {{\n" + "\n".join(self.code) +
                f"\nreturn {', '.join(r[0] for r in results)} : {types}\n}}\n")  # fmt: skip


FULL = "b, i, j"


BLOCKS = ["%a = arith.divui %i, %w : index", "%b = arith.divui %j, %w : index"]
DISTANCE = "%d = arith.subi %i, %j : index"
# What makes %c of the indices %i and %j and a number %w.
OTHER_MASKS = {
    "near": [DISTANCE, "%a = math.absi %d : index", "%c = arith.cmpi sle, %a, %w : index"],
    "behind": [DISTANCE, "%c = arith.cmpi ult, %d, %w : index"],
    "block": [*BLOCKS, "%c = arith.cmpi eq, %a, %b : index"],
    "blocks": [*BLOCKS, "%c = arith.cmpi uge, %a, %b : index"],
}


def chain(b, m, n, k, h, type="f16", scores="softmax", mask=None, bias=False, lse=False, out="f32", transposed=False, period=None):
    """Scores [b, m, n] of q [b, m, k] and k [b, n, k] (or [b, k, n]), something row-wise on them, times v [b, n, h].

    scores: softmax, unscaled (exponentials divided after the contraction), rms, maximum (divided by the largest
    absolute
    score of the row, or of all with `whole`), exp2 (softmax to the base 2), gelu (element-wise only).
    mask: causal, (left, right) window, additive; ("near", d): |i - j| <= d; ("behind", d): 0 <= i - j < d by one unsigned comparison;
    ("block", d): i / d = j / d; ("blocks", d): i / d >= j / d. The first two start anew every `period` rows, if it is given.
    """
    f = Function()
    q = f.argument((b, m, k), type)
    key = f.argument((b, k, n) if transposed else (b, n, k), type)
    v = f.argument((b, n, h), type)
    s = f.product(q, key, "b, i, k", "b, k, j" if transposed else "b, j, k", (b, m, n))
    sizes = (b, m, n)
    lines = [f"%c = arith.constant {1 / math.sqrt(k):e} : f32", "%r = arith.mulf %a0, %c : f32"]
    s = f.pointwise([s], [FULL], lines, sizes)
    if bias:
        column = f.argument((n,), "f32")
        row = f.argument((b, m), "f32")
        s = f.pointwise([s, column, row], [FULL, "j", "b, i"],
                        ["%x = arith.addf %a0, %a1 : f32", "%r = arith.addf %x, %a2 : f32"], sizes)  # fmt: skip
    if mask == "additive":
        s = f.pointwise([s, f.argument((m, n), "f16")], [FULL, "i, j"],
                        ["%x = arith.extf %a1 : f16 to f32", "%r = arith.addf %a0, %x : f32"], sizes)  # fmt: skip
    elif mask is not None and mask[0] in OTHER_MASKS:
        kind, number = mask
        s = f.pointwise([s], [FULL],
                        ["%i = linalg.index 1 : index", "%j = linalg.index 2 : index", f"%w = arith.constant {number} : index",
                         *OTHER_MASKS[kind], "%low = arith.constant 0xFF800000 : f32", "%r = arith.select %c, %a0, %low : f32"], sizes)  # fmt: skip
    elif mask is not None:
        left, right = (n, 0) if mask == "causal" else mask
        # Keys from i + (n - m) - left to i + (n - m) + right.
        period = period or m
        row = [f"%period = arith.constant {period} : index", "%i = arith.remui %row, %period : index"]
        s = f.pointwise([s], [FULL],
                        ["%row = linalg.index 1 : index", *row, "%j = linalg.index 2 : index",
                         f"%shift = arith.constant {n - period} : index",
                         f"%left = arith.constant {left} : index", f"%right = arith.constant {right} : index",
                         "%at = arith.addi %i, %shift : index", "%first = arith.subi %at, %left : index",
                         "%last = arith.addi %at, %right : index", "%c0 = arith.cmpi sge, %j, %first : index",
                         "%c1 = arith.cmpi sle, %j, %last : index", "%inside = arith.andi %c0, %c1 : i1",
                         "%low = arith.constant 0xFF800000 : f32", "%r = arith.select %inside, %a0, %low : f32"], sizes)  # fmt: skip
    results, scale = [], None
    if scores == "gelu":
        p = f.pointwise([s], [FULL],
                        ["%c = arith.constant 0.70710678 : f32", "%x = arith.mulf %a0, %c : f32", "%e = math.erf %x : f32",
                         "%one = arith.constant 1.0 : f32", "%half = arith.constant 0.5 : f32", "%t = arith.addf %e, %one : f32",
                         "%g = arith.mulf %a0, %half : f32", "%r = arith.mulf %g, %t : f32"], sizes)  # fmt: skip
    elif scores == "rms":
        square = f.pointwise([s], [FULL], ["%r = arith.mulf %a0, %a0 : f32"], sizes)
        total = f.rows(square, "addf", "0.0")
        rms = f.pointwise([total], ["b, i"],
                          [f"%n = arith.constant {1 / n:e} : f32", "%eps = arith.constant 1.0e-5 : f32",
                           "%x = arith.mulf %a0, %n : f32", "%y = arith.addf %x, %eps : f32", "%r = math.rsqrt %y : f32"],
                          (b, m), loops="b, i")  # fmt: skip
        p = f.pointwise([s, rms], [FULL, "b, i"], ["%r = arith.mulf %a0, %a1 : f32"], sizes)
    elif scores == "whole":
        size = f.pointwise([s], [FULL], ["%r = math.absf %a0 : f32"], sizes)
        top = f.generic([size], [FULL], FULL, ["parallel", "reduction", "reduction"], (b,), "f32", "b",
                        lambda names, old: ([f"%r = arith.maximumf {names[0]}, {old} : f32"], "%r"), fill="0.0")  # fmt: skip
        p = f.pointwise([s, top], [FULL, "b"], ["%r = arith.divf %a0, %a1 : f32"], sizes)
    elif scores == "maximum":
        size = f.pointwise([s], [FULL], ["%r = math.absf %a0 : f32"], sizes)
        top = f.rows(size, "maximumf", "0.0")
        p = f.pointwise([s, top], [FULL, "b, i"], ["%r = arith.divf %a0, %a1 : f32"], sizes)
    else:
        function = "exp2" if scores == "exp2" else "exp"
        top = f.rows(s, "maximumf", "0xFF800000")
        e = f.pointwise([s, top], [FULL, "b, i"], ["%d = arith.subf %a0, %a1 : f32", f"%r = math.{function} %d : f32"], sizes)
        total = f.rows(e, "addf", "0.0")
        if lse:
            results.append(f.pointwise([top, total], ["b, i", "b, i"],
                                       ["%l = math.log %a1 : f32", "%r = arith.addf %a0, %l : f32"], (b, m), loops="b, i"))  # fmt: skip
        p = e
        if scores == "unscaled":
            scale = total
        else:
            p = f.pointwise([e, total], [FULL, "b, i"], ["%r = arith.divf %a0, %a1 : f32"], sizes)
    p = f.pointwise([p], [FULL], [f"%r = arith.truncf %a0 : f32 to {type}"], sizes, type)
    o = f.product(p, v, "b, i, k", "b, k, j", (b, m, h))
    if scale:
        o = f.pointwise([o, scale], [FULL, "b, i"], ["%r = arith.divf %a0, %a1 : f32"], (b, m, h))
    if out != "f32":
        o = f.pointwise([o], [FULL], [f"%r = arith.truncf %a0 : f32 to {out}"], (b, m, h), out)
    return f.text("chain", [o, *results])
