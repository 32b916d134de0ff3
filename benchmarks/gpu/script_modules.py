# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs of this folder, which have no suffix, as modules."""

import functools
import importlib.machinery
import importlib.util
import pathlib
import sys

FOLDER = pathlib.Path(__file__).resolve().parent


def load_anew(name):
    """The program `name` as a module, executed anew in each call."""
    loader = importlib.machinery.SourceFileLoader(f"gpu_{name}", str(FOLDER / name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    # Data classes look their module up.
    sys.modules[loader.name] = module
    loader.exec_module(module)
    return module


@functools.cache
def load(name):
    """The program `name` as a module, executed once."""
    return load_anew(name)
