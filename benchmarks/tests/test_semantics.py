# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The generated IR computes what PyTorch computes: run on the CPU through upstream's lowering.

Needs PyTorch (CPU is enough); one representative of every operator and pattern, at small sizes.
"""

import pathlib
import re
import subprocess
import sys

import pytest

torch = pytest.importorskip("torch")

BENCHMARKS = pathlib.Path(__file__).parents[1]
sys.path[:0] = [str(BENCHMARKS / "workloads"), str(BENCHMARKS / "gpu")]

import families as tables  # noqa: E402
import generate  # noqa: E402
import inputs  # noqa: E402
import peers  # noqa: E402

PASSES = (
    "builtin.module(func.func(linalg-generalize-named-ops),"
    "one-shot-bufferize{bufferize-function-boundaries=1 "
    "function-boundary-type-conversion=identity-layout-map},"
    "func.func(convert-linalg-to-loops),expand-strided-metadata,lower-affine,convert-scf-to-cf,"
    "func.func(convert-math-to-llvm),convert-math-to-libm,convert-arith-to-llvm,"
    "finalize-memref-to-llvm,convert-func-to-llvm,convert-cf-to-llvm,reconcile-unrealized-casts)"
)

# Upstream decomposes a softmax through the transform dialect only.
DECOMPOSE = """
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%m: !transform.any_op) {
    %s = transform.structured.match ops{["linalg.softmax"]} in %m
      : (!transform.any_op) -> !transform.any_op
    %d = transform.structured.decompose_interface %s : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}
"""


def small(family, case):
    """Overrides that make a case small but keep its kernel, strides and padding."""
    sizes = {"M": 13, "N": 11, "K": 7, "L": 9, "H": 10, "batch": 2, "heads": 2, "seq": 12}
    sizes |= {"head_dim": 6, "rows": 12, "cols": 7}
    if "CI" in case or "IC" in case:
        sizes |= {"H": 10, "W": 9, "D": 8, "L": 11, "CI": 3, "CO": 4, "IC": 3, "OC1": 5, "OC2": 4}
    if case.get("op") == "scan":
        # Two levels of blocks, and a last block that is not full.
        sizes |= {"rows": 3, "L": 333}
    return {key: size for key, size in sizes.items() if key in case}


def representatives():
    """The first case of every kind, odd and even numbers of columns for the patterns."""
    seen = set()
    for family in tables.families().values():
        for case in family.cases:
            kind = (family.name, case.get("op"), case.get("pattern"), case.get("causal"))
            kind += (case.get("layout"), case.get("stride"), case.get("k1"), case.get("stride1"))
            if kind not in seen:
                seen.add(kind)
                yield pytest.param(family.name, case, id=f"{family.name}-{case['name']}")


def constant(tensor):
    """A dense constant with exactly these bits."""
    wide = {"torch.float16": torch.int16, "torch.float32": torch.int32}.get(str(tensor.dtype))
    raw = (tensor.view(wide) if wide else tensor).numpy().tobytes().hex().upper()
    return f'dense<"0x{raw}">'


def print_result(number, value):
    """Lines of @main that print result `number` as an f32 array."""
    shape, element = value
    dims = "".join(f"{size}x" for size in shape)
    loops = ", ".join(f"d{i}" for i in range(len(shape)))
    kinds = ", ".join(['"parallel"'] * len(shape))
    name = f"%r#{number}"
    lines = []
    if element != "f32":
        access = f"affine_map<({loops}) -> ({loops})>"
        lines = [
            f"%e{number} = tensor.empty() : tensor<{dims}f32>",
            f"%w{number} = linalg.generic {{indexing_maps = [{access}, {access}], "
            f"iterator_types = [{kinds}]}} ins({name} : tensor<{dims}{element}>) "
            f"outs(%e{number} : tensor<{dims}f32>) {{",
            f"^bb0(%a: {element}, %b: f32):",
            f"%x = arith.extf %a : {element} to f32",
            "linalg.yield %x : f32",
            f"}} -> tensor<{dims}f32>",
        ]
        name = f"%w{number}"
    return lines + [
        f"%u{number} = tensor.cast {name} : tensor<{dims}f32> to tensor<*xf32>",
        f"call @printMemrefF32(%u{number}) : (tensor<*xf32>) -> ()",
    ]


def execute(built, arguments, llvm_tools, folder):
    """Runs the function on the CPU; returns its results as f32 tensors."""
    types = ["tensor<" + "".join(f"{s}x" for s in shape) + f"{e}>" for shape, e in built.inputs]
    outs = ["tensor<" + "".join(f"{s}x" for s in shape) + f"{e}>" for shape, e in built.outputs]
    lines = ["func.func private @printMemrefF32(tensor<*xf32>)", "func.func @main() {"]
    for i, (argument, one) in enumerate(zip(arguments, types, strict=True)):
        lines.append(f"%a{i} = arith.constant {constant(argument)} : {one}")
    names = ", ".join(f"%a{i}" for i in range(len(types)))
    lines.append(
        f"%r:{len(outs)} = call @{built.entry}({names}) : ({', '.join(types)}) -> ({', '.join(outs)})"
    )
    for number, value in enumerate(built.outputs):
        lines += print_result(number, value)
    lines += ["return", "}"]
    text = built.text.replace("func.func @", "func.func private @") + "\n".join(lines)
    library = folder / "decompose.mlir"
    library.write_text(DECOMPOSE)
    decompose = f"builtin.module(transform-preload-library{{transform-library-paths={library}}},"
    decompose += "transform-interpreter,canonicalize)"
    for pipeline in (decompose, PASSES):
        run = subprocess.run(
            [llvm_tools / "mlir-opt", f"--pass-pipeline={pipeline}"],
            input=text,
            capture_output=True,
            text=True,
        )
        assert run.returncode == 0, run.stderr[:2000]
        text = run.stdout
    libraries = [llvm_tools.parent / "lib" / f"libmlir_{n}runner_utils.so" for n in ("", "c_")]
    run = subprocess.run(
        [
            llvm_tools / "mlir-runner",
            "-e=main",
            "--entry-point-result=void",
            f"--shared-libs={','.join(map(str, libraries))}",
        ],
        input=text,
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr[:2000]
    results = []
    for part, (shape, _) in zip(run.stdout.split("Unranked")[1:], built.outputs, strict=True):
        numbers = re.findall(r"-?(?:inf|nan|\d[\d.]*(?:e[+-]?\d+)?)", part.split("data =")[1])
        results.append(torch.tensor([float(n) for n in numbers]).view(shape))
    return results


def check(family, case, dtype, llvm_tools, folder, peer=None, options=generate.Options()):
    family_name = family if isinstance(family, str) else family.name
    built = generate.workload(family, case["name"], dtype, options, small(family_name, case))
    arguments = [
        inputs.make_input(shape, element, 1, i, "cpu", bound=9)
        for i, (shape, element) in enumerate(built.inputs)
    ]
    peer = peer or peers.peer(family_name, built.case)
    expected = peer.reference(arguments, inputs.TYPES[dtype])
    actual = execute(built, arguments, llvm_tools, folder)
    assert len(actual) == len(expected)
    tolerance = {"f32": 2e-5, "f16": 4e-3}[dtype]
    for one, other in zip(actual, expected, strict=True):
        assert one.shape == other.shape
        scale = other.square().mean().sqrt().item() + 1e-6
        assert torch.allclose(one, other.float(), atol=tolerance * scale, rtol=tolerance)
        # The inputs are such that a result of zeros would be wrong.
        assert one.abs().max() > 0


@pytest.mark.parametrize("family, case", list(representatives()))
def test_case_f32(family, case, llvm_tools, tmp_path):
    check(family, case, "f32", llvm_tools, tmp_path)


@pytest.mark.parametrize(
    "family, case",
    [
        ("gemm_chains_mcfuser", "G1"),
        ("attention_mcfuser", "S10"),
        ("attention_long", "FA_d64_s512_causal"),
        ("conv_chains_chimera", "C1"),
        ("operators_gta", "scan_3x77"),
        ("stitch_patterns", "layer_norm_4096x768"),
        ("stitch_patterns", "din_attention_unit_4096x768"),
    ],
)
def test_case_f16(family, case, llvm_tools, tmp_path):
    check(family, tables.families()[family].case(case), "f16", llvm_tools, tmp_path)


@pytest.mark.parametrize("form", ["named", "contract", "generic"])
@pytest.mark.parametrize("transposed", [(), (0, 2), (1,)])
def test_chain_with_everything(form, transposed, llvm_tools, tmp_path):
    family = tables.free_chain((5, 6, 7, 8, 9), 2)

    def stored(weight, number):
        return weight.transpose(1, 2) if number in transposed else weight

    def function(rounded, a, w1, bias1, w2, bias2, w3, bias3):
        x = rounded(torch.relu(stored(a, 0)))
        x = torch.matmul(x, stored(w1, 1)) + bias1
        x = rounded(torch.nn.functional.gelu(x * 6**-0.5))
        x = torch.matmul(x, stored(w2, 2)) + bias2
        x = rounded(torch.nn.functional.gelu(x * 6**-0.5))
        x = torch.matmul(x, stored(w3, 3))
        return torch.softmax(rounded(x) + bias3, -1)

    options = generate.Options(
        before=("relu",),
        between=("bias", "scale", "gelu"),
        after=("cast", "bias", "softmax"),
        transposed=transposed,
        form=form,
    )
    peer = peers.Peer(function)
    for dtype in ("f32", "f16"):
        check(family, family.cases[0], dtype, llvm_tools, tmp_path, peer, options)


def test_generator_of_inputs_against_plain_integers():
    """SplitMix64 in wrapping tensor arithmetic is SplitMix64."""
    mask, golden = (1 << 64) - 1, 0x9E3779B97F4A7C15

    def mix(z):
        z &= mask
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & mask
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB & mask
        return z ^ (z >> 31)

    bits = inputs.random_bits(7, 3, 5, 20, "cpu").tolist()
    key = mix(mix(7 + golden) + 4 * golden)
    assert [b & mask for b in bits] == [mix(key + (e + 1) * golden) for e in range(5, 25)]
    floats = inputs.make_input((1000,), "f32", 1, 0, "cpu")
    assert floats.min() >= -1 and floats.max() < 1 and abs(floats.mean()) < 0.1
