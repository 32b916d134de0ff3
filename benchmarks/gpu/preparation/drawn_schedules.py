# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Many schedules of one workload in one plan, so that one process times all of them: the chosen one, the next ones of
the search's ranking, and drawn ones. The models' times of each are kept, to be compared with the clock's."""

import dataclasses
import re

from schedule_text import find

from . import ranked
from .compiler import CompileError

# Workloads with the sizes that are others than the table's. The headline and the largest case of each family come
# first.
SEARCHED = (
    *(("gemm_chains_mcfuser", f"G{number}", ()) for number in (4, 12, 9, 5, 1, 6, 10, 2, 11, 7, 3, 8)),
    *(("attention_mcfuser", f"S{number}", ()) for number in (6, 3, 1, 9)),
    ("attention_long", "FA_d128_s2048", (("batch", 1),)),
    ("attention_long", "FA_d64_s2048", (("batch", 1),)),
    ("attention_long", "FA_d128_s2048_causal", (("batch", 1),)),
    ("operators_alcop", "gemm_2048x2048x2048", ()),
    ("operators_gta", "gemm_1024x1024x1024", ()),
    ("operators_gta", "gemm_512x3072x768", ()),
    ("decode", "D_gqa8_d128_r1_n4096", ()),
    ("decode", "D_mha_d128_r1_n4096", ()),
    ("conv_chains_chimera", "C7", ()),
)
# Schedules of the ranking and drawn ones of each. A function takes a quarter of a second or more, whatever its size.
RANKS, DRAWS = 10, 18
# fusion-run writes inputs and results of every function, to memory: of large ones fewer functions are drawn.
MOST_WRITTEN = 1 << 30
FUNCTION = re.compile(r"^  func\.func @(\w+)\(.*?^  \}\n", re.MULTILINE | re.DOTALL)


@dataclasses.dataclass
class TimedSchedule:
    """The schedule of one function of the plan. predicted: {model: microseconds}."""

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


def searched(family, case):
    """Whether many schedules of a workload are timed, in the sizes of the table."""
    return (family, case, ()) in SEARCHED


def draws_of(size):
    """The schedules that are drawn for a workload whose inputs and results have so many bytes."""
    return max(0, min(DRAWS, MOST_WRITTEN // max(size, 1) - RANKS))


def schedules(tools, module, chip, draws, ranks=RANKS):
    """(the module's groups, [TimedSchedule]) of a workload that is one chain; the chosen schedule comes first.
    Raises CompileError where the schedule is illegal."""
    unscheduled = tools.groups(module, chip, unscheduled=True)
    groups = tools.run("fusion-opt", "-", "--fuse-search-schedules", text=unscheduled)
    reports = tools.report(unscheduled)
    if len(list(find(groups))) != 1 or len(reports) != 1:
        raise CompileError(f"{len(reports)} chains")
    ranking = reports[0]["ranking"]
    (chosen,) = ranked.schedules(groups)
    found = [TimedSchedule("chosen", str(chosen), ranking[0]["by_model_us"])]
    for rank, entry in enumerate(ranking[1:ranks], 2):
        schedule = legal_runner_up(tools, groups, chosen, ranking[0], entry)
        if schedule:
            found.append(TimedSchedule(f"rank_{rank}", schedule, entry["by_model_us"]))
    for seed in range(draws):
        text, (report,) = tools.drawn(unscheduled, seed)
        (schedule,) = ranked.schedules(text)
        found.append(TimedSchedule(f"draw_{seed}", str(schedule), report["ranking"][0]["by_model_us"]))
    # Equal ones count once, under the first name.
    return groups, list({one.schedule: one for one in reversed(found)}.values())[::-1]


def legal_runner_up(tools, groups, chosen, first, entry):
    """The schedule of an entry of the ranking as text; None where the verifier rejects what the entry says of it."""
    made = ranked.runner_up(chosen, first, entry)
    for schedule in (made, ranked.with_other_reduction(made)):
        try:
            tools.run("fusion-opt", "-", "--fuse-search-schedules", text=ranked.replace(groups, [schedule]))
            return str(schedule)
        except (CompileError, KeyError, ValueError, AssertionError):
            continue
    return None


def plan(tools, groups, schedules):
    """(manifest with a function of each schedule, the schedules that it contains). What does not compile is
    left out, by halves;
    the manifest is None where nothing does."""
    (function,) = functions_of(groups)

    def lower(chosen):
        texts = [renamed(ranked.replace(function, [one.schedule]), one.name) for one in chosen]
        return tools.lower(module_of(groups, texts))

    def compiled(chosen):
        try:
            return lower(chosen), chosen
        except CompileError:
            if len(chosen) <= 1:
                return None, []
        half = len(chosen) // 2
        kept = compiled(chosen[:half])[1] + compiled(chosen[half:])[1]
        return (lower(kept) if kept else None), kept

    return compiled(list(schedules))


def copies(module, names):
    """A module with the only function of `module` once under each name."""
    return "".join(renamed(module, name) for name in names)
