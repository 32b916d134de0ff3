// RUN: fusion-opt %s --reference-expand-narrow-floats | FileCheck %s

// CHECK-DAG:   func.func private @fusion_reference_truncate_f8E5M2(f64) -> i8
// CHECK-DAG:   func.func private @fusion_reference_truncate_bf16(f64) -> i16
// CHECK-DAG:   memref.global "private" constant @fusion_values_f8E4M3FN : memref<256xf32> = dense<"0x00000000

// CHECK-LABEL: func @extend
// CHECK:         %[[TABLE:.*]] = memref.get_global @fusion_values_f8E4M3FN
// CHECK:         %[[BITS:.*]] = arith.bitcast %{{.*}} : f8E4M3FN to i8
// CHECK:         %[[AT:.*]] = arith.index_castui %[[BITS]] : i8 to index
// CHECK:         memref.load %[[TABLE]][%[[AT]]] : memref<256xf32>
func.func @extend(%x: f8E4M3FN) -> f32 {
  %y = arith.extf %x : f8E4M3FN to f32
  return %y : f32
}

// CHECK-LABEL: func @truncate
// CHECK:         %[[WIDE:.*]] = arith.extf %{{.*}} : f32 to f64
// CHECK:         %[[BITS:.*]] = call @fusion_reference_truncate_f8E5M2(%[[WIDE]]) : (f64) -> i8
// CHECK:         arith.bitcast %[[BITS]] : i8 to f8E5M2
func.func @truncate(%x: f32) -> f8E5M2 {
  %y = arith.truncf %x : f32 to f8E5M2
  return %y : f8E5M2
}

// f64 to bf16 by way of f32 would round twice.

// CHECK-LABEL: func @truncate_f64
// CHECK:         call @fusion_reference_truncate_bf16(%{{.*}}) : (f64) -> i16
func.func @truncate_f64(%x: f64) -> bf16 {
  %y = arith.truncf %x : f64 to bf16
  return %y : bf16
}

// CHECK-LABEL: func @fma_f16
// CHECK:         %[[P:.*]] = arith.mulf %{{.*}} : f64
// CHECK:         %[[S:.*]] = arith.addf %[[P]], %{{.*}} : f64
// CHECK:         call @fusion_reference_truncate_f16(%[[S]]) : (f64) -> i16
func.func @fma_f16(%x: f16) -> f16 {
  %y = math.fma %x, %x, %x : f16
  return %y : f16
}

// What the machine has stays.

// CHECK-LABEL: func @native
// CHECK:         arith.truncf %{{.*}} : f32 to f16
// CHECK:         arith.extf %{{.*}} : f16 to f32
// CHECK:         math.fma %{{.*}} : f32
func.func @native(%x: f32) -> f32 {
  %h = arith.truncf %x : f32 to f16
  %w = arith.extf %h : f16 to f32
  %f = math.fma %w, %w, %w : f32
  return %f : f32
}

// Every 8-bit format has a table and a rounding.

// CHECK-LABEL: func @bias_of_eleven
// CHECK:         memref.get_global @fusion_values_f8E4M3B11FNUZ
// CHECK:         arith.mulf %{{.*}} : f32
// CHECK:         call @fusion_reference_truncate_f8E4M3B11FNUZ
func.func @bias_of_eleven(%x: f8E4M3B11FNUZ) -> f8E4M3B11FNUZ {
  %y = arith.mulf %x, %x : f8E4M3B11FNUZ
  return %y : f8E4M3B11FNUZ
}
