# Rows of 3001 elements, which begin anywhere in memory. Of each row of a tensor a kernel touches its sectors and two more at most; of
# tensors that are the same for all rows, whose accesses are off by what the row is, two more for each access of a warp.
# RUN: %python %s %t

import json
import math
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "Inputs"))
from check_stitch import check
from stitch_programs import PATTERNS, program

ROWS, COLS = 777, 3001
SECTOR, WARP = 32, 32
BYTES = {"f32": 4, "f16": 2, "i32": 4, "i1": 1}
# What has no rows to align: columns are reduced as well, rows are turned, and parts of rows that begin elsewhere are put together or
# taken apart. The last two have no rows of odd length, or others beside.
APART = {"layer_norm_backward", "transpose_of_normalised", "rope", "gather_slice_concat_mix", "lstm_cell_gates", "gru_cell_gates",
         "din_attention_unit", "packed_elementwise_of_different_shapes"}  # fmt: skip


def whole(bytes, unit=SECTOR):
    return -(-bytes // unit)


def bound(text, kernel):
    """Sectors of all tensors of a program's signature."""
    (signature,) = re.findall(r"func\.func @\w+\((.*)\) -> (.*) \{\n", text)
    vector = max(int(v) for v in re.findall(r"vector = (\d+)", kernel["schedule"]) + ["1"])
    sectors = 0
    for shape, type in re.findall(r"tensor<((?:\d+x)+)(\w+)>", " ".join(signature)):
        sizes = [int(size) for size in shape.split("x")[:-1]]
        bytes = sizes[-1] * BYTES[type]
        if len(sizes) > 1:
            sectors += math.prod(sizes[:-1]) * (whole(bytes) + 2)
        elif sizes == [COLS]:
            sectors += ROWS * (whole(bytes) + 2 * whole(bytes, WARP * vector * BYTES[type]))
        else:  # numbers of rows, by each warp
            sectors += kernel["grid"][0] * kernel["block"][0] // WARP
    return sectors


def run(folder, pattern, type):
    """All rows. Returns the kernel's report and complaints."""
    path = os.path.join(folder, f"{pattern}-{type}")
    text = program(pattern, ROWS, COLS, type)
    with open(path + ".mlir", "w") as file:
        file.write(text)
    done = subprocess.run(["fusion-run", path + ".mlir", "--chip=sm_80", "--device=emulator", "--force-fusion", f"--json={path}.json"],
                          capture_output=True, text=True)  # fmt: skip
    if done.returncode:
        return [f"fusion-run ends with {done.returncode}: {done.stdout[-500:]}{done.stderr[-500:]}"]
    with open(path + ".json") as file:
        (report,) = json.load(file)
    if len(report["kernels"]) != 1:
        return [f"{len(report['kernels'])} kernels"]
    (kernel,) = report["kernels"]
    counters, most = kernel["counters"], bound(text, kernel)
    print(f"{pattern} {type}: {counters['global_sectors']} sectors, at most {most}", flush=True)
    complaints = [f"{key}: predicted {kernel['predicted'][key]}, {counters[key]}"
                  for key in ("global_load_bytes", "global_store_bytes") if kernel["predicted"][key] != counters[key]]  # fmt: skip
    if counters["shared_bank_conflicts"]:
        complaints.append(f"{counters['shared_bank_conflicts']} bank conflicts")
    if pattern not in APART and counters["global_sectors"] > most:
        complaints.append(f"{counters['global_sectors']} sectors, at most {most} expected")
    return complaints


if __name__ == "__main__":
    os.makedirs(sys.argv[1], exist_ok=True)
    wrong = []
    for pattern in sys.argv[2:] or PATTERNS:
        for type in ("f16", "f32"):
            complaints = run(sys.argv[1], pattern, type)
            # Few rows under the sanitizers.
            complaints += check(sys.argv[1], pattern, 5, COLS, type)["complaints"]
            wrong += [f"{pattern} {type}: {complaint}" for complaint in complaints]
    if wrong:
        sys.exit("\n".join(wrong))
