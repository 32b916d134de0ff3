# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Timelines of warp-specialized kernels. Durations are illustrative; the order comes from a simulation of the waits."""

from .svg import COLOURS, Picture

COPY, MMA, SOFTMAX, ISSUE = COLOURS[0], COLOURS[1], COLOURS[2], COLOURS[3]


class Step:
    """One span of an agent: it begins when its agent is free and all of `after` have happened. `event` happens `later`
    after its end (data of a TMA copy arrives later than the copy is issued)."""

    def __init__(self, label, length, fill, after=(), event=None, later=0.0):
        self.label, self.length, self.fill = label, length, fill
        self.after, self.event, self.later = tuple(after), event, later


def simulate(agents, happened=()):
    """{agent: [(step, begin)]} and {event: time}; every step has to begin at some time."""
    events = dict.fromkeys(happened, 0.0)
    spans = {name: [] for name in agents}
    free = dict.fromkeys(agents, 0.0)
    moved = True
    while moved:
        moved = False
        for name, steps in agents.items():
            while len(spans[name]) < len(steps):
                step = steps[len(spans[name])]
                if any(event not in events for event in step.after):
                    break
                begin = max([free[name], *(events[event] for event in step.after)])
                free[name] = begin + step.length
                spans[name].append((step, begin))
                if step.event:
                    events[step.event] = free[name] + step.later
                moved = True
    stuck = [name for name, steps in agents.items() if len(spans[name]) < len(steps)]
    assert not stuck, f"deadlock of {stuck}"
    return spans, events


class Lanes:
    """Lanes of spans, one below the other."""

    def __init__(self, picture, left, unit, height=28):
        self.picture, self.left, self.unit, self.height = picture, left, unit, height

    def span(self, y, begin, end, label, fill):
        x, width = self.left + begin * self.unit, (end - begin) * self.unit
        self.picture.box(x, y, width, self.height, fill)
        if label:
            self.picture.text(x + width / 2, y + self.height * 0.64, label, 10)

    def lane(self, y, name, spans):
        self.picture.text(self.left - 8, y + self.height * 0.64, name, 11, "end")
        for step, begin in spans:
            self.span(y, begin, begin + step.length, step.label, step.fill)


def end_of(spans):
    return max(begin + step.length for lane in spans.values() for step, begin in lane)


def producer_and_consumers(stages=3, iterations=6):
    """A producer warp, two consumer warpgroups, stages that go round."""
    agents = {"producer": [], "consumer 0": [], "consumer 1": []}
    for i in range(iterations):
        wait = [f"released {i - stages} by {j}" for j in range(2)] if i >= stages else []
        agents["producer"].append(Step(str(i), 0.5, ISSUE, wait, f"full {i}", 2.0))
        for j in range(2):
            agents[f"consumer {j}"].append(Step(f"MMA {i}", 1.6 + 0.2 * j, MMA, [f"full {i}"], f"released {i} by {j}"))
    spans, events = simulate(agents)
    left, unit, top = 110, 48, 50
    picture = Picture(left + end_of(spans) * unit + 20, top + 7 * 38 + 34, "Warp specialization with three stages")
    picture.text(
        10, 20, f"Warp specialization: one producer warp, two consumer warpgroups, {stages} stages", 14, "start", "bold"
    )
    lanes = Lanes(picture, left, unit)
    for row, (name, spans_of) in enumerate(spans.items()):
        lanes.lane(top + row * 38, name, spans_of)
    issued = {step.label: begin + step.length for step, begin in spans["producer"]}
    for stage in range(stages):
        y = top + (3.4 + stage) * 38
        picture.text(left - 8, y + 18, f"stage {stage}", 11, "end")
        for i in range(stage, iterations, stages):
            full = events[f"full {i}"]
            lanes.span(y, issued[str(i)], full, f"copy {i}", COPY)
            lanes.span(y, full, max(events[f"released {i} by {j}"] for j in range(2)), f"tile {i} in use", MMA)
    y = top + 6.5 * 38
    picture.text(
        left,
        y + 14,
        "The producer waits until both consumers have released a stage, then issues the next copy into it.",
        11,
        "start",
        fill="#555555",
    )
    picture.text(
        left,
        y + 30,
        "A consumer waits for the mbarrier of the stage that it reads, and for nothing else.",
        11,
        "start",
        fill="#555555",
    )
    return picture


def attention_steps(name, i, after=()):
    """One iteration of attention: its MMAs, then the softmax."""
    done = f"{name} MMA {i}"
    return [Step(f"MMA {i}", 1.0, MMA, after, done), Step(f"softmax {i}", 1.0, SOFTMAX)]


def ordered_warpgroups(iterations):
    """Two warpgroups that take the tensor cores alternately."""
    agents = {"consumer 0": [], "consumer 1": []}
    for i in range(iterations):
        agents["consumer 0"] += attention_steps("0", i, [f"1 MMA {i - 1}"] if i else [])
        agents["consumer 1"] += attention_steps("1", i, [f"0 MMA {i}"])
    return agents


def ping_pong(iterations=3):
    """Two consumer warpgroups with and without an order at the tensor cores."""
    # Without an order both warpgroups issue at the same time: each MMA takes twice as long.
    together = {
        name: [
            step for i in range(iterations) for step in (Step(f"MMA {i}", 2.0, MMA), Step(f"softmax {i}", 1.0, SOFTMAX))
        ]
        for name in ("consumer 0", "consumer 1")
    }
    left, unit, top = 110, 76, 70
    first, second = simulate(together)[0], simulate(ordered_warpgroups(iterations))[0]
    picture = Picture(left + max(map(end_of, (first, second))) * unit + 20, top + 2 * 150 - 30, "Ping-pong scheduling")
    picture.text(10, 20, "Ping-pong scheduling of two consumer warpgroups", 14, "start", "bold")
    for panel, (title, spans) in enumerate(
        (
            ("without: both compete for the tensor cores, then leave them idle", first),
            ("with: one warpgroup multiplies while the other computes its softmax", second),
        )
    ):
        y = top + panel * 150
        picture.text(left, y - 8, title, 12, "start")
        lanes = Lanes(picture, left, unit)
        for row, (name, spans_of) in enumerate(spans.items()):
            lanes.lane(y + row * 36, name, spans_of)
        busy = sorted(
            {(begin, begin + step.length) for lane in spans.values() for step, begin in lane if step.fill == MMA}
        )
        picture.text(left - 8, y + 2 * 36 + 18, "tensor cores", 11, "end")
        for begin, end in busy:
            lanes.span(y + 2 * 36, begin, end, "busy", MMA)
    return picture


def overlap(iterations=4):
    """One warpgroup: the MMA with V overlaps with the MMA with K and the softmax of the next iteration."""
    plain = {"MMA": [], "softmax": []}
    for i in range(iterations):
        plain["MMA"].append(Step(f"S{i} = Q K", 1.0, MMA, [f"O {i - 1}"] if i else [], f"S {i}"))
        plain["softmax"].append(Step(f"softmax {i}", 1.0, SOFTMAX, [f"S {i}"], f"P {i}"))
        plain["MMA"].append(Step(f"O += P{i} V", 1.0, MMA, [f"P {i}"], f"O {i}"))
    rotated = {"MMA": [], "softmax": []}
    for i in range(iterations):
        rotated["MMA"].append(Step(f"S{i} = Q K", 1.0, MMA, [f"P {i - 1}"] if i else [], f"S {i}"))
        rotated["softmax"].append(Step(f"softmax {i}", 1.0, SOFTMAX, [f"S {i}"], f"P {i}"))
        if i:
            rotated["MMA"].append(Step(f"O += P{i - 1} V", 1.0, MMA))
    rotated["MMA"].append(Step(f"O += P{iterations - 1} V", 1.0, MMA, [f"P {iterations - 1}"]))
    left, unit, top = 110, 76, 70
    first, second = simulate(plain)[0], simulate(rotated)[0]
    picture = Picture(
        left + max(map(end_of, (first, second))) * unit + 20, top + 2 * 116 - 36, "Cross-iteration overlap"
    )
    picture.text(10, 20, "Cross-iteration overlap in one warpgroup of attention", 14, "start", "bold")
    for panel, (title, spans) in enumerate(
        (
            ("without: each step waits for the step before", first),
            ("with: O += P V of one iteration runs during the softmax of the next", second),
        )
    ):
        y = top + panel * 116
        picture.text(left, y - 8, title, 12, "start")
        lanes = Lanes(picture, left, unit)
        for row, (name, spans_of) in enumerate(spans.items()):
            lanes.lane(y + row * 36, {"MMA": "tensor cores", "softmax": "other units"}[name], spans_of)
    return picture


PICTURES = {
    "timeline-warp-specialization": producer_and_consumers,
    "timeline-ping-pong": ping_pong,
    "timeline-overlap": overlap,
}
