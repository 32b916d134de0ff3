//===- CpuTableTest.cpp - CPUs of the chip table --------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Target/Chips/ChipTable.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/X86TargetParser.h"
#include "gtest/gtest.h"

using namespace fusion;

namespace {

TEST(CpuTable, GpusComeFirst) {
  ASSERT_EQ(allChips().size(), allGpus().size() + allCpus().size());
  for (const ChipInfo &chip : allGpus())
    EXPECT_FALSE(chip.isCpu()) << chip.name.str();
  std::vector<std::string> names;
  for (const ChipInfo &chip : allCpus()) {
    EXPECT_TRUE(chip.isCpu()) << chip.name.str();
    EXPECT_EQ(lookupChip(chip.name), &chip);
    names.push_back(chip.name.str());
  }
  EXPECT_EQ(names, (std::vector<std::string>{"x86-64-v3", "x86-64-v4", "znver5",
                                             "sapphirerapids", "host"}));
}

TEST(CpuTable, EveryCpuHasItsNumbers) {
  for (const ChipInfo &chip : allCpus()) {
    SCOPED_TRACE(chip.name.str());
    const CpuInfo &cpu = *chip.cpu;
    EXPECT_EQ(cpu.vectorBytes, cpu.hasAvx512 ? 64u : 32u);
    EXPECT_EQ(cpu.vectorRegisters, cpu.hasAvx512 ? 32u : 16u);
    for (unsigned number : {cpu.cores, cpu.fmaUnits, cpu.fmaLatency, cpu.l1Ways,
                            cpu.l2Ways, cpu.lineBytes})
      EXPECT_GT(number, 0u);
    EXPECT_LT(cpu.l1Bytes, cpu.l2Bytes);
    EXPECT_LT(cpu.l2Bytes, cpu.l3Bytes);
    EXPECT_GE(cpu.l1BytesPerCycle, cpu.l2BytesPerCycle);
    EXPECT_GE(cpu.l2BytesPerCycle, cpu.l3BytesPerCycle);
    EXPECT_LE(cpu.dramBytesPerSecondPerCore, cpu.dramBytesPerSecond);
    // 2 operations for each lane of each unit in each cycle.
    EXPECT_DOUBLE_EQ(chip.peakFlops(MultiplicandType::F32),
                     cpu.cores * cpu.clockHz * cpu.fmaUnits *
                         (cpu.vectorBytes / 4) * 2);
    EXPECT_EQ(chip.usableSMs(1), cpu.cores);
  }
}

// Two cores of this CPU were measured: 550 GFLOP/s of f32, twice that of bf16,
// four times of s8.
TEST(CpuTable, RatesOfZen5) {
  const ChipInfo &chip = *lookupChip("znver5");
  double two = 2.0 / chip.cpu->cores;
  EXPECT_NEAR(chip.peakFlops(MultiplicandType::F32) * two, 550e9, 5e9);
  EXPECT_NEAR(chip.peakFlops(MultiplicandType::BF16) * two, 1100e9, 10e9);
  EXPECT_NEAR(chip.peakFlops(MultiplicandType::S8) * two, 2200e9, 20e9);
}

// 2048 operations on 8-bit integers in a cycle, 1024 on bf16.
TEST(CpuTable, RatesOfAmx) {
  const ChipInfo &chip = *lookupChip("sapphirerapids");
  double cycles = chip.cpu->cores * chip.cpu->clockHz;
  EXPECT_DOUBLE_EQ(chip.peakFlops(MultiplicandType::S8), 2048 * cycles);
  EXPECT_DOUBLE_EQ(chip.peakFlops(MultiplicandType::BF16), 1024 * cycles);
}

TEST(CpuTable, NamesAndFeaturesAreLLVMs) {
  llvm::SmallVector<llvm::StringRef> known;
  llvm::X86::fillValidCPUArchList(known, /*Only64Bit=*/true);
  for (const ChipInfo &chip : allCpus())
    EXPECT_TRUE(llvm::is_contained(known, chip.cpu->llvmCpu))
        << chip.name.str() << ": " << chip.cpu->llvmCpu.str();
}

TEST(HostCpu, HasWhatLLVMDetects) {
  const CpuInfo &host = *lookupChip("host")->cpu;
  llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
  EXPECT_EQ(host.llvmCpu, llvm::sys::getHostCPUName());
  EXPECT_EQ(host.hasAvx512, features.lookup("avx512vl"));
  EXPECT_EQ(host.hasAvx512Bf16, features.lookup("avx512bf16"));
  EXPECT_EQ(featureThatHostLacks(host.llvmCpu, host.llvmFeatures),
            std::nullopt);
}

TEST(HostCpu, SaysWhatItLacks) {
  llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
  auto lacks = [](const char *chip) {
    const CpuInfo &cpu = *lookupChip(chip)->cpu;
    return featureThatHostLacks(cpu.llvmCpu, cpu.llvmFeatures);
  };
  EXPECT_EQ(!lacks("x86-64-v3"), features.lookup("avx2"));
  EXPECT_EQ(featureThatHostLacks("z80", ""), "z80");
  EXPECT_EQ(featureThatHostLacks("", "+avx9"), "avx9");
  if (!features.lookup("avx512f")) {
    EXPECT_TRUE(lacks("x86-64-v4"));
    EXPECT_TRUE(lacks("znver5"));
  }
  if (!features.lookup("amx-tile"))
    EXPECT_TRUE(lacks("sapphirerapids"));
}

} // namespace
