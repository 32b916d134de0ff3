# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One tar file with everything that a call has found."""

import io
import os
import pathlib
import tarfile

# A file that is copied back from the GPU host has at most 16 MiB.
MOST_BYTES = 15 * 2**20


def write(path, members):
    """Replaces `path` by a tar of {name: bytes} as a whole. Members that would make it too large are left out and named
    in LEFT_OUT; the first members are the most important ones. Returns the names that were left out."""
    path = pathlib.Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(path.name + ".partial")
    total, left_out = 0, []
    with tarfile.open(partial, "w") as tar:

        def add(name, data):
            info = tarfile.TarInfo(name)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))

        for name, data in members.items():
            size = len(data) + 1024
            if total + size > MOST_BYTES:
                left_out.append(name)
                continue
            total += size
            add(name, data)
        if left_out:
            add("LEFT_OUT", "\n".join([*left_out, ""]).encode())
    os.replace(partial, path)
    return left_out


def read(path):
    """{name: bytes} of an archive; empty where there is none or it is no tar file."""
    try:
        with tarfile.open(path) as tar:
            return {member.name: tar.extractfile(member).read() for member in tar if member.isfile()}
    except (OSError, tarfile.TarError):
        return {}
