# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Attention and decoding, ping-pong scheduling, split reductions, launches that overlap."""

from .case import ROOT, Case, generate_text, hand, staged

from tma_copy_cases import PLAIN, in_bulk  # noqa: E402
from hand_schedule import PRODUCT, contractions_by_warpgroups, schedule  # noqa: E402


def attention(case, sequence, width, rows, columns, groups, stages, skips, **options):
    """(module, schedule) of hand_attention.py."""
    text = generate_text("--family=attention_long", f"--case={case}", "--batch=1", "--heads=2", f"--seq={sequence}")
    warps = 4 * groups
    split = options.get("in_cluster")
    description = dict(
        tiling="bm(LA,n(LB,CC,LD,CE),SE)",
        tiles=dict(b=1, h=width, k=width, m=rows, n=columns),
        blocks=["b", "m"],
        maps=dict(C=("m", "n", "k", f"[{warps}, 1]"), E=("m", "h", "n", f"[{warps}, 1]")),
        places={each: "shared, tma" for each in "ABD"} | dict(C="registers", E="registers" if split else "shared"),
        stages=dict(B=stages, D=stages),
        warps=warps,
        skip="n" if skips else None,
        reduction="online",
        intrinsic="wgmma.m64k16",
    )
    return text, schedule(**(description | options))


ATTENTION = {
    "attention": ("attention", "full, 128 wide", ("FA_d128_s1024", 200, 128, 64, 64, 1, 2, False), {}),
    "attention-causal": (
        "attention",
        "causal, masked tiles skipped",
        ("FA_d128_s1024_causal", 232, 128, 64, 64, 1, 2, True),
        {},
    ),
    "attention-unskipped": (
        "attention",
        "causal, all tiles visited",
        ("FA_d64_s1024_causal", 232, 64, 128, 64, 2, 2, False),
        {},
    ),
    "attention-producers": (
        "attention, producers",
        "full, a producer warpgroup",
        ("FA_d64_s1024", 200, 64, 128, 64, 2, 2, False),
        dict(producers=4),
    ),
    "attention-overlap": (
        "attention, overlap",
        "the second contraction overlaps with the next iteration's first",
        ("FA_d64_s1024", 200, 64, 128, 64, 2, 2, False),
        dict(producers=4, overlapped="E"),
    ),
    "ping-pong": (
        "ping-pong",
        "two warpgroups in turns, full",
        ("FA_d128_s1024", 200, 128, 128, 64, 2, 2, False),
        dict(producers=4, turns=True),
    ),
    "ping-pong-overlap": (
        "ping-pong",
        "turns and overlap",
        ("FA_d128_s1024", 200, 128, 128, 64, 2, 2, False),
        dict(producers=4, turns=True, overlapped="E"),
    ),
    "ping-pong-causal": (
        "ping-pong",
        "two warpgroups in turns, causal",
        ("FA_d64_s1024_causal", 264, 64, 128, 64, 2, 2, True),
        dict(producers=4, turns=True),
    ),
    "ping-pong-three": (
        "ping-pong, three warpgroups",
        "three warpgroups",
        ("FA_d64_s1024", 392, 64, 192, 64, 3, 2, False),
        dict(producers=4, turns=True),
    ),
    "ping-pong-cluster": (
        "ping-pong in clusters",
        "turns in clusters of 2",
        ("FA_d128_s1024", 200, 128, 128, 64, 2, 2, False),
        dict(producers=4, turns=True, cluster=2),
    ),
    "ping-pong-persistent": (
        "ping-pong, persistent",
        "turns in a persistent kernel",
        ("FA_d64_s1024_causal", 264, 64, 128, 64, 2, 2, True),
        dict(producers=4, turns=True, persistent=True),
    ),
    "attention-cluster-4": (
        "attention in clusters of 4",
        "keys and values multicast to 4",
        ("FA_d128_s1024", 200, 128, 64, 64, 1, 2, False),
        dict(producers=4, cluster=4),
    ),
    "attention-cluster-causal": (
        "attention in clusters of 2",
        "causal in clusters of 2",
        ("FA_d128_s1024_causal", 232, 128, 64, 64, 1, 3, True),
        dict(producers=4, cluster=2),
    ),
}


def attentions():
    for name, (kind, feature, case, options) in ATTENTION.items():
        module, text = attention(*case, **options)
        uses = {
            "turns": "ping-pong",
            "producers": "producers",
            "persistent": "persistent",
            "overlapped": "cross-iteration overlap",
        }
        needed = [uses[option] for option in options if option in uses]
        if "cluster" in options:
            needed.append(f"multicast in clusters of {options['cluster']}")
        yield Case(name, kind, feature, module, text, ("wgmma f16", "TMA load", *needed))


def turns_of_chains():
    yield hand(
        "ping-pong-chain",
        "ping-pong",
        "two contractions in ping-pong",
        ["--chain=256,64,128,64", "--between=relu"],
        contractions_by_warpgroups(2),
        ("ping-pong",),
        producers=4,
        turns=True,
    )


def decoding():
    """As the search chooses, for one and four rows a head, heads that share keys."""
    for case, keys in (
        ("D_mha_d64_r1_n4096", 640),
        ("D_gqa8_d128_r1_n65536", 520),
        ("D_gqa4_d64_r4_n4096", 700),
        ("D_gqa4_d128_r4_n65536_causal", 300),
    ):
        yield Case(
            f"decode-{case}",
            "decoding",
            f"decoding, {keys} keys",
            generate_text("--family=decode", f"--case={case}", "--heads=2", f"--keys={keys}"),
            options="",
            kernels=None,
        )


SPLIT = dict(PRODUCT, places=dict(A="shared, async16", B="shared, async16", C="registers"))


def splits():
    chain = ["--chain=64,520,96", "--2d"]
    for blocks in (2, 4, 8):
        yield hand(
            f"split-in-cluster-{blocks}",
            f"split sums in clusters of {blocks}",
            f"split-K, summed in distributed shared memory of {blocks} blocks",
            chain,
            SPLIT,
            ("split sums in clusters", f"cluster of {blocks}", "distributed shared memory"),
            split=dict(k=blocks),
            in_cluster=True,
            stages=staged("AB", 2),
        )
    yield hand(
        "split-warpgroups-in-cluster",
        "split sums of warpgroups in clusters",
        "split-K of wgmma in clusters of 4",
        ["--chain=72,328,104", "--2d"],
        in_bulk(PLAIN) | dict(places=in_bulk(PLAIN)["places"] | dict(C="registers")),
        ("split sums in clusters", "wgmma f16"),
        split=dict(k=4),
        in_cluster=True,
        stages=staged("AB", 2),
    )
    yield hand(
        "split-launches",
        "split-K by a second launch",
        "partial results, added by a second launch that begins early",
        ["--chain=64,224,96", "--2d"],
        PRODUCT,
        ("programmatic launch",),
        split=dict(k=4),
        stages=staged("AB", 2),
        case=dict(kernels=2),
    )
    for blocks in (2, 4, 8):
        module = generate_text("--family=attention_long", "--case=FA_d64_s1024", "--batch=1", "--heads=2", "--seq=520")
        text = schedule(
            tiling="bm(LA,n(LB,CC,LD,CE),SE)",
            tiles=dict(b=1, m=16, n=16, k=64, h=64),
            blocks=["b", "m"],
            maps=dict(C=("m", "n", "k", "[1, 1]"), E=("m", "h", "n", "[1, 1]")),
            places={each: "shared, async16" for each in "ABD"} | dict(C="registers", E="registers"),
            stages={},
            warps=1,
            split=dict(n=blocks),
            in_cluster=True,
            reduction="online",
        )
        yield Case(
            f"running-values-in-cluster-{blocks}",
            f"running values in clusters of {blocks}",
            f"softmax split over the keys, merged by clusters of {blocks}",
            module,
            text,
            ("split sums in clusters", f"cluster of {blocks}", "distributed shared memory"),
        )


LAYER = (ROOT / "test" / "Integration" / "programmatic-launches.py").read_text


def launches():
    """The programs of programmatic-launches.py."""
    text = LAYER()
    for name in ("LAYER", "CENTRED"):
        module = text.split(f'{name} = """')[1].split('"""')[0]
        yield Case(
            f"launches-{name.lower()}",
            "programmatic launch",
            "launches that begin under the one before",
            module,
            uses=("programmatic launch",),
            options="",
            kernels=None,
        )
