# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The cases of the first call: for each kernel feature the smallest shapes that have it, under a schedule that forces it.

A case has a `kind`: cases of one kind are alike, so that where one traps or hangs the others are not tried. The most important
features come first. `uses` names what the plan must have (kinds.py).
"""

import dataclasses
import json
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "test" / "Integration" / "Inputs"))
sys.path.insert(0, str(ROOT / "benchmarks" / "workloads"))

import generate  # noqa: E402
from bulk_cases import CASES as BULK  # noqa: E402
from bulk_cases import PLAIN, in_bulk  # noqa: E402
from bulk_store_cases import CASES as STORES  # noqa: E402
from cluster_cases import CASES as CLUSTERS  # noqa: E402
from convolution_programs import Program, layer  # noqa: E402
from hand_schedule import PRODUCT, products_of_groups, schedule  # noqa: E402
from persistent_cases import CASES as PERSISTENT  # noqa: E402
from pipelined_cases import CASES as PIPELINED  # noqa: E402
from role_cases import CASES as ROLES  # noqa: E402
from stitch_programs import program as stitched  # noqa: E402
from typed_chains import chain as typed  # noqa: E402
from warpgroup_cases import CASES as WARPGROUPS  # noqa: E402

CHIP = "sm_90a"


@dataclasses.dataclass(frozen=True)
class Case:
    """module: text. schedule: of its only group; None: what the search chooses. options: of the compiler's pipeline."""

    name: str
    kind: str
    feature: str
    module: str
    schedule: str | None = None
    uses: tuple = ()
    options: str = "force-fusion=true"
    run: tuple = ()
    kernels: int | None = 1


def module_of(chain):
    """The text of a chain: of arguments of the workload generator, or text already."""
    if isinstance(chain, str):
        return chain
    return generate_text(*chain)


def generate_text(*arguments):
    """What benchmarks/workloads/generate.py prints for these arguments."""
    import contextlib
    import io

    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        status = generate.main(list(arguments))
    if status:
        raise ValueError(f"generate.py {' '.join(arguments)} ended with {status}")
    return out.getvalue()


def hand(name, kind, feature, chain, description, uses=(), **more):
    """A case under a schedule by hand; more: fields of `schedule`, and `case` for those of Case."""
    others = more.pop("case", {})
    return Case(name, kind, feature, module_of(chain), schedule(**(description | more)), tuple(uses), **others)


def staged(operands, count):
    return dict.fromkeys(operands, count)


# Two products or one, on each kind of tensor cores.


def asynchronous_copies():
    product = ["--chain=72,104,88", "--2d"]
    for count in (2, 4):
        yield hand(f"cp.async-{count}-stages", "cp.async", f"cp.async in {count} stages", product, PRODUCT,
                   ("cp.async", "mma.sync f16"), stages=staged("AB", count))  # fmt: skip
    chain, description, operands = PIPELINED["masked-product"]
    yield hand("cp.async-8-bytes", "cp.async", "cp.async of 8 bytes, tiles that sizes cut", chain, description, ("cp.async",),
               stages=staged(operands, 3))  # fmt: skip
    chain, description, operands = PIPELINED["loop-over-n"]
    yield hand("cp.async-fragments", "cp.async", "stages in shared memory and of fragments, two products", chain, description,
               ("cp.async", "ldmatrix"), stages=staged(operands, 3), registers=2)  # fmt: skip
    chain, description, _ = PIPELINED["one-through-registers"]
    yield hand("copies-through-registers", "copies through registers", "loads ahead in registers beside cp.async", chain, description,
               ("cp.async",), stages=dict(A=2, B=3))  # fmt: skip


def tensor_cores():
    """mma.sync of every type."""
    small = dict(PRODUCT, places={each: "shared, sync" for each in "AB"} | dict(C="shared"), stages={})
    shapes = {"bf16": ("mma.m16n8k16", ""), "tf32": ("mma.m16n8k8", "f32-products=tf32"), "s8": ("mma.m16n16k32", ""),
              "e4m3": ("mma.f8.m16n16k32", ""), "e5m2": ("mma.f8.m16n16k32", "")}  # fmt: skip
    for kind, (intrinsic, option) in shapes.items():
        text = typed("f32" if kind == "tf32" else kind, (64, 96, 64), transposed=(1,))
        yield hand(f"mma-{kind}", f"mma.sync {kind}", f"mma.sync of {kind}", text, small, (f"mma.sync {kind}",), intrinsic=intrinsic,
                   case=dict(options=f"force-fusion=true {option}".rstrip(), run=tolerance_of(kind, option)))  # fmt: skip
    yield hand("fma-f32", "multiply-adds", "products of f32 by multiply-adds", typed("f32", (40, 64, 48)),
               small | dict(maps=dict(C=("m", "n", "k", "[2, 2]"))), intrinsic="fma.m8n16k4")  # fmt: skip


def tolerance_of(kind, option):
    """What fusion-run must know of products that are allowed to be less exact."""
    return tuple(f"--{word}" for word in option.split() if "products" in word)


def warpgroup_products():
    """wgmma of every type, swizzle and order of operands."""
    names = {
        "plain": ("wgmma f16", "128-byte swizzle, rows"), "first-transposed": ("wgmma f16", "LHS by columns"),
        "second-transposed": ("wgmma f16", "RHS by rows of k, 96-byte rows"), "both-transposed": ("wgmma f16", "both operands, 32-byte swizzle"),
        "one-wide-instruction": ("wgmma f16", "256 columns"), "side-by-side": ("wgmma f16", "two warpgroups side by side"),
        "below-one-another": ("wgmma f16", "two warpgroups below one another"), "odd-columns": ("wgmma f16", "80 columns, narrow panels"),
        "parts-of-tiles": ("wgmma f16", "tiles that sizes cut"), "handed-over": ("wgmma f16", "an accumulator as the next LHS"),
        "handed-over-by-two": ("wgmma f16", "an accumulator as the next LHS, two warpgroups"),
        "through-shared-memory": ("wgmma f16", "an intermediate in shared memory"), "bf16": ("wgmma bf16", "bf16, 64-byte swizzle"),
        "bytes": ("wgmma s8", "s8"), "cut": ("wgmma tf32", "f32 truncated to tf32"), "cut-and-computed": ("wgmma tf32", "truncated, two products"),
        "coarse": ("wgmma e4m3", "e4m3"), "coarse-by-two": ("wgmma e5m2", "e5m2, two products"), "computed-first": ("wgmma f16", "a computed LHS"),
    }  # fmt: skip
    for name, (kind, feature) in names.items():
        chain, description, operands = WARPGROUPS[name]
        run = ("--f32-products=tf32-cut",) if name.startswith("cut") else ("--f8-products=coarse",) if name.startswith("coarse") else ()
        yield hand(f"wgmma-{name}", kind, f"wgmma: {feature}, cp.async", chain, description, (kind,), stages=staged(operands, 2),
                   case=dict(run=run))  # fmt: skip


# Copies by boxes of tensor maps, alone and for one another.


def tensor_copies():
    swizzles = {
        "no-tile-is-full": ("TMA load", "128-byte swizzle, boxes beyond the tensor", ("swizzle 128B",)),
        "first-transposed": ("TMA load", "LHS by columns", ()), "second-transposed": ("TMA load", "RHS by rows of k", ()),
        "both-transposed": ("TMA load", "32- and 64-byte rows", ()), "odd-columns": ("TMA load", "narrow panels", ()),
        "batches": ("TMA load", "boxes of three dimensions", ()), "batches-between": ("TMA load, many dimensions", "boxes of four dimensions", ()),
        "two-batches-between": ("TMA load, many dimensions", "boxes of five dimensions", ()),
        "boxes-below-one-another": ("TMA load", "several boxes a tile", ()), "kept": ("TMA load, retained", "retained tiles", ()),
        "evicted": ("TMA load, eviction", "cache hints", ()), "mixed": ("TMA load", "beside cp.async", ("cp.async",)),
        "bytes": ("TMA load", "s8", ("wgmma s8",)), "cut": ("TMA load", "tf32", ("wgmma tf32",)), "coarse": ("TMA load", "e4m3", ("wgmma e4m3",)),
        "coarse-by-two": ("TMA load", "e5m2", ("wgmma e5m2",)), "bf16": ("TMA load", "bf16", ("wgmma bf16",)),
        "handed-over": ("TMA load", "two products", ()), "sm_90a-loop-over-n": ("TMA load", "for mma.sync", ("mma.sync f16",)),
    }  # fmt: skip
    for name, (kind, feature, uses) in swizzles.items():
        chip, chain, description, operands = BULK[name]
        run = ("--f32-products=tf32-cut",) if name.startswith("cut") else ("--f8-products=coarse",) if name.startswith("coarse") else ()
        yield hand(f"tma-{name}", kind, f"TMA load: {feature}", chain, description, ("TMA load", *uses),
                   stages=staged(operands, 2 if operands else 1) if operands else {}, case=dict(run=run))  # fmt: skip
    for width, size in ((64, 32), (32, 16)):
        yield hand(f"tma-swizzle-{width}B", "TMA load", f"TMA load: {width}-byte swizzle", ["--chain=72,104,88", "--2d"],
                   in_bulk(PLAIN) | dict(tiles=PLAIN["tiles"] | dict(k=size)), ("TMA load", f"swizzle {width}B"), stages=staged("AB", 3))  # fmt: skip


def tensor_stores():
    for name in ("plain", "no-tile-is-full", "batches", "words", "bf16", "several-panels", "narrow-panels", "across", "handed-over",
                 "by-threads-in-a-loop", "in-a-loop-of-producers", "fragments", "one-warp"):  # fmt: skip
        chip, chain, description, _ = STORES[name]
        yield hand(f"store-{name}", "TMA store", f"TMA store: {name}", chain, description, ("TMA store",))


def warp_roles():
    for name, kind in {
        "plain": "producers", "no-tile-is-full": "producers", "handed-over": "producers", "three-groups": "producers, three warpgroups",
        "wide": "register reallocation", "mixed-chain": "producers beside cp.async", "few-tiles": "producers of single warps",
        "one-warp": "producers of single warps", "kept-anew": "producers, retained", "outer-loop": "producers of nests",
        "through-shared-memory": "producers", "shared-sum": "producers and a split reduction",
    }.items():  # fmt: skip
        chip, chain, description, operands, counts, producers = ROLES[name]
        uses = ("producers", "register reallocation") if name == "wide" else ("producers",)
        yield hand(f"producers-{name}", kind, f"warp specialization: {name}, {producers[-1]} warps", chain, description, uses,
                   stages=staged(operands, counts[-1]), producers=producers[-1],
                   case=dict(kernels=None if name == "shared-sum" else 1))  # fmt: skip


def multicast():
    wanted = [("first-operand", 2), ("first-operand", 4), ("second-operand", 2), ("columns", 2), ("eight", 8), ("several-panels", 2), ("batches", 2),
              ("raster", 2), ("in-bulk", 2), ("handed-over", 2), ("handed-over", 4), ("by-two", 2), ("nest", 2), ("kept", 2), ("mixed", 2),
              ("one-warp", 2)]  # fmt: skip
    for name, blocks in wanted:
        chip, chain, description, operands, count, producers, clusters = CLUSTERS[name]
        for roles in sorted({producers[0], producers[-1]}) if name in ("first-operand", "eight", "handed-over") else producers[-1:]:
            feature = f"multicast in clusters of {blocks}: {name}" + (f", {roles} producers" if roles else "")
            yield hand(f"multicast-{blocks}-{name}-{roles}", f"multicast in clusters of {blocks}", feature, chain, description,
                       (f"multicast in clusters of {blocks}",), stages=staged(operands, count) if count > 1 else {}, producers=roles,
                       cluster=blocks)  # fmt: skip


# Attention.


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
        places={each: "shared, bulk" for each in "ABD"} | dict(C="registers", E="registers" if split else "shared"),
        stages=dict(B=stages, D=stages),
        warps=warps,
        skip="n" if skips else None,
        reduction="online",
        intrinsic="wgmma.m64k16",
    )
    return text, schedule(**(description | options))


ATTENTION = {
    "attention": ("attention", "full, 128 wide", ("FA_d128_s1024", 200, 128, 64, 64, 1, 2, False), {}),
    "attention-causal": ("attention", "causal, masked tiles skipped", ("FA_d128_s1024_causal", 232, 128, 64, 64, 1, 2, True), {}),
    "attention-unskipped": ("attention", "causal, all tiles visited", ("FA_d64_s1024_causal", 232, 64, 128, 64, 2, 2, False), {}),
    "attention-producers": ("attention, producers", "full, a producer warpgroup", ("FA_d64_s1024", 200, 64, 128, 64, 2, 2, False), dict(producers=4)),
    "attention-overlap": ("attention, overlap", "the second product beside the next iteration's first",
                          ("FA_d64_s1024", 200, 64, 128, 64, 2, 2, False), dict(producers=4, overlapped="E")),
    "ping-pong": ("ping-pong", "two warpgroups in turns, full", ("FA_d128_s1024", 200, 128, 128, 64, 2, 2, False), dict(producers=4, turns=True)),
    "ping-pong-overlap": ("ping-pong", "turns and overlap", ("FA_d128_s1024", 200, 128, 128, 64, 2, 2, False),
                          dict(producers=4, turns=True, overlapped="E")),
    "ping-pong-causal": ("ping-pong", "two warpgroups in turns, causal", ("FA_d64_s1024_causal", 264, 64, 128, 64, 2, 2, True),
                         dict(producers=4, turns=True)),
    "ping-pong-three": ("ping-pong, three warpgroups", "three warpgroups", ("FA_d64_s1024", 392, 64, 192, 64, 3, 2, False),
                        dict(producers=4, turns=True)),
    "ping-pong-cluster": ("ping-pong in clusters", "turns in clusters of 2", ("FA_d128_s1024", 200, 128, 128, 64, 2, 2, False),
                          dict(producers=4, turns=True, cluster=2)),
    "ping-pong-persistent": ("ping-pong, persistent", "turns in a persistent kernel", ("FA_d64_s1024_causal", 264, 64, 128, 64, 2, 2, True),
                             dict(producers=4, turns=True, persistent=True)),
    "attention-cluster-4": ("attention in clusters of 4", "keys and values multicast to 4", ("FA_d128_s1024", 200, 128, 64, 64, 1, 2, False),
                            dict(producers=4, cluster=4)),
    "attention-cluster-causal": ("attention in clusters of 2", "causal in clusters of 2", ("FA_d128_s1024_causal", 232, 128, 64, 64, 1, 3, True),
                                 dict(producers=4, cluster=2)),
}  # fmt: skip


def attentions():
    for name, (kind, feature, case, options) in ATTENTION.items():
        module, text = attention(*case, **options)
        uses = {"turns": "ping-pong", "producers": "producers", "persistent": "persistent", "overlapped": "cross-iteration overlap"}
        needed = [uses[option] for option in options if option in uses]
        if "cluster" in options:
            needed.append(f"multicast in clusters of {options['cluster']}")
        yield Case(name, kind, feature, module, text, ("wgmma f16", "TMA load", *needed))


def turns_of_chains():
    yield hand("ping-pong-chain", "ping-pong", "two products in turns", ["--chain=256,64,128,64", "--between=relu"], products_of_groups(2),
               ("ping-pong",), producers=4, turns=True)  # fmt: skip


def decoding():
    """As the search chooses, for one and four rows a head, shared heads."""
    for case, keys in (("D_mha_d64_r1_n4096", 640), ("D_gqa8_d128_r1_n65536", 520), ("D_gqa4_d64_r4_n4096", 700), ("D_gqa4_d128_r4_n65536_causal", 300)):
        yield Case(f"decode-{case}", "decoding", f"decoding, {keys} keys", generate_text("--family=decode", f"--case={case}", "--heads=2", f"--keys={keys}"),
                   options="", kernels=None)  # fmt: skip


# Split reductions, cluster-wide and by a second launch.

SPLIT = dict(PRODUCT, places=dict(A="shared, async16", B="shared, async16", C="registers"))


def splits():
    chain = ["--chain=64,520,96", "--2d"]
    for blocks in (2, 4, 8):
        yield hand(f"split-in-cluster-{blocks}", f"split sums in clusters of {blocks}", f"split-K, summed in distributed shared memory of {blocks} blocks",
                   chain, SPLIT, ("split sums in clusters", f"cluster of {blocks}", "distributed shared memory"), split=dict(k=blocks),
                   in_cluster=True, stages=staged("AB", 2))  # fmt: skip
    yield hand("split-warpgroups-in-cluster", "split sums of warpgroups in clusters", "split-K of wgmma in clusters of 4", ["--chain=72,328,104", "--2d"],
               in_bulk(PLAIN) | dict(places=in_bulk(PLAIN)["places"] | dict(C="registers")), ("split sums in clusters", "wgmma f16"),
               split=dict(k=4), in_cluster=True, stages=staged("AB", 2))  # fmt: skip
    yield hand("split-launches", "split-K by a second launch", "partial results, added by a second launch that begins early", ["--chain=64,224,96", "--2d"],
               PRODUCT, ("programmatic launch",), split=dict(k=4), stages=staged("AB", 2), case=dict(kernels=2))  # fmt: skip
    for blocks in (2, 4, 8):
        module = generate_text("--family=attention_long", "--case=FA_d64_s1024", "--batch=1", "--heads=2", "--seq=520")
        text = schedule(
            tiling="bm(LA,n(LB,CC,LD,CE),SE)", tiles=dict(b=1, m=16, n=16, k=64, h=64), blocks=["b", "m"],
            maps=dict(C=("m", "n", "k", "[1, 1]"), E=("m", "h", "n", "[1, 1]")),
            places={each: "shared, async16" for each in "ABD"} | dict(C="registers", E="registers"), stages={}, warps=1,
            split=dict(n=blocks), in_cluster=True, reduction="online",
        )  # fmt: skip
        yield Case(f"running-values-in-cluster-{blocks}", f"running values in clusters of {blocks}",
                   f"softmax split over the keys, merged by clusters of {blocks}", module, text,
                   ("split sums in clusters", f"cluster of {blocks}", "distributed shared memory"))  # fmt: skip


def persistent():
    for name in ("product", "product-stored-in-bulk", "columns-of-blocks", "attention", "attention-causal", "product-in-clusters",
                 "attention-in-clusters", "attention-causal-in-clusters"):  # fmt: skip
        arguments, description, tiles = PERSISTENT[name]
        if name.startswith("attention"):
            case, *sizes = arguments
            arguments = ["--family=attention_long", f"--case={case}", "--batch=1", *sizes]
        kind = "persistent in clusters" if "cluster" in name else "persistent"
        yield hand(f"persistent-{name}", kind, f"persistent kernel: {name}, {tiles} tiles", arguments, description, ("persistent",),
                   persistent=True)  # fmt: skip


LAYER = (ROOT / "test" / "Integration" / "programmatic-launches.py").read_text


def launches():
    """The programs of programmatic-launches.py."""
    text = LAYER()
    for name in ("LAYER", "CENTRED"):
        module = text.split(f'{name} = """')[1].split('"""')[0]
        yield Case(f"launches-{name.lower()}", "programmatic launch", "launches that begin under the one before", module,
                   uses=("programmatic launch",), options="", kernels=None)  # fmt: skip


# Convolutions.


def convolutions():
    programs = {
        "window": Program(1, (9, 11), 16, "last", "f16", [layer(32, 3, 1, 1, relu=True)]),
        "pointwise": Program(2, (9, 11), 16, "last", "f16", [layer(32, relu=True), layer(24, bias=True)]),
        "strided": Program(2, (17, 14), 16, "last", "f16", [layer(24, 3, 2, 1, bias=True)]),
        "channels-first": Program(2, (9, 11), 16, "first", "f16", [layer(32, 3, 2, 1, bias=True, relu=True)]),
        "odd-channels": Program(2, (7, 9), 10, "last", "f16", [layer(17, 3, 1, 1, relu=True), layer(9, relu=True)]),
        "two-windows": Program(1, (9, 8), 16, "last", "f16", [layer(24, 3, 1, 1, bias=True, relu=True), layer(16, 3, 2, 1)]),
        "bytes": Program(1, (9, 8), 32, "last", "i8", [layer(24, 3, 1, 1)]),
        "volume": Program(1, (5, 6, 7), 8, "last", "f16", [layer(16, 3, 1, 1, rank=3, residual=True)]),
    }
    for name, program in programs.items():
        yield Case(f"convolution-{name}", "convolution", f"convolution: {name}", program.text(), kernels=None)
    yield Case("convolution-chain", "convolution", "a chain of two convolutions", generate_text("--family=conv_chains_chimera", "--case=C7", "--H=15", "--W=15",
               "--IC=32", "--OC1=48"), kernels=None)  # fmt: skip


# Stitched groups: composition of values in threads, warps, blocks and clusters.


def stitch(name, kind, feature, pattern, rows, cols, type, warps, i, j, walk=None, options="", cluster=1, producers=0, uses=()):
    """A pattern under a schedule by hand (stitch-bulk.py, stitch-cluster.py)."""
    roles = f", parallel = <{{}}, producers = {producers}>" if producers else ""
    steps = f", walk = <{walk}>" if walk else ""
    text = (
        f"#fuse.schedule<version = 1, mapping = <warps = {warps}, cluster = {cluster}>{roles}, "
        f"stitching = <{options}{{i = #fuse.spread<{i}>, j = #fuse.spread<{j}>}}{steps}>>"
    )
    return Case(name, kind, feature, stitched(pattern, rows, cols, type), text, ("stitched", *uses))


def compositions():
    wide = "tile = 768, vector = 8, lanes = 32"
    yield stitch("stitch-thread", "thread composition", "values pass in registers of a thread", "bias_gelu", 40, 1024, "f16", 2, "tile = 8",
                 "tile = 1024, vector = 8, lanes = 32, warps = 2", 'axis = "i", step = 1')  # fmt: skip
    yield stitch("stitch-warp", "warp composition", "rows of a warp, by shuffles", "layer_norm", 21, 768, "f16", 1, "tile = 8", wide,
                 'axis = "i", step = 1', uses=("warp shuffles",))  # fmt: skip
    yield stitch("stitch-part-of-warp", "warp composition", "rows of 16 lanes", "softmax", 100, 64, "f32", 2, "tile = 32, lanes = 2, warps = 2",
                 "tile = 64, vector = 4, lanes = 16", 'axis = "i", step = 8', uses=("warp shuffles",))  # fmt: skip
    yield stitch("stitch-block", "block composition", "rows of a block, through shared memory", "rms_norm", 13, 1024, "f32", 2, "tile = 8",
                 "tile = 1024, vector = 4, lanes = 32, warps = 2", 'axis = "i", step = 2', uses=("block barriers",))  # fmt: skip
    for blocks, row in ((2, 'axis = "j", step = 256, registers = 2, shared = 8'), (4, 'axis = "j", step = 256, registers = 5')):
        cols = 5000
        tile = -(-cols // (blocks * 256)) * 256
        yield stitch(f"stitch-cluster-{blocks}", f"cluster composition, {blocks} blocks", f"rows of {blocks} blocks, through distributed shared memory",
                     "softmax", 3, cols, "f32", 2, "tile = 1", f"tile = {tile}, vector = 4, lanes = 32, warps = 2", row, cluster=blocks,
                     uses=(f"cluster of {blocks}", "distributed shared memory"))  # fmt: skip
    yield stitch("stitch-cluster-8", "cluster composition, 8 blocks", "rows of 8 blocks", "bias_dropout_residual_layer_norm", 2, 4096, "bf16", 1, "tile = 1",
                 "tile = 512, vector = 8, lanes = 32", 'axis = "j", step = 256, registers = 2', cluster=8, uses=("cluster of 8",))  # fmt: skip
    yield stitch("stitch-bulk", "stitched copies by TMA", "rows ahead in boxes", "layer_norm", 21, 768, "f16", 1, "tile = 8", wide,
                 'axis = "i", step = 1, stages = 3, bulk = true', uses=("TMA load",))  # fmt: skip
    yield stitch("stitch-producer", "stitched producers", "rows ahead by a producer warp", "layer_norm", 21, 768, "f16", 1, "tile = 8", wide,
                 'axis = "i", step = 1, stages = 2, bulk = true', producers=1, uses=("TMA load", "producers"))  # fmt: skip
    yield stitch("stitch-cp.async", "stitched copies by threads", "rows ahead by cp.async", "layer_norm", 21, 768, "f16", 1, "tile = 8", wide,
                 'axis = "i", step = 1, stages = 3', uses=("cp.async",))  # fmt: skip
    yield stitch("stitch-cluster-bulk", "stitched TMA in clusters", "boxes in clusters of 4", "softmax", 5, 4096, "f32", 2, "tile = 1",
                 "tile = 1024, vector = 4, lanes = 32, warps = 2", 'axis = "j", step = 256, shared = 4, stages = 4, bulk = true', cluster=4,
                 uses=("TMA load", "cluster of 4"))  # fmt: skip
    yield stitch("stitch-transposed", "transposes", "a result transposed through shared memory", "transpose_of_normalised", 64, 256, "f16", 4,
                 "tile = 32, warps = 4", "tile = 256, vector = 8, lanes = 32", 'axis = "i", step = 8')  # fmt: skip


SEARCHED = {
    "packed_elementwise_of_8_tensors": ("packing", "eight tensors in one kernel", 33, 500, "f16"),
    "packed_elementwise_of_different_shapes": ("packing", "tensors of several shapes in one kernel", 40, 300, "f32"),
    "gather_slice_concat_mix": ("gather", "rows picked by an index, slices, concatenation", 50, 512, "f16"),
    "cross_entropy": ("gather", "an element picked from each row", 24, 700, "f16"),
    "rope": ("slices", "halves that rotate", 40, 512, "bf16"),
    "layer_norm_backward": ("columns", "sums of columns shared by blocks", 96, 768, "f16"),
    "swiglu": ("element-wise", "gates", 33, 1001, "bf16"),
    "lstm_cell_gates": ("element-wise", "four gates", 32, 1024, "f16"),
    "din_attention_unit": ("three axes", "scores of a short history", 20, 640, "f16"),
    "reduce_exp_broadcast_reduce": ("two reductions", "a reduction of what a reduction gave", 30, 900, "bf16"),
    "mean_var_two_reductions": ("two reductions", "mean and variance", 30, 1000, "f32"),
    "transpose_of_normalised": ("transposes", "as the search chooses", 200, 320, "f16"),
}


def searched():
    for pattern, (kind, feature, rows, cols, type) in SEARCHED.items():
        yield Case(f"pattern-{pattern}", kind, feature, stitched(pattern, rows, cols, type), kernels=None)
    text = (ROOT / "test" / "Integration" / "stitch-everything.mlir").read_text()
    yield Case("pattern-everything", "blocks that wait for the last one", "a reduction over everything, finished by the last block", text)
    yield Case("concatenation", "scatter", "parts written side by side", (ROOT / "test" / "Integration" / "insert-into-empty.mlir").read_text(), kernels=None)


# The features that most of the others build on come first.
GROUPS = (
    asynchronous_copies, tensor_cores, warpgroup_products, tensor_copies, tensor_stores, warp_roles, attentions, multicast, persistent,
    compositions, splits, decoding, launches, convolutions, turns_of_chains, searched,
)  # fmt: skip


def cases():
    """All of them. What is the first of its kind comes before what repeats a kind, within each third of the list."""
    found = [case for group in GROUPS for case in group()]
    names = [case.name for case in found]
    assert len(set(names)) == len(names), json.dumps(sorted(name for name in names if names.count(name) > 1))
    seen, first, rest = set(), [], []
    for case in found:
        (rest if case.kind in seen else first).append(case)
        seen.add(case.kind)
    return first + rest
