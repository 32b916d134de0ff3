# Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
# See LICENSE for license information.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Every function of the math dialect that a GPU kernel can use, in every type, against the reference.
# RUN: %python %s > %t.mlir
# RUN: fusion-run %t.mlir --device=emulator --tolerance=f32:1e-6,1.5e-5 --tolerance=f64:1e-12,1e-10 > %t.log

ops=['exp','log','abs','ceil','floor','negf','reciprocal','round','sqrt','rsqrt','square','tanh','erf']
text = ''
for t in ['f64','f32','f16','bf16']:
  for o in ops:
    text += f'''func.func @{o}_{t}(%a: tensor<333x{t}>) -> tensor<333x{t}> {{
  %e = tensor.empty() : tensor<333x{t}>
  %r = linalg.{o} ins(%a : tensor<333x{t}>) outs(%e : tensor<333x{t}>) -> tensor<333x{t}>
  return %r : tensor<333x{t}>
}}
'''
# Inputs are drawn from [-1, 1); a domain is what they are mapped to.
UNIT, POSITIVE, ANGLES, EXPONENTS = (-1, 1), (1e-3, 1e4), (-1e5, 1e5), (-20, 20)
FUNCTIONS = {
    'sin': ANGLES, 'cos': ANGLES, 'tan': ANGLES, 'atan': ANGLES, 'sinh': EXPONENTS, 'cosh': EXPONENTS,
    'asinh': ANGLES, 'acosh': (1, 1e4), 'atanh': UNIT, 'asin': UNIT, 'acos': UNIT, 'exp': EXPONENTS,
    'exp2': EXPONENTS, 'log': POSITIVE, 'log2': POSITIVE, 'log10': POSITIVE, 'log1p': POSITIVE, 'expm1': EXPONENTS,
    'cbrt': ANGLES, 'erf': (-4, 4), 'erfc': (-4, 4), 'tanh': EXPONENTS, 'rsqrt': POSITIVE, 'sqrt': POSITIVE,
    'trunc': ANGLES, 'roundeven': ANGLES, 'isnan': UNIT, 'sincos': ANGLES,
}
# Where differences of exponentials have no digits left: the relative error counts (the argument's scale is undone).
TINY = {o: (-1e-5, 1e-5) for o in ('sinh', 'tanh', 'asinh', 'atanh', 'atan', 'asin', 'tan', 'erf')}
for t in ['f32', 'f64']:
  for o, (low, high) in [*FUNCTIONS.items(), *TINY.items()]:
    tiny = TINY.get(o) == (low, high)
    ext = f'%y = math.{o} %x : {t}'
    if tiny:
      ext = f'%f = math.{o} %x : {t}\n  %back = arith.constant {1 / high:e} : {t}\n  %y = arith.mulf %f, %back : {t}'
    if o == 'isnan':
      ext = f'%b = math.isnan %x : {t}\n  %y = arith.uitofp %b : i1 to {t}'
    if o == 'sincos':
      ext = f'%s, %c = math.sincos %x : {t}\n  %y = arith.subf %s, %c : {t}'
    text += f'''func.func @m_{o}{'_tiny' * tiny}_{t}(%a: tensor<333x{t}>) -> tensor<333x{t}> {{
  %e = tensor.empty() : tensor<333x{t}>
  %r = linalg.generic {{indexing_maps=[affine_map<(i)->(i)>,affine_map<(i)->(i)>], iterator_types=["parallel"]}} ins(%a : tensor<333x{t}>) outs(%e : tensor<333x{t}>) {{
  ^bb0(%u: {t}, %o: {t}):
  %scale = arith.constant {(high - low) / 2:e} : {t}
  %middle = arith.constant {(high + low) / 2:e} : {t}
  %scaled = arith.mulf %u, %scale : {t}
  %x = arith.addf %scaled, %middle : {t}
  {ext}
  linalg.yield %y : {t}
  }} -> tensor<333x{t}>
  return %r : tensor<333x{t}>
}}
'''
  for o in ['powf', 'atan2', 'copysign', 'fpowi', 'remf']:
    t2 = 'i32' if o == 'fpowi' else t
    name = f'arith.{o}' if o == 'remf' else f'math.{o}'
    suffix = ', i32' if o == 'fpowi' else ''
    text += f'''func.func @m_{o}_{t}(%a: tensor<333x{t}>, %b: tensor<333x{t2}>) -> tensor<333x{t}> {{
  %e = tensor.empty() : tensor<333x{t}>
  %r = linalg.generic {{indexing_maps=[affine_map<(i)->(i)>,affine_map<(i)->(i)>,affine_map<(i)->(i)>], iterator_types=["parallel"]}} ins(%a, %b : tensor<333x{t}>, tensor<333x{t2}>) outs(%e : tensor<333x{t}>) {{
  ^bb0(%x: {t}, %z: {t2}, %o: {t}):
  %y = {name} %x, %z : {t}{suffix}
  linalg.yield %y : {t}
  }} -> tensor<333x{t}>
  return %r : tensor<333x{t}>
}}
'''
print(text)
