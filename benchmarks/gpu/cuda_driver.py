# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The CUDA driver from Python: loads PTX or machine code, runs the launches of the emulator's corpus, and says what
fits the device."""

import ctypes
import pathlib
import struct

# CUdevice_attribute, CUfunction_attribute, CUjit_option, CUlaunchAttributeID
MULTIPROCESSORS, CAPABILITY_MAJOR, CAPABILITY_MINOR = 16, 75, 76
MAX_DYNAMIC_SHARED, NON_PORTABLE_CLUSTERS = 8, 14
PORTABLE_CLUSTER = 8
ERROR_LOG, ERROR_LOG_SIZE = 5, 6
COOPERATIVE, CLUSTER_DIMENSION = 2, 4
DEFAULT_SHARED = 48 * 1024

# CUtensorMapDataType and the other enumerations of cuTensorMapEncodeTiled
TENSOR_TYPES = ("u8", "u16", "u32", "i32", "u64", "i64", "f16", "f32", "f32_ftz", "f64", "bf16", "tf32", "tf32_ftz")
SWIZZLES = ("none", "32B", "64B", "128B")
INTERLEAVES = ("none", "16B", "32B")
L2_PROMOTION_128 = 2


class Attribute(ctypes.Structure):  # CUlaunchAttribute
    _fields_ = [("id", ctypes.c_uint), ("padding", ctypes.c_uint), ("value", ctypes.c_uint * 16)]


class Config(ctypes.Structure):  # CUlaunchConfig
    _fields_ = [
        ("grid", ctypes.c_uint * 3),
        ("block", ctypes.c_uint * 3),
        ("shared", ctypes.c_uint),
        ("stream", ctypes.c_void_p),
        ("attributes", ctypes.POINTER(Attribute)),
        ("count", ctypes.c_uint),
    ]


def needs_cooperation(ptx):
    """Whether kernels wait for their whole grid: cooperative groups find the memory of that barrier in %envreg1 and 2,
    which hold it in cooperative launches alone."""
    return "%envreg" in ptx


def set_attributes(config, cluster, cooperative):
    """Gives a launch its attributes; a cluster of one block needs none."""
    wanted = [(CLUSTER_DIMENSION, cluster)] if list(cluster) != [1, 1, 1] else []
    wanted += [(COOPERATIVE, [1])] if cooperative else []
    attributes = (Attribute * max(len(wanted), 1))()
    for attribute, (number, values) in zip(attributes, wanted):
        attribute.id = number
        attribute.value[: len(values)] = values
    config.attributes, config.count = attributes, len(wanted)


class DriverError(RuntimeError):
    pass


class Device:
    """The first GPU."""

    def __init__(self, library="libcuda.so.1"):
        try:
            self.library = ctypes.CDLL(library)
        except OSError as error:
            raise DriverError(f"no CUDA driver: {error}") from None
        self.call("cuInit", ctypes.c_uint(0))
        device, context = ctypes.c_int(), ctypes.c_void_p()
        self.call("cuDeviceGet", ctypes.byref(device), 0)
        name = ctypes.create_string_buffer(256)
        self.call("cuDeviceGetName", name, 256, device)
        self.name = name.value.decode()
        self.device = device
        self.capability = 10 * self.attribute(CAPABILITY_MAJOR) + self.attribute(CAPABILITY_MINOR)
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
        self.call("cuCtxPushCurrent_v2", context)

    def call(self, name, *arguments):
        try:
            function = getattr(self.library, name)
        except AttributeError:
            raise DriverError(f"the driver has no {name}") from None
        result = function(*arguments)
        if result:
            text = ctypes.c_char_p()
            self.library.cuGetErrorName(result, ctypes.byref(text))
            raise DriverError(f"{name}: {(text.value or b'error').decode()} ({result})")

    def attribute(self, number):
        """A CUdevice_attribute."""
        value = ctypes.c_int()
        self.call("cuDeviceGetAttribute", ctypes.byref(value), number, self.device)
        return value.value

    def driver_version(self):
        """Of CUDA that the driver is made for: 13000 is 13.0."""
        value = ctypes.c_int()
        self.call("cuDriverGetVersion", ctypes.byref(value))
        return value.value

    def function(self, module, name):
        function = ctypes.c_void_p()
        self.call("cuModuleGetFunction", ctypes.byref(function), module, name.encode())
        return function

    def active_clusters(self, function, cluster, threads, shared):
        """The clusters of `cluster` blocks that run at once, blocks having so many threads and bytes of dynamic shared
        memory."""
        if shared > DEFAULT_SHARED:
            self.call("cuFuncSetAttribute", function, MAX_DYNAMIC_SHARED, shared)
        if cluster > PORTABLE_CLUSTER:
            self.call("cuFuncSetAttribute", function, NON_PORTABLE_CLUSTERS, 1)
        config = Config()
        # As many blocks as the device could hold, in whole clusters.
        config.grid[:], config.block[:] = [cluster * self.attribute(MULTIPROCESSORS), 1, 1], [threads, 1, 1]
        config.shared = shared
        set_attributes(config, [cluster, 1, 1], cooperative=False)
        count = ctypes.c_int()
        self.call("cuOccupancyMaxActiveClusters", ctypes.byref(count), function, ctypes.byref(config))
        return count.value

    def copy_microseconds(self, size, copies):
        """The least time of copying `size` bytes within the device's memory, of `copies` copies after a first one."""
        buffers, events = [], []
        try:
            for _ in range(2):
                address, event = ctypes.c_uint64(), ctypes.c_void_p()
                self.call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(size))
                buffers.append(address)
                self.call("cuEventCreate", ctypes.byref(event), 0)
                events.append(event)
            # Not zeros, which can be faster.
            self.call("cuMemsetD8_v2", buffers[0], ctypes.c_ubyte(0x5A), ctypes.c_size_t(size))
            times = []
            for _ in range(1 + copies):
                self.call("cuEventRecord", events[0], None)
                self.call("cuMemcpyDtoDAsync_v2", buffers[1], buffers[0], ctypes.c_size_t(size), None)
                self.call("cuEventRecord", events[1], None)
                self.call("cuEventSynchronize", events[1])
                milliseconds = ctypes.c_float()
                self.call("cuEventElapsedTime", ctypes.byref(milliseconds), *events)
                times.append(milliseconds.value * 1e3)
            return min(times[1:])
        finally:
            for event in events:
                self.library.cuEventDestroy_v2(event)
            for address in buffers:
                self.library.cuMemFree_v2(address)

    def load(self, image):
        """A module from PTX text or machine code (bytes)."""
        module, log = ctypes.c_void_p(), ctypes.create_string_buffer(16384)
        options = (ctypes.c_int * 2)(ERROR_LOG, ERROR_LOG_SIZE)
        values = (ctypes.c_void_p * 2)(ctypes.cast(log, ctypes.c_void_p), len(log) - 1)
        try:
            self.call("cuModuleLoadDataEx", ctypes.byref(module), image + b"\0", 2, options, values)
        except DriverError as error:
            raise DriverError(f"{error} {log.value.decode(errors='replace').strip()}".strip()) from None
        return module

    def run(self, module, case):
        """Runs a case of the corpus; the buffers afterwards."""
        import cases

        buffers = case.buffers()
        addresses, sizes = [], []
        try:
            for buffer in buffers:
                data = buffer.before() if isinstance(buffer, cases.Out) else buffer.tobytes()
                address = ctypes.c_uint64()
                self.call("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(max(len(data), 1)))
                addresses.append(address)
                sizes.append(len(data))
                self.call("cuMemcpyHtoD_v2", address, data, ctypes.c_size_t(len(data)))
            self._launch(module, case, buffers, addresses)
            self.call("cuCtxSynchronize")
            results = []
            for address, size in zip(addresses, sizes):
                data = ctypes.create_string_buffer(size)
                self.call("cuMemcpyDtoH_v2", data, address, ctypes.c_size_t(size))
                results.append(data.raw)
            return results
        finally:
            for address in addresses:
                self.library.cuMemFree_v2(address)

    def _launch(self, module, case, buffers, addresses):
        launch = case.launch()
        function = self.function(module, case.kernel)
        if case.shared > DEFAULT_SHARED:
            self.call("cuFuncSetAttribute", function, MAX_DYNAMIC_SHARED, case.shared)
        by_name = {f"{i}.in": address.value for i, address in enumerate(addresses)}
        values = [self._argument(argument, by_name) for argument in launch["arguments"]]
        storage = [ctypes.create_string_buffer(value + bytes(128), len(value) + 128) for value in values]
        parameters = (ctypes.c_void_p * max(len(storage), 1))()
        for i, value in enumerate(storage):
            # Tensor maps are read at a multiple of 64 bytes.
            start = -ctypes.addressof(value) % 64
            ctypes.memmove(ctypes.addressof(value) + start, values[i], len(values[i]))
            parameters[i] = ctypes.addressof(value) + start
        config = Config()
        config.grid[:], config.block[:] = launch["grid"], launch["block"]
        config.shared = case.shared
        set_attributes(config, launch["cluster"], needs_cooperation(pathlib.Path(case.ptx).read_text()))
        self.call("cuLaunchKernelEx", ctypes.byref(config), function, parameters, None)

    def _argument(self, argument, addresses):
        """The bytes of an argument of a launch file."""
        if "tensor_map" in argument:
            return self._tensor_map(argument["tensor_map"], addresses)
        if "buffer" in argument:
            return struct.pack("<Q", addresses[argument["buffer"]])
        if "bytes" in argument:
            return bytes.fromhex(argument["bytes"])
        ((kind, value),) = argument.items()
        if kind in ("i32", "i64"):
            size = int(kind[1:]) // 8
            return (value % (1 << 8 * size)).to_bytes(size, "little")
        return struct.pack("<f" if kind == "f32" else "<d", float(value))

    def _tensor_map(self, info, addresses):
        storage = ctypes.create_string_buffer(128 + 64)
        start = -ctypes.addressof(storage) % 64
        rank = len(info["dims"])
        self.call(
            "cuTensorMapEncodeTiled",
            ctypes.c_void_p(ctypes.addressof(storage) + start),
            TENSOR_TYPES.index(info["type"]),
            ctypes.c_uint32(rank),
            ctypes.c_void_p(addresses[info["buffer"]]),
            (ctypes.c_uint64 * rank)(*info["dims"]),
            (ctypes.c_uint64 * rank)(*info["strides_bytes"]),
            (ctypes.c_uint32 * rank)(*info["box"]),
            (ctypes.c_uint32 * rank)(*info["element_strides"]),
            INTERLEAVES.index(info["interleave"]),
            SWIZZLES.index(info["swizzle"]),
            L2_PROMOTION_128,
            int(info["fill"] == "nan"),
        )
        return storage.raw[start : start + 128]
