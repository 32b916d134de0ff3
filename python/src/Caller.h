//===- Caller.h - Who calls the C API from Python ---------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_PYTHON_CALLER_H
#define FUSION_PYTHON_CALLER_H

#include "fusion-c/Fusion.h"
#include <chrono>
#include <nanobind/nanobind.h>
#include <string>
#include <vector>

namespace nb = nanobind;

inline FusionText toText(const std::string &text) {
  return {text.data(), text.size()};
}
inline std::string toString(FusionText text) {
  return std::string(text.data, text.length);
}

/// Gathers diagnostics, and asks Python whether to go on. Between questions
/// that tell nobody a name (there are many within a pass) some time must pass.
class Caller {
public:
  explicit Caller(nb::object progress) : progress(std::move(progress)) {
    callbacks.user = this;
    callbacks.diagnose = [](const FusionDiagnostic *diagnostic, void *user) {
      auto &self = *static_cast<Caller *>(user);
      self.messages.push_back(
          {diagnostic->severity, toString(diagnostic->message),
           toString(diagnostic->file), diagnostic->line, diagnostic->column});
    };
    callbacks.proceed = [](FusionText what, void *user) -> int {
      return static_cast<Caller *>(user)->proceed(what);
    };
  }

  /// Throws what Python raised meanwhile.
  void finish() {
    if (raised)
      std::rethrow_exception(raised);
  }

  nb::list diagnostics() const {
    nb::list result;
    for (const Message &m : messages)
      result.append(
          nb::make_tuple(int(m.severity), m.text, m.file, m.line, m.column));
    return result;
  }

  FusionCallbacks callbacks{};

private:
  struct Message {
    FusionSeverity severity;
    std::string text, file;
    unsigned line, column;
  };

  bool proceed(FusionText what) {
    if (raised)
      return false;
    auto now = std::chrono::steady_clock::now();
    if ((!what.length || progress.is_none()) &&
        now - asked < std::chrono::milliseconds(20))
      return true;
    asked = now;
    nb::gil_scoped_acquire gil;
    try {
      if (PyErr_CheckSignals())
        throw nb::python_error();
      if (what.length && !progress.is_none())
        progress(toString(what));
    } catch (...) {
      raised = std::current_exception();
      return false;
    }
    return true;
  }

  nb::object progress;
  std::vector<Message> messages;
  std::exception_ptr raised;
  std::chrono::steady_clock::time_point asked =
      std::chrono::steady_clock::now();
};

inline std::string firstError(const Caller &caller) {
  for (nb::handle message : caller.diagnostics())
    return nb::cast<std::string>(message[1]);
  return "the device fails";
}

#endif // FUSION_PYTHON_CALLER_H
