# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether results agree with PyTorch's reference, as tensors of any device."""

# Error allowed relative to the root mean square of a row, plus the same relative to each element: fusion-run's
# defaults, twice the spacing of the type (f32: for long sums).
TOLERANCE = {"f16": 2.0**-9, "bf16": 2.0**-6, "f32": 1e-4}
# A row of fewer elements says little of its size: then the whole result's root mean square counts.
SHORTEST_ROW = 16
# Rows count as this fraction of the whole result's root mean square at least: one may be zero behind a ReLU.
SMALLEST_ROW = 1 / 16


def root_mean_square(values, **over):
    return values.nan_to_num().square().mean(**over).sqrt()


def allowed_error(reference, dtype):
    """The error allowed of each element.

    Errors are those of roundings to the type, of weights or intermediates and of the result, so they follow the size of
    an element's row: row i of causal attention averages i keys. The factor is four roundings, where the canonical form
    of a workload has two.
    """
    size = whole = root_mean_square(reference)
    if reference.dim() and reference.shape[-1] >= SHORTEST_ROW:
        size = root_mean_square(reference, dim=-1, keepdim=True).clamp_min(SMALLEST_ROW * whole)
    return TOLERANCE[dtype] * (size + reference.abs())


def compare(actual, reference, dtype):
    """The largest errors of f32 values, and whether each is allowed; NaN equals NaN."""
    both_nan = actual.isnan() & reference.isnan()
    error = (actual - reference).abs().masked_fill(both_nan, 0.0)
    good = (error <= allowed_error(reference, dtype)) | both_nan | (actual == reference)
    least = root_mean_square(reference) * 1e-3 + 1e-30
    relative = (error / reference.abs().clamp_min(least)).nan_to_num(float("inf"))
    return {
        "max_abs_error": error.max().item(),
        "max_rel_error": relative.max().item(),
        "pass": bool(good.all()),
    }


def compare_all(results, references, dtype):
    """The comparisons of several results as one."""
    found = [compare(actual, reference, dtype) for actual, reference in zip(results, references, strict=True)]
    return {
        "max_abs_error": max(one["max_abs_error"] for one in found),
        "max_rel_error": max(one["max_rel_error"] for one in found),
        "pass": all(one["pass"] for one in found),
    }
