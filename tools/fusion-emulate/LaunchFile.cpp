//===- LaunchFile.cpp - Launch descriptions in JSON -----------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LaunchFile.h"

#include "Files.h"
#include "JsonShape.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <tuple>

using namespace fusion::emulator;
namespace json = llvm::json;

namespace {

/// Reads the members of the launch object; the first error stays in `message`.
class Reader {
public:
  Reader(const std::string &path, LaunchFile &file, std::string &message)
      : folder(llvm::sys::path::parent_path(path).str()), file(file),
        message(message) {}

  bool read(const json::Object &object) {
    for (const auto &member : object) {
      llvm::StringRef key = member.first;
      if (key != "kernel" && key != "grid" && key != "block" &&
          key != "cluster" && key != "dynamic_shared_memory" &&
          key != "arguments")
        return fail("unknown key '" + key.str() + "'", key);
    }
    auto kernel = object.getString("kernel");
    if (!kernel)
      return fail("'kernel' must be a string", "kernel");
    file.launch.kernel = kernel->str();
    if (!size(object, "grid", true, file.launch.grid) ||
        !size(object, "block", true, file.launch.block) ||
        !size(object, "cluster", false, file.launch.cluster))
      return false;
    if (const json::Value *value = object.get("dynamic_shared_memory")) {
      auto bytes = value->getAsInteger();
      if (!bytes || *bytes < 0 || *bytes > 1 << 30)
        return fail("'dynamic_shared_memory' must be a number of bytes",
                    "dynamic_shared_memory");
      file.launch.dynamicSharedMemory = uint32_t(*bytes);
    }
    if (const json::Value *value = object.get("arguments")) {
      const json::Array *array = value->getAsArray();
      if (!array)
        return fail("'arguments' must be an array", "arguments");
      for (size_t i = 0; i < array->size(); ++i)
        if (!argument((*array)[i], i))
          return false;
    }
    return true;
  }

  /// What the error is about: keys, and an index into the arguments.
  std::vector<std::string> path;

private:
  bool fail(const std::string &text, llvm::StringRef key = "") {
    message = text;
    if (!key.empty())
      path.push_back(key.str());
    return false;
  }

  bool size(const json::Object &object, const char *key, bool required,
            std::array<uint32_t, 3> &result) {
    const json::Value *value = object.get(key);
    if (!value)
      return required ? fail(std::string("'") + key + "' is missing") : true;
    const json::Array *array = value->getAsArray();
    if (!array || array->size() != 3)
      return fail(std::string("'") + key + "' must be an array of 3 integers",
                  key);
    for (unsigned d = 0; d < 3; ++d) {
      auto n = (*array)[d].getAsInteger();
      if (!n || *n < 1 || *n > std::numeric_limits<uint32_t>::max())
        return fail(std::string("'") + key +
                        "' must be an array of 3 positive integers",
                    key);
      result[d] = uint32_t(*n);
    }
    return true;
  }

  template <class T> void value(T number) {
    LaunchArgument made;
    made.bytes.resize(sizeof(T));
    std::memcpy(made.bytes.data(), &number, sizeof(T));
    file.arguments.push_back(std::move(made));
  }

  /// Infinities and NaN, which JSON numbers cannot spell, as strings.
  static bool floating(const json::Value &value, double &result) {
    if (auto number = value.getAsNumber()) {
      result = *number;
      return true;
    }
    auto text = value.getAsString();
    if (!text)
      return false;
    double infinity = std::numeric_limits<double>::infinity();
    if (*text == "inf")
      result = infinity;
    else if (*text == "-inf")
      result = -infinity;
    else if (*text == "nan")
      result = std::numeric_limits<double>::quiet_NaN();
    else
      return false;
    return true;
  }

  bool argument(const json::Value &value, size_t index) {
    std::string name = "argument " + std::to_string(index);
    path = {"arguments", std::to_string(index)};
    const json::Object *object = value.getAsObject();
    if (!object || object->empty())
      return fail(name + " must be an object such as {\"i32\": 1}");
    if (const json::Value *map = object->get("tensor_map"))
      return tensorMap(*object, *map, name);
    if (object->get("buffer"))
      return buffer(*object, name);
    if (object->size() != 1)
      return fail(name + " must have one key");
    const auto &member = *object->begin();
    llvm::StringRef kind = member.first;
    const json::Value &content = member.second;
    if (kind == "i32" || kind == "i64") {
      // Both signed and unsigned spellings of the bits are welcome.
      auto signedValue = content.getAsInteger();
      auto unsignedValue = content.getAsUINT64();
      if (!signedValue && !unsignedValue)
        return fail(name + ": '" + kind.str() + "' must be an integer", kind);
      uint64_t bits = signedValue ? uint64_t(*signedValue) : *unsignedValue;
      if (kind == "i64") {
        this->value(bits);
        return true;
      }
      int64_t number = int64_t(bits);
      if (!signedValue || number < std::numeric_limits<int32_t>::min() ||
          number > std::numeric_limits<uint32_t>::max())
        return fail(name + ": the value does not fit 32 bits", kind);
      this->value(uint32_t(bits));
      return true;
    }
    if (kind == "f32" || kind == "f64") {
      double number;
      if (!floating(content, number))
        return fail(name + ": '" + kind.str() + "' must be a number", kind);
      // An infinity is spelled as such; a number that becomes one is too large.
      if (content.getAsNumber() &&
          std::isinf(kind == "f32" ? double(float(number)) : number))
        return fail(name + ": the value is out of the range of " + kind.str(),
                    kind);
      if (kind == "f32")
        this->value(float(number));
      else
        this->value(number);
      return true;
    }
    if (kind == "bytes") {
      auto hex = content.getAsString();
      if (!hex || hex->size() % 2)
        return fail(name + ": 'bytes' must be hexadecimal digits, two a byte",
                    kind);
      LaunchArgument made;
      for (size_t i = 0; i < hex->size(); i += 2) {
        unsigned byte;
        if (hex->substr(i, 2).getAsInteger(16, byte))
          return fail(name + ": 'bytes' must be hexadecimal digits", kind);
        made.bytes.push_back(uint8_t(byte));
      }
      file.arguments.push_back(std::move(made));
      return true;
    }
    return fail(name + ": unknown kind '" + kind.str() + "'", kind);
  }

  std::string resolve(llvm::StringRef path) const {
    if (llvm::sys::path::is_absolute(path) || folder.empty())
      return path.str();
    llvm::SmallString<256> result(folder);
    llvm::sys::path::append(result, path);
    return std::string(result);
  }

  /// An array of integers of at least `least`.
  template <class T>
  bool integers(const json::Object &object, const char *key, int64_t least,
                const std::string &name, std::vector<T> &result) {
    const json::Value *value = object.get(key);
    if (!value)
      return true;
    const json::Array *array = value->getAsArray();
    std::string problem = name + ": '" + key +
                          "' must be an array of up to 5 integers from " +
                          std::to_string(least);
    if (!array || array->size() > 5)
      return fail(problem, key);
    for (const json::Value &element : *array) {
      auto n = element.getAsInteger();
      if (!n || *n < least || uint64_t(*n) > std::numeric_limits<T>::max())
        return fail(problem, key);
      result.push_back(T(*n));
    }
    return true;
  }

  /// One of `choices`; the first where the key is missing.
  bool choice(const json::Object &object, const char *key,
              llvm::ArrayRef<llvm::StringRef> choices, const std::string &name,
              size_t &index) {
    index = 0;
    const json::Value *value = object.get(key);
    if (!value)
      return true;
    if (auto text = value->getAsString())
      for (; index < choices.size(); ++index)
        if (*text == choices[index])
          return true;
    std::string list;
    for (llvm::StringRef known : choices)
      list += (list.empty() ? "" : ", ") + known.str();
    return fail(name + ": '" + key + "' must be one of " + list, key);
  }

  bool tensorMap(const json::Object &argument, const json::Value &value,
                 const std::string &name) {
    const json::Object *object = value.getAsObject();
    if (!object || argument.size() != 1)
      return fail(name + ": 'tensor_map' must be an object and the only key");
    path.push_back("tensor_map");
    for (const auto &member : *object) {
      llvm::StringRef key = member.first;
      static const llvm::StringRef known[] = {
          "buffer",          "write_back", "type",    "dims",
          "strides_bytes",   "box",        "swizzle", "interleave",
          "element_strides", "fill"};
      if (!llvm::is_contained(known, key))
        return fail(name + ": unknown key '" + key.str() + "'", key);
    }
    static const struct {
      llvm::StringRef name;
      TensorMapType type;
    } types[] = {{"f16", TensorMapType::F16},   {"bf16", TensorMapType::BF16},
                 {"f32", TensorMapType::F32},   {"f64", TensorMapType::F64},
                 {"tf32", TensorMapType::TF32}, {"i8", TensorMapType::U8},
                 {"i16", TensorMapType::U16},   {"i32", TensorMapType::S32},
                 {"i64", TensorMapType::S64},   {"u8", TensorMapType::U8},
                 {"u16", TensorMapType::U16},   {"u32", TensorMapType::U32},
                 {"u64", TensorMapType::U64},   {"f8E4M3FN", TensorMapType::U8},
                 {"f8E5M2", TensorMapType::U8}};
    TensorMapInfo info;
    auto type = object->getString("type");
    bool typeKnown = false;
    for (const auto &known : types)
      if (type && known.name == *type) {
        info.type = known.type;
        typeKnown = true;
      }
    if (!typeKnown)
      return fail(name + ": 'type' must be an element type such as \"f16\"",
                  "type");
    size_t swizzle, interleave, fill;
    if (!integers(*object, "dims", 1, name, info.dims) ||
        !integers(*object, "strides_bytes", 0, name, info.strides) ||
        !integers(*object, "box", 1, name, info.box) ||
        !integers(*object, "element_strides", 1, name, info.elementStrides) ||
        !choice(*object, "swizzle", {"none", "32B", "64B", "128B"}, name,
                swizzle) ||
        !choice(*object, "interleave", {"none", "16B", "32B"}, name,
                interleave) ||
        !choice(*object, "fill", {"zero", "nan"}, name, fill))
      return false;
    info.swizzleBytes = swizzle ? 16u << swizzle : 0;
    info.interleaveBytes = uint32_t(16 * interleave);
    info.fillNan = fill;
    // The address is not known yet, but everything else can be checked.
    std::string problem;
    if (!encodeTensorMap(info, problem))
      return fail(name + ": " + problem);
    json::Object place;
    for (const char *key : {"buffer", "write_back"})
      if (const json::Value *part = object->get(key))
        place[key] = *part;
    if (!buffer(place, name))
      return false;
    file.arguments.back().tensorMap = std::move(info);
    return true;
  }

  bool buffer(const json::Object &object, const std::string &name) {
    auto path = object.getString("buffer");
    if (!path)
      return fail(name + ": 'buffer' must be a file name", "buffer");
    for (const auto &member : object)
      if (llvm::StringRef(member.first) != "buffer" &&
          llvm::StringRef(member.first) != "write_back" &&
          llvm::StringRef(member.first) != "pending")
        return fail(name + ": unknown key '" +
                        llvm::StringRef(member.first).str() + "'",
                    member.first);
    FileBuffer made;
    made.path = resolve(*path);
    made.identity = identifyFile(made.path);
    int index = -1;
    for (size_t i = 0; i < file.buffers.size(); ++i)
      if (file.buffers[i].identity == made.identity)
        index = int(i);
    if (index < 0) {
      std::string problem;
      if (!readBuffer(made.path, made.contents, problem))
        return fail(name + ": " + problem);
      index = int(file.buffers.size());
      file.buffers.push_back(std::move(made));
    }
    if (const json::Value *back = object.get("write_back")) {
      auto target = back->getAsString();
      if (!target)
        return fail(name + ": 'write_back' must be a file name", "write_back");
      if (!writeBack(index, resolve(*target), name))
        return false;
    }
    if (const json::Value *pending = object.get("pending")) {
      auto isPending = pending->getAsBoolean();
      if (!isPending)
        return fail(name + ": 'pending' must be true or false", "pending");
      file.buffers[size_t(index)].isPending |= *isPending;
    }
    LaunchArgument argument;
    argument.buffer = index;
    file.arguments.push_back(std::move(argument));
    return true;
  }

  /// One file per buffer: of two, the file would hold whichever came last.
  bool writeBack(int index, std::string path, const std::string &name) {
    auto [known, isNew] = targets.try_emplace(identifyFile(path), index);
    if (known->second != index)
      return fail(name + ": '" + path +
                      "' is the 'write_back' of another buffer as well",
                  "write_back");
    if (isNew)
      file.buffers[size_t(index)].writeBack.push_back(std::move(path));
    return true;
  }

  std::string folder;
  std::map<std::string, int> targets; ///< of write_back, and whose
  LaunchFile &file;
  std::string &message;
};

} // namespace

bool fusion::emulator::readLaunchFile(const std::string &path, LaunchFile &file,
                                      std::string &message) {
  std::vector<uint8_t> text;
  if (!readFile(path, text, message))
    return false;
  return parseLaunchFile(
      path,
      std::string_view(reinterpret_cast<const char *>(text.data()),
                       text.size()),
      file, message);
}

bool fusion::emulator::parseLaunchFile(const std::string &path,
                                       std::string_view text, LaunchFile &file,
                                       std::string &message) {
  // As some editors begin a text in UTF-8.
  if (text.substr(0, 3) == "\xef\xbb\xbf")
    text.remove_prefix(3);
  if (isTooDeep(text)) {
    message = path + ": the brackets are nested too deeply";
    return false;
  }
  auto parsed = json::parse(llvm::StringRef(text.data(), text.size()));
  if (!parsed) {
    // "[line:column, byte=offset]: message"
    std::string problem = llvm::toString(parsed.takeError());
    llvm::StringRef place = problem, rest;
    std::tie(place, rest) = place.split("]: ");
    if (place.consume_front("[") && !rest.empty())
      message = path + ":" + place.split(',').first.str() + ": " + rest.str();
    else
      message = path + ": " + problem;
    return false;
  }
  if (std::string problem = duplicateKey(text); !problem.empty()) {
    message = path + ":" + problem;
    return false;
  }
  const json::Object *object = parsed->getAsObject();
  if (!object) {
    message = path + ": a launch file is a JSON object";
    return false;
  }
  Reader reader(path, file, message);
  if (reader.read(*object))
    return true;
  message =
      path + ":" + std::to_string(lineOf(text, reader.path)) + ": " + message;
  return false;
}

Launch fusion::emulator::bindLaunch(const LaunchFile &file, Memory &memory,
                                    std::vector<uint64_t> &addresses) {
  addresses.clear();
  for (const FileBuffer &buffer : file.buffers) {
    addresses.push_back(memory.allocate(buffer.contents.size(), 256));
    memory.write(addresses.back(), buffer.contents.data(),
                 buffer.contents.size());
  }
  Launch launch = file.launch;
  for (size_t i = 0; i < file.buffers.size(); ++i)
    if (file.buffers[i].isPending)
      launch.pending.push_back(addresses[i]);
  for (const LaunchArgument &argument : file.arguments) {
    if (argument.buffer < 0) {
      launch.parameters.push_back(argument.bytes);
      continue;
    }
    uint64_t address = addresses[size_t(argument.buffer)];
    if (argument.tensorMap) {
      TensorMapInfo info = *argument.tensorMap;
      info.address = address;
      std::string unused; // it was checked with the launch file
      auto map = encodeTensorMap(info, unused);
      launch.parameters.emplace_back(map->begin(), map->end());
      continue;
    }
    std::vector<uint8_t> bytes(8);
    for (unsigned i = 0; i < 8; ++i)
      bytes[i] = uint8_t(address >> (8 * i));
    launch.parameters.push_back(std::move(bytes));
  }
  return launch;
}
