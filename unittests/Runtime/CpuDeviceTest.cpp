//===- CpuDeviceTest.cpp - Kernels of the CPU of this process -------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Dialect/Fuse/IR/FuseDialect.h"
#include "fusion/Dialect/Tile/IR/TileDialect.h"
#include "fusion/Runtime/DeviceCall.h"
#include "fusion/Runtime/Executor.h"
#include "fusion/Runtime/Manifest.h"
#include "fusion/Target/Chips/ChipTable.h"
#include "fusion/Target/Native/Object.h"
#include "fusion/Target/Plan/Manifest.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "llvm/ADT/StringExtras.h"
#include "gtest/gtest.h"
#include <cstdio>
#include <cstring>
#include <fstream>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace fusion;

namespace {

/// out[i] = a[i] + b[i] where block i / 64 has element i; then, by way of
/// scratch memory, out[i] = factor * (a[i] - count).
constexpr const char *kKernels = R"mlir(
module attributes {fuse.chip = #fuse.chip<"CHIP">} {
  module @kernels attributes {fuse.native} {
    llvm.func @add(%args: !llvm.ptr, %first: i64, %end: i64, %scratch: !llvm.ptr) {
      %c64 = llvm.mlir.constant(64 : i64) : i64
      %one = llvm.mlir.constant(1 : i64) : i64
      %slot1 = llvm.getelementptr %args[1] : (!llvm.ptr) -> !llvm.ptr, i64
      %slot2 = llvm.getelementptr %args[2] : (!llvm.ptr) -> !llvm.ptr, i64
      %a = llvm.load %args : !llvm.ptr -> !llvm.ptr
      %b = llvm.load %slot1 : !llvm.ptr -> !llvm.ptr
      %out = llvm.load %slot2 : !llvm.ptr -> !llvm.ptr
      %low = llvm.mul %first, %c64 : i64
      %high = llvm.mul %end, %c64 : i64
      llvm.br ^head(%low : i64)
    ^head(%i: i64):
      %more = llvm.icmp "slt" %i, %high : i64
      llvm.cond_br %more, ^body, ^done
    ^body:
      %pa = llvm.getelementptr %a[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
      %pb = llvm.getelementptr %b[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
      %po = llvm.getelementptr %out[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
      %x = llvm.load %pa : !llvm.ptr -> f32
      %y = llvm.load %pb : !llvm.ptr -> f32
      %s = llvm.fadd %x, %y : f32
      llvm.store %s, %po : f32, !llvm.ptr
      %n = llvm.add %i, %one : i64
      llvm.br ^head(%n : i64)
    ^done:
      llvm.return
    }
    llvm.func @scale(%args: !llvm.ptr, %first: i64, %end: i64, %scratch: !llvm.ptr)
        attributes {fuse.scratch = 256 : i64} {
      %c64 = llvm.mlir.constant(64 : i64) : i64
      %c256 = llvm.mlir.constant(256 : i64) : i64
      %zero = llvm.mlir.constant(0 : i64) : i64
      %one = llvm.mlir.constant(1 : i64) : i64
      %slot1 = llvm.getelementptr %args[1] : (!llvm.ptr) -> !llvm.ptr, i64
      %slot2 = llvm.getelementptr %args[2] : (!llvm.ptr) -> !llvm.ptr, i64
      %slot3 = llvm.getelementptr %args[3] : (!llvm.ptr) -> !llvm.ptr, i64
      %a = llvm.load %args : !llvm.ptr -> !llvm.ptr
      %factor = llvm.load %slot1 : !llvm.ptr -> f32
      %out = llvm.load %slot2 : !llvm.ptr -> !llvm.ptr
      %count = llvm.load %slot3 : !llvm.ptr -> i64
      %base = llvm.sitofp %count : i64 to f32
      llvm.br ^blocks(%first : i64)
    ^blocks(%block: i64):
      %more = llvm.icmp "slt" %block, %end : i64
      llvm.cond_br %more, ^fill(%zero : i64), ^done
    ^fill(%i: i64):
      %low = llvm.mul %block, %c64 : i64
      %at = llvm.add %low, %i : i64
      %pa = llvm.getelementptr %a[%at] : (!llvm.ptr, i64) -> !llvm.ptr, f32
      %ps = llvm.getelementptr %scratch[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
      %x = llvm.load %pa : !llvm.ptr -> f32
      %d = llvm.fsub %x, %base : f32
      %m = llvm.fmul %d, %factor : f32
      llvm.store volatile %m, %ps : f32, !llvm.ptr
      %n = llvm.add %i, %one : i64
      %again = llvm.icmp "slt" %n, %c64 : i64
      llvm.cond_br %again, ^fill(%n : i64), ^copy
    ^copy:
      %start = llvm.mul %block, %c64 : i64
      %po = llvm.getelementptr %out[%start] : (!llvm.ptr, i64) -> !llvm.ptr, f32
      "llvm.intr.memcpy"(%po, %scratch, %c256) <{isVolatile = false}> : (!llvm.ptr, !llvm.ptr, i64) -> ()
      %next = llvm.add %block, %one : i64
      llvm.br ^blocks(%next : i64)
    ^done:
      llvm.return
    }
  }
  func.func @f(%a: tensor<6400xf32>, %b: tensor<6400xf32>, %factor: f32, %count: index) -> tensor<6400xf32> {
    %blocks = arith.constant 100 : index
    %e = tensor.empty() : tensor<6400xf32>
    %0 = tile.launch @kernels::@add grid(%blocks) ins(%a, %b : tensor<6400xf32>, tensor<6400xf32>) outs(%e : tensor<6400xf32>) -> tensor<6400xf32>
    %1 = tile.launch @kernels::@scale grid(%blocks) ins(%0, %factor : tensor<6400xf32>, f32) outs(%e : tensor<6400xf32>) sizes(%count) -> tensor<6400xf32>
    return %1 : tensor<6400xf32>
  }
  func.func @aliases(%a: tensor<6400xf32>, %b: tensor<6400xf32>) -> (tensor<6400xf32>, tensor<6400xf32>, tensor<80x80xf32>, tensor<2xf32>) {
    %blocks = arith.constant 100 : index
    %k = arith.constant dense<[1.0, 2.0]> : tensor<2xf32>
    %e = tensor.empty() : tensor<6400xf32>
    %0 = tile.launch @kernels::@add grid(%blocks) ins(%a, %b : tensor<6400xf32>, tensor<6400xf32>) outs(%e : tensor<6400xf32>) -> tensor<6400xf32>
    %1 = tensor.expand_shape %0 [[0, 1]] output_shape [80, 80] : tensor<6400xf32> into tensor<80x80xf32>
    return %b, %0, %1, %k : tensor<6400xf32>, tensor<6400xf32>, tensor<80x80xf32>, tensor<2xf32>
  }
}
)mlir";
constexpr int64_t kElements = 6400;

Manifest compile(const std::string &chip) {
  mlir::DialectRegistry registry;
  registry.insert<fuse::FuseDialect, tile::TileDialect, mlir::LLVM::LLVMDialect,
                  mlir::arith::ArithDialect, mlir::func::FuncDialect,
                  mlir::tensor::TensorDialect>();
  mlir::registerBuiltinDialectTranslation(registry);
  mlir::registerLLVMDialectTranslation(registry);
  mlir::MLIRContext context(registry);
  std::string text = kKernels;
  text.replace(text.find("CHIP"), 4, chip);
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  auto object = module ? translateToObject(*module)
                       : mlir::FailureOr<std::string>(mlir::failure());
  if (failed(object)) {
    ADD_FAILURE() << "no object";
    return {};
  }
  auto json = translateToManifest(*module, *object);
  if (failed(json)) {
    ADD_FAILURE() << "no manifest";
    return {};
  }
  return llvm::cantFail(Manifest::parse(*json));
}

const Manifest &manifest() {
  static const Manifest compiled = compile("host");
  return compiled;
}

std::vector<HostTensor> makeInputs() {
  std::vector<HostTensor> inputs;
  inputs.emplace_back(ElementType::F32, kElements);
  inputs.emplace_back(ElementType::F32, kElements);
  inputs.emplace_back(ElementType::F32, llvm::ArrayRef<int64_t>());
  inputs.emplace_back(ElementType::Index, llvm::ArrayRef<int64_t>());
  for (unsigned i : {0, 1})
    fillRandom(inputs[i], /*seed=*/1, i, 1);
  elementFromDouble(ElementType::F32, 0.5, inputs[2].data.data());
  elementFromDouble(ElementType::Index, -3, inputs[3].data.data());
  return inputs;
}

float element(const HostTensor &tensor, int64_t index) {
  float value;
  std::memcpy(&value, tensor.at(index), sizeof(value));
  return value;
}

bool isRight(llvm::ArrayRef<float> results, llvm::ArrayRef<HostTensor> inputs) {
  for (int64_t i = 0; i < kElements; ++i)
    if (results[i] !=
        (element(inputs[0], i) + element(inputs[1], i) - -3.0f) * 0.5f)
      return false;
  return true;
}

std::unique_ptr<Device> makeDevice(unsigned threads) {
  CpuOptions options;
  options.threads = threads;
  std::unique_ptr<Device> device = createCpuDevice(options);
  llvm::cantFail(device->loadModule(manifest()));
  return device;
}

HostTensor run(Device &device, llvm::ArrayRef<HostTensor> inputs) {
  llvm::Expected<Execution> run =
      execute(manifest(), manifest().functions[0], device, inputs);
  if (!run) {
    ADD_FAILURE() << llvm::toString(run.takeError());
    return HostTensor(ElementType::F32, kElements);
  }
  EXPECT_EQ(run->fault, std::nullopt);
  return run->results.front();
}

TEST(CpuDevice, ResultsDoNotDependOnThreads) {
  std::vector<HostTensor> inputs = makeInputs();
  for (unsigned threads : {1u, 2u, 7u}) {
    std::unique_ptr<Device> device = makeDevice(threads);
    HostTensor result = run(*device, inputs);
    auto *begin = reinterpret_cast<const float *>(result.data.data());
    EXPECT_TRUE(isRight({begin, kElements}, inputs)) << threads;
  }
}

TEST(CpuDevice, KernelsSayTheirScratchMemory) {
  EXPECT_EQ(manifest().kernels[0].scratch, 0u);
  EXPECT_EQ(manifest().kernels[1].scratch, 256u);
  EXPECT_EQ(manifest().cpu, lookupChip("host")->cpu->llvmCpu);
}

/// A call with buffers of this process.
class Caller {
public:
  explicit Caller(Device &device, llvm::ArrayRef<HostTensor> inputs)
      : inputs(inputs),
        result(llvm::cantFail(device.allocate(kElements * sizeof(float), 64))) {
    constants = llvm::cantFail(DeviceConstants::create(manifest(), device));
    std::vector<CallInput> described;
    for (const HostTensor &input : inputs)
      described.push_back(
          {input.type, input.shape,
           input.shape.empty() ? input.data : std::vector<char>()});
    call = llvm::cantFail(
        DeviceCall::prepare(manifest(), manifest().functions[0], device,
                            *constants, std::move(described)));
    workspace = llvm::cantFail(device.allocate(call->workspaceBytes(), 256));
  }

  llvm::Error start(int64_t offset = 0) {
    DeviceAddress addresses[] = {
        reinterpret_cast<DeviceAddress>(inputs[0].data.data()) + offset,
        reinterpret_cast<DeviceAddress>(inputs[1].data.data()), 0, 0};
    return call->start(addresses, result, workspace, nullptr);
  }
  bool isRight() const {
    return ::isRight({reinterpret_cast<const float *>(result), kElements},
                     inputs);
  }

private:
  llvm::ArrayRef<HostTensor> inputs;
  DeviceAddress result, workspace = 0;
  std::unique_ptr<DeviceConstants> constants;
  std::unique_ptr<DeviceCall> call;
};

// Nothing is copied: inputs are where the caller has them.
TEST(CpuDevice, CallsInPlace) {
  std::vector<HostTensor> inputs = makeInputs();
  std::unique_ptr<Device> device = makeDevice(2);
  Caller caller(*device, inputs);
  ASSERT_FALSE(bool(caller.start()));
  EXPECT_TRUE(caller.isRight());
  llvm::Error misaligned = caller.start(/*offset=*/4);
  EXPECT_NE(
      llvm::toString(std::move(misaligned)).find("is not a multiple of 16"),
      std::string::npos);
}

// Results that are pieces of other buffers are copied.
TEST(CpuDevice, ResultsThatAreOtherBuffers) {
  std::vector<HostTensor> inputs = makeInputs();
  inputs.resize(2);
  std::unique_ptr<Device> device = makeDevice(2);
  auto constants = llvm::cantFail(DeviceConstants::create(manifest(), *device));
  std::vector<CallInput> described;
  for (const HostTensor &input : inputs)
    described.push_back({input.type, input.shape, {}});
  auto call = llvm::cantFail(
      DeviceCall::prepare(manifest(), *manifest().function("aliases"), *device,
                          *constants, std::move(described)));
  std::vector<DeviceAddress> results;
  for (size_t i = 0; i < call->results(); ++i)
    results.push_back(
        llvm::cantFail(device->allocate(call->resultBytes(i), 64)));
  DeviceAddress addresses[] = {
      reinterpret_cast<DeviceAddress>(inputs[0].data.data()),
      reinterpret_cast<DeviceAddress>(inputs[1].data.data())};
  llvm::cantFail(call->start(addresses, results, /*workspace=*/0, nullptr));
  auto at = [&](size_t result, int64_t index) {
    return reinterpret_cast<const float *>(results[result])[index];
  };
  for (int64_t i = 0; i < kElements; ++i) {
    float sum = element(inputs[0], i) + element(inputs[1], i);
    ASSERT_EQ(at(0, i), element(inputs[1], i));
    ASSERT_EQ(at(1, i), sum);
    ASSERT_EQ(at(2, i), sum);
  }
  EXPECT_EQ(at(3, 0), 1);
  EXPECT_EQ(at(3, 1), 2);
}

TEST(CpuDevice, CallsFromSeveralThreads) {
  std::vector<HostTensor> inputs = makeInputs();
  std::unique_ptr<Device> device = makeDevice(3);
  std::atomic<unsigned> wrong{0};
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      Caller caller(*device, inputs);
      for (unsigned repetition = 0; repetition < 50; ++repetition) {
        llvm::cantFail(caller.start());
        wrong += !caller.isRight();
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(wrong, 0u);
}

TEST(CpuDevice, RunsInAForkedProcess) {
  std::vector<HostTensor> inputs = makeInputs();
  std::unique_ptr<Device> device = makeDevice(3);
  Caller caller(*device, inputs);
  ASSERT_FALSE(bool(caller.start()));
  pid_t child = fork();
  ASSERT_NE(child, -1);
  if (child == 0) {
    llvm::cantFail(caller.start());
    _exit(caller.isRight() ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

TEST(CpuDevice, Measures) {
  std::vector<HostTensor> inputs = makeInputs();
  std::unique_ptr<Device> device = makeDevice(1);
  ExecuteOptions options;
  options.measure = true;
  llvm::Expected<Execution> run =
      execute(manifest(), manifest().functions[0], *device, inputs, options);
  ASSERT_TRUE(bool(run)) << llvm::toString(run.takeError());
  EXPECT_GT(run->measuredUs.value_or(0), 0);
  for (const LaunchReport &launch : run->launches)
    EXPECT_LT(launch.measuredUs.value_or(1e9), 1e6);
}

TEST(CpuDevice, NamesKernelsForPerf) {
  CpuOptions options;
  options.hasPerfMap = true;
  std::unique_ptr<Device> device = createCpuDevice(options);
  llvm::cantFail(device->loadModule(manifest()));
  std::string path = "/tmp/perf-" + std::to_string(getpid()) + ".map";
  std::ifstream file(path);
  std::string text((std::istreambuf_iterator<char>(file)), {});
  std::remove(path.c_str());
  EXPECT_NE(text.find(" add\n"), std::string::npos) << text;
  EXPECT_NE(text.find(" scale\n"), std::string::npos) << text;
}

TEST(CpuDevice, StopsWhereTheCallerSaysSo) {
  CpuOptions options;
  options.proceed = [] { return false; };
  std::unique_ptr<Device> device = createCpuDevice(options);
  llvm::cantFail(device->loadModule(manifest()));
  std::vector<HostTensor> inputs = makeInputs();
  llvm::Expected<Execution> run =
      execute(manifest(), manifest().functions[0], *device, inputs);
  ASSERT_TRUE(bool(run)) << llvm::toString(run.takeError());
  EXPECT_EQ(run->fault, "kernel 'add': the launch was stopped");
}

std::string errorOf(llvm::Error error) {
  return llvm::toString(std::move(error));
}

TEST(CpuDevice, RefusesWhatItCannotExecute) {
  Manifest ptx;
  ptx.chip = "sm_80";
  ptx.ptx = ".version 8.0";
  EXPECT_EQ(errorOf(createCpuDevice({})->loadModule(ptx)),
            "the CPU executes machine code; the kernels are PTX for 'sm_80'");
  EXPECT_EQ(errorOf(createEmulatorDevice({})->loadModule(manifest())),
            "the emulator executes PTX; the kernels are machine code for "
            "'host'");

  Manifest other = manifest();
  other.chip = "sapphirerapids";
  other.cpu = "sapphirerapids";
  other.cpuFeatures = "+avx9";
  std::string why = errorOf(createCpuDevice({})->loadModule(other));
  EXPECT_TRUE(llvm::StringRef(why).starts_with("the host lacks ")) << why;
  EXPECT_TRUE(llvm::StringRef(why).ends_with(", which sapphirerapids needs"))
      << why;

  Manifest broken = manifest();
  broken.object = "no object";
  EXPECT_NE(errorOf(createCpuDevice({})->loadModule(broken))
                .find("the kernels are no object file: "),
            std::string::npos);
  Manifest missing = manifest();
  missing.kernels[0].name = "nope";
  why = errorOf(createCpuDevice({})->loadModule(missing));
  EXPECT_NE(why.find("kernel 'nope' cannot be linked: "), std::string::npos)
      << why;
}

// Code for another CPU is made without that CPU.
TEST(CpuDevice, CompilesForOtherCpus) {
  for (const ChipInfo &chip : allCpus()) {
    Manifest compiled = compile(chip.name.str());
    EXPECT_EQ(compiled.cpu, chip.cpu->llvmCpu);
    EXPECT_TRUE(llvm::StringRef(compiled.object).starts_with("\177ELF"));
  }
}

} // namespace
