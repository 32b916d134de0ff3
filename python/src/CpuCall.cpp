//===- CpuCall.cpp - Calls on arrays in the host's memory -----------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CpuCall.h"

#include <cstdlib>
#include <cstring>

namespace {

/// Where results begin: at a line of the caches, which vectors do not straddle.
constexpr uint64_t kResultAlignment = 64;
/// Where workspaces begin.
constexpr uint64_t kWorkspaceAlignment = 256;

uint64_t alignTo(uint64_t value, uint64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

/// Memory for the intermediate results of a call, kept for the thread's next
/// one. A call within a call, as that of a signal's handler, has its own.
class Workspace {
public:
  explicit Workspace(uint64_t bytes) {
    if (!bytes)
      return;
    std::swap(memory, kept().memory);
    if (memory.bytes >= bytes)
      return;
    std::free(memory.place);
    memory.bytes = alignTo(bytes, kWorkspaceAlignment);
    memory.place = std::aligned_alloc(kWorkspaceAlignment, memory.bytes);
    if (!memory.place) {
      memory.bytes = 0;
      throw std::bad_alloc();
    }
  }
  ~Workspace() {
    if (memory.bytes > kept().memory.bytes)
      std::swap(memory, kept().memory);
    std::free(memory.place);
  }
  uint64_t address() const { return reinterpret_cast<uint64_t>(memory.place); }

private:
  struct Memory {
    void *place = nullptr;
    uint64_t bytes = 0;
  };
  struct Kept {
    ~Kept() { std::free(memory.place); }
    Memory memory;
  };
  static Kept &kept() {
    static thread_local Kept own;
    return own;
  }
  Memory memory;
};

nb::tuple toTuple(const int64_t *values, size_t count) {
  nb::list list;
  for (size_t i = 0; i < count; ++i)
    list.append(values[i]);
  return nb::tuple(list);
}

} // namespace

CpuCall::CpuCall(const Plan &plan, const std::string &function,
                 const std::vector<std::string> &types,
                 const std::vector<std::vector<int64_t>> &shapes,
                 const std::vector<std::optional<nb::bytes>> &values,
                 nb::dict dtypes) {
  std::vector<FusionTensor> tensors;
  for (size_t i = 0; i < types.size(); ++i) {
    tensors.push_back(
        {toText(types[i]), shapes[i].size(), shapes[i].data(),
         values[i] ? const_cast<char *>(values[i]->c_str()) : nullptr});
    inputs.emplace_back();
    if (!values[i])
      inputs.back().emplace(types[i], shapes[i]);
  }
  Caller caller{nb::none()};
  handle = fusionCallPrepare(plan.get(), toText(function), tensors.data(),
                             tensors.size(), &caller.callbacks);
  if (!handle)
    throw std::runtime_error(firstError(caller));
  for (size_t i = 0; i < fusionCallResults(handle); ++i) {
    FusionTensor tensor = fusionCallResult(handle, i);
    std::string type = toString(tensor.type);
    resultForms.push_back(
        {ArrayForm(type, {tensor.shape, tensor.shape + tensor.rank}),
         nb::cast(type), toTuple(tensor.shape, tensor.rank),
         dtypes[type.c_str()], tensor.data});
  }
  nb::module_ numpy = nb::module_::import_("numpy");
  makeBytes = numpy.attr("empty");
  makeArray = numpy.attr("ndarray");
  bytesType = numpy.attr("dtype")("uint8");
}

nb::list CpuCall::results() const {
  nb::list list;
  for (const Result &result : resultForms)
    list.append(
        nb::make_tuple(result.type, result.shape, result.value != nullptr));
  return list;
}

bool CpuCall::readInputs(const nb::tuple &objects, HostArray::Use use,
                         std::deque<HostArray> &arrays,
                         std::vector<uint64_t> &addresses) const {
  if (objects.size() != inputs.size())
    return false;
  addresses.resize(inputs.size());
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (!inputs[i])
      continue;
    PyObject *object = PyTuple_GET_ITEM(objects.ptr(), i);
    if (!arrays.emplace_back().read(object, *inputs[i], use))
      return false;
    addresses[i] = arrays.back().address();
  }
  return true;
}

void CpuCall::start(const std::vector<uint64_t> &inputs,
                    const std::vector<uint64_t> &results,
                    nb::object progress) const {
  Caller caller(std::move(progress));
  Workspace workspace(workspaceBytes());
  int failed;
  {
    nb::gil_scoped_release release;
    failed = fusionCallStart(handle, inputs.data(), results.data(),
                             workspace.address(), nullptr, &caller.callbacks);
  }
  caller.finish();
  if (failed)
    throw std::runtime_error(firstError(caller));
}

nb::object CpuCall::call(nb::tuple objects, nb::object progress) const {
  std::deque<HostArray> arrays;
  std::vector<uint64_t> addresses, written;
  if (!readInputs(objects, HostArray::Use::Input, arrays, addresses))
    return nb::none();
  nb::object made = nb::steal(PyTuple_New(resultForms.size()));
  for (size_t i = 0; i < resultForms.size(); ++i) {
    const Result &result = resultForms[i];
    // NumPy's memory is aligned to 16 bytes only.
    nb::object memory =
        makeBytes(result.form.bytes() + kResultAlignment, bytesType);
    Py_buffer buffer;
    if (PyObject_GetBuffer(memory.ptr(), &buffer, PyBUF_SIMPLE))
      throw nb::python_error();
    auto begin = reinterpret_cast<uint64_t>(buffer.buf);
    PyBuffer_Release(&buffer);
    written.push_back(alignTo(begin, kResultAlignment));
    if (result.value)
      std::memcpy(reinterpret_cast<void *>(written.back()), result.value,
                  result.form.bytes());
    nb::object array =
        makeArray(result.shape, result.dtype, memory, written.back() - begin);
    PyTuple_SET_ITEM(made.ptr(), i, array.release().ptr());
  }
  start(addresses, written, std::move(progress));
  if (resultForms.size() == 1)
    return nb::borrow(PyTuple_GET_ITEM(made.ptr(), 0));
  return made;
}

bool CpuCall::write(nb::tuple objects, nb::list results, nb::object progress,
                    bool areOfGraph) const {
  auto use = areOfGraph ? HostArray::Use::GraphInput : HostArray::Use::Input;
  return results.size() == resultForms.size() &&
         write(objects, nb::tuple(results), use, std::move(progress));
}

void CpuCall::setMakers(nb::callable prepareThread, nb::list makers) {
  if (makers.size() != resultForms.size())
    throw std::invalid_argument("one function for each result");
  this->prepareThread = prepareThread;
  this->makers.clear();
  for (nb::handle maker : makers)
    this->makers.push_back(nb::borrow(maker));
}

nb::object CpuCall::callOnNew(nb::tuple objects) const {
  static thread_local bool isPrepared = false;
  if (!isPrepared)
    prepareThread();
  isPrepared = true;
  nb::object made = nb::steal(PyTuple_New(makers.size()));
  for (size_t i = 0; i < makers.size(); ++i) {
    PyObject *tensor = PyObject_CallNoArgs(makers[i].ptr());
    if (!tensor)
      throw nb::python_error();
    PyTuple_SET_ITEM(made.ptr(), i, tensor);
  }
  if (!write(objects, made, HostArray::Use::GraphInput, nb::none()))
    return nb::none();
  return made;
}

bool CpuCall::write(const nb::tuple &objects, nb::handle results,
                    HostArray::Use use, nb::object progress) const {
  std::deque<HostArray> arrays;
  std::vector<uint64_t> addresses, written;
  if (!readInputs(objects, use, arrays, addresses))
    return false;
  for (size_t i = 0; i < resultForms.size(); ++i) {
    const ArrayForm &form = resultForms[i].form;
    if (!arrays.emplace_back().read(PyTuple_GET_ITEM(results.ptr(), i), form,
                                    HostArray::Use::Result))
      return false;
    uint64_t begin = arrays.back().address(), end = begin + form.bytes();
    for (size_t j = 0; j < inputs.size(); ++j)
      if (inputs[j] && addresses[j] < end &&
          begin < addresses[j] + inputs[j]->bytes())
        return false;
    for (size_t j = 0; j < i; ++j)
      if (written[j] < end && begin < written[j] + resultForms[j].form.bytes())
        return false;
    written.push_back(begin);
  }
  for (size_t i = 0; i < resultForms.size(); ++i)
    if (resultForms[i].value)
      std::memcpy(reinterpret_cast<void *>(written[i]), resultForms[i].value,
                  resultForms[i].form.bytes());
  start(addresses, written, std::move(progress));
  return true;
}
