//===- Session.cpp - One run of fusion-run over a module ------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Session.h"
#include "Inputs.h"
#include "OutputFiles.h"
#include "Subnormals.h"
#include "fusion/Analysis/Groups/UninitializedReads.h"
#include "fusion/Dialect/Fuse/IR/Exponentials.h"
#include "fusion/Dialect/Fuse/IR/FuseDialect.h"
#include "fusion/Dialect/Tile/IR/NativeKernels.h"
#include "fusion/Dialect/Tile/IR/TileDialect.h"
#include "fusion/Pipelines/Compile.h"
#include "fusion/Runtime/Npy.h"
#include "fusion/Support/Interrupt.h"
#include "fusion/Support/Remark.h"
#include "fusion/Target/Chips/ChipTable.h"
#include "fusion/Toolchain/Ptxas.h"
#include "fusion/Tuning/GroupMeasurement.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace fusion;
using namespace fusion::run;
using llvm::Error;
using llvm::Expected;
using llvm::Twine;

namespace {

Expected<std::string> readFile(const std::string &path) {
  auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!file)
    return llvm::createStringError(path + ": " + file.getError().message());
  return (*file)->getBuffer().str();
}

void printTuned(llvm::raw_ostream &os, const TunedGroup &group) {
  os << "tuned the group";
  if (std::optional<mlir::FileLineColLoc> found =
          findFileLocation(group.location))
    os << " at " << found->getFilename().getValue() << ":" << found->getLine()
       << ":" << found->getColumn();
  os << ": ";
  if (group.ran)
    os << llvm::format("%.2f us, the least of ", group.least * 1e6) << group.ran
       << (group.measuredBy == "device" ? " schedules by the clock"
           : group.measuredBy == "timing"
               ? " schedules by the timing"
               : " schedules by the emulator's counts")
       << llvm::format("; the model's choice %.2f us", group.first * 1e6);
  else
    os << "no schedule ran, the model decides";
  if (group.failed)
    os << "; " << group.failed << " did not run, the last one since "
       << group.why;
  os << "\n";
}

/// Adds a finding unless an equal one was made under another schedule.
void addFinding(std::vector<emulator::Finding> &findings,
                const emulator::Finding &finding) {
  auto key = [](const emulator::Finding &f) {
    return std::tie(f.kind, f.kernel, f.line, f.otherLine, f.block, f.thread,
                    f.message);
  };
  if (llvm::none_of(findings, [&](const emulator::Finding &known) {
        return key(known) == key(finding);
      }))
    findings.push_back(finding);
}

} // namespace

/// Returns the error that Ctrl-C makes of the work that was in flight.
static Error stopped() {
  return llvm::createStringError(
      "stopped by Ctrl-C before the results were compared");
}

/// Returns messages about the operations that read tensors without values, and
/// on which the result depends.
static std::vector<std::string>
describeUninitialized(mlir::func::FuncOp function, unsigned result) {
  std::vector<std::string> texts;
  for (mlir::OpOperand *operand : listUninitializedReads(function, result)) {
    std::string at;
    if (std::optional<mlir::FileLineColLoc> place =
            findFileLocation(operand->getOwner()->getLoc()))
      at = llvm::formatv("{0}:{1}:{2}: ", place->getFilename().getValue(),
                         place->getLine(), place->getColumn());
    texts.push_back(at + describeUninitializedRead(*operand));
  }
  return texts;
}

Error Session::selectFunctions() {
  for (auto function : module.getOps<mlir::func::FuncOp>()) {
    if (function.isExternal())
      continue;
    if (options.entry.empty() ? function.isPublic()
                              : function.getName() == options.entry)
      entries.push_back(function);
  }
  if (entries.empty())
    return options.entry.empty()
               ? llvm::createStringError(
                     "the module has no public function with a body")
               : llvm::createStringError("there is no function '" +
                                         options.entry + "' with a body");
  if (!entries.front().isPublic())
    return llvm::createStringError("function '" + options.entry +
                                   "' is private");
  unsigned inputs = 0;
  for (mlir::func::FuncOp function : entries)
    inputs = std::max(inputs, function.getNumArguments());
  auto check = [&](unsigned index, const char *option) {
    return index < inputs
               ? Error::success()
               : llvm::createStringError("--" + Twine(option) +
                                         ": there is no input " + Twine(index));
  };
  for (const auto &entry : options.inputFiles)
    if (Error error = check(entry.first, "input"))
      return error;
  for (const auto &entry : options.shapes)
    if (Error error = check(entry.first, "shape"))
      return error;
  // Functions that are not asked for need not compile.
  if (!options.entry.empty())
    for (auto function :
         llvm::make_early_inc_range(module.getOps<mlir::func::FuncOp>()))
      if (function != entries.front() &&
          mlir::SymbolTable::symbolKnownUseEmpty(function, module))
        function.erase();
  return Error::success();
}

Error Session::compilePlan() {
  // Set the module's attributes, so that a custom pipeline sees them, too.
  auto say = [&](llvm::StringRef attribute, const std::string &how) {
    if (!how.empty())
      module->setAttr(attribute,
                      mlir::StringAttr::get(module.getContext(), how));
  };
  say(fuse::kF32ProductsAttrName, options.f32Products);
  say(fuse::kF8ProductsAttrName, options.f8Products);
  say(fuse::kExponentialsAttrName, options.exponentials);
  if (options.waitLimit)
    module->setAttr(
        tile::kWaitLimitAttrName,
        mlir::IntegerAttr::get(mlir::IntegerType::get(module.getContext(), 64),
                               options.waitLimit));
  if (!options.instructions.empty()) {
    module.getContext()->loadDialect<fuse::FuseDialect>();
    module->setAttr(
        tile::kInstructionsAttrName,
        fuse::ChipAttr::get(module.getContext(), options.instructions));
  }
  std::string json, ptx;
  if (!options.manifestFile.empty()) {
    Expected<std::string> text = readFile(options.manifestFile);
    if (!text)
      return text.takeError();
    json = std::move(*text);
    if (!options.ptxFile.empty()) {
      text = readFile(options.ptxFile);
      if (!text)
        return text.takeError();
      ptx = std::move(*text);
    }
  } else {
    CompileOptions compileOptions;
    compileOptions.chip = options.chip;
    compileOptions.forceFusion = options.forceFusion;
    compileOptions.passPipeline = options.passPipeline;
    compileOptions.keepGroups = !options.groupsFile.empty();
    std::optional<DeviceMeasurer> measurer;
    if (options.measured) {
      measurer.emplace(*lookupChip(options.chip), options.measured,
                       [this] { return createMeasuringDevice(); });
      compileOptions.measurer = &*measurer;
    }
    Expected<CompiledModule> compiled = fusion::compile(module, compileOptions);
    if (!compiled)
      return compiled.takeError();
    if (measurer)
      for (const auto &group : measurer->tuned())
        printTuned(llvm::outs(), *group);
    if (!options.groupsFile.empty())
      if (Error error = writeText(options.groupsFile, compiled->groups))
        return error;
    json = std::move(compiled->manifestJson);
    ptx = std::move(compiled->ptx);
  }
  Expected<Manifest> parsed = Manifest::parse(json);
  if (!parsed)
    return options.manifestFile.empty()
               ? parsed.takeError()
               : llvm::createStringError(options.manifestFile + ": " +
                                         llvm::toString(parsed.takeError()));
  manifest = std::move(*parsed);
  if (!ptx.empty())
    manifest->ptx = std::move(ptx);
  if (!manifest->hasCode())
    return llvm::createStringError(
        "the manifest has no PTX: give it by --ptx=FILE");
  return Error::success();
}

Error Session::prepare() {
  if (Error error = selectFunctions())
    return error;
  device = options.device;
  if (device == DeviceChoice::Auto) {
    Expected<std::unique_ptr<Device>> cuda = createCudaDevice();
    device = cuda ? DeviceChoice::Cuda : DeviceChoice::Emulator;
    if (!cuda)
      llvm::errs() << "fusion-run: note: --device=auto takes the emulator: "
                   << llvm::toString(cuda.takeError()) << "\n";
  }
  if (device != DeviceChoice::Reference)
    if (Error error = compilePlan())
      return error;
  // A plan that was compiled earlier says what it is for.
  if (options.device == DeviceChoice::Auto && manifest->isNative())
    device = DeviceChoice::Cpu;
  if (InterruptGuard::isInterrupted())
    return stopped();
  if (options.useReference || device == DeviceChoice::Reference) {
    Expected<std::unique_ptr<Reference>> compiled =
        Reference::compile(module, options.threads);
    if (!compiled)
      return compiled.takeError();
    reference = std::move(*compiled);
  }
  return Error::success();
}

Expected<std::unique_ptr<Device>> Session::createMeasuringDevice() {
  bool isTimed =
      findPtxas() && findNvidiaTool("nvdisasm") && options.gpcs.empty();
  // All schedules are timed alike.
  return createDevice(/*schedule=*/0, isTimed, /*isWarm=*/true,
                      timing::CodeChoice::Sass);
}

Expected<std::unique_ptr<Device>>
Session::createDevice(uint64_t schedule, bool isTimed, bool isWarm,
                      timing::CodeChoice code) {
  if (device == DeviceChoice::Cuda)
    return createCudaDevice();
  if (device == DeviceChoice::Cpu) {
    CpuOptions cpu;
    cpu.threads = options.threads;
    cpu.proceed = [] { return !InterruptGuard::isInterrupted(); };
    return createCpuDevice(cpu);
  }
  EmulatorOptions emulator;
  emulator.sanitize = options.sanitize;
  emulator.seed = options.seed + schedule;
  // How many bytes reach DRAM depends on the size of the chip's L2. Schedules
  // are measured before there is a plan.
  const std::string &name = manifest ? manifest->chip : options.chip;
  if (const ChipInfo *chip = lookupChip(name); chip && !chip->isCpu()) {
    emulator.l2Bytes = chip->l2Bytes;
    emulator.processors = processorsOf(*chip);
    if (isTimed)
      emulator.timedChip = chip;
    emulator.isTimedWarm = isWarm;
    emulator.timedCode = code;
  } else if (isTimed) {
    return llvm::createStringError("--time: unknown chip '" + name +
                                   "'; known chips are " + knownGpuNames());
  } else if (!options.gpcs.empty()) {
    return llvm::createStringError("--gpcs: what an SM of '" + name +
                                   "' holds is not known; known chips are " +
                                   knownGpuNames());
  }
  if (!options.gpcs.empty())
    emulator.processors.gpcs = options.gpcs;
  emulator.proceed = [] { return !InterruptGuard::isInterrupted(); };
  return createEmulatorDevice(emulator);
}

Error Session::runOnDevice(const std::string &name,
                           llvm::ArrayRef<HostTensor> inputs,
                           FunctionReport &report, Check check) {
  const FunctionPlan *plan = manifest->function(name);
  if (!plan)
    return llvm::createStringError("the manifest has no function '" + name +
                                   "'");
  report.chip = manifest->chip;
  unsigned schedules = device == DeviceChoice::Emulator ? options.schedules : 1;
  std::vector<HostTensor> results;
  for (unsigned schedule = 0; schedule < schedules; ++schedule) {
    // The first of several orders of warps is timed.
    Expected<std::unique_ptr<Device>> target =
        createDevice(schedule, options.time && schedule == 0, options.isWarm,
                     options.timeCode.value_or(timing::CodeChoice::Best));
    if (!target)
      return target.takeError();
    if (!manifest->kernels.empty())
      if (Error error = (*target)->loadModule(*manifest))
        return error;
    // The emulator and the CPU ask whether to continue. A GPU does not: while
    // it works, Ctrl-C ends the process.
    std::optional<InterruptGuard::Pause> pause;
    ExecuteOptions execution;
    execution.maxClusters = options.activeClusters;
    if (device == DeviceChoice::Cpu) {
      report.deviceName = (*target)->name();
      execution.measure = options.time;
    }
    if (device == DeviceChoice::Cuda) {
      report.assembler = (*target)->assembler();
      report.deviceName = (*target)->name();
      execution.measure = true;
      pause.emplace();
      // If a kernel hangs while it is timed, earlier results are not lost.
      execution.beforeMeasuring = [&](const Execution &run) -> Error {
        report.launches = run.launches;
        report.temporaryBytes = run.temporaryBytes;
        pause.reset();
        if (Error error = check(run.results))
          return error;
        if (Error error = onChecked ? onChecked(report) : Error::success())
          return error;
        pause.emplace();
        return Error::success();
      };
    }
    Expected<Execution> run =
        execute(*manifest, *plan, **target, inputs, execution);
    pause.reset();
    if (!run)
      return run.takeError();
    for (const LaunchReport &launch : run->launches)
      for (const emulator::Finding &finding : launch.findings)
        addFinding(report.findings, finding);
    if (schedule == 0) {
      report.launches = std::move(run->launches);
      report.measuredUs = run->measuredUs;
      report.temporaryBytes = run->temporaryBytes;
    }
    if (run->fault) {
      report.endedByFinding =
          llvm::any_of(report.findings, [&](const emulator::Finding &finding) {
            return llvm::StringRef(*run->fault).contains(finding.message);
          });
      return llvm::createStringError(*run->fault);
    }
    if (schedule == 0) {
      results = std::move(run->results);
      continue;
    }
    for (size_t i = 0; i < results.size(); ++i)
      if (run->results[i].data != results[i].data) {
        emulator::Finding finding;
        finding.kind = "schedule-dependent";
        finding.message = "result " + std::to_string(i) + " of '" + name +
                          "' depends on the order of warps (seeds " +
                          std::to_string(options.seed) + " and " +
                          std::to_string(options.seed + schedule) + ")";
        addFinding(report.findings, finding);
      }
  }
  return device == DeviceChoice::Cuda ? Error::success() : check(results);
}

Error Session::compareResults(mlir::func::FuncOp function,
                              llvm::ArrayRef<HostTensor> inputs,
                              llvm::ArrayRef<HostTensor> results,
                              llvm::ArrayRef<HostTensor> references,
                              FunctionReport &report) {
  ElementType narrowest = narrowestFloat(function);
  unsigned roundings = countRoundings(function, narrowest);
  auto said = [&](llvm::StringRef attribute) {
    auto how = module->getAttrOfType<mlir::StringAttr>(attribute);
    return how ? how.getValue() : fuse::listNumericChoices(attribute).front();
  };
  llvm::StringRef f32Products = said(fuse::kF32ProductsAttrName);
  FewerBits fewer{/*inFactors=*/f32Products != "f32",
                  /*cutsFactors=*/f32Products == "tf32-cut",
                  /*inSums=*/said(fuse::kF8ProductsAttrName) == "coarse"};
  for (size_t i = 0; i < results.size(); ++i) {
    ResultReport entry;
    entry.type = results[i].type;
    entry.shape = results[i].shape;
    if (i < references.size()) {
      const HostTensor &expected = references[i];
      if (expected.type != entry.type || expected.shape != entry.shape)
        return llvm::createStringError(
            "result " + Twine(i) + " is " + elementTypeName(entry.type) + " " +
            shapeText(entry.shape) + ", the reference's is " +
            elementTypeName(expected.type) + " " + shapeText(expected.shape));
      entry.rms = rootMeanSquare(expected);
      auto chosen = options.tolerances.find(entry.type);
      if (chosen != options.tolerances.end()) {
        entry.tolerance = chosen->second;
      } else {
        entry.tolerance = defaultTolerance(entry.type, narrowest, entry.rms,
                                           fewer, roundings);
        entry.tolerance.atol += subnormalError(function, i, inputs);
      }
      entry.comparison = compare(results[i], expected, entry.tolerance);
      if (!entry.comparison->pass)
        entry.uninitialized = describeUninitialized(function, i);
    }
    report.results.push_back(std::move(entry));
  }
  return Error::success();
}

Error Session::writeTensors(llvm::StringRef entry, const char *kind,
                            llvm::ArrayRef<HostTensor> tensors) {
  for (size_t i = 0; i < tensors.size(); ++i)
    if (Error error = writeNpy(options.outputDir + "/" + entry.str() + "." +
                                   kind + std::to_string(i) + ".npy",
                               tensors[i]))
      return error;
  return Error::success();
}

Error Session::runInto(mlir::func::FuncOp function, FunctionReport &report) {
  report.entry = function.getName().str();
  report.device = nameOf(device).str();
  Expected<std::vector<HostTensor>> inputs = makeInputs(function, options);
  if (!inputs)
    return inputs.takeError();
  auto check = [&](llvm::ArrayRef<HostTensor> results) {
    return checkResults(function, *inputs, results, report);
  };
  return device == DeviceChoice::Reference
             ? check({})
             : runOnDevice(report.entry, *inputs, report, check);
}

Error Session::checkResults(mlir::func::FuncOp function,
                            llvm::ArrayRef<HostTensor> inputs,
                            llvm::ArrayRef<HostTensor> results,
                            FunctionReport &report) {
  std::vector<HostTensor> references;
  if (reference) {
    if (InterruptGuard::isInterrupted())
      return stopped();
    Expected<Reference::Results> computed = reference->run(
        report.entry, inputs, [] { return !InterruptGuard::isInterrupted(); });
    if (!computed && InterruptGuard::isInterrupted()) {
      llvm::consumeError(computed.takeError());
      return stopped();
    }
    if (!computed)
      return computed.takeError();
    references = std::move(computed->tensors);
    report.isUndefined = computed->isUndefined;
  }
  std::vector<HostTensor> asked;
  if (device == DeviceChoice::Reference) {
    // The reference itself was asked for, so there is nothing to compare.
    asked = std::move(references);
    results = asked;
    references.clear();
  } else if (reference && results.size() != references.size()) {
    return llvm::createStringError("the plan has " + Twine(results.size()) +
                                   " results, the function " +
                                   Twine(references.size()));
  }
  if (!options.outputDir.empty()) {
    if (Error error = writeTensors(report.entry, "input", inputs))
      return error;
    if (Error error = writeTensors(report.entry, "result", results))
      return error;
    if (Error error = writeTensors(report.entry, "reference", references))
      return error;
  }
  if (Error error =
          compareResults(function, inputs, results, references, report))
    return error;
  // A difference is no error if nothing is defined.
  if (report.isUndefined && report.pass() == false)
    return llvm::createStringError(
        "the results cannot be compared: with these inputs '" + report.entry +
        "' divides integers by zero or overflows in it, or reads an element "
        "at an index outside of its tensor, which has no defined value");
  return Error::success();
}

FunctionReport Session::run(mlir::func::FuncOp function) {
  FunctionReport report;
  if (Error error = runInto(function, report))
    report.error = llvm::toString(std::move(error));
  return report;
}
