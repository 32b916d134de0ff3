# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Ctrl-C beside a launch of fusion-run ends it soon and loses nothing that was finished: in the reference, and while it compiles.
# RUN: %python %source_root/benchmarks/workloads/generate.py --chain=1024,1024,1024,1024,1024,1024,1024 -o %t.chain.mlir
# RUN: %python %s %t

import json
import pathlib
import signal
import subprocess
import sys
import time

path = sys.argv[1]
PRODUCT = """func.func @{0}(%a: tensor<{1}x{1}xf64>, %b: tensor<{1}x{1}xf64>, %c: tensor<{1}x{1}xf64>) -> tensor<{1}x{1}xf64> {{
  %r = linalg.matmul ins(%a, %b : tensor<{1}x{1}xf64>, tensor<{1}x{1}xf64>) outs(%c : tensor<{1}x{1}xf64>) -> tensor<{1}x{1}xf64>
  return %r : tensor<{1}x{1}xf64>
}}
"""


def start(*options):
    return subprocess.Popen(
        ["fusion-run", *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )  # fmt: skip


def interrupt(process, seconds):
    """What the process says from now on; it ends with exit code 1 within so many seconds."""
    begin = time.monotonic()
    process.send_signal(signal.SIGINT)
    report, messages = process.communicate()
    taken = time.monotonic() - begin
    assert process.returncode == 1 and taken < seconds, (process.returncode, taken, report, messages)
    return report, messages


# The second function would take the reference minutes. The report of the first is there.
pathlib.Path(path + ".mlir").write_text(PRODUCT.format("small", 8) + PRODUCT.format("large", 6000))
process = start(path + ".mlir", "--device=reference", f"--json={path}.json")
assert process.stdout.readline() == "small on reference\n"
while process.stdout.readline() != "  done\n":
    assert process.poll() is None
time.sleep(2)
report, messages = interrupt(process, 10)
assert report == "large on reference\n  error: stopped by Ctrl-C before the results were compared\n", report
assert messages == "fusion-run: error: stopped by Ctrl-C before the results were compared\n", messages
small, large = json.loads(pathlib.Path(path + ".json").read_text())
assert (small["entry"], small["error"]) == ("small", None) and small["results"], small
assert (large["entry"], large["error"]) == ("large", "stopped by Ctrl-C before the results were compared"), large

# Nothing was finished: what an earlier run has written stays. To go through all schedules of a chain of six products takes a while.
SEARCH = "builtin.module(fuse-to-unscheduled-groups{chip=sm_90a force-fusion=true},fuse-search-schedules{search=exhaustive},tile-pipeline,tile-to-nvvm)"
pathlib.Path(path + ".json").write_text("old")
process = start(path + ".chain.mlir", "--device=emulator", "--reference=none", f"--json={path}.json", "--remarks=fuse",
                f"--pass-pipeline={SEARCH}")  # fmt: skip
# The first remark comes from the passes, when the signal is listened to.
while "remark" not in process.stderr.readline():
    assert process.poll() is None
report, messages = interrupt(process, 10)
assert not report and messages.endswith("fusion-run: error: stopped by Ctrl-C before any function has run\n"), (report, messages)
assert "error:" not in messages.replace("fusion-run: error: stopped", ""), messages
assert pathlib.Path(path + ".json").read_text() == "old"
