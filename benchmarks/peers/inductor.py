# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""TorchInductor's code for an NVIDIA GPU, generated on a machine without one.

A model is traced on fake tensors of the CPU, Inductor's passes over the joint graph look for attention, the graph is
moved to a fake GPU, and `GraphLowering` generates the Triton kernels and the calls of libraries that it would run
there. Nothing is compiled or run. Two things are replaced while it does so: what PyTorch says of the GPU
(`devices.Device`), and PyTorch's choice of a kernel for attention, for which `attention_for_gpu` stands.
"""

import contextlib
import dataclasses
import re
import types
from unittest import mock

import torch
from devices import DEVICES  # noqa: F401

CPU_ATTENTION = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu.default


class Driver:
    """Triton's view of the device."""

    def __init__(self, device):
        self.device = device

    def get_current_target(self):
        from triton.backends.compiler import GPUTarget

        return GPUTarget("cuda", 10 * self.device.major + self.device.minor, self.device.warp_size)

    def get_current_device(self):
        return 0

    def get_active_torch_device(self):
        return torch.device("cuda", 0)

    def get_device_interface(self):
        return torch.cuda


@contextlib.contextmanager
def pretended(device):
    """PyTorch and Triton see `device` while Inductor generates code."""
    import torch._inductor.config as config
    import triton
    from torch._dynamo.device_interface import get_interface_for_device

    interface = get_interface_for_device("cuda")
    answers = {
        "is_available": True, "current_device": 0, "device_count": 1, "get_device_properties": device,
        "get_compute_capability": 10 * device.major + device.minor, "is_triton_capable": True,
        "raise_if_triton_unavailable": None, "is_bf16_supported": True, "get_raw_stream": 0, "synchronize": None,
    }  # fmt: skip
    worker = type("Worker", (interface.Worker,), {
        "get_device_properties": staticmethod(lambda device=None, answer=device: answer),
        "current_device": staticmethod(lambda: 0)})  # fmt: skip
    cuda = {"get_device_properties": device, "current_device": 0, "device_count": 1, "is_bf16_supported": True,
            "get_device_capability": device.capability, "get_device_name": device.name}  # fmt: skip
    with contextlib.ExitStack() as stack:
        for name, answer in answers.items():
            always = staticmethod(lambda *_, answer=answer, **__: answer)
            stack.enter_context(mock.patch.object(interface, name, always))
        stack.enter_context(mock.patch.object(interface, "Worker", worker))
        for name, answer in cuda.items():
            stack.enter_context(mock.patch.object(torch.cuda, name, lambda *_, answer=answer, **__: answer))
        stack.enter_context(mock.patch.object(torch.version, "cuda", "13.0"))
        stack.enter_context(mock.patch.object(type(triton.runtime.driver), "active", Driver(device)))
        stack.enter_context(config.patch({"max_autotune": False, "compile_threads": 1, "triton.cudagraphs": False}))
        yield


def traced(model, inputs):
    """(graph of core operators on the CPU, its inputs): parameters first, then `inputs`."""
    from torch._inductor.decomposition import select_decomp_table
    from torch._subclasses.fake_tensor import FakeTensorMode
    from torch.fx.experimental.proxy_tensor import make_fx

    state = {**dict(model.named_parameters()), **dict(model.named_buffers())}

    def run(*values):
        held = dict(zip(state, values))
        result = torch.func.functional_call(model, held, values[len(state):])
        return result if isinstance(result, tuple) else (result,)

    mode = FakeTensorMode(allow_non_fake_inputs=True)
    fakes = [mode.from_tensor(x.detach()) for x in (*state.values(), *inputs)]
    with mode, torch.no_grad():
        graph = make_fx(torch.func.functionalize(run, remove="mutations"), decomposition_table=select_decomp_table(),
                        tracing_mode="fake", _allow_non_fake_inputs=True)(*fakes)  # fmt: skip
    # As AOTAutograd does: a value with a dead reader would not match a pattern.
    graph.graph.eliminate_dead_code()
    graph.recompile()
    return graph, fakes, mode


def fuse_attention(graph, fakes, mode):
    """Inductor's passes over the joint graph, among which are its patterns of attention: those for NVIDIA's GPUs."""
    from torch._inductor.fx_passes import fuse_attention, joint_graph
    from torch._inductor.compile_fx import fake_tensor_prop
    from torch._inductor.virtualized import V

    original = fuse_attention._sfdp_extra_check

    def check(scale_factor_op=None, disable_cuda=False):
        return (lambda match: False) if disable_cuda else original(scale_factor_op)

    with V.set_fake_mode(mode), torch.no_grad(), mock.patch.object(fuse_attention, "_sfdp_extra_check", check):
        fake_tensor_prop(graph, fakes, True)
        joint_graph.joint_graph_passes(graph, input_device=torch.device("cpu"))


def attention_for_gpu(node):
    """Puts a kernel of PyTorch's for GPUs in the place of the CPU's: flash attention, which has no masks and no f32,
    or else the memory-efficient one."""
    query, key, value, dropout, is_causal = (*node.args, 0.0, False)[:5]
    mask, scale = node.kwargs.get("attn_mask"), node.kwargs.get("scale")
    if mask is None and query.meta["val"].dtype in (torch.float16, torch.bfloat16):
        node.target = torch.ops.aten._scaled_dot_product_flash_attention.default
        node.args, node.kwargs = (query, key, value, dropout, is_causal), {"scale": scale}
    else:
        if mask is not None:
            shape = (*query.meta["val"].shape[:-1], key.meta["val"].shape[-2])
            with node.graph.inserting_before(node):
                mask = node.graph.call_function(torch.ops.aten.expand.default, (mask, shape))
        node.target = torch.ops.aten._scaled_dot_product_efficient_attention.default
        node.args, node.kwargs = (query, key, value, mask, False, dropout, is_causal), {"scale": scale}


def moved_to_gpu(graph, fakes, mode):
    """Makes the graph one on the GPU, in place; returns its inputs there."""
    for node in list(graph.graph.nodes):
        if node.op == "call_function":
            if "device" in node.kwargs:
                node.kwargs = {**node.kwargs, "device": torch.device("cuda", 0)}
            if node.target is CPU_ATTENTION:
                attention_for_gpu(node)
        elif node.op == "get_attr":
            constant = getattr(graph, node.target)
            with mode:
                setattr(graph, node.target, torch.empty_like(constant, device="cuda"))
    for node in graph.graph.nodes:
        for key in ("val", "tensor_meta", "example_value"):
            node.meta.pop(key, None)
    graph.recompile()
    with mode:
        return [torch.empty_strided(x.shape, x.stride(), dtype=x.dtype, device="cuda") for x in fakes]


def source(model, inputs, device):
    """The Python module that Inductor writes for a model in inference."""
    from torch._inductor.compile_fx import fake_tensor_prop
    from torch._inductor.debug import DebugContext
    from torch._inductor.fx_passes.post_grad import post_grad_passes, view_to_reshape
    from torch._inductor.graph import GraphLowering
    from torch._inductor.virtualized import V

    graph, fakes, mode = traced(model.eval(), inputs)
    fuse_attention(graph, fakes, mode)
    fakes = moved_to_gpu(graph, fakes, mode)
    with pretended(device), V.set_fake_mode(mode), torch.no_grad():
        view_to_reshape(graph)
        fake_tensor_prop(graph, fakes, True)
        post_grad_passes(graph, is_inference=True)
        fake_tensor_prop(graph, fakes, True)
        lowering = GraphLowering(graph, shape_env=None, is_inference=True, cpp_wrapper=False)
        with V.set_graph_handler(lowering), V.set_extern_kernel_nodes([]), V.set_debug_handler(DebugContext()):
            lowering.run(*fakes)
            code = lowering.codegen()
    code = code[0] if isinstance(code, tuple) else code
    return getattr(code, "value", code)


@dataclasses.dataclass
class Launches:
    """What one call of a model starts."""

    triton: int = 0
    libraries: list = dataclasses.field(default_factory=list)

    @property
    def total(self):
        return self.triton + len(self.libraries)


def launches(code):
    """The launches that a module of Inductor's has. A call of a library counts as one, whatever it launches."""
    body = code[code.index("def call(") :]
    found = Launches(len(re.findall(r"^\s+triton_\w+\.run\(", body, re.MULTILINE)))
    found.libraries = re.findall(r"^\s+(?:\w+ = )?(?:extern_kernels|torch\.ops\.aten|aten)\.(\w+)", body, re.MULTILINE)
    return found
