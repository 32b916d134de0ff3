# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How well predicted times agree with others."""

import dataclasses
import math

import numpy


def rank_correlation(first, second):
    """Spearman's, ties with their mean rank; NaN for fewer than 3 pairs, and where one side is constant."""
    if len(first) < 3 or min(first) == max(first) or min(second) == max(second):
        return math.nan
    ranks = numpy.corrcoef(_ranks(first), _ranks(second))
    return float(ranks[0, 1])


def _ranks(values):
    values = numpy.asarray(values, float)
    _, place, count = numpy.unique(values, return_inverse=True, return_counts=True)
    return (numpy.cumsum(count) - (count - 1) / 2)[place]


@dataclasses.dataclass(frozen=True)
class Agreement:
    """Of predicted times with true ones. Errors are relative to the true times."""

    pairs: int
    rank: float
    median_error: float
    error_90: float  # nine tenths of the errors are at most this
    ratio: float  # median of predicted / true

    @classmethod
    def of(cls, true, predicted):
        ratios = numpy.asarray(predicted, float) / numpy.asarray(true, float)
        errors = abs(ratios - 1)
        return cls(
            len(ratios),
            rank_correlation(true, predicted),
            float(numpy.median(errors)),
            float(numpy.percentile(errors, 90)),
            float(numpy.median(ratios)),
        )


def loss_of_first(true, predicted, first=1):
    """How much longer than the shortest true time the best of the `first` pairs with the shortest predictions takes:
    0.05 for 5 %."""
    order = numpy.argsort(numpy.asarray(predicted, float), kind="stable")[:first]
    true = numpy.asarray(true, float)
    return float(true[order].min() / true.min() - 1)
