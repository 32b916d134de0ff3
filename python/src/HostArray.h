//===- HostArray.h - Arrays in the host's memory as they are ----*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a call needs to know of NumPy's arrays and PyTorch's tensors, read
// within some hundred nanoseconds: NumPy's by the buffer protocol, PyTorch's by
// DLPack's table of functions (DLPackExchangeAPI, DLPack 1.2).
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_PYTHON_HOSTARRAY_H
#define FUSION_PYTHON_HOSTARRAY_H

#include <nanobind/nanobind.h>
#include <string>
#include <vector>

namespace nb = nanobind;

/// The type and shape that an array has to have.
class ArrayForm {
public:
  /// `type` is spelled as in MLIR.
  ArrayForm(const std::string &type, std::vector<int64_t> shape);

  /// Returns whether an array's elements have the type.
  bool hasFormat(const char *format) const;
  bool hasDLType(uint8_t code, uint8_t bits, uint16_t lanes) const {
    return code == this->code && bits == this->bits && lanes == 1;
  }
  /// Returns whether an array is of the shape, dense and row-major. Strides are
  /// in units of `unit`; null: it is dense.
  bool hasShape(int64_t rank, const int64_t *shape, const int64_t *strides,
                int64_t unit) const;

  const std::vector<int64_t> &shape() const { return sizes; }
  size_t bytes() const { return size; }

private:
  std::vector<int64_t> sizes;
  char format;        ///< of the buffer protocol
  uint8_t code, bits; ///< of DLPack
  size_t size;        ///< of the elements, in bytes
};

/// The memory of an array while a call uses it.
class HostArray {
public:
  HostArray() = default;
  ~HostArray();
  HostArray(const HostArray &) = delete;

  enum class Use {
    Input,      ///< an argument of the user's
    GraphInput, ///< of a graph of PyTorch's: it may require gradients, which
                ///< are off, and is no view that negates
    Result
  };
  /// Reads an array. Returns false, with no exception, if it is another kind of
  /// object, or not as `form` says, or not aligned to 16 bytes, or not to be
  /// read or written in place for another reason.
  bool read(PyObject *object, const ArrayForm &form, Use use);

  uint64_t address() const { return place; }

private:
  bool readBuffer(PyObject *object, const ArrayForm &form, Use use);
  bool readTensor(PyObject *object, const ArrayForm &form, Use use);

  uint64_t place = 0;
  Py_buffer buffer{};
};

#endif // FUSION_PYTHON_HOSTARRAY_H
