# All patterns of stitch_patterns.json, of every width and type, on few rows, for which schedules are other ones than for all of them: that
# these are one kernel too is for stitch-shapes.py to show.
# RUN: %python %s %t

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "Integration", "Inputs"))
from check_stitch import check_all, cut_rows
from stitch_programs import PATTERNS

WIDTHS = (768, 1024, 4096, 8192, 16384, 65536, 1000, 3001)
CASES = [(pattern, cut_rows(4096, width, 1 << 14), width, type, "sm_80")
         for pattern in PATTERNS for width in WIDTHS for type in ("f32", "f16", "bf16")]  # fmt: skip

check_all(sys.argv[1], CASES, verbose=True)
