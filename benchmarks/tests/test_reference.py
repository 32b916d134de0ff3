# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""fusion-run's reference and PyTorch agree on every kind of workload, and on its inputs bit by bit.

Needs PyTorch (CPU is enough); nothing is compiled for a GPU.
"""

import pathlib
import subprocess
import sys

import numpy
import pytest

torch = pytest.importorskip("torch")

BENCHMARKS = pathlib.Path(__file__).parents[1]
sys.path[:0] = [str(BENCHMARKS / folder) for folder in ("workloads", "gpu", "tests")]

import comparison  # noqa: E402
import families as tables  # noqa: E402
import generate  # noqa: E402
import inputs  # noqa: E402
import peer_worker  # noqa: E402
import peers  # noqa: E402
from test_semantics import representatives, small  # noqa: E402


def same_bits(array, tensor):
    if tensor.dtype == torch.bfloat16:
        return numpy.array_equal(array, tensor.view(torch.int16).numpy().view(numpy.uint16))
    return numpy.array_equal(array, tensor.numpy())


@pytest.mark.parametrize("dtype", tables.DTYPES)
@pytest.mark.parametrize("family, case", list(representatives()))
def test_reference(family, case, dtype, build_folder, tmp_path):
    binary = build_folder / "bin" / "fusion-run"
    if not binary.exists():
        pytest.skip("fusion-run is not built")
    built = generate.workload(family, case["name"], dtype, overrides=small(family, case))
    module = tmp_path / "module.mlir"
    module.write_text(built.text)
    command = [binary, module, "--device=reference", "--seed=1", f"--output-dir={tmp_path}"]
    run = subprocess.run(command, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr

    # Integers are below the smallest size of all inputs, so that they can be indices.
    bound = min(min(shape) for shape, _ in built.inputs)
    arguments = [
        inputs.make_input(shape, element, 1, number, "cpu", bound)
        for number, (shape, element) in enumerate(built.inputs)
    ]
    for number, argument in enumerate(arguments):
        written = numpy.load(tmp_path / f"{built.entry}.input{number}.npy")
        assert same_bits(written, argument), f"input {number}"

    worker = peer_worker.Worker()
    worker.torch, worker.device = torch, "cpu"
    files = {str(number): str(tmp_path / f"made{number}.npy") for number in range(len(arguments))}
    request = {"family": family, "case": built.case, "dtype": dtype, "seed": 1, "files": files}
    worker.write_inputs(request | {"inputs": [(shape, element, bound) for shape, element in built.inputs]})
    for number in range(len(arguments)):
        written = numpy.load(tmp_path / f"{built.entry}.input{number}.npy")
        made = numpy.load(files[str(number)])
        assert made.dtype == written.dtype and numpy.array_equal(made, written), f"file of input {number}"
    expected = peers.peer(family, built.case).reference(arguments, inputs.TYPES[dtype])
    for number, reference in enumerate(expected):
        path = tmp_path / f"{built.entry}.result{number}.npy"
        actual = worker.read(path, dtype, reference.shape).float()
        assert comparison.compare(actual, reference, dtype)["pass"], f"result {number}"
