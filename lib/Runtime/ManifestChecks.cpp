//===- ManifestChecks.cpp - Checks a manifest -----------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ManifestChecks.h"

#include "JsonReader.h"
#include "fusion/Runtime/Manifest.h"
#include "fusion/Target/Chips/Hardware.h"
#include "llvm/ADT/StringSet.h"

using namespace fusion;
using llvm::Twine;

namespace {

class FunctionChecker {
public:
  FunctionChecker(const Manifest &manifest, const FunctionPlan &plan,
                  std::string path, JsonError &error)
      : manifest(manifest), plan(plan), path(std::move(path)), error(error) {}

  void check() {
    for (size_t i = 0; i < plan.results.size(); ++i) {
      const ResultInfo &result = plan.results[i];
      std::string place = at("results", i);
      for (const Expression &size : result.shape)
        checkNames(size, place + ".shape", /*knownResults=*/i);
      if (result.value)
        checkScalar(*result.value, result.type, place + ".value", i);
      checkAlias(result.alias, {BufferRef::Kind::Result, unsigned(i)}, place);
    }
    for (size_t i = 0; i < plan.temporaries.size(); ++i) {
      const TemporaryInfo &temporary = plan.temporaries[i];
      std::string place = at("temporaries", i);
      checkNames(temporary.bytes, place + ".bytes");
      if (temporary.offset)
        checkNames(*temporary.offset, place + ".offset");
      checkAlias(temporary.alias, {BufferRef::Kind::Temporary, unsigned(i)},
                 place);
    }
    for (size_t i = 0; i < plan.requires_.size(); ++i) {
      checkNames(plan.requires_[i].left, at("requires", i));
      checkNames(plan.requires_[i].right, at("requires", i));
    }
    for (size_t i = 0; i < plan.launches.size() && !error.failed(); ++i)
      checkLaunch(plan.launches[i], at("launches", i));
  }

private:
  std::string at(const char *list, size_t index) const {
    return path + "." + list + "[" + std::to_string(index) + "]";
  }

  /// Names must refer to sizes that are known: those of the inputs and of the
  /// first `knownResults` results. What the device has room for is known of a
  /// launch, for its grid.
  void checkNames(const Expression &expression, const Twine &place,
                  size_t knownResults = SIZE_MAX, bool isGrid = false) {
    for (const SizeName &name : expression.names()) {
      bool good = false;
      switch (name.kind) {
      case SizeName::Kind::ArgumentSize:
        good = name.index < plan.inputs.size() &&
               name.dimension < plan.inputs[name.index].shape.size();
        break;
      case SizeName::Kind::ResultSize:
        good = name.index < std::min(plan.results.size(), knownResults) &&
               name.dimension < plan.results[name.index].shape.size();
        break;
      case SizeName::Kind::ArgumentValue:
        good = name.index < plan.inputs.size() &&
               plan.inputs[name.index].isScalar &&
               !isFloat(plan.inputs[name.index].type);
        break;
      case SizeName::Kind::ActiveClusters:
        good = isGrid;
        break;
      }
      if (!good)
        error.set(place, "'" + name.text() + "' names nothing that is known");
    }
  }

  bool checkBuffer(BufferRef ref, const Twine &place) {
    bool good = false;
    switch (ref.kind) {
    case BufferRef::Kind::Input:
      good = ref.index < plan.inputs.size() && !plan.inputs[ref.index].isScalar;
      break;
    case BufferRef::Kind::Result:
      good = ref.index < plan.results.size() && !plan.results[ref.index].value;
      break;
    case BufferRef::Kind::Temporary:
      good = ref.index < plan.temporaries.size();
      break;
    case BufferRef::Kind::Constant:
      good = ref.index < manifest.constants.size();
      break;
    }
    if (!good)
      error.set(place, "there is no buffer '" + ref.text() + "'");
    return good;
  }

  const std::optional<Alias> *aliasOf(BufferRef ref) const {
    if (ref.kind == BufferRef::Kind::Result)
      return &plan.results[ref.index].alias;
    if (ref.kind == BufferRef::Kind::Temporary)
      return &plan.temporaries[ref.index].alias;
    return nullptr;
  }

  void checkAlias(const std::optional<Alias> &alias, BufferRef self,
                  const std::string &place) {
    if (!alias)
      return;
    checkNames(alias->offset, place + ".alias.offset");
    size_t steps = 0;
    BufferRef ref = alias->of;
    size_t limit = plan.results.size() + plan.temporaries.size();
    while (checkBuffer(ref, place + ".alias")) {
      const std::optional<Alias> *next = aliasOf(ref);
      if (!next || !*next)
        return;
      ref = (*next)->of;
      if (++steps > limit)
        return error.set(place + ".alias",
                         "'" + self.text() + "' is part of a cycle");
    }
  }

  /// The buffer whose memory `ref` is.
  BufferRef root(BufferRef ref) const {
    while (const std::optional<Alias> *alias = aliasOf(ref)) {
      if (!*alias)
        break;
      ref = (*alias)->of;
    }
    return ref;
  }

  void checkLaunch(const LaunchInfo &launch, const std::string &place) {
    const KernelInfo &kernel = manifest.kernels[launch.kernel];
    for (const Expression &size : launch.grid)
      checkNames(size, place + ".grid", SIZE_MAX, /*isGrid=*/true);
    const Prediction *prediction = launch.predicted   ? &*launch.predicted
                                   : kernel.predicted ? &*kernel.predicted
                                                      : nullptr;
    if (prediction)
      for (const std::optional<Expression> *bytes :
           {&prediction->globalLoadBytes, &prediction->globalStoreBytes,
            &prediction->sharedMemory})
        if (*bytes)
          checkNames(**bytes, place + " (predicted)");
    for (size_t i = 0; i < launch.arguments.size(); ++i)
      checkArgument(launch.arguments[i], kernel.arguments[i],
                    place + ".arguments[" + std::to_string(i) + "]");
  }

  void checkArgument(const LaunchArgument &argument,
                     const KernelArgument &formal, const std::string &place) {
    if (formal.kind == ArgumentKind::Scalar)
      return checkScalar(argument.value, formal.type, place + ".of");
    checkNames(argument.offset, place + ".offset");
    if (!checkBuffer(argument.buffer, place + ".of"))
      return;
    if (argument.tensorMap) {
      for (const Expression &dim : argument.tensorMap->dims)
        checkNames(dim, place + ".dims");
      for (const Expression &stride : argument.tensorMap->stridesBytes)
        checkNames(stride, place + ".strides_bytes");
      return;
    }
    BufferRef memory = root(argument.buffer);
    if (formal.access != Access::Read &&
        (memory.kind == BufferRef::Kind::Input ||
         memory.kind == BufferRef::Kind::Constant))
      error.set(place, "the kernel writes '" + argument.buffer.text() +
                           "', whose memory is " + memory.text());
  }

  void checkScalar(const ScalarValue &value, ElementType type,
                   const Twine &place, size_t knownResults = SIZE_MAX) {
    if (!value.input)
      return checkNames(value.integer, place, knownResults);
    unsigned index = *value.input;
    if (index >= plan.inputs.size() || !plan.inputs[index].isScalar)
      return error.set(place,
                       "'arg" + Twine(index) + "' is not a scalar input");
    ElementType given = plan.inputs[index].type;
    if (isFloat(type) ? given != type : isFloat(given))
      error.set(place, "'arg" + Twine(index) + "' is " +
                           elementTypeName(given) + ", expected " +
                           elementTypeName(type));
  }

  const Manifest &manifest;
  const FunctionPlan &plan;
  std::string path;
  JsonError &error;
};

} // namespace

void fusion::checkManifest(const Manifest &manifest, JsonError &error) {
  llvm::StringSet<> names;
  for (size_t i = 0; i < manifest.kernels.size(); ++i) {
    const KernelInfo &kernel = manifest.kernels[i];
    std::string place = "kernels[" + std::to_string(i) + "]";
    if (!names.insert(kernel.name).second)
      error.set(place, "'" + kernel.name + "' is defined twice");
    uint64_t threads =
        uint64_t(kernel.block[0]) * kernel.block[1] * kernel.block[2];
    if (threads > kMaxThreads)
      error.set(place + ".block",
                Twine(threads) + " threads, more than " + Twine(kMaxThreads));
  }
  names.clear();
  for (size_t i = 0; i < manifest.functions.size() && !error.failed(); ++i) {
    const FunctionPlan &plan = manifest.functions[i];
    std::string place = "functions[" + std::to_string(i) + "]";
    if (!names.insert(plan.name).second)
      error.set(place, "'" + plan.name + "' is defined twice");
    FunctionChecker(manifest, plan, place, error).check();
  }
}
