//===- NativeCode.cpp - Machine code in this process ----------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NativeCode.h"

#include "llvm/ExecutionEngine/Orc/AbsoluteSymbols.h"
#include "llvm/ExecutionEngine/Orc/Core.h"
#include "llvm/ExecutionEngine/Orc/ObjectLinkingLayer.h"
#include "llvm/ExecutionEngine/Orc/SelfExecutorProcessControl.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Process.h"
#include <cstring>

using namespace fusion;
using namespace llvm;

/// A session of LLVM's JIT that links and compiles nothing.
struct NativeCode::Linker {
  explicit Linker(std::unique_ptr<orc::ExecutorProcessControl> control)
      : session(std::move(control)), layer(session),
        library(session.createBareJITDylib("kernels")) {}
  ~Linker() { consumeError(session.endSession()); }

  /// Lets the object call functions of the C library.
  Error defineLibrary() {
    auto define = [&](const char *name, auto *function) {
      return std::make_pair(
          session.intern(name),
          orc::ExecutorSymbolDef(orc::ExecutorAddr::fromPtr(function),
                                 JITSymbolFlags::Exported |
                                     JITSymbolFlags::Callable));
    };
    orc::SymbolMap symbols;
    symbols.insert(define("memcpy", &std::memcpy));
    symbols.insert(define("memmove", &std::memmove));
    symbols.insert(define("memset", &std::memset));
    return library.define(orc::absoluteSymbols(std::move(symbols)));
  }

  orc::ExecutionSession session;
  orc::ObjectLinkingLayer layer;
  orc::JITDylib &library;
};

NativeCode::NativeCode() = default;
NativeCode::~NativeCode() = default;

Expected<std::unique_ptr<NativeCode>>
NativeCode::load(StringRef object, ArrayRef<std::string> names) {
  std::unique_ptr<NativeCode> code(new NativeCode);
  MemoryBufferRef buffer(object, "kernels");
  auto file = object::ObjectFile::createObjectFile(buffer);
  if (!file)
    return createStringError("the kernels are no object file: " +
                             toString(file.takeError()));
  for (object::ELFSymbolRef symbol : (*file)->symbols()) {
    Expected<StringRef> name = symbol.getName();
    if (name)
      code->sizes[*name] = symbol.getSize();
    else
      consumeError(name.takeError());
  }

  auto control = orc::SelfExecutorProcessControl::Create();
  if (!control)
    return control.takeError();
  code->linker = std::make_unique<Linker>(std::move(*control));
  Linker &linker = *code->linker;
  // What goes wrong is said once, by the look-up's error.
  std::string reasons;
  linker.session.setErrorReporter([&](Error error) {
    reasons += (reasons.empty() ? "" : "; ") + toString(std::move(error));
  });
  if (Error error = linker.defineLibrary())
    return std::move(error);
  if (Error error = linker.layer.add(
          linker.library, MemoryBuffer::getMemBufferCopy(object, "kernels")))
    return std::move(error);
  for (const std::string &name : names) {
    auto symbol = linker.session.lookup({&linker.library}, name);
    if (!symbol) {
      std::string reason = toString(symbol.takeError());
      return createStringError("kernel '" + name + "' cannot be linked: " +
                               (reasons.empty() ? reason : reasons));
    }
    code->kernels[name] = symbol->getAddress().toPtr<NativeKernel>();
  }
  linker.session.setErrorReporter(
      [](Error error) { consumeError(std::move(error)); });
  return code;
}

Error NativeCode::writePerfMap() const {
  std::string path =
      "/tmp/perf-" + std::to_string(sys::Process::getProcessId()) + ".map";
  std::error_code error;
  raw_fd_ostream os(path, error, sys::fs::OF_Append);
  if (error)
    return createStringError(path + ": " + error.message());
  for (const auto &kernel : kernels)
    os << formatv("{0:x-} {1:x-} {2}\n",
                  reinterpret_cast<uint64_t>(kernel.second),
                  sizes.lookup(kernel.first()), kernel.first());
  return Error::success();
}
