//===- SanitizerOptions.cpp - Defaults of the address sanitizer -----------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Linked into every executable of the preset `asan`. The packaged LLVM is not
// instrumented while the templates of its headers are, in our objects: a
// container or bump allocator that both sides touch has its memory poisoned by
// one and used by the other.
//
//===----------------------------------------------------------------------===//

extern "C" const char *__asan_default_options() {
  return "detect_container_overflow=0:allow_user_poisoning=0";
}

extern "C" const char *__ubsan_default_options() { return "print_stacktrace=1"; }
