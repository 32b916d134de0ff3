# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Inputs as files that PyTorch makes: fusion-run draws 20 million elements in a second, and long attention has 200
million."""

import shutil

import processes


class InputFiles:
    """The inputs of the workload that was asked for last: its variants read the files of the chosen schedule."""

    def __init__(self, context):
        self.context, self.folder = context, context.scratch / "inputs"
        self.request, self.files = None, {}

    def of(self, family, workload, limit):
        """{number of an input: file}; none where PyTorch is missing, and fusion-run draws them. Raises RuntimeError
        where PyTorch must choose the range of integers and does not."""
        if self.context.peers.missing:
            return {}
        request = processes.peer_request(family, workload, "inputs")
        if request != self.request:
            self.request = None
            shutil.rmtree(self.folder, ignore_errors=True)
            self.folder.mkdir(parents=True)
            files = {str(number): str(self.folder / f"input{number}.npy") for number in range(len(workload.inputs))}
            answer = self.context.peers.ask({**request, "files": files}, limit)
            if not answer["ok"]:
                if any(element == "i32" for _, element in workload.inputs):
                    raise RuntimeError(f"inputs: {answer['error']}")
                return {}
            self.request, self.files = request, {int(number): path for number, path in files.items()}
        return self.files

    def options(self, family, workload, limit):
        """The files as options of fusion-run."""
        return [f"--input={number}:{path}" for number, path in self.of(family, workload, limit).items()]
