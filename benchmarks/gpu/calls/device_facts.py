# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the driver says of the device, printed as one JSON object a line as soon as it is known: run as a process of its
own.

device_facts.py [LIBRARY]

{"name", "capability", "multiprocessors", "driver_api"}
{"active_clusters": {"1": n, "2": n, "4": n, "8": n}, "threads", "shared"}     blocks of a warp-specialised kernel, one
an SM
{"copy_gbs", "bytes"}                                                          bytes read and written
"""

import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import cuda_driver  # noqa: E402

PROBE = b".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry probe()\n{\n  ret;\n}\n"
# As the largest kernels: three warpgroups, most of the shared memory, so that an SM holds one block.
THREADS, SHARED = 384, 200 * 1024
CLUSTERS = (1, 2, 4, 8)
COPY_BYTES, COPIES = 1 << 30, 10


def say(**facts):
    print(json.dumps(facts), flush=True)


def main(arguments):
    device = cuda_driver.Device(*arguments[:1])
    say(
        name=device.name,
        capability=device.capability,
        multiprocessors=device.attribute(cuda_driver.MULTIPROCESSORS),
        driver_api=device.driver_version(),
    )
    if device.capability >= 90:
        function = device.function(device.load(PROBE), "probe")
        counts = {str(size): device.active_clusters(function, size, THREADS, SHARED) for size in CLUSTERS}
        say(active_clusters=counts, threads=THREADS, shared=SHARED)
    us = device.copy_microseconds(COPY_BYTES, COPIES)
    if us:
        say(copy_gbs=round(2 * COPY_BYTES / us * 1e-3, 1), bytes=2 * COPY_BYTES)


if __name__ == "__main__":
    main(sys.argv[1:])
