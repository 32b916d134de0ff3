# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Sourced by the scripts beside it: where things are and how to speak.

set -euo pipefail

root="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
build="$root/build"
venv="$build/venv"

say() { printf '%s\n' "$*" >&2; }
die() { say "error: $*"; exit 1; }

# The folder of a CUDA tool: PATH, then CUDA_HOME, then NVIDIA's package in our Python environment.
cuda_tool_folder() {
  local name="$1" candidate
  if candidate="$(command -v "$name")"; then
    dirname "$candidate"
    return
  fi
  for candidate in "${CUDA_HOME:+$CUDA_HOME/bin/$name}" \
                   "$venv"/lib/python3*/site-packages/nvidia/*/bin/"$name"; do
    if [[ -n "$candidate" && -x "$candidate" ]]; then
      dirname "$candidate"
      return
    fi
  done
  return 1
}

# Compiling MLIR takes up to 1.5 GB a job.
build_jobs() {
  local cores memory
  cores="$(nproc)"
  memory="$(awk '/^MemAvailable/ { print int($2 / 1.5e6) }' /proc/meminfo)"
  (( memory < 1 )) && memory=1
  echo $(( memory < cores ? memory : cores ))
}
