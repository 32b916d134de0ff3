// RUN: fusion-opt %s -split-input-file -verify-diagnostics

// expected-error @below {{a view has rank 0 to 5, got 6}}
func.func private @f(!tile.view<6 x f16, unit = 1, alignment = 16>)

// -----

// expected-error @below {{a view's elements must be integers or floats, got 'vector<4xf32>'}}
func.func private @f(!tile.view<2 x vector<4xf32>, unit = 1, alignment = 16>)

// -----

// expected-error @below {{a view's elements must be integers or floats, got 'index'}}
func.func private @f(!tile.view<2 x index, unit = 1, alignment = 16>)

// -----

// expected-error @below {{unit dimension 2 is not below the rank 2}}
func.func private @f(!tile.view<2 x f16, unit = 2, alignment = 16>)

// -----

// expected-error @below {{unit dimension -2 is not below the rank 2}}
func.func private @f(!tile.view<2 x f16, unit = -2, alignment = 16>)

// -----

// expected-error @below {{alignment must be 1, 2, 4, 8 or 16 bytes, got 3}}
func.func private @f(!tile.view<2 x f16, unit = 1, alignment = 3>)

// -----

// expected-error @below {{alignment must be 1, 2, 4, 8 or 16 bytes, got 32}}
func.func private @f(!tile.view<2 x f16, unit = 1, alignment = 32>)

// -----

// expected-error @below {{a pointer's elements must be scalars, got 'tensor<4xf32>'}}
func.func private @f(!tile.ptr<tensor<4xf32>>)

// -----

// expected-error @below {{stages, rows and columns must be positive}}
func.func private @f(!tile.buffer<0, 2, 2, f16, <"offset: 4*[1,0] -> [4, 1]">>)

// -----

// expected-error @below {{a buffer's elements have at least 8 bits, got 'i1'}}
func.func private @f(!tile.buffer<1, 4, 1, i1, <"offset: 4*[1,0] -> [4, 1]">>)

// -----

// expected-error @below {{layout does not cover the buffer's 8 rows and 1 columns}}
func.func private @f(!tile.buffer<1, 8, 1, f16, <"offset: 4*[1,0] -> [4, 1]">>)

// -----

// A layout that stores the same element twice.
// expected-error @below {{layout does not cover the buffer's 4 rows and 1 columns}}
func.func private @f(!tile.buffer<1, 4, 1, f16, <"offset: 4*[1,0] 2*[0,0] -> [4, 1]">>)

// -----

// expected-error @below {{malformed layout: }}
func.func private @f(tensor<4x4xf16, #tile.layout<"nothing">>)

// -----

// expected-error @below {{expected string}}
func.func private @f(tensor<4x4xf16, #tile.layout<4>>)

// -----

// expected-error @below {{the layout of a tile maps registers, lanes and warps, this one is offset: 4*[1,0] -> [4, 1]}}
func.func private @f(tensor<4x1xf16, #tile.layout<"offset: 4*[1,0] -> [4, 1]">>)

// -----

// expected-error @below {{layout register: 4*[1,0] -> [4, 1] does not cover a tile of [8, 1]}}
func.func private @f(tensor<8x1xf16, #tile.layout<"register: 4*[1,0] -> [4, 1]">>)

// -----

// expected-error @below {{layout register: 4*[1,0] -> [4, 1] does not cover a tile of [4]}}
func.func private @f(tensor<4xf16, #tile.layout<"register: 4*[1,0] -> [4, 1]">>)

// -----

// expected-error @+2 {{expected ::fusion::tile::Access to be one of: read, write}}
// expected-error @+1 {{failed to parse Tile_AccessAttr parameter 'value'}}
func.func private @f(i32 {tile.access = #tile.access<append>})

// -----

// expected-error @below {{an array has 1 to 65536 tiles, got 0}}
func.func private @f(!tile.array<0 x tensor<16x16xf32>>)

// -----

// expected-error @below {{the tiles of an array have static sizes, got 'tensor<16x?xf32>'}}
func.func private @f(!tile.array<2 x tensor<16x?xf32>>)

// -----

// expected-error @below {{a tensor map has 1 to 5 dimensions, not 6}}
func.func private @f() attributes {a = #tile.tensor_map<of = 0, f16, dims = [8, 8, 8, 8, 8, 8], strides = [16, 16, 16, 16, 16], box = [8, 8, 8, 8, 8, 8], swizzle = 0>}

// -----

// expected-error @below {{a tensor map of 2 dimensions has one stride fewer and as many sizes of its box}}
func.func private @f() attributes {a = #tile.tensor_map<of = 0, f16, dims = [8, 8], strides = [], box = [8, 8], swizzle = 0>}

// -----

// expected-error @below {{sizes of a box are 1 to 256}}
func.func private @f() attributes {a = #tile.tensor_map<of = 0, f16, dims = [512], strides = [], box = [512], swizzle = 0>}

// -----

// expected-error @below {{there is no swizzle of 48 bytes}}
func.func private @f() attributes {a = #tile.tensor_map<of = 0, f16, dims = [8, 8], strides = [16], box = [8, 8], swizzle = 48>}

// -----

// expected-error @below {{a dimension of a tensor map has 1 to 2^32 elements}}
func.func private @f() attributes {a = #tile.tensor_map<of = 0, f16, dims = [8, 0], strides = [16], box = [8, 8], swizzle = 0>}

// -----

// expected-error @below {{strides of a tensor map are positive multiples of 16 bytes}}
func.func private @f() attributes {a = #tile.tensor_map<of = 0, f16, dims = [8, 8], strides = [-16], box = [8, 8], swizzle = 0>}

// -----

// expected-error @below {{a buffer's elements take a power of two of bytes, got 'i24'}}
func.func private @f(!tile.buffer<1, 32, 4, i24, <"offset: 4*[0,1] 32*[1,0] -> [32, 4]">>)
