//===- HostCpu.cpp - The CPU of the machine at hand -----------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM knows the CPU's name and features, Linux its caches (sysfs) and the
// cores that the process may use. Nobody knows rates: they are taken from the
// table.
//
//===----------------------------------------------------------------------===//

#include "CpuTable.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/X86TargetParser.h"
#ifdef __linux__
#include <sched.h>
#endif
#include <thread>

using namespace fusion;
using llvm::StringRef;
using llvm::Twine;

static constexpr const char *kCpus = "/sys/devices/system/cpu/cpu";

/// Returns a file's text without white space around it; empty where there is no
/// such file.
static std::string readText(const Twine &path) {
  // Files of sysfs have no size until they are read.
  auto file = llvm::MemoryBuffer::getFileAsStream(path);
  return file ? (*file)->getBuffer().trim().str() : std::string();
}

/// Returns a number such as "512K"; 0 where the text is none.
static uint64_t parseSize(StringRef text) {
  uint64_t unit = text.consume_back("K")   ? 1024
                  : text.consume_back("M") ? 1024 * 1024
                                           : 1;
  uint64_t number = 0;
  return text.getAsInteger(10, number) ? 0 : number * unit;
}

/// Replaces the table's caches by the machine's, level by level.
static void readCaches(CpuInfo &cpu) {
  for (unsigned index = 0; index < 8; ++index) {
    std::string folder =
        (Twine(kCpus) + "0/cache/index" + Twine(index) + "/").str();
    std::string type = readText(folder + "type");
    if (type != "Data" && type != "Unified")
      continue;
    uint64_t bytes = parseSize(readText(folder + "size"));
    unsigned ways = parseSize(readText(folder + "ways_of_associativity"));
    unsigned line = parseSize(readText(folder + "coherency_line_size"));
    std::string level = readText(folder + "level");
    if (bytes == 0)
      continue;
    if (level == "1") {
      cpu.l1Bytes = bytes;
      cpu.l1Ways = ways ? ways : cpu.l1Ways;
      cpu.lineBytes = line ? line : cpu.lineBytes;
    } else if (level == "2") {
      cpu.l2Bytes = bytes;
      cpu.l2Ways = ways ? ways : cpu.l2Ways;
    } else if (level == "3") {
      cpu.l3Bytes = bytes;
    }
  }
}

/// Returns the physical cores that the process may use: of the threads of a
/// core one counts.
static unsigned countCores() {
#ifdef __linux__
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof(allowed), &allowed) == 0) {
    unsigned cores = 0;
    llvm::StringMap<bool> seen;
    for (unsigned i = 0; i < CPU_SETSIZE; ++i) {
      if (!CPU_ISSET(i, &allowed))
        continue;
      std::string siblings =
          readText(Twine(kCpus) + Twine(i) + "/topology/thread_siblings_list");
      cores += siblings.empty() || seen.try_emplace(siblings, true).second;
    }
    if (cores)
      return cores;
  }
#endif
  return std::max(1u, std::thread::hardware_concurrency());
}

/// Returns the entry of the table whose cores resemble those of a CPU with
/// these features.
static CpuInfo nearest(StringRef name, const llvm::StringMap<bool> &features) {
  const CpuTable &table = cpuTable();
  if (features.lookup("amx-tile"))
    return table.sapphireRapids;
  if (!features.lookup("avx512f") || !features.lookup("avx512bw") ||
      !features.lookup("avx512dq") || !features.lookup("avx512vl"))
    return table.x86v3;
  if (!name.starts_with("znver"))
    return table.x86v4;
  CpuInfo cpu = table.zen5;
  if (name == "znver4") {
    // Its data path has 256 bits: an instruction of 512 bits takes two cycles
    // (AMD, "Software Optimization Guide for the AMD Zen4 Microarchitecture").
    cpu.fmaUnits = cpu.bf16DotUnits = cpu.s8DotUnits = 1;
    cpu.l1BytesPerCycle /= 2;
    cpu.l2BytesPerCycle /= 2;
  }
  return cpu;
}

static CpuInfo detect() {
  // CpuInfo refers to these texts.
  static const std::string name = llvm::sys::getHostCPUName().str();
  llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
  llvm::SmallVector<std::string> texts;
  for (const auto &feature : features)
    texts.push_back((feature.second ? "+" : "-") + feature.first().str());
  llvm::sort(texts, [](const std::string &a, const std::string &b) {
    return StringRef(a).drop_front() < StringRef(b).drop_front();
  });
  CpuInfo cpu = nearest(name, features);
  if (cpu.vectorBytes == 64)
    texts.push_back("-prefer-256-bit");
  static const std::string joined = llvm::join(texts, ",");

  cpu.llvmCpu = name;
  cpu.llvmFeatures = joined;
  auto offered = [&](bool has, unsigned known) {
    return has ? std::max(known, 1u) : 0u;
  };
  cpu.hasAvx512 = cpu.vectorBytes == 64;
  cpu.hasAvx512Bf16 = cpu.hasAvx512 && features.lookup("avx512bf16");
  cpu.hasAvx512Fp16 = cpu.hasAvx512 && features.lookup("avx512fp16");
  cpu.hasVnni = features.lookup(cpu.hasAvx512 ? "avx512vnni" : "avxvnni");
  cpu.hasAmx = features.lookup("amx-tile") && features.lookup("amx-bf16") &&
               features.lookup("amx-int8");
  cpu.bf16DotUnits = offered(cpu.hasAvx512Bf16, cpu.bf16DotUnits);
  cpu.s8DotUnits = offered(cpu.hasVnni, cpu.s8DotUnits);
  if (!cpu.hasAmx)
    cpu.amxCycles = cpu.amxLatency = 0;
  readCaches(cpu);

  unsigned cores = countCores();
  // A socket has one path to memory for each complex of cores.
  cpu.dramBytesPerSecond = cores <= cpu.cores
                               ? std::min(cores * cpu.dramBytesPerSecondPerCore,
                                          cpu.dramBytesPerSecond)
                               : cpu.dramBytesPerSecond * cores / cpu.cores;
  cpu.cores = cores;
  return cpu;
}

const CpuInfo &fusion::hostCpu() {
  static const CpuInfo cpu = detect();
  return cpu;
}

/// Whether instructions of a feature may be in code that nobody asked for them
/// by name. A virtual machine may hide other ones, as mwaitx.
static bool isForGeneratedCode(StringRef feature) {
  constexpr StringRef families[] = {"sse",  "ssse",  "avx",    "amx",
                                    "bmi",  "lzcnt", "popcnt", "fma",
                                    "f16c", "movbe", "gfni",   "vpclmulqdq"};
  return llvm::any_of(
      families, [&](StringRef family) { return feature.starts_with(family); });
}

std::optional<std::string>
fusion::featureThatHostLacks(StringRef llvmCpu, StringRef llvmFeatures) {
  llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
  llvm::SmallVector<StringRef> needed, asked;
  if (!llvmCpu.empty() && llvmCpu != hostCpu().llvmCpu) {
    llvm::SmallVector<StringRef> known;
    llvm::X86::fillValidCPUArchList(known, /*Only64Bit=*/true);
    // What a CPU needs that LLVM does not know is not known either.
    if (!llvm::is_contained(known, llvmCpu))
      return llvmCpu.str();
    llvm::X86::getFeaturesForCPU(llvmCpu, needed);
  }
  llvmFeatures.split(asked, ',', -1, /*KeepEmpty=*/false);
  for (StringRef feature : asked)
    if (feature.consume_front("+"))
      needed.push_back(feature);
  for (StringRef feature : needed) {
    auto found = features.find(feature);
    if (isForGeneratedCode(feature) &&
        (found == features.end() || !found->second))
      return feature.str();
  }
  return std::nullopt;
}
