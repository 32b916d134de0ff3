//===- Manifest.cpp - Parses a manifest -----------------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Runtime/Manifest.h"

#include "JsonReader.h"
#include "ManifestChecks.h"
#include "fusion/Target/Chips/Hardware.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Base64.h"
#include <cmath>

using namespace fusion;
using llvm::StringRef;

std::string BufferRef::text() const {
  static const char *const prefixes[] = {"arg", "result", "temp", "const"};
  return prefixes[static_cast<size_t>(kind)] + std::to_string(index);
}

const FunctionPlan *Manifest::function(StringRef name) const {
  for (const FunctionPlan &plan : functions)
    if (plan.name == name)
      return &plan;
  return nullptr;
}

namespace {

constexpr int64_t maxInt64 = INT64_MAX;

Expression readExpression(const JsonNode &node) {
  if (std::optional<int64_t> constant = node.asInteger())
    return Expression(*constant);
  std::optional<StringRef> text = node.asString();
  if (!text) {
    node.fail("expected an integer or an expression");
    return {};
  }
  llvm::Expected<Expression> expression = Expression::parse(*text);
  if (expression)
    return std::move(*expression);
  node.fail(llvm::toString(expression.takeError()));
  return {};
}

std::vector<Expression> readExpressions(const JsonNode &node) {
  std::vector<Expression> result;
  for (size_t i = 0, e = node.size(); i < e; ++i)
    result.push_back(readExpression(node.element(i)));
  return result;
}

ElementType readType(const JsonNode &node) {
  std::string name = node.string();
  if (std::optional<ElementType> type = parseElementType(name))
    return *type;
  node.fail("unknown element type '" + name + "'");
  return ElementType::F32;
}

/// A kind of argument: `buffer`, `tensor_map` or a scalar's type.
void readKind(const JsonNode &node, KernelArgument &argument) {
  std::string name = node.string();
  if (name == "buffer") {
    argument.kind = ArgumentKind::Buffer;
  } else if (name == "tensor_map") {
    argument.kind = ArgumentKind::TensorMap;
  } else if (std::optional<ElementType> type = parseElementType(name)) {
    argument.kind = ArgumentKind::Scalar;
    argument.type = *type;
  } else {
    node.fail("unknown kind of argument '" + name + "'");
  }
}

std::string kindName(const KernelArgument &argument) {
  switch (argument.kind) {
  case ArgumentKind::Buffer:
    return "buffer";
  case ArgumentKind::TensorMap:
    return "tensor_map";
  case ArgumentKind::Scalar:
    break;
  }
  return elementTypeName(argument.type).str();
}

/// A number of type `type`: a scalar input, or an expression, or a
/// floating-point constant.
ScalarValue readScalar(const JsonNode &node, ElementType type) {
  ScalarValue value;
  std::optional<StringRef> text = node.asString();
  StringRef name = text.value_or("");
  // For floats, which have no expressions, `value:argI` means the input, too.
  if (isFloat(type))
    name.consume_front("value:");
  unsigned input;
  if (name.consume_front("arg") && !name.getAsInteger(10, input)) {
    value.input = input;
    return value;
  }
  if (!isFloat(type)) {
    value.integer = readExpression(node);
    return value;
  }
  // What JSON has no numbers for.
  if (text == StringRef("inf") || text == StringRef("-inf"))
    value.number = *text == "inf" ? INFINITY : -INFINITY;
  else if (text == StringRef("nan"))
    value.number = NAN;
  else
    value.number = node.number();
  return value;
}

int64_t readAlignment(const JsonNode &node, int64_t fallback) {
  if (node.absent())
    return fallback;
  int64_t alignment = node.integer(1, int64_t(1) << 30);
  if (alignment & (alignment - 1))
    node.fail("an alignment is a power of two");
  return alignment;
}

std::array<uint32_t, 3> readDimensions(const JsonNode &node, int64_t high) {
  std::array<uint32_t, 3> result{1, 1, 1};
  if (node.size() != 3) {
    node.fail("expected three integers");
    return result;
  }
  for (size_t i = 0; i < 3; ++i)
    result[i] = node.element(i).integer(1, high);
  return result;
}

BufferRef readBufferRef(const JsonNode &node) {
  std::string text = node.string();
  StringRef rest = text;
  BufferRef ref;
  if (rest.consume_front("arg"))
    ref.kind = BufferRef::Kind::Input;
  else if (rest.consume_front("result"))
    ref.kind = BufferRef::Kind::Result;
  else if (rest.consume_front("temp"))
    ref.kind = BufferRef::Kind::Temporary;
  else if (rest.consume_front("const"))
    ref.kind = BufferRef::Kind::Constant;
  else
    rest = "";
  if (rest.getAsInteger(10, ref.index))
    node.fail("'" + text + "' does not name a buffer");
  return ref;
}

std::optional<Alias> readAlias(const JsonNode &node) {
  if (node.absent())
    return std::nullopt;
  Alias alias;
  alias.of = readBufferRef(node.member("of"));
  if (JsonNode offset = node.member("offset"); !offset.absent())
    alias.offset = readExpression(offset);
  return alias;
}

/// Bytes in base64.
std::string readBytes(const JsonNode &node) {
  std::vector<char> bytes;
  if (llvm::Error error = llvm::decodeBase64(node.string(), bytes))
    node.fail(llvm::toString(std::move(error)));
  return std::string(bytes.begin(), bytes.end());
}

ConstantInfo readConstant(const JsonNode &node) {
  ConstantInfo constant;
  int64_t bytes = node.member("bytes").integer(0, int64_t(1) << 40);
  constant.alignment = readAlignment(node.member("alignment"), 256);
  JsonNode data = node.member("data"), splat = node.member("splat");
  if (data.absent() == splat.absent()) {
    node.fail("a constant has either 'data' or 'splat'");
  } else if (!data.absent()) {
    if (llvm::Error error = llvm::decodeBase64(data.string(), constant.data))
      data.fail(llvm::toString(std::move(error)));
    else if (int64_t(constant.data.size()) != bytes)
      data.fail("holds " + llvm::Twine(constant.data.size()) +
                " bytes, expected " + llvm::Twine(bytes));
  } else {
    std::string element, digits = splat.string();
    if (digits.empty() || digits.size() % 2 ||
        !llvm::tryGetFromHex(digits, element) || bytes % element.size())
      splat.fail("expected the hexadecimal digits of an element whose size "
                 "divides 'bytes'");
    else
      for (constant.data.reserve(bytes); int64_t(constant.data.size()) < bytes;)
        constant.data.insert(constant.data.end(), element.begin(),
                             element.end());
  }
  return constant;
}

std::optional<Prediction> readPrediction(const JsonNode &node) {
  if (node.absent())
    return std::nullopt;
  Prediction prediction;
  if (JsonNode us = node.member("us"); !us.absent())
    prediction.us = us.number();
  auto bytes = [&](StringRef key) -> std::optional<Expression> {
    JsonNode member = node.member(key);
    if (member.absent())
      return std::nullopt;
    return readExpression(member);
  };
  prediction.globalLoadBytes = bytes("global_load_bytes");
  prediction.globalStoreBytes = bytes("global_store_bytes");
  prediction.sharedMemory = bytes("shared_memory");
  return prediction;
}

KernelInfo readKernel(const JsonNode &node, bool isNative) {
  KernelInfo kernel;
  kernel.name = node.member("name").string();
  if (!isNative)
    kernel.block = readDimensions(node.member("block"), kMaxThreads);
  if (JsonNode scratch = node.member("scratch"); !scratch.absent())
    kernel.scratch = scratch.integer(0, int64_t(1) << 40);
  if (JsonNode cluster = node.member("cluster"); !cluster.absent())
    kernel.cluster = readDimensions(cluster, 64);
  if (JsonNode shared = node.member("dynamic_shared_memory"); !shared.absent())
    kernel.dynamicSharedMemory = shared.integer(0, int64_t(1) << 30);
  JsonNode arguments = node.member("arguments");
  for (size_t i = 0, e = arguments.size(); i < e; ++i) {
    JsonNode argument = arguments.element(i);
    KernelArgument formal;
    readKind(argument.member("kind"), formal);
    formal.alignment = readAlignment(argument.member("alignment"), 16);
    if (JsonNode access = argument.member("access"); !access.absent()) {
      std::string text = access.string();
      auto parsed = llvm::StringSwitch<std::optional<Access>>(text)
                        .Case("read", Access::Read)
                        .Case("write", Access::Write)
                        .Case("read_write", Access::ReadWrite)
                        .Default(std::nullopt);
      if (!parsed)
        access.fail("expected 'read', 'write' or 'read_write'");
      formal.access = parsed.value_or(Access::ReadWrite);
    }
    kernel.arguments.push_back(formal);
  }
  if (JsonNode schedule = node.member("schedule"); !schedule.absent())
    kernel.schedule = schedule.string();
  kernel.predicted = readPrediction(node.member("predicted"));
  return kernel;
}

InputInfo readInput(const JsonNode &node) {
  InputInfo input;
  input.type = readType(node.member("type"));
  JsonNode shape = node.member("shape");
  input.isScalar = shape.absent();
  for (size_t i = 0, e = input.isScalar ? 0 : shape.size(); i < e; ++i) {
    JsonNode size = shape.element(i);
    if (size.asString() == StringRef("?"))
      input.shape.push_back(std::nullopt);
    else
      input.shape.push_back(size.integer(0, maxInt64));
  }
  return input;
}

ResultInfo readResult(const JsonNode &node) {
  ResultInfo result;
  result.type = readType(node.member("type"));
  JsonNode shape = node.member("shape"), value = node.member("value");
  if (shape.absent() == value.absent())
    node.fail("a result has either 'shape' or 'value'");
  else if (!shape.absent())
    result.shape = readExpressions(shape);
  else
    result.value = readScalar(value, result.type);
  result.alias = readAlias(node.member("alias"));
  if (result.value && result.alias)
    node.fail("a result with a 'value' has no 'alias'");
  return result;
}

TemporaryInfo readTemporary(const JsonNode &node) {
  TemporaryInfo temporary;
  temporary.bytes = readExpression(node.member("bytes"));
  temporary.alignment = readAlignment(node.member("alignment"), 256);
  if (JsonNode offset = node.member("offset"); !offset.absent())
    temporary.offset = readExpression(offset);
  temporary.alias = readAlias(node.member("alias"));
  if (temporary.offset && temporary.alias)
    node.fail("a temporary has at most one of 'offset' and 'alias'");
  return temporary;
}

uint32_t readByteMode(const JsonNode &node, llvm::ArrayRef<uint32_t> modes) {
  if (node.absent())
    return 0;
  std::string text = node.string();
  if (text == "none")
    return 0;
  for (uint32_t mode : modes)
    if (text == std::to_string(mode) + "B")
      return mode;
  node.fail("unknown mode '" + text + "'");
  return 0;
}

TensorMapInfo readTensorMap(const JsonNode &node) {
  TensorMapInfo map;
  map.type = readType(node.member("type"));
  map.dims = readExpressions(node.member("dims"));
  map.stridesBytes = readExpressions(node.member("strides_bytes"));
  JsonNode box = node.member("box"), strides = node.member("element_strides");
  for (size_t i = 0, e = box.size(); i < e; ++i)
    map.box.push_back(box.element(i).integer(1, 256));
  if (strides.absent())
    map.elementStrides.assign(map.box.size(), 1);
  else
    for (size_t i = 0, e = strides.size(); i < e; ++i)
      map.elementStrides.push_back(strides.element(i).integer(1, 8));
  size_t rank = map.dims.size();
  if (rank < 1 || rank > 5 || map.stridesBytes.size() != rank - 1 ||
      map.box.size() != rank || map.elementStrides.size() != rank)
    node.fail("a tensor map has 1 to 5 dims, as many entries in 'box' and "
              "'element_strides', and one fewer in 'strides_bytes'");
  map.swizzleBytes = readByteMode(node.member("swizzle"), {32, 64, 128});
  map.interleaveBytes = readByteMode(node.member("interleave"), {16, 32});
  if (JsonNode fill = node.member("fill"); !fill.absent()) {
    std::string text = fill.string();
    if (text != "zero" && text != "nan")
      fill.fail("expected 'zero' or 'nan'");
    map.fillNan = text == "nan";
  }
  return map;
}

LaunchArgument readArgument(const JsonNode &node,
                            const KernelArgument &formal) {
  LaunchArgument argument;
  if (JsonNode kind = node.member("kind"); !kind.absent()) {
    KernelArgument stated;
    readKind(kind, stated);
    if (kindName(stated) != kindName(formal))
      kind.fail("the kernel expects " + kindName(formal));
  }
  JsonNode of = node.member("of");
  if (formal.kind == ArgumentKind::Scalar) {
    argument.value = readScalar(of, formal.type);
    return argument;
  }
  argument.buffer = readBufferRef(of);
  if (JsonNode offset = node.member("offset"); !offset.absent())
    argument.offset = readExpression(offset);
  if (formal.kind == ArgumentKind::TensorMap)
    argument.tensorMap = readTensorMap(node);
  return argument;
}

LaunchInfo readLaunch(const JsonNode &node, const Manifest &manifest) {
  LaunchInfo launch;
  JsonNode kernel = node.member("kernel");
  std::string name = kernel.string();
  auto found = llvm::find_if(manifest.kernels, [&](const KernelInfo &info) {
    return info.name == name;
  });
  if (found == manifest.kernels.end()) {
    kernel.fail("there is no kernel '" + name + "'");
    return launch;
  }
  launch.kernel = found - manifest.kernels.begin();
  JsonNode grid = node.member("grid");
  if (grid.size() != 3)
    grid.fail("expected three expressions");
  else
    for (size_t i = 0; i < 3; ++i)
      launch.grid[i] = readExpression(grid.element(i));
  JsonNode arguments = node.member("arguments");
  size_t count = arguments.size();
  if (count != found->arguments.size()) {
    arguments.fail("kernel '" + name + "' takes " +
                   llvm::Twine(found->arguments.size()) + " arguments, got " +
                   llvm::Twine(count));
    return launch;
  }
  for (size_t i = 0; i < count; ++i)
    launch.arguments.push_back(
        readArgument(arguments.element(i), found->arguments[i]));
  if (JsonNode programmatic = node.member("programmatic");
      !programmatic.absent())
    launch.isProgrammatic = programmatic.boolean();
  launch.predicted = readPrediction(node.member("predicted"));
  return launch;
}

FunctionPlan readFunction(const JsonNode &node, const Manifest &manifest) {
  FunctionPlan plan;
  plan.name = node.member("name").string();
  JsonNode inputs = node.member("inputs"), results = node.member("results");
  for (size_t i = 0, e = inputs.size(); i < e; ++i)
    plan.inputs.push_back(readInput(inputs.element(i)));
  for (size_t i = 0, e = results.size(); i < e; ++i)
    plan.results.push_back(readResult(results.element(i)));
  if (JsonNode list = node.member("temporaries"); !list.absent())
    for (size_t i = 0, e = list.size(); i < e; ++i)
      plan.temporaries.push_back(readTemporary(list.element(i)));
  if (JsonNode list = node.member("requires"); !list.absent())
    for (size_t i = 0, e = list.size(); i < e; ++i) {
      JsonNode entry = list.element(i), equal = entry.member("equal"),
               atMost = entry.member("at_most");
      if (equal.absent() == atMost.absent()) {
        entry.fail("a condition is either 'equal' or 'at_most'");
        continue;
      }
      const JsonNode &condition = equal.absent() ? atMost : equal;
      std::vector<Expression> sides = readExpressions(condition);
      if (sides.size() != 2)
        condition.fail("expected two expressions");
      else
        plan.requires_.push_back({sides[0], sides[1], !equal.absent(),
                                  entry.member("message").string()});
    }
  JsonNode launches = node.member("launches");
  for (size_t i = 0, e = launches.size(); i < e; ++i)
    plan.launches.push_back(readLaunch(launches.element(i), manifest));
  return plan;
}

} // namespace

llvm::Expected<Manifest> Manifest::parse(StringRef json) {
  llvm::Expected<llvm::json::Value> document = llvm::json::parse(json);
  if (!document)
    return llvm::createStringError(
        "manifest: %s", llvm::toString(document.takeError()).c_str());
  JsonError error;
  Manifest manifest;
  JsonNode root(&*document, "", error);
  root.member("version").integer(1, 1);
  manifest.chip = root.member("chip").string();
  if (JsonNode ptx = root.member("ptx"); !ptx.absent())
    manifest.ptx = ptx.string();
  if (JsonNode object = root.member("object"); !object.absent())
    manifest.object = readBytes(object);
  if (JsonNode cpu = root.member("cpu"); !cpu.absent())
    manifest.cpu = cpu.string();
  if (JsonNode features = root.member("cpu_features"); !features.absent())
    manifest.cpuFeatures = features.string();
  if (JsonNode list = root.member("constants"); !list.absent())
    for (size_t i = 0, e = list.size(); i < e; ++i)
      manifest.constants.push_back(readConstant(list.element(i)));
  JsonNode kernels = root.member("kernels");
  for (size_t i = 0, e = kernels.size(); i < e; ++i)
    manifest.kernels.push_back(
        readKernel(kernels.element(i), manifest.isNative()));
  JsonNode functions = root.member("functions");
  for (size_t i = 0, e = functions.size(); i < e; ++i)
    manifest.functions.push_back(readFunction(functions.element(i), manifest));
  if (!error.failed())
    checkManifest(manifest, error);
  if (error.failed())
    return llvm::createStringError("manifest: %s", error.message().c_str());
  return manifest;
}
