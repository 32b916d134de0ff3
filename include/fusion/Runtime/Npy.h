//===- Npy.h - NumPy's array files ------------------------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads and writes .npy files (NumPy Enhancement Proposal 1; the format's
// versions 1.0, 2.0 and 3.0).
//
// NumPy has no bf16 and no 8-bit floats. They are stored as their bits in
// unsigned integers: bf16 as `<u2`, the 8-bit floats as `|u1`; what ml_dtypes
// writes (`<V2`, `|V1`) is read too. `i1` is `|b1`, `index` is `<i8`.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_RUNTIME_NPY_H
#define FUSION_RUNTIME_NPY_H

#include "fusion/Runtime/HostTensor.h"

namespace fusion {

/// Reads an array that is to be of type `type`. Fortran order is brought into
/// row-major order. Fails where the file is no .npy file, is cut short, or
/// holds another type or byte order.
llvm::Expected<HostTensor> readNpy(llvm::StringRef path, ElementType type);

/// Writes version 1.0 (2.0 where the header needs it), row-major.
llvm::Error writeNpy(llvm::StringRef path, const HostTensor &tensor);

} // namespace fusion

#endif // FUSION_RUNTIME_NPY_H
