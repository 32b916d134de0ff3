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

#include "fusion/Analysis/Groups/ChainModel.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include <string>
#include <vector>

namespace fusion {

struct ChainWorkload {
  std::string name; ///< "mcfuser G1"
  ChainShape shape;
};

/// The cases of a family of workloads, or none with `error` where its file
/// cannot be read.
inline std::vector<llvm::json::Object> readCases(llvm::StringRef family,
                                                 std::string &error) {
  std::string path = FUSION_WORKLOADS "/" + family.str() + ".json";
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
  std::vector<llvm::json::Object> cases;
  for (const llvm::json::Value &each : *value->getAsObject()->getArray("cases"))
    cases.push_back(*each.getAsObject());
  return cases;
}

/// All batched chains of two contractions, or none with `error` where the files
/// cannot be read.
inline std::vector<ChainWorkload> readChainWorkloads(std::string &error) {
  std::vector<ChainWorkload> workloads;
  for (const char *document : {"mcfuser", "chimera"})
    for (const llvm::json::Object &entry :
         readCases("gemm_chains_" + std::string(document), error)) {
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
  return workloads;
}

/// These chains and all other workloads with two consecutive contractions, each
/// shape once: attention and decoding without the operators between the
/// contractions, and pairs of convolutions whose second one has a window of one
/// element, which are contractions over the places of the result and of the
/// filter (docs/convolutions.md). The papers' models see tiles of products
/// alone.
inline std::vector<ChainWorkload> readProductPairs(std::string &error) {
  std::vector<ChainWorkload> workloads = readChainWorkloads(error);
  auto add = [&](const llvm::json::Object &entry, int64_t batch,
                 llvm::SmallVector<int64_t, 6> sizes) {
    ChainWorkload added{entry.getString("name")->str(), {}};
    added.shape.sizes = std::move(sizes);
    added.shape.batch = batch;
    if (llvm::none_of(workloads, [&](const ChainWorkload &known) {
          return known.shape.sizes == added.shape.sizes &&
                 known.shape.batch == batch;
        }))
      workloads.push_back(std::move(added));
  };
  for (const llvm::json::Object &entry : readCases("attention_mcfuser", error))
    add(entry, *entry.getInteger("heads"),
        {*entry.getInteger("M"), *entry.getInteger("K"), *entry.getInteger("N"),
         *entry.getInteger("H")});
  for (const llvm::json::Object &entry : readCases("attention_long", error)) {
    int64_t tokens = *entry.getInteger("seq"),
            width = *entry.getInteger("head_dim");
    add(entry, *entry.getInteger("batch") * *entry.getInteger("heads"),
        {tokens, width, tokens, width});
  }
  for (const llvm::json::Object &entry : readCases("decode", error)) {
    int64_t width = *entry.getInteger("head_dim");
    add(entry, *entry.getInteger("batch") * *entry.getInteger("heads"),
        {*entry.getInteger("rows") * *entry.getInteger("group"), width,
         *entry.getInteger("keys"), width});
  }
  for (const llvm::json::Object &entry :
       readCases("conv_chains_chimera", error)) {
    int64_t stride = *entry.getInteger("stride1"),
            window = *entry.getInteger("k1");
    if (*entry.getInteger("k2") == 1 && *entry.getInteger("stride2") == 1)
      add(entry, *entry.getInteger("batch"),
          {llvm::divideCeilSigned(*entry.getInteger("H"), stride) *
               llvm::divideCeilSigned(*entry.getInteger("W"), stride),
           *entry.getInteger("IC") * window * window, *entry.getInteger("OC1"),
           *entry.getInteger("OC2")});
  }
  return workloads;
}

} // namespace fusion

#endif // FUSION_BENCHMARKS_SEARCH_CHAINWORKLOADS_H
