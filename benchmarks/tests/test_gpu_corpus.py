# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The comparison of the corpus with a GPU, on a driver that executes on the emulator."""

import pathlib
import subprocess
import sys

import pytest

GPU = pathlib.Path(__file__).parents[1] / "gpu"
sys.path.insert(0, str(GPU))

import script_modules  # noqa: E402

corpus = script_modules.load_anew("corpus")


@pytest.fixture
def compare(build_folder, tmp_path):
    driver = build_folder / "unittests" / "fake-cuda" / "libcuda.so.1"
    if not driver.exists():
        pytest.skip("the fake driver is not built")

    def run(*arguments):
        command = [sys.executable, GPU / "corpus", f"--driver={driver}", f"--results={tmp_path}"]
        command.append(f"--fusion-emulate={build_folder / 'bin' / 'fusion-emulate'}")
        answer = subprocess.run([*command, *arguments], capture_output=True, text=True, timeout=300)
        table = tmp_path / "corpus.md"
        return answer, table.read_text() if table.exists() else ""

    return run


def test_equal(compare):
    answer, table = compare("vector_add", "gemm_t*", "half_axpy", "compact_aggregated", "integers_64")
    assert answer.returncode == 0, answer.stdout + answer.stderr
    assert "| vector_add | basics | 2 | equal | 0 of" in table
    assert "6 kernels: 6 equal." in table


def test_left_out(compare):
    answer, table = compare("bulk_reduce", "vector_add")
    assert answer.returncode == 0
    assert "| bulk_reduce | hopper_copies |  | left out |  | for sm_90a alone |" in table


def test_errors(compare, tmp_path):
    answer, _ = compare("no such kernel")
    assert answer.returncode == 1 and "no kernel is selected" in answer.stderr
    answer, _ = compare("vector_add", f"--driver={tmp_path / 'none.so'}")
    assert answer.returncode == 1 and "no CUDA driver" in answer.stderr


class LaunchLibrary:
    """Stands for the driver: keeps the attributes of the launch."""

    def cuModuleGetFunction(self, function, module, name):
        return 0

    def cuFuncSetAttribute(self, function, attribute, value):
        return 0

    def cuLaunchKernelEx(self, config, function, parameters, extra):
        config = config._obj
        found = [config.attributes[number] for number in range(config.count)]
        self.attributes = [(attribute.id, list(attribute.value)[:3]) for attribute in found]
        return 0


# CUlaunchAttributeID of cuda.h.
COOPERATIVE, CLUSTER_DIMENSION = 2, 4


@pytest.mark.parametrize(
    "name, attributes",
    [
        ("vector_add", []),
        ("grid_rotate", [(COOPERATIVE, [1, 0, 0])]),
        ("cluster_multicast", [(CLUSTER_DIMENSION, [2, 1, 1])]),
    ],
)
def test_attributes_of_launches(name, attributes):
    """Barriers of the grid need a cooperative launch, clusters their size."""
    pytest.importorskip("numpy")
    sys.path.insert(0, str(next(place for place in corpus.CORPORA if place.is_dir())))
    import cases

    cases.kernels()
    case = cases.cases_of(name)[0]
    case.args = []
    device = corpus.cuda_driver.Device.__new__(corpus.cuda_driver.Device)
    device.library = LaunchLibrary()
    device._launch(None, case, [], [])
    assert device.library.attributes == attributes


class FakeCase:
    """One output byte: 0 is right, 1 too; the emulator gives 0."""

    inexact = ""

    def __init__(self, ptx):
        self.ptx = str(ptx)

    def problems(self, results):
        return [] if results[0] in (b"\0", b"\1") else ["buffer 0: wrong"]


class FakeDevice:
    capability = 90

    def __init__(self, result):
        self.result = result

    def run(self, module, case):
        if self.result is None:
            raise corpus.cuda_driver.DriverError("cuLaunchKernelEx: CUDA_ERROR_LAUNCH_FAILED (719)")
        return [self.result]


@pytest.mark.parametrize(
    "result, inexact, verdict",
    [
        (b"\0", "", "equal"),
        (b"\1", "approximate functions", "right"),
        (b"\1", "", "DIFFERENT"),
        (b"\2", "approximate functions", "WRONG"),
        (None, "", "error"),
    ],
)
def test_verdicts(tmp_path, monkeypatch, result, inexact, verdict):
    ptx = tmp_path / "kernel.ptx"
    ptx.write_text(".version 8.0\n.target sm_90a\n")
    case = FakeCase(ptx)
    case.inexact = inexact
    monkeypatch.setattr(corpus, "emulate", lambda binary, case, folder: [b"\0"])
    modules = type("Modules", (), {"get": lambda self, path: None})()
    row = corpus.compare_kernel(FakeDevice(result), modules, "fusion-emulate", [case])
    assert row["verdict"] == verdict
    assert verdict in corpus.table([("kernel", "source", row)], "a GPU")


def test_targets():
    assert corpus.unsupported(".version 8.0\n.target sm_80\n", 90) is None
    assert corpus.unsupported(".version 8.0\n.target sm_90\n", 80) == "for sm_90 and later"
    assert corpus.unsupported(".version 8.0\n.target sm_90a\n", 90) is None
    assert corpus.unsupported(".version 8.0\n.target sm_90a\n", 100) == "for sm_90a alone"
