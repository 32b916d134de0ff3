//===- JsonReader.h - Reads JSON with located errors ------------*- C++ -*-===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_RUNTIME_JSONREADER_H
#define FUSION_LIB_RUNTIME_JSONREADER_H

#include "llvm/ADT/Twine.h"
#include "llvm/Support/JSON.h"
#include <string>

namespace fusion {

/// The first error met while reading a document.
class JsonError {
public:
  bool failed() const { return isSet; }
  void set(const llvm::Twine &place, const llvm::Twine &message) {
    if (isSet)
      return;
    isSet = true;
    text = place.str().empty() ? message.str() : (place + ": " + message).str();
  }
  const std::string &message() const { return text; }

private:
  bool isSet = false;
  std::string text;
};

/// A value of the document and its path. Reading a value of the wrong kind
/// records an error and gives a default, so that a reader needs one check at
/// its end.
class JsonNode {
public:
  /// `value` is null where the key is absent.
  JsonNode(const llvm::json::Value *value, std::string path, JsonError &error)
      : value(value), path(std::move(path)), errors(&error) {}

  /// Absent or `null`.
  bool absent() const {
    return !value || value->kind() == llvm::json::Value::Null;
  }
  void fail(const llvm::Twine &message) const { errors->set(path, message); }

  JsonNode member(llvm::StringRef key) const {
    std::string memberPath = path.empty() ? key.str() : path + "." + key.str();
    const llvm::json::Object *object = value ? value->getAsObject() : nullptr;
    if (!object)
      fail("expected an object");
    return JsonNode(object ? object->get(key) : nullptr, std::move(memberPath),
                    *errors);
  }

  size_t size() const {
    const llvm::json::Array *array = value ? value->getAsArray() : nullptr;
    if (!array)
      fail("expected an array");
    return array ? array->size() : 0;
  }
  JsonNode element(size_t index) const {
    return JsonNode(&(*value->getAsArray())[index],
                    path + "[" + std::to_string(index) + "]", *errors);
  }

  std::string string() const {
    if (std::optional<llvm::StringRef> s =
            value ? value->getAsString() : std::nullopt)
      return s->str();
    fail("expected a string");
    return {};
  }
  std::optional<llvm::StringRef> asString() const {
    return value ? value->getAsString() : std::nullopt;
  }
  std::optional<int64_t> asInteger() const {
    return value ? value->getAsInteger() : std::nullopt;
  }
  int64_t integer(int64_t low, int64_t high) const {
    std::optional<int64_t> i = asInteger();
    if (i && *i >= low && *i <= high)
      return *i;
    fail("expected an integer from " + llvm::Twine(low) + " to " +
         llvm::Twine(high));
    return low;
  }
  bool boolean() const {
    if (std::optional<bool> b = value ? value->getAsBoolean() : std::nullopt)
      return *b;
    fail("expected true or false");
    return false;
  }
  double number() const {
    if (std::optional<double> d = value ? value->getAsNumber() : std::nullopt)
      return *d;
    fail("expected a number");
    return 0;
  }

private:
  const llvm::json::Value *value;
  std::string path;
  JsonError *errors;
};

} // namespace fusion

#endif // FUSION_LIB_RUNTIME_JSONREADER_H
