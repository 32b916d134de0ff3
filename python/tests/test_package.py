# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The package as users install it: `pip install ./python`, and what is found through its metadata."""

import importlib.metadata
import importlib.util
import os
import pathlib
import shutil
import subprocess
import sys
import textwrap

import pytest

ROOT = pathlib.Path(__file__).parents[2]
USE = """
import sys
import torch

x = torch.linspace(-1, 1, 12)
with torch.no_grad():
    y = torch.compile(lambda x: x.exp() + 1, backend="fusion", options={"strict": True, "cache_dir": ""})(x)
torch.testing.assert_close(y, x.exp() + 1)
import fusion
print(fusion.__file__)
"""


def project():
    """The project's table in pyproject.toml."""
    tomllib = pytest.importorskip("tomllib", reason="Python has no reader of TOML before 3.11")
    return tomllib.loads((ROOT / "python" / "pyproject.toml").read_text())["project"]


def use(folder, script=USE):
    """Runs a script that knows the package from a folder alone."""
    run = subprocess.run([sys.executable, "-c", script], env={**os.environ, "PYTHONPATH": str(folder)}, text=True,
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=folder)
    assert run.returncode == 0, run.stderr
    return run.stdout


@pytest.fixture
def installed(fusion, build_folder, tmp_path):
    """The package and its metadata in a folder, laid out as installers do."""
    table = project()
    shutil.copytree(build_folder / "python" / "fusion", tmp_path / "fusion",
                    ignore=shutil.ignore_patterns("__pycache__"))
    name = f"{table['name'].replace('-', '_')}-{table['version']}.dist-info"
    info = tmp_path / name
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {table['name']}\nVersion: {table['version']}\n")
    (info / "entry_points.txt").write_text("".join(
        f"[{group}]\n" + "".join(f"{key} = {value}\n" for key, value in entries.items())
        for group, entries in table["entry-points"].items()))
    return tmp_path


def test_metadata(installed):
    """torch.compile finds the backend by its name: nothing was imported before."""
    (found,) = importlib.metadata.distributions(name=project()["name"], path=[str(installed)])
    (entry,) = found.entry_points
    assert (entry.group, entry.name, entry.value) == ("torch_dynamo_backends", "fusion", "fusion.torch:backend")
    pytest.importorskip("torch", reason="PyTorch is not installed")
    assert use(installed).strip() == str(installed / "fusion" / "__init__.py")


def test_version(fusion):
    assert fusion.version().startswith(f"Fusion {project()['version']}, LLVM ")


@pytest.mark.nightly
def test_pip(fusion, build_folder, tmp_path):
    """`pip install ./python` with what is installed, without a network: the whole compiler is built."""
    for module in ("scikit_build_core", "nanobind"):
        pytest.importorskip(module, reason=f"{module} is not installed, and pip is not to fetch it")
    run = subprocess.run(
        [sys.executable, "-m", "pip", "install", "--no-build-isolation", "--no-deps", "--no-index",
         "--target", tmp_path / "there", f"--config-settings=build-dir={build_folder / 'wheel'}", ROOT / "python"],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert run.returncode == 0, run.stdout[-4000:]
    said = use(tmp_path / "there", textwrap.dedent("""
        import fusion, numpy as np
        program = fusion.compile('''func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> {
          %e = tensor.empty() : tensor<4xf32>
          %r = linalg.exp ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
          return %r : tensor<4xf32>
        }''')
        print(program(np.zeros(4, np.float32)), fusion.__file__)
    """))
    assert said.startswith("[1. 1. 1. 1.]") and str(tmp_path) in said
    if importlib.util.find_spec("torch"):
        use(tmp_path / "there")
