# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Calls on arrays of a GPU, against a CUDA driver that executes on the emulator. They run
in a process of their own, since the driver is loaded once in a process."""

import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).parents[2]


def test_calls_on_a_gpu(fusion, build_folder):
    driver = build_folder / "unittests" / "fake-cuda" / "libcuda.so.1"
    if not driver.exists():
        pytest.skip("the driver of the tests was not built")
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--rootdir={ROOT}",
         "-o", f"fusion_build={build_folder}", str(pathlib.Path(__file__).with_name("gpu_calls.py"))],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=ROOT)
    assert run.returncode == 0, run.stdout


def test_no_gpu(fusion):
    class Array:
        __cuda_array_interface__ = {"shape": (4,), "typestr": "<f4", "data": (4096, False),
                                    "version": 3}

    program = fusion.compile("func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> "
                             "{ return %a : tensor<4xf32> }")
    try:
        program(Array())
    except (fusion.RunError, TypeError) as error:
        assert "CUDA" in str(error)
    else:
        raise AssertionError("an address of nobody was taken")
    with pytest.raises(TypeError, match="the inputs are on a GPU; the device is 'emulator'"):
        program(Array(), device="emulator")
    with pytest.raises(ValueError, match="only the emulator sanitizes"):
        program(Array(), sanitize=True)
