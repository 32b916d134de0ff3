# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Errors of the compiler's functions against MPFR, in units in the last place, and the page docs/accuracy.md.

    python3 benchmarks/accuracy/functions.py [--sample=N] [--page=FILE] [--write] [--run=PROGRAM] [name...]

Compiles every function for each type, runs the kernels on the emulator (fusion-run) and compares with MPFR. Needs
NumPy and gmpy2; neither gmpy2 nor MPFR is part of the build.

--sample=N takes every N-th input only. --write makes the table of the page anew; without it the page is compared:
all of it, or, of a sample, whether no error is larger than it says.

Exit code: 0 the page is right, all special values are, and no error exceeds BOUND; 2 otherwise; 77 there is no gmpy2.
"""

import argparse
import os
import subprocess
import sys
import tempfile

import numpy

try:
    import gmpy2
except ImportError:
    print("no gmpy2 (pip install gmpy2): MPFR is what results are compared with", file=sys.stderr)
    sys.exit(77)

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
INF = float("inf")
numpy.seterr(all="ignore")  # special values are among the inputs
PRECISION = 120


class Type:
    """A floating-point type of MLIR: the type of its arrays in .npy files, digits, exponents."""

    def __init__(self, name, bits, digits, least):
        self.name, self.digits, self.least = name, digits, least
        self.words = numpy.dtype(f"uint{bits}")

    def numbers(self, words):
        """What the bits are, in f64."""
        if self.name == "bf16":
            return (words.astype(numpy.uint32) << 16).view(numpy.float32).astype(numpy.float64)
        return words.view(f"float{words.dtype.itemsize * 8}").astype(numpy.float64)

    def stored(self, words):
        """NumPy has no bf16: the bits are what files have."""
        return words if self.name == "bf16" else words.view(f"float{words.dtype.itemsize * 8}")

    def rounded(self, numbers):
        """The bits of numbers in f64, rounded to the type (bf16: towards zero)."""
        if self.name == "bf16":
            return (numbers.astype(numpy.float32).view(numpy.uint32) >> 16).astype(numpy.uint16)
        return numbers.astype(f"float{self.words.itemsize * 8}").view(self.words)


TYPES = {
    "f32": Type("f32", 32, 24, -126),
    "f16": Type("f16", 16, 11, -14),
    "bf16": Type("bf16", 16, 8, -126),
    "f64": Type("f64", 64, 53, -1022),
}
# Numbers of f32 and f64, half of them uniform in the function's interval, half with all exponents.
COUNTS = {"f32": 1_000_000, "f64": 20_000}


def rsqrt(x):
    return gmpy2.rec_sqrt(x) if not gmpy2.is_zero(x) else 1 / gmpy2.sqrt(x)


# name: operation, MPFR's function, intervals of the arguments
UNARY = {
    "exp": (gmpy2.exp, (-104, 89)),
    "exp2": (gmpy2.exp2, (-150, 128)),
    "expm1": (gmpy2.expm1, (-20, 90)),
    "log": (gmpy2.log, (0, 4)),
    "log2": (gmpy2.log2, (0, 4)),
    "log10": (gmpy2.log10, (0, 4)),
    "log1p": (gmpy2.log1p, (-1, 4)),
    "sin": (gmpy2.sin, (-100, 100)),
    "cos": (gmpy2.cos, (-100, 100)),
    "tan": (gmpy2.tan, (-100, 100)),
    "asin": (gmpy2.asin, (-1, 1)),
    "acos": (gmpy2.acos, (-1, 1)),
    "atan": (gmpy2.atan, (-4, 4)),
    "sinh": (gmpy2.sinh, (-90, 90)),
    "cosh": (gmpy2.cosh, (-90, 90)),
    "tanh": (gmpy2.tanh, (-10, 10)),
    "asinh": (gmpy2.asinh, (-50, 50)),
    "acosh": (gmpy2.acosh, (1, 50)),
    "atanh": (gmpy2.atanh, (-1, 1)),
    "erf": (gmpy2.erf, (-4.5, 4.5)),
    "erfc": (gmpy2.erfc, (-5, 10.5)),
    "sqrt": (gmpy2.sqrt, (0, 1e4)),
    "rsqrt": (rsqrt, (0, 1e4)),
    "cbrt": (gmpy2.cbrt, (-1e4, 1e4)),
    "reciprocal": (lambda x: 1 / x, (-1e4, 1e4)),
}
BINARY = {
    "atan2": (gmpy2.atan2, (-4, 4), (-4, 4)),
    "pow": (lambda x, y: x**y, (0, 50), (-20, 20)),
}
# The largest error that is right, in units in the last place, and |x| more where the argument is multiplied first.
BOUND, SCALED = 4, ("exp",)
OPERATIONS = {"pow": "math.powf", "reciprocal": "arith.divf"}
SPECIAL = [0, 1, 2, 0.5, 1e-3, 10, 100, 0.1, 3, INF]


def inputs(type, name, sample):
    """The arguments' bits, the same in every run: special ones, and every `sample`-th of the others."""
    intervals = UNARY[name][1:] if name in UNARY else BINARY[name][1:]
    names = list(UNARY) + list(BINARY)
    random = numpy.random.default_rng([names.index(name), type.words.itemsize])
    special = type.rounded(numpy.array([s * v for v in SPECIAL for s in (1.0, -1.0)]))
    # Neighbours, the least and the largest numbers, NaN.
    least = numpy.array([1, 2], type.words)
    one, nan = type.words.type(1), type.rounded(numpy.array([numpy.nan]))
    special = numpy.concatenate([special, special[:-2] + one, special[2:-2] - one, least, nan])
    special = numpy.concatenate([special, special ^ type.words.type(1 << (8 * type.words.itemsize - 1))])
    if name in BINARY:
        first, second = (a.ravel() for a in numpy.meshgrid(special, special))
    if type.words.itemsize == 2:
        draws = [numpy.arange(1 << 16, dtype=numpy.uint16)]
        draws.append(random.permutation(draws[0]))
        draws = [draw[::sample] for draw in draws]
        if name in UNARY:
            return [numpy.concatenate([special, draws[0]])]
        return [numpy.concatenate([first, draws[0]]), numpy.concatenate([second, draws[1]])]
    count = COUNTS[type.name] // 2
    draws = []
    for low, high in intervals:
        inside = type.rounded(random.uniform(low, high, count))
        anywhere = random.integers(0, 1 << (8 * type.words.itemsize), count, dtype=type.words)
        draws.append(numpy.concatenate([inside, anywhere])[::sample])
    if name in UNARY:
        return [numpy.concatenate([special, draws[0]])]
    return [numpy.concatenate([first, draws[0]]), numpy.concatenate([second, draws[1]])]


def program(type, lengths):
    """A function with a kernel for each of these."""
    arguments, bodies, results = [], [], []
    for name, length in lengths.items():
        tensor = f"tensor<{length}x{type.name}>"
        operands = [f"%{name}{i}" for i in range(2 if name in BINARY else 1)]
        arguments += [f"{operand}: {tensor}" for operand in operands]
        values = [f"%v{i}" for i in range(len(operands))]
        compute = f"%y = {OPERATIONS.get(name, 'math.' + name)} {', '.join(values)} : {type.name}"
        if name == "reciprocal":
            compute = f"%one = arith.constant 1.0 : {type.name}\n    %y = arith.divf %one, %v0 : {type.name}"
        maps = ", ".join(["affine_map<(i) -> (i)>"] * (len(operands) + 1))
        block = ", ".join(f"{value}: {type.name}" for value in [*values, "%o"])
        bodies.append(f"""  %{name}e = tensor.empty() : {tensor}
  %{name}r = linalg.generic {{indexing_maps = [{maps}], iterator_types = ["parallel"]}}
      ins({", ".join(operands)} : {", ".join([tensor] * len(operands))}) outs(%{name}e : {tensor}) {{
  ^bb0({block}):
    {compute}
    linalg.yield %y : {type.name}
  }} -> {tensor}
""")
        results.append((f"%{name}r", tensor))
    kinds = ", ".join(tensor for _, tensor in results)
    return (
        f"func.func @functions({', '.join(arguments)}) -> ({kinds}) {{\n" + "".join(bodies)
        + f"  return {', '.join(value for value, _ in results)} : {kinds}\n}}\n"
    )  # fmt: skip


def evaluate(type, arguments, run):
    """The results' bits, by name."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "functions.mlir")
        with open(path, "w") as file:
            file.write(program(type, {name: len(values[0]) for name, values in arguments.items()}))
        command = [run, path, "--device=emulator", "--reference=none", "--chip=sm_80", "--output-dir=" + folder]
        for number, values in enumerate(value for values in arguments.values() for value in values):
            numpy.save(f"{folder}/{number}.npy", type.stored(values))
            command.append(f"--input={number}:{folder}/{number}.npy")
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"{run}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
        load = lambda i: numpy.load(f"{folder}/functions.result{i}.npy").view(type.words)
        return {name: load(i) for i, name in enumerate(arguments)}


def exact(name, values):
    """MPFR's results as sums of two numbers of f64, and the signs."""
    function = UNARY[name][0] if name in UNARY else BINARY[name][0]
    high, low, negative = numpy.empty(len(values[0])), numpy.zeros(len(values[0])), numpy.empty(len(values[0]), bool)
    mpfr, is_signed = gmpy2.mpfr, gmpy2.is_signed
    with gmpy2.context(precision=PRECISION):
        for i, arguments in enumerate(zip(*(value.tolist() for value in values))):
            result = function(*map(mpfr, arguments))
            high[i] = result
            negative[i] = is_signed(result)
            if -INF < high[i] < INF:
                low[i] = result - high[i]
    return high, low, negative


def errors(type, results, high, low):
    """In units in the last place of the type: of NaN and infinities 0 where they are right, else infinite."""
    y = type.numbers(results)
    size = numpy.abs(high)
    exponent = numpy.frexp(size)[1] - 1
    unit = numpy.ldexp(1.0, numpy.maximum(exponent, type.least) - type.digits + 1)
    off = numpy.abs((y - high) - low) / unit
    # What rounds to an infinity; of f64, what is one already.
    top = numpy.ldexp(2 - 2.0**-type.digits, 1 - type.least) if type.digits < 53 else INF
    is_right = (numpy.isnan(y) & numpy.isnan(high)) | ((y == high) & (low == 0))
    is_right |= numpy.isinf(y) & (size >= top) & (y * high > 0)
    return numpy.where(is_right, 0, numpy.where(numpy.isfinite(y) & numpy.isfinite(high), off, INF))


def measure(types, names, sample, run):
    """{name: {type: (error, argument)}}, and what is wrong with special values."""
    table, wrong = {name: {} for name in names}, []
    for kind in types:
        type = TYPES[kind]
        arguments = {name: inputs(type, name, sample) for name in names}
        results = evaluate(type, arguments, run)
        for name in names:
            values = [type.numbers(value) for value in arguments[name]]
            high, low, negative = exact(name, values)
            off = errors(type, results[name], high, low)
            worst = int(off.argmax())
            where = ", ".join(f"{value[worst]:.9g}" for value in values)
            table[name][kind] = (off[worst], where)
            given = lambda i: f"{name} {kind} of {', '.join(str(float(value[i])) for value in values)}"
            limit = BOUND + numpy.abs(values[0]) * (name in SCALED)
            for i in numpy.flatnonzero((off > limit) & numpy.isfinite(off))[:3]:
                wrong.append(f"{given(i)}: off by {off[i]:.2f}")
            signs = (results[name] >> type.words.type(8 * type.words.itemsize - 1)).astype(bool) != negative
            signs &= ~numpy.isnan(high) & numpy.isfinite(off)
            for i in [*numpy.flatnonzero(signs)[:3], *numpy.flatnonzero(off == INF)[:3]]:
                got = float(type.numbers(results[name][i : i + 1])[0])
                wrong.append(f"{given(i)}: {got}, not {high[i]}")
            print(f"{name:10} {kind:4} {off[worst]:10.2f} at {where}", flush=True)
    return table, wrong


HEADER = "| function | f32 | largest at | f16 | bf16 | f64 |\n|---|---|---|---|---|---|\n"


def rows(table):
    def row(name, of):
        error = {kind: f"{of[kind][0]:.2f}" for kind in TYPES}
        return f"| `{name}` | {error['f32']} | {of['f32'][1]} | {error['f16']} | {error['bf16']} | {error['f64']} |\n"

    return HEADER + "".join(row(name, of) for name, of in table.items())


def read(page):
    """{name: {type: error}} of the page's table."""
    lines = page[page.index(HEADER) + len(HEADER) :].split("\n\n")[0].strip().split("\n")
    cells = [[cell.strip(" `") for cell in line.strip("|").split("|")] for line in lines]
    kinds = {"f32": 1, "f16": 3, "bf16": 4, "f64": 5}
    return {row[0]: {kind: float(row[i]) for kind, i in kinds.items()} for row in cells}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("names", nargs="*")
    parser.add_argument("--sample", type=int, default=1)
    parser.add_argument("--page", default=os.path.join(ROOT, "docs", "accuracy.md"))
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--types", default=",".join(TYPES))
    parser.add_argument("--run", default=os.path.join(ROOT, "build", "bin", "fusion-run"))
    options = parser.parse_args()
    names = options.names or [*UNARY, *BINARY]
    table, wrong = measure(options.types.split(","), names, options.sample, options.run)
    with open(options.page) as file:
        page = file.read()
    if options.write:
        begin = page.index(HEADER)
        end = page.index("\n\n", begin) + 1
        with open(options.page, "w") as file:
            file.write(page[:begin] + rows(table) + page[end:])
    else:
        said = read(page)
        for name, of in table.items():
            for kind, (error, where) in of.items():
                known = said.get(name, {}).get(kind, -1)
                if round(error, 2) > known or (options.sample == 1 and round(error, 2) != known):
                    wrong.append(f"{name} {kind}: {error:.2f} at {where}, and the page says {known:.2f}")
    print("\n".join(wrong))
    sys.exit(2 if wrong else 0)


if __name__ == "__main__":
    main()
