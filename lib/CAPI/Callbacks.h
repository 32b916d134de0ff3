//===- Callbacks.h - What the C functions tell their callers ----*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_CAPI_CALLBACKS_H
#define FUSION_LIB_CAPI_CALLBACKS_H

#include "fusion-c/Fusion.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

namespace fusion::capi {

inline llvm::StringRef toRef(FusionText text) {
  return llvm::StringRef(text.data, text.length);
}
inline FusionText toText(llvm::StringRef text) {
  return {text.data(), text.size()};
}

inline void diagnose(const FusionCallbacks *callbacks,
                     const FusionDiagnostic &diagnostic) {
  if (callbacks && callbacks->diagnose)
    callbacks->diagnose(&diagnostic, callbacks->user);
}

/// Reports an error that has no place in a source.
inline void reportError(const FusionCallbacks *callbacks, llvm::Error error) {
  std::string message = llvm::toString(std::move(error));
  diagnose(callbacks, {FusionError, toText(message), {"", 0}, 0, 0});
}

/// Whether the caller wants the work to go on.
inline bool proceed(const FusionCallbacks *callbacks, llvm::StringRef what) {
  return !callbacks || !callbacks->proceed ||
         callbacks->proceed(toText(what), callbacks->user);
}

} // namespace fusion::capi

#endif // FUSION_LIB_CAPI_CALLBACKS_H
