# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The phases of the second call that measure: our plans in a few variants, and the peers beside them."""

import shutil

import processes
from plan import generate

from . import children, runs
from .deadline import DEFAULT_SECONDS
from .phases import Phase, Unit

# Seconds that are left to what follows: the profiles and the numbers of the chip, and many schedules of a workload.
FOR_PROFILES, FOR_SCHEDULES = 70.0, 60.0
# Phases in the order of their importance, and the seconds that they leave.
PHASES = {
    "headlines": 0.0,
    "families": FOR_PROFILES,
    "variants": FOR_PROFILES + FOR_SCHEDULES,
    "patterns": FOR_PROFILES + FOR_SCHEDULES,
    "drawn": FOR_PROFILES,
    "ranks": FOR_PROFILES,
}
# Without PyTorch the reference on the CPU checks what is this small.
CPU_REFERENCE_FLOPS = 2e9


def workload_of(entry):
    return generate.workload(entry["family"], entry["case"], entry["dtype"], overrides=entry["overrides"])


def spare_of(phase, seconds):
    """The seconds that a phase leaves to those behind it. A call that is shorter than usual leaves less."""
    return PHASES[phase] * min(1.0, seconds / DEFAULT_SECONDS[2])


def key_of(entry):
    """The workload of an entry."""
    return f"{entry['family']}:{entry['case']}/{entry['dtype']}"


class Check:
    """Compares results with PyTorch's; without it, with the reference on the CPU where that takes little time."""

    def __init__(self, context, entry, reference=None):
        """reference: of fusion-run, where that is not for us to choose."""
        self.context, self.entry, self.workload = context, entry, workload_of(entry)
        small = (self.workload.flops or 0) <= CPU_REFERENCE_FLOPS
        self.reference = reference or ("cpu" if context.peers.missing and small else "none")

    def request(self, do, **more):
        return processes.peer_request(self.entry["family"], self.workload, do, **more)

    def judge(self, result, outputs, limit):
        """Adds PyTorch's verdict on files of results."""
        result["checked"] = self.reference != "none"
        if self.context.peers.missing or not outputs or result["outcome"] == children.WRONG:
            return
        answer = self.context.peers.ask(self.request("check", outputs=[str(path) for path in outputs]), limit)
        result["checked"] = answer["ok"]
        if not answer["ok"]:
            result["message"] = f"{result['message']} not checked: {answer['error']}".strip()
            return
        result["max_abs_error"], result["rounded_to"] = answer["max_abs_error"], answer.get("rounded_to")
        if result["outcome"] != children.PASS:
            # It had its results before it was timed.
            result["message"] += f"; PyTorch finds its results {'right' if answer['pass'] else 'wrong'}"
        elif not answer["pass"]:
            result["outcome"] = children.WRONG
            result["message"] = f"error {answer['max_abs_error']:.3g}, relative {answer['max_rel_error']:.3g}"


def measure_ours(context, entry, limit):
    begin = context.deadline.elapsed()
    check = Check(context, entry)
    options = [*entry["options"], *context.input_files.options(entry["family"], check.workload, limit)]
    spent = context.deadline.elapsed() - begin
    folder = context.units / entry["folders"][context.chip]
    result, report, output = runs.run(context, folder, options, limit - spent, check.reference, keep=True)
    check.judge(result, runs.results_of(output), max(1.0, limit - (context.deadline.elapsed() - begin)))
    shutil.rmtree(output, ignore_errors=True)
    result["us"] = report.get("measured_us")
    result["flops"], result["bytes"] = check.workload.flops, check.workload.bytes
    result["predicted_us"] = entry["predicted_us"].get(context.chip)
    result["device"] = report.get("device_name")
    result["kernels"] = [
        {key: kernel.get(key) for key in ("name", "grid", "block", "cluster", "dynamic_shared_memory", "measured_us")}
        for kernel in report.get("kernels", ())
    ]
    if result["outcome"] == children.PASS:
        parts = [f"{result['us']:.2f} us" if result["us"] else "no time"]
        if result["predicted_us"]:
            parts.append(f"predicted {result['predicted_us']:.2f}")
        result["line"] = ", ".join(parts) + ("" if result["checked"] else ", unchecked")
    return result


def measure_peers(context, entry, limit):
    if context.peers.missing:
        return {"outcome": children.SKIPPED, "message": f"no PyTorch: {context.peers.missing}"}
    check, times, line = Check(context, entry), {}, []
    begin = context.deadline.elapsed()
    for name in entry["peers"]:
        left = limit - (context.deadline.elapsed() - begin)
        answer = context.peers.ask(check.request("time", peer=name), max(left, 1.0))
        answer.pop("ok")
        times[name] = answer
        line.append(f"{name} {answer['us']:.2f}" if "us" in answer else f"{name} -")
    return {"outcome": children.PASS, "message": "", "peers": times, "line": ", ".join(line)}


def phases(context, names):
    """The phases of timings that have these names; the peers of a workload come right behind its first variant."""
    made = {name: Phase(name, [], spare=spare_of(name, context.deadline.seconds)) for name in PHASES}
    for entry in context.package.index["timings"]:
        if context.chip not in entry["folders"]:
            continue
        units = made[entry["phase"]].units
        key = key_of(entry)
        units.append(
            Unit(
                f"{key} {entry['variant']}",
                lambda limit, entry=entry: measure_ours(context, entry, limit),
                kind=f"{key} {entry['plan']}",
                needs=tuple(entry["kinds"][context.chip]),
                estimate=2.5,
                limit=context.timing_limit,
            )
        )
        if entry["peers"]:
            units.append(
                Unit(
                    f"{key} peers",
                    lambda limit, entry=entry: measure_peers(context, entry, limit),
                    estimate=2.5,
                    limit=context.timing_limit,
                )
            )
    return [made[name] for name in names]


def peers_of(family, sizes):
    """The peers of a workload: eager, for attention the fast backends, and Triton's kernels where there is one of
    ours."""
    names = ["eager"]
    if family in ("attention_mcfuser", "attention_long"):
        names = ["eager", "sdpa:flash", "sdpa:cudnn", "triton"]
    elif family == "products_large" or (
        family == "stitch_patterns" and sizes["pattern"] in ("softmax", "layer_norm", "rms_norm")
    ):
        names.append("triton")
    return names
