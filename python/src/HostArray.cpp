//===- HostArray.cpp - Arrays in the host's memory as they are ------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostArray.h"

#include <nanobind/ndarray.h>

namespace {

/// Alignment of buffers that kernels rely on, in bytes.
constexpr uint64_t kAlignment = 16;

struct ElementForm {
  const char *type; ///< as MLIR spells it
  char format;      ///< as `struct` has it
  uint8_t code, bits;
};

// DLPack's codes of kinds: 0 integers, 2 floats, 4 bf16, 6 booleans, from 7 on
// the 8-bit floats. NumPy has the bits of what it has no type for.
constexpr ElementForm kForms[] = {{"i1", '?', 6, 8},
                                  {"i8", 'b', 0, 8},
                                  {"i16", 'h', 0, 16},
                                  {"i32", 'i', 0, 32},
                                  {"i64", 'l', 0, 64},
                                  {"index", 'l', 0, 64},
                                  {"f16", 'e', 2, 16},
                                  {"bf16", 'H', 4, 16},
                                  {"f32", 'f', 2, 32},
                                  {"f64", 'd', 2, 64},
                                  {"f8E3M4", 'B', 7, 8},
                                  {"f8E4M3", 'B', 8, 8},
                                  {"f8E4M3B11FNUZ", 'B', 9, 8},
                                  {"f8E4M3FN", 'B', 10, 8},
                                  {"f8E4M3FNUZ", 'B', 11, 8},
                                  {"f8E5M2", 'B', 12, 8},
                                  {"f8E5M2FNUZ", 'B', 13, 8},
                                  {"f8E8M0FNU", 'B', 14, 8}};

// DLPack 1.2, include/dlpack/dlpack.h: the beginning of DLPackExchangeAPI.
struct DLTensor {
  void *data;
  int32_t deviceType, deviceNumber;
  int32_t rank;
  uint8_t code, bits;
  uint16_t lanes;
  int64_t *shape, *strides;
  uint64_t byteOffset;
};
struct ExchangeTable {
  uint32_t major, minor;
  ExchangeTable *previous;
  void *allocate, *toManaged, *fromManaged;
  int (*read)(void *object, DLTensor *result);
};
constexpr int32_t kDLCPU = 1;

/// Returns a class of a module that is loaded, or null.
PyTypeObject *findType(const char *module, const char *name) {
  nb::object modules = nb::module_::import_("sys").attr("modules");
  nb::object found = modules.attr("get")(module);
  if (found.is_none())
    return nullptr;
  nb::object type = nb::getattr(found, name, nb::none());
  return PyType_Check(type.ptr())
             ? reinterpret_cast<PyTypeObject *>(type.release().ptr())
             : nullptr;
}

/// The types of objects that are known, and how they are read.
struct KnownTypes {
  PyTypeObject *array = nullptr;                        ///< of NumPy
  PyTypeObject *tensor = nullptr, *parameter = nullptr; ///< of PyTorch
  int (*readTensor)(void *object, DLTensor *result) = nullptr;
  nb::object requiresGrad, isNegative; ///< names

  KnownTypes()
      : requiresGrad(nb::str("requires_grad")), isNegative(nb::str("is_neg")) {
    array = findType("numpy", "ndarray");
  }
  /// Looks for PyTorch, which may be imported later.
  bool findTensors() {
    if (tensor)
      return readTensor != nullptr;
    PyTypeObject *found = findType("torch", "Tensor");
    if (!found)
      return false;
    parameter = findType("torch.nn.parameter", "Parameter");
    nb::object capsule = nb::getattr(reinterpret_cast<PyObject *>(found),
                                     "__dlpack_c_exchange_api__", nb::none());
    if (PyCapsule_IsValid(capsule.ptr(), "dlpack_exchange_api"))
      for (auto *table = static_cast<ExchangeTable *>(
               PyCapsule_GetPointer(capsule.ptr(), "dlpack_exchange_api"));
           table && !readTensor; table = table->previous)
        if (table->major == 1)
          readTensor = table->read;
    tensor = found;
    return readTensor != nullptr;
  }
};

/// Kept to the end of the process, as the interpreter is gone by then.
KnownTypes &known() {
  static auto *types = new KnownTypes;
  return *types;
}

} // namespace

ArrayForm::ArrayForm(const std::string &type, std::vector<int64_t> shape)
    : sizes(std::move(shape)) {
  for (const ElementForm &form : kForms)
    if (type == form.type) {
      format = form.format;
      code = form.code;
      bits = form.bits;
      size = bits / 8;
      for (int64_t extent : sizes)
        size *= extent;
      return;
    }
  throw std::invalid_argument("no array has elements of type '" + type + "'");
}

bool ArrayForm::hasFormat(const char *other) const {
  if (!other || other[0] == 0 || other[1] != 0)
    return false;
  return other[0] == format || (other[0] == 'q' && format == 'l');
}

bool ArrayForm::hasShape(int64_t rank, const int64_t *shape,
                         const int64_t *strides, int64_t unit) const {
  if (rank != int64_t(sizes.size()))
    return false;
  for (int64_t d = 0; d < rank; ++d)
    if (shape[d] != sizes[d])
      return false;
  if (!strides || size == 0)
    return true;
  int64_t expected = unit;
  for (int64_t d = rank; d-- > 0;) {
    if (shape[d] != 1 && strides[d] != expected)
      return false;
    expected *= shape[d];
  }
  return true;
}

HostArray::~HostArray() {
  if (buffer.obj)
    PyBuffer_Release(&buffer);
}

bool HostArray::readBuffer(PyObject *object, const ArrayForm &form, Use use) {
  static_assert(sizeof(Py_ssize_t) == sizeof(int64_t));
  int flags = use == Use::Result ? PyBUF_RECORDS : PyBUF_RECORDS_RO;
  if (PyObject_GetBuffer(object, &buffer, flags)) {
    PyErr_Clear();
    buffer.obj = nullptr;
    return false;
  }
  place = reinterpret_cast<uint64_t>(buffer.buf);
  return form.hasFormat(buffer.format) &&
         form.hasShape(buffer.ndim, buffer.shape, buffer.strides,
                       buffer.itemsize);
}

bool HostArray::readTensor(PyObject *object, const ArrayForm &form, Use use) {
  KnownTypes &types = known();
  if (use == Use::Input) {
    // Those of a graph are known to be none of these.
    nb::object gradients =
        nb::steal(PyObject_GetAttr(object, types.requiresGrad.ptr()));
    nb::object negative =
        nb::steal(PyObject_CallMethodNoArgs(object, types.isNegative.ptr()));
    if (gradients.ptr() != Py_False || negative.ptr() != Py_False) {
      PyErr_Clear();
      return false;
    }
  }
  DLTensor tensor;
  if (types.readTensor(object, &tensor)) {
    PyErr_Clear();
    return false;
  }
  place = reinterpret_cast<uint64_t>(tensor.data) + tensor.byteOffset;
  return tensor.deviceType == kDLCPU &&
         form.hasDLType(tensor.code, tensor.bits, tensor.lanes) &&
         form.hasShape(tensor.rank, tensor.shape, tensor.strides, 1);
}

bool HostArray::read(PyObject *object, const ArrayForm &form, Use use) {
  KnownTypes &types = known();
  PyTypeObject *type = Py_TYPE(object);
  bool isRead;
  if (type == types.array)
    isRead = readBuffer(object, form, use);
  else if (types.findTensors() &&
           (type == types.tensor || type == types.parameter))
    isRead = readTensor(object, form, use);
  else
    return false;
  return isRead && (form.bytes() == 0 || place % kAlignment == 0);
}
