# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Chains of contractions in any element type as linalg: typed_chains.chain(type, sizes, …) is the text of a module."""

ELEMENTS = {"f16": "f16", "bf16": "bf16", "f32": "f32", "tf32": "f32", "s8": "i8", "e4m3": "f8E4M3FN", "e5m2": "f8E5M2"}


def chain(kind, sizes, transposed=(), between=(), batch=None, result=None):
    """A[M,K]·B[K,N]·D[N,H]·…, sizes being (M, K, N, H, …).

    Operands whose numbers are in `transposed` (0 is the first) are stored with their dimensions exchanged. `between`
    are done in f32 after every contraction but the last (scale, relu, bias, softmax); the next LHS is rounded to the
    type again, of s8 by a scale that fits. `result` is the type of the result, by default that of the accumulator.
    """
    element = ELEMENTS[kind]
    accumulator = "i32" if kind == "s8" else "f32"
    lead = [] if batch is None else [batch]
    loops = ["b"] if lead else []
    arguments, body, counter = [], [], [0]

    def tensor(shape, type):
        return "tensor<" + "x".join(str(size) for size in (*lead, *shape)) + f"x{type}>"

    def name():
        counter[0] += 1
        return f"%v{counter[0]}"

    def argument(type):
        arguments.append(f"%a{len(arguments)}: {type}")
        return arguments[-1].split(":")[0]

    def generic(inputs, out_shape, out_type, lines, yielded, reduced=False, init=None):
        """inputs: (value, type, map); lines use %x0, %x1, … and %acc; the loops are (b,) i, j."""
        empty, value = name(), name()
        type = tensor(out_shape, out_type)
        if init is None:
            body.append(f"{empty} = tensor.empty() : {type}")
        else:
            fresh = name()
            body.append(f"{fresh} = tensor.empty() : {type}")
            body.append(f"{empty} = linalg.fill ins({init} : {out_type}) outs({fresh} : {type}) -> {type}")
        domain = ", ".join((*loops, "i", "j"))
        out_map = ", ".join((*loops, "i", *(() if len(out_shape) == 1 else ("j",))))
        maps = [f"affine_map<({domain}) -> ({m})>" for *_, m in inputs] + [f"affine_map<({domain}) -> ({out_map})>"]
        iterators = ['"parallel"'] * (len(loops) + 1) + ['"reduction"' if reduced else '"parallel"']
        ins = ", ".join(value for value, *_ in inputs)
        types = ", ".join(type for _, type, _ in inputs)
        parameters = [f"%x{i}: {type.rstrip('>').split('x')[-1]}" for i, (_, type, _) in enumerate(inputs)]
        body.append(
            f"{value} = linalg.generic {{indexing_maps = [{', '.join(maps)}], iterator_types = [{', '.join(iterators)}]}} "
            f"ins({ins} : {types}) outs({empty} : {type}) {{\n"
            f"  ^bb0({', '.join(parameters)}, %acc: {out_type}):\n    "
            + "\n    ".join((*lines, f"linalg.yield {yielded} : {out_type}"))
            + f"\n  }} -> {type}"
        )
        return value

    plain = ", ".join((*loops, "i", "j"))
    rows = ", ".join((*loops, "i"))

    def elementwise(value, from_type, shape, to_type, lines, yielded):
        return generic([(value, tensor(shape, from_type), plain)], shape, to_type, lines, yielded)

    def product(lhs, rhs, number, m, k, n):
        def operand(which, first, second):
            letters = (second, first) if which in transposed else (first, second)
            size = {"m": m, "k": k, "n": n}
            return ", ".join((*loops, *letters)), tensor([size[letter] for letter in letters], element)

        # The LHS of a later contraction is the value before it.
        lhs_map, lhs_type = operand(0 if number == 0 else -1, "m", "k")
        rhs_map, rhs_type = operand(number + 1, "k", "n")
        domain = ", ".join((*loops, "m", "n", "k"))
        out, filled, value = name(), name(), name()
        type = tensor((m, n), accumulator)
        if lhs is None:
            lhs = argument(lhs_type)
        rhs = argument(rhs_type)
        body.append(f"{out} = tensor.empty() : {type}")
        body.append(f"{filled} = linalg.fill ins(%zero : {accumulator}) outs({out} : {type}) -> {type}")
        maps = ", ".join(
            f"affine_map<({domain}) -> ({m})>" for m in (lhs_map, rhs_map, ", ".join((*loops, "m", "n")))
        )
        op = "linalg.batch_matmul" if loops else "linalg.matmul"
        body.append(
            f"{value} = {op} indexing_maps = [{maps}] ins({lhs}, {rhs} : {lhs_type}, {rhs_type}) "
            f"outs({filled} : {type}) -> {type}"
        )
        return value

    m, k = sizes[:2]
    value = None
    count = len(sizes) - 2
    for number in range(count):
        n = sizes[number + 2]
        value = product(value, None, number, m, k, n)
        shape = (m, n)
        if number + 1 < count:
            if accumulator == "i32":
                value = elementwise(value, "i32", shape, "f32", ["%f = arith.sitofp %x0 : i32 to f32"], "%f")
                # The products of uniform bytes have a standard deviation of about 74² √k.
                value = scaled(elementwise, value, shape, 1 / (74 * 74 * k**0.5))
            for operation in between:
                if operation == "scale":
                    value = scaled(elementwise, value, shape, 0.25)
                elif operation == "relu":
                    value = elementwise(value, "f32", shape, "f32", ["%r = arith.maximumf %x0, %zf : f32"], "%r")
                elif operation == "bias":
                    type = f"tensor<{n}xf32>"
                    bias = argument(type)
                    inputs = [(value, tensor(shape, "f32"), plain), (bias, type, "j")]
                    value = generic(inputs, shape, "f32", ["%r = arith.addf %x0, %x1 : f32"], "%r")
                elif operation == "softmax":
                    value = softmax(generic, tensor, value, shape, plain, rows)
                else:
                    raise ValueError(operation)
            if kind == "s8":
                steps = [
                    "%s = arith.constant 64.0 : f32",
                    "%lo = arith.constant -128.0 : f32",
                    "%hi = arith.constant 127.0 : f32",
                    "%t = arith.mulf %x0, %s : f32",
                    "%u = math.roundeven %t : f32",
                    "%v = arith.maximumf %u, %lo : f32",
                    "%w = arith.minimumf %v, %hi : f32",
                    "%i = arith.fptosi %w : f32 to i8",
                ]
                value = elementwise(value, "f32", shape, "i8", steps, "%i")
            elif element != "f32":
                steps = [f"%t = arith.truncf %x0 : f32 to {element}"]
                value = elementwise(value, "f32", shape, element, steps, "%t")
        k = n
    type = accumulator
    if result and result != accumulator:
        value = elementwise(value, accumulator, shape, result, [f"%t = arith.truncf %x0 : f32 to {result}"], "%t")
        type = result
    constants = ["%zf = arith.constant 0.0 : f32", "%ninf = arith.constant 0xFF800000 : f32"]
    zero = "0" if accumulator == "i32" else "0.0"
    constants.append(f"%zero = arith.constant {zero} : {accumulator}")
    lines = "\n  ".join((*constants, *body, f"return {value} : {tensor(shape, type)}"))
    return f"func.func @chain({', '.join(arguments)}) -> {tensor(shape, type)} {{\n  {lines}\n}}\n"


def scaled(elementwise, value, shape, factor):
    lines = [f"%s = arith.constant {factor:.9e} : f32", "%t = arith.mulf %x0, %s : f32"]
    return elementwise(value, "f32", shape, "f32", lines, "%t")


def softmax(generic, tensor, value, shape, plain, rows):
    """Decomposed: maximum, exponentials, sum, quotient."""
    whole, one = tensor(shape, "f32"), tensor(shape[:1], "f32")
    top = generic(
        [(value, whole, plain)], shape[:1], "f32", ["%m = arith.maximumf %x0, %acc : f32"], "%m", True, "%ninf"
    )
    lines = ["%d = arith.subf %x0, %x1 : f32", "%e = math.exp %d : f32"]
    powers = generic([(value, whole, plain), (top, one, rows)], shape, "f32", lines, "%e")
    total = generic(
        [(powers, whole, plain)], shape[:1], "f32", ["%m = arith.addf %x0, %acc : f32"], "%m", True, "%zf"
    )
    inputs = [(powers, whole, plain), (total, one, rows)]
    return generic(inputs, shape, "f32", ["%q = arith.divf %x0, %x1 : f32"], "%q")
