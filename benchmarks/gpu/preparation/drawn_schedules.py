# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Many schedules of one workload in one plan, so that one process times all of them: the chosen one, the next ones of
the search's ranking, and drawn ones. The models' times of each are kept, to be compared with the clock's."""

import dataclasses
import re

from plan import generate
from schedule_text import find

from . import ranked
from .compiler import CompileError

# Workloads whose inputs are made quickly, with sizes that are others than the table's.
SEARCHED = (
    *(("gemm_chains_mcfuser", f"G{number}", ()) for number in range(1, 13)),
    *(("attention_mcfuser", f"S{number}", ()) for number in (1, 3, 6, 9)),
    ("attention_long", "FA_d64_s2048", (("batch", 1),)),
    ("attention_long", "FA_d128_s2048", (("batch", 1),)),
    ("attention_long", "FA_d128_s2048_causal", (("batch", 1),)),
    ("operators_alcop", "gemm_2048x2048x2048", ()),
    ("operators_gta", "gemm_512x3072x768", ()),
    ("operators_gta", "gemm_1024x1024x1024", ()),
    ("decode", "D_gqa8_d128_r1_n4096", ()),
    ("decode", "D_mha_d128_r1_n4096", ()),
    ("conv_chains_chimera", "C7", ()),
)
# Schedules of the ranking and drawn ones of each.
RANKS, DRAWS = 10, 36
# Patterns that are stitched, each as the search chooses, many of one size in one plan.
PATTERN_SIZES = ("8192x4096", "4096x768", "2048x16384")
FUNCTION = re.compile(r"^  func\.func @(\w+)\(.*?^  \}\n", re.MULTILINE | re.DOTALL)


@dataclasses.dataclass
class Drawn:
    """One function of the plan. predicted: {model: microseconds}."""

    name: str
    schedule: str
    predicted: dict


def functions_of(groups):
    """The texts of the functions of a module as the tools print it."""
    return [found.group(0) for found in FUNCTION.finditer(groups)]


def renamed(function, name):
    return re.sub(r"@\w+", f"@{name}", function, count=1)


def module_of(groups, functions):
    """A module like `groups` with these functions."""
    first, *rest = list(FUNCTION.finditer(groups))
    last = rest[-1] if rest else first
    return groups[: first.start()] + "".join(functions) + groups[last.end() :]


def schedules(tools, module, chip, ranks=RANKS, draws=DRAWS):
    """(groups of the module, [Drawn]) of a workload that is one chain; the chosen schedule comes first. Raises
    CompileError where it is none."""
    unscheduled = tools.groups(module, chip, unscheduled=True)
    groups = tools.run("fusion-opt", "-", "--fuse-search-schedules", text=unscheduled)
    reports = tools.report(unscheduled)
    if len(list(find(groups))) != 1 or len(reports) != 1:
        raise CompileError(f"{len(reports)} chains")
    ranking = reports[0]["ranking"]
    base = ranked.schedules(groups)[0]
    found, known = [Drawn("chosen", str(base), ranking[0]["by_model_us"])], {str(base)}

    def add(name, text, predicted):
        if text not in known:
            known.add(text)
            found.append(Drawn(name, text, predicted))

    for rank, entry in enumerate(ranking[1:ranks], 2):
        made = ranked.runner_up(base, ranking[0], entry)
        for candidate in (made, ranked.with_other_reduction(made)):
            try:
                tools.run("fusion-opt", "-", "--fuse-search-schedules", text=ranked.replace(groups, [candidate]))
            except (CompileError, KeyError, ValueError, AssertionError):
                continue
            add(f"rank_{rank}", str(candidate), entry["by_model_us"])
            break
    for seed in range(draws):
        text, report = tools.drawn(unscheduled, seed)
        ((begin, end),) = find(text)
        add(f"draw_{seed}", str(ranked.Schedule(text[begin:end])), report[0]["ranking"][0]["by_model_us"])
    return groups, found


def plan(tools, groups, drawn):
    """(plan of all schedules, those that are in it): what does not compile is left out."""
    (function,) = functions_of(groups)

    def text_of(chosen):
        texts = [renamed(ranked.replace(function, [one.schedule]), one.name) for one in chosen]
        return module_of(groups, texts)

    def lower(chosen):
        try:
            return tools.lower(text_of(chosen)), chosen
        except CompileError:
            if len(chosen) == 1:
                return None, []
        half = len(chosen) // 2
        _, good = lower(chosen[:half])
        _, others = lower(chosen[half:])
        kept = good + others
        return (tools.lower(text_of(kept)) if kept else None), kept

    return lower(list(drawn))


def copies(module, names):
    """A module with the only function of `module` once under each name."""
    return "".join(renamed(module, name) for name in names)


def functions_of_patterns(manifest):
    """[Drawn] of the functions of a plan: the model's time is the sum over the launches."""
    kernels = {kernel["name"]: kernel for kernel in manifest["kernels"]}
    found = []
    for function in manifest["functions"]:
        launched = [(launch, kernels[launch["kernel"]]) for launch in function["launches"]]
        times = [(launch.get("predicted") or kernel.get("predicted") or {}).get("us") for launch, kernel in launched]
        predicted = {} if None in times else {"default": sum(times)}
        found.append(Drawn(function["name"], "; ".join(kernel.get("schedule") or "" for _, kernel in launched), predicted))
    return found


def patterns_of(size):
    """The stitched patterns of the table that have this size, as (family, case)."""
    family = generate.tables.families()["stitch_patterns"]
    return [(family.name, case["name"]) for case in family.cases if case["name"].endswith(f"_{size}")]
