//===- ManifestChecks.h - Checks a manifest ---------------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_RUNTIME_MANIFESTCHECKS_H
#define FUSION_LIB_RUNTIME_MANIFESTCHECKS_H

namespace fusion {

struct Manifest;
class JsonError;

/// Checks what goes beyond the form of single values: that names refer to
/// something, that aliases end, that nothing writes what must not be written.
void checkManifest(const Manifest &manifest, JsonError &error);

} // namespace fusion

#endif // FUSION_LIB_RUNTIME_MANIFESTCHECKS_H
