# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The prepared folder: plans, machine code and results are collected in a tree, then packed."""

import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import tarfile
import tempfile

from calls import package


class Tree:
    """What becomes units.tar.xz. The same plan lies there once."""

    def __init__(self, folder, ptxas):
        self.folder, self.ptxas = pathlib.Path(folder), ptxas
        self.folder.mkdir(parents=True, exist_ok=True)
        self.known, self.assembled = {}, {}

    def add(self, name, module, manifest, functions=None):
        """The folder of a plan, relative to the tree. functions: what is known of each of the plan's."""
        text = json.dumps(manifest)
        if (module, text) not in self.known:
            target = self.folder / name
            target.mkdir(parents=True, exist_ok=True)
            (target / "module.mlir").write_text(module)
            (target / "plan.json").write_text(text)
            if functions is not None:
                (target / "functions.json").write_text(json.dumps(functions))
            self.known[module, text] = name
        return self.known[module, text]

    def assemble(self, ptx, arch):
        """Machine code of a PTX text for `arch`. Returns ptxas's message where ptxas makes no machine code."""
        name = package.cubin_name(ptx, arch)
        if name not in self.assembled:
            self.assembled[name] = self._assemble(ptx, arch, self.folder / "cubins" / name)
        return self.assembled[name]

    def _assemble(self, ptx, arch, output):
        if self.ptxas is None:
            return None
        output.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder) / "kernels.ptx"
            source.write_text(ptx)
            done = subprocess.run([self.ptxas, f"-arch={arch}", "-o", output, source], capture_output=True, text=True)
        if done.returncode:
            output.unlink(missing_ok=True)
            return (done.stderr.strip() or "no message").splitlines()[0][:300]
        return None


def arch_of(ptx, capability=90):
    """What fusion-run assembles PTX for on a device: its target where that is the device's chip with a suffix, else the
    chip."""
    number, suffix = re.search(r"^\s*\.target\s+sm_(\d+)(\w?)", ptx, re.MULTILINE).groups()
    return f"sm_{number}{suffix}" if int(number) == capability else f"sm_{capability}"


def tracked_bytes(root):
    """Bytes of the working tree that travels beside the folder; 0 where it is no checkout."""
    listed = subprocess.run(["git", "-C", root, "ls-files", "-z"], capture_output=True, text=True)
    paths = [pathlib.Path(root) / name for name in listed.stdout.split("\0") if name]
    return sum(path.stat().st_size for path in paths if path.is_file())


def pack(tree, tools, index, output, beside=0):
    """Writes the prepared folder as a whole. Returns its bytes; raises RuntimeError above what travels with `beside`
    bytes of other files."""
    partial = output.with_name(output.name + ".partial")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)
    with tarfile.open(partial / package.UNITS, "w:xz", preset=6) as tar:
        tar.add(tree, arcname=".")
    if tools:
        shutil.copy(tools, partial / package.TOOLS)
    index = index | {"version": package.VERSION}
    index["fingerprint"] = package.fingerprint(index)
    (partial / package.INDEX).write_text(json.dumps(index, indent=1, sort_keys=True) + "\n")
    total = sum(path.stat().st_size for path in partial.iterdir())
    if total + beside > package.MOST_BYTES:
        raise RuntimeError(
            f"{partial} has {total} bytes; with {beside} of the working tree at most {package.MOST_BYTES} travel"
        )
    shutil.rmtree(output, ignore_errors=True)
    os.replace(partial, output)
    return total


def digest_of_tree(tree):
    """{file: sha256} of plans and modules, for the fingerprint."""
    return {
        str(path.relative_to(tree)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(pathlib.Path(tree).rglob("*"))
        if path.is_file()
    }


def in_parallel(jobs, function, items):
    """function(item) of each, in order."""
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        return list(pool.map(function, items))
