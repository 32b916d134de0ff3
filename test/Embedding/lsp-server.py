# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# The language server answers an editor: it knows our dialects and tells of an error where it is.
# RUN: %python %s fusion-lsp-server

import json
import subprocess
import sys

TEXT = """func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = fuse.stitch ins(%a = %x : tensor<4xf32>) outs(%o = %x : tensor<4xf32>) {
    fuse.yield %nothing : tensor<4xf32>
  } -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
"""


def message(**fields):
    text = json.dumps({"jsonrpc": "2.0", **fields})
    return f"Content-Length: {len(text)}\r\n\r\n{text}"


uri = "test:///module.mlir"
talk = "".join((
    message(id=0, method="initialize", params={"processId": None, "rootUri": None, "capabilities": {}}),
    message(method="textDocument/didOpen", params={"textDocument": {"uri": uri, "languageId": "mlir", "version": 1, "text": TEXT}}),
    message(id=1, method="shutdown", params=None),
    message(method="exit", params=None),
))  # fmt: skip
done = subprocess.run([sys.argv[1]], input=talk.encode(), capture_output=True, timeout=60)
answers = []
rest = done.stdout
while rest.startswith(b"Content-Length: "):
    head, _, rest = rest.partition(b"\r\n\r\n")
    length = int(head.split(b":")[1].split()[0])
    answers.append(json.loads(rest[:length]))
    rest = rest[length:]
(opened,) = [a for a in answers if a.get("id") == 0]
assert opened["result"]["capabilities"]["hoverProvider"], opened
(published,) = [a["params"] for a in answers if a.get("method") == "textDocument/publishDiagnostics"]
(diagnostic,) = published["diagnostics"]
assert published["uri"] == uri and "undeclared SSA value" in diagnostic["message"], published
assert diagnostic["range"]["start"] == {"line": 2, "character": 15}, diagnostic
assert done.returncode == 0, done.stderr
