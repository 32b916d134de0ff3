# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tables in Markdown of what was measured."""

import dataclasses

from implementations import names
from measuring import limits, samples
from measuring.rows import SETS

# Our medians whose ratio to the best peer is below this are called losses.
LOSS = 0.95


@dataclasses.dataclass
class Line:
    """One row with one number of threads. Times are medians in microseconds."""

    record: dict
    ours: dict | None  # as samples.median
    peers: dict  # {name: samples.median}
    least_us: float | None  # what the limits allow; None without limits
    bound: str  # "compute" or "memory"

    @property
    def best(self):
        """The name of the fastest peer that knows no more than we do, or None."""
        fair = {name: found["us"] for name, found in self.peers.items() if name not in names.CONSTANTS}
        return min(fair, key=fair.get, default=None)

    @property
    def ratio(self):
        """Time of the best peer over ours: above 1 we are faster. None where either is missing."""
        return self.peers[self.best]["us"] / self.ours["us"] if self.ours and self.best else None

    def ratio_to(self, name):
        return self.peers[name]["us"] / self.ours["us"] if self.ours and name in self.peers else None

    @property
    def share(self):
        """Part of the limit that ours reaches."""
        return self.least_us / self.ours["us"] if self.ours and self.least_us else None

    def rate(self, us):
        """GFLOP/s where the row has contractions, else GB/s of what it reads and writes once."""
        work = self.record["work"]
        return (work["flops"] or work["read"] + work["written"]) / us / 1e3


def lines(content):
    found = []
    for record in content["rows"]:
        if "work" not in record:
            continue  # it has an error instead
        threads = str(record["threads"])
        best = content["best_canary"].get(threads, 0)
        medians = {
            name: samples.median(entry["samples"], best)
            for name, entry in record["implementations"].items()
            if entry["status"] == "right" and "samples" in entry
        }
        medians = {name: found for name, found in medians.items() if found}
        least, bound = None, ""
        if threads in content["limits"]:
            seconds = limits.least_seconds(
                record["work"], content["limits"][threads], content["machine"]["caches"], record["threads"]
            )
            bound = max(seconds, key=seconds.get)
            least = seconds[bound] * 1e6
        found.append(Line(record, medians.pop("ours", None), medians, least, bound))
    return found


def of(all_lines, set_name, threads, dtype=None):
    return [
        line
        for line in all_lines
        if (line.record["set"], line.record["threads"]) == (set_name, threads) and dtype in (None, line.record["dtype"])
    ]


def threads_of(all_lines):
    return sorted({line.record["threads"] for line in all_lines})


def unit(chosen):
    return "GFLOP/s" if any(line.record["work"]["flops"] for line in chosen) else "GB/s"


def number(value, digits=3):
    if value is None:
        return ""
    return f"{value:.0f}" if value >= 100 else f"{value:.{digits}g}"


def ratio(value):
    return "" if value is None else f"{value:.2f}"


def percent(value):
    return "" if value is None else f"{100 * value:.0f} %"


def overview(content):
    """A line for each set, type and number of threads."""
    all_lines = lines(content)
    headings = ("set", "type", "threads", "rows", "ratio to the best peer: mean", "least", "below 0.95",
                "to PyTorch eager", "part of the limit: mean", "least")  # fmt: skip
    yield "| " + " | ".join(headings) + " |"
    yield "|---|---|" + "---:|" * (len(headings) - 2)
    for set_name in SETS:
        for dtype in dict.fromkeys(line.record["dtype"] for line in all_lines):
            for threads in threads_of(all_lines):
                chosen = of(all_lines, set_name, threads, dtype)
                if chosen:
                    yield f"| {SETS[set_name]} | {dtype} | {threads} | " + " | ".join(_overview_cells(chosen)) + " |"


def _overview_cells(chosen):
    ratios = [line.ratio for line in chosen if line.ratio is not None]
    eager = [line.ratio_to("eager") for line in chosen if line.ratio_to("eager") is not None]
    shares = [line.share for line in chosen if line.share is not None]
    return [
        str(len(chosen)),
        ratio(samples.geometric_mean(ratios)),
        ratio(min(ratios, default=None)),
        str(sum(one < LOSS for one in ratios)),
        ratio(samples.geometric_mean(eager)),
        percent(samples.geometric_mean(shares)),
        percent(min(shares, default=None)),
    ]


def _time(found, line):
    """A median and half its spread in percent, and a star where it is of few samples."""
    if not found:
        return ""
    spread = 100 * (found["high"] - found["low"]) / found["us"]
    star = r"\*" if found["few"] else ""
    return f"{number(line.rate(found['us']))}{star} ±{spread / 2:.0f} %"


def _without_time(entry):
    return "disturbed" if entry.get("status") == "right" else entry.get("status", "failed")


def set_table(content, set_name, threads):
    """Rates of a set's rows: ours, the limit, and each peer that ran any of them."""
    chosen = of(lines(content), set_name, threads)
    used = [name for name in names.PEERS if any(name in line.peers for line in chosen)]
    headings = ["row", f"ours, {unit(chosen)}", "limit", "reached", "best peer", "ratio"]
    headings += [names.PEERS[name] for name in used]
    yield "| " + " | ".join(headings) + " |"
    yield "|---|" + "---:|" * 3 + "---|" + "---:|" * (1 + len(used))
    for line in chosen:
        ours = _time(line.ours, line) if line.ours else _without_time(line.record["implementations"].get("ours", {}))
        cells = [line.record["row"], ours, number(line.least_us and line.rate(line.least_us)), percent(line.share)]
        cells += [names.PEERS.get(line.best, ""), ratio(line.ratio)]
        cells += [_time(line.peers.get(name), line) for name in used]
        yield "| " + " | ".join(cells) + " |"


def failures(content):
    """What did not run or was wrong, a line for each reason."""
    groups = {}
    for record in content["rows"]:
        for name, entry in record["implementations"].items():
            if entry["status"] != "right":
                groups.setdefault((name, entry["status"], entry["message"]), []).append(record["row"])
        if "error" in record:
            groups.setdefault(("reference", "failed", record["error"]), []).append(record["row"])
    if not groups:
        yield "All ran, and all results are right."
        return
    yield "| by | result | rows | reason |"
    yield "|---|---|---|---|"
    for (name, status, message), where in groups.items():
        where = list(dict.fromkeys(where))
        some = ", ".join(where[:3]) + (f" and {len(where) - 3} more" if len(where) > 3 else "")
        message = message.replace("|", "\\|").replace("`", "'")
        yield f"| {names.PEERS.get(name, name)} | {status} | {some} | `{message[:200]}` |"


def limits_table(content):
    """Rates of the machine by number of threads."""
    found = content["limits"]
    yield "| | " + " | ".join(f"{threads} thread{'' if threads == '1' else 's'}" for threads in found) + " |"
    yield "|---|" + "---:|" * len(found)
    first = next(iter(found.values()), {})
    for name, rate in first.items():
        if isinstance(rate, dict):
            for level in rate:
                cells = (number(rates[name][level] / 1e9) for rates in found.values())
                yield f"| {name}, {level}, GB/s | " + " | ".join(cells) + " |"
        else:
            count = "G/s" if name == "exp" else "GFLOP/s" if name[0] in "fb" else "GOP/s"
            cells = (number(rates[name] / 1e9) for rates in found.values())
            yield f"| {name}, {count} | " + " | ".join(cells) + " |"
