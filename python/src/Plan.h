//===- Plan.h - A plan on a device ------------------------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_PYTHON_PLAN_H
#define FUSION_PYTHON_PLAN_H

#include "Caller.h"
#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

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

#endif // FUSION_PYTHON_PLAN_H
