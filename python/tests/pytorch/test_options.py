# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Options of the backend: unknown options, and values that an option does not take, are errors at once."""

import warnings

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")


def fail(front, options):
    """What the first call of a model says that is compiled with the options."""
    torch._dynamo.reset()
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # an error, no warning
        with pytest.raises(Exception) as error:
            torch.compile(lambda x: x + 1, backend=front.backend, options=options)(torch.ones(3))
    torch._dynamo.reset()
    with pytest.raises((TypeError, ValueError)) as direct:
        front.explain(lambda x: x + 1, torch.ones(3), options=options)
    said = f"{type(direct.value).__name__}: {direct.value}"
    assert said in str(error.value) or str(error.value) == str(direct.value)
    return said


@pytest.mark.parametrize("options, said", [
    ({"chipp": "sm_80"},
     "TypeError: there is no option 'chipp' (did you mean 'chip'?); there are chip, force_fusion, "),
    ({"Chip": "sm_80"}, "TypeError: there is no option 'Chip' (did you mean 'chip'?)"),
    ({3: "sm_80"}, "TypeError: there is no option 3; there are chip, "),
    ([("chip", "sm_80")], "TypeError: 'options' are a dictionary, not a list"),
    ({"chip": 80}, "TypeError: 'chip' is a string, not 80 of type int"),
    ({"chip": None}, "TypeError: 'chip' is a string, not None"),
    ({"f32_products": True}, "TypeError: 'f32_products' is a string, not True of type bool"),
    ({"strict": 1}, "TypeError: 'strict' is True or False, not 1 of type int"),
    ({"force_fusion": "yes"}, "TypeError: 'force_fusion' is True or False, not 'yes' of type str"),
    ({"cache_dir": 3}, "TypeError: 'cache_dir' is a path, not a int"),
    ({"cache_dir": b"cache"}, "TypeError: 'cache_dir' is a path of characters, not of bytes"),
    ({"report": []}, "TypeError: 'report' is a fusion.torch.Report, not a list"),
    ({"chip": "sm_75"}, "ValueError: 'chip' is 'sm_75'"),
    ({"chip": "sm90"}, "ValueError: 'chip' is 'sm90' (did you mean 'sm_90a'?)"),
    ({"chip": "SM_80"}, "ValueError: 'chip' is 'SM_80'"), ({"chip": " "}, "ValueError: 'chip' is ' '"),
    ({"f32_products": "tf33"},
     "ValueError: 'f32_products' is 'tf33' (did you mean 'tf32'?); it is one of f32, tf32, tf32-cut"),
    ({"f8_products": "fine"}, "ValueError: 'f8_products' is 'fine'; it is one of f32, coarse"),
    ({"exponentials": "fast"}, "ValueError: 'exponentials' is 'fast'; it is one of guarded, difference, fma"),
    ({"cache_dir": "/dev/null/below"},
     "ValueError: 'cache_dir' is '/dev/null/below', which is no folder that can be used: "),
    ({"cache_dir": "/dev/null"}, "ValueError: 'cache_dir' is '/dev/null', which is no folder that can be used: "),
    ({"cache_dir": "a\0b"}, "ValueError: 'cache_dir' is 'a\\x00b', which is no folder that can be used: "),
    ({"cache_dir": "~nobody-has-this-name/programs"}, "ValueError: '~nobody-has-this-name/programs' is no folder: "),
])
def test_options_that_there_are_not(front, monkeypatch, options, said):
    if isinstance(options, list):  # torch.compile itself wants a dictionary
        with pytest.raises(TypeError) as error:
            front.Options.of(options)
        assert f"TypeError: {error.value}" == said
        return
    assert fail(front, options).startswith(said)


def test_all_chips_are_named(front):
    import fusion

    assert fail(front, {"chip": "sm_75"}).endswith(f"it is one of {', '.join(fusion.chips())}")


@pytest.mark.parametrize("option", ["f32_products", "f8_products", "exponentials"])
def test_choices_are_the_compilers(front, option):
    """What the one takes, the other one takes, and both list the same."""
    import fusion
    from fusion.program import NUMERIC_CHOICES

    module = "func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> { return %a : tensor<4xf32> }"
    for choice in ("", *NUMERIC_CHOICES[option]):
        assert getattr(front.Options(**{option: choice}), option) == choice
        fusion.compile(module, **{option: choice})
    with pytest.raises(fusion.CompileError) as error:
        fusion.compile(module, **{option: "none"})
    listed = [f"'{choice}'" for choice in NUMERIC_CHOICES[option]]
    assert f"computed as {', '.join(listed[:-1])} or {listed[-1]}, not as 'none'" in str(error.value)


def test_folders_are_made(front, tmp_path):
    torch._dynamo.reset()
    front.cache.forget()
    torch.compile(lambda x: x + 1, backend=front.backend, options={"cache_dir": tmp_path / "a" / "b"})(torch.ones(3))
    assert list((tmp_path / "a" / "b").rglob("*"))
    torch._dynamo.reset()


def test_what_does_not_compile_is_warned_of(front, monkeypatch):
    import fusion

    def fail(*given):
        raise fusion.CompileError([fusion.Diagnostic("error", "no memory")])

    monkeypatch.setattr(front.cache, "compile", fail)
    torch._dynamo.reset()
    with pytest.warns(RuntimeWarning, match="PyTorch computes aten.add.Tensor: error: no memory"):
        result = torch.compile(lambda x: x + 1, backend=front.backend, options={"cache_dir": ""})(torch.ones(3))
    assert torch.equal(result, torch.full((3,), 2.0))
    torch._dynamo.reset()


def test_modes_are_warned_of(front):
    torch._dynamo.reset()
    with pytest.warns(UserWarning, match="mode='reduce-overhead' of torch.compile has no effect"):
        torch.compile(lambda x: x + 1, backend="fusion", mode="reduce-overhead")(torch.ones(3))
    torch._dynamo.reset()


def test_home_folders(front, monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    assert front.Options(cache_dir="~/programs").folder() == tmp_path / "programs"
    assert front.Options(cache_dir=tmp_path / "there").folder() == tmp_path / "there"
    assert front.Options(cache_dir="").folder() is None
    torch._dynamo.reset()
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        torch.compile(lambda x: x * 9, backend=front.backend, options={"cache_dir": "~/programs"})(torch.ones(3))
    assert list((tmp_path / "programs").rglob("*")) and not (tmp_path / "~").exists()
    torch._dynamo.reset()


def test_folder_of_the_environment(front, tmp_path, monkeypatch):
    """A folder that a user has named is used or rejected; the default folder may be missing."""
    monkeypatch.setenv("FUSION_CACHE_DIR", "/dev/null/below")
    with pytest.raises(ValueError, match="'FUSION_CACHE_DIR' is '/dev/null/below', which is no folder that can be used"):
        front.Options()
    assert front.Options(cache_dir="").folder() is None
    assert front.Options(cache_dir=tmp_path).folder() == tmp_path
    monkeypatch.delenv("FUSION_CACHE_DIR")
    monkeypatch.setenv("XDG_CACHE_HOME", "/dev/null")
    front.Options()
