# Every function of the math dialect that a GPU kernel can use, in every type, against the reference.
# RUN: %python %s > %t.mlir
# RUN: fusion-run %t.mlir --device=emulator > %t.log

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
mops=['sin','cos','tan','atan','sinh','cosh','asinh','acosh','atanh','asin','acos','exp2','log2','log10','log1p','expm1','cbrt','erfc','trunc','roundeven','isnan']
for t in ['f32', 'f64']:
  for o in mops:
    ext = f'%y = math.{o} %x : {t}'
    if o == 'isnan':
      ext = f'%b = math.isnan %x : {t}\n  %y = arith.uitofp %b : i1 to {t}'
    text += f'''func.func @m_{o}_{t}(%a: tensor<333x{t}>) -> tensor<333x{t}> {{
  %e = tensor.empty() : tensor<333x{t}>
  %r = linalg.generic {{indexing_maps=[affine_map<(i)->(i)>,affine_map<(i)->(i)>], iterator_types=["parallel"]}} ins(%a : tensor<333x{t}>) outs(%e : tensor<333x{t}>) {{
  ^bb0(%x: {t}, %o: {t}):
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
