# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Contractions whose values meet in element-wise operators, as MLIR text."""

import score_chains
from score_chains import FULL, Function

GATE = [
    "%n = arith.negf %a0 : f32", "%e = math.exp %n : f32", "%one = arith.constant 1.0 : f32", "%d = arith.addf %one, %e : f32",
    "%s = arith.divf %a0, %d : f32", "%r = arith.mulf %s, %a1 : f32",
]  # fmt: skip


def rounded(f, value, sizes, type):
    return f.pointwise([value], [FULL], [f"%r = arith.truncf %a0 : f32 to {type}"], sizes, type)


def gated(b, m, k, n, h, type="f16", down=True):
    """(silu(x w1) * (x w3)) w2, the gated linear unit; without the last contraction where `down` is false."""
    f = Function()
    x, w1, w3 = f.argument((b, m, k), type), f.argument((b, k, n), type), f.argument((b, k, n), type)
    sizes = (b, m, n)
    gate = f.product(x, w1, "b, i, k", "b, k, j", sizes)
    up = f.product(x, w3, "b, i, k", "b, k, j", sizes)
    both = f.pointwise([gate, up], [FULL, FULL], GATE, sizes)
    if not down:
        return f.text("gated", [both])
    w2 = f.argument((b, n, h), type)
    return f.text("gated", [f.product(rounded(f, both, sizes, type), w2, "b, i, k", "b, k, j", (b, m, h))])


def adapted(b, m, k, r, h, type="f16", low_rank_first=True):
    """x a b + x w: a low-rank correction of a contraction."""
    f = Function()
    x, a, low, w = (f.argument(sizes, type) for sizes in ((b, m, k), (b, k, r), (b, r, h), (b, k, h)))

    def correction():
        inner = rounded(f, f.product(x, a, "b, i, k", "b, k, j", (b, m, r)), (b, m, r), type)
        return f.product(inner, low, "b, i, k", "b, k, j", (b, m, h))

    if low_rank_first:
        terms = [correction()]
        terms.append(f.product(x, w, "b, i, k", "b, k, j", (b, m, h)))
    else:
        terms = [f.product(x, w, "b, i, k", "b, k, j", (b, m, h))]
        terms.append(correction())
    return f.text("adapted", [f.pointwise(terms, [FULL, FULL], ["%r = arith.addf %a0, %a1 : f32"], (b, m, h))])


def two_scores(b, m, n, k, h, type="f16"):
    """softmax(q kᵀ + p rᵀ) v: scores of contents and of positions."""
    f = Function()
    q, key, p, r, v = (f.argument(sizes, type) for sizes in ((b, m, k), (b, n, k), (b, m, k), (b, n, k), (b, n, h)))
    sizes = (b, m, n)
    contents = f.product(q, key, "b, i, k", "b, j, k", sizes)
    positions = f.product(p, r, "b, i, k", "b, j, k", sizes)
    s = f.pointwise([contents, positions], [FULL, FULL], ["%r = arith.addf %a0, %a1 : f32"], sizes)
    top = f.rows(s, "maximumf", "0xFF800000")
    e = f.pointwise([s, top], [FULL, "b, i"], ["%d = arith.subf %a0, %a1 : f32", "%r = math.exp %d : f32"], sizes)
    total = f.rows(e, "addf", "0.0")
    w = f.pointwise([e, total], [FULL, "b, i"], ["%r = arith.divf %a0, %a1 : f32"], sizes)
    return f.text("two_scores", [f.product(rounded(f, w, sizes, type), v, "b, i, k", "b, k, j", (b, m, h))])


def unscaled(b, m, n, k, h, type="f16", mask=None):
    """Exponentials of scores times v, divided by their sum after the contraction."""
    return score_chains.chain(b, m, n, k, h, type, scores="unscaled", mask=mask)
