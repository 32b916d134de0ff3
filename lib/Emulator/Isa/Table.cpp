//===- Table.cpp - The handlers of one vector extension -------------------===//
//
// Part of the Fusion project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../Handlers.h"

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
bool shadowGather(ShadowWords &words, const uint64_t *writes,
                  const uint64_t *reads);
bool shadowScatter(const ShadowWords &words, const uint64_t *from,
                   uint64_t *to);
void shadowFill(const ShadowWords &words, uint64_t record, uint64_t *to);
bool shadowReplace(const ShadowWords &words, const uint32_t *asked,
                   bool keepsFirst, uint64_t *to);

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
                            wgmmaProducts,
                            shadowGather,
                            shadowScatter,
                            shadowFill,
                            shadowReplace};

} // namespace fusion::emulator::FUSION_ISA
