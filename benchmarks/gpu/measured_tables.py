#!/usr/bin/env python3
# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints the tables of docs/measurements/h200.md from the record that they are about.

    measured_tables.py [RECORD] [--table=NAME]      default: benchmarks/results/h200/2026-11-27, all tables

RECORD has the folders that benchmarks/gpu/archive_results made: call1-first, call1-second and call2. Each table has its
name as a heading. benchmarks/tests/test_measured_tables.py compares the page with them.
"""

import argparse
import functools
import json
import math
import pathlib
import re
import statistics
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from calls import report  # noqa: E402

RECORD = HERE.parents[1] / "benchmarks" / "results" / "h200" / "2026-11-27"
FIRST, SECOND, THIRD = "call1-first", "call1-second", "call2"
# Groups of the kinds of preparation/feature_cases.py, by how a kind begins.
FEATURES = {
    "copies by `cp.async` and through registers": ("cp.async", "copies through"),
    "`mma.sync` of f16, bf16, tf32, s8, e4m3, e5m2; `fma` of f32": ("mma.sync", "multiply-adds"),
    "`wgmma` of f16, bf16, tf32, s8, e4m3, e5m2": ("wgmma",),
    "TMA loads": ("TMA load",),
    "TMA stores": ("TMA store",),
    "warp specialization": ("producers", "register reallocation"),
    "attention": ("attention",),
    "ping-pong scheduling": ("ping-pong",),
    "multicast in clusters": ("multicast",),
    "persistent kernels": ("persistent",),
    "split reductions, decoding": ("split", "running values", "decoding"),
    "programmatic launches": ("programmatic",),
    "stitching: compositions, copies": (
        "thread composition", "warp composition", "block composition", "cluster composition", "stitched", "transposes",
    ),
    "stitching: gathers, slices, columns, packing": (
        "gather", "scatter", "slices", "columns", "packing", "element-wise", "two reductions", "three axes", "blocks that",
    ),
    "convolutions": ("convolution",),
}  # fmt: skip
PEERS = ("eager", "triton", "sdpa:cudnn", "sdpa:flash")
# Values of h200 in lib/Target/Chips/ChipTable.cpp when the predictions were made, in the units of the measured numbers.
CLOCK = 1.83e9
LAUNCH_US, MEASURED_LAUNCH_US = 2.5, 0.5
CHIP = (
    ("DRAM, reads", "dram_read_bandwidth", "4800 GB/s"),
    ("DRAM, writes", "dram_write_bandwidth", "4800 GB/s"),
    ("DRAM, copies", "dram_copy_bandwidth", "4800 GB/s"),
    ("L2, reads of 12/16 of its size", "l2_read_bandwidth_12_16ths", "5500 GB/s"),
    ("L2, reads of its whole size", "l2_read_bandwidth_16_16ths", "5500 GB/s"),
    ("DRAM, latency", "dram_latency", f"{2.65e-7 * CLOCK:.0f} cycles"),
    ("L2, latency", "l2_latency", f"{1.45e-7 * CLOCK:.0f} cycles"),
    ("shared memory, latency", "shared_latency", f"{1.6e-8 * CLOCK:.0f} cycles"),
    ("another block's shared memory, latency, clusters of 2", "remote_latency_2_blocks_1_away", f"{9.84e-8 * CLOCK:.0f} cycles"),
    ("another block's shared memory, latency, clusters of 4", "remote_latency_4_blocks_1_away", f"{9.84e-8 * CLOCK:.0f} cycles"),
    ("barrier of a block of 128 threads", "barrier_128_threads", f"{1.5e-8 * CLOCK:.0f} cycles"),
    ("barrier of a block of 512 threads", "barrier_512_threads", f"{1.5e-8 * CLOCK:.0f} cycles"),
    ("launch in a CUDA graph", "launch_graph", f"{LAUNCH_US} us"),
    ("launch in a stream", "launch_stream", f"{LAUNCH_US} us"),
    ("barrier of the grid", "grid_barrier", ""),
    ("`wgmma` of f16, m64n256k16, 132 SMs", "wgmma_m64n256k16_f16_ss_2_groups_chip", "989 TFLOP/s"),
    ("`wgmma` of tf32, m64n256k8, 132 SMs", "wgmma_m64n256k8_tf32_ss_2_groups_chip", "494 TFLOP/s"),
    ("`wgmma` of e4m3, m64n256k32, 132 SMs", "wgmma_m64n256k32_e4m3_ss_2_groups_chip", "1979 TFLOP/s"),
    ("`wgmma` of s8, m64n256k32, 132 SMs", "wgmma_m64n256k32_s8_ss_2_groups_chip", "1979 TFLOP/s"),
)
# Clusters that the table's GPCs hold, by blocks of a cluster.
CLUSTERS = {"2": 66, "4": 32, "8": 16}
# Metrics of Nsight Compute: how the page calls them, how the text does.
METRICS = (
    ("duration", "Duration"),
    ("SM clock, GHz", "SM Frequency"),
    ("elapsed cycles", "Elapsed Cycles"),
    ("cycles in which an SM has a block", "SM Active Cycles"),
    ("blocks", "Grid Size"),
    ("registers of a thread", "Registers Per Thread"),
    ("shared memory of a block, kB", "Dynamic Shared Memory Per Block"),
    ("waves of blocks", "Waves Per SM"),
    ("achieved occupancy, %", "Achieved Occupancy"),
    ("tensor pipe, % of active cycles", "Tensor (FP)"),
    ("issue slots busy, %", "Issue Slots Busy"),
    ("active warps of a scheduler", "Active Warps Per Scheduler"),
    ("eligible warps of a scheduler", "Eligible Warps Per Scheduler"),
    ("DRAM throughput, %", "DRAM Throughput"),
    ("L2 throughput, %", "L2 Cache Throughput"),
    ("L2 hit rate of loads, %", "L2 Hit Rate For Loads"),
    ("cycles between two instructions of a warp", "Warp Cycles Per Issued Instruction"),
)  # fmt: skip


@functools.lru_cache
def call(record, folder, number):
    return json.loads((record / folder / f"call{number}.json").read_text())


def short(workload):
    return workload.partition(":")[2].removesuffix("/f16")


def features(record):
    runs = [call(record, folder, 1)["phases"]["features"] for folder in (FIRST, SECOND, THIRD)]
    rows, total = [], [0] * 7
    for title, kinds in FEATURES.items():
        names = [name for name, unit in runs[1].items() if unit["kind"].startswith(kinds)]
        passed, ran = (
            [sum(name in run and (not right or run[name]["outcome"] == "pass") for name in names) for run in runs]
            for right in (True, False)
        )
        last = [runs[2].get(name, runs[1][name]) for name in names]
        row = [len(names), *passed, sum(unit.get("bits") == "equal" for unit in last), ran[2]]
        total = [a + b for a, b in zip(total, row)]
        rows.append([title, *row[:3], f"{row[3]} of {row[5]}" if row[5] else "", row[4]])
    assert total[0] == len(runs[1])
    rows.append(["all", *total[:3], f"{total[3]} of {total[5]}", total[4]])
    head = ["feature", "cases", "passed first", "passed second", "passed third", "equal to the emulator's bits"]
    return report.table(head, rows, right=range(1, 6))


@functools.lru_cache
def workloads(record):
    """(workload, unit, {peer: microseconds}, ratio or None), the worst ratio first."""
    found = []
    for name, one in report.workloads(call(record, THIRD, 2)).items():
        unit, peers = one["ours"]["chosen"], {peer: answer["us"] for peer, answer in one["peers"].items() if answer.get("us")}
        ratio = min(peers.values()) / unit["us"] if unit["outcome"] == "pass" else None
        found.append((name, unit, peers, ratio))
    return sorted(found, key=lambda row: (row[3] is None, row[3], row[0]))


def timings(record):
    rows = []
    for name, unit, peers, ratio in workloads(record):
        us, predicted = unit["us"], unit["predicted_us"]
        rows.append([
            short(name),
            f"{us:.2f}" if ratio else f"({us:.2f})",
            f"{predicted:.2f}",
            f"{us / predicted:.2f}" if ratio else "",
            report.rate_of(unit),
            *(f"{peers[peer]:.2f}" if peer in peers else "" for peer in PEERS),
            f"{ratio:.2f}" if ratio else "",
        ])  # fmt: skip
    head = ["workload", "Fusion", "predicted", "measured / predicted", "rate", "eager", "Triton", "cuDNN", "flash", "fastest peer / Fusion"]
    return report.table(head, rows, right=range(1, 10))


def geometric_mean(values):
    return math.exp(statistics.fmean(map(math.log, values)))


def families(record):
    groups = {}
    for name, unit, _, ratio in workloads(record):
        if ratio:
            groups.setdefault(name.partition(":")[0], []).append((ratio, unit["us"] / unit["predicted_us"]))
    rows = []
    for family, found in [*sorted(groups.items()), ("all", [pair for pairs in groups.values() for pair in pairs])]:
        ratios, errors = zip(*found)
        rows.append([
            family, len(found), sum(ratio > 1 for ratio in ratios), f"{geometric_mean(ratios):.2f}", f"{min(ratios):.2f}",
            f"{max(ratios):.2f}", f"{statistics.median(errors):.2f}", f"{min(errors):.2f} to {max(errors):.2f}",
        ])  # fmt: skip
    head = ["family", "workloads", "faster than all peers", "fastest peer / Fusion, geometric mean", "lowest", "highest",
            "measured / predicted, median", "range"]  # fmt: skip
    return report.table(head, rows, right=range(1, 8))


def drawn(record):
    """{workload: {function: one}} of the functions that have a time."""
    units = call(record, THIRD, 2)["phases"]["drawn"]
    found = {
        name.removesuffix(" schedules"): {key: one for key, one in unit["functions"].items() if one["us"]}
        for name, unit in units.items()
        if unit.get("functions")
    }
    family = lambda name: (name.partition(":")[0], len(name), name)  # noqa: E731
    return {name: found[name] for name in sorted(found, key=family)}


def pairs_of(functions, model):
    return [(one["predicted"][model], one["us"]) for one in functions.values() if one["predicted"].get(model) is not None]


def quality(pairs):
    """(rank correlation, median error, time of the schedule that is predicted to be fastest over the fastest time)."""
    found = sorted(abs(predicted / us - 1) for predicted, us in pairs)
    return report.correlation(*zip(*pairs)), found[len(found) // 2], min(pairs)[1] / min(us for _, us in pairs)


def models(record):
    found = drawn(record)
    rows = []
    for model in sorted({model for functions in found.values() for one in functions.values() for model in one["predicted"]}):
        correlations, errors, losses = zip(*(quality(pairs_of(functions, model)) for functions in found.values()))
        rows.append([
            f"`{model}`", sum(len(pairs_of(functions, model)) for functions in found.values()),
            f"{statistics.median(correlations):.2f}", f"{min(correlations):.2f}", f"{statistics.median(errors):.0%}",
            f"{geometric_mean(losses):.2f}", f"{max(losses):.2f}",
        ])  # fmt: skip
    head = ["model", "schedules", "rank correlation, median", "lowest", "error, median",
            "its first choice / fastest, geometric mean", "highest"]  # fmt: skip
    return report.table(head, rows, right=range(1, 7))


def schedules(record):
    rows = []
    for name, functions in drawn(record).items():
        correlation, error, _ = quality(pairs_of(functions, "default"))
        best, chosen = min(functions, key=lambda key: functions[key]["us"]), functions["chosen"]
        rows.append([
            short(name), len(functions), f"{correlation:.2f}", f"{error:.0%}", f"{chosen['predicted']['default']:.2f}",
            f"{chosen['us']:.2f}", f"{functions[best]['us']:.2f}", best.replace("_", " "),
            f"{functions[best]['us'] / chosen['us']:.2f}",
        ])  # fmt: skip
    head = ["workload", "schedules", "rank correlation", "error, median", "chosen, predicted", "chosen", "fastest", "which", "fastest / chosen"]
    return report.table(head, rows, right=(1, 2, 3, 4, 5, 6, 8))


def has(pattern):
    return lambda name, one: bool(re.search(pattern, one["schedule"]))


def lacks(pattern):
    return lambda name, one: not re.search(pattern, one["schedule"])


PROPERTIES = {
    "chosen by the search": lambda name, one: name == "chosen",
    "next in the ranking": lambda name, one: name.startswith("rank"),
    "drawn": lambda name, one: name.startswith("draw"),
    "no clusters": lacks(r"\bcluster = "),
    "clusters of 2": has(r"\bcluster = 2\b"),
    "clusters of 4": has(r"\bcluster = 4\b"),
    "clusters of 8": has(r"\bcluster = 8\b"),
    "only `wgmma`": lacks(r"mma\.m16"),
    "`mma.sync` alone or beside `wgmma`": has(r"mma\.m16"),
    "only TMA copies": lacks(r"async(?:4|8|16)|sync>"),
    "copies by threads too": has(r"async(?:4|8|16)|sync>"),
    "producers": has(r"producers = "),
    "persistent": has(r"persistent = true"),
    "no split reduction": lacks(r"parallel = <\{\w"),
    "split, in a cluster": has(r"in_cluster = true"),
    "split, otherwise": lambda name, one: (
        bool(re.search(r"parallel = <\{\w", one["schedule"])) and "in_cluster" not in one["schedule"]
    ),
    "softmax of one tile": has(r"reduction = <one_tile"),
    "online softmax": has(r"reduction = <online"),
    "up to 5 us": lambda name, one: one["us"] <= 5,
    "5 to 20 us": lambda name, one: 5 < one["us"] <= 20,
    "20 to 100 us": lambda name, one: 20 < one["us"] <= 100,
    "above 100 us": lambda name, one: one["us"] > 100,
}


def errors(record):
    every = [(name, one) for functions in drawn(record).values() for name, one in functions.items()]
    rows = []
    for title, holds in PROPERTIES.items():
        chosen = [one for name, one in every if holds(name, one)]
        found = [one["us"] / one["predicted"]["default"] for one in chosen]
        other = [one["us"] / (one["predicted"]["default"] - LAUNCH_US + MEASURED_LAUNCH_US) for one in chosen]
        tenths = statistics.quantiles(found, n=10)
        rows.append([title, len(found), f"{statistics.median(found):.2f}", f"{tenths[0]:.2f}", f"{tenths[-1]:.2f}",
                     f"{statistics.median(other):.2f}"])  # fmt: skip
    head = ["schedules", "number", "measured / predicted, median", "10 %", "90 %", "median with 0.5 us for the launch"]
    return report.table(head, rows, right=range(1, 6))


def metric(text, name):
    """The first value of a metric in Nsight Compute's text; of a pipe, its use in active cycles."""
    found = re.findall(rf"^ +{re.escape(name)}(?: +\S+)? +([\d,.]+)$", text, re.MULTILINE)
    if name == "Tensor (FP)":
        text = text.partition("Pipe Utilization (% of active cycles)")[2]
        return metric(text.replace(name, "tensor"), "tensor")
    return found[0].replace(",", "")


def duration(text):
    value, unit = re.search(r"^ +Duration +(us|ms) +([\d.]+)$", text, re.MULTILINE).group(2, 1)
    return f"{value} {unit}"


def stalls(text):
    """The three reasons that take the most cycles between two instructions of a warp."""
    table = text.partition("Warp State (All Cycles)")[2]
    found = re.findall(r"^ +Stall (.+?) +inst +([\d.]+)$", table, re.MULTILINE)
    return ", ".join(f"{name} {value}" for name, value in sorted(found, key=lambda one: -float(one[1]))[:3])


def profiles(record):
    texts = {path.stem: path.read_text() for path in sorted((record / THIRD / "profiles").glob("*.txt"))}
    names = [re.search(r"^  (\w+)_(?:chain|stitch)_0 \(", text, re.MULTILINE).group(1) for text in texts.values()]
    rows = [
        [title, *(duration(text) if name == "Duration" else metric(text, name) for text in texts.values())]
        for title, name in METRICS
    ]
    rows.append(["most frequent stalls, cycles", *(stalls(text) for text in texts.values())])
    return report.table(["", *names], rows, right=range(1, 1 + len(names)))


@functools.lru_cache
def numbers(record):
    return {
        name: number
        for unit in call(record, THIRD, 2)["phases"]["chip"].values()
        for name, number in unit["numbers"].items()
    }


def figure(value):
    """Four digits, without an exponent."""
    return f"{value:.0f}" if value >= 1000 else f"{value:.4g}"


def chip(record):
    known = numbers(record)
    gpu = call(record, THIRD, 2)["machine"]["gpu"]
    rows = [["SM clock, highest", f"{gpu['clocks.max.sm']}", f"{CLOCK / 1e6:.0f} MHz"]]
    clusters = call(record, THIRD, 2)["machine"]["active_clusters"]
    for size, table in CLUSTERS.items():
        rows.append([f"clusters of {size} blocks, one block on an SM", clusters[size], table])
    for title, name, table in CHIP:
        rows.append([title, f"{figure(known[name]['value'])} {known[name]['unit']}", table])
    return report.table(["number", "measured", "chip table"], rows, right=(1, 2))


def wgmma(record):
    known = numbers(record)
    rows = []
    for n in (8, 16, 32, 64, 96, 128, 192, 256):
        name = f"wgmma_m64n{n}k16_f16"
        rates = [known[f"{name}_{kind}_2_groups"]["value"] / 4096 for kind in ("ss", "rs")]
        latencies = [known[f"{name}_{kind}_latency"]["value"] for kind in ("ss", "rs")]
        clocks = [known[f"{name}_ss_2_groups_chip"]["value"] * 1e3 / (132 * known[f"{name}_ss_2_groups"]["value"])]
        rows.append([n, *(f"{rate:.0%}" for rate in rates), *(f"{latency:.0f}" for latency in latencies),
                     f"{known[f'{name}_ss_2_groups_chip']['value']:.0f}", f"{clocks[0]:.2f}"])  # fmt: skip
    head = ["n", "rate, LHS in shared memory", "rate, LHS in registers", "latency, shared", "latency, registers",
            "all SMs, TFLOP/s", "clock of that, GHz"]  # fmt: skip
    return report.table(head, rows, right=range(7))


def copies(record):
    known = numbers(record)
    rows = []
    for size in (1024, 4096, 8192, 16384, 32768):
        latency = [known.get(f"{kind}_latency_{memory}_{size}_bytes", {}).get("value")
                   for memory in ("l2", "dram") for kind in ("bulk", "tensor_copy")]  # fmt: skip
        rates = [known.get(f"tensor_copy_bandwidth_{memory}_{size}_bytes_{stages}_stages", {}).get("value")
                 for memory in ("l2", "dram") for stages in (2, 4, 6)]  # fmt: skip
        one = known.get(f"tensor_copy_bandwidth_one_sm_l2_{size}_bytes_4_stages", {}).get("value")
        rows.append([size, *(f"{value:.0f}" if value else "" for value in (*latency, *rates)), figure(one) if one else ""])
    head = ["bytes", "bulk, L2", "TMA, L2", "bulk, DRAM", "TMA, DRAM", "L2, 2 stages", "4", "6", "DRAM, 2 stages", "4", "6",
            "one SM, 4 stages"]  # fmt: skip
    return report.table(head, rows, right=range(12))


def multicast(record):
    known = numbers(record)
    rows = []
    for blocks in (1, 2, 4, 8):
        cells = []
        for size in (8192, 32768):
            name = f"{blocks}_blocks_{size}_bytes"
            cells += [f"{known[f'multicast_bandwidth_l2_{name}']['value']:.0f}", f"{known[f'multicast_latency_l2_{name}']['value']:.0f}"]
        waits = ["", "", ""] if blocks == 1 else [
            f"{known[f'remote_mbarrier_round_trip_{blocks}_blocks']['value']:.0f}",
            f"{known[f'cluster_barrier_{blocks}_blocks_128_threads']['value']:.0f}",
            f"{known[f'cluster_barrier_{blocks}_blocks_512_threads']['value']:.0f}",
        ]  # fmt: skip
        rows.append([blocks, known[f"multicast_resident_{blocks}_blocks_8192_bytes"]["value"], *cells, *waits])
    head = ["blocks of a cluster", "blocks on the chip", "8 KB, GB/s", "latency", "32 KB, GB/s", "latency",
            "mbarriers, round trip", "cluster barrier, 128 threads", "512 threads"]  # fmt: skip
    return report.table(head, rows, right=range(9))


def eight_bit_sums(record):
    """What fp8_wgmma.npz tells of how wgmma adds products of 8-bit floats; needs NumPy."""
    import numpy

    def decode(codes, exponent_bits, mantissa_bits, bias):
        codes = codes.astype(int)
        exponent, mantissa = codes >> mantissa_bits & (1 << exponent_bits) - 1, codes & (1 << mantissa_bits) - 1
        exact = (exponent > 0) + mantissa / 2**mantissa_bits
        return numpy.where(codes >> 7, -1.0, 1.0) * exact * 2.0 ** (numpy.maximum(exponent, 1) - bias)

    arrays = numpy.load(record / "fp8_wgmma.npz")
    e4m3, e5m2 = (4, 3, 7), (5, 2, 15)
    rows = []
    for kernel, first in (("wgmma_e4m3", e4m3), ("wgmma_e5m2", e5m2)):
        for number, (m, n, k) in enumerate(((64, 32, 64), (128, 16, 160))):
            a, b = (decode(arrays[f"{kernel}_{number}_{i}"], *form) for i, form in ((0, first), (1, e4m3)))
            exact = a.reshape(m, k) @ b.reshape(n, k).T
            exact = 1 - exact if kernel == "wgmma_e5m2" else exact
            found = arrays[f"{kernel}_{number}_2"].view(numpy.float32).reshape(m, n)
            bits = found.view(numpy.uint32) & 0x7FFFFF | 0x800000
            zeros = min((int(one) & -int(one)).bit_length() - 1 for one in bits.flat)
            error, rms = numpy.abs(found - exact), math.sqrt((exact**2).mean())
            small = (numpy.abs(found) < numpy.abs(exact)).mean()
            rows.append([f"`{kernel}`", f"{m} × {n} × {k}", found.size, 24 - zeros, f"{error.max():.4f}", f"{rms:.1f}",
                         f"{(error > 0).mean():.0%}", f"{small:.0%}"])  # fmt: skip
    head = ["kernel", "size", "results", "significant bits, at most", "largest error", "root mean square", "inexact", "of smaller magnitude than exact"]
    return report.table(head, rows, right=range(2, 8))


TABLES = {
    "features": features, "timings": timings, "families": families, "models": models, "schedules": schedules,
    "errors": errors, "profiles": profiles, "chip": chip, "wgmma": wgmma, "copies": copies, "multicast": multicast,
    "eight-bit-sums": eight_bit_sums,
}  # fmt: skip


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("record", nargs="?", type=pathlib.Path, default=RECORD, metavar="RECORD")
    parser.add_argument("--table", choices=TABLES)
    options = parser.parse_args(arguments)
    for name in [options.table] if options.table else TABLES:
        print("\n".join([f"### {name}", "", *TABLES[name](options.record), ""]))


if __name__ == "__main__":
    main(sys.argv[1:])
