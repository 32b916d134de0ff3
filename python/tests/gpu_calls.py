# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Run by test_gpu.py: the process has the driver of unittests/Runtime/FakeCudaDriver.cpp."""

import ctypes

import numpy as np
import pytest

CHAIN = """
func.func @chain(%a: tensor<64x32xf16>, %b: tensor<32x48xf16>, %c: tensor<48x16xf16>) -> tensor<64x16xf32> {
  %zero = arith.constant 0.0 : f16
  %e0 = tensor.empty() : tensor<64x48xf16>
  %i0 = linalg.fill ins(%zero : f16) outs(%e0 : tensor<64x48xf16>) -> tensor<64x48xf16>
  %p = linalg.matmul ins(%a, %b : tensor<64x32xf16>, tensor<32x48xf16>)
                     outs(%i0 : tensor<64x48xf16>) -> tensor<64x48xf16>
  %zero32 = arith.constant 0.0 : f32
  %e1 = tensor.empty() : tensor<64x16xf32>
  %i1 = linalg.fill ins(%zero32 : f32) outs(%e1 : tensor<64x16xf32>) -> tensor<64x16xf32>
  %q = linalg.matmul ins(%p, %c : tensor<64x48xf16>, tensor<48x16xf16>)
                     outs(%i1 : tensor<64x16xf32>) -> tensor<64x16xf32>
  return %q : tensor<64x16xf32>
}
"""

SCALED = """
#row = affine_map<(i) -> (i)>
#one = affine_map<(i) -> ()>
func.func @scaled(%x: tensor<?xbf16>, %s: f32, %n: index) -> (tensor<?xbf16>, tensor<?xbf16>, index) {
  %c0 = arith.constant 0 : index
  %d = tensor.dim %x, %c0 : tensor<?xbf16>
  %empty = tensor.empty(%d) : tensor<?xbf16>
  %r = linalg.generic {indexing_maps = [#row, #row], iterator_types = ["parallel"]}
      ins(%x : tensor<?xbf16>) outs(%empty : tensor<?xbf16>) {
  ^bb0(%v: bf16, %o: bf16):
    %w = arith.extf %v : bf16 to f32
    %y = arith.mulf %w, %s : f32
    %t = arith.truncf %y : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<?xbf16>
  return %r, %x, %n : tensor<?xbf16>, tensor<?xbf16>, index
}
"""


TOTAL = """
func.func @total(%x: tensor<65536xf32>) -> tensor<f32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<f32>
  %i = linalg.fill ins(%zero : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %r = linalg.reduce ins(%x : tensor<65536xf32>) outs(%i : tensor<f32>) dimensions = [0]
    (%a: f32, %b: f32) {
      %s = arith.addf %a, %b : f32
      linalg.yield %s : f32
    }
  return %r : tensor<f32>
}
"""


@pytest.fixture(scope="module")
def driver(build_folder):
    library = ctypes.CDLL(str(build_folder / "unittests" / "fake-cuda" / "libcuda.so.1"))
    library.cuCtxPushCurrent_v2(ctypes.c_void_p(1))
    return library


class Array:
    """An array on the fake GPU."""

    def __init__(self, driver, data, element_type=None):
        self.driver, self.shape, self.dtype = driver, data.shape, data.dtype
        self.data = np.ascontiguousarray(data)
        pointer = ctypes.c_uint64()
        assert driver.cuMemAlloc_v2(ctypes.byref(pointer), ctypes.c_size_t(max(1, data.nbytes))) == 0
        self.address = pointer.value
        assert driver.cuMemcpyHtoD_v2(pointer, self.data.ctypes, ctypes.c_size_t(data.nbytes)) == 0
        self.strides, self.stream, self.read_only = None, None, False

    @property
    def __cuda_array_interface__(self):
        interface = {"shape": self.shape, "typestr": self.dtype.str, "version": 3,
                     "data": (self.address, self.read_only), "strides": self.strides}
        if self.stream is not None:
            interface["stream"] = self.stream
        return interface

    def numpy(self):
        data = np.empty(self.shape, self.dtype)
        assert self.driver.cuMemcpyDtoH_v2(data.ctypes, ctypes.c_uint64(self.address),
                                           ctypes.c_size_t(data.nbytes)) == 0
        return data


class Exporter:
    """The same through DLPack, as the package's own arrays export it."""

    def __init__(self, fusion, array, code, bits):
        self.fusion, self.array, self.code, self.bits, self.streams = fusion, array, code, bits, []

    def __dlpack_device__(self):
        return 2, 0

    def __dlpack__(self, stream=None):
        self.streams.append(stream)
        return self.fusion._native.export_array(self.array, self.array.address, self.array.shape,
                                                self.code, self.bits, 0)


@pytest.fixture(scope="module")
def chain(fusion, driver):
    return fusion.compile(CHAIN, force_fusion=True)


@pytest.fixture(scope="module")
def inputs():
    draw = np.random.default_rng(0)
    return [draw.uniform(-1, 1, shape).astype(np.float16) for shape in ((64, 32), (32, 48), (48, 16))]


def test_results_are_arrays_of_the_gpu(fusion, driver, chain, inputs):
    given = [Array(driver, x) for x in inputs]
    result = chain(*given)
    assert isinstance(result, fusion.DeviceArray)
    assert (result.shape, result.element_type, result.ordinal) == ((64, 16), "f32", 0)
    np.testing.assert_array_equal(result.numpy(), chain(*inputs))
    np.testing.assert_array_equal(np.asarray(result), result.numpy())
    # What comes out can go in again, by either protocol.
    identity = fusion.compile("func.func @f(%a: tensor<64x16xf32>) -> tensor<64x16xf32> "
                              "{ return %a : tensor<64x16xf32> }")
    again = identity(result)
    assert again.address != result.address
    np.testing.assert_array_equal(again.numpy(), result.numpy())
    launch, = chain.run(*given).launches
    assert launch["counters"] is None and launch["name"] in chain.kernels


def test_dlpack(fusion, driver, chain, inputs):
    given = [Exporter(fusion, Array(driver, x), 2, 16) for x in inputs]
    np.testing.assert_array_equal(chain(*given).numpy(), chain(*inputs))
    assert given[0].streams == [1], "the default stream"
    exported = chain(*given).__dlpack__()
    address, shape, strides, code, bits, device, ordinal = fusion._native.describe_array(exported)
    assert (shape, strides, code, bits, device, ordinal) == ((64, 16), (16, 1), 2, 32, 2, 0)


def test_out_workspace_and_capture(fusion, driver):
    total = fusion.compile(TOTAL)
    data = np.random.default_rng(0).uniform(-1, 1, 65536).astype(np.float32)
    x, out = Array(driver, data), Array(driver, np.zeros((), np.float32))
    needed = total.workspace_bytes(x)
    assert needed == total.workspace_bytes((65536,)) > 0
    workspace = Array(driver, np.zeros(needed, np.uint8))
    stream = ctypes.c_void_p()
    assert driver.cuStreamCreate(ctypes.byref(stream), 0) == 0
    with pytest.raises(ValueError, match=f"the workspace has 16 bytes; {needed} are needed"):
        total(x, out=[out], workspace=Array(driver, np.zeros(16, np.uint8)))
    # The plan loads its kernels in its first call, or before it.
    assert driver.cuStreamBeginCapture_v2(stream, 1) == 0
    result, = total.run(x, stream=stream.value, out=[out], workspace=workspace).results
    with pytest.raises(fusion.RunError, match="STREAM_CAPTURE_UNSUPPORTED"):
        total.run(x, stream=stream.value, workspace=workspace)  # would have to allocate the result
    graph, executable = ctypes.c_void_p(), ctypes.c_void_p()
    assert driver.cuStreamEndCapture(stream, ctypes.byref(graph)) == 0
    assert result is out
    assert out.numpy() == 0, "captured, not run"
    assert driver.cuGraphInstantiateWithFlags(ctypes.byref(executable), graph, ctypes.c_ulonglong(0)) == 0
    for _ in range(2):  # what the workspace has from the run before does no harm
        assert driver.cuGraphLaunch(executable, stream) == 0
        assert out.numpy() == total(data)
    # Without a workspace given, the program keeps one.
    kept = total(x).numpy(), total(x).numpy()
    assert kept == (total(data), total(data))


def test_numbers_open_sizes_and_aliases(fusion, driver):
    program = fusion.compile(SCALED)
    bits = (np.arange(40, dtype=np.float32).view(np.uint32) >> 16).astype(np.uint16)
    x = Array(driver, bits)
    y, same, n = program(x, 2.0, 7)
    assert n == 7 and isinstance(n, np.ndarray)
    np.testing.assert_array_equal(y.numpy(), program(bits, 2.0, 7)[0])
    np.testing.assert_array_equal(same.numpy(), bits)
    assert same.address != x.address, "results share no memory with the inputs"
    # Another size, DLPack's own bf16, no elements at all.
    other = program(Exporter(fusion, Array(driver, bits[:5]), 4, 16), 3.0, 1)[0]
    np.testing.assert_array_equal(other.numpy(), program(bits[:5], 3.0, 1)[0])
    assert program(Array(driver, bits[:0]), 3.0, 1)[0].numpy().shape == (0,)


def test_streams(fusion, driver, chain, inputs):
    class Torch:
        cuda_stream = 0

    class CuPy:
        ptr = 0

    class Core:
        def __cuda_stream__(self):
            return 0, 0

    given = [Array(driver, x) for x in inputs]
    given[0].stream = 2  # made on another stream: ours waits for it
    for stream in (None, 0, Torch(), CuPy(), Core()):
        np.testing.assert_array_equal(chain(*given, stream=stream).numpy(), chain(*inputs))
    with pytest.raises(TypeError, match="str is no stream"):
        chain(*given, stream="fast")


def test_errors(fusion, driver, chain, inputs):
    a, b, c = (Array(driver, x) for x in inputs)
    out = Array(driver, np.zeros((64, 16), np.float32))

    def fails(kind, match, *arguments, **options):
        with pytest.raises(kind, match=match):
            chain(*arguments, **options)

    fails(TypeError, "takes 3 inputs, not 2", a, b)
    fails(TypeError, "input 2 of 'chain' is in the host's memory, others are on a GPU", a, b, inputs[2])
    fails(TypeError, "input 0 of 'chain' has elements of type float32; f16", out, b, c)
    fails(ValueError, "input 1 of 'chain' has the shape 48x16; the function takes 32x48", a, c, c)
    turned = Array(driver, inputs[0])
    turned.strides = (2, 128)
    fails(ValueError, "input 0 of 'chain' is not contiguous", turned, b, c)
    shifted = Array(driver, np.zeros((65, 32), np.float16))
    shifted.shape, shifted.address = (64, 32), shifted.address + 2
    fails(fusion.RunError, "not a multiple of 16 bytes, which the kernel relies on", shifted, b, c)
    nobody = Array(driver, inputs[0])
    nobody.address = 64
    fails(TypeError, "not in the memory of a GPU that CUDA knows", a, nobody, c)
    fails(TypeError, "'chain' has 1 results, not 2", a, b, c, out=[out, out])
    fails(ValueError, "result 0 of 'chain' has the shape 64x32", a, b, c,
          out=[Array(driver, np.zeros((64, 32), np.float32))])
    fails(TypeError, "result 0 of 'chain' is in the host's memory", a, b, c,
          out=[np.zeros((64, 16), np.float32)])
    both = Array(driver, np.zeros(4096, np.float16))
    both.shape = (64, 32)
    shared = Array(driver, np.zeros((64, 16), np.float32))
    shared.address = both.address + 64
    fails(ValueError, "result 0 shares memory with input 0", both, b, c, out=[shared])
    fails(ValueError, "the workspace shares memory with result 0", a, b, c, out=[out], workspace=out)
    out.read_only = True
    fails(ValueError, "result 0 of 'chain' is read-only", a, b, c, out=[out])
    with pytest.raises(TypeError, match="stream, out and workspace go with inputs on a GPU"):
        chain(*inputs, stream=0)
    # A number of the GPU's memory, a number as a result's array.
    program = fusion.compile(SCALED)
    x = Array(driver, np.zeros(8, np.uint16))
    with pytest.raises(TypeError, match="input 1 of 'scaled' is a number"):
        program(x, x, 1)
    with pytest.raises(TypeError, match="result 2 of 'scaled' is a number"):
        program(x, 1.0, 1, out=[x, x, x])


def test_memory_is_given_back(fusion, driver, chain, inputs):
    given = [Array(driver, x) for x in inputs]
    result = chain(*given)
    address = result.address
    exported = result.__dlpack__()
    del result
    assert fusion._native.cuda_device_of(address) == 0, "the capsule keeps it"
    del exported
    assert fusion._native.cuda_device_of(address) == -1


def test_parts_of_pytorch_graphs(fusion, driver):
    """What the backend makes of a graph on a GPU, called with the addresses of tensors."""
    torch = pytest.importorskip("torch")
    from torch._subclasses.fake_tensor import FakeTensorMode
    from torch.fx.experimental.proxy_tensor import make_fx

    from fusion.torch import calling, regions
    from fusion.torch.backend import decompositions

    def model(x, w, host):
        return torch.nn.functional.softmax(x @ w, -1), host + 1.0

    with FakeTensorMode(allow_non_fake_inputs=True):
        x, w = (torch.empty(shape, dtype=torch.float32, device="cuda") for shape in ((8, 16), (16, 24)))
        graph = make_fx(model, tracing_mode="fake", decomposition_table=decompositions())(
            x, w, torch.empty(4))
    capability, regions.capability_of = regions.capability_of, lambda device: (8, 0)
    try:
        report = regions.Report()
        compiled = regions.compile_graph(graph, regions.Options(cache_dir="", report=report))
    finally:
        regions.capability_of = capability
    (reason,) = {reason for _, reason in report.declined}
    assert reason == "a tensor on cpu in a graph on cuda:0"
    (region,) = report.regions
    assert region.failure is None and region.program.chip == "sm_80"

    class Tensor(Array):
        def data_ptr(self):
            return self.address

    draw = np.random.default_rng(0)
    inputs = [draw.uniform(-1, 1, shape).astype(np.float32) for shape in ((8, 16), (16, 24))]
    result, = calling.call_on_gpu(region._caller._call, [Tensor(driver, data) for data in inputs],
                                  lambda shape, type_: Tensor(driver, np.zeros(shape, np.float32)), 0)
    scores = np.exp(inputs[0] @ inputs[1])
    np.testing.assert_allclose(result.numpy(), scores / scores.sum(-1, keepdims=True), rtol=1e-5)
    assert compiled is not None
