//===- Manifest.h - A compiled plan -----------------------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The manifest of a compiled module as plain structs; docs/manifest.md gives
// the JSON and the meaning of every field. No dependence on MLIR.
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_RUNTIME_MANIFEST_H
#define FUSION_RUNTIME_MANIFEST_H

#include "fusion/Runtime/ElementType.h"
#include "fusion/Runtime/Expression.h"
#include <array>
#include <string>
#include <vector>

namespace fusion {

/// What a kernel parameter is: a global address, a number, a TMA descriptor.
enum class ArgumentKind : uint8_t { Buffer, Scalar, TensorMap };

enum class Access : uint8_t { Read, Write, ReadWrite };

/// A formal parameter of a kernel.
struct KernelArgument {
  ArgumentKind kind = ArgumentKind::Buffer;
  ElementType type = ElementType::I32; ///< of a scalar
  int64_t alignment = 16;              ///< bytes, for buffers
  Access access = Access::ReadWrite;
};

/// What the compiler expects of one launch; fields it does not know are empty.
struct Prediction {
  std::optional<double> us;
  std::optional<Expression> globalLoadBytes;
  std::optional<Expression> globalStoreBytes;
  std::optional<Expression> sharedMemory; ///< bytes per block
};

struct KernelInfo {
  std::string name;
  std::array<uint32_t, 3> block{1, 1, 1};
  std::array<uint32_t, 3> cluster{1, 1, 1};
  uint32_t dynamicSharedMemory = 0; ///< bytes
  uint64_t scratch = 0;             ///< bytes that a worker of a CPU needs
  std::vector<KernelArgument> arguments;
  std::string schedule; ///< empty where the manifest has none
  std::optional<Prediction> predicted;
};

/// A buffer of a function or of the module.
struct BufferRef {
  enum class Kind : uint8_t { Input, Result, Temporary, Constant };
  Kind kind = Kind::Input;
  unsigned index = 0;

  std::string text() const; ///< `arg0`, `result0`, `temp0`, `const0`
};

/// A place in another buffer.
struct Alias {
  BufferRef of;
  Expression offset; ///< bytes
};

struct InputInfo {
  ElementType type = ElementType::F32;
  bool isScalar = false;
  /// Sizes; nullopt where they are known at run time.
  std::vector<std::optional<int64_t>> shape;
};

/// A number known at launch.
struct ScalarValue {
  std::optional<unsigned> input; ///< a scalar input of the function, or
  Expression integer;            ///< for integer types
  double number = 0;             ///< for floating-point types
};

struct ResultInfo {
  ElementType type = ElementType::F32;
  std::vector<Expression> shape;
  std::optional<ScalarValue> value; ///< set for a scalar result
  std::optional<Alias> alias;
};

struct TemporaryInfo {
  Expression bytes;
  int64_t alignment = 256;
  std::optional<Expression> offset; ///< in the workspace, bytes
  std::optional<Alias> alias;
};

struct ConstantInfo {
  std::vector<char> data;
  int64_t alignment = 256;
};

/// How a TMA descriptor is made (PTX ISA, "Tensor maps"; CUDA driver API,
/// cuTensorMapEncodeTiled). Innermost dimension first.
struct TensorMapInfo {
  ElementType type = ElementType::F32;
  std::vector<Expression> dims;         ///< elements
  std::vector<Expression> stridesBytes; ///< of dimensions 1 and up
  std::vector<uint32_t> box;            ///< elements
  std::vector<uint32_t> elementStrides;
  uint32_t swizzleBytes = 0;    ///< 0, 32, 64 or 128
  uint32_t interleaveBytes = 0; ///< 0, 16 or 32
  bool fillNan = false;
};

/// An actual argument of a launch, of the kind of the formal one.
struct LaunchArgument {
  BufferRef buffer;  ///< Buffer, TensorMap
  Expression offset; ///< bytes; Buffer, TensorMap
  ScalarValue value; ///< Scalar
  std::optional<TensorMapInfo> tensorMap;
};

struct LaunchInfo {
  unsigned kernel = 0; ///< index into Manifest::kernels
  std::array<Expression, 3> grid;
  std::vector<LaunchArgument> arguments;
  bool isProgrammatic = false; ///< may begin before the one before has ended
  std::optional<Prediction> predicted; ///< takes precedence over the kernel's
};

struct Requirement {
  Expression left, right;
  bool isEqual = true; ///< left = right, otherwise left ≤ right
  std::string message;
};

struct FunctionPlan {
  std::string name;
  std::vector<InputInfo> inputs;
  std::vector<ResultInfo> results;
  std::vector<TemporaryInfo> temporaries;
  std::vector<Requirement> requires_;
  std::vector<LaunchInfo> launches;
};

struct Manifest {
  std::string chip;
  std::string ptx; ///< empty where it travels beside the manifest
  /// The kernels of a CPU as an ELF object; empty on a GPU.
  std::string object;
  /// The CPU of the object and its features, as LLVM spells them.
  std::string cpu, cpuFeatures;
  std::vector<ConstantInfo> constants;
  std::vector<KernelInfo> kernels;
  std::vector<FunctionPlan> functions;

  /// Parses and checks a manifest. The error names the place, such as
  /// `functions[0].launches[2].grid[1]: ...`.
  static llvm::Expected<Manifest> parse(llvm::StringRef json);

  const FunctionPlan *function(llvm::StringRef name) const;

  /// Whether the kernels are machine code of a CPU.
  bool isNative() const { return !object.empty(); }
  /// Whether the code of all kernels is there.
  bool hasCode() const { return kernels.empty() || isNative() || !ptx.empty(); }
};

} // namespace fusion

#endif // FUSION_RUNTIME_MANIFEST_H
