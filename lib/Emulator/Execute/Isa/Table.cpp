//===- Table.cpp - The handlers of one vector extension -------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emulator/Execute/HandlerTable.h"

namespace fusion::emulator::FUSION_ISA {

Handler integerHandler(IntOp op, Type type);
Handler floatHandler(FloatOp op, Type type, uint8_t flags);
Handler compareHandler(const CompareSpec &spec);
Handler convertHandler(Type destination, Type source, Rounding rounding,
                       uint8_t flags);
Handler loadHandler(Space space, unsigned bytes);
Handler storeHandler(Space space, unsigned bytes);
Handler mmaHandler(const MmaSpec &spec);
Handler wmmaHandler(const MmaSpec &spec);
void wgmmaProducts(Warp &warp, const WgmmaOp *ops, size_t count);

#define FUSION_STRING_(text) #text
#define FUSION_STRING(text) FUSION_STRING_(text)

extern const HandlerTable table;
const HandlerTable table = {FUSION_STRING(FUSION_ISA),
                            integerHandler,
                            floatHandler,
                            compareHandler,
                            convertHandler,
                            loadHandler,
                            storeHandler,
                            mmaHandler,
                            wmmaHandler,
                            wgmmaProducts};

} // namespace fusion::emulator::FUSION_ISA
