# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Blocks of well-known models as plain PyTorch modules with random weights."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional as F


class BertLayer(nn.Module):
    """An encoder layer of BERT with a mask of padding (Devlin et al., 2019)."""

    def __init__(self, hidden=768, heads=12, inner=3072):
        super().__init__()
        self.heads = heads
        self.query, self.key, self.value, self.output = (nn.Linear(hidden, hidden)
                                                         for _ in range(4))
        self.up, self.down = nn.Linear(hidden, inner), nn.Linear(inner, hidden)
        self.norm1, self.norm2 = nn.LayerNorm(hidden), nn.LayerNorm(hidden)

    def forward(self, x, mask):
        batch, length, hidden = x.shape

        def split(t):
            return t.view(batch, length, self.heads, -1).transpose(1, 2)

        q, k, v = split(self.query(x)), split(self.key(x)), split(self.value(x))
        bias = (1.0 - mask[:, None, None, :].to(x.dtype)) * -10000.0
        scores = q @ k.transpose(-1, -2) / (hidden // self.heads) ** 0.5 + bias
        context = (scores.softmax(-1) @ v).transpose(1, 2).reshape(batch, length, hidden)
        x = self.norm1(x + self.output(context))
        return self.norm2(x + self.down(F.gelu(self.up(x))))


class RMSNorm(nn.Module):
    def __init__(self, size, eps=1e-6):
        super().__init__()
        self.weight, self.eps = nn.Parameter(torch.rand(size) + 0.5), eps

    def forward(self, x):
        wide = x.float()
        return self.weight * (wide * torch.rsqrt(wide.square().mean(-1, keepdim=True)
                                                 + self.eps)).to(x.dtype)


class LlamaBlock(nn.Module):
    """RMS norms, rotary embedding, grouped-query attention, gated MLP (Touvron et al.,
    2023)."""

    def __init__(self, hidden=64, heads=4, shared=2, inner=176):
        super().__init__()
        self.heads, self.shared, self.size = heads, shared, hidden // heads
        self.q = nn.Linear(hidden, hidden, bias=False)
        self.k, self.v = (nn.Linear(hidden, shared * self.size, bias=False) for _ in range(2))
        self.o = nn.Linear(hidden, hidden, bias=False)
        self.gate, self.up = (nn.Linear(hidden, inner, bias=False) for _ in range(2))
        self.down = nn.Linear(inner, hidden, bias=False)
        self.norm1, self.norm2 = RMSNorm(hidden), RMSNorm(hidden)

    def rotate(self, x):
        half = self.size // 2
        position = torch.arange(x.shape[-2], dtype=torch.float32, device=x.device)
        frequency = 10000.0 ** (-torch.arange(half, dtype=torch.float32, device=x.device) / half)
        angle = torch.outer(position, frequency)
        angle = torch.cat([angle, angle], -1)
        turned = torch.cat([-x[..., half:], x[..., :half]], -1)
        return (x * angle.cos() + turned * angle.sin()).to(x.dtype)

    def forward(self, x):
        batch, length, hidden = x.shape
        y = self.norm1(x)
        q = self.q(y).view(batch, length, self.heads, self.size).transpose(1, 2)
        k = self.k(y).view(batch, length, self.shared, self.size).transpose(1, 2)
        v = self.v(y).view(batch, length, self.shared, self.size).transpose(1, 2)
        q, k = self.rotate(q), self.rotate(k)
        k, v = (t.repeat_interleave(self.heads // self.shared, dim=1) for t in (k, v))
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.o(y.transpose(1, 2).reshape(batch, length, hidden))
        y = self.norm2(x)
        return x + self.down(F.silu(self.gate(y)) * self.up(y))


class VitBlock(nn.Module):
    """A block of a vision transformer (Dosovitskiy et al., 2021)."""

    def __init__(self, hidden=64, heads=4):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(hidden), nn.LayerNorm(hidden)
        self.qkv, self.output = nn.Linear(hidden, 3 * hidden), nn.Linear(hidden, hidden)
        self.mlp = nn.Sequential(nn.Linear(hidden, 4 * hidden), nn.GELU(),
                                 nn.Linear(4 * hidden, hidden))

    def forward(self, x):
        batch, length, hidden = x.shape
        qkv = self.qkv(self.norm1(x)).reshape(batch, length, 3, self.heads, -1)
        q, k, v = qkv.permute(2, 0, 3, 1, 4).unbind(0)
        y = F.scaled_dot_product_attention(q, k, v)
        x = x + self.output(y.transpose(1, 2).reshape(batch, length, hidden))
        return x + self.mlp(self.norm2(x))


class MixerBlock(nn.Module):
    """A block of MLP-Mixer (Tolstikhin et al., 2021)."""

    def __init__(self, tokens=16, channels=48, inner=(32, 96)):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(channels), nn.LayerNorm(channels)
        self.tokens = nn.Sequential(nn.Linear(tokens, inner[0]), nn.GELU(),
                                    nn.Linear(inner[0], tokens))
        self.channels = nn.Sequential(nn.Linear(channels, inner[1]), nn.GELU(),
                                      nn.Linear(inner[1], channels))

    def forward(self, x):
        x = x + self.tokens(self.norm1(x).transpose(1, 2)).transpose(1, 2)
        return x + self.channels(self.norm2(x))


class DienUnit(nn.Module):
    """Attention over a user's history and one step of its recurrent unit, AUGRU (Zhou et
    al., 2019)."""

    def __init__(self, size=24):
        super().__init__()
        self.score = nn.Sequential(nn.Linear(4 * size, 32), nn.PReLU(), nn.Linear(32, 1))
        self.reset, self.update, self.candidate = (nn.Linear(2 * size, size) for _ in range(3))

    def forward(self, history, lengths, target):
        wide = target[:, None, :].expand_as(history)
        scores = self.score(torch.cat([history, wide, history - wide, history * wide], -1))[..., 0]
        inside = torch.arange(history.shape[1], device=history.device) < lengths[:, None]
        weights = scores.masked_fill(~inside, torch.finfo(scores.dtype).min).softmax(-1)
        state = (weights[..., None] * history).sum(1)
        both = torch.cat([state, target], -1)
        update = torch.sigmoid(self.update(both)) * weights.max(-1, keepdim=True).values
        reset = torch.sigmoid(self.reset(both))
        candidate = torch.tanh(self.candidate(torch.cat([reset * state, target], -1)))
        return (1 - update) * state + update * candidate


class ResidualNet(nn.Module):
    """A small ResNet: convolutions, batch norms, max and average pooling."""

    def __init__(self):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, 8, 7, 2, 3, bias=False), nn.BatchNorm2d(8),
                                  nn.ReLU(), nn.MaxPool2d(3, 2, 1))
        self.block = nn.Sequential(nn.Conv2d(8, 8, 3, padding=1, bias=False), nn.BatchNorm2d(8),
                                   nn.ReLU(), nn.Conv2d(8, 8, 3, padding=1, bias=False),
                                   nn.BatchNorm2d(8))
        self.down = nn.Conv2d(8, 16, 1, 2)
        self.head = nn.Linear(16, 10)

    def forward(self, x):
        x = self.stem(x)
        x = self.down(F.relu(x + self.block(x)))
        return self.head(F.adaptive_avg_pool2d(x, 1).flatten(1))


class MobileNet(nn.Module):
    """Inverted residuals with depthwise convolutions and squeeze-and-excitation."""

    def __init__(self):
        super().__init__()
        self.expand = nn.Sequential(nn.Conv2d(4, 12, 1), nn.BatchNorm2d(12), nn.Hardswish())
        self.depth = nn.Sequential(nn.Conv2d(12, 12, 5, 1, 2, groups=12), nn.BatchNorm2d(12),
                                   nn.Hardswish())
        self.squeeze = nn.Sequential(nn.Conv2d(12, 4, 1), nn.ReLU(), nn.Conv2d(4, 12, 1),
                                     nn.Hardsigmoid())
        self.project = nn.Sequential(nn.Conv2d(12, 4, 1), nn.BatchNorm2d(4))

    def forward(self, x):
        y = self.depth(self.expand(x))
        y = y * self.squeeze(F.adaptive_avg_pool2d(y, 1))
        return F.relu6(x + self.project(y)).mean((2, 3))


class UNet(nn.Module):
    """A small U-Net: pooling down, transposed convolution and up-sampling back."""

    def __init__(self):
        super().__init__()
        self.inner = nn.Sequential(nn.Conv2d(2, 6, 3, padding=1), nn.GroupNorm(2, 6), nn.SiLU())
        self.deep = nn.Sequential(nn.Conv2d(6, 8, 3, padding=2, dilation=2), nn.LeakyReLU(0.1))
        self.up = nn.ConvTranspose2d(8, 6, 2, 2)
        self.out = nn.Conv2d(12, 2, 1)

    def forward(self, x):
        side = self.inner(x)
        deep = self.deep(F.avg_pool2d(side, 2))
        y = self.out(torch.cat([side, self.up(deep)], 1))
        return F.interpolate(y, scale_factor=2, mode="nearest").softmax(1)


def perturb(model, seed=0):
    """Random statistics for batch norms; everything else is random as it is made."""
    generator = torch.Generator().manual_seed(seed)
    for module in model.modules():
        if isinstance(module, nn.modules.batchnorm._BatchNorm):
            module.running_mean.uniform_(-0.5, 0.5, generator=generator)
            module.running_var.uniform_(0.5, 1.5, generator=generator)
    return model.eval()


def blocks():
    """Name → (model, inputs), small."""
    torch.manual_seed(0)
    mask = torch.ones(2, 12, dtype=torch.bool)
    mask[1, 9:] = False
    return {
        "bert": (BertLayer(48, 4, 96), (torch.randn(2, 12, 48), mask)),
        "llama": (LlamaBlock(), (torch.randn(2, 10, 64),)),
        "vit": (VitBlock(), (torch.randn(2, 17, 64),)),
        "mixer": (MixerBlock(), (torch.randn(2, 16, 48),)),
        "dien": (DienUnit(), (torch.randn(3, 7, 24), torch.tensor([7, 3, 5]),
                              torch.randn(3, 24))),
    }


def real_block(name):
    """(model, inputs) of the same blocks at sizes of published models, f32: BERT-base and a
    sequence of 128, LLaMA 3 8B, ViT-B/16, Mixer-S/16, and DIEN's unit over 100 items."""
    torch.manual_seed(0)
    return {
        "bert": lambda: (BertLayer(), (torch.randn(1, 128, 768), torch.ones(1, 128, dtype=torch.bool))),
        "llama": lambda: (LlamaBlock(4096, 32, 8, 14336), (torch.randn(1, 128, 4096),)),
        "vit": lambda: (VitBlock(768, 12), (torch.randn(1, 197, 768),)),
        "mixer": lambda: (MixerBlock(196, 512, (256, 2048)), (torch.randn(1, 196, 512),)),
        "dien": lambda: (DienUnit(36), (torch.randn(128, 100, 36), torch.full((128,), 80),
                                        torch.randn(128, 36))),
    }[name]()


def graph_of(model, inputs, decompositions):
    """The graph of a model in inference, without running it."""
    from torch.fx.experimental.proxy_tensor import make_fx

    whole = torch.func.functionalize(lambda *x: [model(*x)], remove="mutations")
    with torch.no_grad():
        return make_fx(whole, decomposition_table=decompositions, tracing_mode="fake",
                       _allow_non_fake_inputs=True)(*inputs)


def networks():
    """Name → (model, inputs) of convolutional networks."""
    torch.manual_seed(0)
    return {
        "residual": (perturb(ResidualNet()), (torch.randn(2, 3, 24, 24),)),
        "mobile": (perturb(MobileNet()), (torch.randn(2, 4, 9, 9),)),
        "unet": (perturb(UNet()), (torch.randn(1, 2, 8, 8),)),
    }
