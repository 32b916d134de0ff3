# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every generated module verifies; options and sizes do what they say; bad requests are rejected."""

import itertools
import pathlib
import subprocess
import sys

import pytest

WORKLOADS = pathlib.Path(__file__).parents[1] / "workloads"
sys.path.insert(0, str(WORKLOADS))

import families as tables  # noqa: E402
import generate  # noqa: E402
from families import Options  # noqa: E402

ALL = [(f.name, c["name"]) for f in tables.families().values() for c in f.cases]


@pytest.fixture(scope="module")
def verify(llvm_tools):
    """Verifies many modules in one run of mlir-opt and returns the text it prints."""

    def run(texts, *options):
        run = subprocess.run(
            [llvm_tools / "mlir-opt", "--split-input-file", *options],
            input="\n// -----\n".join(texts),
            capture_output=True,
            text=True,
        )
        assert run.returncode == 0, run.stderr[:2000]
        return run.stdout

    return run


def cli(*arguments):
    run = subprocess.run(
        [sys.executable, WORKLOADS / "generate.py", *arguments], capture_output=True, text=True
    )
    return run.returncode, run.stdout, run.stderr


def test_every_table_is_covered():
    files = {path.stem for path in WORKLOADS.glob("*.json")}
    assert files == set(tables.families())
    counts = {name: len(family.cases) for name, family in tables.families().items()}
    assert counts["gemm_chains_mcfuser"] == counts["gemm_chains_chimera"] == 12
    assert counts["attention_mcfuser"] == 13
    assert counts["stitch_patterns"] == 21 * 9
    assert {"gemm_4096x4096x4096", "gemm_8192x8192x8192"} <= {case["name"] for case in tables.families()["products_large"].cases}


@pytest.mark.parametrize("dtype", tables.DTYPES)
def test_all_cases_verify(verify, dtype):
    built = [generate.workload(family, case, dtype) for family, case in ALL]
    verify([one.text for one in built])
    assert all(element in ("i8", "i32", "f32", dtype) for one in built for _, element in one.inputs)
    # Statistics that come from another kernel are f32; all results are of the requested type.
    assert all(element == dtype for one in built for _, element in one.outputs)


def test_chain_is_canonical():
    """Products accumulate in f32 and each intermediate is materialised once in f16."""
    text = generate.workload("gemm_chains_mcfuser", "G1", "f16").text
    assert text.count("linalg.batch_matmul") == 2
    assert text.count("arith.truncf") == 2
    assert "outs(%1 : tensor<1x512x256xf32>)" in text
    assert "arith" not in generate.workload("gemm_chains_mcfuser", "G1", "f32").text.replace(
        "arith.constant", ""
    )


@pytest.mark.parametrize("form", ["named", "contract", "generic"])
def test_chains_of_any_length_and_transposition(verify, form):
    texts = []
    for sizes in ((100, 72, 40, 24), (1, 1, 1, 1), (64, 32, 48, 16, 80), (9, 8, 7, 6, 5, 4, 3)):
        operands = range(len(sizes) - 1)
        for batch, transposed in itertools.product((None, 3), [(), (0,), (1,), tuple(operands)]):
            family = tables.free_chain(sizes, batch)
            name = family.cases[0]["name"]
            options = Options(transposed=transposed, form=form)
            built = generate.workload(family, name, "bf16", options)
            assert len(built.inputs) == len(sizes) - 1
            shape = (*([batch] if batch else []), sizes[0], sizes[-1])
            assert built.outputs == ((shape, "bf16"),)
            first = built.inputs[0][0][-2:]
            assert first == ((sizes[1], sizes[0]) if 0 in transposed else (sizes[0], sizes[1]))
            texts.append(built.text)
    verify(texts)


def test_forms_are_the_same_product(verify):
    """As generics, all three forms have the same indexing maps."""
    family = tables.free_chain((32, 16, 24, 8), None)
    name = family.cases[0]["name"]
    printed = [
        verify(
            [generate.workload(family, name, "f32", Options(transposed=(0, 2), form=form)).text],
            "--linalg-generalize-named-ops",
            "--canonicalize",
        )
        for form in ("named", "contract", "generic")
    ]
    maps = [
        [line for line in text.splitlines() if line.startswith("#map")] for text in printed
    ]
    assert maps[0] == maps[1] == maps[2]


@pytest.mark.parametrize("operation", generate.products.ELEMENTWISE)
def test_elementwise_everywhere(verify, operation):
    family = tables.free_chain((32, 16, 24, 8), 2)
    name = family.cases[0]["name"]
    for where in ("before", "between", "after"):
        built = generate.workload(family, name, "f16", Options(**{where: (operation, "relu")}))
        plain = generate.workload(family, name, "f16", Options(**{where: ("relu",)}))
        assert built.text != plain.text
        assert len(built.inputs) == len(plain.inputs) + (operation == "bias")
        verify([built.text])


def test_causal_mask_is_index_computed():
    text = generate.workload("attention_long", "FA_d64_s512_causal", "f16").text
    assert text.count("linalg.index") == 2 and "0xFF800000" in text
    assert "linalg.index" not in generate.workload("attention_long", "FA_d64_s512", "f16").text


def test_sizes_can_be_changed(verify):
    built = [
        generate.workload("gemm_chains_mcfuser", "G12", "f16", overrides={"batch": 2, "M": 64}),
        generate.workload("attention_long", "FA_d64_s1024_causal", "f16", overrides={"seq": 64}),
        generate.workload("conv_chains_chimera", "C1", "f16", overrides={"H": 9, "W": 11}),
    ]
    built += [
        generate.workload("stitch_patterns", f"{p}_4096x768", "f16", overrides={"rows": 6, "cols": 7})
        for p in dict.fromkeys(c["pattern"] for c in tables.families()["stitch_patterns"].cases)
    ]
    verify([one.text for one in built])
    assert built[0].inputs[0] == ((2, 64, 128), "f16")


def test_flops_and_bytes():
    built = generate.workload("gemm_chains_mcfuser", "G1", "f16")
    assert built.flops == 2 * 512 * 256 * (64 + 64)
    assert built.bytes == 2 * (512 * 64 + 64 * 256 + 256 * 64 + 512 * 64)
    assert generate.workload("operators_gta", "ResNet18_C1_b1", "f16").flops == 2 * 56**2 * 9 * 64**2
    assert generate.workload("products_large", "gemm_4096x4096x4096", "f16").flops == 2 * 4096**3
    # Half of each row of the table is gathered, and the other half of x is taken.
    built = generate.workload("stitch_patterns", "gather_slice_concat_mix_777x3001", "f16")
    assert built.bytes == 2 * (777 * 1500 + 777 * 1501 + 1501 + 777 * 3001) + 4 * 777


def test_command_line(tmp_path, verify):
    target = tmp_path / "g1.mlir"
    assert cli("--family=gemm_chains_chimera", "--case=G2", "--batch=2", "-o", target)[0] == 0
    assert "tensor<2x512x64xf16>" in target.read_text()
    status, text, _ = cli(
        "--chain=30,20,10,40,50", "--dtype=bf16", "--epilogue=bias,gelu", "--transpose=0,2", "--batch=2"
    )
    assert status == 0 and "math.erf" in text
    verify([target.read_text(), text])
    status, text, _ = cli("--list")
    assert status == 0 and "layer_norm_777x3001" in text
    assert cli("--all", "--family=attention_mcfuser", "--output-dir", tmp_path / "all")[0] == 0
    assert len(list((tmp_path / "all").glob("*.mlir"))) == 13


@pytest.mark.parametrize(
    "arguments, message",
    [
        (("--family=none", "--case=G1"), "no family 'none'"),
        (("--family=gemm_chains_mcfuser", "--case=G99"), "no case 'G99'"),
        (("--family=gemm_chains_mcfuser", "--case=G1", "--rows=4"), "no size 'rows'"),
        (("--family=gemm_chains_mcfuser", "--case=G1", "--batch=0"), "at least 1"),
        (("--family=gemm_chains_mcfuser", "--case=G1", "--batch=x"), "unrecognized argument"),
        (("--family=gemm_chains_chimera", "--case=G1", "--2d"), "batch of 8"),
        (("--chain=1,2",), "at least three sizes"),
        (("--chain=1,2,0",), "at least 1"),
        (("--chain=1,2,3", "--epilogue=nothing"), "unknown element-wise operation 'nothing'"),
        (("--chain=1,2,3", "--dtype=f8"), "invalid choice"),
        ((), "--family and a --case"),
        (("--all",), "--output-dir"),
        (("--chain=1,2,3", "-o", "/nowhere/x.mlir"), "No such file"),
    ],
)
def test_refused(arguments, message):
    status, _, errors = cli(*arguments)
    assert status != 0 and message in errors
    assert "Traceback" not in errors
