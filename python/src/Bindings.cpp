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

#include "CpuCall.h"
#include "Plan.h"
#include <nanobind/stl/optional.h>

namespace {

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
  module.def(
      "is_cpu",
      [](const std::string &chip) {
        return fusionChipIsCpu(toText(chip)) != 0;
      },
      nb::arg("chip"));
  module.def("host_cpu", [] { return toString(fusionHostCpu()); });
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
  nb::class_<CpuCall>(module, "CpuCall")
      .def(nb::init<const Plan &, const std::string &,
                    const std::vector<std::string> &,
                    const std::vector<std::vector<int64_t>> &,
                    const std::vector<std::optional<nb::bytes>> &, nb::dict>(),
           nb::keep_alive<1, 2>(), nb::arg("plan"), nb::arg("function"),
           nb::arg("types"), nb::arg("shapes"), nb::arg("values"),
           nb::arg("dtypes"))
      .def_prop_ro("workspace_bytes", &CpuCall::workspaceBytes)
      .def_prop_ro("results", &CpuCall::results)
      .def("__call__", &CpuCall::call, nb::arg("inputs"),
           nb::arg("progress") = nb::none())
      .def("set_makers", &CpuCall::setMakers, nb::arg("prepare_thread"),
           nb::arg("makers"))
      .def("call_on_new", &CpuCall::callOnNew, nb::arg("inputs"))
      .def("write",
           nb::overload_cast<nb::tuple, nb::list, nb::object, bool>(
               &CpuCall::write, nb::const_),
           nb::arg("inputs"), nb::arg("results"),
           nb::arg("progress") = nb::none(), nb::arg("of_graph") = false);
  module.def("describe_array", &describeArray, nb::arg("array"));
  module.def("export_array", &exportArray, nb::arg("owner"), nb::arg("address"),
             nb::arg("shape"), nb::arg("code"), nb::arg("bits"),
             nb::arg("ordinal"));
  module.def("cuda_device_of", &fusionCudaDeviceOf, nb::arg("address"));
}
