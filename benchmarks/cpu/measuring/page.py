# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""docs/cpu-performance.md and its plots, from the results."""

import pathlib

from measuring import plots, tables
from measuring.rows import SETS

ROOT = pathlib.Path(__file__).resolve().parents[3]
PAGE = ROOT / "docs" / "cpu-performance.md"
PICTURES = ROOT / "docs" / "pictures" / "cpu"
TEMPLATE = pathlib.Path(__file__).resolve().parents[1] / "page.md"


def text(content, name):
    """The page. name: of the folder of the results."""
    all_lines = tables.lines(content)
    template = TEMPLATE.read_text()
    parts = {
        "name": name,
        "machine": "\n".join(_machine(content["machine"])),
        "overview": "\n".join(tables.overview(content)),
        "sets": "\n".join(_sets(content, all_lines)),
        "limits": "\n".join(tables.limits_table(content)),
        "failures": "\n".join(tables.failures(content)),
    }
    for key, value in parts.items():
        template = template.replace(f"{{{{{key}}}}}", value)
    return template


def _machine(machine):
    caches = ", ".join(f"{name} {size >> 10} KiB" for name, size in machine["caches"].items())
    versions = ", ".join(f"{name} {version}" for name, version in sorted(machine.get("versions", {}).items()))
    yield "| | |"
    yield "|---|---|"
    for key, value in (
        ("CPU", f"{machine['cpu']}, {machine['cores']} cores"),
        ("vector units", ", ".join(machine["features"])),
        ("caches", caches),
        ("date", machine["date"][:10]),
        ("commit", f"`{machine['commit'][:12]}`"),
        ("system", f"{machine['system']}, {machine['compiler']}"),
        ("libraries", versions),
    ):
        yield f"| {key} | {value} |"


def _sets(content, all_lines):
    for set_name, title in SETS.items():
        for threads in tables.threads_of(all_lines):
            chosen = tables.of(all_lines, set_name, threads)
            if not chosen:
                continue
            yield from ("", f"### {title}, {threads} thread{'' if threads == 1 else 's'}", "")
            if plot_dtypes(chosen):
                yield from (f"![{title}: rates of the f32 rows](pictures/cpu/{set_name}-{threads}.svg)", "")
            yield from tables.set_table(content, set_name, threads)


def plot_dtypes(chosen):
    return [line for line in chosen if line.record["dtype"] == "f32" and line.ours]


def pictures(content):
    """{file name: text} of the plots."""
    all_lines, found = tables.lines(content), {}
    for set_name, title in SETS.items():
        for threads in tables.threads_of(all_lines):
            chosen = plot_dtypes(tables.of(all_lines, set_name, threads))
            if chosen:
                groups = [(line.record["row"].removesuffix("-f32"), _rates(line), _limit(line)) for line in chosen]
                unit = tables.unit(chosen)
                heading = f"{title}, f32, {threads} thread{'' if threads == 1 else 's'}"
                found[f"{set_name}-{threads}.svg"] = plots.bars(heading, unit, groups)
    return found


def _rates(line):
    times = (line.ours, line.peers.get(line.best), line.peers.get("eager"))
    return [line.rate(one["us"]) if one else None for one in times]


def _limit(line):
    return line.rate(line.least_us) if line.least_us else None


def write(content, name):
    drawn = pictures(content)
    PICTURES.mkdir(parents=True, exist_ok=True)
    for old in PICTURES.glob("*.svg"):
        if old.name not in drawn:
            old.unlink()
    for file, picture in drawn.items():
        (PICTURES / file).write_text(picture)
    PAGE.write_text(text(content, name))
