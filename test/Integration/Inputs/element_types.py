# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Element types of programs that are data: as text and as NumPy's numbers."""

import math

import numpy

BITS = {"f32": 32, "f16": 16, "bf16": 16, "f8E4M3FN": 8, "f8E5M2": 8, "i64": 64, "i32": 32, "i16": 16, "i8": 8, "i1": 1}
INTEGERS = {"i1": numpy.bool_, "i8": numpy.int8, "i16": numpy.int16, "i32": numpy.int32, "i64": numpy.int64, "index": numpy.int64}

# Operation: arith or math, NumPy.
FLOATS = {
    "add": ("arith.addf", numpy.add),
    "sub": ("arith.subf", numpy.subtract),
    "mul": ("arith.mulf", numpy.multiply),
    "div": ("arith.divf", numpy.divide),
    "max": ("arith.maximumf", numpy.maximum),
    "min": ("arith.minimumf", numpy.minimum),
    "neg": ("arith.negf", numpy.negative),
    "abs": ("math.absf", numpy.abs),
    "exp": ("math.exp", numpy.exp),
    "exp2": ("math.exp2", numpy.exp2),
    "log": ("math.log", numpy.log),
    "tanh": ("math.tanh", numpy.tanh),
    "erf": ("math.erf", numpy.vectorize(math.erf, otypes=[numpy.float64])),
    "sqrt": ("math.sqrt", numpy.sqrt),
    "rsqrt": ("math.rsqrt", lambda x: 1 / numpy.sqrt(x)),
    "round": ("math.roundeven", numpy.rint),
}
# Operation of a reduction: NumPy, of floats, of integers.
COMBINERS = {
    "add": (numpy.add, "arith.addf", "arith.addi"),
    "mul": (numpy.multiply, "arith.mulf", "arith.muli"),
    "max": (numpy.maximum, "arith.maximumf", "arith.maxsi"),
    "min": (numpy.minimum, "arith.minimumf", "arith.minsi"),
    "and": (numpy.bitwise_and, None, "arith.andi"),
    "or": (numpy.bitwise_or, None, "arith.ori"),
}


def typed(table, operation, element):
    """The operation of a table like that of COMBINERS."""
    return table[operation][2 if element[0] == "i" else 1]


def tensor(shape, element):
    return "tensor<" + "".join(f"{size}x" for size in shape) + element + ">"


def literal(number, element):
    if element == "i1":
        return "true" if number else "false"
    if element in ("f16", "bf16", "f32") and not math.isfinite(number):
        bits = {"f32": (0x7F800000, 0x7FC00000, 0x80000000), "f16": (0x7C00, 0x7E00, 0x8000), "bf16": (0x7F80, 0x7FC0, 0x8000)}
        infinity, nan, sign = bits[element]
        return f"0x{nan if math.isnan(number) else infinity | (sign if number < 0 else 0):X} : {element}"
    return f"{number:.9e} : {element}" if element[0] in "fb" else f"{int(number)} : {element}"


def convert(name, source, target):
    """The arith operation from one type to another, or None."""
    if source == target:
        return None
    if source[0] == "i" and target[0] != "i":
        return f"arith.sitofp {name} : {source} to {target}"
    if source[0] != "i" and target[0] == "i":
        return f"arith.fptosi {name} : {source} to {target}"
    if source[0] == "i":
        return f"arith.{'extsi' if BITS[target] > BITS[source] else 'trunci'} {name} : {source} to {target}"
    return f"arith.{'extf' if BITS[target] > BITS[source] else 'truncf'} {name} : {source} to {target}"


# Bits of the significand, with the one in front; the least exponent of a normal number; the largest number, and what becomes of more.
NARROW = {
    "bf16": (8, -126, None, math.inf),
    "f8E4M3FN": (4, -6, 448.0, math.nan),
    "f8E5M2": (3, -14, 57344.0, math.inf),
}


def rounded(x, element):
    """f32 or f64 numbers rounded to nearest even to the element type, as f32 (f16: f16's numbers as f32)."""
    if element in INTEGERS:
        return x.astype(INTEGERS[element])
    if element == "f32":
        return x.astype(numpy.float32)
    if element == "f16":
        return x.astype(numpy.float16).astype(numpy.float32)
    digits, least, most, beyond = NARROW[element]
    x = x.astype(numpy.float64)
    _, exponent = numpy.frexp(numpy.where(numpy.isfinite(x), x, 0))
    step = numpy.ldexp(1.0, numpy.maximum(exponent - digits, least - digits + 1))
    result = numpy.where(numpy.isfinite(x), numpy.rint(x / step) * step, x)
    if most is not None:
        over = numpy.abs(result) > most
        result = numpy.where(over, numpy.copysign(beyond, result), result)
    return result.astype(numpy.float32)


def from_bits(array, element):
    """What a .npy file of the element type says, as f32 or integers."""
    if element == "bf16":
        return (array.astype(numpy.uint32) << 16).view(numpy.float32)
    if element in ("f8E4M3FN", "f8E5M2"):
        mantissa, bias = (3, 7) if element == "f8E4M3FN" else (2, 15)
        bits = array.astype(numpy.int64)
        exponent, fraction = (bits >> mantissa) & (0x7F >> mantissa), bits & ((1 << mantissa) - 1)
        normal = numpy.ldexp(1 + fraction / (1 << mantissa), exponent - bias)
        value = numpy.where(exponent == 0, numpy.ldexp(fraction / (1 << mantissa), 1 - bias), normal)
        if element == "f8E4M3FN":
            value = numpy.where((bits & 0x7F) == 0x7F, math.nan, value)
        else:
            value = numpy.where(exponent == 31, numpy.where(fraction == 0, math.inf, math.nan), value)
        return numpy.where(bits >> 7, -value, value).astype(numpy.float32)
    return array.astype(numpy.float32) if element == "f16" else array
