# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# All patterns of stitch_patterns.json, of every width and type, on few rows under the sanitizers; and at the smaller
# shapes whole, for which schedules are other ones. stitch-shapes.py checks the plans of the larger ones.
# RUN: %python %s %t

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "Integration", "Inputs"))
from check_stitch import check_all, cut_rows
from stitch_programs import PATTERNS

WIDTHS = (768, 1024, 4096, 8192, 16384, 65536, 1000, 3001)
CASES = [(pattern, cut_rows(4096, width, 1 << 14), width, type, "sm_80")
         for pattern in PATTERNS for width in WIDTHS for type in ("f32", "f16", "bf16")]  # fmt: skip

# Of three of these rows steps are read again, which a block has just room for: by the model that takes less time. Of twelve they are not.
MORE_ROWS = {("layer_norm_backward", 16384, "f32"): 12}
CASES = [(pattern, MORE_ROWS.get((pattern, width, type), rows), width, type, chip) for pattern, rows, width, type, chip in CASES]
SHAPES = ((4096, 768), (1000, 1000), (777, 3001), (16384, 1024))
WHOLE = [(pattern, *shape, type, chip) for pattern in PATTERNS for shape in SHAPES for type in ("f32", "f16", "bf16")
         for chip in ("sm_80", "sm_86", "sm_90a")]  # fmt: skip

check_all(sys.argv[1], CASES, verbose=True)
check_all(sys.argv[1], WHOLE, verbose=True, options=())
