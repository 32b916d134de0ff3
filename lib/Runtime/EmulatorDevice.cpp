//===- EmulatorDevice.cpp - The emulator as a device ----------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Runtime/Device.h"
#include "fusion/Runtime/Manifest.h"
#include "fusion/Timing/TimingReport.h"

using namespace fusion;

namespace {

std::string describe(const std::string &what, const emulator::Error &error) {
  std::string place = error.line
                          ? "PTX line " + std::to_string(error.line) + ": "
                          : std::string();
  return what + ": " + place + error.message;
}

/// Types that tensor maps do not know travel as integers of the same size.
emulator::TensorMapType tensorMapType(ElementType type) {
  using Map = emulator::TensorMapType;
  switch (type) {
  case ElementType::F16:
    return Map::F16;
  case ElementType::BF16:
    return Map::BF16;
  case ElementType::F32:
    return Map::F32;
  case ElementType::F64:
    return Map::F64;
  default:
    break;
  }
  switch (elementBytes(type)) {
  case 1:
    return Map::U8;
  case 2:
    return Map::U16;
  case 4:
    return Map::S32;
  default:
    return Map::S64;
  }
}

class EmulatorDevice final : public Device {
public:
  explicit EmulatorDevice(const EmulatorOptions &options) {
    this->options.sanitize = options.sanitize;
    this->options.seed = options.seed;
    this->options.l2Bytes = options.l2Bytes;
    this->options.processors = options.processors;
    this->options.proceed = options.proceed;
    timer.chip = options.timedChip;
    timer.isWarm = options.isTimedWarm;
    timer.code = options.timedCode;
    if (timer.chip)
      l2.emplace(timer.chip->l2Bytes);
  }

  std::string name() const override { return "emulator"; }
  std::string assembler() const override { return ""; }

  llvm::Error loadModule(const Manifest &manifest) override {
    if (manifest.isNative())
      return llvm::createStringError(
          "the emulator executes PTX; the kernels are machine code for '" +
          manifest.chip + "'");
    const std::string &ptx = manifest.ptx;
    emulator::Error error;
    program = emulator::Program::parse(std::string_view(ptx), error);
    if (!program)
      return llvm::createStringError(describe("emulator", error));
    if (!timer.chip)
      return llvm::Error::success();
    auto assembled = timing::assembleForTiming(ptx, timer);
    if (!assembled)
      return assembled.takeError();
    machineCode = std::move(*assembled);
    return llvm::Error::success();
  }

  llvm::Expected<DeviceAddress> allocate(size_t bytes,
                                         size_t alignment) override {
    return memory.allocate(bytes, alignment);
  }
  llvm::Error free(DeviceAddress address) override {
    return check(memory.free(address), "free of an address never allocated");
  }
  llvm::Error write(DeviceAddress destination, const void *source,
                    size_t bytes) override {
    return check(!bytes || memory.write(destination, source, bytes),
                 "copy to the device leaves its buffer");
  }
  llvm::Error read(DeviceAddress source, void *destination,
                   size_t bytes) override {
    return check(!bytes || memory.read(source, destination, bytes),
                 "copy from the device leaves its buffer");
  }

  llvm::Error copy(DeviceAddress destination, DeviceAddress source,
                   size_t bytes, DeviceStream) override {
    std::vector<char> data(bytes);
    if (llvm::Error error = read(source, data.data(), bytes))
      return error;
    return write(destination, data.data(), bytes);
  }

  llvm::Expected<std::vector<uint8_t>>
  encodeTensorMap(const TensorMapRequest &request) override {
    emulator::TensorMapInfo info;
    info.type = tensorMapType(request.type);
    info.address = request.base;
    info.dims.assign(request.dims.begin(), request.dims.end());
    info.strides.assign(request.stridesBytes.begin(),
                        request.stridesBytes.end());
    info.box.assign(request.box.begin(), request.box.end());
    info.elementStrides.assign(request.elementStrides.begin(),
                               request.elementStrides.end());
    info.swizzleBytes = request.swizzleBytes;
    info.interleaveBytes = request.interleaveBytes;
    info.fillNan = request.fillNan;
    std::string message;
    auto bytes = emulator::encodeTensorMap(info, message);
    if (!bytes)
      return llvm::createStringError("tensor map: " + message);
    return std::vector<uint8_t>(bytes->begin(), bytes->end());
  }

  llvm::Expected<uint64_t> activeClusters(const DeviceLaunch &launch) override {
    emulator::Error error;
    std::optional<uint64_t> clusters = emulator::activeClusters(
        *program, toLaunch(launch), options.processors, error);
    if (!clusters)
      return llvm::createStringError(
          describe("kernel '" + launch.kernel + "'", error));
    return *clusters;
  }

  llvm::Expected<LaunchObservation> launch(const DeviceLaunch &launch,
                                           DeviceStream) override {
    emulator::Launch request = toLaunch(launch);
    if (launch.isProgrammatic)
      request.pending = launch.pending;
    std::optional<timing::LaunchTimer> timed;
    emulator::Options recording = options;
    if (timer.chip) {
      auto created =
          timing::LaunchTimer::create(machineCode, *program, request, timer);
      if (!created)
        return created.takeError();
      timed = std::move(*created);
      timed->record(recording);
    }
    emulator::LaunchResult result =
        emulator::run(*program, request, memory, recording);
    LaunchObservation observation;
    if (timed && !result.error) {
      auto time = timed->time(result.recordings, *l2);
      if (!time)
        return time.takeError();
      observation.time =
          LaunchTime{time->seconds * 1e6, timing::toText(*time, *timer.chip),
                     timing::toJson(*time, *timer.chip)};
    }
    if (result.error)
      observation.fault =
          describe("kernel '" + launch.kernel + "'", *result.error);
    observation.counters = result.counters;
    observation.findings = std::move(result.findings);
    return observation;
  }
  llvm::Error wait(DeviceStream, DeviceStream) override {
    return llvm::Error::success();
  }
  llvm::Error synchronize() override { return llvm::Error::success(); }

  llvm::Expected<std::optional<double>>
  measure(llvm::ArrayRef<DeviceLaunch>) override {
    return std::nullopt;
  }

private:
  static emulator::Launch toLaunch(const DeviceLaunch &launch) {
    emulator::Launch request;
    request.kernel = launch.kernel;
    request.grid = launch.grid;
    request.block = launch.block;
    request.cluster = launch.cluster;
    request.dynamicSharedMemory = launch.dynamicSharedMemory;
    request.parameters = launch.parameters;
    return request;
  }

  static llvm::Error check(bool ok, const char *message) {
    return ok ? llvm::Error::success() : llvm::createStringError(message);
  }

  emulator::Options options;
  emulator::Memory memory;
  std::unique_ptr<emulator::Program> program;
  timing::TimerOptions timer; ///< without a chip nothing is timed
  std::optional<emulator::SectorCache> l2;
  timing::AssembledCode machineCode;
};

} // namespace

std::unique_ptr<Device>
fusion::createEmulatorDevice(const EmulatorOptions &options) {
  return std::make_unique<EmulatorDevice>(options);
}
