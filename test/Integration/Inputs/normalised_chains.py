# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of what is normalised by rows first, as MLIR text."""

from score_chains import Function

FULL = "b, i, j"


def normalised(f, x, norm, gain, bias, eps):
    """Rows of x [b, m, k], in f32: returns the remaining factor of x and a value of rows.

    norm: rms, layer, softmax, maximum (divided by the largest absolute value).
    """
    b, m, k = x[1]
    rows, sizes = ["%r = arith.divf %a0, %n : f32"], (b, m, k)
    length = f"%n = arith.constant {float(k)} : f32"
    if x[2] != "f32":
        x = f.pointwise([x], [FULL], [f"%r = arith.extf %a0 : {x[2]} to f32"], sizes)
    if norm in ("rms", "layer"):
        if norm == "layer":
            mean = f.pointwise([f.rows(x, "addf", "0.0")], ["b, i"], [length, *rows], (b, m), loops="b, i")
            x = f.pointwise([x, mean], [FULL, "b, i"], ["%r = arith.subf %a0, %a1 : f32"], sizes)
        total = f.rows(f.pointwise([x], [FULL], ["%r = arith.mulf %a0, %a0 : f32"], sizes), "addf", "0.0")
        row = f.pointwise([total], ["b, i"],
                          [length, "%q = arith.divf %a0, %n : f32", f"%e = arith.constant {eps:e} : f32",
                           "%s = arith.addf %q, %e : f32", "%r = math.rsqrt %s : f32"], (b, m), loops="b, i")  # fmt: skip
        y = f.pointwise([x, row], [FULL, "b, i"], ["%r = arith.mulf %a0, %a1 : f32"], sizes)
    else:
        if norm == "softmax":
            top = f.rows(x, "maximumf", "0xFF800000")
            x = f.pointwise([x, top], [FULL, "b, i"], ["%d = arith.subf %a0, %a1 : f32", "%r = math.exp %d : f32"], sizes)
            row = f.rows(x, "addf", "0.0")
        else:
            row = f.rows(f.pointwise([x], [FULL], ["%r = math.absf %a0 : f32"], sizes), "maximumf", "0.0")
        y = f.pointwise([x, row], [FULL, "b, i"], ["%r = arith.divf %a0, %a1 : f32"], sizes)
    for vector, operation in ((gain, "mulf"), (bias, "addf")):
        if vector is not None:
            lines = [f"%r = arith.{operation} %a0, %a1 : f32"]
            if vector[2] != "f32":
                lines = [f"%x = arith.extf %a1 : {vector[2]} to f32", f"%r = arith.{operation} %a0, %x : f32"]
            y = f.pointwise([y, vector], [FULL, "j"], lines, sizes)
    return y, row


def chain(m, k, n, h=0, b=1, type="f16", norm="rms", gain=True, bias=False, eps=1e-5, statistics=False, gated=False):
    """norm(x [b, m, k]) · w [b, k, n], gated by another such product and times w2 [b, n, h] where asked for."""
    f = Function()
    x = f.argument((b, m, k), type)
    vectors = [f.argument((k,), type) if wanted else None for wanted in (gain, bias)]
    y, row = normalised(f, x, norm, *vectors, eps)

    def rounded(value):
        if type == "f32":
            return value
        return f.pointwise([value], [FULL], [f"%r = arith.truncf %a0 : f32 to {type}"], value[1], type)

    y = rounded(y)
    value = f.product(y, f.argument((b, k, n), type), "b, i, k", "b, k, j", (b, m, n))
    if gated:
        other = f.product(y, f.argument((b, k, n), type), "b, i, k", "b, k, j", (b, m, n))
        value = f.pointwise([value, other], [FULL, FULL],
                            ["%one = arith.constant 1.0 : f32", "%m = arith.negf %a0 : f32", "%e = math.exp %m : f32",
                             "%d = arith.addf %e, %one : f32", "%s = arith.divf %a0, %d : f32", "%r = arith.mulf %s, %a1 : f32"],
                            (b, m, n))  # fmt: skip
    if h:
        value = f.product(rounded(value), f.argument((b, n, h), type), "b, i, k", "b, k, j", (b, m, h))
    return f.text("chain", [value, row] if statistics else [value])
