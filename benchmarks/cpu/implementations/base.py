# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What implementations have in common.

An implementation is a class of:

* (settings): `binaries`, `threads`, and what else the command line says;
* prepare(job, folder): compiles into the job's folder what is not there yet; returns facts to keep;
* load(job, folder, inputs): a function without arguments, which computes once. `inputs`: arrays of NumPy;
* results(result): arrays of NumPy in our layout, of what the function returned last;
* close(): releases the job's memory;
* versions: names of the Python packages whose version is reported.

A job is a dict: row, family, case, dtype, entry, inputs and outputs (shape and element of each).
"""

import ctypes
import subprocess


class Unavailable(Exception):
    """An implementation cannot compute a row, for a reason that is part of the report."""


def run_tool(command, limit=600):
    """Runs a program. Raises RuntimeError with its first error line, and FileNotFoundError."""
    run = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=limit)
    if run.returncode != 0:
        lines = run.stderr.strip().splitlines() or ["no message"]
        reason = next((line for line in lines if "error" in line.lower()), lines[0])
        raise RuntimeError(f"{command[0]} ended with {run.returncode}: {reason}"[:500])
    return run.stdout


def keep_freed_memory():
    """Lets the C library's allocator keep what is freed, so that results of an earlier call lend their pages to the
    next call's. Peers that allocate their results then do not pay for new pages."""
    m_mmap_max, m_trim_threshold, m_top_pad = -4, -1, -2
    libc = ctypes.CDLL(None)
    libc.mallopt(m_mmap_max, 0)
    libc.mallopt(m_trim_threshold, -1)
    libc.mallopt(m_top_pad, 64 << 20)
