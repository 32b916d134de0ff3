# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Chains, attention, decoding, convolutions and matmuls of the tables for sm_90a, with fewer batches, heads or rows than
# they have: under the schedule that is chosen for all of them, and under others of the same tiles
# (Inputs/hopper_variants.py): plain, pipelined with TMA copies, with producers, in clusters, with cross-iteration
# overlap, persistent, with ping-pong scheduling. Right under eight orders of the warps, silent under the sanitizers,
# the bytes and the shared memory that were predicted, the same bits whatever the form; also sizes that TMA copies
# cannot take. What is illegal has one of the expected reasons, and each kind is legal somewhere.
# RUN: %python %s %t --few %sample
#
#   hopper-workloads.py FOLDER [--few] [--odd] [--part=1/4] [--families=NAME,...] [--only=CASE,...] [--dtype=f16] [--verbose]

import argparse
import hashlib
import os
import re
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "Inputs"))
from hand_schedule import ROOT, emulate, form, lower_scheduled
from hopper_variants import KINDS, REFUSALS, REFUSALS_OF_PARTS, repair, variant
from sample import IS_SAMPLE, ORDERS, some
from schedule_text import Schedule, find
from tally import Tally

sys.path.insert(0, os.path.join(ROOT, "benchmarks", "workloads"))
import families as tables

CHIP = "sm_90a"
# What is made smaller, in this order, and down to what.
OF_OPERATORS = {"batch": 2, "M": 256, "K": 512, "D": 4, "H": 10, "W": 10, "CI": 32, "CO": 32}
FLOORS = {
    "gemm_chains_mcfuser": {"batch": 2, "M": 256, "N": 256, "K": 128},
    "gemm_chains_chimera": {"batch": 2, "M": 256, "L": 256, "K": 128},
    "attention_mcfuser": {"heads": 2, "M": 256, "N": 256},
    "attention_long": {"batch": 1, "heads": 2, "seq": 256},
    "decode": {"keys": 2048, "heads": 2},
    "conv_chains_chimera": {"H": 15, "W": 15, "IC": 32, "OC1": 48},
    "operators_alcop": OF_OPERATORS,
    "operators_gta": OF_OPERATORS,
}
MOST = 3e8  # floating-point operations that the emulator has time for
# The cases in which rows of whole workloads or of some operands are no multiples of 16 bytes, so that they have no TMA
# copies.
ODD = {
    "gemm_chains_mcfuser": (("G1", {"M": 100, "N": 84, "K": 76, "H": 60}), ("G12", {"batch": 2, "M": 200, "N": 136, "K": 76, "H": 64}),
                            ("G4", {"M": 130, "N": 131, "K": 128, "H": 128})),
    "gemm_chains_chimera": (("G9", {"batch": 2, "M": 100, "L": 90, "N": 76}),),
    "attention_mcfuser": (("S1", {"heads": 2, "M": 100, "N": 131}), ("S12", {"heads": 2, "M": 131, "N": 140, "K": 60, "H": 60}),
                          ("S11", {"heads": 2, "N": 200, "H": 60})),
    "attention_long": (("FA_d64_s512", {"batch": 1, "heads": 2, "seq": 131}),
                       ("FA_d64_s512_causal", {"batch": 1, "heads": 2, "seq": 260, "head_dim": 60})),
    "decode": (("D_gqa4_d64_r4_n4096", {"heads": 2, "keys": 333, "head_dim": 60}),),
    "conv_chains_chimera": (("C7", {"H": 15, "W": 15, "IC": 20, "OC1": 44}), ("C8", {"H": 15, "W": 15, "OC2": 36})),
    "operators_alcop": (("bmm_384x128x128x64", {"batch": 2, "N": 84, "K": 76}),),
    "operators_gta": (("gemm_512x768x768", {"M": 100, "N": 264, "K": 764}), ("conv1d_b1_200_c64_f64_k3", {"CI": 20, "CO": 44})),
}  # fmt: skip
FEW = {
    "gemm_chains_mcfuser": ("G4",), "gemm_chains_chimera": ("G9",), "attention_mcfuser": ("S6",),
    "attention_long": ("FA_d64_s1024_causal", "FA_d128_s512"),
    "decode": ("D_gqa4_d64_r4_n4096",), "conv_chains_chimera": ("C7",), "operators_alcop": ("bmm_384x128x128x64",),
}  # fmt: skip
ODD_FEW = ("S11",)
# What the emulator's work is to be in the test that always runs.
MOST_OF_FEW = 3e7
# What the kernels have to come by, as it is written in a schedule.
FORMS = {
    "products in shared memory": r'"wgmma',
    "products in registers": r'"mma\.',
    "copies in bulk": r"L([A-Z]).*\1 = #fuse.place<shared, tma",
    "narrow copies by threads": r"async(4|8)>",
    "products beside others": r"overlap = {",
    "producers": r"producers = ",
    "clusters": r"cluster = \d",
    "blocks that stay": r"persistent = true",
    "turns": r"ping_pong = true",
}


def work(family, sizes):
    """Of few rows tensor cores multiply 16."""
    rows = sizes["group"] * sizes["rows"] if family.name == "decode" else 16
    return family.flops(sizes) * max(1, 16 / rows)


def cut(family, case, most):
    """The sizes of a case that are others here."""
    sizes, few = dict(case), {}
    for name, floor in FLOORS[family.name].items():
        while isinstance(sizes.get(name), int) and sizes[name] > floor and work(family, sizes) > most:
            # As many batches as there is time for, so that persistent blocks process several.
            part = sizes[name] * most / work(family, sizes) if name in ("batch", "heads") else sizes[name] / 2
            few[name] = sizes[name] = max(floor, int(part))
    return few


def workloads(arguments):
    """(family, case, the sizes that are changed, whether they are odd)."""
    for name, family in tables.families().items():
        if name not in FLOORS or (arguments.families and name not in arguments.families.split(",")):
            continue
        for case in family.cases:
            if case.get("op") in ("gemv", "scan") or (arguments.only and case["name"] not in arguments.only.split(",")):
                continue  # no chains
            if case["name"] in FEW.get(name, ()) if arguments.few else not arguments.odd:
                yield family, case, cut(family, case, MOST_OF_FEW if arguments.few else MOST), False
            for odd, sizes in ODD[name]:
                if odd == case["name"] and (odd in ODD_FEW if arguments.few else arguments.odd):
                    yield family, case, sizes, True


def chains(module):
    return [(begin, end) for begin, end in find(module) if 'tiling = <"' in module[begin:end]]


class Workload:
    """One case, whose `forms` are lists of schedules, one for each chain of its module."""

    def __init__(self, test, family, case, sizes, isOdd):
        arguments = test.arguments
        self.test, self.isOdd = test, isOdd
        self.words = [f"--family={family.name}", f"--case={case['name']}", f"--dtype={arguments.dtype}"]
        self.name = " ".join([*self.words, *(f"--{size}={number}" for size, number in sizes.items())])
        self.path = os.path.join(arguments.folder, "-".join((family.name, case["name"], arguments.dtype, "odd" if isOdd else "cut")))
        # Kernels that spread a convolution's input move fewer bytes than predicted.
        self.isExact = case.get("op") != "conv2d_transposed" and not isOdd
        self.groups = form(self.path, self.name.split(), CHIP)
        self.own = self.schedules(self.groups)
        self.whole = self.own if isOdd else self.schedules(form(self.path + "-whole", self.words, CHIP))
        self.key = (family.name, str({**case, **sizes, "name": ""}), *map(str, self.whole))
        self.digests = {}

    def schedules(self, module):
        return [Schedule(module[begin:end]) for begin, end in chains(module)]

    def lower(self, schedules):
        """What is said against the schedules; nothing where they are legal."""
        module = self.groups
        for (begin, end), schedule in reversed(list(zip(chains(module), schedules, strict=True))):
            module = module[:begin] + str(schedule) + module[end:]
        try:
            lower_scheduled(self.path, module)
        except SystemExit as error:
            return str(error)
        return None

    def attempt(self, kind, schedules, chosen):
        """Runs a form. Returns whether it is legal."""
        test, where = self.test, f"{self.name}, {kind}"
        if None in schedules:
            return False
        said = self.lower(schedules)
        while said and schedules is not chosen and any([repair(*pair, said) for pair in zip(schedules, chosen)]):
            said = self.lower(schedules)
        text = "\n".join(map(str, schedules))
        if said is not None:
            expected = {"chosen": (), "chosen of all": REFUSALS_OF_PARTS}.get(kind, REFUSALS)
            reason = next((pattern for pattern in expected if re.search("cannot be lowered: " + pattern + "$", said, re.M)), None)
            test.reasons[reason] += 1
            if reason is None:
                test.complain(where, f"refused: {text}\n{said[-1500:]}")
            elif test.arguments.verbose:
                print(f"{where}: {reason}", flush=True)
            return False
        if text not in self.digests:
            try:
                report, bits = emulate(self.path, where, ORDERS, is_exact=self.isExact)
            except (SystemExit, AssertionError) as error:
                test.complain(where, f"{text}\n{str(error)[-3000:]}")
                return True
            self.digests[text] = hashlib.sha256(bits).hexdigest()
            if test.arguments.verbose:
                print(f"{where}: {text}", flush=True)
            test.runs += 1
        # What it has become, of what it was to be.
        test.kinds[kind] += 1
        test.kinds.update(name for name, pattern in FORMS.items() if re.search(pattern, text))
        return True

    def run(self):
        chosen = self.whole
        if len(chosen) != len(self.own) or not self.attempt("chosen of all", chosen, chosen):
            chosen = self.own
        self.attempt("chosen", chosen, chosen)
        for kind in some(KINDS, 2):
            self.attempt(kind, [variant(kind, schedule) for schedule in chosen], chosen)
        # Running values that a cluster reduces are rounded elsewhere than running values that a launch merges one after
        # the other.
        results = {(bool(re.search("in_cluster.*<online", text)), digest) for text, digest in self.digests.items()}
        if len(results) > len({combined for combined, _ in results}):
            self.test.complain(self.name, "results differ: " + "\n".join(f"{d[:8]} {text}" for text, d in self.digests.items()))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--few", action="store_true")
    parser.add_argument("--odd", action="store_true")
    parser.add_argument("--families")
    parser.add_argument("--only")
    parser.add_argument("--dtype", default="f16")
    parser.add_argument("--verbose", action="store_true")
    parser.add_argument("--part", default="1/1", help="the number of this part, and the number of parts")
    arguments = parser.parse_args()
    os.makedirs(arguments.folder, exist_ok=True)
    test, seen = Tally(arguments), set()
    part, parts = map(int, arguments.part.split("/"))
    for number, each in enumerate(some(workloads(arguments), 6)):
        if number % parts != part - 1:
            continue
        workload = Workload(test, *each)
        if workload.key not in seen:
            seen.add(workload.key)
            workload.run()
    test.report()
    print(f"{len(seen)} workloads, {test.runs} kernels, {test.broken} broken")
    # f32 is multiplied by threads; the sizes of the tables are multiples of 16 bytes.
    without = ("memory", "registers", "beside", "turns") if arguments.dtype == "f32" else ()
    without += () if arguments.few else ("turns",) if arguments.odd else ("narrow",)
    lacking = [name for name in ("chosen", *KINDS, *FORMS) if not test.kinds[name] and not any(word in name for word in without)]
    if not (arguments.families or arguments.only or IS_SAMPLE):
        assert not lacking, lacking
    sys.exit(test.broken != 0 or not seen)


if __name__ == "__main__":
    main()
