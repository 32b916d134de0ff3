# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Figures that pages give and that the tools print: Chimera's chain G2 in the README, counted by the emulator, and the
# table of Chimera's chains of convolutions in docs/convolutions.md, predicted.
# RUN: %python %s %t

import json
import os
import re
import subprocess
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
folder = sys.argv[1]
os.makedirs(folder, exist_ok=True)


def page(name):
    with open(os.path.join(ROOT, name)) as file:
        return file.read()


def generate(family, case):
    path = os.path.join(folder, f"{family}-{case}.mlir")
    generator = os.path.join(ROOT, "benchmarks", "workloads", "generate.py")
    subprocess.run([sys.executable, generator, f"--family={family}", f"--case={case}", "-o", path], check=True)
    return path


def check_readme():
    text = " ".join(page("README.md").split())
    said = r"counts ([\d,]+) bytes loaded and ([\d,]+) stored, both as predicted, and no bank conflict"
    loaded, stored = (int(number.replace(",", "")) for number in re.search(said, text).groups())
    path = generate("gemm_chains_chimera", "G2")
    subprocess.run(["fusion-run", path, "--chip=sm_80", "--device=emulator", f"--json={path}.json"], check=True,
                   stdout=subprocess.DEVNULL)  # fmt: skip
    with open(path + ".json") as file:
        (report,) = json.load(file)
    (kernel,) = report["kernels"]
    counters, predicted = kernel["counters"], kernel["predicted"]
    assert (counters["global_load_bytes"], counters["global_store_bytes"]) == (loaded, stored), counters
    assert (predicted["global_load_bytes"], predicted["global_store_bytes"]) == (loaded, stored), predicted
    assert counters["shared_bank_conflicts"] == 0 and report["max_abs_error"] == 0, report


def predicted_of(case):
    """(one kernel, two kernels) in us and the tiling expressions of what is chosen."""
    path = generate("conv_chains_chimera", case)
    done = subprocess.run(["fusion-opt", path, "--fuse-to-groups=chip=sm_80", "--remarks-filter=fuse"], check=True,
                          capture_output=True, text=True)  # fmt: skip
    # The first remark with both: that of a window that the first contraction is inlined into, or of the chain.
    both = r"predicted ([\d.]+) us (?:fused )?against ([\d.]+) us (?:apart|separately)"
    one, two = re.search(both, done.stderr).groups()
    return (float(one), float(two)), re.findall(r'tiling = <"([^"]*)"', done.stdout)


def check_convolutions():
    row = r"^\| (C\d) \| [^|]* \| ([\d.]+) us \| ([\d.]+) us \| ([^|]*) \|$"
    rows = re.findall(row, page("docs/convolutions.md"), re.MULTILINE)
    assert len(rows) == 8, rows
    for case, one, two, chosen in rows:
        times, expressions = predicted_of(case)
        assert all(abs(time - float(given)) < 0.0501 for time, given in zip(times, (one, two))), (case, times)
        if chosen.startswith("two kernels"):
            assert len(expressions) == 2 and times[0] > times[1], (case, expressions)
        else:
            assert expressions == [chosen.split("`")[1]] and times[0] < times[1], (case, expressions)


check_readme()
check_convolutions()
