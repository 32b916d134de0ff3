# Every function of the math dialect that a GPU kernel can use, in every type, against the reference.
# RUN: %python %s > %t.mlir
# RUN: fusion-run %t.mlir --device=emulator > %t.log

ops=['exp','log','abs','ceil','floor','negf','reciprocal','round','sqrt','rsqrt','square','tanh','erf']
text = ''
for t in ['f32','f16','bf16']:
  for o in ops:
    text += f'''func.func @{o}_{t}(%a: tensor<333x{t}>) -> tensor<333x{t}> {{
  %e = tensor.empty() : tensor<333x{t}>
  %r = linalg.{o} ins(%a : tensor<333x{t}>) outs(%e : tensor<333x{t}>) -> tensor<333x{t}>
  return %r : tensor<333x{t}>
}}
'''
mops=['sin','cos','tan','atan','sinh','cosh','asinh','acosh','atanh','asin','acos','exp2','log2','log10','log1p','expm1','cbrt','erfc','trunc','roundeven','isnan']
for o in mops:
    res='f32'
    y='%y'
    ext = f'%y = math.{o} %x : f32' if o!='isnan' else '%b = math.isnan %x : f32\n  %y = arith.uitofp %b : i1 to f32'
    text += f'''func.func @m_{o}(%a: tensor<333xf32>) -> tensor<333xf32> {{
  %e = tensor.empty() : tensor<333xf32>
  %r = linalg.generic {{indexing_maps=[affine_map<(i)->(i)>,affine_map<(i)->(i)>], iterator_types=["parallel"]}} ins(%a : tensor<333xf32>) outs(%e : tensor<333xf32>) {{
  ^bb0(%x: f32, %o: f32):
  {ext}
  linalg.yield %y : f32
  }} -> tensor<333xf32>
  return %r : tensor<333xf32>
}}
'''
for o in ['powf','atan2','copysign','fpowi']:
    t2='i32' if o=='fpowi' else 'f32'
    text += f'''func.func @m_{o}(%a: tensor<333xf32>, %b: tensor<333x{t2}>) -> tensor<333xf32> {{
  %e = tensor.empty() : tensor<333xf32>
  %r = linalg.generic {{indexing_maps=[affine_map<(i)->(i)>,affine_map<(i)->(i)>,affine_map<(i)->(i)>], iterator_types=["parallel"]}} ins(%a, %b : tensor<333xf32>, tensor<333x{t2}>) outs(%e : tensor<333xf32>) {{
  ^bb0(%x: f32, %z: {t2}, %o: f32):
  %y = math.{o} %x, %z : f32{', i32' if o=='fpowi' else ''}
  linalg.yield %y : f32
  }} -> tensor<333xf32>
  return %r : tensor<333xf32>
}}
'''
print(text)
