# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Wrong arguments raise exceptions that name them."""

import json
import warnings

import numpy as np
import pytest

MODULE = """
func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %r = linalg.exp ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %r : tensor<4xf32>
}
"""


@pytest.fixture(scope="module")
def program(fusion):
    return fusion.compile(MODULE)


@pytest.mark.parametrize("arguments, said", [
    ({"chip": None}, "'chip' is a string, not None"),
    ({"exponentials": 3}, "'exponentials' is a string, not 3 of type int"),
    ({"file_name": b"x"}, "'file_name' is a string, not b'x' of type bytes"),
    ({"force_fusion": 1}, "'force_fusion' is True or False, not 1 of type int"),
    ({"remarks": "no"}, "'remarks' is True or False, not 'no' of type str"),
])
def test_types(fusion, arguments, said):
    with pytest.raises(TypeError) as error:
        fusion.compile(MODULE, **arguments)
    assert str(error.value) == said


@pytest.mark.parametrize("source", [None, 7])
def test_sources(fusion, source):
    with pytest.raises(TypeError, match="MLIR's text or bytecode, not a"):
        fusion.compile(source)


@pytest.mark.parametrize("seed, kind", [(-1, ValueError), (1 << 64, ValueError), (1.5, TypeError), (None, TypeError)])
def test_seeds(program, seed, kind):
    with pytest.raises(kind, match="'seed' is"):
        program.run(np.zeros(4, np.float32), seed=seed)


def test_whole_numbers_of_numpy_are_seeds(program):
    (result,) = program.run(np.zeros(4, np.float32), seed=np.int64(3), sanitize=np.bool_(True)).results
    np.testing.assert_array_equal(result, np.ones(4, np.float32))


@pytest.mark.parametrize("beside", [{"chip": "sm_80"}, {"force_fusion": True}])
def test_nothing_is_ignored_beside_a_pass_pipeline(fusion, beside):
    pipeline = "builtin.module(fuse-to-nvvm{chip=sm_90a})"
    assert fusion.compile(MODULE, pass_pipeline=pipeline).chip == "sm_90a"
    with pytest.raises(ValueError, match=f"'{next(iter(beside))}' has no effect beside 'pass_pipeline'"):
        fusion.compile(MODULE, pass_pipeline=pipeline, **beside)


@pytest.mark.parametrize("options, said", [
    ("chip=sm_80 bogus=1", "no such option bogus"),
    ("force-fusion=maybe", "the options 'force-fusion=maybe' are not those of 'fuse-to-nvvm'"),
])
def test_options_of_pass_pipelines(fusion, options, said):
    with pytest.raises(fusion.CompileError, match=said):
        fusion.compile(MODULE, pass_pipeline=f"builtin.module(fuse-to-nvvm{{{options}}})")


def test_options_of_passes(fusion):
    with pytest.raises(fusion.CompileError, match="no such option bogus"):
        fusion.compile(MODULE, pass_pipeline="builtin.module(fuse-form-groups{bogus=1})")


def test_masked_arrays(program):
    masked = np.ma.masked_array(np.zeros(4, np.float32), mask=[0, 1, 0, 0])
    with pytest.raises(TypeError, match="input 0 of 'f' is a masked array"):
        program(masked)
    np.testing.assert_array_equal(program(masked.filled(0)), np.ones(4, np.float32))


def test_files_that_are_no_manifests(fusion, program, tmp_path):
    whole = tmp_path / "whole.json"
    program.save(whole)
    assert fusion.Program.load(whole).report() == program.report().split("\n<string>")[0]
    manifest = json.loads(whole.read_text())
    cases = {
        b"{\"functions\":[],\"kernels\":[]}": "version: expected",
        b"[]": "expected an object",
        b"{": "",
        b"\xff\xfe": "",
        json.dumps({**manifest, "chip": 80}).encode(): "chip",
        json.dumps({**manifest, "kernels": []}).encode(): r"functions\[0\].launches\[0\]",
    }
    for contents, said in cases.items():
        path = tmp_path / "broken.json"
        path.write_bytes(contents)
        with pytest.raises(ValueError, match=f"broken.json is no manifest: .*{said}"):
            fusion.Program.load(path)


def test_home_folders(fusion, monkeypatch, tmp_path):
    from fusion import cache

    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("FUSION_CACHE_DIR", "~/programs")
    assert cache.default_folder() == tmp_path / "programs"


def test_nothing_warns(fusion, program):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fusion.compile(MODULE, chip="sm_90a", remarks=True)
        program.run(np.zeros(4, np.float32), seed=1)
