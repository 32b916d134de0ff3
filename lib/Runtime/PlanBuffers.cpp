//===- PlanBuffers.cpp - Where the buffers of a call are ------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PlanBuffers.h"

#include "llvm/ADT/Twine.h"

using namespace fusion;
using llvm::Error;
using llvm::Expected;
using llvm::Twine;

void PlanBuffers::setWorkspace(const WorkspaceLayout &layout,
                               DeviceAddress workspace) {
  for (const WorkspaceLayout::Temporary &temporary : layout.temporaries)
    if (temporary.offset)
      set({BufferRef::Kind::Temporary, temporary.index},
          {workspace + *temporary.offset, temporary.bytes});
}

llvm::SmallVector<DeviceAddress> PlanBuffers::written() const {
  llvm::SmallVector<DeviceAddress> addresses;
  for (const auto &[ref, place] : places)
    if (ref.first == BufferRef::Kind::Result ||
        ref.first == BufferRef::Kind::Temporary)
      addresses.push_back(place.address);
  return addresses;
}

Expected<BufferPlace> PlanBuffers::aliasPlace(const Alias &alias, int64_t bytes,
                                              const std::string &name) {
  Expected<BufferPlace> of = place(alias.of);
  if (!of)
    return of.takeError();
  Expected<int64_t> offset = sizes.evaluateSize(alias.offset, "the offset");
  if (!offset)
    return offset.takeError();
  if (*offset > of->bytes || bytes > of->bytes - *offset)
    return sizes.fail(name + " (" + Twine(bytes) + " bytes at offset " +
                      Twine(*offset) + ") is not inside " + alias.of.text() +
                      " (" + Twine(of->bytes) + " bytes)");
  return BufferPlace{of->address + *offset, bytes};
}

Expected<BufferPlace> PlanBuffers::place(const BufferRef &ref) {
  auto known = places.find({ref.kind, ref.index});
  if (known != places.end())
    return known->second;
  // What has no memory of its own is an alias (the manifest was checked).
  Expected<BufferPlace> result = BufferPlace{};
  if (ref.kind == BufferRef::Kind::Result) {
    const ResultInfo &info = plan.results[ref.index];
    Expected<int64_t> bytes = sizes.resultBytes(ref.index);
    if (!bytes)
      return bytes.takeError();
    result = aliasPlace(*info.alias, *bytes, ref.text());
  } else {
    const TemporaryInfo &info = plan.temporaries[ref.index];
    Expected<int64_t> bytes = sizes.evaluateSize(info.bytes, "the size");
    if (!bytes)
      return bytes.takeError();
    result = aliasPlace(*info.alias, *bytes, ref.text());
  }
  if (result)
    places[{ref.kind, ref.index}] = *result;
  return result;
}

Expected<DeviceAddress> PlanBuffers::address(const LaunchArgument &argument,
                                             int64_t alignment,
                                             const Twine &what) {
  Expected<BufferPlace> memory = place(argument.buffer);
  if (!memory)
    return memory.takeError();
  Expected<int64_t> offset = sizes.evaluateSize(argument.offset, "the offset");
  if (!offset)
    return offset.takeError();
  if (*offset > memory->bytes)
    return sizes.fail(what + ": offset " + Twine(*offset) + " is outside " +
                      argument.buffer.text());
  DeviceAddress address = memory->address + *offset;
  if (address % alignment)
    return sizes.fail(what + ": the address of " + argument.buffer.text() +
                      " plus offset " + Twine(*offset) +
                      " is not a multiple of " + Twine(alignment) +
                      " bytes, which the kernel relies on");
  return address;
}
