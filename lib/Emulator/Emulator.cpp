//===- Emulator.cpp - Programs and launches -------------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Emulator/Emulator.h"

#include "Emulator/Execute/Cluster.h"
#include "Emulator/Execute/Grid.h"
#include "Emulator/Memory.h"
#include "Emulator/Program.h"

#include "fusion/Target/Chips/Hardware.h"
#include "fusion/Target/Chips/SharedMemoryPerBlock.h"

#include <algorithm>

using namespace fusion::emulator;

namespace {

constexpr unsigned kFirstWithClusters = 90;

std::string sizeText(const std::array<uint32_t, 3> &size) {
  return std::to_string(size[0]) + "x" + std::to_string(size[1]) + "x" +
         std::to_string(size[2]);
}

/// Empty where the launch is possible.
std::string checkLaunch(const Launch &launch, const Module &module,
                        const Function &kernel, const Code &code) {
  uint64_t threads = 1, cluster = 1;
  for (unsigned d = 0; d < 3; ++d) {
    if (!launch.grid[d] || !launch.block[d] || !launch.cluster[d])
      return "a dimension of grid, block or cluster is 0";
    threads = std::min<uint64_t>(threads * launch.block[d], 1u << 20);
    cluster = std::min<uint64_t>(cluster * launch.cluster[d], 1u << 20);
    if (launch.grid[d] % launch.cluster[d])
      return "the grid " + sizeText(launch.grid) +
             " is no multiple of the cluster " + sizeText(launch.cluster);
  }
  if (launch.grid[0] > 0x7fffffffu || launch.grid[1] > 65535 ||
      launch.grid[2] > 65535)
    return "the grid " + sizeText(launch.grid) + " is too large";
  if (threads > fusion::kMaxThreads || launch.block[2] > 64)
    return "the block " + sizeText(launch.block) + " is too large";
  if (cluster > 16)
    return "the cluster " + sizeText(launch.cluster) + " is too large";
  std::string target =
      "the module's target, sm_" + std::to_string(module.target) +
      (module.targetSuffix ? std::string(1, module.targetSuffix)
                           : std::string());
  if (cluster > 1 && module.target && module.target < kFirstWithClusters)
    return "the cluster " + sizeText(launch.cluster) + " needs sm_" +
           std::to_string(kFirstWithClusters) + ", and " + target +
           ", has no clusters";
  if (kernel.requiredCluster[0] && kernel.requiredCluster != launch.cluster)
    return "the kernel requires clusters of " +
           sizeText(kernel.requiredCluster) + ", not " +
           sizeText(launch.cluster);
  if (kernel.requiredThreads[0] && kernel.requiredThreads != launch.block)
    return "the kernel requires blocks of " + sizeText(kernel.requiredThreads) +
           ", not " + sizeText(launch.block);
  if (kernel.maxThreads[0]) {
    uint64_t most = 1;
    for (uint32_t n : kernel.maxThreads)
      most = std::min<uint64_t>(most * n, 1u << 20);
    if (threads > most)
      return "the kernel allows blocks of at most " + std::to_string(most) +
             " threads";
  }
  // The system's part does not count.
  uint64_t shared = uint64_t(code.dynamicSharedOffset) -
                    code.reservedSharedBytes + launch.dynamicSharedMemory;
  std::optional<unsigned> ofTarget =
      fusion::sharedMemoryPerBlock(module.target);
  uint64_t most = ofTarget.value_or(fusion::maxSharedMemoryPerBlock());
  if (shared > most)
    return std::to_string(shared) + " bytes of shared memory are more than " +
           (ofTarget ? target + ", gives a block, "
                     : std::string("any target gives a block, ")) +
           std::to_string(most);
  return std::string();
}

/// "; there are …", as compilers change the names of functions.
static std::string listKernels(const Module &module) {
  constexpr size_t kMost = 8;
  std::string text;
  size_t count = 0;
  for (const Function &function : module.functions)
    if (function.isEntry && ++count <= kMost)
      text += (count > 1 ? ", '" : "; there are '") +
              std::string(function.name) + "'";
  return text + (count > kMost
                     ? " and " + std::to_string(count - kMost) + " more"
                     : "");
}

/// A kernel that names its cluster is launched in such clusters.
std::array<uint32_t, 3> clusterOf(const Function &kernel,
                                  const Launch &launch) {
  bool isNamed = kernel.requiredCluster[0] &&
                 launch.cluster == std::array<uint32_t, 3>{1, 1, 1};
  return isNamed ? kernel.requiredCluster : launch.cluster;
}

/// The code of a launch's kernel; sets the cluster of the launch to the
/// kernel's. Null, with `error` set, where there is no such launch.
const Code *prepareLaunch(const Program &program, Launch &launch, bool watched,
                          Error &error) {
  const Module &module = *program.impl().module;
  uint32_t index = findKernel(module, launch.kernel);
  if (index == kNone) {
    error = {"there is no kernel '" + launch.kernel + "'" + listKernels(module),
             0};
    return nullptr;
  }
  const Function &kernel = module.functions[index];
  const Code *code = program.impl().codeFor(index, watched, error);
  if (!code)
    return nullptr;
  launch.cluster = clusterOf(kernel, launch);
  std::string problem = checkLaunch(launch, module, kernel, *code);
  if (problem.empty())
    return code;
  error = {"kernel '" + launch.kernel + "': " + problem, kernel.line};
  return nullptr;
}

} // namespace

std::optional<uint64_t>
fusion::emulator::activeClusters(const Program &program, const Launch &launch,
                                 const Processors &processors, Error &error) {
  Launch own = launch;
  const Module &module = *program.impl().module;
  if (uint32_t index = findKernel(module, launch.kernel); index != kNone)
    own.grid = clusterOf(module.functions[index], launch);
  const Code *code = prepareLaunch(program, own, /*watched=*/false, error);
  return code ? std::optional(activeClusters(*code, own, processors))
              : std::nullopt;
}

std::optional<LaunchShape>
fusion::emulator::launchShape(const Program &program, const Launch &launch,
                              const Processors &processors, Error &error) {
  Launch own = launch;
  const Code *code = prepareLaunch(program, own, /*watched=*/false, error);
  if (!code)
    return std::nullopt;
  LaunchShape shape{own.cluster, demandOf(*code, own, processors), 0};
  shape.mostRegisters = shape.block.registers;
  // .minnctapersm is a bound, not what ptxas takes.
  shape.block.registers = code->source->maxRegisters;
  return shape;
}

LaunchResult fusion::emulator::run(const Program &program,
                                   const Launch &requested, Memory &memory,
                                   const Options &options) {
  LaunchResult result;
  Launch launch = requested;
  auto fail = [&](std::string message, unsigned line) {
    result.error = Error{std::move(message), line};
    return std::move(result);
  };
  Error error;
  const Code *code = prepareLaunch(program, launch, options.sanitize, error);
  if (!code)
    return fail(error.message, error.line);
  const Module &module = *program.impl().module;
  const Function &kernel = *code->source;

  if (launch.parameters.size() != kernel.parameters.size())
    return fail("kernel '" + launch.kernel + "' has " +
                    std::to_string(kernel.parameters.size()) +
                    " parameters, not " +
                    std::to_string(launch.parameters.size()),
                kernel.line);
  std::vector<uint8_t> parameters(code->entryParameterBytes + 16, 0);
  for (size_t i = 0; i < launch.parameters.size(); ++i) {
    const Variable &variable = module.variables[kernel.parameters[i].variable];
    if (launch.parameters[i].size() != variable.bytes)
      return fail("parameter " + std::to_string(i) + " of kernel '" +
                      launch.kernel + "' has " +
                      std::to_string(variable.bytes) + " bytes, not " +
                      std::to_string(launch.parameters[i].size()),
                  kernel.line);
    std::copy(launch.parameters[i].begin(), launch.parameters[i].end(),
              parameters.begin() + ptrdiff_t(code->entryParameterOffsets[i]));
  }
  if (!memory.impl().instantiate(module))
    return fail("too many modules with variables share a device memory", 0);
  if (code->hasGridWorkspace) {
    memory.impl().gridWorkspace();
    memory.impl().resetGridWorkspace();
  }
  std::vector<Allocation *> pending;
  for (uint64_t address : launch.pending)
    if (Allocation *allocation = memory.impl().find(address))
      pending.push_back(allocation); // others have no bytes
  auto setPending = [&](bool isPending) {
    for (Allocation *allocation : pending)
      allocation->isPending = isPending;
  };
  setPending(true);
  result =
      runGrid(*code, launch, options, memory.impl(), std::move(parameters));
  setPending(false);
  return result;
}
