# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the second call times: workloads by their importance, and the variants that decide something."""

import dataclasses
import itertools
import re

from plan import tables

from . import drawn_schedules, kinds, ranked
from .compiler import CompileError, launches, predicted_us

# A headline of each family.
HEADLINES = (
    ("products_large", "gemm_4096x4096x4096"),
    ("attention_long", "FA_d128_s16384"),
    ("decode", "D_gqa8_d128_r1_n65536"),
    ("stitch_patterns", "layer_norm_8192x4096"),
    ("gemm_chains_mcfuser", "G4"),
    ("attention_mcfuser", "S6"),
    ("conv_chains_chimera", "C1"),
)
# What takes half a second each, then the others of the large ones.
FAMILIES = (
    *(("gemm_chains_mcfuser", f"G{number}") for number in range(1, 13)),
    *(("attention_mcfuser", f"S{number}") for number in range(1, 10)),
    ("conv_chains_chimera", "C7"),
    ("decode", "D_mha_d128_r1_n4096"),
    ("stitch_patterns", "softmax_8192x4096"),
    ("stitch_patterns", "rms_norm_8192x4096"),
    ("stitch_patterns", "bias_dropout_residual_layer_norm_8192x4096"),
    ("attention_long", "FA_d64_s16384"),
    ("attention_long", "FA_d128_s16384_causal"),
    ("attention_long", "FA_d64_s16384_causal"),
)
# Patterns that are stitched, in sizes with rows of a warp, of a block and beyond.
PATTERN_SIZES = ("4096x768", "8192x4096", "2048x16384")
DTYPE = "f16"
# The next schedules of the ranking, for these families.
RANKED, RANKS = (
    {"products_large", "attention_long", "decode", "gemm_chains_mcfuser", "attention_mcfuser", "conv_chains_chimera"},
    (2, 3),
)
# Sizes of clusters in blocks: as many clusters as are launched at most. 132 SMs in GPCs of 16 and 18 hold 16 clusters
# of 8, or 14.
ACTIVE = {8: (16, 15, 14), 4: (32, 30), 2: (66, 64), 1: (132, 128)}
CAPPED = {
    ("products_large", "gemm_4096x4096x4096"),
    ("attention_long", "FA_d128_s16384"),
    ("attention_long", "FA_d64_s16384"),
}
DECODE_WARPS = (1, 4)
# Asked of Nsight Compute, 5 to 15 seconds each.
PROFILED = HEADLINES[:5]
# Sizes that the emulator and a CPU finish at once, for rehearsals.
SMALL = {
    ("products_large", "gemm_4096x4096x4096"): dict(M=128, N=128, K=64),
    ("attention_long", "FA_d128_s16384"): dict(batch=1, heads=1, seq=128),
    ("decode", "D_gqa8_d128_r1_n65536"): dict(heads=1, keys=256),
    ("stitch_patterns", "layer_norm_8192x4096"): dict(rows=16, cols=512),
    ("gemm_chains_mcfuser", "G4"): dict(batch=1, M=64, N=64, K=32, H=32),
}


@dataclasses.dataclass(frozen=True)
class Wanted:
    """A workload that is timed. overrides: sizes that are others than the table's."""

    family: str
    case: str
    phase: str
    overrides: tuple = ()

    @property
    def key(self):
        return f"{self.family}:{self.case}/{DTYPE}"


@dataclasses.dataclass
class Plan:
    """plan: the name that variants share which run the same kernels, or nearly so."""

    variant: str
    plan: str
    manifest: dict
    options: tuple = ()
    predicted: float | None = None


def wanted(small=False):
    if small:
        return [Wanted(*key, "headlines", tuple(sizes.items())) for key, sizes in SMALL.items()]
    phases = {"headlines": HEADLINES, "families": FAMILIES, "patterns": patterns()}
    found = {}
    for phase, keys in phases.items():
        for key in keys:
            found.setdefault(key, Wanted(*key, phase))
    return list(found.values())


def patterns():
    """The stitched patterns of the table in some sizes, as (family, case)."""
    family = tables.families()["stitch_patterns"]
    return [
        (family.name, case["name"])
        for size in PATTERN_SIZES
        for case in family.cases
        if case["name"].endswith(f"_{size}")
    ]


def interleaved(items, family):
    """The first item of each family, then the second ones. family(item): its name."""
    of_family = {}
    for item in items:
        of_family.setdefault(family(item), []).append(item)
    rounds = itertools.zip_longest(*of_family.values())
    return [item for one in rounds for item in one if item is not None]


def phase_of(variant, phase):
    """The phase of a variant: the chosen one in its workload's, what decides something before the ranking's next
    ones."""
    return phase if variant == "chosen" else "ranks" if variant.startswith("rank") else "variants"


def variants(compiler, module, one, chip, unavailable, only_chosen=False):
    """The plans of a workload, the chosen one first. Reasons why variants are lacking go to `unavailable`."""
    unscheduled = compiler.groups(module, chip, options="", unscheduled=True)
    groups = compiler.run("fusion-opt", "-", "--fuse-search-schedules", text=unscheduled)
    chosen = compiler.lower(groups)
    found = [Plan("chosen", "chosen", chosen, predicted=predicted_us(chosen))]
    if only_chosen:
        return found
    schedules = ranked.schedules(groups)
    base = schedules[0] if len(schedules) == 1 and "tiling" in schedules[0].sections else None
    if base is None:
        if one.family in RANKED:
            unavailable[f"{one.key} variants, {chip}"] = f"{len(schedules)} groups"
        return found

    def attempt(variant, *forms):
        """Adds the first of some schedules that is legal."""
        why = None
        for make in forms:
            try:
                manifest = compiler.lower(ranked.replace(groups, [make()]))
                found.append(Plan(variant, variant, manifest, predicted=predicted_us(manifest)))
                return
            except (CompileError, KeyError, ValueError, AssertionError) as error:
                why = why or f"{type(error).__name__}: {error}"[:300]
        unavailable[f"{one.key} {variant}, {chip}"] = why

    key = (one.family, one.case)
    if one.family in RANKED and not drawn_schedules.searched(*key):
        reports = compiler.report(unscheduled)
        ranking = reports[0]["ranking"] if len(reports) == 1 else []
        for rank in RANKS:
            if rank <= len(ranking):
                made = ranked.runner_up(base, ranking[0], ranking[rank - 1])
                attempt(f"rank-{rank}", lambda made=made: made, lambda made=made: ranked.with_other_reduction(made))
            else:
                unavailable[f"{one.key} rank-{rank}, {chip}"] = f"the ranking has {len(ranking)}"
    cluster = int(base.section("mapping").get("cluster", "1"))
    if key in CAPPED:
        for blocks in [blocks for blocks in (2, 4) if blocks != cluster][:1] + ([1] if cluster > 1 else []):
            attempt(f"cluster-{blocks}", lambda blocks=blocks: ranked.with_cluster(base, blocks))
        if base.section("mapping").get("persistent") == "true":
            for count in ACTIVE.get(cluster, ()):
                found.append(
                    Plan(f"active-{count}", "chosen", chosen, (f"--active-clusters={count}",), found[0].predicted)
                )
    if one.family == "decode":
        for warps in DECODE_WARPS:
            if int(base.section("mapping")["warps"]) != warps:
                attempt(
                    f"warps-{warps}",
                    lambda warps=warps: ranked.with_warps(base, warps, "registers"),
                    lambda warps=warps: ranked.with_warps(base, warps, "shared"),
                )
    for variant, pattern, text in (
        ("ex2-ftz", r"ex2\.approx\.f32", "ex2.approx.ftz.f32"),
        ("ex2-exact", r"ex2\.approx\.ftz\.f32", "ex2.approx.f32"),
    ):
        if re.search(pattern, chosen["ptx"]) and one.family in ("attention_long", "decode"):
            changed = dict(chosen, ptx=re.sub(pattern, text, chosen["ptx"]))
            found.append(Plan(variant, "chosen", changed, predicted=found[0].predicted))
    return found


def entry_of(one, plan, phase, folder_of_chip, plans_of_chip, peers):
    """An entry of the package's index. peers: those beside the first variant."""
    return {
        "name": f"{one.key} {plan.variant}",
        "family": one.family,
        "case": one.case,
        "dtype": DTYPE,
        "overrides": dict(one.overrides),
        "variant": plan.variant,
        "plan": plan.plan,
        "phase": phase,
        "kinds": {chip: sorted(kinds.of(plans_of_chip[chip].manifest)) for chip in folder_of_chip},
        "folders": folder_of_chip,
        "options": list(plan.options),
        "predicted_us": {chip: plans_of_chip[chip].predicted for chip in folder_of_chip},
        "launches": {chip: launches(plans_of_chip[chip].manifest) for chip in folder_of_chip},
        "peers": peers,
    }
