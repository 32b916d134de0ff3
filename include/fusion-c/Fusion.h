/*===- Fusion.h - The compiler and its runtime in C --------------*- C -*-===*\
|*                                                                            *|
|* Part of the Fusion project, under the Apache License v2.0 with LLVM        *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* From the text of an MLIR module to code and a manifest (docs/manifest.md), *|
|* and the execution of the manifest's plans. Nothing of MLIR or of C++ shows *|
|* here, so that a binding needs neither. Objects belong to the caller, who   *|
|* destroys them; what a function returns a pointer into lives as long as the *|
|* object. Compiling is safe from several threads; a plan runs one call at a  *|
|* time, further callers wait.                                                *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef FUSION_C_FUSION_H
#define FUSION_C_FUSION_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Text that need not end in a zero. */
typedef struct FusionText {
  const char *data;
  size_t length;
} FusionText;

typedef enum FusionSeverity {
  FusionNote,
  FusionRemark,
  FusionWarning,
  FusionError
} FusionSeverity;

/** One message of the compiler or the runtime. A note belongs to the message
 *  before it. Lines and columns count from 1; `file` is empty and `line` 0
 *  where the message has no place in a source. */
typedef struct FusionDiagnostic {
  FusionSeverity severity;
  FusionText message;
  FusionText file;
  unsigned line;
  unsigned column;
} FusionDiagnostic;

/** What the caller is told and asked while a function works; any of the two may
 *  be null. `diagnose` is called by any thread, one at a time. `proceed` is
 *  called by the calling thread before each pass and each launch with what is
 *  being done, and in long passes and during launches on the emulator more
 *  often, with an empty text; 0 stops the work, and the function fails: with
 *  one error that says so, whatever else happens on the way out. */
typedef struct FusionCallbacks {
  void (*diagnose)(const FusionDiagnostic *diagnostic, void *user);
  int (*proceed)(FusionText what, void *user);
  void *user;
} FusionCallbacks;

/*===----------------------------------------------------------------------===*\
|* Compiling                                                                  *|
\*===----------------------------------------------------------------------===*/

/** All zero: the defaults. */
typedef struct FusionCompileOptions {
  FusionText chip;         /**< such as `sm_80`; empty: sm_80 */
  FusionText fileName;     /**< of the module, for diagnostics */
  FusionText f32Products;  /**< `f32`, `tf32` or `tf32-cut`; empty: as the module
                                says (docs/numerics.md) */
  FusionText exponentials; /**< `guarded`, `difference` or `fma`
                                (docs/numerics.md); empty: as the module says */
  FusionText passPipeline; /**< `builtin.module(…)`; empty: the default one. Its
                                options name the chip and force fusion: `chip`
                                or `forceFusion` beside it is an error */
  int forceFusion;         /**< fuse what is legal, whatever the cost says */
  int remarks;             /**< report what was fused and why, as remarks */
  FusionText f8Products;   /**< `f32` or `coarse`; empty: as the module says */
} FusionCompileOptions;

typedef struct FusionProgram FusionProgram;

/** Compiles the module `source` of functions over tensors (text or bytecode).
 *  `options` may be null: the defaults. Null after an error, which was reported. */
FusionProgram *fusionCompile(FusionText source,
                             const FusionCompileOptions *options,
                             const FusionCallbacks *callbacks);
/** Empty for a chip that is a CPU. */
FusionText fusionProgramPTX(const FusionProgram *program);
/** The bytes of an ELF object for a chip that is a CPU, else empty. */
FusionText fusionProgramObject(const FusionProgram *program);
/** The plan as JSON, with the PTX or the object in it. */
FusionText fusionProgramManifest(const FusionProgram *program);
/** The module of groups with their schedules, which `tile-pipeline` takes;
 *  empty after a pipeline of one's own. */
FusionText fusionProgramGroups(const FusionProgram *program);
void fusionProgramDestroy(FusionProgram *program);

/** Name number `index` of the chips that can be compiled for; empty past the
 *  last one. */
FusionText fusionChipName(size_t index);
/** 1 if the chip of a name is a CPU, whose code the machine's CPU executes; 0 if
 *  it is a GPU, or there is no such chip. */
int fusionChipIsCpu(FusionText name);
/** The machine that the chip `host` is, as text: two machines with the same text
 *  get the same code. */
FusionText fusionHostCpu(void);
/** The versions of Fusion and of the LLVM it works with. */
FusionText fusionVersion(void);

/*===----------------------------------------------------------------------===*\
|* Running                                                                    *|
\*===----------------------------------------------------------------------===*/

typedef enum FusionDeviceKind {
  FusionEmulator, /**< executes PTX on the CPU, and counts */
  FusionCuda,     /**< a GPU of the CUDA driver */
  FusionCpu       /**< the machine's CPU, whose memory is the host's */
} FusionDeviceKind;

typedef struct FusionRunOptions {
  FusionDeviceKind device;
  int sanitize;  /**< emulator: look for races and bad accesses */
  uint64_t seed; /**< emulator: draws the order in which warps run */
  int ordinal;   /**< CUDA: the number of the GPU */
  unsigned threads; /**< CPU: threads with the calling one; 0: as many as the
                         loaded OpenMP runtime says, without one one per core */
} FusionRunOptions;

/** A dense row-major tensor in host memory. `type` is spelled as in MLIR
 *  (`f16`, `i1`, …); an `i1` is a byte, 0 or 1. */
typedef struct FusionTensor {
  FusionText type;
  size_t rank;
  const int64_t *shape;
  void *data;
} FusionTensor;

typedef struct FusionPlan FusionPlan;
typedef struct FusionRun FusionRun;

/** Whether a text is a manifest, with or without its code. 0 if so. */
int fusionManifestCheck(FusionText manifest, const FusionCallbacks *callbacks);

/** A manifest that carries its code, made ready to run on a device. `options` may
 *  be null: the emulator. Null after an error, as for a kind of device that there
 *  is not, or that does not execute this code. */
FusionPlan *fusionPlanCreate(FusionText manifest,
                             const FusionRunOptions *options,
                             const FusionCallbacks *callbacks);
void fusionPlanDestroy(FusionPlan *plan);

/** Calls `function` with copies of `inputs`. Null after an error. */
FusionRun *fusionPlanRun(FusionPlan *plan, FusionText function,
                         const FusionTensor *inputs, size_t count,
                         const FusionCallbacks *callbacks);
size_t fusionRunResults(const FusionRun *run);
/** A result; its memory belongs to `run`. */
FusionTensor fusionRunResult(const FusionRun *run, size_t index);
size_t fusionRunResultBytes(const FusionRun *run, size_t index);
/** What was launched, as a JSON array with an object per launch: `name`,
 *  `grid`, `block`, `cluster`, `dynamic_shared_memory`, `counters` and
 *  `sanitizer` (docs/fusion-run.md). */
FusionText fusionRunLaunches(const FusionRun *run);
/** Bytes of memory for the intermediate results between the launches: those
 *  that are never in use at the same time share it. */
size_t fusionRunTemporaryBytes(const FusionRun *run);
void fusionRunDestroy(FusionRun *run);

/* Calls on tensors that are in the device's memory. That of a CPU is the host's:
 * addresses are pointers, aligned to 16 bytes, and a call has ended when
 * `fusionCallStart` returns. */

typedef struct FusionCall FusionCall;

/** `function` at the types and shapes of `inputs`, to be started any number of
 *  times, also from several threads. Of `data`, only that of scalars is looked
 *  at (host memory). Null after an error. The plan must outlive the call. */
FusionCall *fusionCallPrepare(FusionPlan *plan, FusionText function,
                              const FusionTensor *inputs, size_t count,
                              const FusionCallbacks *callbacks);
size_t fusionCallResults(const FusionCall *call);
/** Type and shape of a result; `data` is null, or for a number that is known
 *  before the call its bytes in host memory, which belong to `call`. */
FusionTensor fusionCallResult(const FusionCall *call, size_t index);
size_t fusionCallResultBytes(const FusionCall *call, size_t index);
/** Bytes that `fusionCallStart` needs beside the results, aligned to 256. */
size_t fusionCallWorkspaceBytes(const FusionCall *call);
/** Puts the launches into a stream (a `CUstream`, null: the default stream).
 *  Nothing is allocated, copied from or to the host, or waited for: a CUDA
 *  graph can capture it. `inputs` and `results` are addresses in the device's
 *  memory, one for each; those of scalars are not looked at. 0 on success. */
int fusionCallStart(const FusionCall *call, const uint64_t *inputs,
                    const uint64_t *results, uint64_t workspace, void *stream,
                    const FusionCallbacks *callbacks);
void fusionCallDestroy(FusionCall *call);

/** Memory of the plan's device; 0 after an error. */
uint64_t fusionPlanAllocate(FusionPlan *plan, size_t bytes,
                            const FusionCallbacks *callbacks);
/** Waits for what the device does, then frees. */
void fusionPlanFree(FusionPlan *plan, uint64_t address);
/** Copies to (`toDevice`) or from the device, after all that it does. 0 on
 *  success. */
int fusionPlanCopy(FusionPlan *plan, int toDevice, uint64_t device, void *host,
                   size_t bytes, const FusionCallbacks *callbacks);
/** Lets `waiting` go on when what is in `stream` now has ended. 0 on success. */
int fusionPlanWait(FusionPlan *plan, void *waiting, void *stream,
                   const FusionCallbacks *callbacks);
/** The number of the GPU that an address is on; -1 where it is on none. */
int fusionCudaDeviceOf(uint64_t address);

#ifdef __cplusplus
}
#endif

#endif /* FUSION_C_FUSION_H */
