//===- Options.cpp - The command line of fusion-run -----------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Options.h"

#include "fusion/Dialect/Fuse/IR/Exponentials.h"
#include "fusion/Dialect/Fuse/IR/FuseDialect.h"
#include "fusion/Dialect/Tile/IR/TileDialect.h"
#include "fusion/Target/Chips/ChipTable.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Regex.h"
#include <cmath>
#include <optional>

using namespace fusion;
using namespace fusion::run;
using llvm::Error;
using llvm::StringRef;
using llvm::Twine;

const char *const fusion::run::helpText = R"(usage: fusion-run in.mlir [options]

Compiles an unfused module, runs the plan of its functions on a device and
compares the results with a reference computed on the CPU.

  --chip=NAME               compile for this chip (sm_80; for --device=cpu host,
                            the machine's CPU)
  --instructions=CPU        machine code of this CPU for the schedules and
                            micro-kernels of another one (that of --chip)
  --device=DEVICE           emulator, cuda, cpu (the machine's), auto (cpu for a
                            chip that is a CPU, else the machine's GPU, else the
                            emulator) or reference (the reference itself,
                            nothing is compiled); default auto
  --entry=NAME              run this function (default: every public function)
  --seed=N                  seed of the generated inputs (0)
  --input=I:FILE.npy        take input I from a file
  --shape=I:AxBx...         sizes of input I, where they are dynamic
  --output-dir=DIR          write inputs, results and references as .npy files
  --reference=cpu|none      compute the reference or do not compare (cpu)
  --tolerance=TYPE:ATOL,RTOL  for results of this type
  --pass-pipeline=PIPELINE  compile with this pipeline
  --force-fusion            fuse what is legal, whatever the cost says
  --tune=N                  run the N best schedules of every chain on the device,
                            then in rounds N beside the fastest, and take the
                            fastest; on the emulator by the timing. Stitched
                            groups have the model's schedules
  --groups=FILE             write the groups with their schedules
  --f32-products=f32|tf32|tf32-cut
                            how kernels multiply f32 factors (f32)
  --f8-products=f32|coarse  how kernels add products of 8-bit floats (f32)
  --exponentials=guarded|difference|fma
                            how exponentials of a difference are computed
                            (guarded)
  --time                    predict the times of kernels on the chip from their
                            machine code (emulator; docs/timing.md), or measure
                            them (cpu)
  --time-code=CODE          what the prediction replays: sass (machine code, by
                            ptxas and nvdisasm), ptx, or best: PTX if there is
                            no machine code that fits (best)
  --warm                    time each kernel behind another launch like it, which
                            has left its data in L2
  --sanitize                look for races and bad accesses (emulator)
  --schedules=N             run N orders of warps and compare (emulator)
  --json=FILE               write the report as JSON
  --manifest=FILE           run this plan (docs/manifest.md) and do not compile
  --ptx=FILE                its PTX, where the manifest has none
  --wait-limit=N            kernels trap after N tries of a wait for an mbarrier,
                            where they would wait for ever
  --active-clusters=N       launch persistent kernels with at most N clusters, or
                            blocks where they have none
  --gpcs=COUNTxSMS,...      the emulator's SMs, by GPC (the chip's); clusters are
                            placed in them
  --threads=N               threads of the CPU and of the reference (0: one per
                            core)
  --remarks[=REGEX]         print what the compilation did and why to the
                            standard error: all, or categories that match
  --version                 print the version

Exit code: 0 all results agree and nothing was found, 2 a result is wrong,
3 the sanitizer found something, 1 anything else.
)";

llvm::StringRef fusion::run::nameOf(DeviceChoice device) {
  switch (device) {
  case DeviceChoice::Emulator:
    return "emulator";
  case DeviceChoice::Cuda:
    return "cuda";
  case DeviceChoice::Cpu:
    return "cpu";
  case DeviceChoice::Auto:
    return "auto";
  case DeviceChoice::Reference:
    return "reference";
  }
  llvm_unreachable("covered switch");
}

namespace {

class Parser {
public:
  llvm::Expected<Options> run(llvm::ArrayRef<const char *> arguments) {
    bool hasInput = false;
    for (StringRef argument : arguments) {
      if (!argument.starts_with("-") || argument == "-") {
        if (hasInput)
          return fail("more than one input file: '" + options.input +
                      "' and '" + argument + "'");
        options.input = argument.str();
        hasInput = true;
        continue;
      }
      if (argument == "-h" || argument == "--help") {
        options.help = true;
        return options;
      }
      if (argument == "--version") {
        options.version = true;
        return options;
      }
      if (Error error = option(argument))
        return std::move(error);
    }
    if (!hasInput)
      return fail("no input file; --help lists the options");
    if (options.isWarm && !options.time)
      return fail("--warm is for --time");
    if (options.timeCode && !options.time)
      return fail("--time-code is for --time");
    if (Error error = chooseChip())
      return std::move(error);
    if (options.time && options.device == DeviceChoice::Auto)
      options.device = DeviceChoice::Emulator;
    if (options.time && options.device != DeviceChoice::Emulator &&
        options.device != DeviceChoice::Cpu)
      return fail("--time is for --device=emulator and --device=cpu");
    if ((options.isWarm || options.timeCode) &&
        options.device == DeviceChoice::Cpu)
      return fail("--warm and --time-code are for --device=emulator");
    if (!options.ptxFile.empty() && options.manifestFile.empty())
      return fail("--ptx needs --manifest");
    if (options.waitLimit && !options.manifestFile.empty())
      return fail("--wait-limit is for kernels that are compiled: it cannot be "
                  "combined with --manifest");
    for (auto [isGiven, option] :
         {std::make_pair(options.measured != 0, "--tune"),
          std::make_pair(!options.groupsFile.empty(), "--groups")}) {
      if (!isGiven)
        continue;
      if (!options.passPipeline.empty() || !options.manifestFile.empty() ||
          options.device == DeviceChoice::Reference)
        return fail(Twine(option) +
                    " is for the default pipeline: it cannot be combined with "
                    "--pass-pipeline, --manifest or --device=reference");
    }
    return options;
  }

private:
  static Error fail(const Twine &message) {
    return llvm::createStringError(message);
  }

  /// Sets the chip and the device where one follows from the other one.
  Error chooseChip() {
    bool isForCpu = options.device == DeviceChoice::Cpu;
    if (options.chip.empty())
      options.chip = isForCpu ? "host" : "sm_80";
    bool isCpu = lookupChip(options.chip)->isCpu();
    if (options.device == DeviceChoice::Auto && isCpu)
      options.device = DeviceChoice::Cpu;
    else if (options.device != DeviceChoice::Reference && isForCpu != isCpu)
      return fail("--device=" + Twine(nameOf(options.device)) +
                  " does not run what is compiled for '" + options.chip +
                  "', which is a " + (isCpu ? "CPU" : "GPU"));
    if (!options.instructions.empty() && !isCpu)
      return fail("--instructions is for CPUs, and '" + options.chip +
                  "' is a GPU");
    return Error::success();
  }

  Error option(StringRef argument) {
    StringRef text = argument.drop_front(argument.starts_with("--") ? 2 : 1);
    bool hasValue = text.contains('=');
    auto [name, value] = text.split('=');
    if (bool *flag = this->flag(name)) {
      if (hasValue && value != "true" && value != "false")
        return fail("--" + name + " takes true or false");
      *flag = !hasValue || value == "true";
      return Error::success();
    }
    if (std::string *target = this->text(name)) {
      if (value.empty())
        return fail("--" + name + " needs a value");
      *target = value.str();
      const ChipInfo *chip = lookupChip(value);
      if (name == "instructions" && !(chip && chip->isCpu()))
        return fail("--instructions: '" + value + "' is no CPU");
      if (name == "chip" && !chip)
        return fail("--chip: unknown chip '" + value + "'; known chips are " +
                    knownChipNames());
      return Error::success();
    }
    if (name == "device")
      return device(value);
    if (name == "remarks") {
      options.remarks = hasValue ? value.str() : ".*";
      std::string why;
      return llvm::Regex(*options.remarks).isValid(why)
                 ? Error::success()
                 : fail("--remarks: '" + value +
                        "' is no regular expression: " + why);
    }
    auto choose = [&](llvm::StringRef attribute, std::string &chosen) -> Error {
      llvm::SmallVector<llvm::StringRef> known =
          fuse::listNumericChoices(attribute);
      if (!llvm::is_contained(known, value))
        return fail("--" + name + " is " + fuse::orList(known));
      chosen = value.str();
      return Error::success();
    };
    if (name == "f32-products")
      return choose(fuse::kF32ProductsAttrName, options.f32Products);
    if (name == "f8-products")
      return choose(fuse::kF8ProductsAttrName, options.f8Products);
    if (name == "exponentials")
      return choose(fuse::kExponentialsAttrName, options.exponentials);
    if (name == "reference") {
      if (value != "cpu" && value != "none")
        return fail("--reference is cpu or none");
      options.useReference = value == "cpu";
      return Error::success();
    }
    if (name == "tune") {
      if (Error error = integer(name, value, options.measured))
        return error;
      return options.measured ? Error::success() : fail("--tune is at least 1");
    }
    if (name == "seed")
      return integer(name, value, options.seed);
    if (name == "schedules") {
      if (Error error = integer(name, value, options.schedules))
        return error;
      return options.schedules ? Error::success()
                               : fail("--schedules is at least 1");
    }
    if (name == "threads")
      return integer(name, value, options.threads);
    if (name == "wait-limit") {
      if (Error error = integer(name, value, options.waitLimit))
        return error;
      return options.waitLimit >= 1 && options.waitLimit <= tile::kMaxWaitTries
                 ? Error::success()
                 : fail("--wait-limit is from 1 to " +
                        Twine(tile::kMaxWaitTries));
    }
    if (name == "active-clusters") {
      if (Error error = integer(name, value, options.activeClusters.emplace()))
        return error;
      return *options.activeClusters ? Error::success()
                                     : fail("--active-clusters is at least 1");
    }
    if (name == "gpcs")
      return gpcs(value);
    if (name == "time-code") {
      options.timeCode = timing::codeChoiceOf(value);
      return options.timeCode ? Error::success()
                              : fail("--time-code is best, sass or ptx");
    }
    if (name == "input" || name == "shape")
      return indexed(name, value);
    if (name == "tolerance")
      return tolerance(value);
    return fail("unknown option '" + argument + "'; --help lists the options");
  }

  bool *flag(StringRef name) {
    if (name == "force-fusion")
      return &options.forceFusion;
    if (name == "sanitize")
      return &options.sanitize;
    if (name == "time")
      return &options.time;
    if (name == "warm")
      return &options.isWarm;
    return nullptr;
  }

  std::string *text(StringRef name) {
    std::pair<StringRef, std::string *> texts[] = {
        {"chip", &options.chip},
        {"instructions", &options.instructions},
        {"entry", &options.entry},
        {"output-dir", &options.outputDir},
        {"pass-pipeline", &options.passPipeline},
        {"groups", &options.groupsFile},
        {"json", &options.jsonFile},
        {"manifest", &options.manifestFile},
        {"ptx", &options.ptxFile}};
    for (auto &[key, target] : texts)
      if (key == name)
        return target;
    return nullptr;
  }

  template <typename T>
  static Error integer(StringRef name, StringRef value, T &target) {
    if (value.getAsInteger(10, target))
      return fail("--" + name + ": '" + value + "' is not a number");
    return Error::success();
  }

  Error device(StringRef value) {
    if (value == "emulator")
      options.device = DeviceChoice::Emulator;
    else if (value == "cuda")
      options.device = DeviceChoice::Cuda;
    else if (value == "auto")
      options.device = DeviceChoice::Auto;
    else if (value == "cpu")
      options.device = DeviceChoice::Cpu;
    else if (value == "reference")
      options.device = DeviceChoice::Reference;
    else
      return fail("--device is emulator, cuda, cpu, auto or reference");
    return Error::success();
  }

  Error indexed(StringRef name, StringRef value) {
    auto [number, rest] = value.split(':');
    unsigned index;
    if (number.getAsInteger(10, index) || rest.empty())
      return fail("--" + name + ": expected " +
                  (name == "input" ? "I:FILE.npy" : "I:AxBx...") + ", got '" +
                  value + "'");
    if (name == "input") {
      options.inputFiles[index] = rest.str();
      return Error::success();
    }
    llvm::SmallVector<int64_t> sizes;
    llvm::SmallVector<StringRef> parts;
    rest.split(parts, 'x');
    for (StringRef part : parts) {
      int64_t size;
      if (part.getAsInteger(10, size) || size < 0)
        return fail("--shape: '" + part + "' is not a size");
      sizes.push_back(size);
    }
    options.shapes[index] = std::move(sizes);
    return Error::success();
  }

  Error gpcs(StringRef value) {
    llvm::SmallVector<StringRef> groups;
    value.split(groups, ',');
    for (StringRef group : groups) {
      auto [count, sms] = group.split('x');
      GpcGroup result;
      if (count.getAsInteger(10, result.count) ||
          sms.getAsInteger(10, result.sms) || !result.count || !result.sms ||
          result.count > 1024 || result.sms > 1024)
        return fail("--gpcs: expected COUNTxSMS,..., such as 2x18,6x16, got '" +
                    value + "'");
      options.gpcs.push_back(result);
    }
    return Error::success();
  }

  Error tolerance(StringRef value) {
    auto [typeName, numbers] = value.split(':');
    auto [atol, rtol] = numbers.split(',');
    std::optional<ElementType> type = parseElementType(typeName);
    if (!type)
      return fail("--tolerance: unknown type '" + typeName + "'");
    Tolerance result;
    if (atol.getAsDouble(result.atol) || rtol.getAsDouble(result.rtol) ||
        !(result.atol >= 0) || !(result.rtol >= 0))
      return fail("--tolerance: expected TYPE:ATOL,RTOL, got '" + value + "'");
    options.tolerances[*type] = result;
    return Error::success();
  }

  Options options;
};

} // namespace

llvm::Expected<Options>
fusion::run::parseOptions(llvm::ArrayRef<const char *> arguments) {
  return Parser().run(arguments);
}
