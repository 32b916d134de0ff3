# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where the programs of a test run: on the emulator with its sanitizers, or on the CPU of this machine."""

DEVICES = ("emulator", "cpu")
CPU = "x86-64-v3"  # the chip of programs that run on the CPU
PIPELINE = (
    "builtin.module(fuse-to-unscheduled-groups{{chip={chip} force-fusion=true{options}}},"
    "fuse-search-schedules{{random-seed={seed} rescale-threshold={threshold}}},{lowering})"
)
LOWERING = {"emulator": "tile-pipeline,tile-to-nvvm", "cpu": "fuse-complete-schedules,fuse-lower-to-tile,tile-to-native"}


def chip_of(device, chip):
    """The chip for which a program is compiled that the emulator runs on `chip`."""
    return chip if device == "emulator" else CPU


def words(device, chip):
    """Arguments of fusion-run."""
    return [f"--device={device}", f"--chip={chip_of(device, chip)}", *(["--sanitize"] if device == "emulator" else [])]


def drawn(device, chip, seed, threshold=0, options=""):
    """The pipeline that draws schedules at random."""
    return "--pass-pipeline=" + PIPELINE.format(
        chip=chip_of(device, chip), seed=seed, threshold=threshold, options=options, lowering=LOWERING[device]
    )
