# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Polynomials of lib/Conversion/MathToNVVM/Approximations.cpp: their largest weighted error is least.

    python3 benchmarks/accuracy/minimax.py [name...]

Prints each polynomial in f32, lowest coefficient first, and its error in units of 2^-24 of the function. Needs NumPy
and mpmath. Coefficients are rounded to f32 one by one from the lowest on; the others are fitted again each time.
(Lawson's algorithm: least squares whose weights grow where the error is large.)
"""

import sys

import mpmath
import numpy

mpmath.mp.prec = 120
POINTS = 800
SMALL = mpmath.mpf("1e-9")


def odd(function, first):
    """(function(t) / t - 1) / t² as a function of t²."""

    def rest(z):
        if z < SMALL:
            return mpmath.mpf(first)
        t = mpmath.sqrt(z)
        return (function(t) / t - 1) / z

    return rest


def relative_odd(function):
    """The weight of `odd`: what its error is of the function."""
    return lambda z: z * mpmath.sqrt(z) / function(mpmath.sqrt(z)) if z > 0 else 0


def scaled_erfc(u):
    """(1 + 2a) exp(a²) erfc(a) where u = (a - 2) / (a + 2)."""
    a = 2 * (1 + u) / (1 - u)
    return (1 + 2 * a) * mpmath.exp(a * a) * mpmath.erfc(a)


def erf_factor(z):
    """erf(t) / t - 1 as a function of t²."""
    t = mpmath.sqrt(z)
    return mpmath.erf(t) / t - 1 if z > SMALL else 2 / mpmath.sqrt(mpmath.pi) - 1


# name: function, interval, degree, weight of the error
FITS = {
    "atan": (odd(mpmath.atan, -1 / mpmath.mpf(3)), (0, 1), 7, relative_odd(mpmath.atan)),
    "asin": (odd(mpmath.asin, 1 / mpmath.mpf(6)), (0, 0.25), 4, relative_odd(mpmath.asin)),
    "tanh": (odd(mpmath.tanh, -1 / mpmath.mpf(3)), (0, 0.36), 4, relative_odd(mpmath.tanh)),
    # (exp(f) - 1 - f) / f²
    "expm1": (
        lambda f: (mpmath.expm1(f) - f) / f**2 if abs(f) > SMALL else mpmath.mpf(0.5),
        (-0.3466, 0.3466), 4, lambda f: abs(f)),
    # (log(1 + m) - m + m²/2) / m³
    "log1p": (
        lambda m: (mpmath.log1p(m) - m + m * m / 2) / m**3 if abs(m) > SMALL else 1 / mpmath.mpf(3),
        (-0.25, 0.5), 7, lambda m: abs(m) ** 3 / abs(mpmath.log1p(m)) if m else 0),
    "erf, below 1": (erf_factor, (0, 1), 5, lambda z: 1 / (1 + erf_factor(z))),
    # The binary logarithm of 1 - erf.
    "erf, from 1 on": (
        lambda a: mpmath.log(mpmath.erfc(a), 2), (1, 4), 5, lambda a: mpmath.erfc(a) * mpmath.log(2) / mpmath.erf(a)),
    "erfc, from 0.5 on": (scaled_erfc, (-0.6, 8.1 / 12.1), 9, lambda u: 1 / scaled_erfc(u)),
    # (2^-f - 1) / f
    "2^-f": (
        lambda f: (mpmath.power(2, -f) - 1) / f if abs(f) > SMALL else -mpmath.log(2),
        (-0.5, 0.5), 5, lambda f: abs(f) * mpmath.power(2, f)),
}  # fmt: skip


def lawson(powers, values, weights, rounds):
    """The coefficients with the least of the largest errors that were come by."""
    importance, best, least = numpy.ones(len(values)), None, numpy.inf
    for _ in range(rounds):
        factors = numpy.sqrt(importance) * weights
        coefficients = numpy.linalg.lstsq(powers * factors[:, None], values * factors, rcond=None)[0]
        errors = numpy.abs(weights * (powers @ coefficients - values))
        if errors.max() < least:
            best, least = coefficients, errors.max()
        importance = importance * (errors / errors.max() + 1e-6)
        importance = numpy.maximum(importance / importance.max(), 1e-14)
    return best


def fit(function, interval, degree, weight):
    """Coefficients in f32, lowest first, and the largest error."""
    low, high = interval
    nodes = numpy.cos(numpy.pi * (numpy.arange(POINTS) + 0.5) / POINTS)
    x = (low + high) / 2 + (high - low) / 2 * nodes
    values = numpy.array([float(function(mpmath.mpf(v))) for v in x])
    weights = numpy.array([float(weight(mpmath.mpf(v))) for v in x])
    scale = max(abs(low), abs(high))
    coefficients, rest = [], values.copy()
    for first in range(degree + 1):
        powers = numpy.stack([(x / scale) ** i for i in range(first, degree + 1)], 1)
        found = lawson(powers, rest, weights, 150 if first else 300)
        coefficients.append(numpy.float32(found[0] / scale**first))
        rest = rest - float(coefficients[-1]) * x**first
    return coefficients, numpy.abs(weights * rest).max()


def main():
    for name in sys.argv[1:] or FITS:
        coefficients, error = fit(*FITS[name])
        print(f"{name}: {error * 2**24:.2f}")
        print("    " + ", ".join(f"{float(c):.9g}f" for c in coefficients))


if __name__ == "__main__":
    main()
