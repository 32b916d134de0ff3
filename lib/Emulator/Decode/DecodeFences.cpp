//===- DecodeFences.cpp - Decoding of fences ------------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emulator/Decode/DecodeFences.h"

#include "Emulator/Execute/HandlersMisc.h"

using namespace fusion::emulator;

/// A fence between threads.
static void emitFence(DecodeContext &context, bool narrow, bool isSequential) {
  Inst &inst = context.emit(fenceHandler(), {});
  inst.order = narrow ? OrderCta : 0;
  inst.a = isSequential;
  context.code->hasCtaScope |= narrow;
}

/// fence.proxy.alias
/// fence.proxy.async{.global, .shared::cta, .shared::cluster}
/// fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster
/// fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster
/// fence.proxy.tensormap::generic.release.scope
/// fence.proxy.tensormap::generic.acquire.scope [map], 128
static bool decodeProxyFence(DecodeContext &context, Modifiers &modifiers) {
  const auto &operands = context.instruction->operands;
  enum { Alias, Async, AsyncGeneric, TensorMap };
  int kind = modifiers.takeOneOf(
      {"alias", "async", "async::generic", "tensormap::generic"});
  unsigned proxies = 0;
  switch (kind) {
  case Alias:
    break;
  case Async: {
    int space =
        modifiers.takeOneOf({"global", "shared::cta", "shared::cluster"});
    proxies = space == 0  ? FenceGlobalProxy
              : space > 0 ? FenceSharedProxy
                          : FenceGlobalProxy | FenceSharedProxy;
    break;
  }
  case AsyncGeneric: {
    // The acquiring half orders the async proxy before the generic one.
    bool acquires = modifiers.take("acquire");
    bool known = acquires ? modifiers.take("sync_restrict::shared::cluster")
                          : modifiers.take("release") &&
                                modifiers.take("sync_restrict::shared::cta");
    if (!known || !modifiers.take("cluster"))
      return context.unsupported();
    proxies = acquires ? 0 : FenceSharedProxy;
    break;
  }
  case TensorMap: {
    bool acquires = modifiers.take("acquire");
    if ((!acquires && !modifiers.take("release")) ||
        modifiers.takeOneOf({"cta", "cluster", "gpu", "sys"}) < 0)
      return context.unsupported();
    if (!acquires) {
      proxies = FenceTensorMap;
      break;
    }
    Ref map;
    if (!context.count(2, 2) ||
        !context.genericAddress(operands[0], false, map))
      return false;
    if (operands[1].kind != Operand::Kind::Integer || operands[1].value != 128)
      return context.fail("the size of a tensor map is 128");
    context.emit(mapAcquireHandler(), {map});
    return true;
  }
  default:
    return context.unsupported();
  }
  if (!context.count(0, 0))
    return false;
  if (proxies)
    context.emit(proxyFenceHandler(), {}).a = uint8_t(proxies);
  else
    context.emit(nothingHandler(), {});
  return true;
}

/// membar.{cta, gl, sys}, membar.proxy.alias
/// fence{.sc, .acq_rel, .acquire, .release}.scope
/// fence.acquire.sync_restrict::shared::cluster.cluster
/// fence.release.sync_restrict::shared::cta.cluster
/// fence.mbarrier_init.release.cluster
bool fusion::emulator::decodeFence(DecodeContext &context,
                                   std::string_view root,
                                   Modifiers &modifiers) {
  bool isMembar = root == "membar";
  if (modifiers.take("proxy")) {
    if (!isMembar)
      return decodeProxyFence(context, modifiers);
    if (!modifiers.take("alias"))
      return context.unsupported();
    context.emit(nothingHandler(), {});
    return context.count(0, 0);
  }
  if (isMembar) {
    int scope = modifiers.takeOneOf({"cta", "gl", "sys"});
    if (scope < 0)
      return context.unsupported();
    // PTX ISA, "membar, fence": membar is a fence.sc.
    emitFence(context, scope == 0, true);
    return context.count(0, 0);
  }
  bool initialises = modifiers.take("mbarrier_init");
  int order = modifiers.takeOneOf({"sc", "acq_rel", "acquire", "release"});
  int scope = modifiers.takeOneOf({"cta", "cluster", "gpu", "sys"});
  int restricted = modifiers.takeOneOf(
      {"sync_restrict::shared::cluster", "sync_restrict::shared::cta"});
  bool valid = initialises       ? order == 3 && scope == 1 && restricted < 0
               : restricted >= 0 ? order == 2 + restricted && scope == 1
                                 : scope >= 0;
  if (!valid)
    return context.unsupported();
  if (initialises)
    context.emit(proxyFenceHandler(), {}).a = FenceInit;
  else
    emitFence(context, scope == 0, order == 0);
  return context.count(0, 0);
}
