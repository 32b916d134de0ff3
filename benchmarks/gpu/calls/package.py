# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The prepared folder: everything that a call needs beside the working tree, compiled beforehand.

    package.json              what there is (below)
    units.tar.xz              features/NAME/, timings/NAME/CHIP/ and drawn/NAME/CHIP/: module.mlir and plan.json; cubins/;
                              corpus/. In drawn/ also functions.json: [{"name", "schedule", "predicted": {model: us}}]
    fusion-portable.tar.xz    the tools (scripts/package-portable); absent where the package was made for a build folder

package.json: {"version", "fingerprint", "commit", "date", "chips", "features": [entry], "timings": [entry], "drawn":
[entry], "profiles": [names of timings], "corpus": [kernels], "left_out" and
"unavailable" (variants that are not legal): {name: reason}}. An entry of features: {"name", "kind", "feature",
"folder", "options", "emulated"}; of timings: {"name", "family", "case", "dtype", "overrides", "variant", "phase",
"kinds": {chip: names}, "folders": {chip: folder}, "options", "predicted_us": {chip: us}, "peers"}; of drawn: {"family",
"case", "dtype", "overrides", "folders"}.
"""

import hashlib
import json
import os
import pathlib
import stat
import tarfile

VERSION = 2
INDEX, UNITS, TOOLS = "package.json", "units.tar.xz", "fusion-portable.tar.xz"
# The files for the GPU host in one folder.
MOST_BYTES = 64 * 2**20
# Python before 3.11.4 does not know of filters.
SAFELY = {"filter": "tar"} if hasattr(tarfile, "tar_filter") else {}


class Package:
    """A prepared folder. Raises RuntimeError where the file is no package."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        path = self.folder / INDEX
        try:
            self.index = json.loads(path.read_text())
        except (OSError, ValueError) as error:
            raise RuntimeError(f"{self.folder} is not prepared (benchmarks/gpu/prepare): {error}") from None
        if self.index.get("version") != VERSION:
            raise RuntimeError(f"{path} has version {self.index.get('version')}, not {VERSION}: prepare it again")

    @property
    def fingerprint(self):
        return self.index["fingerprint"]

    def unpack(self, target):
        """Into a folder. Returns the multi-call binary, or None where the package has none."""
        target.mkdir(parents=True, exist_ok=True)
        for name in (UNITS, TOOLS):
            if (self.folder / name).exists():
                with tarfile.open(self.folder / name, "r:xz") as tar:
                    tar.extractall(target, **SAFELY)
        binary = target / "fusion-portable" / "bin" / "fusion"
        return binary if binary.exists() else None


def fingerprint(index):
    """The digest of plans, options and tools; not of when or where they were made."""
    text = json.dumps(
        {key: value for key, value in index.items() if key not in ("date", "fingerprint", "commit")}, sort_keys=True
    )
    return hashlib.sha256(text.encode()).hexdigest()


def cubin_name(ptx, arch):
    return f"{hashlib.sha256(ptx.encode()).hexdigest()}-{arch}.cubin"


# Stands for ptxas on PATH: fusion-run passes the PTX of a plan in a file.
_PTXAS = """#!/bin/bash
# Machine code that was assembled beforehand; else the real ptxas.
for word in "$@"; do
  case "$word" in
    -arch=*) arch="${word#-arch=}" ;;
    *.ptx) input="$word" ;;
    *.cubin) output="$word" ;;
  esac
done
if [[ -n "$input" && -n "$output" ]]; then
  digest="$(sha256sum "$input")"
  known="CUBINS/${digest%% *}-$arch.cubin"
  [[ -f "$known" ]] && exec cp "$known" "$output"
fi
REST
"""


def write_ptxas(folder, cubins, real):
    """Writes folder/ptxas. real: the ptxas for what is not known, or None."""
    folder.mkdir(parents=True, exist_ok=True)
    rest = (
        f'exec "{real}" "$@"'
        if real
        else 'echo "ptxas: no machine code was prepared, and there is no ptxas" >&2; exit 1'
    )
    path = folder / "ptxas"
    path.write_text(_PTXAS.replace("CUBINS", str(cubins)).replace("REST", rest))
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


# Where CUDA's tools are on hosts that do not have them on PATH.
CUDA_TOOLS = "/usr/local/cuda/bin"


def environment(tools=None):
    """Ours with CUDA's tools behind, and `tools` in front."""
    folders = [*([str(tools)] if tools else []), os.environ.get("PATH", os.defpath), CUDA_TOOLS]
    return dict(os.environ, PATH=os.pathsep.join(folders))
