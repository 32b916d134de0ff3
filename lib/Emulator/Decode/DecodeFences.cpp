//===- DecodeFences.cpp - Decoding of fences ------------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emulator/Decode/Decoder.h"
#include "Emulator/Execute/HandlersMisc.h"

using namespace fusion::emulator;

/// A fence between threads.
void Decoder::emitFence(bool narrow, bool isSequential) {
  Inst &inst = emit(fenceHandler(), {});
  inst.order = narrow ? OrderCta : 0;
  inst.a = isSequential;
  code->hasCtaScope |= narrow;
}

/// fence.proxy.alias
/// fence.proxy.async{.global, .shared::cta, .shared::cluster}
/// fence.proxy.async::generic.acquire.sync_restrict::shared::cluster.cluster
/// fence.proxy.async::generic.release.sync_restrict::shared::cta.cluster
/// fence.proxy.tensormap::generic.release.scope
/// fence.proxy.tensormap::generic.acquire.scope [map], 128
bool Decoder::decodeProxyFence(Modifiers &modifiers) {
  const auto &operands = instruction->operands;
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
      return unsupported();
    proxies = acquires ? 0 : FenceSharedProxy;
    break;
  }
  case TensorMap: {
    bool acquires = modifiers.take("acquire");
    if ((!acquires && !modifiers.take("release")) ||
        modifiers.takeOneOf({"cta", "cluster", "gpu", "sys"}) < 0)
      return unsupported();
    if (!acquires) {
      proxies = FenceTensorMap;
      break;
    }
    Ref map;
    if (!count(2, 2) || !genericAddress(operands[0], false, map))
      return false;
    if (operands[1].kind != Operand::Kind::Integer || operands[1].value != 128)
      return fail("the size of a tensor map is 128");
    emit(mapAcquireHandler(), {map});
    return true;
  }
  default:
    return unsupported();
  }
  if (!count(0, 0))
    return false;
  if (proxies)
    emit(proxyFenceHandler(), {}).a = uint8_t(proxies);
  else
    emit(nothingHandler(), {});
  return true;
}

/// membar.{cta, gl, sys}, membar.proxy.alias
/// fence{.sc, .acq_rel, .acquire, .release}.scope
/// fence.acquire.sync_restrict::shared::cluster.cluster
/// fence.release.sync_restrict::shared::cta.cluster
/// fence.mbarrier_init.release.cluster
bool Decoder::decodeFence(std::string_view root, Modifiers &modifiers) {
  bool isMembar = root == "membar";
  if (modifiers.take("proxy")) {
    if (!isMembar)
      return decodeProxyFence(modifiers);
    if (!modifiers.take("alias"))
      return unsupported();
    emit(nothingHandler(), {});
    return count(0, 0);
  }
  if (isMembar) {
    int scope = modifiers.takeOneOf({"cta", "gl", "sys"});
    if (scope < 0)
      return unsupported();
    // PTX ISA, "membar, fence": membar is a fence.sc.
    emitFence(scope == 0, true);
    return count(0, 0);
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
    return unsupported();
  if (initialises)
    emit(proxyFenceHandler(), {}).a = FenceInit;
  else
    emitFence(scope == 0, order == 0);
  return count(0, 0);
}
