# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PyTorch's own samples of its operators: right, or left to PyTorch."""

import warnings

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

# Some of each family, a sample each. All of them, with all types, run nightly.
QUICK = """
add mul div.floor_rounding remainder pow where clamp exp tanh erf sigmoid nn.functional.gelu
isnan sum mean var amax argmax cumsum logsumexp softmax log_softmax
nn.functional.layer_norm nn.functional.group_norm nn.functional.rms_norm mm bmm addmm matmul
nn.functional.linear nn.functional.scaled_dot_product_attention nn.functional.embedding gather
index_select cat narrow roll flip tril nn.functional.pad.constant expand permute
nn.functional.conv2d nn.functional.conv_transpose2d nn.functional.avg_pool2d
nn.functional.hardswish nn.functional.cross_entropy nn.functional.mse_loss
nn.functional.interpolate.bilinear nn.functional.max_pool2d nn.functional.adaptive_max_pool2d
index_put index_copy index_fill
""".split()


# A third of these operators runs on the emulator, too.
QUICK_ON_EMULATOR = QUICK[::3]


def run(names, types, samples, chip):
    import operator_samples as samples_of
    from torch.testing._internal.common_methods_invocations import op_db

    total = samples_of.Outcome()
    operators = set()
    for op in op_db:
        if names is not None and samples_of.name_of(op) not in names:
            continue
        right = 0
        for type in types:
            outcome = samples_of.check(op, samples_of.DTYPES[type], samples, chip)
            name = f"{samples_of.name_of(op)} {type}: "
            total.wrong += [name + text for text in outcome.wrong]
            total.uncompiled += [name + text for text in outcome.uncompiled]
            total.operators |= outcome.operators
            total.declined += outcome.declined
            right += outcome.right
        total.right += right
        if right:
            operators.add(samples_of.name_of(op))
    return total, operators


def say(capsys, total, operators):
    with capsys.disabled():
        print(f"\n{len(operators)} operators of PyTorch's tests, {len(total.operators)} of ATen: "
              f"{total.right} samples right, {total.declined} declined, "
              f"{len(total.uncompiled)} parts did not compile")


@pytest.mark.parametrize("names, chip", [(QUICK, "host"), (QUICK_ON_EMULATOR, "sm_80")], ids=["host", "sm_80"])
def test_some(front, capsys, names, chip):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        total, operators = run(set(names), ["f32"], 1, chip)
    say(capsys, total, operators)
    assert not total.wrong and not total.uncompiled
    assert operators == set(names)


@pytest.mark.nightly
@pytest.mark.parametrize("chip", ["host", "sm_80"])
@pytest.mark.parametrize("type", ["f32", "f16", "bf16"])
def test_all(front, capsys, type, chip):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        total, operators = run(None, [type], None, chip)
    say(capsys, total, operators)
    assert not total.wrong, "\n".join(total.wrong[:50])
    assert len(operators) >= 350
