# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# The lit suite. The folders mirror lib/; a test is a file with RUN lines.
#
# Features:
#   ptxas        an assembler for PTX was found (PATH, CUDA_HOME or the Python environment of the build)
#   nvcc, nvdisasm
#                the CUDA compiler and disassembler were found in the same places
#   cuda-driver  the NVIDIA driver is installed and lists a GPU
#   presubmit, full, nightly
#                tests of that tier are wanted (--param tier=NAME, scripts/test --tier=NAME). A test is of the tier
#                smoke unless the lit.local.cfg of its folder requires a later one, or the test does (REQUIRES: full)
#   asan         the build is instrumented
#   python-package  the Python package was built
#   benchmarks   the benchmark programs were built
#   gmpy2        the Python environment of the build has gmpy2, hence MPFR
#
# Substitutions: our tools by name, FileCheck and not by name, %ptxas, %nvcc, %python, %mlir-opt,
# %mlir-runner, %host_cc, %host_cxx, %source_root, %build_root, %sample (--sample in the tiers before full: scripts with many cases run some
# of them, see Integration/Inputs/sample.py), and lit's own (%s, %t, %S, %{sep} …).

import ctypes
import glob
import os
import shutil
import subprocess

import lit.formats

config.name = "Fusion"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test", ".py", ".ptx"]
config.excludes = ["lib", "lit.cfg.py", "markdown_format.py", "lit.site.cfg.py", "CMakeLists.txt", "Inputs", "corpus",
                   "__pycache__"]
config.test_source_root = os.path.dirname(__file__)


def find_cuda_tool(name):
    """PATH first, then CUDA_HOME, then NVIDIA's package in the Python environment of the build."""
    found = shutil.which(name)
    if found:
        return found
    folders = []
    if os.environ.get("CUDA_HOME"):
        folders.append(os.path.join(os.environ["CUDA_HOME"], "bin"))
    folders += sorted(
        glob.glob(config.fusion_venv + "/lib/python3*/site-packages/nvidia/*/bin"),
        reverse=True,
    )
    for folder in folders:
        found = shutil.which(name, path=folder)
        if found:
            return found
    return None


def has_gpu():
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return False
    count = ctypes.c_int(0)
    return (
        driver.cuInit(0) == 0
        and driver.cuDeviceGetCount(ctypes.byref(count)) == 0
        and count.value > 0
    )


def tool(name, folder):
    """Replaces the bare word NAME by its path, but not inside another word, path or option."""
    config.substitutions.append(
        (r"(?<![\w./-])%s(?![\w./-])" % name, os.path.join(folder, name))
    )


# A tool that is not built makes its tests fail with "command not found", which is what they should do.
for name in ("fusion-opt", "fusion-translate", "fusion-run", "fusion-emulate", "fusion-reduce", "fusion-lsp-server",
             "fusion-test-opt"):
    tool(name, config.fusion_tools_dir)
for name in ("FileCheck", "not", "split-file", "count"):
    tool(name, config.llvm_tools_dir)

config.substitutions += [
    ("%python", '"%s"' % config.python_executable),
    ("%mlir-opt", os.path.join(config.llvm_tools_dir, "mlir-opt")),
    ("%mlir-runner", os.path.join(config.llvm_tools_dir, "mlir-runner")),
    ("%mlir-translate", os.path.join(config.llvm_tools_dir, "mlir-translate")),
    ("%llvm-nm", os.path.join(config.llvm_tools_dir, "llvm-nm")),
    ("%source_root", config.fusion_source_root),
    ("%build_root", config.fusion_build_root),
    ("%host_cxx", config.host_cxx),
    ("%host_cc", config.host_cc),
]

# python3 is the interpreter that the package was built for.
path = [config.fusion_tools_dir, config.llvm_tools_dir, os.path.dirname(config.python_executable)]
if glob.glob(config.fusion_build_root + "/python/fusion/_native*"):
    config.available_features.add("python-package")
for name in ("ptxas", "nvcc", "nvdisasm"):
    found = find_cuda_tool(name)
    if found:
        config.available_features.add(name)
        config.substitutions.append(("%" + name, found))
        # fusion-run looks for ptxas on PATH.
        path.append(os.path.dirname(found))
    else:
        lit_config.note(
            "no %s on PATH, under CUDA_HOME or in the build's Python environment: "
            "tests that need it are unsupported" % name
        )

if subprocess.run([config.python_executable, "-c", "import gmpy2"], capture_output=True).returncode == 0:
    config.available_features.add("gmpy2")
else:
    lit_config.note("no gmpy2 in the build's Python environment: tests that compare with MPFR are unsupported")
if os.path.exists(os.path.join(config.fusion_tools_dir, "schedule-search-benchmark")):
    config.available_features.add("benchmarks")
if has_gpu():
    config.available_features.add("cuda-driver")
if config.sanitized:
    config.available_features.add("asan")
TIERS = ("smoke", "presubmit", "full", "nightly")
tier = lit_config.params.get("tier", "presubmit")
if tier not in TIERS:
    lit_config.fatal("no tier '%s' (%s)" % (tier, ", ".join(TIERS)))
config.available_features.update(TIERS[: TIERS.index(tier) + 1])
config.substitutions.append(("%sample", "" if "full" in config.available_features else "--sample"))

# A hanging test ends, where lit is able to end it.
try:
    import psutil  # noqa: F401

    # Nightly ones break every kernel in every way, and build fuzzers.
    lit_config.maxIndividualTestTime = 7200 if "nightly" in config.available_features else 900
except ImportError:
    pass

config.environment["PATH"] = os.pathsep.join(path + [os.environ.get("PATH", "")])
config.environment["PYTHONPATH"] = os.pathsep.join(
    [os.path.join(config.fusion_build_root, "python"), config.fusion_source_root]
)
config.environment["PYTHONDONTWRITEBYTECODE"] = "1"
