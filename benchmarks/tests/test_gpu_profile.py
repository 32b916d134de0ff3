# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""benchmarks/gpu/profile with stand-ins for ncu and fusion-run."""

import pathlib
import shutil
import sys

import pytest

HERE = pathlib.Path(__file__).parent
GPU = HERE.parent / "gpu"
sys.path.insert(0, str(GPU))

import record  # noqa: E402
import script_modules  # noqa: E402

# Says what it was called with, and what it is told to.
NCU = """#!{python}
import pathlib, subprocess, sys
here = pathlib.Path(__file__).parent
with open(here / "ncu-calls", "a") as calls:
    calls.write(" ".join(sys.argv[1:]) + "\\n")
log = next(a.partition("=")[2] for a in sys.argv if a.startswith("--log-file="))
start = next(i for i, a in enumerate(sys.argv) if a.endswith("fusion-run"))
code = subprocess.run(sys.argv[start:]).returncode
pathlib.Path(log).write_text((here / "says").read_text())
sys.exit(code)
"""


def program(path, text):
    path.write_text(text.replace("{python}", sys.executable))
    path.chmod(0o755)


@pytest.fixture
def host(tmp_path, monkeypatch):
    fake = (HERE / "fake_fusion_run.py").read_text().splitlines()[1:]
    program(tmp_path / "fusion-run", "\n".join(["#!{python}", *fake, ""]))
    program(tmp_path / "ncu", NCU)
    (tmp_path / "behaviour").write_text("zeros")
    (tmp_path / "says").write_text("==PROF== Profiling k\n  Issue Slots Busy 40 %\n")
    gpu = {"name": "NVIDIA H200", "compute_cap": "9.0"}
    monkeypatch.setattr(record, "gpu", lambda: gpu)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.delenv("CUDA_HOME", raising=False)
    return tmp_path


def profile(host, *arguments):
    common = ["--family=gemm_chains_mcfuser", "--case=G1", "--dtype=f16", f"--fusion-run={host / 'fusion-run'}"]
    return script_modules.load_anew("profile").main([*common, f"--results={host / 'results'}", *arguments])


def test_profile(host, capsys):
    assert profile(host) == 0
    path = host / "results" / "profiles" / "gemm_chains_mcfuser-G1-f16.txt"
    assert capsys.readouterr().out.strip() == str(path)
    text = path.read_text()
    assert "without ncu: 12.5 us" in text and "2. k grid [1, 1, 1]" in text and "Issue Slots Busy 40 %" in text
    (call,) = (host / "ncu-calls").read_text().splitlines()
    assert "--launch-skip=0 --launch-count=2" in call and "--clock-control=none" in call
    assert "--section=ComputeWorkloadAnalysis" in call and "--section=WarpStateStats" in call
    assert "--device=cuda --seed=1 --chip=h200" in call and "--reference=none" in call


def test_one_launch_and_a_set(host):
    assert profile(host, "--launch=2", "--set=full") == 0
    (call,) = (host / "ncu-calls").read_text().splitlines()
    assert "--set full" in call and "--section" not in call and "--launch-skip=1 --launch-count=1" in call


@pytest.mark.parametrize(
    "says, message",
    [
        ("==ERROR== ERR_NVGPUCTRPERM - The user does not have permission", "lets only administrators"),
        ("==ERROR== Failed to initialize the profiler: LibraryNotLoaded", "Failed to initialize the profiler"),
        ("==WARNING== No kernels were profiled.", "No kernels were profiled"),
    ],
)
def test_ncu_fails(host, capsys, says, message):
    (host / "says").write_text(f"==PROF== Connected\n{says}\n")
    assert profile(host) == 1
    assert message in capsys.readouterr().err and not (host / "results").exists()


def test_errors(host, capsys):
    assert profile(host, "--launch=3") == 1 and "the plan has 2 launches" in capsys.readouterr().err
    assert profile(host, "--case=none") == 1 and "no workload" in capsys.readouterr().err
    (host / "behaviour").write_text("crash")
    assert profile(host) == 1 and "this is broken" in capsys.readouterr().err
    assert not (host / "ncu-calls").exists()


def test_without_ncu(host, capsys, monkeypatch):
    (host / "ncu").unlink()
    if shutil.which("ncu"):
        pytest.skip("there is an ncu")
    assert profile(host) == 1 and "no ncu: Nsight Compute is wanted" in capsys.readouterr().err
    assert profile(host, "--ncu=/none/ncu") == 1 and "no /none/ncu" in capsys.readouterr().err


def test_without_gpu(host, capsys, monkeypatch):
    monkeypatch.setattr(record, "gpu", lambda: {})
    assert profile(host) == 1 and "error: no GPU" in capsys.readouterr().err
