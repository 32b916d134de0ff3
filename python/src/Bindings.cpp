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

std::string firstError(const Caller &caller) {
  for (nb::handle message : caller.diagnostics())
    return nb::cast<std::string>(message[1]);
  return "the device fails";
}

/// (ptx, manifest, groups) or None, and the diagnostics.
nb::tuple compile(nb::bytes source, const std::string &chip,
                  const std::string &fileName, const std::string &f32Products,
                  const std::string &f8Products,
                  const std::string &exponentials,
                  const std::string &passPipeline, bool forceFusion,
                  bool remarks, nb::object progress) {
  FusionCompileOptions options{toText(chip),         toText(fileName),
                               toText(f32Products),  toText(exponentials),
                               toText(passPipeline), int(forceFusion),
                               int(remarks),         toText(f8Products)};
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
  /// On a device: `emulator`, `cuda` (number `ordinal`) or `cpu` (on `threads`
  /// threads, 0: one per core).
  Plan(const std::string &manifest, const std::string &device, int ordinal,
       bool sanitize, uint64_t seed, unsigned threads) {
    FusionDeviceKind kind = device == "cuda"  ? FusionCuda
                            : device == "cpu" ? FusionCpu
                                              : FusionEmulator;
    FusionRunOptions options{kind, int(sanitize), seed, ordinal, threads};
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

  /// The results as (type, shape, bytes), the launches as JSON and the bytes of
  /// the temporaries, or None, and the diagnostics.
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
      return nb::make_tuple(nb::none(), nb::none(), 0, caller.diagnostics());
    }
    nb::capsule owner(run, [](void *run) noexcept {
      fusionRunDestroy(static_cast<FusionRun *>(run));
    });
    caller.finish();
    nb::list results;
    for (size_t i = 0; i < fusionRunResults(run); ++i)
      results.append(result(run, i, owner));
    return nb::make_tuple(results, toString(fusionRunLaunches(run)),
                          fusionRunTemporaryBytes(run), caller.diagnostics());
  }

  FusionPlan *get() const { return plan; }

  // Memory of the device.
  uint64_t allocate(size_t bytes) {
    Caller caller{nb::none()};
    uint64_t address = fusionPlanAllocate(plan, bytes, &caller.callbacks);
    if (!address)
      throw std::runtime_error(firstError(caller));
    return address;
  }
  void free(uint64_t address) {
    nb::gil_scoped_release release;
    fusionPlanFree(plan, address);
  }
  nb::object read(uint64_t address, size_t bytes) {
    auto *data = new uint8_t[bytes];
    nb::capsule owner(data, [](void *data) noexcept {
      delete[] static_cast<uint8_t *>(data);
    });
    copy(/*toDevice=*/false, address, data, bytes);
    return OwnedBytes(data, {bytes}, owner).cast();
  }
  void write(uint64_t address, const Bytes &data) {
    copy(/*toDevice=*/true, address, const_cast<void *>(data.data()),
         data.nbytes());
  }
  void wait(uintptr_t waiting, uintptr_t stream) {
    Caller caller{nb::none()};
    if (fusionPlanWait(plan, reinterpret_cast<void *>(waiting),
                       reinterpret_cast<void *>(stream), &caller.callbacks))
      throw std::runtime_error(firstError(caller));
  }

private:
  void copy(bool toDevice, uint64_t address, void *data, size_t bytes) {
    Caller caller{nb::none()};
    int failed;
    {
      nb::gil_scoped_release release;
      failed = fusionPlanCopy(plan, toDevice, address, data, bytes,
                              &caller.callbacks);
    }
    if (failed)
      throw std::runtime_error(firstError(caller));
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

/// A function at the shapes of its inputs, on tensors of the device.
class Call {
public:
  /// `values`: the bytes of the inputs that are numbers, None for tensors.
  Call(const Plan &plan, const std::string &function,
       const std::vector<std::string> &types,
       const std::vector<std::vector<int64_t>> &shapes,
       const std::vector<std::optional<nb::bytes>> &values) {
    std::vector<FusionTensor> inputs;
    for (size_t i = 0; i < types.size(); ++i)
      inputs.push_back(
          {toText(types[i]), shapes[i].size(), shapes[i].data(),
           values[i] ? const_cast<char *>(values[i]->c_str()) : nullptr});
    Caller caller{nb::none()};
    call = fusionCallPrepare(plan.get(), toText(function), inputs.data(),
                             inputs.size(), &caller.callbacks);
    if (!call)
      throw std::runtime_error(firstError(caller));
    count = inputs.size();
  }
  ~Call() { fusionCallDestroy(call); }
  Call(const Call &) = delete;

  size_t workspaceBytes() const { return fusionCallWorkspaceBytes(call); }

  /// Per result (type, shape, bytes, value or None).
  nb::list results() const {
    nb::list list;
    for (size_t i = 0; i < fusionCallResults(call); ++i) {
      FusionTensor tensor = fusionCallResult(call, i);
      nb::list shape;
      for (size_t d = 0; d < tensor.rank; ++d)
        shape.append(tensor.shape[d]);
      size_t bytes = fusionCallResultBytes(call, i);
      nb::object value = nb::none();
      if (tensor.data)
        value = nb::bytes(static_cast<const char *>(tensor.data), bytes);
      list.append(nb::make_tuple(toString(tensor.type), nb::tuple(shape), bytes,
                                 value));
    }
    return list;
  }

  void start(const std::vector<uint64_t> &inputs,
             const std::vector<uint64_t> &results, uint64_t workspace,
             uintptr_t stream) {
    if (inputs.size() != count || results.size() != fusionCallResults(call))
      throw std::invalid_argument("one address for each input and result");
    Caller caller{nb::none()};
    int failed;
    {
      nb::gil_scoped_release release;
      failed =
          fusionCallStart(call, inputs.data(), results.data(), workspace,
                          reinterpret_cast<void *>(stream), &caller.callbacks);
    }
    caller.finish();
    if (failed)
      throw std::runtime_error(firstError(caller));
  }

private:
  FusionCall *call = nullptr;
  size_t count = 0;
};

/// (address, shape, strides in elements, kind and bits of the elements, device
/// type, device number) of what exports DLPack, or of its capsule.
nb::tuple describeArray(const nb::ndarray<nb::ro> &array) {
  nb::list shape, strides;
  for (size_t d = 0; d < array.ndim(); ++d) {
    shape.append(array.shape(d));
    strides.append(array.stride(d));
  }
  nb::dlpack::dtype type = array.dtype();
  return nb::make_tuple(reinterpret_cast<uintptr_t>(array.data()),
                        nb::tuple(shape), nb::tuple(strides), type.code,
                        type.bits * type.lanes, array.device_type(),
                        array.device_id());
}

/// A tensor in the memory of a GPU as DLPack's capsule; `owner` lives as long
/// as the capsule's user wants it.
nb::object exportArray(nb::object owner, uintptr_t address,
                       const std::vector<size_t> &shape, uint8_t code,
                       uint8_t bits, int ordinal) {
  nb::ndarray<> array(reinterpret_cast<void *>(address), shape.size(),
                      shape.data(), owner, nullptr,
                      nb::dlpack::dtype{code, bits, 1}, nb::device::cuda::value,
                      ordinal);
  return array.cast(nb::rv_policy::reference);
}

} // namespace

NB_MODULE(_native, module) {
  // PyTorch keeps compiled graphs, and with them plans, to the very end.
  nb::set_leak_warnings(false);
  module.def("compile", &compile, nb::arg("source"), nb::arg("chip"),
             nb::arg("file_name"), nb::arg("f32_products"),
             nb::arg("f8_products"), nb::arg("exponentials"),
             nb::arg("pass_pipeline"), nb::arg("force_fusion"),
             nb::arg("remarks"), nb::arg("progress").none());
  // What is wrong with a manifest, or None.
  module.def(
      "check_manifest",
      [](const std::string &manifest) -> nb::object {
        Caller caller{nb::none()};
        if (fusionManifestCheck(toText(manifest), &caller.callbacks))
          return nb::cast(firstError(caller));
        return nb::none();
      },
      nb::arg("manifest"));
  module.def("chips", [] {
    nb::list names;
    for (size_t i = 0; fusionChipName(i).length; ++i)
      names.append(toString(fusionChipName(i)));
    return names;
  });
  module.def("version", [] { return toString(fusionVersion()); });
  nb::class_<Plan>(module, "Plan")
      .def(nb::init<const std::string &, const std::string &, int, bool,
                    uint64_t, unsigned>(),
           nb::arg("manifest"), nb::arg("device"), nb::arg("ordinal"),
           nb::arg("sanitize"), nb::arg("seed"), nb::arg("threads"))
      .def("allocate", &Plan::allocate, nb::arg("bytes"))
      .def("free", &Plan::free, nb::arg("address"))
      .def("read", &Plan::read, nb::arg("address"), nb::arg("bytes"))
      .def("write", &Plan::write, nb::arg("address"), nb::arg("data"))
      .def("wait", &Plan::wait, nb::arg("waiting"), nb::arg("stream"))
      .def("run", &Plan::run, nb::arg("function"), nb::arg("types"),
           nb::arg("shapes"), nb::arg("data"), nb::arg("progress").none());
  nb::class_<Call>(module, "Call")
      .def(nb::init<const Plan &, const std::string &,
                    const std::vector<std::string> &,
                    const std::vector<std::vector<int64_t>> &,
                    const std::vector<std::optional<nb::bytes>> &>(),
           nb::keep_alive<1, 2>(), nb::arg("plan"), nb::arg("function"),
           nb::arg("types"), nb::arg("shapes"), nb::arg("values"))
      .def_prop_ro("workspace_bytes", &Call::workspaceBytes)
      .def("results", &Call::results)
      .def("start", &Call::start, nb::arg("inputs"), nb::arg("results"),
           nb::arg("workspace"), nb::arg("stream"));
  module.def("describe_array", &describeArray, nb::arg("array"));
  module.def("export_array", &exportArray, nb::arg("owner"), nb::arg("address"),
             nb::arg("shape"), nb::arg("code"), nb::arg("bits"),
             nb::arg("ordinal"));
  module.def("cuda_device_of", &fusionCudaDeviceOf, nb::arg("address"));
}
