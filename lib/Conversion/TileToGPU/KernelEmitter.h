//===- KernelEmitter.h - Threads of a block program -----------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef FUSION_LIB_CONVERSION_TILETOGPU_KERNELEMITTER_H
#define FUSION_LIB_CONVERSION_TILETOGPU_KERNELEMITTER_H

#include "EmitRealignedOrder.h"
#include "fusion/Dialect/Tile/IR/BulkCopies.h"
#include "fusion/Dialect/Tile/IR/TileDialect.h"
#include "fusion/Dialect/Tile/Transforms/SharedMemory.h"
#include "fusion/Support/AddressPlan.h"
#include "fusion/Target/Intrinsics.h"
#include "fusion/Target/MatrixDescriptors.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

namespace fusion {

/// Elements that one access to a panel buffer moves: a unit has 16 bytes.
int64_t sharedWidth(const LinearLayout &layout, mlir::Type element);

/// The address plan of registers that hold a part of a buffer, the part's
/// registers first; nullopt where the layout does not fit the buffer.
std::optional<AddressPlan> planPart(const LinearLayout &part,
                                    tile::BufferType buffer,
                                    llvm::ArrayRef<int64_t> origin);

/// Distributes one block program to its threads: every tensor becomes the
/// scalars that a thread holds of it, in the order of its layout's registers.
class KernelEmitter {
public:
  /// Emits into `function`, whose body is empty but for its terminator, and
  /// whose arguments behind the kernel's own are pointers to the tensor maps
  /// `maps`. A wait for an mbarrier traps after `waitLimit` tries; 0: never.
  KernelEmitter(tile::KernelOp kernel, mlir::gpu::GPUFuncOp function,
                llvm::ArrayRef<tile::TensorMapAttr> maps, int64_t waitLimit);

  mlir::LogicalResult run();

  /// What an element takes in global memory: a byte for a truth value, since
  /// LLVM would pack vectors of them into bits.
  static mlir::Type memoryType(mlir::Type element);

private:
  using Value = mlir::Value;
  using Values = llvm::SmallVector<Value>;

  /// A view with its scalars translated; `memory` is the whole tensor as a
  /// dense one-dimensional memref.
  struct View {
    Value memory;
    Value offset;
    Values sizes, strides;
    tile::ViewType type;
    /// Of one that is read through a window, which has no strides.
    tile::WindowOp window;
  };

  // Scalars.
  Value scalar(Value value) { return scalars.lookupOrDefault(value); }
  Values scalarsOf(mlir::ValueRange values);
  Value index(int64_t value);
  Value i32(int64_t value);
  /// Of what is not negative.
  Value add(Value a, Value b);
  /// Of what may be negative, where unsigned numbers would wrap.
  Value addSigned(Value a, Value b);
  Value addConstant(Value a, int64_t constant);
  Value mul(Value a, Value b);
  /// What follows is under a condition, where there is one.
  void enterIf(Value condition);
  /// Emits at the start of the kernel, where everything that depends on the
  /// thread only is computed once.
  template <typename Emit> auto atEntry(Emit emit) {
    mlir::OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(entryEnd);
    return emit();
  }
  /// A digit of the thread's lane or warp: ⌊id / weight⌋ mod radix, or without
  /// the modulus where it is the last one.
  Value threadDigit(LayoutDim input, int64_t weight,
                    std::optional<int64_t> radix);
  /// The part of an address that depends on the thread, as an index: XORed with
  /// `xorPart`.
  Value threadOffset(const AddressPlan &plan, int64_t xorPart);
  /// The whole address for one register, as an index.
  Value address(const AddressPlan &plan, int64_t reg);
  /// Whether lanes and warps lie alike in two layouts, whatever registers hold.
  static bool areThreadsAlike(const LinearLayout &a, const LinearLayout &b) {
    LayoutDim threads[] = {LayoutDim::Lane, LayoutDim::Warp};
    return a.sublayout(threads, a.outDims()) ==
           b.sublayout(threads, b.outDims());
  }
  /// Whether the thread is the first of those that hold the same elements: null
  /// where no two do.
  Value isFirstHolder(const LinearLayout &layout) {
    return isFirstHolder(layout, layout);
  }
  /// The same, of lanes by one and of warps by another layout.
  Value isFirstHolder(const LinearLayout &ofLanes, const LinearLayout &ofWarps);

  // Operations.
  mlir::LogicalResult emitBlock(mlir::Block &block);
  mlir::LogicalResult emit(mlir::Operation *op);
  /// A barrier of the block, or of the lanes of each warp.
  void emitBarrier(bool ofWarp);
  mlir::LogicalResult emitFor(mlir::Operation *op);
  mlir::LogicalResult emitIf(mlir::Operation *op);

  // What is the same for every register (EmitElementwise.cpp).
  mlir::LogicalResult emitElementwise(mlir::Operation *op);
  /// Of elements of 8 and 16 bits whole registers are chosen where the elements
  /// of each share their condition: no register is taken apart. Nothing where
  /// some do not, or there are no such elements.
  std::optional<Values> selectWords(mlir::Type element,
                                    mlir::ArrayRef<const Values *> operands);

  // Coordinates (EmitCoordinates.cpp).
  mlir::LogicalResult emitIota(tile::IotaOp op);
  mlir::LogicalResult emitMask(tile::MaskOp op);
  /// How coordinate `dimension` follows from the thread and the register.
  static std::optional<AddressPlan> planOf(const LinearLayout &layout,
                                           int64_t dimension);
  /// Coordinate `dimension` of the element in a register.
  Value coordinate(const LinearLayout &layout, int64_t dimension, int64_t reg);
  /// That of all registers, equal ones as one value; none where the layout has
  /// no plain coordinates.
  Values coordinates(const LinearLayout &layout, int64_t dimension);
  /// Compares coordinates of a thread's registers, indices.
  Values compare(mlir::arith::CmpIPredicate predicate, mlir::ValueRange lhs,
                 mlir::ValueRange rhs);

  // Products (EmitDot.cpp).
  /// Elements of 8, 16 or 32 bits as the 32-bit register that holds them.
  Value packWord(mlir::ValueRange elements);
  Values unpackWord(Value word, mlir::Type type);
  mlir::LogicalResult emitDot(tile::DotOp op);
  mlir::LogicalResult emitMultiplyAdds(tile::DotOp op);
  mlir::LogicalResult emitMma(tile::DotOp op, const Intrinsic &intrinsic);
  Values operandWords(Value operand);

  // Products in shared memory (EmitSharedDot.cpp).
  mlir::LogicalResult emitSharedDot(tile::SharedDotOp op);
  mlir::LogicalResult emitAwaitDot(tile::AwaitDotOp op);
  void forEachWord(tile::SharedDotOp op, const Intrinsic &intrinsic,
                   llvm::function_ref<void(int64_t, int64_t, Value)> visit);
  Value groupCoordinate(const LinearLayout &layout, unsigned dimension,
                        const Intrinsic &intrinsic);
  Value descriptorOf(Value buffer, Value stage,
                     const MatrixDescriptors &descriptors, Value parallel);

  // Registers (EmitRegisters.cpp).
  mlir::LogicalResult emitConstant(mlir::Operation *op);
  mlir::LogicalResult emitBroadcast(tile::BroadcastOp op);
  mlir::LogicalResult emitSlice(tile::SliceOp op);
  mlir::LogicalResult emitTranspose(tile::TransposeOp op);
  /// The same 32 bits, through an empty piece of assembly: nothing that LLVM
  /// sees through, and where it stays `isInOrder` nothing it moves.
  Value opaque(Value word, bool isInOrder);
  mlir::LogicalResult emitHold(tile::HoldOp op);
  mlir::LogicalResult emitScale(tile::ScaleOp op);

  // Reductions (EmitReduce.cpp).
  mlir::LogicalResult emitReduce(tile::ReduceOp op);
  /// The value of the lane whose index differs in the bits of `mask`.
  Value shuffleXor(Value value, int64_t mask);
  /// Combines what several warps hold of the same rows. `rows` are the rows, by
  /// the first register that stands for each; `layout` is the result's.
  void combineWarps(tile::ReduceOp op, const LinearLayout &layout,
                    llvm::ArrayRef<std::pair<int64_t, Value *>> rows,
                    const tile::ReductionSpread &spread);
  /// Where the element of a register lies in a tile that is exchanged.
  Value exchangePlace(mlir::RankedTensorType type, const LinearLayout &layout,
                      int64_t reg);
  /// Pairs of neighbours, then pairs of what they make: always in the same
  /// order.
  static Value combineTree(llvm::SmallVector<Value> values,
                           llvm::function_ref<Value(Value, Value)> combine);
  // Clusters (EmitCluster.cpp).
  mlir::LogicalResult emitClusterReduce(tile::ClusterReduceOp op);
  mlir::LogicalResult emitClusterScatter(tile::ClusterScatterOp op);
  /// A barrier of all threads of the cluster.
  void emitClusterBarrier();
  /// The block's number in its cluster, as an i32.
  Value clusterRank();
  int64_t clusterSize() { return kernel.getCluster().value_or(1); }
  /// Renames registers: result register r is the register of `from` whose
  /// coordinates are `map` of r's.
  std::optional<Values> renamed(
      const LinearLayout &to, const LinearLayout &from, const Values &values,
      llvm::function_ref<llvm::SmallVector<int64_t>(llvm::ArrayRef<int64_t>)>
          map);

  // Global memory (EmitGlobal.cpp).
  mlir::LogicalResult emitView(tile::ViewOp op);
  mlir::LogicalResult emitWindow(tile::WindowOp op);
  mlir::LogicalResult emitLoad(tile::LoadOp op);
  mlir::LogicalResult emitStore(tile::StoreOp op);
  mlir::LogicalResult emitGather(tile::GatherOp op);
  mlir::LogicalResult emitStash(tile::StashOp op);
  mlir::LogicalResult emitUnstash(tile::UnstashOp op);
  /// A copy of what each thread has of a tile to where it takes it back.
  mlir::LogicalResult emitOwnCopy(tile::CopyAsyncOp op);
  /// Where a thread's `width` elements from number `first` on lie in a stage.
  Value stashPosition(Value buffer, Value stage, int64_t first, int64_t width);
  // EmitGrid.cpp
  mlir::LogicalResult emitLastBlock(tile::LastBlockOp op);
  mlir::LogicalResult emitAwaitLaunches();
  mlir::LogicalResult emitDiscard(tile::DiscardOp op);
  mlir::LogicalResult emitElementLoad(tile::ElementLoadOp op);
  mlir::LogicalResult emitElementStore(tile::ElementStoreOp op);
  Value globalMemory(Value pointer);
  Value asWhole(Value loaded);
  Value fromMemory(Value value, mlir::Type element);
  Value toMemory(Value value);
  struct Chunk {
    Value position; ///< in the memory, elements
    Value isInside; ///< null where it is known to be
    Value unit;     ///< of ragged ones: the coordinate of the first element
  };
  Chunk chunkOf(const View &view, const LinearLayout &layout, int64_t reg,
                mlir::ValueRange coordinates,
                std::optional<llvm::ArrayRef<bool>> inBounds, bool ragged);
  /// A coordinate of a view: in a tile of `size` that begins at a multiple of
  /// it, what depends on the thread and on the register.
  struct Coordinate {
    Value origin, thread;
    int64_t fixed, size;
  };
  /// Where an element that is read through a window is; `isInside` is null
  /// where all are inside of the memory.
  Chunk windowPlace(const View &view, llvm::ArrayRef<Coordinate> coordinates);
  Value windowTerm(mlir::AffineExpr term,
                   llvm::ArrayRef<Coordinate> coordinates,
                   mlir::ValueRange symbols);
  /// Whether elements `unit` to `unit` + `width` - 1 are inside of the view.
  Value isWithin(const View &view, Value unit, int64_t width);
  /// Whether some of them are.
  Value overlaps(const View &view, Value unit, int64_t width);

  void writePart(tile::StoreOp op, const View &view, Value position,
                 mlir::ValueRange part);

  // Vectors past the caches (EmitStreamed.cpp).
  static bool canStream(mlir::VectorType type);
  Value addressOf(Value memory, Value position, mlir::VectorType type);
  Value loadStreamed(Value memory, mlir::VectorType type, Value position);
  void storeStreamed(Value memory, Value value, Value position);

  // Rows that begin anywhere (EmitRealigned.cpp).
  mlir::LogicalResult emitRealignedLoad(tile::LoadOp op);
  /// A lane's number along the row.
  Value digitOf(const RealignedOrder::Neighbour &neighbour);
  Values passWords(const RealignedOrder::Neighbour &neighbour, int by,
                   llvm::ArrayRef<Value> own, llvm::ArrayRef<Value> atEnd);
  Value isEndOfRow(const RealignedOrder::Neighbour &neighbour, int by);
  void moveWords(llvm::MutableArrayRef<Value> words, Value elements,
                 int64_t perWord);
  Value loadWords(const View &view, mlir::VectorType type, Value place,
                  Value unit, Value condition, int64_t within);

  // Their stores (EmitRealignedStores.cpp).
  /// Of a piece its elements from `first` to `beyond` - 1, i32; null where
  /// none are left out on that side.
  struct Kept {
    Value first, beyond;
  };
  struct StoredPiece {
    Value place;          ///< where it begins, a multiple of its elements
    Value off;            ///< elements in it before the row's, i32
    Values words, behind; ///< of it, and of the one behind where that is open
    Value ofHead, ofTail; ///< dealt to the lane, of the row's ends
    Kept ofRow;
  };
  mlir::LogicalResult emitRealignedStore(tile::StoreOp op);
  void storeHead(tile::StoreOp op, const View &view, const StoredPiece &piece,
                 const RealignedOrder::Neighbour &previous);
  void storeTail(tile::StoreOp op, const View &view, const StoredPiece &piece,
                 const RealignedOrder::Neighbour &next);
  Value dealElements(const RealignedOrder::Neighbour &neighbour, int by,
                     llvm::ArrayRef<Value> words, mlir::Type stored);
  Kept intersect(const Kept &a, const Kept &c);
  Kept further(const Kept &kept, Value by);
  void storePiece(tile::StoreOp op, const View &view, Value place,
                  llvm::ArrayRef<Value> words, const Kept &kept);
  void storeDealt(tile::StoreOp op, const View &view, Value place, Value away,
                  Value digit, Value element, const Kept &kept);

  // Shared memory (EmitShared.cpp).
  mlir::LogicalResult emitAlloc(tile::AllocOp op);
  mlir::LogicalResult emitCopyAsync(tile::CopyAsyncOp op);
  mlir::LogicalResult emitCommit();
  mlir::LogicalResult emitWait(int64_t pending);
  mlir::LogicalResult emitLocalLoad(tile::LocalLoadOp op);
  mlir::LogicalResult emitLocalStore(tile::LocalStoreOp op);
  bool storeMatrices(tile::LocalStoreOp op, const LinearLayout &layout);
  mlir::LogicalResult emitConvert(tile::ConvertLayoutOp op);
  Value sharedView(int64_t byteOffset, int64_t elements, mlir::Type type);
  Value stageOffset(Value buffer, Value stage);
  /// Stores or loads the registers of a layout whose addresses in elements are
  /// given by `plan`, `width` consecutive ones at a time.
  void storeRegisters(Value memory, Value base, const AddressPlan &plan,
                      int64_t width, const Values &values, Value predicate);
  Values loadRegisters(Value memory, Value base, const AddressPlan &plan,
                       int64_t width, int64_t count, mlir::Type type);
  /// Loads the part of a buffer that begins at `origin` in the given layout, as
  /// matrices (ldmatrix) where it has their form.
  /// `byteOffset` is where the buffer starts in the block's shared memory.
  std::optional<Values> loadPart(Value memory, int64_t byteOffset, Value base,
                                 const LinearLayout &layout,
                                 tile::BufferType buffer,
                                 llvm::ArrayRef<int64_t> origin);
  Values loadMatrices(int64_t byteOffset, Value base,
                      const MatrixAccess &matrices, const AddressPlan &plan,
                      tile::BufferType buffer);

  // Warps with roles (EmitRoles.cpp).
  bool hasProducers() { return kernel.getProducers().value_or(0) > 0; }
  mlir::LogicalResult emitSpecialize(tile::SpecializeOp op);
  mlir::LogicalResult emitTakeTurn(tile::TakeTurnOp op);
  mlir::LogicalResult emitPassTurn(tile::PassTurnOp op);
  /// The number of the thread's group of warps.
  Value turnGroup();
  /// Number of the barrier of a group's turn, and the threads that meet there:
  /// its own and those of the group before.
  std::pair<Value, Value> barrierOfTurn(Value group);
  /// A barrier of the warps that compute, and of the producer where it takes
  /// part.
  void emitBarrierOfRoles(bool withProducers);
  void meetCopyingLane();
  /// Its number and its threads.
  std::pair<Value, Value> barrierOfRoles(bool withProducers);

  // Bulk copies (EmitBulk.cpp).
  void emitBarriers();
  /// Has the tensor maps loaded before the first copy asks for them.
  void prefetchMaps();
  /// Whether the thread is the one of its warp that acts for all of it.
  Value isElected();
  struct BoxOperands;
  BoxOperands boxOperands(const tile::BulkCopy &copy, Value view,
                          mlir::ValueRange coordinates);
  BoxOperands ownBoxOperands(const tile::OwnBulkCopy &copy,
                             mlir::ValueRange coordinates);
  mlir::FailureOr<BoxOperands> boxOperands(tile::CopyAsyncOp op);
  /// The kernel's parameter.
  Value mapArgument(tile::TensorMapAttr map);
  mlir::LogicalResult emitBulkCopy(tile::CopyAsyncOp op);
  mlir::LogicalResult emitStoreAsync(tile::StoreAsyncOp op);
  mlir::LogicalResult emitStoreWait();
  /// Whether the thread is the one that starts stores in bulk.
  Value isStoring();
  mlir::LogicalResult emitAwait(tile::AwaitOp op);
  mlir::LogicalResult emitAcquire(tile::AcquireOp op);
  mlir::LogicalResult emitRelease(tile::ReleaseOp op);
  std::pair<Value, Value> phaseOf(tile::AllocOp alloc, Value stage);
  void turnPhase(Value number, Value predicate);
  void waitForPhase(Value barrier, Value parity, Value predicate);
  Value sharedAddress(Value bytes);
  Value ofStage(Value stage, int64_t first, int64_t step);

  tile::KernelOp kernel;
  mlir::gpu::GPUFuncOp function;
  llvm::ArrayRef<tile::TensorMapAttr> maps;
  int64_t waitLimit; ///< tries of a wait for an mbarrier, 0: any number
  mlir::OpBuilder b;
  mlir::Location loc;
  mlir::Operation *entryEnd = nullptr;
  Value lane, warp, dynamicShared; ///< lane and warp are i32
  Value elected;         ///< set by isElected
  Value isCopying;       ///< whether the thread is the one that copies in bulk
  Value isInCopyingWarp; ///< whether its warp is that thread's
  bool copiesForCluster = false; ///< some tiles go to other blocks, too
  /// Offsets of mbarriers at which the warps of all blocks of the cluster
  /// arrive.
  llvm::SmallDenseSet<int64_t> releasedByCluster;
  /// Offsets of mbarriers at which one warp of each warpgroup arrives.
  llvm::SmallDenseSet<int64_t> releasedByWarpgroup;
  bool isProducer = false;  ///< what is emitted is done by a producer
  int64_t firstBarrier = 0; ///< offset of the kernel's first mbarrier
  Value
      phases; ///< the parities of all mbarriers, of the phase to wait for next
  bool meetsCluster = false; ///< an exchange of the cluster has been emitted
  mlir::IRMapping scalars;
  llvm::DenseMap<Value, Values> registers;
  llvm::DenseMap<Value, View> views;
  llvm::DenseMap<Value, Value> memories; ///< by pointer
};

} // namespace fusion

#endif // FUSION_LIB_CONVERSION_TILETOGPU_KERNELEMITTER_H
