//===- CpuCall.h - Calls on arrays in the host's memory ---------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_PYTHON_CPUCALL_H
#define FUSION_PYTHON_CPUCALL_H

#include "HostArray.h"
#include "Plan.h"
#include <deque>
#include <optional>

/// A function of a plan on the CPU at the shapes of its inputs. A call reads
/// and writes arrays in place. It may be called from several threads.
class CpuCall {
public:
  /// \param values the bytes of the inputs that are numbers, None for tensors.
  /// \param dtypes NumPy's type of each element type of MLIR.
  CpuCall(const Plan &plan, const std::string &function,
          const std::vector<std::string> &types,
          const std::vector<std::vector<int64_t>> &shapes,
          const std::vector<std::optional<nb::bytes>> &values, nb::dict dtypes);
  ~CpuCall() { fusionCallDestroy(handle); }
  CpuCall(const CpuCall &) = delete;

  size_t workspaceBytes() const { return fusionCallWorkspaceBytes(handle); }
  /// Per result (type, shape, whether it is a number known before the call).
  nb::list results() const;

  /// Returns new arrays of NumPy's, one alone or a tuple of several. Returns
  /// None, and has done nothing, if an input is not taken as it is. Inputs that
  /// are numbers are not looked at.
  nb::object call(nb::tuple inputs, nb::object progress) const;
  /// Writes the results to arrays. Returns false, and has done nothing, if an
  /// array is not taken as it is, or one that is written shares memory with
  /// another one. `areOfGraph`: see HostArray::Use::GraphInput.
  bool write(nb::tuple inputs, nb::list results, nb::object progress,
             bool areOfGraph) const;

  /// How `callOnNew` makes tensors for the results, one function for each, and
  /// what it calls once in each thread before (to tell its OpenMP the number of
  /// threads).
  void setMakers(nb::callable prepareThread, nb::list makers);
  /// Writes the results to new tensors and returns a tuple of them; else as
  /// `write` of tensors of a graph: None in place of false.
  nb::object callOnNew(nb::tuple inputs) const;

private:
  struct Result {
    ArrayForm form;
    nb::object type, shape, dtype;
    const void *value; ///< the bytes of a number known before the call, or null
  };
  bool readInputs(const nb::tuple &inputs, HostArray::Use use,
                  std::deque<HostArray> &arrays,
                  std::vector<uint64_t> &addresses) const;
  bool write(const nb::tuple &inputs, nb::handle results, HostArray::Use use,
             nb::object progress) const;
  void start(const std::vector<uint64_t> &inputs,
             const std::vector<uint64_t> &results, nb::object progress) const;

  FusionCall *handle = nullptr;
  std::vector<std::optional<ArrayForm>> inputs; ///< nullopt: a number
  std::vector<Result> resultForms;
  nb::object makeBytes, makeArray, bytesType; ///< NumPy's
  nb::object prepareThread;
  std::vector<nb::object> makers;
};

#endif // FUSION_PYTHON_CPUCALL_H
