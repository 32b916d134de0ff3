//===- NativeCode.h - Machine code in this process --------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_RUNTIME_NATIVECODE_H
#define FUSION_LIB_RUNTIME_NATIVECODE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <memory>
#include <string>

namespace fusion {

/// A kernel of a CPU: executes the blocks [first, end) of its grid, one after
/// the other (docs/native-kernels.md).
using NativeKernel = void (*)(const uint64_t *arguments, int64_t first,
                              int64_t end, void *scratch);

/// An object file, linked into this process by LLVM's JIT linker.
class NativeCode {
public:
  /// Links `object` and looks for `names` in it. The object may refer to
  /// memcpy, memmove and memset alone.
  static llvm::Expected<std::unique_ptr<NativeCode>>
  load(llvm::StringRef object, llvm::ArrayRef<std::string> names);
  ~NativeCode();

  /// Returns the kernel of that name, or null.
  NativeKernel find(llvm::StringRef name) const { return kernels.lookup(name); }

  /// Appends the kernels' addresses to /tmp/perf-<process>.map.
  llvm::Error writePerfMap() const;

private:
  struct Linker;
  NativeCode();

  std::unique_ptr<Linker> linker;
  llvm::StringMap<NativeKernel> kernels;
  llvm::StringMap<uint64_t> sizes; ///< bytes of each kernel
};

} // namespace fusion

#endif // FUSION_LIB_RUNTIME_NATIVECODE_H
