# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Ctrl-C in the midst of a launch, which ends it with an error: of fusion-emulate, on one host thread and on several and with
# sanitizers, and of fusion-run. The launches would take far longer than the second or so that they may.
# And Ctrl-C outside of a launch: between the schedules of fusion-emulate, and while it writes what it has found.
# RUN: rm -rf %t && mkdir %t && cd %t && %python %s
# RUN: %python %source_root/benchmarks/workloads/generate.py --chain=2048,2048,2048 --2d -o %t/product.mlir
# RUN: cd %t && %python %s product.mlir

import json
import os
import pathlib
import signal
import subprocess
import sys
import time

KERNEL = """.version 8.0
.target sm_80
.address_size 64
.visible .entry k()
{
  .reg .b64 %n;
  .reg .pred %p;
  mov.u64 %n, 0;
L:
  add.u64 %n, %n, 1;
  setp.ne.u64 %p, %n, 0;
  @%p bra L;
  ret;
}
"""


def listens(process):
    """Whether the tool has a handler for the signal."""
    status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
    caught = next(line for line in status.splitlines() if line.startswith("SigCgt:"))
    return int(caught.split()[1], 16) >> (signal.SIGINT - 1) & 1


def interrupt(*command, delay=0.3):
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )  # fmt: skip
    # LLVM listens, too, before there is a launch.
    while process.poll() is None and not listens(process):
        time.sleep(0.01)
    time.sleep(delay)
    begin = time.monotonic()
    process.send_signal(signal.SIGINT)
    _, messages = process.communicate()
    # It was still compiling, or had not begun to.
    if process.returncode == -signal.SIGINT or "before any function has run" in messages:
        return interrupt(*command, delay=1.5 * delay)
    assert process.returncode == 1, (process.returncode, messages)
    assert time.monotonic() - begin < 3, command
    return messages


if len(sys.argv) > 1:
    messages = interrupt("fusion-run", sys.argv[1], "--device=emulator", "--sanitize", "--reference=none", "--chip=sm_80")
    assert "stopped (kernel '" in messages, messages
    sys.exit()
pathlib.Path("k.ptx").write_text(KERNEL)
pathlib.Path("k.json").write_text(json.dumps({"kernel": "k", "grid": [4, 1, 1], "block": [64, 1, 1], "arguments": []}))
for options in (["--threads=1"], ["--threads=3"], ["--sanitize", "--schedules=8"], ["--sanitize", "--seed=5"]):
    messages = interrupt("fusion-emulate", "k.ptx", "--launch=k.json", "--instruction-limit=0", *options)
    assert "k.ptx:4: error: stopped (kernel 'k')" in messages, messages

# Schedules that have finished keep what they gave.
WRITE = """.version 8.0
.target sm_80
.address_size 64
.visible .entry k(.param .u64 out)
{
  .reg .b64 %d;
  .reg .b32 %t;
  ld.param.u64 %d, [out];
  mov.u32 %t, %tid.x;
  st.global.u32 [%d], %t;
  ret;
}
"""
launch = {"kernel": "k", "grid": [1, 1, 1], "block": [64, 1, 1]}
launch["arguments"] = [{"buffer": "in.bin", "write_back": "out.bin"}]
pathlib.Path("write.ptx").write_text(WRITE)
pathlib.Path("in.bin").write_bytes(b"\xff" * 4)
pathlib.Path("write.json").write_text(json.dumps(launch))
options = ("--launch=write.json", "--sanitize", "--schedules=100000000", "--json=all.json")
messages = interrupt("fusion-emulate", "write.ptx", *options, delay=1)
assert "fusion-emulate: error: stopped after " in messages and "of 100000000 schedules" in messages, messages
assert len(pathlib.Path("out.bin").read_bytes()) == 4 and pathlib.Path("out.bin").read_bytes() != b"\xff" * 4
report = json.loads(pathlib.Path("all.json").read_text())
assert report["counters"]["global_store_bytes"] == 256, report
assert "global-race" in [finding["kind"] for finding in report["sanitizer"]], report

# After the launch: the tool waits for the reader of its report.
pathlib.Path("out.bin").unlink()
os.mkfifo("pipe")
process = subprocess.Popen(
    ["fusion-emulate", "write.ptx", "--launch=write.json", "--json=pipe"], stderr=subprocess.PIPE, text=True,
    preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
)  # fmt: skip
while not pathlib.Path("out.bin").exists():
    time.sleep(0.01)
time.sleep(0.3)
process.send_signal(signal.SIGINT)
time.sleep(0.3)
assert process.poll() is None, process.communicate()
report = json.loads(pathlib.Path("pipe").read_text())
_, messages = process.communicate()
assert process.returncode == 0 and not messages, (process.returncode, messages)
assert report["counters"]["global_store_bytes"] == 256, report
