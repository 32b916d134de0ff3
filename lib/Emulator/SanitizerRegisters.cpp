//===- SanitizerRegisters.cpp - Sanitizers: registers of wgmma ------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A wgmma reads fragments of A and reads and writes accumulators until its
// group is waited for. Between any other access and the wgmma lies a
// wgmma.fence; accumulators that go from one wgmma to the next of the same
// shape need neither (PTX ISA, "wgmma.fence", "wgmma.wait_group"). Registers
// are those of the program, by its declarations, not their places in a frame.
// Reads of fragments of A are no conflict.
//
//===----------------------------------------------------------------------===//

#include "Sanitizer.h"

using namespace fusion::emulator;

void Sanitizer::productFence(Warp &warp) {
  if (async.products.size() <= warp.index)
    async.products.resize(warps);
  ++async.products[warp.index].epoch;
}

void Sanitizer::registerAccess(Warp &warp, unsigned lane,
                               const RegisterWatch &watch) {
  using Register = ProductRegisters::Register;
  if (async.products.size() <= warp.index)
    async.products.resize(warps);
  ProductRegisters &state = async.products[warp.index];
  if (state.registers.size() < cta.code->watchedRegisters)
    state.registers.resize(cta.code->watchedRegisters);
  auto inFlight = [&](uint32_t group) {
    return group && int64_t(group) > state.waited;
  };
  auto early = [&](const char *what, uint32_t line) {
    reportText("wgmma-register-in-flight", warp, lane, watch.line, line,
               std::string(what) + " before the wgmma was waited for");
  };
  auto unfenced = [&](const char *what, uint32_t line) {
    reportText("missing-wgmma-fence", warp, lane, watch.line, line, what);
  };
  if (!watch.isProduct) {
    for (uint32_t number : watch.reads) {
      Register &r = state.registers[number];
      if (inFlight(r.accumulates))
        early("access to an accumulator of a wgmma", r.accumulateLine);
      r.accessEpoch = state.epoch;
      r.accessLine = watch.line;
    }
    for (uint32_t number : watch.writes) {
      Register &r = state.registers[number];
      if (inFlight(r.accumulates))
        early("write to an accumulator of a wgmma", r.accumulateLine);
      if (inFlight(r.feeds))
        early("write to a fragment of A of a wgmma", r.feedLine);
      r.accessEpoch = r.writeEpoch = state.epoch;
      r.accessLine = r.writeLine = watch.line;
    }
    return;
  }
  if (!state.epoch)
    unfenced("the warp's first wgmma without wgmma.fence before it", 0);
  uint32_t group = warp.productGroup + 1;
  for (uint32_t number : watch.reads) {
    Register &r = state.registers[number];
    if (inFlight(r.accumulates))
      early("a wgmma reads an accumulator of another as fragment of A",
            r.accumulateLine);
    if (state.epoch && r.writeLine && r.writeEpoch == state.epoch)
      unfenced("no wgmma.fence since a fragment of A was written", r.writeLine);
    r.feeds = group;
    r.feedLine = watch.line;
  }
  for (uint32_t number : watch.writes) {
    Register &r = state.registers[number];
    if (state.epoch && r.accessLine && r.accessEpoch == state.epoch)
      unfenced("no wgmma.fence since an accumulator was accessed",
               r.accessLine);
    if (r.shape && r.shape != watch.shape) {
      if (inFlight(r.accumulates))
        early("a wgmma accumulates where one of another shape does",
              r.accumulateLine);
      else if (r.shapeEpoch == state.epoch)
        unfenced("no wgmma.fence since a wgmma of another shape had the "
                 "accumulator",
                 r.accumulateLine);
    }
    r.shape = watch.shape;
    r.shapeEpoch = state.epoch;
    r.accumulates = group;
    r.accumulateLine = watch.line;
  }
}
