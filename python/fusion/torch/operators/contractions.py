# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Contractions: matmuls of matrices and vectors. Sums are f32 for half types, and rounded once."""

from __future__ import annotations

from typing import Any

from ..emit import FLOATS, Body, Scalar, Tensor, Unsupported
from ..lowering import Call, lowers
from .reductions import accumulator

# Letters are loops, as in Einstein's notation.


def contract(call: Call, a: Tensor, b: Tensor, letters: tuple[str, str, str]) -> Tensor:
    """The sum of products over the letters that the result lacks, in the
    accumulator's type."""
    of_a, of_b, of_result = letters
    if a.type != b.type or a.type == "i1":
        raise Unsupported(f"products of {a.type} and {b.type}")
    sizes = dict(zip(of_a + of_b, a.shape + b.shape))
    reduced = [letter for letter in dict.fromkeys(of_a + of_b) if letter not in of_result]
    loops = {letter: f"d{i}" for i, letter in enumerate([*of_result, *reduced])}
    type = accumulator(a.type)

    def multiply_add(body: Body, x: Scalar, y: Scalar, sum: Scalar) -> Scalar:
        x, y = body.convert(x, type), body.convert(y, type)
        suffix = "f" if type in FLOATS else "i"
        return body.binary(f"arith.add{suffix}", sum, body.binary(f"arith.mul{suffix}", x, y))

    init = call.f.fill(0, [sizes[letter] for letter in of_result], type)
    return call.f.generic(
        [a, b], [[loops[x] for x in of_a], [loops[x] for x in of_b]],
        [loops[x] for x in of_result],
        ["parallel"] * len(of_result) + ["reduction"] * len(reduced), init, multiply_add)


def _result(call: Call, product: Tensor) -> Tensor:
    return call.f.convert(call.f.reshape(product, call.shape), call.type)


@lowers("aten.mm.default")
def mm(call: Call, a: Tensor, b: Tensor) -> Tensor:
    return _result(call, contract(call, a, b, ("mk", "kn", "mn")))


def _batched(call: Call, a: Tensor, b: Tensor) -> Tensor:
    """A batched product with the batch as it was before somebody flattened it, so that
    what was permuted for it is read in place."""
    f = call.f
    for tensor in (a, b):
        source = f.source_of_reshape(tensor)
        lead = source.shape[:-2]
        if len(source.shape) > 3 and source.shape[-2:] == tensor.shape[-2:]:
            a = f.reshape(a, [*lead, *a.shape[-2:]])
            b = f.reshape(b, [*lead, *b.shape[-2:]])
            batch = "abcdefgh"[: len(lead)]
            return contract(call, a, b, (batch + "mk", batch + "kn", batch + "mn"))
    return contract(call, a, b, ("bmk", "bkn", "bmn"))


@lowers("aten.bmm.default")
def bmm(call: Call, a: Tensor, b: Tensor) -> Tensor:
    # The flat form is a view of what was computed.
    product = _batched(call, a, b)
    return call.f.reshape(call.f.convert(product, call.type), call.shape)


@lowers("aten.dot.default", "aten.vdot.default")
def dot(call: Call, a: Tensor, b: Tensor) -> Tensor:
    return _result(call, contract(call, a, b, ("k", "k", "")))


@lowers("aten.mv.default")
def mv(call: Call, a: Tensor, b: Tensor) -> Tensor:
    return _result(call, contract(call, a, b, ("mk", "k", "m")))


def _add_product(call: Call, into: Tensor, product: Tensor, beta: Any, alpha: Any) -> Tensor:
    """beta · into + alpha · product, rounded once; `into` is not read for beta = 0."""
    type = product.type

    def scale(b: Body, x: Scalar, factor: Any) -> Scalar:
        if factor == 1:
            return x
        if type not in FLOATS and int(factor) != factor:
            raise Unsupported("integers scaled by a fraction")
        return b.binary("arith.mulf" if type in FLOATS else "arith.muli", x,
                        b.constant(factor, type))

    def compute(b: Body, product: Scalar, *into: Scalar) -> Scalar:
        result = scale(b, product, alpha)
        if into:
            added = scale(b, b.convert(into[0], type), beta)
            result = b.binary("arith.addf" if type in FLOATS else "arith.addi", result, added)
        return b.convert(result, call.type)

    return call.f.elementwise([product] + ([into] if beta != 0 else []), product.shape, call.type,
                              compute)


@lowers("aten.addmm.default")
def addmm(call: Call, into: Tensor, a: Tensor, b: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    return _add_product(call, into, contract(call, a, b, ("mk", "kn", "mn")), beta, alpha)


@lowers("aten.baddbmm.default")
def baddbmm(call: Call, into: Tensor, a: Tensor, b: Tensor, *, beta: Any = 1,
            alpha: Any = 1) -> Tensor:
    product = call.f.reshape(_batched(call, a, b), call.shape)
    return _add_product(call, into, product, beta, alpha)


@lowers("aten.addmv.default")
def addmv(call: Call, into: Tensor, a: Tensor, b: Tensor, *, beta: Any = 1, alpha: Any = 1) -> Tensor:
    return _add_product(call, into, contract(call, a, b, ("mk", "k", "m")), beta, alpha)
