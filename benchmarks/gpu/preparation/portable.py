# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks the portable tools as a GPU host without LLVM would run them: in a chroot with nothing but the C library."""

import os
import pathlib
import shutil
import subprocess
import tarfile
import tempfile

from calls import package

LIBRARIES = ("/lib64/ld-linux-x86-64.so.2", "/lib/x86_64-linux-gnu/libc.so.6", "/lib/x86_64-linux-gnu/libm.so.6")


class CheckError(RuntimeError):
    pass


def make_root(root, archive):
    """A root with the C library and the unpacked archive."""
    for library in LIBRARIES:
        target = root / library.lstrip("/")
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(os.path.realpath(library), target)
    for folder in ("tmp", "dev", "proc", "case"):
        (root / folder).mkdir(exist_ok=True)
    with tarfile.open(archive, "r:xz") as tar:
        tar.extractall(root, **package.SAFELY)


def run(root, *command, limit=120):
    """Runs a command in the root; needs to be root."""
    done = subprocess.run(
        [shutil.which("chroot") or "/usr/sbin/chroot", root, *command],
        capture_output=True,
        text=True,
        timeout=limit,
        env={"PATH": "/", "HOME": "/tmp"},
    )
    if done.returncode:
        said = (done.stderr or done.stdout).strip()[:500]
        raise CheckError(f"{' '.join(command)} ended with {done.returncode} in the chroot: {said}")
    return done.stdout


def check(archive, unit, case):
    """unit: a folder with module.mlir and plan.json; case: a launch of the corpus (cases.Case). Returns the tool's
    version line."""
    if os.geteuid():
        raise CheckError("a chroot needs root")
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        make_root(root, archive)
        tool = "/fusion-portable/bin/fusion"
        for name in ("module.mlir", "plan.json"):
            shutil.copy(unit / name, root / "case" / name)
        said = run(
            root,
            tool,
            "fusion-run",
            "/case/module.mlir",
            "--manifest=/case/plan.json",
            "--device=emulator",
            "--json=/case/run.json",
        )
        case.write(root / "case" / "launch")
        shutil.copy(case.ptx, root / "case" / "kernels.ptx")
        run(root, tool, "fusion-emulate", "/case/kernels.ptx", "--launch=/case/launch/launch.json")
        problems = case.problems(case.results(root / "case" / "launch"))
        if problems:
            raise CheckError(f"fusion-emulate in the chroot: {'; '.join(problems)}")
    return (said.strip().splitlines() or [""])[-1]
