# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whole graphs of memory-intensive operators as models have them, every operator a statement of its own: a layer of BERT, of a
Transformer's decoder, an attention unit as DIEN's, an LSTM cell, each forward and backward. Backward ones are the element-wise operators
and reductions; products' values come in as arguments.

    graph_programs.py FOLDER    writes each as FOLDER/NAME.mlir at its full sizes
"""

import os
import sys

from chain_programs import Program, Statement, text

X, Y, Z = ["x", 0], ["x", 1], ["x", 2]
ONE = ["c", 1.0]


class Graph:
    """Statements by name of the operation; values are statements, their axes strings such as "bmd"."""

    def __init__(self, **sizes):
        self.program = Program(dict(sizes), [], [])

    def add(self, kind, axes, **rest):
        letter = "a" if kind == "argument" else "v"
        s = Statement(f"{letter}{len(self.program.statements)}", kind, list(axes), "f32", **rest)
        self.program.statements.append(s)
        return s

    def argument(self, axes):
        return self.add("argument", axes)

    def map(self, body, *inputs, axes=None):
        if axes is None:
            axes = list(max((v.axes for v in inputs), key=len))
            axes += sorted({axis for v in inputs for axis in v.axes} - set(axes))
        return self.add("map", axes, inputs=[[v.out, list(v.axes)] for v in inputs], body=body)

    def sum(self, v, axes, combiner="add", start=0.0):
        return self.add("reduce", axes, inputs=[[v.out, list(v.axes)]], body=X, combiner=combiner, start=start)

    def max(self, v, axes):
        return self.sum(v, axes, "max", -float("inf"))

    def transpose(self, v, axes):
        return self.add("transpose", axes, inputs=[[v.out, list(v.axes)]])

    def product(self, a, b, axes):
        return self.add("product", axes, inputs=[[v.out, list(v.axes)] for v in (a, b)], form="contract")

    def results(self, *values):
        self.program.results = [v.out for v in values]
        return self.program

    # One operator each.

    def plus(self, a, b):
        return self.map(["add", X, Y], a, b)

    def minus(self, a, b):
        return self.map(["sub", X, Y], a, b)

    def times(self, a, b):
        return self.map(["mul", X, Y], a, b)

    def over(self, a, b):
        return self.map(["div", X, Y], a, b)

    def scaled(self, a, factor):
        return self.map(["mul", X, ["c", factor]], a)

    def apply(self, name, a):
        return self.map([name, X], a)

    # Several operators.

    def sigmoid(self, a):
        return self.map(["div", ONE, X], self.map(["add", ONE, X], self.apply("exp", self.apply("neg", a))))

    def mean(self, a, axes):
        left = [axis for axis in a.axes if axis not in axes]
        count = 1
        for axis in left:
            count *= self.program.sizes[axis]
        return self.scaled(self.sum(a, axes), 1 / count)

    def layer_norm(self, x, rows, gain, bias):
        """The normalised values, and what a backward graph needs of them."""
        centred = self.minus(x, self.mean(x, rows))
        variance = self.mean(self.times(centred, centred), rows)
        scale = self.apply("rsqrt", self.map(["add", X, ["c", 1e-5]], variance))
        normal = self.times(centred, scale)
        return self.plus(self.times(normal, gain), bias), normal, scale

    def layer_norm_backward(self, d, normal, scale, gain, rows, columns):
        """Gradients of the input, the gain and the bias."""
        gained = self.times(d, gain)
        mean = self.mean(gained, rows)
        projection = self.mean(self.times(gained, normal), rows)
        inner = self.minus(self.minus(gained, mean), self.times(normal, projection))
        return self.times(inner, scale), self.sum(self.times(d, normal), columns), self.sum(d, columns)

    def softmax(self, x, rows):
        e = self.apply("exp", self.minus(x, self.max(x, rows)))
        return self.over(e, self.sum(e, rows))

    def softmax_backward(self, d, p, rows):
        return self.times(p, self.minus(d, self.sum(self.times(d, p), rows)))

    def gelu(self, x):
        """The tanh form, operator by operator as frameworks write it."""
        cube = self.times(self.times(x, x), x)
        inner = self.scaled(self.plus(x, self.scaled(cube, 0.044715)), 0.7978845608)
        return self.times(self.scaled(x, 0.5), self.map(["add", ONE, X], self.apply("tanh", inner)))

    def gelu_backward(self, d, x):
        square = self.times(x, x)
        inner = self.scaled(self.plus(x, self.scaled(self.times(square, x), 0.044715)), 0.7978845608)
        t = self.apply("tanh", inner)
        slope = self.scaled(self.map(["add", ONE, X], self.scaled(square, 3 * 0.044715)), 0.7978845608)
        left = self.scaled(self.map(["add", ONE, X], t), 0.5)
        right = self.times(self.times(self.scaled(x, 0.5), self.map(["sub", ONE, X], self.times(t, t))), slope)
        return self.times(d, self.plus(left, right))

    def dropout(self, x, keep):
        """`keep`: uniform numbers, of which nine in ten pass."""
        kept = self.map(["select", ["positive", ["add", X, ["c", 0.8]]], ONE, ["c", 0.0]], keep)
        return self.scaled(self.times(x, kept), 1 / 0.9), kept

    def dropout_backward(self, d, kept):
        return self.scaled(self.times(d, kept), 1 / 0.9)


GRAPHS = {}


def graph(full, small):
    """Sizes as models have them, and sizes that the emulator can execute in a second."""

    def register(function):
        GRAPHS[function.__name__] = (function, full, small)
        return function

    return register


BERT = dict(b=8, m=128, d=768, h=12, e=64, n=128, f=3072)
SMALL_BERT = dict(b=2, m=8, d=48, h=2, e=24, n=8, f=64)


@graph(BERT, SMALL_BERT)
def bert_forward(**sizes):
    """Attention of h heads of e, a feed-forward part of f, layer normalisation after each; b sequences of m = n tokens of d numbers."""
    g = Graph(**sizes)
    x, mask = g.argument("bmd"), g.argument("bn")
    q = g.plus(g.product(x, g.argument("dhe"), "bmhe"), g.argument("he"))
    keys = g.argument("bnd")  # the same tokens under another name
    k = g.plus(g.product(keys, g.argument("dhe"), "bnhe"), g.argument("he"))
    v = g.plus(g.product(keys, g.argument("dhe"), "bnhe"), g.argument("he"))
    scores = g.product(g.transpose(q, "bhme"), g.transpose(k, "bhne"), "bhmn")
    masked = g.plus(g.scaled(scores, sizes["e"] ** -0.5), g.map(["mul", ["sub", ONE, X], ["c", -10000.0]], mask))
    p, _ = g.dropout(g.softmax(masked, "bhm"), g.argument("bhmn"))
    context = g.transpose(g.product(p, g.transpose(v, "bhne"), "bhme"), "bmhe")
    out = g.plus(g.product(context, g.argument("hed"), "bmd"), g.argument("d"))
    out, _ = g.dropout(out, g.argument("bmd"))
    y, _, _ = g.layer_norm(g.plus(out, x), "bm", g.argument("d"), g.argument("d"))
    inner = g.gelu(g.plus(g.product(y, g.argument("df"), "bmf"), g.argument("f")))
    out = g.plus(g.product(inner, g.argument("fd"), "bmd"), g.argument("d"))
    out, _ = g.dropout(out, g.argument("bmd"))
    z, _, _ = g.layer_norm(g.plus(out, y), "bm", g.argument("d"), g.argument("d"))
    return g.results(z)


@graph(BERT, SMALL_BERT)
def bert_backward(**sizes):
    g = Graph(**sizes)
    d = g.argument("bmd")
    # The second normalisation, dropout and bias.
    dx, dgain2, dbias2 = g.layer_norm_backward(d, g.argument("bmd"), g.argument("bm"), g.argument("d"), "bm", "d")
    dout = g.dropout_backward(dx, g.argument("bmd"))
    dbias_out = g.sum(dout, "d")
    # GELU of what a product makes of dout.
    dinner = g.gelu_backward(g.argument("bmf"), g.argument("bmf"))
    dbias_in = g.sum(dinner, "f")
    # The first normalisation: what comes through the product and past it.
    dy = g.plus(g.argument("bmd"), dx)
    dx1, dgain1, dbias1 = g.layer_norm_backward(dy, g.argument("bmd"), g.argument("bm"), g.argument("d"), "bm", "d")
    dout1 = g.dropout_backward(dx1, g.argument("bmd"))
    dbias_o = g.sum(dout1, "d")
    # Softmax.
    dp = g.dropout_backward(g.argument("bhmn"), g.argument("bhmn"))
    ds = g.scaled(g.softmax_backward(dp, g.argument("bhmn"), "bhm"), sizes["e"] ** -0.5)
    # Gradients of queries, keys and values in the order of the contractions, and their biases.
    rest = []
    for _ in range(3):
        moved = g.transpose(g.argument("bhme"), "bmhe")
        rest += [moved, g.sum(moved, "he")]
    dinput = g.plus(g.plus(g.plus(g.argument("bmd"), g.argument("bmd")), g.argument("bmd")), dx1)
    return g.results(dgain2, dbias2, dout, dbias_out, dinner, dbias_in, dgain1, dbias1, dout1, dbias_o, ds, *rest, dinput)


TRANSFORMER = dict(b=8, m=256, d=512, h=8, e=64, n=256, f=2048)
SMALL_TRANSFORMER = dict(b=2, m=8, d=32, h=2, e=16, n=8, f=48)


def causal(g, scores):
    at = ["le", ["i", scores.axes[-1]], ["i", scores.axes[-2]]]
    return g.map(["select", at, X, ["c", -float("inf")]], scores)


@graph(TRANSFORMER, SMALL_TRANSFORMER)
def decoder_pre_norm_forward(**sizes):
    """A decoder's layer with normalisation in front of masked attention, of attention to the encoder's values and of a ReLU part."""
    g = Graph(**sizes)
    x = g.argument("bmd")
    keys, values = g.argument("bhne"), g.argument("bhne")  # of the layer's own tokens
    for part in ("self", "cross"):
        y, _, _ = g.layer_norm(x, "bm", g.argument("d"), g.argument("d"))
        q = g.transpose(g.plus(g.product(y, g.argument("dhe"), "bmhe"), g.argument("he")), "bhme")
        scores = g.scaled(g.product(q, keys, "bhmn"), sizes["e"] ** -0.5)
        if part == "self":
            scores = causal(g, scores)
        p, _ = g.dropout(g.softmax(scores, "bhm"), g.argument("bhmn"))
        context = g.transpose(g.product(p, values, "bhme"), "bmhe")
        out = g.plus(g.product(context, g.argument("hed"), "bmd"), g.argument("d"))
        x = g.plus(g.dropout(out, g.argument("bmd"))[0], x)
        keys, values = g.argument("bhne"), g.argument("bhne")  # of the encoder
    y, _, _ = g.layer_norm(x, "bm", g.argument("d"), g.argument("d"))
    inner = g.map(["max", X, ["c", 0.0]], g.plus(g.product(y, g.argument("df"), "bmf"), g.argument("f")))
    out = g.plus(g.product(g.dropout(inner, g.argument("bmf"))[0], g.argument("fd"), "bmd"), g.argument("d"))
    return g.results(g.plus(g.dropout(out, g.argument("bmd"))[0], x))


def relu_backward(g):
    """The gradient that a ReLU part's second contraction returns, after its dropout and its activation; for the
    first one, and the bias."""
    dinner = g.dropout_backward(g.argument("bmf"), g.argument("bmf"))
    dinner = g.map(["select", ["positive", Y], X, ["c", 0.0]], dinner, g.argument("bmf"))
    return [dinner, g.sum(dinner, "f")]


def attention_backward(g, is_causal, e):
    """The gradients of attention: of scores, for the contractions of queries and keys, of queries, and of their
    bias."""
    dp = g.dropout_backward(g.argument("bhmn"), g.argument("bhmn"))
    ds = g.softmax_backward(dp, g.argument("bhmn"), "bhm")
    if is_causal:
        ds = g.map(["select", ["le", ["i", "n"], ["i", "m"]], X, ["c", 0.0]], ds)
    dq = g.transpose(g.argument("bhme"), "bmhe")
    return [g.scaled(ds, e**-0.5), dq, g.sum(dq, "he")]


def decoder_part_backward(g, part, e):
    return relu_backward(g) if part == "relu" else attention_backward(g, part == "self", e)


@graph(TRANSFORMER, SMALL_TRANSFORMER)
def decoder_pre_norm_backward(**sizes):
    """The layer's parts from the last to the first; the results of their first contractions pass the
    normalisation in front."""
    g = Graph(**sizes)
    d, results = g.argument("bmd"), []
    for part in ("relu", "cross", "self"):
        dout = g.dropout_backward(d, g.argument("bmd"))
        results += [dout, g.sum(dout, "d")] + decoder_part_backward(g, part, sizes["e"])
        dy = g.argument("bmd")
        dx, dgain, dbias = g.layer_norm_backward(dy, g.argument("bmd"), g.argument("bm"), g.argument("d"), "bm", "d")
        results += [dgain, dbias]
        d = g.plus(d, dx)
    return g.results(*results, d)


@graph(TRANSFORMER, SMALL_TRANSFORMER)
def decoder_post_norm_backward(**sizes):
    """The same parts with normalisation behind each."""
    g = Graph(**sizes)
    d, results = g.argument("bmd"), []
    for part in ("relu", "cross", "self"):
        dx, dgain, dbias = g.layer_norm_backward(d, g.argument("bmd"), g.argument("bm"), g.argument("d"), "bm", "d")
        dout = g.dropout_backward(dx, g.argument("bmd"))
        results += [dgain, dbias, dout, g.sum(dout, "d")] + decoder_part_backward(g, part, sizes["e"])
        d = g.plus(g.argument("bmd"), dx)
    return g.results(*results, d)


DIEN = dict(b=256, t=100, c=36, u=80, w=40)
SMALL_DIEN = dict(b=4, t=12, c=6, u=10, w=5)


def dice(g, x, alpha, rows):
    """DIEN's activation: a sigmoid of the normalised value gates the two slopes."""
    centred = g.minus(x, g.mean(x, rows))
    scale = g.apply("rsqrt", g.map(["add", X, ["c", 1e-8]], g.mean(g.times(centred, centred), rows)))
    gate = g.sigmoid(g.times(centred, scale))
    low = g.times(g.times(alpha, g.map(["sub", ONE, X], gate)), x)
    return g.plus(low, g.times(gate, x))


@graph(DIEN, SMALL_DIEN)
def dien_forward(**sizes):
    """Attention of one query to t behaviours: differences and products of both, a small network with Dice, a masked softmax over t, the
    weighted sum, and the GRU's gates by the weights (AUGRU)."""
    g = Graph(**sizes)
    query, facts, mask = g.argument("bc"), g.argument("btc"), g.argument("bt")
    queries = g.map(X, query, axes=list("btc"))
    difference, both = g.map(["sub", X, Y], queries, facts), g.times(queries, facts)
    parts = [g.product(v, g.argument("cu"), "btu") for v in (queries, facts, difference, both)]
    hidden = parts[0]
    for part in parts[1:]:
        hidden = g.plus(hidden, part)
    hidden = dice(g, g.plus(hidden, g.argument("u")), g.argument("u"), "bt")
    second = dice(g, g.plus(g.product(hidden, g.argument("uw"), "btw"), g.argument("w")), g.argument("w"), "bt")
    scores = g.sum(g.times(second, g.argument("w")), "bt")
    hold = g.map(["mul", ["sub", X, ONE], ["c", 4.29e9]], mask)
    p = g.softmax(g.plus(g.scaled(scores, sizes["c"] ** -0.5), hold), "b")
    interest = g.sum(g.times(p, facts), "bc")
    # One step of AUGRU for every behaviour: gates from products, update scaled by the attention.
    update = g.sigmoid(g.plus(g.argument("btc"), g.argument("c")))
    reset = g.sigmoid(g.plus(g.argument("btc"), g.argument("c")))
    state = g.argument("btc")
    candidate = g.apply("tanh", g.plus(g.argument("btc"), g.times(reset, g.argument("btc"))))
    update = g.times(p, update)
    state = g.plus(g.times(g.map(["sub", ONE, X], update), state), g.times(update, candidate))
    return g.results(interest, g.times(state, mask))


def dice_backward(g, d, x, alpha, mean, scale, rows, columns):
    normal = g.times(g.minus(x, mean), scale)
    gate = g.sigmoid(normal)
    low = g.map(["sub", ONE, X], gate)
    dalpha = g.sum(g.times(g.times(d, low), x), columns)
    direct = g.times(d, g.plus(g.times(alpha, low), gate))
    slope = g.times(g.times(gate, low), g.times(x, g.map(["sub", ONE, X], alpha)))
    dnormal = g.times(d, slope)
    projection = g.mean(g.times(dnormal, normal), rows)
    inner = g.minus(g.minus(dnormal, g.mean(dnormal, rows)), g.times(normal, projection))
    return g.plus(direct, g.times(inner, scale)), dalpha


@graph(DIEN, SMALL_DIEN)
def dien_backward(**sizes):
    g = Graph(**sizes)
    # AUGRU's gates.
    d, mask, p, state = g.argument("btc"), g.argument("bt"), g.argument("bt"), g.argument("btc")
    update, reset, candidate, own = g.argument("btc"), g.argument("btc"), g.argument("btc"), g.argument("btc")
    d = g.times(d, mask)
    dupdate = g.times(d, g.minus(candidate, state))
    dcandidate = g.times(g.times(d, g.times(p, update)), g.map(["sub", ONE, ["mul", X, X]], candidate))
    dreset = g.times(g.times(dcandidate, own), g.times(reset, g.map(["sub", ONE, X], reset)))
    down = g.times(dcandidate, reset)
    dgate = g.times(g.times(dupdate, p), g.times(update, g.map(["sub", ONE, X], update)))
    dstate = g.times(d, g.map(["sub", ONE, X], g.times(p, update)))
    results = [dgate, g.sum(dgate, "c"), dreset, g.sum(dreset, "c"), dcandidate, g.sum(dcandidate, "c"), down, dstate]
    # The attention's weights, from both of their readers.
    facts, dinterest = g.argument("btc"), g.argument("bc")
    dp = g.plus(g.sum(g.times(dupdate, update), "bt"), g.sum(g.times(facts, dinterest), "bt"))
    dfacts = g.times(p, dinterest)
    dscores = g.scaled(g.softmax_backward(dp, p, "b"), sizes["c"] ** -0.5)
    # The network.
    second, w = g.argument("btw"), g.argument("w")
    dw = g.sum(g.times(dscores, second), "w")
    dsecond, dalpha2 = dice_backward(g, g.times(dscores, w), g.argument("btw"), g.argument("w"), g.argument("bt"), g.argument("bt"),
                                     "bt", "w")  # fmt: skip
    results += [dw, dsecond, dalpha2, g.sum(dsecond, "w")]
    dhidden, dalpha1 = dice_backward(g, g.argument("btu"), g.argument("btu"), g.argument("u"), g.argument("bt"), g.argument("bt"),
                                     "bt", "u")  # fmt: skip
    results += [dhidden, dalpha1, g.sum(dhidden, "u")]
    # Differences and products of query and behaviours.
    query, ddifference, dboth = g.argument("bc"), g.argument("btc"), g.argument("btc")
    dqueries = g.plus(g.plus(g.argument("btc"), ddifference), g.times(dboth, facts))
    dfacts = g.plus(g.minus(g.plus(g.argument("btc"), dfacts), ddifference), g.times(dboth, query))
    return g.results(*results, g.sum(dqueries, "bc"), dfacts)


LSTM = dict(b=256, c=512, k=512)
SMALL_LSTM = dict(b=8, c=24, k=16)


@graph(LSTM, SMALL_LSTM)
def lstm_forward(**sizes):
    """One step: four gates of two contractions each, the cell, the state, and what is projected of it normalised."""
    g = Graph(**sizes)
    x, h, c = g.argument("bk"), g.argument("bk"), g.argument("bc")
    gates = []
    for name in ("in", "forget", "out", "cell"):
        z = g.plus(g.product(x, g.argument("kc"), "bc"), g.product(h, g.argument("kc"), "bc"))
        z = g.plus(z, g.argument("c"))
        z, _, _ = g.layer_norm(z, "b", g.argument("c"), g.argument("c"))
        gates.append(g.apply("tanh", z) if name == "cell" else g.sigmoid(z))
    cell = g.plus(g.times(gates[1], c), g.times(gates[0], gates[3]))
    normal, _, _ = g.layer_norm(cell, "b", g.argument("c"), g.argument("c"))
    return g.results(cell, g.times(gates[2], g.apply("tanh", normal)))


@graph(LSTM, SMALL_LSTM)
def lstm_backward(**sizes):
    g = Graph(**sizes)
    dh, dc, old = g.argument("bc"), g.argument("bc"), g.argument("bc")
    gates = [g.argument("bc") for _ in range(4)]
    t = g.argument("bc")  # tanh of the normalised cell
    dnormal = g.times(g.times(dh, gates[2]), g.map(["sub", ONE, ["mul", X, X]], t))
    dcell, dgain, dbias = g.layer_norm_backward(dnormal, g.argument("bc"), g.argument("b"), g.argument("c"), "b", "c")
    dcell = g.plus(dcell, dc)
    dgates = [g.times(dcell, gates[3]), g.times(dcell, old), g.times(dh, t), g.times(dcell, gates[0])]
    results = [dgain, dbias, g.times(dcell, gates[1])]
    for number, (gate, d) in enumerate(zip(gates, dgates)):
        slope = g.map(["sub", ONE, ["mul", X, X]], gate) if number == 3 else g.times(gate, g.map(["sub", ONE, X], gate))
        dz, dgain, dbias = g.layer_norm_backward(g.times(d, slope), g.argument("bc"), g.argument("b"), g.argument("c"), "b", "c")
        results += [dgain, dbias, dz, g.sum(dz, "c")]
    return g.results(*results)


def program(name, is_small=False):
    function, full, small = GRAPHS[name]
    return function(**(small if is_small else full))


def main():
    os.makedirs(sys.argv[1], exist_ok=True)
    for name in GRAPHS:
        with open(os.path.join(sys.argv[1], name + ".mlir"), "w") as file:
            file.write(text(program(name)))


if __name__ == "__main__":
    main()
