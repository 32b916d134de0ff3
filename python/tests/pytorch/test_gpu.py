# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What of the backend for GPUs can be told without one; gpu_calls.py has the calls."""

import pytest

torch = pytest.importorskip("torch")


def test_chips(fusion):
    from fusion.torch import regions
    from fusion.torch.emit import Unsupported

    for capability, chip in (((8, 0), "sm_80"), ((8, 6), "sm_86"), ((8, 7), "sm_86"), ((9, 0), "sm_90a"),
                             ((10, 0), "sm_100a"), ((10, 3), "sm_89"), ((12, 1), "sm_120")):
        assert regions.chip_for(capability) == chip
    with pytest.raises(Unsupported, match="compute capability 7.5"):
        regions.chip_for((7, 5))


@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU")
def test_blocks_on_a_gpu(fusion):
    import fusion.torch  # noqa: F401

    class Block(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.norm, self.up, self.down = torch.nn.LayerNorm(64), torch.nn.Linear(64, 256), torch.nn.Linear(256, 64)

        def forward(self, x):
            return x + self.down(torch.nn.functional.gelu(self.up(self.norm(x))))

    model = Block().cuda().half().eval()
    x = torch.randn(4, 96, 64, device="cuda", dtype=torch.half)
    compiled = torch.compile(model, backend="fusion", options={"cache_dir": "", "strict": True})
    with torch.no_grad():
        expected = model(x)
        torch.testing.assert_close(compiled(x), expected, rtol=2e-2, atol=2e-2)
        # Not contiguous, not aligned.
        wide = torch.randn(4, 96, 65, device="cuda", dtype=torch.half)[:, :, 1:]
        torch.testing.assert_close(compiled(wide), model(wide), rtol=2e-2, atol=2e-2)
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            compiled(x)
        torch.cuda.current_stream().wait_stream(stream)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            captured = compiled(x)
        graph.replay()
        torch.cuda.synchronize()
        torch.testing.assert_close(captured, expected, rtol=2e-2, atol=2e-2)
