//===- Npy.cpp - NumPy's array files --------------------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Runtime/Npy.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <cstring>

using namespace fusion;
using llvm::StringRef;

namespace {

constexpr StringRef magic("\x93NUMPY", 6);

/// The type in a file we write.
StringRef descriptor(ElementType type) {
  switch (type) {
  case ElementType::I1:
    return "|b1";
  case ElementType::I8:
    return "|i1";
  case ElementType::I16:
    return "<i2";
  case ElementType::I32:
    return "<i4";
  case ElementType::I64:
  case ElementType::Index:
    return "<i8";
  case ElementType::F16:
    return "<f2";
  case ElementType::F32:
    return "<f4";
  case ElementType::F64:
    return "<f8";
  case ElementType::BF16:
    return "<u2";
  default:
    return "|u1";
  }
}

/// Whether a file of type `found` holds elements of `type`.
bool accepts(ElementType type, StringRef found) {
  if (found == descriptor(type))
    return true;
  switch (type) {
  case ElementType::I1:
    return found == "|u1";
  case ElementType::I8:
    return found == "|u1";
  case ElementType::I16:
    return found == "<u2";
  case ElementType::I32:
    return found == "<u4";
  case ElementType::I64:
  case ElementType::Index:
    return found == "<u8";
  case ElementType::BF16:
    return found == "<V2" || found == "|V2";
  default:
    return elementBytes(type) == 1 && (found == "|V1" || found == "<V1");
  }
}

/// The Python literal of the header: {'descr': '<f4', 'fortran_order': False,
/// 'shape': (3, 4), }
class HeaderParser {
public:
  explicit HeaderParser(StringRef text) : rest(text) {}

  bool parse() {
    if (!consume('{'))
      return false;
    while (!consume('}')) {
      std::optional<StringRef> key = string();
      if (!key || !consume(':') || !value(*key))
        return false;
      if (!consume(',') && peek() != '}')
        return false;
    }
    return seen == 7;
  }

  StringRef descr;
  bool fortranOrder = false;
  llvm::SmallVector<int64_t> shape;

private:
  char peek() {
    rest = rest.ltrim(" \t\n");
    return rest.empty() ? '\0' : rest.front();
  }
  bool consume(char c) {
    if (peek() != c)
      return false;
    rest = rest.drop_front();
    return true;
  }
  std::optional<StringRef> string() {
    char quote = peek();
    if (quote != '\'' && quote != '"')
      return std::nullopt;
    size_t end = rest.find(quote, 1);
    if (end == StringRef::npos)
      return std::nullopt;
    StringRef text = rest.slice(1, end);
    rest = rest.drop_front(end + 1);
    return text;
  }
  bool value(StringRef key) {
    if (key == "descr") {
      std::optional<StringRef> text = string();
      descr = text.value_or("");
      seen |= 1;
      return text.has_value();
    }
    if (key == "fortran_order") {
      peek();
      fortranOrder = rest.consume_front("True");
      seen |= 2;
      return fortranOrder || rest.consume_front("False");
    }
    if (key != "shape" || !consume('('))
      return false;
    seen |= 4;
    while (!consume(')')) {
      peek();
      int64_t size;
      if (rest.consumeInteger(10, size) || size < 0)
        return false;
      rest.consume_front("L"); // Python 2 wrote long integers
      shape.push_back(size);
      if (!consume(',') && peek() != ')')
        return false;
    }
    return true;
  }

  StringRef rest;
  unsigned seen = 0;
};

/// Brings column-major elements into row-major order.
void transposeFromFortran(HostTensor &tensor) {
  size_t bytes = elementBytes(tensor.type);
  std::vector<char> source = std::move(tensor.data);
  tensor.data.resize(source.size());
  size_t rank = tensor.shape.size();
  llvm::SmallVector<int64_t> coordinates(rank, 0);
  for (int64_t i = 0, e = tensor.elements(); i < e; ++i) {
    int64_t from = 0;
    for (size_t d = rank; d-- > 0;)
      from = from * tensor.shape[d] + coordinates[d];
    std::memcpy(tensor.at(i), source.data() + from * bytes, bytes);
    for (size_t d = rank; d-- > 0;) {
      if (++coordinates[d] < tensor.shape[d])
        break;
      coordinates[d] = 0;
    }
  }
}

} // namespace

llvm::Expected<HostTensor> fusion::readNpy(StringRef path, ElementType type) {
  auto fail = [&](const llvm::Twine &why) {
    return llvm::createStringError(path + ": " + why);
  };
  auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                          /*RequiresNullTerminator=*/false);
  if (!file)
    return fail(file.getError().message());
  StringRef bytes = (*file)->getBuffer();
  if (!bytes.starts_with(magic) || bytes.size() < 10)
    return fail("not a .npy file");
  unsigned version = static_cast<unsigned char>(bytes[6]);
  if (version < 1 || version > 3)
    return fail("version " + llvm::Twine(version) + " of .npy is not known");
  size_t start = version == 1 ? 10 : 12;
  if (bytes.size() < start)
    return fail("the header is cut short");
  size_t length = version == 1
                      ? llvm::support::endian::read16le(bytes.data() + 8)
                      : llvm::support::endian::read32le(bytes.data() + 8);
  if (bytes.size() - start < length)
    return fail("the header is cut short");
  HeaderParser header(bytes.substr(start, length));
  if (!header.parse())
    return fail("the header is malformed");
  if (!accepts(type, header.descr))
    return fail("holds '" + header.descr + "', expected '" + descriptor(type) +
                "' for " + elementTypeName(type));
  llvm::Expected<int64_t> size = checkedBytes(type, header.shape);
  if (!size)
    return fail(llvm::toString(size.takeError()));
  StringRef data = bytes.drop_front(start + length);
  if (data.size() != uint64_t(*size))
    return fail("holds " + llvm::Twine(data.size()) +
                " bytes of data, expected " + llvm::Twine(*size) +
                " for shape " + shapeText(header.shape));
  HostTensor tensor(type, header.shape);
  llvm::copy(data, tensor.data.begin());
  if (header.fortranOrder && tensor.shape.size() > 1)
    transposeFromFortran(tensor);
  if (type == ElementType::I1)
    for (char &byte : tensor.data)
      byte = byte != 0;
  return tensor;
}

llvm::Error fusion::writeNpy(StringRef path, const HostTensor &tensor) {
  std::string header = "{'descr': '" + descriptor(tensor.type).str() +
                       "', 'fortran_order': False, 'shape': (";
  for (int64_t size : tensor.shape)
    header += std::to_string(size) + ", ";
  header += "), }";
  // The data start at a multiple of 64 bytes.
  size_t prefix = header.size() + 1 + 64 > UINT16_MAX ? 12 : 10;
  header.append(63 - (prefix + header.size()) % 64, ' ');
  header += '\n';

  std::error_code error;
  llvm::raw_fd_ostream os(path, error);
  if (error)
    return llvm::createStringError(path + ": " + error.message());
  os << magic << char(prefix == 10 ? 1 : 2) << '\0';
  char length[4];
  llvm::support::endian::write32le(length, header.size());
  os.write(length, prefix - 8);
  os << header;
  os.write(tensor.data.data(), tensor.data.size());
  os.close();
  if (os.has_error()) {
    error = os.error();
    os.clear_error();
    return llvm::createStringError(path + ": " + error.message());
  }
  return llvm::Error::success();
}
