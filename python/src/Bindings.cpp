//===- Bindings.cpp - The C API in Python ---------------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The module `fusion._native`. It hands out tuples of texts and arrays of
// bytes; what users see is made of them in Python.
//
//===----------------------------------------------------------------------===//

#include "fusion-c/Fusion.h"
#include <chrono>
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;

namespace {

FusionText toText(const std::string &text) {
  return {text.data(), text.size()};
}
std::string toString(FusionText text) {
  return std::string(text.data, text.length);
}

/// Gathers diagnostics, and asks Python whether to go on. Between questions
/// that name nothing (there are many within a pass) some time must pass.
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
    if (!what.length && now - asked < std::chrono::milliseconds(20))
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
  std::chrono::steady_clock::time_point asked;
};

/// (ptx, manifest, groups) or None, and the diagnostics.
nb::tuple compile(nb::bytes source, const std::string &chip,
                  const std::string &fileName, const std::string &f32Products,
                  const std::string &passPipeline, bool forceFusion,
                  bool remarks, nb::object progress) {
  FusionCompileOptions options{toText(chip),        toText(fileName),
                               toText(f32Products), toText(passPipeline),
                               int(forceFusion),    int(remarks)};
  Caller caller(std::move(progress));
  FusionText text{source.c_str(), source.size()};
  FusionProgram *program;
  {
    nb::gil_scoped_release release;
    program = fusionCompile(text, &options, &caller.callbacks);
  }
  nb::object texts = nb::none();
  if (program) {
    texts = nb::make_tuple(toString(fusionProgramPTX(program)),
                           toString(fusionProgramManifest(program)),
                           toString(fusionProgramGroups(program)));
    fusionProgramDestroy(program);
  }
  caller.finish();
  return nb::make_tuple(texts, caller.diagnostics());
}

using Bytes = nb::ndarray<nb::ro, nb::c_contig, nb::device::cpu>;
using OwnedBytes = nb::ndarray<nb::numpy, uint8_t, nb::ndim<1>>;

/// A plan on a device.
class Plan {
public:
  Plan(const std::string &manifest, bool cuda, bool sanitize, uint64_t seed) {
    FusionRunOptions options{cuda ? FusionCuda : FusionEmulator, int(sanitize),
                             seed};
    Caller caller{nb::none()};
    {
      nb::gil_scoped_release release;
      plan = fusionPlanCreate(toText(manifest), &options, &caller.callbacks);
    }
    caller.finish();
    if (!plan)
      throw std::runtime_error(firstError(caller));
  }
  ~Plan() { fusionPlanDestroy(plan); }
  Plan(const Plan &) = delete;

  /// The results as (type, shape, bytes) and the launches as JSON, or None, and
  /// the diagnostics.
  nb::tuple run(const std::string &function,
                const std::vector<std::string> &types,
                const std::vector<std::vector<int64_t>> &shapes,
                const std::vector<Bytes> &data, nb::object progress) {
    std::vector<FusionTensor> inputs;
    for (size_t i = 0; i < data.size(); ++i)
      inputs.push_back({toText(types[i]), shapes[i].size(), shapes[i].data(),
                        const_cast<void *>(data[i].data())});
    Caller caller(std::move(progress));
    FusionRun *run;
    {
      nb::gil_scoped_release release;
      run = fusionPlanRun(plan, toText(function), inputs.data(), inputs.size(),
                          &caller.callbacks);
    }
    if (!run) {
      caller.finish();
      return nb::make_tuple(nb::none(), nb::none(), caller.diagnostics());
    }
    nb::capsule owner(run, [](void *run) noexcept {
      fusionRunDestroy(static_cast<FusionRun *>(run));
    });
    caller.finish();
    nb::list results;
    for (size_t i = 0; i < fusionRunResults(run); ++i)
      results.append(result(run, i, owner));
    return nb::make_tuple(results, toString(fusionRunLaunches(run)),
                          caller.diagnostics());
  }

private:
  static std::string firstError(const Caller &caller) {
    for (nb::handle message : caller.diagnostics())
      return nb::cast<std::string>(message[1]);
    return "the plan cannot be loaded";
  }

  static nb::tuple result(const FusionRun *run, size_t index,
                          nb::handle owner) {
    FusionTensor tensor = fusionRunResult(run, index);
    nb::list shape;
    for (size_t d = 0; d < tensor.rank; ++d)
      shape.append(tensor.shape[d]);
    size_t bytes = fusionRunResultBytes(run, index);
    OwnedBytes data(tensor.data, {bytes}, owner);
    return nb::make_tuple(toString(tensor.type), nb::tuple(shape), data.cast());
  }

  FusionPlan *plan = nullptr;
};

} // namespace

NB_MODULE(_native, module) {
  // PyTorch keeps compiled graphs, and with them plans, to the very end.
  nb::set_leak_warnings(false);
  module.def("compile", &compile, nb::arg("source"), nb::arg("chip"),
             nb::arg("file_name"), nb::arg("f32_products"),
             nb::arg("pass_pipeline"), nb::arg("force_fusion"),
             nb::arg("remarks"), nb::arg("progress").none());
  module.def("chips", [] {
    nb::list names;
    for (size_t i = 0; fusionChipName(i).length; ++i)
      names.append(toString(fusionChipName(i)));
    return names;
  });
  module.def("version", [] { return toString(fusionVersion()); });
  nb::class_<Plan>(module, "Plan")
      .def(nb::init<const std::string &, bool, bool, uint64_t>(),
           nb::arg("manifest"), nb::arg("cuda"), nb::arg("sanitize"),
           nb::arg("seed"))
      .def("run", &Plan::run, nb::arg("function"), nb::arg("types"),
           nb::arg("shapes"), nb::arg("data"), nb::arg("progress").none());
}
