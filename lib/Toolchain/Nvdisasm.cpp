//===- Nvdisasm.cpp - NVIDIA's disassembler -------------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Toolchain/Nvdisasm.h"
#include "ToolRun.h"

using namespace fusion;

llvm::Expected<std::string>
fusion::disassembleCubin(llvm::StringRef nvdisasm, llvm::ArrayRef<char> cubin) {
  llvm::Expected<ToolRun> tool = ToolRun::create();
  if (!tool)
    return tool.takeError();
  if (llvm::Error error =
          tool->write("kernels.cubin", {cubin.data(), cubin.size()}))
    return error;
  // With encodings, with lines of the PTX. Sections that are not code have the
  // registers of kernels.
  if (llvm::Error error = tool->run(
          nvdisasm, {"-hex", "-gp", tool->path("kernels.cubin")}, "listing"))
    return error;
  llvm::Expected<std::vector<char>> listing = tool->read("listing", nvdisasm);
  if (!listing)
    return listing.takeError();
  return std::string(listing->begin(), listing->end());
}
