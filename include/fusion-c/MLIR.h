/*===- MLIR.h - Fusion's dialects and passes for MLIR's C API -----*- C -*-===*\
|*                                                                            *|
|* Part of the Fusion project, under the Apache License v2.0 with LLVM        *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|* For compilers that work with MLIR through its own C API and keep modules   *|
|* in their own contexts; who has a module as text needs Fusion.h alone.      *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#ifndef FUSION_C_MLIR_H
#define FUSION_C_MLIR_H

#include "mlir-c/IR.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Adds the dialects `fuse` and `tile`, upstream's that they are used with, and
 *  the interfaces and translations that the passes need. A context needs all of
 *  them before it runs a pass. */
MLIR_CAPI_EXPORTED void
fusionRegisterDialects(MlirDialectRegistry registry);

/** Makes Fusion's passes and pipelines known by their names, as
 *  `mlirParsePassPipeline` and `mlirOpPassManagerAddPipeline` take them:
 *  "builtin.module(fuse-to-nvvm{chip=sm_90a})". For the whole process; further
 *  calls change nothing, and any thread may call it. */
MLIR_CAPI_EXPORTED void fusionRegisterPasses(void);

#ifdef __cplusplus
}
#endif

#endif /* FUSION_C_MLIR_H */
