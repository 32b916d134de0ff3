//===- Program.cpp - A parsed program and its decoded kernels -------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emulator/Program.h"

#include "Emulator/Decode/Decoder.h"
#include "Emulator/Parse/Parser.h"

using namespace fusion::emulator;

Program::Program(std::unique_ptr<Impl> impl) : pimpl(std::move(impl)) {}
Program::~Program() = default;

std::unique_ptr<Program> Program::parse(std::string_view ptx, Error &error) {
  error = Error();
  auto impl = std::make_unique<Impl>();
  impl->module = parseModule(ptx, error);
  if (!impl->module)
    return nullptr;
  return std::unique_ptr<Program>(new Program(std::move(impl)));
}

std::vector<std::string> Program::kernels() const {
  std::vector<std::string> names;
  for (const Function &function : pimpl->module->functions)
    if (function.isEntry && function.hasBody)
      names.emplace_back(function.name);
  return names;
}

std::string Program::target() const {
  const Module &module = *pimpl->module;
  std::string name = "sm_" + std::to_string(module.target);
  return module.targetSuffix ? name + module.targetSuffix : name;
}

uint32_t fusion::emulator::findKernel(const Module &module,
                                      std::string_view name) {
  for (uint32_t i = 0; i < module.functions.size(); ++i)
    if (module.functions[i].isEntry && module.functions[i].hasBody &&
        module.functions[i].name == name)
      return i;
  return kNone;
}

std::optional<std::vector<Program::Parameter>>
Program::parameters(std::string_view kernel) const {
  uint32_t index = findKernel(*pimpl->module, kernel);
  if (index == kNone)
    return std::nullopt;
  std::vector<Parameter> result;
  for (const Formal &formal : pimpl->module->functions[index].parameters) {
    if (formal.variable == kNone)
      continue;
    const Variable &variable = pimpl->module->variables[formal.variable];
    result.push_back({size_t(variable.bytes), size_t(variable.alignment),
                      variable.isPointer});
  }
  return result;
}

const Code *Program::Impl::codeFor(uint32_t kernel, bool watched,
                                   Error &error) const {
  std::lock_guard<std::mutex> guard(mutex);
  Decoded &entry = decoded[watched][kernel];
  if (!entry.done) {
    entry.code = Decoder(*module, entry.error, watched).run(kernel);
    entry.done = true;
  }
  if (!entry.code)
    error = entry.error;
  return entry.code.get();
}
