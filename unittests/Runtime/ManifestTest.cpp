//===- ManifestTest.cpp - The manifest's parser ---------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Runtime/Manifest.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

using namespace fusion;
namespace json = llvm::json;

namespace {

/// The example of docs/manifest.md, with an alias and a scalar result more.
const char *const example = R"json({
  "version": 1, "chip": "sm_80", "ptx": ".version 8.0",
  "constants": [{"bytes": 4, "data": "AACAPw=="}, {"bytes": 6, "splat": "00bc", "alignment": 16}],
  "kernels": [
    {"name": "k", "block": [128, 1, 1], "dynamic_shared_memory": 65536, "cluster": [2, 1, 1],
     "arguments": [{"kind": "buffer", "alignment": 32, "access": "read"}, {"kind": "buffer", "access": "write"},
                   {"kind": "i32"}, {"kind": "f32"}],
     "schedule": "S",
     "predicted": {"us": 12.5, "global_load_bytes": "size:arg0.0 * 1024", "global_store_bytes": 7,
                   "shared_memory": null}}],
  "functions": [
    {"name": "main",
     "inputs": [{"type": "f16", "shape": ["?", 512]}, {"type": "f32"}, {"type": "index"}],
     "results": [{"type": "f16", "shape": ["size:arg0.0", 512]},
                 {"type": "f16", "shape": ["size:arg0.0", 512], "alias": {"of": "arg0", "offset": 0}},
                 {"type": "index", "value": "size:result0.0 + value:arg2"}],
     "temporaries": [{"bytes": "size:arg0.0 * 1024", "offset": 0}, {"bytes": 16, "alias": {"of": "temp0"}},
                     {"bytes": 1, "alignment": 64}],
     "requires": [{"equal": ["mod(size:arg0.0, 8)", 0], "message": "multiple of 8"}],
     "launches": [
       {"kernel": "k", "grid": ["ceildiv(size:arg0.0, 64)", 1, 1],
        "arguments": [{"kind": "buffer", "of": "const1"}, {"kind": "buffer", "of": "temp1", "offset": 4},
                      {"kind": "i32", "of": "size:arg0.0"}, {"of": "arg1"}]}]}]})json";

std::string problem(llvm::StringRef text) {
  llvm::Expected<Manifest> manifest = Manifest::parse(text);
  return manifest ? "" : llvm::toString(manifest.takeError());
}

/// The example with the value at a path such as `kernels.0.block` replaced;
/// a null replacement text removes it.
std::string with(llvm::StringRef path, const char *replacement) {
  json::Value document = cantFail(json::parse(example));
  json::Value *value = &document;
  llvm::SmallVector<llvm::StringRef> keys;
  path.split(keys, '.');
  for (size_t i = 0; i < keys.size(); ++i) {
    if (json::Array *array = value->getAsArray()) {
      unsigned index = 0;
      EXPECT_FALSE(keys[i].getAsInteger(10, index));
      value = &(*array)[index];
      continue;
    }
    json::Object *object = value->getAsObject();
    if (i + 1 == keys.size() && !replacement) {
      EXPECT_TRUE(object->erase(keys[i]));
      value = nullptr;
      break;
    }
    value = &(*object)[keys[i]];
  }
  if (value)
    *value = cantFail(json::parse(replacement));
  std::string text;
  llvm::raw_string_ostream(text) << document;
  return text;
}

TEST(Manifest, Example) {
  llvm::Expected<Manifest> manifest = Manifest::parse(example);
  ASSERT_TRUE(bool(manifest)) << llvm::toString(manifest.takeError());
  EXPECT_EQ(manifest->chip, "sm_80");
  EXPECT_EQ(manifest->ptx, ".version 8.0");
  EXPECT_EQ(manifest->constants[0].data,
            (std::vector<char>{0, 0, char(0x80), 0x3f}));
  EXPECT_EQ(manifest->constants[1].data.size(), 6u);
  EXPECT_EQ(manifest->constants[1].data[5], char(0xbc));
  EXPECT_EQ(manifest->constants[1].alignment, 16);

  const KernelInfo &kernel = manifest->kernels[0];
  EXPECT_EQ(kernel.block[0], 128u);
  EXPECT_EQ(kernel.cluster[0], 2u);
  EXPECT_EQ(kernel.dynamicSharedMemory, 65536u);
  EXPECT_EQ(kernel.arguments[0].alignment, 32);
  EXPECT_EQ(kernel.arguments[0].access, Access::Read);
  EXPECT_EQ(kernel.arguments[1].alignment, 16);
  EXPECT_EQ(kernel.arguments[2].kind, ArgumentKind::Scalar);
  EXPECT_EQ(kernel.arguments[2].type, ElementType::I32);
  EXPECT_EQ(kernel.schedule, "S");
  EXPECT_EQ(kernel.predicted->us, 12.5);
  EXPECT_EQ(kernel.predicted->globalStoreBytes->constant(), 7);
  EXPECT_FALSE(kernel.predicted->sharedMemory);

  const FunctionPlan *plan = manifest->function("main");
  ASSERT_NE(plan, nullptr);
  EXPECT_EQ(manifest->function("other"), nullptr);
  EXPECT_EQ(plan->inputs[0].shape[0], std::nullopt);
  EXPECT_EQ(plan->inputs[0].shape[1], 512);
  EXPECT_FALSE(plan->inputs[0].isScalar);
  EXPECT_TRUE(plan->inputs[1].isScalar);
  EXPECT_EQ(plan->results[1].alias->of.text(), "arg0");
  EXPECT_TRUE(plan->results[2].value);
  EXPECT_EQ(plan->temporaries[0].offset->constant(), 0);
  EXPECT_EQ(plan->temporaries[2].alignment, 64);
  EXPECT_EQ(plan->requires_[0].message, "multiple of 8");
  const LaunchInfo &launch = plan->launches[0];
  EXPECT_EQ(launch.arguments[0].buffer.text(), "const1");
  EXPECT_EQ(launch.arguments[1].offset.constant(), 4);
  EXPECT_EQ(launch.arguments[3].value.input, 1u);
  EXPECT_FALSE(launch.isProgrammatic);
  EXPECT_EQ(problem(with("ptx", "null")), "");
}

TEST(Manifest, LaunchesMayBeProgrammatic) {
  for (bool isProgrammatic : {false, true}) {
    llvm::Expected<Manifest> manifest =
        Manifest::parse(with("functions.0.launches.0.programmatic",
                             isProgrammatic ? "true" : "false"));
    ASSERT_TRUE(bool(manifest)) << llvm::toString(manifest.takeError());
    EXPECT_EQ(manifest->functions[0].launches[0].isProgrammatic,
              isProgrammatic);
  }
}

TEST(Manifest, ErrorsNameThePlace) {
  auto check = [](llvm::StringRef path, const char *replacement,
                  llvm::StringRef message) {
    EXPECT_EQ(problem(with(path, replacement)), "manifest: " + message.str())
        << path.str();
  };
  check("version", "2", "version: expected an integer from 1 to 1");
  check("chip", nullptr, "chip: expected a string");
  check("functions.0.launches.0.programmatic", "1",
        "functions[0].launches[0].programmatic: expected true or false");
  check("kernels", "3", "kernels: expected an array");
  check("kernels.0.block", "[128, 0, 1]",
        "kernels[0].block[1]: expected an integer from 1 to 1024");
  check("kernels.0.block", "[64, 64, 1]",
        "kernels[0].block: 4096 threads, more than 1024");
  check("kernels.0.block", "[1, 1]",
        "kernels[0].block: expected three integers");
  check("kernels.0.arguments.0.kind", "\"i31\"",
        "kernels[0].arguments[0].kind: unknown kind of argument 'i31'");
  check("kernels.0.arguments.0.alignment", "24",
        "kernels[0].arguments[0].alignment: an alignment is a power of two");
  check("kernels.0.arguments.0.access", "\"rw\"",
        "kernels[0].arguments[0].access: expected 'read', 'write' or "
        "'read_write'");
  check("constants.0.bytes", "5",
        "constants[0].data: holds 4 bytes, expected 5");
  check("constants.0.splat", "\"00\"",
        "constants[0]: a constant has either 'data' or 'splat'");
  check("constants.1.splat", "\"0\"",
        "constants[1].splat: expected the hexadecimal digits of an element "
        "whose size divides 'bytes'");
  check("functions.0.inputs.0.type", "\"f17\"",
        "functions[0].inputs[0].type: unknown element type 'f17'");
  check("functions.0.inputs.0.shape", "[-1, 2]",
        "functions[0].inputs[0].shape[0]: expected an integer from 0 to "
        "9223372036854775807");
  check("functions.0.results.0.shape", "[\"size:arg0.2\"]",
        "functions[0].results[0].shape: 'size:arg0.2' names nothing that is "
        "known");
  check("functions.0.results.0.shape", "[\"size:result0.0\"]",
        "functions[0].results[0].shape: 'size:result0.0' names nothing that "
        "is known");
  check("functions.0.results.2.value", "\"value:arg1\"",
        "functions[0].results[2].value: 'value:arg1' names nothing that is "
        "known");
  check("functions.0.results.2.shape", "[]",
        "functions[0].results[2]: a result has either 'shape' or 'value'");
  check("functions.0.temporaries.1.alias.of", "\"temp1\"",
        "functions[0].temporaries[1].alias: 'temp1' is part of a cycle");
  check("functions.0.temporaries.1.alias.of", "\"arg1\"",
        "functions[0].temporaries[1].alias: there is no buffer 'arg1'");
  check("functions.0.temporaries.1.offset", "0",
        "functions[0].temporaries[1]: a temporary has at most one of 'offset' "
        "and 'alias'");
  check("functions.0.requires.0.at_most", "[1, 2]",
        "functions[0].requires[0]: a condition is either 'equal' or 'at_most'");
  check("functions.0.requires.0.equal", nullptr,
        "functions[0].requires[0]: a condition is either 'equal' or 'at_most'");
  check("functions.0.requires.0.equal", "[1, 2, 3]",
        "functions[0].requires[0].equal: expected two expressions");
  check("functions.0.launches.0.kernel", "\"q\"",
        "functions[0].launches[0].kernel: there is no kernel 'q'");
  check("functions.0.launches.0.grid.0", "\"1 +\"",
        "functions[0].launches[0].grid[0]: expression '1 +', column 4: "
        "expected an integer, a name, a function or '('");
  check("functions.0.launches.0.arguments", "[]",
        "functions[0].launches[0].arguments: kernel 'k' takes 4 arguments, "
        "got 0");
  check("functions.0.launches.0.arguments.0.kind", "\"i32\"",
        "functions[0].launches[0].arguments[0].kind: the kernel expects "
        "buffer");
  check("functions.0.launches.0.arguments.0.of", "\"arg9\"",
        "functions[0].launches[0].arguments[0].of: there is no buffer 'arg9'");
  check("functions.0.launches.0.arguments.0.of", "\"foo\"",
        "functions[0].launches[0].arguments[0].of: 'foo' does not name a "
        "buffer");
  check("functions.0.launches.0.arguments.3.of", "\"arg2\"",
        "functions[0].launches[0].arguments[3].of: 'arg2' is index, expected "
        "f32");
  check("functions.0.launches.0.arguments.2.of", "\"arg0\"",
        "functions[0].launches[0].arguments[2].of: 'arg0' is not a scalar "
        "input");
  // What is written must not be an input's memory, through aliases either.
  check("functions.0.launches.0.arguments.1.of", "\"result1\"",
        "functions[0].launches[0].arguments[1]: the kernel writes 'result1', "
        "whose memory is arg0");
  check("functions.0.launches.0.arguments.1.of", "\"const0\"",
        "functions[0].launches[0].arguments[1]: the kernel writes 'const0', "
        "whose memory is const0");
}

TEST(Manifest, NotJson) {
  EXPECT_NE(problem("{").find("manifest: "), std::string::npos);
  EXPECT_EQ(problem("[]"), "manifest: expected an object");
}

/// Truncation at any place is an error, never a crash.
TEST(Manifest, Truncated) {
  llvm::StringRef text = example;
  for (size_t length = 0; length < text.size() - 1; ++length)
    EXPECT_NE(problem(text.take_front(length)), "");
}

} // namespace
