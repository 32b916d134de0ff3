# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Stands for benchmarks/gpu/peer_worker.py on a GPU host: every result is right, every time invented."""

import json
import sys

# Microseconds of the peers; what is not here PyTorch cannot run.
TIMES = {"eager": 30.0, "compile": 20.0, "autotune": 15.0, "sdpa:flash": 25.0, "sdpa:cudnn": 24.0}


def answer(request):
    if request["do"] == "hello":
        return {"torch": "2.9", "cuda": "13.0", "device_name": "NVIDIA H100 80GB HBM3"}
    if request["do"] == "check":
        return {"pass": True, "max_abs_error": 0.0, "max_rel_error": 0.0}
    if request["do"] == "copy":
        # 3 TB/s and 2 us.
        return {"copies": [{"bytes": size, "way": "memcpy", "us": 2 + size / 3e6} for size in request["sizes"]]}
    if request["do"] == "time":
        if request["peer"] not in TIMES:
            raise RuntimeError("No available kernel")
        return {"us": TIMES[request["peer"]], "samples": 30}
    return {}


for line in sys.stdin:
    try:
        reply = {"ok": True, **answer(json.loads(line))}
    except RuntimeError as error:
        reply = {"ok": False, "error": f"RuntimeError: {error}"}
    print(json.dumps(reply), flush=True)
