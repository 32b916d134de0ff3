# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs on disk: shared by processes, never half of one."""

import os
import subprocess
import sys
import textwrap

import pytest

MODULE = """
func.func @scale(%a: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %two = arith.constant 2.0 : f32
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>],
                       iterator_types = ["parallel"]}
      ins(%a : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%x: f32, %o: f32):
    %y = arith.mulf %x, %two : f32
    linalg.yield %y : f32
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}
"""


@pytest.fixture
def cache(fusion):
    from fusion import cache

    cache.forget()
    cache.statistics.clear()
    return cache


def test_memory_then_disk(fusion, cache, tmp_path):
    first = cache.compile(MODULE, {}, tmp_path)
    assert cache.compile(MODULE, {}, tmp_path) is first
    cache.forget()
    assert cache.compile(MODULE, {}, tmp_path).ptx == first.ptx
    assert cache.statistics == {"compiled": 1, "memory": 1, "disk": 1}


def test_key(cache, tmp_path):
    keys = {cache.key_of(MODULE, {}), cache.key_of(MODULE, {"chip": "sm_90a"}),
            cache.key_of(MODULE + "\n", {}), cache.key_of(MODULE, {"force_fusion": True})}
    assert len(keys) == 4


@pytest.mark.parametrize("damage", [lambda text: b"", lambda text: b"\xff\xfe",
                                    lambda text: text[:-10],
                                    lambda text: text.replace(b"mul", b"add")])
def test_damaged_file(cache, tmp_path, damage):
    ptx = cache.compile(MODULE, {}, tmp_path).ptx
    (file,) = (file for file in tmp_path.rglob("*") if file.is_file())
    file.write_bytes(damage(file.read_bytes()))
    cache.forget()
    assert cache.compile(MODULE, {}, tmp_path).ptx == ptx
    assert cache.statistics == {"compiled": 2}


def test_folder_cannot_be_written(cache, tmp_path):
    (tmp_path / "file").write_text("")
    assert cache.compile(MODULE, {}, tmp_path / "file").ptx


@pytest.mark.parametrize("mask, mode", [(0o022, 0o644), (0o002, 0o664), (0o077, 0o600)])
def test_files_follow_the_umask(cache, tmp_path, mask, mode):
    before = os.umask(mask)
    try:
        cache.compile(MODULE, {}, tmp_path)
    finally:
        os.umask(before)
    (file,) = (file for file in tmp_path.rglob("*") if file.is_file())
    assert file.stat().st_mode & 0o777 == mode
    cache.forget()


def test_errors_are_not_kept(fusion, cache, tmp_path):
    for _ in range(2):
        with pytest.raises(fusion.CompileError):
            cache.compile("func.func", {}, tmp_path)
    assert not list(tmp_path.rglob("*"))


def test_processes(fusion, build_folder, tmp_path):
    """Several at once leave one whole file; one more finds it."""
    script = tmp_path / "compile.py"
    script.write_text(textwrap.dedent(f"""
        import pathlib
        from fusion import cache
        cache.compile({MODULE!r}, {{}}, pathlib.Path(r"{tmp_path}") / "shared")
        print(dict(cache.statistics))
    """))
    environment = {**os.environ, "PYTHONPATH": str(build_folder / "python")}

    def start():
        return subprocess.Popen([sys.executable, str(script)], env=environment, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    for process in [start() for _ in range(3)]:
        _, errors = process.communicate()
        assert process.returncode == 0, errors
    output, errors = start().communicate()
    assert output.strip() == "{'disk': 1}", errors
    assert len([file for file in (tmp_path / "shared").rglob("*") if file.is_file()]) == 1
