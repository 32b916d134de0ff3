//===- Driver.cpp - The fuzz targets without libFuzzer --------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Seeds mutated at random, always in the same way: what the normal tests run.
// It follows no coverage; libFuzzer does (-DFUSION_FUZZ=ON).
//
//   ptx-fuzzer [-runs=N] [-seed=S] [-timeout=SECONDS] [-only=I] FOLDER...
//
//===----------------------------------------------------------------------===//

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <unistd.h>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// The longest input.
static constexpr size_t kMaxBytes = 16384;

/// What a handler of signals may print: which input it was.
static char current[64];

static void die(int signal) {
  const char *what = signal == SIGALRM ? "timeout" : "crash";
  const char *const texts[] = {"\nerror: ", what, current};
  for (const char *text : texts)
    if (write(STDERR_FILENO, text, std::strlen(text)) < 0)
      break;
  _exit(1);
}

namespace {

class Mutator {
public:
  explicit Mutator(std::vector<std::string> seeds) : seeds(std::move(seeds)) {
    for (const std::string &seed : this->seeds)
      collectWords(seed);
    for (const char *number :
         {"0", "1", "-1", "31", "32", "33", "255", "65535", "65536",
          "2147483647", "2147483648", "4294967295", "4294967296",
          "9223372036854775807", "18446744073709551616", "1e99", "0x7fffffff"})
      words.push_back(number);
  }

  /// The input number `index`: the same for the same seed.
  std::string input(uint64_t seed, uint64_t index) {
    random.seed(seed * 0x9e3779b97f4a7c15u + index);
    std::string text = pick(seeds);
    // Few, so that much of the text stays what it is.
    for (uint64_t left = 1 + below(3); left; --left)
      mutate(text);
    if (text.size() > kMaxBytes)
      text.resize(kMaxBytes);
    return text;
  }

private:
  uint64_t below(uint64_t count) { return random() % count; }
  const std::string &pick(const std::vector<std::string> &from) {
    return from[below(from.size())];
  }
  static bool isWord(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
           (c >= 'A' && c <= 'Z') || c == '_' || c == '%' || c == '$' ||
           c == '.' || c == ':';
  }

  /// The end of the word or of the one other character at `begin`.
  static size_t wordEnd(const std::string &text, size_t begin) {
    size_t end = begin;
    while (end < text.size() && isWord(text[end]))
      ++end;
    return std::max(end, begin + 1);
  }

  static char kindOf(char c) {
    return c >= '0' && c <= '9' ? '0' : c >= 'a' && c <= 'z' ? 'a' : c;
  }

  void collectWords(const std::string &text) {
    for (size_t i = 0; i < text.size();) {
      size_t end = wordEnd(text, i);
      words.push_back(text.substr(i, end - i));
      i = end;
    }
  }

  /// A line, a word or a few bytes.
  std::pair<size_t, size_t> range(const std::string &text) {
    size_t begin = below(text.size()), end;
    switch (below(3)) {
    case 0:
      begin = text.rfind('\n', begin) + 1;
      end = text.find('\n', begin);
      return {begin, end == std::string::npos ? text.size() : end + 1};
    case 1:
      while (begin && isWord(text[begin]) && isWord(text[begin - 1]))
        --begin;
      return {begin, wordEnd(text, begin)};
    default:
      return {begin, std::min(text.size(), begin + 1 + below(16))};
    }
  }

  void mutate(std::string &text) {
    if (text.empty()) {
      text = pick(words);
      return;
    }
    auto [begin, end] = range(text);
    if (end <= begin)
      return;
    std::string part = text.substr(begin, end - begin);
    switch (below(10)) {
    case 0:
      text.erase(begin, end - begin);
      break;
    case 1:
      text.insert(below(text.size() + 1), part);
      break;
    case 2:
      text.replace(begin, end - begin, pick(words));
      break;
    case 3:
      text.insert(begin, pick(words));
      break;
    case 4:
      text[begin] = char(below(256));
      break;
    case 5: {
      const std::string &other = pick(seeds);
      if (other.empty())
        break;
      auto [from, to] = range(other);
      text.replace(begin, end - begin, other.substr(from, to - from));
      break;
    }
    case 6:
      text[begin] = char(text[begin] ^ 1 << below(8));
      break;
    default: {
      // Another one that looks alike: number, register, name or modifier.
      while (begin && isWord(text[begin]) && isWord(text[begin - 1]))
        --begin;
      end = wordEnd(text, begin);
      for (unsigned tries = 0; tries < 64; ++tries) {
        const std::string &word = pick(words);
        if (kindOf(word[0]) != kindOf(text[begin]))
          continue;
        text.replace(begin, end - begin, word);
        break;
      }
    }
    }
  }

  std::vector<std::string> seeds, words;
  std::mt19937_64 random;
};

} // namespace

int main(int argc, char **argv) {
  uint64_t runs = 1000, seed = 1, timeout = 20, only = UINT64_MAX;
  std::vector<std::filesystem::path> files;
  for (int i = 1; i < argc; ++i) {
    std::string text = argv[i];
    size_t equals = text.find('=');
    std::string option = text.substr(0, equals);
    uint64_t value =
        equals == std::string::npos
            ? 0
            : std::strtoull(text.c_str() + equals + 1, nullptr, 10);
    if (option == "-runs")
      runs = value;
    else if (option == "-seed")
      seed = value;
    else if (option == "-timeout")
      timeout = value;
    else if (option == "-only")
      only = value;
    else {
      std::error_code problem;
      for (const auto &entry :
           std::filesystem::directory_iterator(text, problem))
        files.push_back(entry.path());
      if (problem) {
        std::fprintf(stderr, "error: cannot read the folder '%s': %s\n",
                     text.c_str(), problem.message().c_str());
        return 1;
      }
    }
  }
  std::sort(files.begin(), files.end());
  std::vector<std::string> seeds;
  for (const auto &path : files) {
    std::ifstream file(path, std::ios::binary);
    seeds.emplace_back(std::istreambuf_iterator<char>(file),
                       std::istreambuf_iterator<char>());
  }
  if (seeds.empty()) {
    std::fprintf(stderr, "error: no seeds\n");
    return 1;
  }
  for (int signal :
       {SIGALRM, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP})
    std::signal(signal, die);
  Mutator mutator(std::move(seeds));
  uint64_t first = only == UINT64_MAX ? 0 : only;
  uint64_t last = only == UINT64_MAX ? runs : only + 1;
  for (uint64_t i = first; i < last; ++i) {
    std::string input = mutator.input(seed, i);
    if (only != UINT64_MAX)
      std::fwrite(input.data(), 1, input.size(), stdout);
    std::snprintf(current, sizeof(current), ": input %llu of -seed=%llu\n",
                  static_cast<unsigned long long>(i),
                  static_cast<unsigned long long>(seed));
    alarm(unsigned(timeout));
    LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t *>(input.data()),
                           input.size());
  }
  alarm(0);
  std::printf("%llu inputs from %zu seeds: no crash, no timeout\n",
              static_cast<unsigned long long>(last - first), files.size());
  return 0;
}
