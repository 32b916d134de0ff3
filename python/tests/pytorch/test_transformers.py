# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models of Hugging Face's transformers, tiny and with random weights, end to end."""

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")
transformers = pytest.importorskip("transformers", reason="transformers is not installed")

SIZES = dict(hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64)
TEXT = dict(vocab_size=99, max_position_embeddings=64)
TOKENS = torch.arange(18).reshape(2, 9) * 5 % 99


def bert():
    return transformers.BertModel(transformers.BertConfig(**SIZES, **TEXT)), {"input_ids": TOKENS}


def gpt2():
    config = transformers.GPT2Config(n_embd=32, n_layer=2, n_head=4, vocab_size=99, n_positions=64,
                                     bos_token_id=0, eos_token_id=0)
    return transformers.GPT2Model(config), {"input_ids": TOKENS, "use_cache": False}


def llama():
    config = transformers.LlamaConfig(**SIZES, **TEXT, num_key_value_heads=2)
    return transformers.LlamaForCausalLM(config), {"input_ids": TOKENS, "use_cache": False}


def vit():
    config = transformers.ViTConfig(**SIZES, image_size=16, patch_size=4)
    return transformers.ViTModel(config), {"pixel_values": torch.randn(2, 3, 16, 16)}


def t5():
    config = transformers.T5Config(vocab_size=99, d_model=32, d_kv=8, d_ff=64, num_layers=2,
                                   num_heads=4)
    return transformers.T5Model(config), {"input_ids": TOKENS, "decoder_input_ids": TOKENS[:, :5],
                                          "use_cache": False}


@pytest.mark.nightly
@pytest.mark.parametrize("make", [bert, gpt2, llama, vit, t5], ids=lambda make: make.__name__)
def test_model(front, make, capsys):
    torch.manual_seed(0)
    model, inputs = make()
    model.eval()
    report = front.Report()
    torch._dynamo.reset()
    compiled = torch.compile(model, backend=front.backend,
                             options={"strict": True, "cache_dir": "", "report": report})
    with torch.no_grad():
        result, expected = compiled(**inputs)[0], model(**inputs)[0]
    torch.testing.assert_close(result, expected, rtol=1e-4, atol=1e-5)
    assert report.graphs == 1 and not report.declined
    with capsys.disabled():
        print(f"\n{make.__name__}: {report.operators} operators, {report.kernels} kernels")
