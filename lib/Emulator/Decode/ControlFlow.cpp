//===- ControlFlow.cpp - Basic blocks of a function and their order -------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emulator/Decode/ControlFlow.h"

#include <algorithm>
#include <map>
#include <tuple>

using namespace fusion::emulator;

static bool isBranch(const Instruction &instruction) {
  return instruction.root == "bra" || instruction.root == "brx";
}

static bool endsBlock(const Instruction &instruction) {
  return isBranch(instruction) || instruction.root == "ret" ||
         instruction.root == "exit" || instruction.root == "trap";
}

/// Depth of the loops around every block: natural loops of the back edges of a
/// depth-first search.
static std::vector<uint32_t> loopDepths(const std::vector<Block> &blocks) {
  size_t n = blocks.size();
  std::vector<uint32_t> depth(n, 0);
  std::vector<std::vector<uint32_t>> predecessors(n);
  for (uint32_t b = 0; b < n; ++b)
    for (uint32_t s : blocks[b].successors)
      predecessors[s].push_back(b);

  std::vector<std::pair<uint32_t, uint32_t>> backEdges;
  std::vector<uint8_t> state(n, 0); // 1 on the stack, 2 done
  std::vector<std::pair<uint32_t, size_t>> stack{{0, 0}};
  state[0] = 1;
  while (!stack.empty()) {
    auto &[block, next] = stack.back();
    if (next == blocks[block].successors.size()) {
      state[block] = 2;
      stack.pop_back();
      continue;
    }
    uint32_t to = blocks[block].successors[next++];
    if (state[to] == 1)
      backEdges.push_back({block, to});
    else if (state[to] == 0) {
      state[to] = 1;
      stack.push_back({to, 0});
    }
  }
  // The order is a matter of efficiency; a text built to make this slow gets
  // one that ignores loops.
  if (backEdges.size() * n > 200u * 1000 * 1000)
    return depth;
  // Back edges to one header are one loop.
  std::sort(backEdges.begin(), backEdges.end(),
            [](auto a, auto b) { return a.second < b.second; });
  std::vector<uint32_t> mark(n, kNone);
  for (size_t i = 0; i < backEdges.size();) {
    uint32_t header = backEdges[i].second;
    std::vector<uint32_t> work;
    mark[header] = header;
    ++depth[header];
    for (; i < backEdges.size() && backEdges[i].second == header; ++i)
      if (mark[backEdges[i].first] != header) {
        mark[backEdges[i].first] = header;
        work.push_back(backEdges[i].first);
      }
    while (!work.empty()) {
      uint32_t block = work.back();
      work.pop_back();
      ++depth[block];
      for (uint32_t p : predecessors[block])
        if (mark[p] != header) {
          mark[p] = header;
          work.push_back(p);
        }
    }
  }
  return depth;
}

/// A latch for every block that several others jump back to.
static void addLatches(ControlFlow &flow) {
  std::vector<uint32_t> position(flow.blocks.size());
  for (uint32_t i = 0; i < flow.order.size(); ++i)
    position[flow.order[i]] = i;
  std::map<uint32_t, Latch> byHeader;
  for (uint32_t b = 0; b < flow.blocks.size(); ++b)
    for (uint32_t s : flow.blocks[b].successors)
      if (position[s] <= position[b]) {
        Latch &latch = byHeader[s];
        latch.header = s;
        latch.after = std::max(latch.after, position[b]);
        if (latch.sources.empty() || latch.sources.back() != b)
          latch.sources.push_back(b);
      }
  for (auto &[header, latch] : byHeader)
    if (latch.sources.size() > 1)
      flow.latches.push_back(std::move(latch));
  std::sort(flow.latches.begin(), flow.latches.end(),
            [&](const Latch &a, const Latch &b) {
              return std::make_tuple(a.after, position[b.header]) <
                     std::make_tuple(b.after, position[a.header]);
            });
}

ControlFlow fusion::emulator::analyzeControlFlow(const Function &function) {
  ControlFlow flow;
  const auto &body = function.body;
  uint32_t size = uint32_t(body.size());
  // One more for a label at the end: an implicit return.
  std::vector<bool> leader(size + 1, false);
  leader[0] = true;
  for (uint32_t i = 0; i < size; ++i) {
    const Instruction &instruction = body[i];
    if (endsBlock(instruction))
      leader[i + 1] = true;
    if (!isBranch(instruction))
      continue;
    for (const Operand &operand : instruction.operands) {
      if (operand.kind == Operand::Kind::Label && operand.index <= size)
        leader[operand.index] = true;
      if (operand.kind == Operand::Kind::Table)
        for (uint32_t target : function.branchTables[operand.index])
          leader[target] = true;
    }
  }
  std::vector<uint32_t> blockOf(size + 1, 0);
  for (uint32_t i = 0; i <= size; ++i) {
    if (leader[i] || i == size) {
      if (!flow.blocks.empty())
        flow.blocks.back().end = i;
      if (i < size || leader[i])
        flow.blocks.push_back({i, i, {}, false});
    }
    blockOf[i] = uint32_t(flow.blocks.size()) - 1;
  }
  flow.blocks.back().end = size;

  for (uint32_t b = 0; b < flow.blocks.size(); ++b) {
    Block &block = flow.blocks[b];
    bool falls = true;
    if (block.end > block.begin) {
      const Instruction &last = body[block.end - 1];
      if (isBranch(last)) {
        for (const Operand &operand : last.operands) {
          if (operand.kind == Operand::Kind::Label && operand.index <= size)
            block.successors.push_back(blockOf[operand.index]);
          if (operand.kind == Operand::Kind::Table)
            for (uint32_t target : function.branchTables[operand.index])
              block.successors.push_back(blockOf[target]);
        }
      }
      falls = !endsBlock(last) || last.guard != kNone;
    }
    block.fallsThrough = falls && b + 1 < flow.blocks.size();
    if (block.fallsThrough)
      block.successors.push_back(b + 1);
  }

  // Reverse post-order. What is visited last comes right after its
  // predecessor: successors that leave the loop are visited first.
  std::vector<uint32_t> depth = loopDepths(flow.blocks);
  std::vector<std::vector<uint32_t>> visit(flow.blocks.size());
  for (uint32_t b = 0; b < flow.blocks.size(); ++b) {
    const auto &successors = flow.blocks[b].successors;
    std::vector<std::pair<uint32_t, uint32_t>> keys; // depth, position
    for (uint32_t i = 0; i < successors.size(); ++i)
      keys.push_back({depth[successors[i]], i});
    std::sort(keys.begin(), keys.end());
    for (auto [unused, position] : keys)
      visit[b].push_back(successors[position]);
  }
  std::vector<bool> seen(flow.blocks.size(), false);
  std::vector<std::pair<uint32_t, size_t>> stack{{0, 0}};
  seen[0] = true;
  while (!stack.empty()) {
    auto &[block, next] = stack.back();
    if (next == visit[block].size()) {
      flow.order.push_back(block);
      stack.pop_back();
      continue;
    }
    uint32_t to = visit[block][next++];
    if (!seen[to]) {
      seen[to] = true;
      stack.push_back({to, 0});
    }
  }
  std::reverse(flow.order.begin(), flow.order.end());
  for (uint32_t b = 0; b < flow.blocks.size(); ++b)
    if (!seen[b])
      flow.order.push_back(b);
  addLatches(flow);
  return flow;
}
