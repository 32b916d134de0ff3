// RUN: fusion-opt %s -split-input-file -verify-diagnostics

// expected-error @below {{'tile.kernel' op has no results; it writes through its pointers}}
tile.kernel @k() -> f32 attributes {warps = 4 : i64} {
  tile.return
}

// -----

// expected-error @below {{'tile.kernel' op a block has 1 to 32 warps, got 0}}
tile.kernel @k() attributes {warps = 0 : i64} {
  tile.return
}

// -----

// expected-error @below {{'tile.kernel' op a block has 1 to 32 warps, got 29 and 4 producers}}
tile.kernel @k() attributes {warps = 29 : i64, producers = 4 : i64} {
  tile.return
}

// -----

// expected-error @below {{'tile.kernel' op has ping_pong of warpgroups of 4 warps, and 6 warps}}
tile.kernel @k() attributes {warps = 6 : i64, producers = 4 : i64, ping_pong} {
  tile.return
}

// -----

// expected-error @below {{'tile.kernel' op threads have multiples of 8 registers from 24 to 256, of producers and of consumers}}
tile.kernel @k() attributes {warps = 4 : i64, producers = 4 : i64, register_budgets = array<i64: 16, 240>} {
  tile.return
}

// -----

// expected-error @below {{'tile.kernel' op a block has 1 to 32 warps, got 33}}
tile.kernel @k() attributes {warps = 33 : i64} {
  tile.return
}

// -----

// expected-error @below {{'tile.kernel' op requires attribute 'warps'}}
tile.kernel @k() {
  tile.return
}

// -----

// expected-error @below {{'tile.kernel' op needs a body of one block that ends in tile.return}}
tile.kernel @k() attributes {warps = 4 : i64}

// -----

// expected-error @below {{'tile.kernel' op needs a body of one block that ends in tile.return}}
tile.kernel @k() attributes {warps = 4 : i64} {
  cf.br ^next
^next:
  tile.return
}

// -----

// expected-error @below {{'tile.kernel' op needs a body of one block that ends in tile.return}}
tile.kernel @k() attributes {warps = 4 : i64} {
  llvm.unreachable
}

// -----

// expected-error @below {{'tile.kernel' op pointer argument #0 needs the attribute 'tile.access'}}
tile.kernel @k(%p: !tile.ptr<f32>) attributes {warps = 4 : i64} {
  tile.return
}

// -----

// expected-error @below {{'tile.kernel' op argument #0 must be a pointer or a scalar, got 'tensor<4xf32>'}}
tile.kernel @k(%p: tensor<4xf32>) attributes {warps = 4 : i64} {
  tile.return
}

// -----

func.func @return_outside_of_a_kernel() {
  // expected-error @below {{'tile.return' op expects parent op 'tile.kernel'}}
  tile.return
}

// -----

func.func @launch_results(%a: tensor<4xf32>, %n: index) {
  // expected-error @below {{'tile.launch' op results must have the types of its outs}}
  %r = tile.launch @k grid(%n) outs(%a : tensor<4xf32>) -> tensor<8xf32>
  return
}

// -----

tile.kernel @k(%p: !tile.ptr<f32> {tile.access = #tile.access<write>}, %n: index) attributes {warps = 4 : i64} {
  tile.return
}
func.func @launch_too_few(%a: tensor<4xf32>, %n: index) {
  // expected-error @below {{'tile.launch' op passes 1 arguments to a kernel of 2}}
  %r = tile.launch @k grid(%n) outs(%a : tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

tile.kernel @k(%p: !tile.ptr<f32> {tile.access = #tile.access<write>}) attributes {warps = 4 : i64} {
  tile.return
}
func.func @launch_element_type(%a: tensor<4xf16>, %n: index) {
  // expected-error @below {{'tile.launch' op argument #0 is 'tensor<4xf16>' but the kernel expects '!tile.ptr<f32>'}}
  %r = tile.launch @k grid(%n) outs(%a : tensor<4xf16>) -> tensor<4xf16>
  return
}

// -----

func.func @view_sizes(%p: !tile.ptr<f16>, %n: index) {
  // expected-error @below {{'tile.view' op needs 2 sizes and strides, got 1 and 2}}
  %v = tile.view %p[%n] sizes [%n] strides [%n, %n] : !tile.ptr<f16> -> !tile.view<2 x f16, unit = 1, alignment = 16>
  return
}

// -----

func.func @view_type(%p: !tile.ptr<f16>, %n: index) {
  // expected-error @below {{'tile.view' op views '!tile.ptr<f16>' as 'f32'}}
  %v = tile.view %p[%n] sizes [%n, %n] strides [%n, %n] : !tile.ptr<f16> -> !tile.view<2 x f32, unit = 1, alignment = 16>
  return
}

// -----

func.func @load_dynamic(%v: !tile.view<1 x f16, unit = 0, alignment = 16>, %n: index) {
  // expected-error @below {{'tile.load' op tiles have static sizes from 1 to 65536, got 'tensor<?xf16>'}}
  %x = tile.load %v[%n] : !tile.view<1 x f16, unit = 0, alignment = 16> -> tensor<?xf16>
  return
}

// -----

func.func @load_nothing(%v: !tile.view<1 x f16, unit = 0, alignment = 16>, %n: index) {
  // expected-error @below {{'tile.load' op tiles have static sizes from 1 to 65536, got 'tensor<0xf16>'}}
  %x = tile.load %v[%n] : !tile.view<1 x f16, unit = 0, alignment = 16> -> tensor<0xf16>
  return
}

// -----

func.func @load_type(%v: !tile.view<1 x f16, unit = 0, alignment = 16>, %n: index) {
  // expected-error @below {{'tile.load' op moves 'f32' but the view holds 'f16'}}
  %x = tile.load %v[%n] : !tile.view<1 x f16, unit = 0, alignment = 16> -> tensor<8xf32>
  return
}

// -----

func.func @load_coordinates(%v: !tile.view<1 x f16, unit = 0, alignment = 16>, %n: index) {
  // expected-error @below {{'tile.load' op has 2 coordinates for a view of rank 1}}
  %x = tile.load %v[%n, %n] : !tile.view<1 x f16, unit = 0, alignment = 16> -> tensor<8xf16>
  return
}

// -----

func.func @load_in_bounds(%v: !tile.view<1 x f16, unit = 0, alignment = 16>, %n: index) {
  // expected-error @below {{'tile.load' op marks 2 dimensions of a view of rank 1}}
  %x = tile.load %v[%n] {in_bounds = array<i1: true, true>} : !tile.view<1 x f16, unit = 0, alignment = 16> -> tensor<8xf16>
  return
}

// -----

func.func @load_rank(%v: !tile.view<1 x f16, unit = 0, alignment = 16>, %n: index) {
  // expected-error @below {{'tile.load' op loads a tile of rank 2 from a view of rank 1}}
  %x = tile.load %v[%n] : !tile.view<1 x f16, unit = 0, alignment = 16> -> tensor<8x8xf16>
  return
}

// -----

func.func @store_rank(%v: !tile.view<1 x f16, unit = 0, alignment = 16>, %n: index, %x: tensor<8x8xf16>) {
  // expected-error @below {{'tile.store' op stores a tile of rank 2 to a view of rank 1}}
  tile.store %x, %v[%n] : tensor<8x8xf16>, !tile.view<1 x f16, unit = 0, alignment = 16>
  return
}

// -----

func.func @store_dynamic(%v: !tile.view<1 x f16, unit = 0, alignment = 16>, %n: index, %x: tensor<?xf16>) {
  // expected-error @below {{'tile.store' op tiles have static sizes from 1 to 65536, got 'tensor<?xf16>'}}
  tile.store %x, %v[%n] : tensor<?xf16>, !tile.view<1 x f16, unit = 0, alignment = 16>
  return
}

// -----

!buffer = !tile.buffer<1, 8, 8, f16, <"offset: 8*[0,1] 8*[1,0] -> [8, 8]">>
func.func @copy_type(%v: !tile.view<2 x f32, unit = 1, alignment = 16>, %b: !buffer, %n: index) {
  // expected-error @below {{'tile.copy_async' op moves 'f16' but the view holds 'f32'}}
  tile.copy_async %v[%n, %n], %b[%n] by async16 : !tile.view<2 x f32, unit = 1, alignment = 16>, !buffer
  return
}

// -----

!buffer = !tile.buffer<1, 8, 8, f16, <"offset: 8*[0,1] 8*[1,0] -> [8, 8]">>
func.func @copy_without_dense_dimension(%v: !tile.view<2 x f16, unit = -1, alignment = 16>, %b: !buffer, %n: index) {
  // expected-error @below {{'tile.copy_async' op needs a view of rank 2 with a unit dimension}}
  tile.copy_async %v[%n, %n], %b[%n] by async16 : !tile.view<2 x f16, unit = -1, alignment = 16>, !buffer
  return
}

// -----

!buffer = !tile.buffer<1, 8, 8, f16, <"offset: 8*[0,1] 8*[1,0] -> [8, 8]">>
func.func @copy_wider_than_aligned(%v: !tile.view<2 x f16, unit = 1, alignment = 4>, %b: !buffer, %n: index) {
  // expected-error @below {{'tile.copy_async' op copies 8 bytes at a time but the view is only aligned to 4}}
  tile.copy_async %v[%n, %n], %b[%n] by async8 : !tile.view<2 x f16, unit = 1, alignment = 4>, !buffer
  return
}

// -----

func.func @wait_for_less_than_none() {
  // expected-error @below {{attribute 'pending' failed to satisfy constraint}}
  tile.wait -1
  return
}

// -----

!buffer = !tile.buffer<1, 8, 8, f16, <"offset: 8*[0,1] 8*[1,0] -> [8, 8]">>
func.func @local_load_type(%b: !buffer, %n: index) {
  // expected-error @below {{'tile.local_load' op loads 'f32' from a buffer of 'f16'}}
  %x = tile.local_load %b[%n] at [0, 0] : !buffer -> tensor<8x8xf32>
  return
}

// -----

!buffer = !tile.buffer<1, 8, 8, f16, <"offset: 8*[0,1] 8*[1,0] -> [8, 8]">>
func.func @local_load_rank(%b: !buffer, %n: index) {
  // expected-error @below {{'tile.local_load' op loads two-dimensional tiles}}
  %x = tile.local_load %b[%n] at [0, 0] : !buffer -> tensor<8xf16>
  return
}

// -----

!buffer = !tile.buffer<1, 8, 8, f16, <"offset: 8*[0,1] 8*[1,0] -> [8, 8]">>
func.func @local_load_outside(%b: !buffer, %n: index) {
  // expected-error @below {{'tile.local_load' op reads 8x4 at [4, 0], outside of the buffer}}
  %x = tile.local_load %b[%n] at [4, 0] : !buffer -> tensor<8x4xf16>
  return
}

// -----

!buffer = !tile.buffer<1, 8, 8, f16, <"offset: 8*[0,1] 8*[1,0] -> [8, 8]">>
func.func @local_load_outside_transposed(%b: !buffer, %n: index) {
  // It reads 4 rows and 8 columns of the buffer.
  // expected-error @below {{'tile.local_load' op reads 4x8 at [0, 4], outside of the buffer}}
  %x = tile.local_load %b[%n] at [0, 4] transposed : !buffer -> tensor<8x4xf16>
  return
}

// -----

!buffer = !tile.buffer<1, 8, 8, f16, <"offset: 8*[0,1] 8*[1,0] -> [8, 8]">>
func.func @local_load_far_outside(%b: !buffer, %n: index) {
  // expected-error @below {{reads 8x8 at [9223372036854775800, 0], outside of the buffer}}
  %x = tile.local_load %b[%n] at [9223372036854775800, 0] : !buffer -> tensor<8x8xf16>
  return
}

// -----

!buffer = !tile.buffer<1, 8, 8, f16, <"offset: 8*[0,1] 8*[1,0] -> [8, 8]">>
func.func @local_store_type(%b: !buffer, %n: index, %x: tensor<8x8xf32>) {
  // expected-error @below {{'tile.local_store' op stores 'f32' to a buffer of 'f16'}}
  tile.local_store %x, %b[%n] : tensor<8x8xf32>, !buffer
  return
}

// -----

!buffer = !tile.buffer<1, 8, 8, f16, <"offset: 8*[0,1] 8*[1,0] -> [8, 8]">>
func.func @local_store_part(%b: !buffer, %n: index, %x: tensor<4x8xf16>) {
  // expected-error @below {{'tile.local_store' op must store a whole stage of the buffer}}
  tile.local_store %x, %b[%n] : tensor<4x8xf16>, !buffer
  return
}

// -----

func.func @dot_rank(%a: tensor<16xf16>, %b: tensor<16x8xf16>, %c: tensor<16x8xf32>) {
  // expected-error @below {{'tile.dot' op multiplies two-dimensional tiles}}
  %d = tile.dot %a, %b, %c "mma.m16n8k16" warps [1, 1] : tensor<16xf16>, tensor<16x8xf16> -> tensor<16x8xf32>
  return
}

// -----

func.func @dot_shapes(%a: tensor<16x32xf16>, %b: tensor<16x8xf16>, %c: tensor<16x8xf32>) {
  // expected-error @below {{'tile.dot' op shapes do not fit: 'tensor<16x32xf16>' times 'tensor<16x8xf16>' gives 'tensor<16x8xf32>'}}
  %d = tile.dot %a, %b, %c "mma.m16n8k16" warps [1, 1] : tensor<16x32xf16>, tensor<16x8xf16> -> tensor<16x8xf32>
  return
}

// -----

func.func @dot_types(%a: tensor<16x16xf16>, %b: tensor<16x8xbf16>, %c: tensor<16x8xf32>) {
  // expected-error @below {{'tile.dot' op multiplies 'f16' by 'bf16'}}
  %d = tile.dot %a, %b, %c "mma.m16n8k16" warps [1, 1] : tensor<16x16xf16>, tensor<16x8xbf16> -> tensor<16x8xf32>
  return
}

// -----

func.func @dot_of_indices(%a: tensor<16x16xindex>, %b: tensor<16x8xindex>, %c: tensor<16x8xindex>) {
  // expected-error @below {{'tile.dot' op multiplies 'index' by 'index'}}
  %d = tile.dot %a, %b, %c "mma.m16n8k16" warps [1, 1] : tensor<16x16xindex>, tensor<16x8xindex> -> tensor<16x8xindex>
  return
}

// -----

func.func @dot_dynamic(%a: tensor<?x16xf16>, %b: tensor<16x8xf16>, %c: tensor<?x8xf32>) {
  // expected-error @below {{'tile.dot' op tiles have static sizes from 1 to 65536, got 'tensor<?x16xf16>'}}
  %d = tile.dot %a, %b, %c "mma.m16n8k16" warps [1, 1] : tensor<?x16xf16>, tensor<16x8xf16> -> tensor<?x8xf32>
  return
}

// -----

func.func @dot_warps(%a: tensor<16x16xf16>, %b: tensor<16x8xf16>, %c: tensor<16x8xf32>) {
  // expected-error @below {{'tile.dot' op needs 1 to 32 warps along both dimensions}}
  %d = tile.dot %a, %b, %c "mma.m16n8k16" warps [1] : tensor<16x16xf16>, tensor<16x8xf16> -> tensor<16x8xf32>
  return
}

// -----

func.func @dot_no_warps(%a: tensor<16x16xf16>, %b: tensor<16x8xf16>, %c: tensor<16x8xf32>) {
  // expected-error @below {{'tile.dot' op needs 1 to 32 warps along both dimensions}}
  %d = tile.dot %a, %b, %c "mma.m16n8k16" warps [0, 4] : tensor<16x16xf16>, tensor<16x8xf16> -> tensor<16x8xf32>
  return
}

// -----

func.func @broadcast_type(%a: tensor<16xf16>) {
  // expected-error @below {{'tile.broadcast' op must keep the element type}}
  %b = tile.broadcast %a along [0] : tensor<16xf16> -> tensor<4x16xf32>
  return
}

// -----

func.func @broadcast_shape(%a: tensor<16xf16>) {
  // expected-error @below {{'tile.broadcast' op cannot repeat 'tensor<16xf16>' along [1] to get 'tensor<4x16xf16>'}}
  %b = tile.broadcast %a along [1] : tensor<16xf16> -> tensor<4x16xf16>
  return
}

// -----

func.func @broadcast_missing_dimension(%a: tensor<16xf16>) {
  // expected-error @below {{'tile.broadcast' op needs ascending dimensions of its result, got [0, 5]}}
  %b = tile.broadcast %a along [0, 5] : tensor<16xf16> -> tensor<4x16xf16>
  return
}

// -----

func.func @broadcast_dimension_twice(%a: tensor<16xf16>) {
  // expected-error @below {{'tile.broadcast' op needs ascending dimensions of its result, got [0, 0]}}
  %b = tile.broadcast %a along [0, 0] : tensor<16xf16> -> tensor<4x16xf16>
  return
}

// -----

func.func @reduce_dimension(%a: tensor<16xf16>) {
  // expected-error @below {{'tile.reduce' op has no dimension 1 in 'tensor<16xf16>'}}
  %b = tile.reduce addf %a along 1 : tensor<16xf16> -> tensor<f16>
  return
}

// -----

func.func @reduce_shape(%a: tensor<16x8xf16>) {
  // expected-error @below {{'tile.reduce' op cannot reduce 'tensor<16x8xf16>' along 1 to 'tensor<8xf16>'}}
  %b = tile.reduce addf %a along 1 : tensor<16x8xf16> -> tensor<8xf16>
  return
}

// -----

func.func @reduce_kind(%a: tensor<16xi32>) {
  // expected-error @below {{'tile.reduce' op cannot combine 'i32' by 'maximumf'}}
  %b = tile.reduce maximumf %a along 0 : tensor<16xi32> -> tensor<i32>
  return
}

// -----

func.func @reduce_assign(%a: tensor<16xi32>) {
  // expected-error @below {{'tile.reduce' op cannot combine by 'assign'}}
  %b = tile.reduce assign %a along 0 : tensor<16xi32> -> tensor<i32>
  return
}

// -----

func.func @splat_type(%a: f16) {
  // expected-error @below {{'tile.splat' op repeats 'f16' as 'f32'}}
  %b = tile.splat %a : f16 -> tensor<4x16xf32>
  return
}

// -----

func.func @splat_dynamic(%a: f16) {
  // expected-error @below {{'tile.splat' op tiles have static sizes from 1 to 65536, got 'tensor<?x16xf16>'}}
  %b = tile.splat %a : f16 -> tensor<?x16xf16>
  return
}

// -----

func.func @iota_type(%n: index) {
  // expected-error @below {{'tile.iota' op yields a tile of index, got 'tensor<4x16xi32>'}}
  %b = tile.iota %n along 0 : tensor<4x16xi32>
  return
}

// -----

func.func @iota_dimension(%n: index) {
  // expected-error @below {{'tile.iota' op has no dimension 2}}
  %b = tile.iota %n along 2 : tensor<4x16xindex>
  return
}

// -----

func.func @iota_negative_dimension(%n: index) {
  // expected-error @below {{'tile.iota' op has no dimension -1}}
  %b = tile.iota %n along -1 : tensor<4x16xindex>
  return
}

// -----

func.func @slice_rank(%a: tensor<4x16xf32>) {
  // expected-error @below {{'tile.slice' op must keep rank and element type}}
  %b = tile.slice %a at [0, 0] : tensor<4x16xf32> -> tensor<16xf32>
  return
}

// -----

func.func @slice_outside(%a: tensor<4x16xf32>) {
  // expected-error @below {{'tile.slice' op part at [0, 8] of 'tensor<4x16xf32>' is outside of 'tensor<4x16xf32>'}}
  %b = tile.slice %a at [0, 8] : tensor<4x16xf32> -> tensor<4x16xf32>
  return
}

// -----

func.func @slice_before(%a: tensor<4x16xf32>) {
  // expected-error @below {{'tile.slice' op part at [-1, 0] of 'tensor<4x8xf32>' is outside of 'tensor<4x16xf32>'}}
  %b = tile.slice %a at [-1, 0] : tensor<4x16xf32> -> tensor<4x8xf32>
  return
}

// -----

func.func @transpose_shape(%a: tensor<4x16xf32>) {
  // expected-error @below {{'tile.transpose' op cannot transpose 'tensor<4x16xf32>' to 'tensor<4x16xf32>'}}
  %b = tile.transpose %a : tensor<4x16xf32> -> tensor<4x16xf32>
  return
}

// -----

func.func @mask_type(%a: tensor<4x16xf32>, %n: index, %f: f32) {
  // expected-error @below {{'tile.mask' op must keep the type of its operand}}
  %b = tile.mask %a below %n along 0 else %f : tensor<4x16xf32>, f32 -> tensor<4x16xf16>
  return
}

// -----

func.func @mask_fill(%a: tensor<4x16xf32>, %n: index, %f: f16) {
  // expected-error @below {{'tile.mask' op fills 'tensor<4x16xf32>' with 'f16'}}
  %b = tile.mask %a below %n along 0 else %f : tensor<4x16xf32>, f16 -> tensor<4x16xf32>
  return
}

// -----

func.func @mask_dimension(%a: tensor<4x16xf32>, %n: index, %f: f32) {
  // expected-error @below {{'tile.mask' op has no dimension -1}}
  %b = tile.mask %a below %n along -1 else %f : tensor<4x16xf32>, f32 -> tensor<4x16xf32>
  return
}

// -----

#rows = #tile.layout<"register: 2*[0,1]; lane: 32*[1,0] -> [32, 2]">
#columns = #tile.layout<"register: 2*[0,1]; lane: 16*[2,0] 2*[1,0] -> [32, 2]">
func.func @exchange_of_registers(%a: tensor<32x2xf32, #rows>) {
  // expected-error @below {{'tile.convert_layout' op cannot be 'in_warp' because a thread needs elements of another warp, or of several lanes for one register}}
  %b = tile.convert_layout %a {in_warp} : tensor<32x2xf32, #rows> -> tensor<32x2xf32, #columns>
  return
}

// -----

func.func @convert_shape(%a: tensor<4x16xf32>) {
  // expected-error @below {{'tile.convert_layout' op may only change the layout, not 'tensor<4x16xf32>' to 'tensor<16x4xf32>'}}
  %b = tile.convert_layout %a : tensor<4x16xf32> -> tensor<16x4xf32>
  return
}

// -----

func.func @element_load_type(%p: !tile.ptr<f32>, %n: index) {
  // expected-error @below {{'tile.element_load' op loads 'f16' from '!tile.ptr<f32>'}}
  %b = tile.element_load %p[%n] : !tile.ptr<f32> -> f16
  return
}

// -----

func.func @element_store_type(%p: !tile.ptr<f32>, %n: index, %x: f16) {
  // expected-error @below {{'tile.element_store' op stores 'f16' to '!tile.ptr<f32>'}}
  tile.element_store %x, %p[%n] : f16, !tile.ptr<f32>
  return
}

// -----

func.func @array_type(%a: !tile.array<2 x tensor<16x16xf32>>, %b: tensor<16x8xf32>, %n: index) {
  // expected-error @below {{'tile.array_set' op failed to verify that value is an element of the array}}
  %c = "tile.array_set"(%b, %a, %n) : (tensor<16x8xf32>, !tile.array<2 x tensor<16x16xf32>>, index) -> !tile.array<2 x tensor<16x16xf32>>
  return
}

// -----

func.func @reduce_of_half_a_product(%a: tensor<16x16xf32>) {
  // expected-error @below {{'tile.reduce' op 'intrinsic' and 'warps' go together}}
  %b = tile.reduce addf %a along 1 {intrinsic = "mma.m16n8k16"} : tensor<16x16xf32> -> tensor<16xf32>
  return
}

// -----

func.func @reduce_of_a_product_of_rows(%a: tensor<16xf32>) {
  // expected-error @below {{'tile.reduce' op an operand of a contraction has two dimensions, and warps along two}}
  %b = tile.reduce addf %a along 0 {intrinsic = "mma.m16n8k16", warps = array<i64: 1, 1>} : tensor<16xf32> -> tensor<f32>
  return
}

// -----

func.func @gather_by_numbers(%p: !tile.ptr<f32>, %i: tensor<16xi32>) {
  // expected-error @below {{'tile.gather' op indices are of type index, got 'tensor<16xi32>'}}
  %a = tile.gather %p[%i] : !tile.ptr<f32>, tensor<16xi32> -> tensor<16xf32>
  return
}

// -----

func.func @gather_of_another_type(%p: !tile.ptr<f32>, %i: tensor<16xindex>) {
  // expected-error @below {{'tile.gather' op loads 'f16' from '!tile.ptr<f32>'}}
  %a = tile.gather %p[%i] : !tile.ptr<f32>, tensor<16xindex> -> tensor<16xf16>
  return
}

// -----

func.func @gather_elsewhere(%p: !tile.ptr<f32>, %i: tensor<16xindex>) {
  // expected-error @below {{'tile.gather' op has other places than its indices: 'tensor<8xf32>' and 'tensor<16xindex>'}}
  %a = tile.gather %p[%i] : !tile.ptr<f32>, tensor<16xindex> -> tensor<8xf32>
  return
}

// -----

func.func @stash_without_layout(%a: tensor<16xf32>, %n: index) {
  %b = tile.alloc : !tile.buffer<1, 32, 1, f32, <"offset: 32*[1,0] -> [32, 1]">>
  // expected-error @below {{'tile.private_store' op needs a layout}}
  tile.private_store %a, %b[%n] : tensor<16xf32>, !tile.buffer<1, 32, 1, f32, <"offset: 32*[1,0] -> [32, 1]">>
  return
}

// -----

#threads = #tile.layout<"register: 2*[1]; lane: 32*[2] -> [64]">
func.func @unstash_less(%n: index) {
  %b = tile.alloc : !tile.buffer<1, 32, 1, f32, <"offset: 32*[1,0] -> [32, 1]">>
  // expected-error @below {{'tile.private_load' op threads have 2 different elements each, the buffer has 32 rows of 1}}
  %a = tile.private_load %b[%n] : !tile.buffer<1, 32, 1, f32, <"offset: 32*[1,0] -> [32, 1]">> -> tensor<64xf32, #threads>
  return
}

// -----

func.func @scale_of_integers(%a: tensor<16x16xi32>) {
  // expected-error @below {{'tile.scale' op multiplies floats, not 'i32'}}
  %b = tile.scale %a by %a : tensor<16x16xi32>
  return
}

// -----

func.func @exponent_of_halves(%a: tensor<16x16xf16>) {
  // expected-error @below {{'tile.exponent' op computes f32, not 'f16'}}
  %b = tile.exponent %a less %a {scale = 1.0 : f32} : tensor<16x16xf16>
  return
}

// -----

func.func @exponent_of_negative(%a: tensor<16xf32>) {
  // expected-error @below {{'tile.exponent_step' op has a scale that is not positive and normal}}
  %b = tile.exponent_step %a to %a {scale = -1.0 : f32} : tensor<16xf32>
  return
}

// -----

// expected-error @below {{'tile.kernel' op a cluster has one block at least, got 0}}
tile.kernel @no_cluster() attributes {cluster = 0 : i64, warps = 1 : i64} {
  tile.return
}

// -----

tile.kernel @alone(%x: f32) attributes {warps = 1 : i64} {
  %mine = tile.splat %x : f32 -> tensor<2xf32>
  %given = tile.alloc : !tile.buffer<1, 8, 2, f32, #tile.layout<"offset: 2*[0, 1] 8*[1, 0] -> [8, 2]">>
  // expected-error @below {{'tile.cluster_reduce' op needs a kernel with a cluster of blocks}}
  %all = tile.cluster_reduce addf %mine in %given : tensor<2xf32>, !tile.buffer<1, 8, 2, f32, #tile.layout<"offset: 2*[0, 1] 8*[1, 0] -> [8, 2]">>
  tile.return
}

// -----

tile.kernel @other_parts(%x: f32) attributes {cluster = 4 : i64, warps = 1 : i64} {
  %mine = tile.splat %x : f32 -> tensor<2xf32>
  %given = tile.alloc : !tile.buffer<1, 8, 2, f32, #tile.layout<"offset: 2*[0, 1] 8*[1, 0] -> [8, 2]">>
  // expected-error @below {{'tile.cluster_reduce' op needs a buffer of 1 x 4 x 2 elements of 'f32', got '!tile.buffer<1, 8, 2, f32,}}
  %all = tile.cluster_reduce addf %mine in %given : tensor<2xf32>, !tile.buffer<1, 8, 2, f32, #tile.layout<"offset: 2*[0, 1] 8*[1, 0] -> [8, 2]">>
  tile.return
}

// -----

tile.kernel @cluster_in_branch(%x: f32, %c: i1) attributes {cluster = 8 : i64, warps = 1 : i64} {
  %mine = tile.splat %x : f32 -> tensor<2xf32>
  %given = tile.alloc : !tile.buffer<1, 8, 2, f32, #tile.layout<"offset: 2*[0, 1] 8*[1, 0] -> [8, 2]">>
  scf.if %c {
    // expected-error @below {{'tile.cluster_reduce' op is a barrier of the cluster, and not in the body of a kernel itself or of its loops}}
    %all = tile.cluster_reduce addf %mine in %given : tensor<2xf32>, !tile.buffer<1, 8, 2, f32, #tile.layout<"offset: 2*[0, 1] 8*[1, 0] -> [8, 2]">>
  }
  tile.return
}

// -----

tile.kernel @cluster_in_loop(%x: f32, %n: index) attributes {cluster = 8 : i64, warps = 1 : i64} {
  %mine = tile.splat %x : f32 -> tensor<2xf32>
  %given = tile.alloc : !tile.buffer<2, 8, 2, f32, #tile.layout<"offset: 2*[0, 1] 8*[1, 0] -> [8, 2]">>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    // expected-error @below {{'tile.cluster_reduce' op is a barrier of the cluster, and in a loop whose bounds are not constant}}
    %all = tile.cluster_reduce addf %mine in %given[%i] : tensor<2xf32>, !tile.buffer<2, 8, 2, f32, #tile.layout<"offset: 2*[0, 1] 8*[1, 0] -> [8, 2]">>
  }
  tile.return
}

// -----

tile.kernel @no_stage(%x: f32) attributes {cluster = 8 : i64, warps = 1 : i64} {
  %mine = tile.splat %x : f32 -> tensor<2xf32>
  %given = tile.alloc : !tile.buffer<2, 8, 2, f32, #tile.layout<"offset: 2*[0, 1] 8*[1, 0] -> [8, 2]">>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  scf.for %i = %c0 to %c9 step %c1 {
    // expected-error @below {{'tile.cluster_reduce' op is in a loop, and needs a stage}}
    %all = tile.cluster_reduce addf %mine in %given : tensor<2xf32>, !tile.buffer<2, 8, 2, f32, #tile.layout<"offset: 2*[0, 1] 8*[1, 0] -> [8, 2]">>
  }
  tile.return
}

// -----

tile.kernel @one_stage(%x: f32) attributes {cluster = 8 : i64, warps = 1 : i64} {
  %mine = tile.splat %x : f32 -> tensor<2xf32>
  %given = tile.alloc : !tile.buffer<1, 8, 2, f32, #tile.layout<"offset: 2*[0, 1] 8*[1, 0] -> [8, 2]">>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  scf.for %i = %c0 to %c9 step %c1 {
    // expected-error @below {{'tile.cluster_reduce' op needs a buffer of 2 x 8 x 2 elements of 'f32', got '!tile.buffer<1, 8, 2, f32,}}
    %all = tile.cluster_reduce addf %mine in %given[%i] : tensor<2xf32>, !tile.buffer<1, 8, 2, f32, #tile.layout<"offset: 2*[0, 1] 8*[1, 0] -> [8, 2]">>
  }
  tile.return
}

// -----

tile.kernel @needless_stage(%x: f32, %n: index) attributes {cluster = 8 : i64, warps = 1 : i64} {
  %mine = tile.splat %x : f32 -> tensor<2xf32>
  %given = tile.alloc : !tile.buffer<1, 8, 2, f32, #tile.layout<"offset: 2*[0, 1] 8*[1, 0] -> [8, 2]">>
  // expected-error @below {{'tile.cluster_reduce' op is in no loop, and has a stage}}
  %all = tile.cluster_reduce addf %mine in %given[%n] : tensor<2xf32>, !tile.buffer<1, 8, 2, f32, #tile.layout<"offset: 2*[0, 1] 8*[1, 0] -> [8, 2]">>
  tile.return
}

// -----

func.func @no_blocks(%n: index) {
  %none = arith.constant 0 : index
  // expected-error @below {{'tile.last_block' op counts one block at least with one counter at least}}
  %a = tile.last_block %n of %none {counters = 1 : i64}
  return
}

// -----

func.func @discards_parts_of_lines(%v: !tile.view<2 x f32, unit = 1, alignment = 16>, %n: index) {
  // expected-error @below {{'tile.discard' op is for whole lines of 128 bytes}}
  tile.discard %v[%n, %n] {shape = array<i64: 8, 48>} : !tile.view<2 x f32, unit = 1, alignment = 16>
  return
}

// -----

func.func @discards_columns(%v: !tile.view<2 x f32, unit = -1, alignment = 4>, %n: index) {
  // expected-error @below {{'tile.discard' op needs a view with a unit dimension}}
  tile.discard %v[%n, %n] {shape = array<i64: 8, 32>} : !tile.view<2 x f32, unit = -1, alignment = 4>
  return
}

// -----

func.func @discards_of_other_rank(%v: !tile.view<2 x f32, unit = 1, alignment = 16>, %n: index) {
  // expected-error @below {{'tile.discard' op has 2 coordinates and 1 extents for a view of rank 2}}
  tile.discard %v[%n, %n] {shape = array<i64: 32>} : !tile.view<2 x f32, unit = 1, alignment = 16>
  return
}

// -----

func.func @discards_nothing(%v: !tile.view<2 x f32, unit = 1, alignment = 16>, %n: index) {
  // expected-error @below {{'tile.discard' op extents must be positive}}
  tile.discard %v[%n, %n] {shape = array<i64: 0, 32>} : !tile.view<2 x f32, unit = 1, alignment = 16>
  return
}

// -----

func.func @window_of_other_rank(%p: !tile.ptr<f16>, %n: index) {
  // expected-error @below {{'tile.window' op needs 2 sizes and dimensions of its map, got 2 and 1}}
  %a = tile.window %p[] sizes [%n, %n] {bounded = array<i64>, map = affine_map<(d0) -> (d0)>, shape = array<i64: 8>}
      : !tile.ptr<f16> -> !tile.view<2 x f16, unit = 1, alignment = 16>
  return
}

// -----

func.func @window_without_symbol(%p: !tile.ptr<f16>, %n: index) {
  // expected-error @below {{'tile.window' op has a map of 1 symbols, got 0}}
  %a = tile.window %p[] sizes [%n, %n] {bounded = array<i64>, map = affine_map<(d0, d1)[s0] -> (d0 + s0, d1)>, shape = array<i64: 8, 8>}
      : !tile.ptr<f16> -> !tile.view<2 x f16, unit = 1, alignment = 16>
  return
}

// -----

func.func @window_of_other_shape(%p: !tile.ptr<f16>, %n: index) {
  // expected-error @below {{'tile.window' op has a map to 2 indices of a tensor of rank 1}}
  %a = tile.window %p[] sizes [%n, %n] {bounded = array<i64>, map = affine_map<(d0, d1) -> (d0, d1)>, shape = array<i64: 8>}
      : !tile.ptr<f16> -> !tile.view<2 x f16, unit = 1, alignment = 16>
  return
}

// -----

func.func @window_bounds_nothing(%p: !tile.ptr<f16>, %n: index) {
  // expected-error @below {{'tile.window' op bounds dimension 2 of a tensor of rank 2}}
  %a = tile.window %p[] sizes [%n, %n] {bounded = array<i64: 2>, map = affine_map<(d0, d1) -> (d0, d1)>, shape = array<i64: 8, 8>}
      : !tile.ptr<f16> -> !tile.view<2 x f16, unit = 1, alignment = 16>
  return
}

// -----

func.func @window_of_products(%p: !tile.ptr<f16>, %n: index) {
  // expected-error @below {{'tile.window' op has an index #1 that is no sum of digits}}
  %a = tile.window %p[] sizes [%n, %n] {bounded = array<i64>, map = affine_map<(d0, d1) -> (d0, -d1)>, shape = array<i64: 8, 8>}
      : !tile.ptr<f16> -> !tile.view<2 x f16, unit = 1, alignment = 16>
  return
}

// -----

func.func @window_of_other_elements(%p: !tile.ptr<f32>, %n: index) {
  // expected-error @below {{'tile.window' op views '!tile.ptr<f32>' as 'f16'}}
  %a = tile.window %p[] sizes [%n, %n] {bounded = array<i64>, map = affine_map<(d0, d1) -> (d0, d1)>, shape = array<i64: 8, 8>}
      : !tile.ptr<f32> -> !tile.view<2 x f16, unit = 1, alignment = 16>
  return
}

// -----

tile.kernel @k(%p: !tile.ptr<f32> {tile.access = #tile.access<read>}, %n: index) attributes {warps = 4 : i64} {
  %v = tile.view %p[%n] sizes [%n] strides [%n] : !tile.ptr<f32> -> !tile.view<1 x f32, unit = 0, alignment = 4>
  // expected-error @below {{'tile.load' op is misaligned, which needs 'within'}}
  %x = tile.load %v[%n] {ragged, misaligned = 4} : !tile.view<1 x f32, unit = 0, alignment = 4> -> tensor<128xf32>
  tile.return
}

// -----

tile.kernel @k(%p: !tile.ptr<f32> {tile.access = #tile.access<read>}, %n: index) attributes {warps = 4 : i64} {
  %v = tile.view %p[%n] sizes [%n] strides [%n] : !tile.ptr<f32> -> !tile.view<1 x f32, unit = 0, alignment = 4>
  // expected-error @below {{'tile.load' op is misaligned, which needs 'ragged' and a dimension whose stride is one}}
  %x = tile.load %v[%n] {misaligned = 4, within = 100} : !tile.view<1 x f32, unit = 0, alignment = 4> -> tensor<128xf32>
  tile.return
}

// -----

func.func @realigned_store(%x: tensor<128xf32>, %v: !tile.view<1 x f32, unit = 0, alignment = 4>, %n: index) {
  // expected-error @below {{'tile.store' op has misaligned accesses of 8 elements of 'f32', which are no 4, 8 or 16 bytes}}
  tile.store %x, %v[%n] {ragged, misaligned = 8} : tensor<128xf32>, !tile.view<1 x f32, unit = 0, alignment = 4>
  return
}

// -----

tile.kernel @k(%p: !tile.ptr<i8> {tile.access = #tile.access<read>}, %n: index) attributes {warps = 4 : i64} {
  %v = tile.view %p[%n] sizes [%n] strides [%n] : !tile.ptr<i8> -> !tile.view<1 x i8, unit = 0, alignment = 1>
  // expected-error @below {{'tile.load' op has misaligned accesses of 2 elements of 'i8', which are no 4, 8 or 16 bytes}}
  %x = tile.load %v[%n] {ragged, misaligned = 2, within = 100} : !tile.view<1 x i8, unit = 0, alignment = 1> -> tensor<128xi8>
  tile.return
}

// -----

!b = !tile.buffer<1, 32, 64, f16, <"offset: 64*[0,1] 32*[1,0] -> [32, 64]">>
func.func @shared_dot_two_first_operands(%x: tensor<64x32xf16>, %a: !b, %i: index, %s: tensor<64x64xf32>) {
  // expected-error @below {{'tile.shared_dot' op has one LHS, a tile or a stage of a buffer}}
  %d = tile.shared_dot %x of %a[%i], %a[%i], %s "wgmma.m64k16" warps [4, 1] : (!b) [tensor<64x32xf16>] !b -> tensor<64x64xf32>
  return
}

// -----

!b = !tile.buffer<1, 32, 64, f16, <"offset: 64*[0,1] 32*[1,0] -> [32, 64]">>
func.func @shared_dot_shapes(%x: tensor<64x16xf16>, %b: !b, %i: index, %s: tensor<64x64xf32>) {
  // expected-error @below {{'tile.shared_dot' op shapes do not fit: 64x16 times 32x64 gives 'tensor<64x64xf32>'}}
  %d = tile.shared_dot %x, %b[%i], %s "wgmma.m64k16" warps [4, 1] : [tensor<64x16xf16>] !b -> tensor<64x64xf32>
  return
}

// -----

!b = !tile.buffer<1, 32, 64, f16, <"offset: 64*[0,1] 32*[1,0] -> [32, 64]">>
func.func @shared_dot_turned(%x: tensor<64x32xf16>, %b: !b, %i: index, %s: tensor<64x64xf32>) {
  // expected-error @below {{'tile.shared_dot' op has a tile as LHS, which must be two-dimensional, without 'lhs_transposed' and 'lhs_slot'}}
  %d = tile.shared_dot %x, %b[%i], %s "wgmma.m64k16" warps [4, 1] {lhs_transposed} : [tensor<64x32xf16>] !b -> tensor<64x64xf32>
  return
}

// -----

!b = !tile.buffer<1, 32, 64, f16, <"offset: 64*[0,1] 32*[1,0] -> [32, 64]">>
func.func @shared_dot_types(%x: tensor<64x32xbf16>, %b: !b, %i: index, %s: tensor<64x64xf32>) {
  // expected-error @below {{'tile.shared_dot' op multiplies 'bf16' by 'f16'}}
  %d = tile.shared_dot %x, %b[%i], %s "wgmma.m64k16" warps [4, 1] : [tensor<64x32xbf16>] !b -> tensor<64x64xf32>
  return
}

// -----

!b = !tile.buffer<1, 32, 64, f16, <"offset: 64*[0,1] 32*[1,0] -> [32, 64]">>
func.func @in_flight_used(%x: tensor<64x32xf16>, %b: !b, %i: index, %s: tensor<64x64xf32>) {
  // expected-error @below {{'tile.shared_dot' op is in flight until a tile.await_dot, its only use, or the end of an iteration}}
  %d = tile.shared_dot %x, %b[%i], %s "wgmma.m64k16" warps [4, 1] {async} : [tensor<64x32xf16>] !b -> tensor<64x64xf32>
  %e = arith.negf %d : tensor<64x64xf32>
  return
}

// -----

!b = !tile.buffer<1, 32, 64, f16, <"offset: 64*[0,1] 32*[1,0] -> [32, 64]">>
func.func @await_dot_of_none(%x: tensor<64x32xf16>, %b: !b, %i: index, %s: tensor<64x64xf32>) {
  // expected-error @below {{'tile.await_dot' op waits for a tile.shared_dot with 'async' of its block, or of a loop that carries it}}
  %d = tile.await_dot %s pending 0 : tensor<64x64xf32>
  return
}

// -----

!b = !tile.buffer<1, 32, 64, f16, <"offset: 64*[0,1] 32*[1,0] -> [32, 64]">>
func.func @await_dot_too_many(%x: tensor<64x32xf16>, %b: !b, %i: index, %s: tensor<64x64xf32>) {
  %d = tile.shared_dot %x, %b[%i], %s "wgmma.m64k16" warps [4, 1] {async} : [tensor<64x32xf16>] !b -> tensor<64x64xf32>
  // expected-error @below {{'tile.await_dot' op leaves 1 contractions in flight, but 0 began after its own}}
  %e = tile.await_dot %d pending 1 : tensor<64x64xf32>
  return
}

// -----

!b = !tile.buffer<1, 32, 64, f16, <"offset: 64*[0,1] 32*[1,0] -> [32, 64]">>
func.func @await_dots_negative(%x: tensor<64x32xf16>, %b: !b, %i: index, %s: tensor<64x64xf32>) {
  // expected-error @below {{'tile.await_dots' op leaves -1 contractions in flight}}
  tile.await_dots pending -1
  return
}

// -----

!b = !tile.buffer<1, 32, 64, f16, <"offset: 64*[0,1] 32*[1,0] -> [32, 64]">>
func.func @shared_dot_warps(%x: tensor<64x32xf16>, %b: !b, %i: index, %s: tensor<64x64xf32>) {
  // expected-error @below {{'tile.shared_dot' op needs 1 to 32 warps along both dimensions}}
  %d = tile.shared_dot %x, %b[%i], %s "wgmma.m64k16" warps [4] : [tensor<64x32xf16>] !b -> tensor<64x64xf32>
  return
}

// -----

!buffer = !tile.buffer<1, 8, 8, f16, <"offset: 8*[0,1] 8*[1,0] -> [8, 8]">>
tile.kernel @bulk_of_a_view(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}, %n: index) attributes {warps = 1 : i64} {
  %v = tile.view %p[%n] sizes [%n, %n] strides [%n, %n] : !tile.ptr<f16> -> !tile.view<2 x f16, unit = 1, alignment = 16>
  %b = tile.alloc : !buffer
  // expected-error @below {{'tile.copy_async' op copies by TMA, which needs a tile.window of an argument of the kernel}}
  tile.copy_async %v[%n, %n], %b[%n] by tma : !tile.view<2 x f16, unit = 1, alignment = 16>, !buffer
  tile.return
}

// -----

!buffer = !tile.buffer<1, 8, 8, f16, <"offset: 8*[0,1] 8*[1,0] -> [8, 8]">>
tile.kernel @bulk_of_six_dimensions(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}, %n: index) attributes {warps = 1 : i64} {
  %v = tile.window %p[%n, %n, %n, %n] sizes [%n, %n] {bounded = array<i64>, shape = array<i64: 2, 2, 2, 2, 8, 8>, map = affine_map<(d0, d1)[s0, s1, s2, s3] -> (s0, s1, s2, s3, d0, d1)>} : !tile.ptr<f16> -> !tile.view<2 x f16, unit = 1, alignment = 16>
  %b = tile.alloc : !buffer
  // expected-error @below {{'tile.copy_async' op copies by TMA a part of a tensor of rank 6; tensor maps have 2 to 5 dimensions here}}
  tile.copy_async %v[%n, %n], %b[%n] by tma : !tile.view<2 x f16, unit = 1, alignment = 16>, !buffer
  tile.return
}

// -----

!buffer = !tile.buffer<1, 8, 8, f16, <"offset: 8*[1,0] 8*[0,1] -> [8, 8]">>
tile.kernel @bulk_to_another_layout(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}, %n: index) attributes {warps = 1 : i64} {
  %v = tile.window %p[] sizes [%n, %n] {bounded = array<i64>, shape = array<i64: 8, 8>, map = affine_map<(d0, d1) -> (d0, d1)>} : !tile.ptr<f16> -> !tile.view<2 x f16, unit = 1, alignment = 16>
  %b = tile.alloc : !buffer
  // expected-error @below {{'tile.copy_async' op copies by TMA a buffer whose layout is not that of a tensor map's boxes}}
  tile.copy_async %v[%n, %n], %b[%n] by tma : !tile.view<2 x f16, unit = 1, alignment = 16>, !buffer
  tile.return
}

// -----

!buffer = !tile.buffer<1, 8, 8, f16, <"offset: 8*[0,1] 8*[1,0] -> [8, 8]">>
tile.kernel @bulk_of_a_diagonal(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}, %n: index) attributes {warps = 1 : i64} {
  %v = tile.window %p[] sizes [%n, %n] {bounded = array<i64>, shape = array<i64: 16, 8>, map = affine_map<(d0, d1) -> (d0 + d1, d1)>} : !tile.ptr<f16> -> !tile.view<2 x f16, unit = 1, alignment = 16>
  %b = tile.alloc : !buffer
  // expected-error @below {{'tile.copy_async' op copies by TMA through a window whose indices are not the tile's dimensions and symbols}}
  tile.copy_async %v[%n, %n], %b[%n] by tma : !tile.view<2 x f16, unit = 1, alignment = 16>, !buffer
  tile.return
}

// -----

!buffer = !tile.buffer<1, 8, 8, f16, <"offset: 8*[0,1] 8*[1,0] -> [8, 8]">>
tile.kernel @bulk_of_odd_rows(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}, %n: index) attributes {warps = 1 : i64} {
  %v = tile.window %p[] sizes [%n, %n] {bounded = array<i64>, shape = array<i64: 8, 12>, map = affine_map<(d0, d1) -> (d0, d1)>} : !tile.ptr<f16> -> !tile.view<2 x f16, unit = 1, alignment = 8>
  %b = tile.alloc : !buffer
  // expected-error @below {{'tile.copy_async' op copies by TMA a part of a tensor whose strides are no multiples of 16 bytes}}
  tile.copy_async %v[%n, %n], %b[%n] by tma : !tile.view<2 x f16, unit = 1, alignment = 8>, !buffer
  tile.return
}

// -----

!buffer = !tile.buffer<1, 8, 8, f16, <"offset: 8*[1,0] 8*[0,1] -> [8, 8]">>
tile.kernel @store_of_another_layout(%p: !tile.ptr<f16> {tile.access = #tile.access<write>}, %n: index) attributes {warps = 1 : i64} {
  %v = tile.window %p[] sizes [%n, %n] {bounded = array<i64>, shape = array<i64: 8, 8>, map = affine_map<(d0, d1) -> (d0, d1)>} : !tile.ptr<f16> -> !tile.view<2 x f16, unit = 1, alignment = 16>
  %b = tile.alloc : !buffer
  // expected-error @below {{'tile.store_async' op copies by TMA a buffer whose layout is not that of a tensor map's boxes}}
  tile.store_async %b[%n], %v[%n, %n] : !buffer, !tile.view<2 x f16, unit = 1, alignment = 16>
  tile.return
}

// -----

!buffer = !tile.buffer<1, 8, 8, f16, <"offset: 8*[0,1] 8*[1,0] -> [8, 8]">>
tile.kernel @store_of_another_type(%p: !tile.ptr<bf16> {tile.access = #tile.access<write>}, %n: index) attributes {warps = 1 : i64} {
  %v = tile.window %p[] sizes [%n, %n] {bounded = array<i64>, shape = array<i64: 8, 8>, map = affine_map<(d0, d1) -> (d0, d1)>} : !tile.ptr<bf16> -> !tile.view<2 x bf16, unit = 1, alignment = 16>
  %b = tile.alloc : !buffer
  // expected-error @below {{'tile.store_async' op moves 'f16' but the view holds 'bf16'}}
  tile.store_async %b[%n], %v[%n, %n] : !buffer, !tile.view<2 x bf16, unit = 1, alignment = 16>
  tile.return
}

// -----

!buffer = !tile.buffer<1, 8, 8, f16, <"offset: 8*[0,1] 8*[1,0] -> [8, 8]">>
tile.kernel @store_to_one_place(%p: !tile.ptr<f16> {tile.access = #tile.access<write>}, %n: index) attributes {warps = 1 : i64} {
  %v = tile.window %p[] sizes [%n, %n] {bounded = array<i64>, shape = array<i64: 8, 8>, map = affine_map<(d0, d1) -> (d0, d1)>} : !tile.ptr<f16> -> !tile.view<2 x f16, unit = 1, alignment = 16>
  %b = tile.alloc : !buffer
  // expected-error @below {{'tile.store_async' op has 1 coordinates for a view of rank 2}}
  tile.store_async %b[%n], %v[%n] : !buffer, !tile.view<2 x f16, unit = 1, alignment = 16>
  tile.return
}

// -----

!buffer = !tile.buffer<1, 8, 8, f16, <"offset: 8*[0,1] 8*[1,0] -> [8, 8]">>
tile.kernel @eviction_by_threads(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}, %n: index) attributes {warps = 1 : i64} {
  %v = tile.view %p[%n] sizes [%n, %n] strides [%n, %n] : !tile.ptr<f16> -> !tile.view<2 x f16, unit = 1, alignment = 16>
  %b = tile.alloc : !buffer
  // expected-error @below {{'tile.copy_async' op says 'eviction', which TMA copies do}}
  tile.copy_async %v[%n, %n], %b[%n] by async16 {eviction = #tile.eviction<first>} : !tile.view<2 x f16, unit = 1, alignment = 16>, !buffer
  tile.return
}

// -----

!buffer = !tile.buffer<1, 8, 8, f16, <"offset: 8*[0,1] 8*[1,0] -> [8, 8]">>
tile.kernel @multicast_by_threads(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}, %n: index) attributes {cluster = 2 : i64, warps = 1 : i64} {
  %v = tile.view %p[%n] sizes [%n, %n] strides [%n, %n] : !tile.ptr<f16> -> !tile.view<2 x f16, unit = 1, alignment = 16>
  %b = tile.alloc : !buffer
  // expected-error @below {{'tile.copy_async' op is 'multicast', which TMA copies are}}
  tile.copy_async %v[%n, %n], %b[%n] by async16 {multicast} : !tile.view<2 x f16, unit = 1, alignment = 16>, !buffer
  tile.return
}

// -----

!buffer = !tile.buffer<1, 16, 8, f16, <"offset: 8*[0,1] 16*[1,0] -> [16, 8]">>
!view = !tile.view<2 x f16, unit = 1, alignment = 16>
tile.kernel @multicast_alone(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}, %n: index) attributes {warps = 1 : i64} {
  %v = tile.window %p[] sizes [%n, %n] {bounded = array<i64>, shape = array<i64: 64, 64>, map = affine_map<(d0, d1) -> (d0, d1)>} : !tile.ptr<f16> -> !view
  %b = tile.alloc : !buffer
  // expected-error @below {{'tile.copy_async' op is 'multicast' in a kernel without a cluster of blocks}}
  tile.copy_async %v[%n, %n], %b[%n] by tma {multicast} : !view, !buffer
  tile.return
}

// -----

!buffer = !tile.buffer<1, 16, 8, f16, <"offset: 8*[0,1] 16*[1,0] -> [16, 8]">>
!view = !tile.view<2 x f16, unit = 1, alignment = 16>
tile.kernel @multicast_of_parts(%p: !tile.ptr<f16> {tile.access = #tile.access<read>}, %n: index) attributes {cluster = 3 : i64, warps = 1 : i64} {
  %v = tile.window %p[] sizes [%n, %n] {bounded = array<i64>, shape = array<i64: 64, 64>, map = affine_map<(d0, d1) -> (d0, d1)>} : !tile.ptr<f16> -> !view
  %b = tile.alloc : !buffer
  // expected-error @below {{'tile.copy_async' op copies by TMA 16 rows, which 3 blocks do not share}}
  tile.copy_async %v[%n, %n], %b[%n] by tma {multicast} : !view, !buffer
  tile.return
}

// -----

tile.kernel @barrier_of_a_cluster() attributes {warps = 1 : i64} {
  // expected-error @below {{'tile.barrier' op needs a kernel with a cluster of blocks}}
  tile.barrier cluster
  tile.return
}

// -----

tile.kernel @barrier_of_warps_and_more() attributes {cluster = 2 : i64, warps = 1 : i64} {
  // expected-error @below {{'tile.barrier' op is of each warp or of more than a warp}}
  tile.barrier warp cluster
  tile.return
}

// -----

#own = #tile.layout<"register: 4*[0,1]; lane: 32*[0,4] -> [1, 128]">
!aside = !tile.buffer<2, 32, 4, f32, <"offset: 4*[0,1] 32*[1,0] -> [32, 4]">>
!view = !tile.view<1 x f32, unit = 0, alignment = 16>
tile.kernel @own_of_another_rank(%p: !tile.ptr<f32> {tile.access = #tile.access<read>}, %n: index) attributes {warps = 1 : i64} {
  %v = tile.view %p[%n] sizes[%n] strides[%n] : <f32> -> !view
  %b = tile.alloc : !aside
  // expected-error @below {{'tile.copy_async' op needs a view of rank 2 with a unit dimension}}
  tile.copy_async %v[%n], %b[%n] by async16 {thread_private = tensor<1x128xf32, #own>} : !view, !aside
  tile.return
}

// -----

#own = #tile.layout<"register: 4*[0,1]; lane: 32*[0,4] -> [1, 128]">
!aside = !tile.buffer<2, 32, 8, f32, <"offset: 8*[0,1] 32*[1,0] -> [32, 8]">>
!view = !tile.view<2 x f32, unit = 1, alignment = 16>
tile.kernel @own_of_more(%p: !tile.ptr<f32> {tile.access = #tile.access<read>}, %n: index) attributes {warps = 1 : i64} {
  %v = tile.view %p[%n] sizes[%n, %n] strides[%n, %n] : <f32> -> !view
  %b = tile.alloc : !aside
  // expected-error @below {{'tile.copy_async' op threads have 4 different elements each, the buffer has 32 rows of 8}}
  tile.copy_async %v[%n, %n], %b[%n] by async16 {thread_private = tensor<1x128xf32, #own>} : !view, !aside
  tile.return
}

// -----

#own = #tile.layout<"register: 2*[0,1]; lane: 32*[0,2] -> [1, 64]">
!aside = !tile.buffer<2, 32, 2, f32, <"offset: 2*[0,1] 32*[1,0] -> [32, 2]">>
!view = !tile.view<2 x f32, unit = 1, alignment = 16>
tile.kernel @own_of_less_than_a_copy(%p: !tile.ptr<f32> {tile.access = #tile.access<read>}, %n: index) attributes {warps = 1 : i64} {
  %v = tile.view %p[%n] sizes[%n, %n] strides[%n, %n] : <f32> -> !view
  %b = tile.alloc : !aside
  // expected-error @below {{'tile.copy_async' op copies 16 bytes at a time, threads have 2 elements of 'f32' side by side}}
  tile.copy_async %v[%n, %n], %b[%n] by async16 {thread_private = tensor<1x64xf32, #own>} : !view, !aside
  tile.return
}

// -----

#own = #tile.layout<"register: 4*[0,1]; lane: 32*[0,4] -> [1, 128]">
!aside = !tile.buffer<2, 32, 4, f32, <"offset: 4*[0,1] 32*[1,0] -> [32, 4]">>
!view = !tile.view<2 x f32, unit = 1, alignment = 16>
tile.kernel @own_in_bulk(%p: !tile.ptr<f32> {tile.access = #tile.access<read>}, %n: index) attributes {warps = 1 : i64} {
  %v = tile.view %p[%n] sizes[%n, %n] strides[%n, %n] : <f32> -> !view
  %b = tile.alloc : !aside
  // expected-error @below {{'tile.copy_async' op copies by TMA, which needs a tile.view of all of an argument of the kernel}}
  tile.copy_async %v[%n, %n], %b[%n] by tma {thread_private = tensor<1x128xf32, #own>} : !view, !aside
  tile.return
}

// -----

#own = #tile.layout<"register: 4*[0,1]; lane: 32*[0,4] -> [1, 128]">
!aside = !tile.buffer<2, 32, 4, f32, <"offset: 4*[0,1] 32*[1,0] -> [32, 4]">>
!view = !tile.view<2 x f32, unit = 1, alignment = 16>
tile.kernel @own_in_bulk_of_unknown(%p: !tile.ptr<f32> {tile.access = #tile.access<read>}, %n: index) attributes {warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %v = tile.view %p[%c0] sizes[%n, %n] strides[%n, %n] : <f32> -> !view
  %b = tile.alloc : !aside
  // expected-error @below {{'tile.copy_async' op copies by TMA through a view whose sizes or strides are not constant}}
  tile.copy_async %v[%n, %n], %b[%n] by tma {thread_private = tensor<1x128xf32, #own>} : !view, !aside
  tile.return
}

// -----

#own = #tile.layout<"register: 4*[0,1]; lane: 32*[0,4] -> [1, 128]">
!aside = !tile.buffer<2, 32, 4, f32, <"offset: 4*[0,1] 32*[1,0] -> [32, 4]">>
!view = !tile.view<2 x f32, unit = 1, alignment = 16>
tile.kernel @own_in_bulk_of_odd_rows(%p: !tile.ptr<f32> {tile.access = #tile.access<read>}, %n: index) attributes {warps = 1 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c130 = arith.constant 130 : index
  %v = tile.view %p[%c0] sizes[%c8, %c130] strides[%c130, %c1] : <f32> -> !view
  %b = tile.alloc : !aside
  // expected-error @below {{'tile.copy_async' op copies by TMA what is no box of a tensor map: its strides are no multiples of 16 bytes}}
  tile.copy_async %v[%n, %c0], %b[%n] by tma {thread_private = tensor<1x128xf32, #own>} : !view, !aside
  tile.return
}

// -----

#own = #tile.layout<"register: 4*[0,1]; lane: 32*[0,4] -> [1, 128]">
!aside = !tile.buffer<2, 32, 4, f32, <"offset: 4*[0,1] 32*[1,0] -> [32, 4]">>
!view = !tile.view<2 x f32, unit = 1, alignment = 16>
tile.kernel @own_for_all_blocks(%p: !tile.ptr<f32> {tile.access = #tile.access<read>}, %n: index) attributes {warps = 1 : i64, cluster = 2 : i64} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c128 = arith.constant 128 : index
  %v = tile.view %p[%c0] sizes[%c8, %c128] strides[%c128, %c1] : <f32> -> !view
  %b = tile.alloc : !aside
  // expected-error @below {{'tile.copy_async' op is 'multicast' and 'thread_private', which blocks have no parts of}}
  tile.copy_async %v[%n, %c0], %b[%n] by tma {multicast, thread_private = tensor<1x128xf32, #own>} : !view, !aside
  tile.return
}

// -----

// expected-error @below {{'tile.kernel' op argument #1: 'tile.pending' is a unit of pointers}}
tile.kernel @pending_size(%p: !tile.ptr<f32> {tile.access = #tile.access<read>, tile.pending}, %n: index {tile.pending}) attributes {warps = 1 : i64} {
  tile.return
}

// -----

// expected-error @below {{'tile.kernel' op argument #0: 'tile.pending' is a unit of pointers}}
tile.kernel @pending_number(%p: !tile.ptr<f32> {tile.access = #tile.access<read>, tile.pending = 1 : i64}) attributes {warps = 1 : i64} {
  tile.return
}

// -----

tile.kernel @waits_inside(%n: index, %c: i1) attributes {warps = 1 : i64} {
  scf.if %c {
    // expected-error @below {{'tile.await_launches' op expects parent op 'tile.kernel'}}
    tile.await_launches
  }
  tile.return
}
