//===- FakeDevice.h - A device that copies ----------------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_UNITTESTS_RUNTIME_FAKEDEVICE_H
#define FUSION_UNITTESTS_RUNTIME_FAKEDEVICE_H

#include "fusion/Runtime/Device.h"
#include "fusion/Runtime/HostTensor.h"
#include "fusion/Runtime/Manifest.h"
#include "gtest/gtest.h"
#include <cstring>
#include <map>

namespace fusion {

/// Device memory in host memory; every launch is recorded, and `copy` copies
/// its first buffer's bytes to its second.
class FakeDevice final : public Device {
public:
  std::map<DeviceAddress, std::vector<char>> memory;
  std::vector<DeviceLaunch> launches;
  std::vector<DeviceStream> streams; ///< of launches and copies
  std::vector<size_t> alignments;
  DeviceAddress next = 1 << 20;
  std::string fault;

  std::string name() const override { return "fake"; }
  std::string assembler() const override { return ""; }
  llvm::Error loadModule(const Manifest &) override {
    return llvm::Error::success();
  }
  llvm::Expected<DeviceAddress> allocate(size_t bytes,
                                         size_t alignment) override {
    next = (next + alignment - 1) / alignment * alignment;
    DeviceAddress address = next;
    memory[address].assign(bytes, char(0xee));
    alignments.push_back(alignment);
    next += bytes + 1;
    return address;
  }
  llvm::Error free(DeviceAddress address) override {
    EXPECT_EQ(memory.erase(address), 1u);
    return llvm::Error::success();
  }
  char *at(DeviceAddress address, size_t bytes) {
    auto it = std::prev(memory.upper_bound(address));
    EXPECT_LE(address + bytes, it->first + it->second.size());
    return it->second.data() + (address - it->first);
  }
  llvm::Error write(DeviceAddress destination, const void *source,
                    size_t bytes) override {
    if (bytes)
      std::memcpy(at(destination, bytes), source, bytes);
    return llvm::Error::success();
  }
  llvm::Error read(DeviceAddress source, void *destination,
                   size_t bytes) override {
    if (bytes)
      std::memcpy(destination, at(source, bytes), bytes);
    return llvm::Error::success();
  }
  llvm::Error copy(DeviceAddress destination, DeviceAddress source,
                   size_t bytes, DeviceStream stream) override {
    std::memmove(at(destination, bytes), at(source, bytes), bytes);
    streams.push_back(stream);
    return llvm::Error::success();
  }
  llvm::Error wait(DeviceStream, DeviceStream) override {
    return llvm::Error::success();
  }
  uint64_t clusters = 3;
  llvm::Expected<uint64_t> activeClusters(const DeviceLaunch &) override {
    return clusters;
  }
  llvm::Expected<std::vector<uint8_t>>
  encodeTensorMap(const TensorMapRequest &request) override {
    maps.push_back(request);
    return std::vector<uint8_t>(128, 7);
  }
  llvm::Expected<LaunchObservation> launch(const DeviceLaunch &launch,
                                           DeviceStream stream) override {
    launches.push_back(launch);
    streams.push_back(stream);
    LaunchObservation observation;
    if (!fault.empty()) {
      observation.fault = fault;
      return observation;
    }
    if (launch.kernel == "copy") {
      uint32_t bytes = word<uint32_t>(launch, 2);
      std::memmove(at(word<uint64_t>(launch, 1), bytes),
                   at(word<uint64_t>(launch, 0), bytes), bytes);
    }
    return observation;
  }
  llvm::Error synchronize() override { return llvm::Error::success(); }
  llvm::Expected<std::optional<double>>
  measure(llvm::ArrayRef<DeviceLaunch> launches) override {
    return double(launches.size());
  }

  template <typename T>
  static T word(const DeviceLaunch &launch, size_t parameter) {
    T value;
    EXPECT_EQ(launch.parameters[parameter].size(), sizeof(T));
    std::memcpy(&value, launch.parameters[parameter].data(), sizeof(T));
    return value;
  }
  std::vector<TensorMapRequest> maps;
};

/// A plan over one kernel `copy(source, destination, bytes)`.
inline Manifest planOf(const std::string &function,
                       const std::string &moreKernels = "") {
  std::string text =
      R"json({"version": 1, "chip": "c", "constants": [{"bytes": 8, "splat": "05"}],
          "kernels": [{"name": "copy", "block": [32, 1, 1],
            "arguments": [{"kind": "buffer", "access": "read", "alignment": 4},
                          {"kind": "buffer", "access": "write", "alignment": 4}, {"kind": "i32"}],
            "predicted": {"us": 1.5, "global_load_bytes": "size:arg0.0 * 4", "global_store_bytes": 3,
                          "shared_memory": null}})json" +
      moreKernels + R"json(], "functions": [{"name": "f", )json" + function +
      "}]}";
  llvm::Expected<Manifest> manifest = Manifest::parse(text);
  if (!manifest) {
    ADD_FAILURE() << llvm::toString(manifest.takeError());
    return {};
  }
  return std::move(*manifest);
}

inline HostTensor iota(int64_t size) {
  HostTensor tensor(ElementType::I32, {size});
  for (int64_t i = 0; i < size; ++i)
    elementFromInteger(tensor.type, i + 1, tensor.at(i));
  return tensor;
}

/// Copies arg0 through a temporary to result0; result1 is a piece of arg0 and
/// result2 a number.
inline const char *const twoStep = R"json(
    "inputs": [{"type": "i32", "shape": ["?"]}],
    "results": [{"type": "i32", "shape": ["size:arg0.0"]},
                {"type": "i32", "shape": ["size:arg0.0 - 1"], "alias": {"of": "arg0", "offset": 4}},
                {"type": "index", "value": "size:result1.0 * 2"}],
    "temporaries": [{"bytes": "size:arg0.0 * 4", "offset": 256, "alignment": 128},
                    {"bytes": 512, "offset": 0}],
    "launches": [
      {"kernel": "copy", "grid": ["ceildiv(size:arg0.0, 32)", 1, 1],
       "arguments": [{"of": "arg0"}, {"of": "temp0"}, {"of": "size:arg0.0 * 4"}]},
      {"kernel": "copy", "grid": [1, 2, 3], "predicted": null,
       "arguments": [{"of": "temp0"}, {"of": "result0"}, {"of": "size:arg0.0 * 4"}]}])json";

} // namespace fusion

#endif // FUSION_UNITTESTS_RUNTIME_FAKEDEVICE_H
