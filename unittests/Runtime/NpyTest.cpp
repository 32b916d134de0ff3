//===- NpyTest.cpp - NumPy's array files ----------------------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "fusion/Runtime/Npy.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"

using namespace fusion;

namespace {

class NpyTest : public ::testing::Test {
protected:
  void SetUp() override {
    ASSERT_FALSE(llvm::sys::fs::createTemporaryFile("fusion", "npy", path));
  }
  void TearDown() override { llvm::sys::fs::remove(path); }

  void writeBytes(llvm::StringRef bytes) {
    std::error_code error;
    llvm::raw_fd_ostream os(path, error);
    os << bytes;
  }
  /// A file of version 1, 2 or 3.
  std::string file(int version, std::string header, llvm::StringRef data) {
    std::string bytes = "\x93NUMPY";
    bytes += char(version);
    bytes += '\0';
    for (int i = 0; i < (version == 1 ? 2 : 4); ++i)
      bytes += char(header.size() >> (8 * i));
    return bytes + header + data.str();
  }
  /// What reading says, without the path.
  std::string problem(ElementType type = ElementType::F32) {
    llvm::Expected<HostTensor> read = readNpy(path, type);
    if (read)
      return "";
    std::string text = llvm::toString(read.takeError());
    return text.substr(path.size() + 2);
  }

  llvm::SmallString<64> path;
};

TEST_F(NpyTest, RoundTripOfEveryType) {
  for (int t = 0; t <= int(ElementType::F8E8M0FNU); ++t) {
    ElementType type = ElementType(t);
    for (const std::vector<int64_t> &shape :
         std::vector<std::vector<int64_t>>{{}, {3}, {2, 5, 3}, {4, 0}}) {
      HostTensor tensor(type, shape);
      fillRandom(tensor, 5, 0, 100);
      ASSERT_FALSE(bool(writeNpy(path, tensor)));
      llvm::Expected<HostTensor> read = readNpy(path, type);
      ASSERT_TRUE(bool(read));
      EXPECT_EQ(read->shape, tensor.shape);
      EXPECT_EQ(read->data, tensor.data);
    }
  }
}

TEST_F(NpyTest, DataAreAligned) {
  ASSERT_FALSE(bool(writeNpy(path, HostTensor(ElementType::F32, {2, 3}))));
  auto buffer = llvm::MemoryBuffer::getFile(path);
  EXPECT_EQ((*buffer)->getBufferSize() % 64, 24u);
}

TEST_F(NpyTest, Versions) {
  for (int version : {1, 2, 3}) {
    writeBytes(file(
        version, "{'descr': '<i2', 'fortran_order': False, 'shape': (2,), }\n",
        llvm::StringRef("\1\0\2\0", 4)));
    llvm::Expected<HostTensor> read = readNpy(path, ElementType::I16);
    ASSERT_TRUE(bool(read));
    EXPECT_EQ(elementToInteger(read->type, read->at(1)), 2);
  }
  writeBytes(file(4, "{}", ""));
  EXPECT_EQ(problem(), "version 4 of .npy is not known");
}

TEST_F(NpyTest, FortranOrder) {
  // [[0, 1, 2], [3, 4, 5]] by columns.
  writeBytes(file(1, "{'descr': '|i1', 'fortran_order': True, 'shape': (2, 3)}",
                  llvm::StringRef("\0\3\1\4\2\5", 6)));
  llvm::Expected<HostTensor> read = readNpy(path, ElementType::I8);
  ASSERT_TRUE(bool(read));
  for (int64_t i = 0; i < 6; ++i)
    EXPECT_EQ(elementToInteger(read->type, read->at(i)), i);
}

TEST_F(NpyTest, TypesNumpyLacks) {
  writeBytes(file(1, "{'descr': '<V2', 'fortran_order': False, 'shape': ()}",
                  llvm::StringRef("\xa0\x3f", 2)));
  llvm::Expected<HostTensor> read = readNpy(path, ElementType::BF16);
  ASSERT_TRUE(bool(read));
  EXPECT_EQ(elementToDouble(read->type, read->at(0)), 1.25);
}

TEST_F(NpyTest, Errors) {
  std::string header =
      "{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}";
  writeBytes("PNG");
  EXPECT_EQ(problem(), "not a .npy file");
  writeBytes(file(1, header, "1234567"));
  EXPECT_EQ(problem(), "holds 7 bytes of data, expected 8 for shape 2");
  writeBytes(file(1, header, "12345678"));
  EXPECT_EQ(problem(), "");
  EXPECT_EQ(problem(ElementType::F16), "holds '<f4', expected '<f2' for f16");
  writeBytes(file(1, header, "").substr(0, 30));
  EXPECT_EQ(problem(), "the header is cut short");
  for (const char *bad :
       {"", "{", "{'descr': '<f4'}", "{'descr': 4}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}",
        "{'descr': '<f4', 'fortran_order': Maybe, 'shape': (1,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1"}) {
    writeBytes(file(1, bad, "1234"));
    EXPECT_EQ(problem(), "the header is malformed") << bad;
  }
  writeBytes(file(1, "{'descr': '>f4', 'fortran_order': False, 'shape': (1,)}",
                  "1234"));
  EXPECT_EQ(problem(), "holds '>f4', expected '<f4' for f32");
  writeBytes(file(1,
                  "{'descr': '<f4', 'fortran_order': False, 'shape': "
                  "(4611686018427387904, 4)}",
                  ""));
  EXPECT_EQ(problem(), "a tensor of shape 4611686018427387904x4 is too large");
  llvm::sys::fs::remove(path);
  EXPECT_EQ(problem(), "No such file or directory");
}

} // namespace
