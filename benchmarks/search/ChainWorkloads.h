//===- ChainWorkloads.h - The chains of the source documents --------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shapes of benchmarks/workloads/gemm_chains_*.json, for tests and benchmarks
// of searches. FUSION_WORKLOADS is that folder.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_BENCHMARKS_SEARCH_CHAINWORKLOADS_H
#define FUSION_BENCHMARKS_SEARCH_CHAINWORKLOADS_H

#include "fusion/Analysis/ChainModel.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include <string>
#include <vector>

namespace fusion {

struct ChainWorkload {
  std::string name; ///< "mcfuser G1"
  ChainShape shape;
};

/// All batched chains of two products, or none with `error` where the files
/// cannot be read.
inline std::vector<ChainWorkload> readChainWorkloads(std::string &error) {
  std::vector<ChainWorkload> workloads;
  for (const char *document : {"mcfuser", "chimera"}) {
    std::string path =
        FUSION_WORKLOADS "/gemm_chains_" + std::string(document) + ".json";
    auto buffer = llvm::MemoryBuffer::getFile(path);
    if (!buffer) {
      error = path + ": " + buffer.getError().message();
      return {};
    }
    auto value = llvm::json::parse((*buffer)->getBuffer());
    if (!value) {
      error = path + ": " + llvm::toString(value.takeError());
      return {};
    }
    for (const llvm::json::Value &each :
         *value->getAsObject()->getArray("cases")) {
      const llvm::json::Object &entry = *each.getAsObject();
      // Chimera writes M, K, L, N for MCFuser's M, K, N, H.
      bool isChimera = entry.get("L");
      ChainWorkload &workload = workloads.emplace_back();
      workload.name =
          std::string(document) + " " + entry.getString("name")->str();
      workload.shape.batch = *entry.getInteger("batch");
      for (const char *size :
           {"M", "K", isChimera ? "L" : "N", isChimera ? "N" : "H"})
        workload.shape.sizes.push_back(*entry.getInteger(size));
    }
  }
  return workloads;
}

} // namespace fusion

#endif // FUSION_BENCHMARKS_SEARCH_CHAINWORKLOADS_H
