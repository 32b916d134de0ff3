# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The GPUs that peers compile for, on a machine without one."""

import dataclasses


@dataclasses.dataclass
class Device:
    """What Inductor asks of a GPU, and what an SM holds. The numbers are what the driver returns
    (`cudaDeviceProp`), but for the SMs of the GPCs, which are the chip table's."""

    name: str
    major: int
    minor: int
    multi_processor_count: int
    shared_memory_per_block_optin: int
    shared_memory_per_multiprocessor: int
    L2_cache_size: int
    total_memory: int
    clock_rate: int  # kHz
    memory_clock_rate: int  # kHz
    gpcs: tuple  # (number of GPCs, SMs of each)
    memory_bus_width: int = 5120
    warp_size: int = 32
    max_threads_per_block: int = 1024
    max_threads_per_multi_processor: int = 2048
    max_blocks_per_multi_processor: int = 32
    regs_per_multiprocessor: int = 65536
    shared_memory_per_block: int = 48 << 10
    reserved_shared_memory_per_block: int = 1 << 10
    gcnArchName: str = ""
    is_integrated: int = 0
    uuid: str = ""

    @property
    def capability(self):
        return self.major, self.minor

    def blocks_per_processor(self, warps, shared_bytes, registers=0):
        """Blocks that an SM holds at a time. registers: of a thread; 0 where they are not known."""
        fitting = [
            self.max_threads_per_multi_processor // self.warp_size // warps,
            self.max_blocks_per_multi_processor,
            self.shared_memory_per_multiprocessor // (shared_bytes + self.reserved_shared_memory_per_block),
        ]
        if registers:
            # Warps get registers in units of 256 (CUDA C++ Programming Guide, "Hardware Multithreading").
            of_warp = -(-registers * self.warp_size // 256) * 256
            fitting.append(self.regs_per_multiprocessor // of_warp // warps)
        return min(fitting)

    def active_clusters(self, blocks, warps, shared_bytes, registers=0):
        """Clusters of `blocks` blocks that the device holds at a time; a cluster is in one GPC."""
        each = self.blocks_per_processor(warps, shared_bytes, registers)
        return sum(count * (processors * each // blocks) for count, processors in self.gpcs)


DEVICES = {
    "sm_80": Device(
        "NVIDIA A100-SXM4-40GB", 8, 0, 108, 163 << 10, 164 << 10, 40 << 20, 40 << 30, 1410000, 1215000,
        ((5, 16), (2, 14)),
    ),
    "sm_90a": Device(
        "NVIDIA H100 80GB HBM3", 9, 0, 132, 227 << 10, 228 << 10, 50 << 20, 80 << 30, 1980000, 2619000,
        ((2, 18), (6, 16)),
    ),
}  # fmt: skip
