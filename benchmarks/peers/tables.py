# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tables in Markdown of what `run` measured. A run is a comparison.Run as a dict."""

import dataclasses
import math

# Key of a number, heading, and how it is read from a measurement.
_COLUMNS = (
    ("launches", "launches", lambda m: m["launches"]),
    ("grid", "blocks × threads", lambda m: " + ".join(
        f"{math.prod(one['grid'])} × {math.prod(one['block'])}" for one in m["kernels"])),
    ("time", "µs, predicted", lambda m: m["seconds"] and m["seconds"] * 1e6),
    ("busiest", "slots, busiest", lambda m: m["busiest"]),
    ("slots", "slots", lambda m: m["slots"]),
    ("instructions", "PTX", lambda m: m["counters"]["instructions"]),
    ("bytes", "bytes", lambda m: m["counters"]["global_load_bytes"] + m["counters"]["global_store_bytes"]),
    ("sectors", "sectors", lambda m: m["counters"]["global_sectors"]),
    ("wavefronts", "wavefronts", lambda m: m["counters"]["shared_wavefronts"]),
    ("conflicts", "conflicts", lambda m: m["counters"]["shared_bank_conflicts"]),
    ("barriers", "barriers", lambda m: m["counters"]["barriers"]),
    ("flops", "MMA flops", lambda m: m["counters"]["mma_flops"]),
    ("registers", "registers", lambda m: m["registers"]),
    ("spills", "spilled", lambda m: m["spill_bytes"]),
    ("shared", "shared", lambda m: m["shared_bytes"]),
    ("hot_loop", "hot loop", lambda m: m["hot_loop"]),
)
# What is compared; fewer is better.
COMPARED = ("launches", "time", "slots", "busiest", "bytes", "sectors", "wavefronts", "conflicts", "barriers", "flops",
            "spills", "hot_loop")  # fmt: skip
SIGNIFICANT = 1.05  # of a number that is called higher


@dataclasses.dataclass
class Pair:
    """Fusion and two of Triton's configurations on one chip: the one whose busiest scheduler issues least, and the one
    with the least predicted time."""

    ours: dict
    theirs: dict | None
    fastest: dict | None

    @property
    def ratio(self):
        """Issue slots of the busiest scheduler, ours over theirs; above 1 is a loss, and so is what did not run."""
        return self._ratio(self.theirs, "busiest")

    @property
    def time_ratio(self):
        """Predicted times, ours over the fastest's."""
        return self._ratio(self.fastest, "seconds")

    def _ratio(self, theirs, key):
        if theirs is None:
            return None
        if self.ours["status"] != "right" or not self.ours["measurement"][key]:
            return math.inf
        return self.ours["measurement"][key] / theirs["measurement"][key]

    def higher(self):
        """The names of the numbers in which ours is above theirs (of time: above the fastest's)."""
        if self.theirs is None or self.ours["status"] != "right":
            return []
        found = []
        for key, _, read in _COLUMNS:
            other = self.fastest if key == "time" else self.theirs
            ours, theirs = read(self.ours["measurement"]), other and read(other["measurement"])
            if key in COMPARED and ours is not None and theirs is not None and ours > SIGNIFICANT * theirs:
                found.append(key)
        return found


def key_of(run):
    return run["family"], run["name"], run["dtype"], run["chip"]


def best(runs, key="busiest"):
    """Of Triton's right results the one with the least of a measurement, or None."""
    right = [run for run in runs if run["side"] == "triton" and run["status"] == "right" and run["measurement"][key]]
    return min(right, key=lambda run: run["measurement"][key], default=None)


def pairs(runs):
    """The Pairs, losses first."""
    grouped = {}
    for run in runs:
        grouped.setdefault(key_of(run), []).append(run)
    found = []
    for group in grouped.values():
        ours = [run for run in group if run["side"] == "fusion"]
        if ours:
            found.append(Pair(ours[-1], best(group), best(group, "seconds")))
    return sorted(found, key=lambda pair: -(pair.ratio if pair.ratio is not None else -1))


def short(number):
    """Four digits at most, with a unit."""
    if number is None:
        return ""
    if isinstance(number, str):
        return number
    if abs(number) < 100 and number != int(number):
        return f"{number:.3g}"
    for unit, factor in (("G", 1e9), ("M", 1e6), ("k", 1e3)):
        if abs(number) >= 10 * factor or (unit != "k" and abs(number) >= factor):
            scaled = number / factor
            return f"{scaled:.0f}{unit}" if scaled >= 100 else f"{scaled:.1f}{unit}"
    return f"{number:.0f}"


def _title(run):
    held = " (held out)" if run["held_out"] else ""
    return f"{run['family'].replace('_', ' ')} {run['name'].replace('x', '×')} {run['dtype']}{held}"


def _cells(run):
    return [short(read(run["measurement"])) for _, _, read in _COLUMNS]


def comparison_table(chosen, notes=None):
    """Two or three lines per pair. notes: {key_of(run): marks of footnotes}."""
    notes = notes or {}
    yield "| computation | slots | time | by | " + " | ".join(heading for _, heading, _ in _COLUMNS) + " |"
    yield "|---|---:|---:|---|" + "---:|" * len(_COLUMNS)
    for pair in chosen:
        ours, theirs, fastest = pair.ours, pair.theirs, pair.fastest
        mark = notes.get(key_of(ours), "")
        title = f"| {_title(ours)}{mark} | {_written(pair.ratio)} | {_written(pair.time_ratio)} | Fusion"
        if ours["status"] == "right":
            yield f"{title} | " + " | ".join(_cells(ours)) + " |"
        else:
            yield f"{title}: {ours['status']} |" + " |" * len(_COLUMNS)
        for run in (theirs, fastest if fastest is not theirs else None):
            if run:
                yield f"| | | | Triton: {run['configuration']} | " + " | ".join(_cells(run)) + " |"


def _written(ratio):
    return "" if ratio is None else "∞" if math.isinf(ratio) else f"{ratio:.2f}"


def summary(ratios):
    """(ratios that are not None, losses among them, geometric mean of the finite ones)."""
    ratios = [ratio for ratio in ratios if ratio is not None]
    finite = [ratio for ratio in ratios if math.isfinite(ratio)]
    mean = math.exp(sum(map(math.log, finite)) / len(finite)) if finite else None
    return len(ratios), sum(ratio > SIGNIFICANT for ratio in ratios), mean


def blocks_table(runs):
    """Blocks of models, a line per side."""
    headings = ("block", "chip", "by", "launches", "calls of libraries", "bytes", "bytes of libraries, at least",
                "sectors", "error")  # fmt: skip
    yield "| " + " | ".join(headings) + " |"
    yield "|---|---|---|---:|---:|---:|---:|---:|---:|"
    for run in runs:
        title = f"{run['name']}, {run['size']}, {run['dtype']} | {run['chip']} | {run['side'].capitalize()}"
        if run["status"] == "failed":
            yield f"| {title}: {run['status']} | | | | | | |"
            continue
        keys = ("launches", "library_calls", "bytes", "library_bytes", "sectors")
        numbers = " | ".join(short(run[key]) for key in keys)
        yield f"| {title} | {numbers} | {run['error']:.1e} |"
