/*===- main.c - Compiles a module and runs it on the emulator ---*- C -*--===*\
|*                                                                            *|
|* Part of the Fusion project, under the Apache License v2.0 with LLVM        *|
|* Exceptions. See LICENSE for license information.                           *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
|*===----------------------------------------------------------------------===*|
|*                                                                            *|
|*   run-module FILE CHIP [STOP]                                              *|
|*                                                                            *|
|* FILE has @scale, from 4 x f32 and a number to 4 x f32. The work is stopped *|
|* when the pass or kernel STOP is about to begin. Exit code 0: all went well *|
|* and the result was printed.                                                *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

#include "fusion-c/Fusion.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static FusionText text(const char *string) {
  FusionText result = {string, strlen(string)};
  return result;
}

static void diagnose(const FusionDiagnostic *diagnostic, void *user) {
  static const char *const names[] = {"note", "remark", "warning", "error"};
  (void)user;
  if (diagnostic->line)
    printf("%.*s:%u:%u: ", (int)diagnostic->file.length, diagnostic->file.data,
           diagnostic->line, diagnostic->column);
  printf("%s: %.*s\n", names[diagnostic->severity],
         (int)diagnostic->message.length, diagnostic->message.data);
}

static int proceed(FusionText what, void *user) {
  const char *stop = user;
  return !stop || strlen(stop) != what.length ||
         memcmp(stop, what.data, what.length) != 0;
}

static char *readFile(const char *name, size_t *length) {
  FILE *file = fopen(name, "rb");
  char *data;
  if (!file)
    return NULL;
  fseek(file, 0, SEEK_END);
  *length = (size_t)ftell(file);
  rewind(file);
  data = malloc(*length + 1);
  if (data && fread(data, 1, *length, file) != *length) {
    free(data);
    data = NULL;
  }
  fclose(file);
  return data;
}

/* Prints the result of the plan's function at 1, 2, 3, 4 and a half. */
static int run(FusionPlan *plan, const FusionCallbacks *callbacks) {
  float numbers[4] = {1, 2, 3, 4}, factor = 0.5f;
  int64_t shape[1] = {4};
  FusionTensor inputs[2];
  FusionTensor result;
  FusionRun *made;
  size_t i;
  inputs[0].type = inputs[1].type = text("f32");
  inputs[0].rank = 1;
  inputs[0].shape = shape;
  inputs[0].data = numbers;
  inputs[1].rank = 0;
  inputs[1].shape = NULL;
  inputs[1].data = &factor;
  made = fusionPlanRun(plan, text("scale"), inputs, 2, callbacks);
  if (!made)
    return 1;
  result = fusionRunResult(made, 0);
  printf("%.*s[%lld]:", (int)result.type.length, result.type.data,
         (long long)result.shape[0]);
  for (i = 0; i < fusionRunResultBytes(made, 0) / sizeof(float); ++i)
    printf(" %g", ((const float *)result.data)[i]);
  printf("\n%lu bytes of temporaries, launches %.*s\n",
         (unsigned long)fusionRunTemporaryBytes(made),
         (int)fusionRunLaunches(made).length, fusionRunLaunches(made).data);
  fusionRunDestroy(made);
  return 0;
}

int main(int argc, char **argv) {
  FusionCallbacks callbacks = {diagnose, proceed, NULL};
  FusionCompileOptions options;
  FusionRunOptions how = {FusionEmulator, 1, 0, 0, 0};
  FusionProgram *program;
  FusionPlan *plan;
  FusionText source;
  char *data;
  int failed;
  if (argc < 3) {
    printf("%.*s\nrun-module FILE CHIP [STOP]\n", (int)fusionVersion().length,
           fusionVersion().data);
    return 2;
  }
  callbacks.user = argc > 3 ? argv[3] : NULL;
  data = readFile(argv[1], &source.length);
  if (!data) {
    printf("%s cannot be read\n", argv[1]);
    return 2;
  }
  source.data = data;
  memset(&options, 0, sizeof options);
  options.chip = text(argv[2]);
  options.fileName = text(argv[1]);
  program = fusionCompile(source, &options, &callbacks);
  free(data);
  if (!program)
    return 1;
  plan = fusionPlanCreate(fusionProgramManifest(program), &how, &callbacks);
  fusionProgramDestroy(program);
  if (!plan)
    return 1;
  failed = run(plan, &callbacks);
  fusionPlanDestroy(plan);
  return failed;
}
