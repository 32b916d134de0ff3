# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The patterns of memory-intensive operators of stitch_patterns.json as MLIR text: many small operators, as frameworks write them."""

from score_chains import Function, tensor

PATTERNS = {}


def pattern(function):
    PATTERNS[function.__name__] = function
    return function


class Graph(Function):
    """Operators on matrices [i, j], rows [i] and columns [j]; what is computed is f32."""

    def __init__(self, type):
        super().__init__()
        self.type = type

    def apply(self, lines, *inputs, type="f32", over=None, **extents):
        """One element-wise operator. `inputs`: (value, its dimensions among those of `over`), or a value with all of them.
        `extents`: of the dimensions that no input has."""
        inputs = [(v, None) if isinstance(v[0], str) else v for v in inputs]
        over = over or "ij"
        sizes = dict(extents)
        for value, dims in inputs:
            sizes.update(zip(dims or over, value[1]))
        return self.pointwise([v for v, _ in inputs], [", ".join(d or over) for _, d in inputs], lines,
                              tuple(sizes[d] for d in over), type, ", ".join(over))  # fmt: skip

    def widen(self, value, over="ij"):
        return value if value[2] == "f32" else self.apply([f"%r = arith.extf %a0 : {value[2]} to f32"], value, over=over)

    def narrow(self, value, over="ij"):
        if self.type == "f32":
            return value
        return self.apply([f"%r = arith.truncf %a0 : f32 to {self.type}"], value, type=self.type, over=over)

    def binary(self, operation, a, b, over="ij"):
        return self.apply([f"%r = arith.{operation} %a0, %a1 : f32"], a, b, over=over)

    def unary(self, operation, a, over="ij"):
        return self.apply([f"%r = {operation} %a0 : f32"], a, over=over)

    def scale(self, operation, a, constant, over="ij"):
        return self.apply([f"%c = arith.constant {constant:e} : f32", f"%r = arith.{operation} %a0, %c : f32"], a, over=over)

    def sigmoid(self, a, over="ij"):
        return self.apply(["%one = arith.constant 1.0 : f32", "%m = arith.negf %a0 : f32", "%e = math.exp %m : f32",
                           "%d = arith.addf %e, %one : f32", "%r = arith.divf %one, %d : f32"], a, over=over)  # fmt: skip

    def reduce(self, value, combiner, start, over="ij", kept="i"):
        sizes = dict(zip(over, value[1]))
        kinds = ["parallel" if d in kept else "reduction" for d in over]
        return self.generic([value], [", ".join(over)], ", ".join(over), kinds, tuple(sizes[d] for d in kept), "f32",
                            ", ".join(kept), lambda names, old: ([f"%r = arith.{combiner} {names[0]}, {old} : f32"], "%r"),
                            fill=start)  # fmt: skip

    def sum(self, value, over="ij", kept="i"):
        return self.reduce(value, "addf", "0.0", over, kept)

    def mean(self, value):
        return self.scale("divf", self.sum(value), value[1][1], "i")

    def slice(self, value, offset, size):
        """Columns `offset` to `offset` + `size` - 1."""
        rows, type = value[1][0], value[2]
        name = self.fresh()
        self.code.append(f"{name} = tensor.extract_slice {value[0]}[0, {offset}] [{rows}, {size}] [1, 1] : "
                         f"{tensor(value[1], type)} to {tensor((rows, size), type)}")  # fmt: skip
        return (name, (rows, size), type)

    def concat(self, *values):
        sizes = (values[0][1][0], sum(v[1][1] for v in values))
        name = self.fresh()
        types = ", ".join(tensor(v[1], v[2]) for v in values)
        self.code.append(f"{name} = tensor.concat dim(1) {', '.join(v[0] for v in values)} : ({types}) -> "
                         f"{tensor(sizes, values[0][2])}")  # fmt: skip
        return (name, sizes, values[0][2])

    def normalised(self, x, rows_only=False):
        """(x - mean) / sqrt(variance + eps), by rows."""
        centred = self.binary("subf", x, (self.mean(x), "i"))
        variance = self.mean(self.binary("mulf", centred, centred))
        scale = self.apply(["%e = arith.constant 1.0e-05 : f32", "%s = arith.addf %a0, %e : f32", "%r = math.rsqrt %s : f32"],
                           variance, over="i")  # fmt: skip
        return self.binary("mulf", centred, (scale, "i"))

    def affine(self, y, columns):
        """Times a gain plus a bias of columns, which are arguments."""
        gain, bias = (self.widen(self.argument((columns,), self.type), "j") for _ in range(2))
        return self.binary("addf", self.binary("mulf", y, (gain, "j")), (bias, "j"))

    def softmax(self, x):
        top = self.reduce(x, "maximumf", "0xFF800000")
        e = self.unary("math.exp", self.binary("subf", x, (top, "i")))
        return e, top, self.sum(e)


@pattern
def layer_norm(f, rows, cols):
    x = f.widen(f.argument((rows, cols), f.type))
    return [f.narrow(f.affine(f.normalised(x), cols))]


@pattern
def rms_norm(f, rows, cols):
    x = f.widen(f.argument((rows, cols), f.type))
    square = f.mean(f.binary("mulf", x, x))
    scale = f.apply(["%e = arith.constant 1.0e-06 : f32", "%s = arith.addf %a0, %e : f32", "%r = math.rsqrt %s : f32"], square,
                    over="i")  # fmt: skip
    gain = f.widen(f.argument((cols,), f.type), "j")
    return [f.narrow(f.binary("mulf", f.binary("mulf", x, (scale, "i")), (gain, "j")))]


@pattern
def softmax(f, rows, cols):
    e, _, total = f.softmax(f.widen(f.argument((rows, cols), f.type)))
    return [f.narrow(f.binary("divf", e, (total, "i")))]


@pattern
def log_softmax(f, rows, cols):
    x = f.widen(f.argument((rows, cols), f.type))
    _, top, total = f.softmax(x)
    return [f.narrow(f.binary("subf", f.binary("subf", x, (top, "i")), (f.unary("math.log", total, "i"), "i")))]


@pattern
def cross_entropy(f, rows, cols):
    source = f.argument((rows, cols), f.type)
    targets = f.argument((rows,), "i32")
    _, top, total = f.softmax(f.widen(source))
    lse = f.binary("addf", f.unary("math.log", total, "i"), top, "i")
    extend = [] if f.type == "f32" else [f"%r = arith.extf %x : {f.type} to f32"]
    at = f.apply(["%row = linalg.index 0 : index", "%c = arith.index_cast %a0 : i32 to index",
                  f"%{'r' if f.type == 'f32' else 'x'} = tensor.extract {source[0]}[%row, %c] : {tensor(source[1], f.type)}",
                  *extend], targets, over="i")  # fmt: skip
    return [f.binary("subf", lse, at, "i")]


@pattern
def bias_gelu(f, rows, cols):
    x = f.widen(f.argument((rows, cols), f.type))
    x = f.binary("addf", x, (f.widen(f.argument((cols,), f.type), "j"), "j"))
    erf = f.unary("math.erf", f.scale("mulf", x, 0.70710678))
    half = f.scale("mulf", x, 0.5)
    return [f.narrow(f.binary("mulf", half, f.scale("addf", erf, 1.0)))]


@pattern
def bias_dropout_residual_layer_norm(f, rows, cols):
    x = f.widen(f.argument((rows, cols), f.type))
    x = f.binary("addf", x, (f.widen(f.argument((cols,), f.type), "j"), "j"))
    mask = f.argument((rows, cols), "i1")
    x = f.apply(["%z = arith.constant 0.0 : f32", "%s = arith.constant 1.25 : f32", "%k = arith.select %a1, %s, %z : f32",
                 "%r = arith.mulf %a0, %k : f32"], x, mask)  # fmt: skip
    x = f.binary("addf", x, f.widen(f.argument((rows, cols), f.type)))
    return [f.narrow(f.affine(f.normalised(x), cols))]


@pattern
def swiglu(f, rows, cols):
    gate, up = (f.widen(f.argument((rows, cols), f.type)) for _ in range(2))
    return [f.narrow(f.binary("mulf", f.binary("mulf", gate, f.sigmoid(gate)), up))]


@pattern
def l2_normalize(f, rows, cols):
    x = f.widen(f.argument((rows, cols), f.type))
    norm = f.apply(["%e = arith.constant 1.0e-12 : f32", "%s = math.sqrt %a0 : f32", "%r = arith.maximumf %s, %e : f32"],
                   f.sum(f.binary("mulf", x, x)), over="i")  # fmt: skip
    return [f.narrow(f.binary("divf", x, (norm, "i")))]


@pattern
def mean_var_two_reductions(f, rows, cols):
    x = f.widen(f.argument((rows, cols), f.type))
    mean = f.mean(x)
    centred = f.binary("subf", x, (mean, "i"))
    return [mean, f.mean(f.binary("mulf", centred, centred))]


@pattern
def packed_elementwise_of_8_tensors(f, rows, cols):
    operations = ["math.absf", "arith.negf", "math.sin", "math.exp", "math.tanh", "math.sqrt", "math.cos", "math.erf"]
    results = []
    for operation in operations:
        x = f.widen(f.argument((rows, cols), f.type))
        results.append(f.narrow(f.unary(operation, f.unary("math.absf", x) if operation == "math.sqrt" else x)))
    return results


@pattern
def rope(f, rows, cols):
    half = cols // 2
    x = f.argument((rows, cols), f.type)
    cosine, sine = (f.widen(f.argument((rows, half), f.type)) for _ in range(2))
    a, b = (f.widen(f.slice(x, offset, half)) for offset in (0, half))
    first = f.binary("subf", f.binary("mulf", a, cosine), f.binary("mulf", b, sine))
    second = f.binary("addf", f.binary("mulf", b, cosine), f.binary("mulf", a, sine))
    rest = [f.slice(x, 2 * half, 1)] if cols % 2 else []
    return [f.concat(f.narrow(first), f.narrow(second), *rest)]


@pattern
def layer_norm_backward(f, rows, cols):
    dy, x = (f.widen(f.argument((rows, cols), f.type)) for _ in range(2))
    mean, scale = (f.argument((rows,), "f32") for _ in range(2))
    gain = f.widen(f.argument((cols,), f.type), "j")
    normal = f.binary("mulf", f.binary("subf", x, (mean, "i")), (scale, "i"))
    g = f.binary("mulf", dy, (gain, "j"))
    product = f.binary("mulf", g, normal)
    inner = f.binary("subf", f.binary("subf", g, (f.mean(g), "i")), f.binary("mulf", normal, (f.mean(product), "i")))
    dx = f.narrow(f.binary("mulf", inner, (scale, "i")))
    return [dx, f.sum(f.binary("mulf", dy, normal), kept="j"), f.sum(dy, kept="j")]


@pattern
def reduce_exp_broadcast_reduce(f, rows, cols):
    x = f.widen(f.argument((rows, cols), f.type))
    e = f.unary("math.exp", f.mean(x), "i")
    y = f.binary("mulf", x, (e, "i"))
    return [f.sum(f.binary("mulf", y, y))]


@pattern
def expensive_op_on_small_tensor_in_the_middle(f, rows, cols):
    x = f.widen(f.argument((rows, cols), f.type))
    v = f.argument((rows,), "f32")
    t = f.unary("math.tanh", f.unary("math.exp", v, "i"), "i")
    return [f.narrow(f.unary("math.absf", f.binary("mulf", x, (t, "i"))))]


@pattern
def transpose_of_normalised(f, rows, cols):
    y = f.narrow(f.normalised(f.widen(f.argument((rows, cols), f.type))))
    return [f.generic([y], ["i, j"], "j, i", ["parallel"] * 2, (cols, rows), f.type, "j, i", lambda names, old: ([], names[0]))]


@pattern
def gather_slice_concat_mix(f, rows, cols):
    half = cols // 2
    table, ids = f.argument((1000, half), f.type), f.argument((rows,), "i32")
    embedded = f.apply(["%c = arith.index_cast %a0 : i32 to index", "%j = linalg.index 1 : index",
                        f"%r = tensor.extract {table[0]}[%c, %j] : {tensor(table[1], f.type)}"],
                       (ids, "i"), type=f.type, j=half)  # fmt: skip
    x = f.argument((rows, cols), f.type)
    left = f.binary("addf", f.widen(embedded), f.widen(f.slice(x, cols - half, half)))
    right = f.scale("mulf", f.widen(f.slice(x, 0, cols - half)), 2.0)
    return [f.concat(f.narrow(left), f.narrow(right))]


@pattern
def packed_elementwise_of_different_shapes(f, rows, cols):
    results = []
    for sizes, operation in (((rows, cols), "math.absf"), ((rows, max(1, cols // 3)), "arith.negf"), ((max(1, rows // 2), cols), "math.tanh"),
                             ((rows, 7), "math.exp")):  # fmt: skip
        results.append(f.narrow(f.unary(operation, f.widen(f.argument(sizes, f.type)))))
    return results


def gates(f, rows, hidden, count):
    """The products of a recurrent cell's input and state, and their bias."""
    x, h = (f.widen(f.argument((rows, count * hidden), f.type)) for _ in range(2))
    bias = f.widen(f.argument((count * hidden,), f.type), "j")
    return f.binary("addf", x, (bias, "j")), h


@pattern
def lstm_cell_gates(f, rows, cols):
    hidden = cols // 4
    total = f.binary("addf", *gates(f, rows, hidden, 4))
    i, forget, g, o = (f.slice(total, n * hidden, hidden) for n in range(4))
    cell = f.widen(f.argument((rows, hidden), f.type))
    cell = f.binary("addf", f.binary("mulf", f.sigmoid(forget), cell), f.binary("mulf", f.sigmoid(i), f.unary("math.tanh", g)))
    return [f.narrow(f.binary("mulf", f.sigmoid(o), f.unary("math.tanh", cell))), f.narrow(cell)]


@pattern
def gru_cell_gates(f, rows, cols):
    hidden = cols // 4
    x, h = gates(f, rows, hidden, 3)
    reset, update = (f.sigmoid(f.binary("addf", f.slice(x, n * hidden, hidden), f.slice(h, n * hidden, hidden))) for n in range(2))
    new = f.unary("math.tanh", f.binary("addf", f.slice(x, 2 * hidden, hidden), f.binary("mulf", reset, f.slice(h, 2 * hidden, hidden))))
    state = f.widen(f.argument((rows, hidden), f.type))
    return [f.narrow(f.binary("addf", new, f.binary("mulf", update, f.binary("subf", state, new))))]


@pattern
def din_attention_unit(f, rows, cols):
    width = 32
    length = max(1, cols // width)
    query, keys = f.widen(f.argument((rows, width), f.type), "ik"), f.widen(f.argument((rows, length, width), f.type), "ijk")
    weights = [f.argument((width,), "f32") for _ in range(3)]
    # What the first layer makes of query, key, their difference and their product.
    difference = f.binary("subf", (query, "ik"), keys, over="ijk")
    product = f.binary("mulf", (query, "ik"), keys, over="ijk")
    terms = [f.binary("mulf", value, (w, "k"), over="ijk") for value, w in zip((keys, difference, product), weights)]
    score = f.sum(f.binary("addf", f.binary("addf", terms[0], terms[1], "ijk"), terms[2], "ijk"), "ijk", "ij")
    e, _, total = f.softmax(f.sigmoid(score))
    p = f.binary("divf", e, (total, "i"))
    return [f.narrow(f.sum(f.binary("mulf", keys, (p, "ij"), over="ijk"), "ijk", "ik"), "ik")]


def program(name, rows, cols, type):
    """The text of the pattern's function."""
    f = Graph(type)
    return f.text(name, PATTERNS[name](f, rows, cols))
