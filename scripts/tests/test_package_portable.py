# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The portable package: what the check refuses, and (nightly) that the package works."""

import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).parents[2]
SCRIPT = ROOT / "scripts" / "package-portable"
TOOLS = ("fusion-opt", "fusion-translate", "fusion-run", "fusion-emulate")


def compile_c(tmp_path, text, *options):
    source, binary = tmp_path / "main.c", tmp_path / "main"
    source.write_text(text)
    subprocess.run(["clang-22", source, "-o", binary, *options], check=True)
    return binary


def check(binary):
    return subprocess.run([SCRIPT, f"--check={binary}"], capture_output=True, text=True)


def test_the_c_library_is_allowed(tmp_path):
    text = "#include <math.h>\nint main(int n, char **v) { return (int)sin(n); }"
    run = check(compile_c(tmp_path, text, "-lm"))
    assert run.returncode == 0, run.stderr
    assert "libm.so.6" in run.stdout and "libc.so.6" in run.stdout


def test_other_libraries_are_refused(tmp_path):
    run = check(compile_c(tmp_path, "int main(void) { return 0; }", "-Wl,--no-as-needed", "-lz"))
    assert run.returncode == 1
    assert "needs more than the C library: libz.so.1" in run.stderr


def test_a_newer_c_library_is_refused(tmp_path):
    # arc4random came with glibc 2.36.
    text = "#include <stdlib.h>\nint main(void) { return arc4random() == 0; }"
    run = check(compile_c(tmp_path, text))
    assert run.returncode == 1 and "needs glibc 2.36; at most 2.35" in run.stderr


def test_a_missing_file(tmp_path):
    run = check(tmp_path / "none")
    assert run.returncode == 1 and "no file" in run.stderr


@pytest.mark.nightly
def test_the_package_works(tmp_path):
    archive = tmp_path / "fusion.tar.xz"
    run = subprocess.run([SCRIPT, f"--output={archive}"], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    assert list(tmp_path.iterdir()) == [archive], "what was written beside it is renamed"
    subprocess.run(["tar", "-xf", archive, "-C", tmp_path], check=True)
    package = tmp_path / "fusion-portable"
    for tool in TOOLS:
        run = subprocess.run([package / "bin" / tool, "--help"], capture_output=True, text=True)
        assert run.returncode == 0 and run.stdout, f"{tool}: {run.stderr}"
    generated = subprocess.run(
        [package / "benchmarks" / "workloads" / "generate.py", "--chain=32,16,24,8", "--2d"],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    lowered = subprocess.run(
        [package / "bin" / "fusion", "fusion-opt", "--fuse-to-nvvm=chip=sm_80"],
        input=generated,
        capture_output=True,
        text=True,
    )
    assert lowered.returncode == 0, lowered.stderr
    ptx = subprocess.run(
        [package / "bin" / "fusion-translate", "--fuse-to-ptx"],
        input=lowered.stdout,
        capture_output=True,
        text=True,
    )
    assert ptx.returncode == 0 and ".visible .entry" in ptx.stdout
    dry_run = subprocess.run(
        [package / "benchmarks" / "gpu" / "run", "--dry-run"], capture_output=True, text=True
    )
    assert dry_run.returncode == 0 and str(package / "bin" / "fusion") in dry_run.stdout
