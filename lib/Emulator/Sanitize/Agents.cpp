//===- Agents.cpp - Asynchronous operations as agents ---------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emulator/Sanitize/Agents.h"

#include "Emulator/Sanitize/Sanitizer.h"

#include <algorithm>

using namespace fusion::emulator;

/// Numbered under the CTA whose memory the agent's completion is told in.
uint32_t Agents::newContext(const Warp &warp, uint32_t slot, uint32_t clock) {
  uint32_t context = uint32_t(grid.contexts.size());
  grid.contexts.push_back({cta.linear, slot, clock});
  grid.issuers.resize(grid.contexts.size());
  grid.issuers[context] = warp.index;
  return context;
}

static uint64_t agentKey(AsyncAgent::Kind kind, uint32_t id) {
  return uint64_t(kind) << 32 | id;
}

AsyncAgent &Agents::agentOf(AsyncAgent::Kind kind, uint32_t id) {
  AsyncAgent &agent = byOwner[agentKey(kind, id)];
  if (!agent.slot)
    agent.slot = kind == AsyncAgent::Products ? slots::kProducts + id
                 : kind == AsyncAgent::Deliveries
                     ? slots::delivery(deliveryCount++)
                     : slots::agent(agentCount++);
  return agent;
}

AsyncAgent *Agents::findAgent(AsyncAgent::Kind kind, uint32_t id) {
  auto it = byOwner.find(agentKey(kind, id));
  return it == byOwner.end() ? nullptr : &it->second;
}

/// Groups count from 0, clocks from 1.
uint32_t Agents::contextOfGroup(const Warp &warp, AsyncAgent &agent,
                                uint32_t group) {
  if (agent.clock != group + 1) {
    agent.clock = group + 1;
    agent.context = newContext(warp, agent.slot, agent.clock);
  }
  return agent.context;
}
