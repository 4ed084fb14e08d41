/* All tracked blocks, for who looks at them in a copy of the process where no other thread runs. */
#ifndef TAP_ENGINE_EACH_H
#define TAP_ENGINE_EACH_H

#include <stdint.h>

#include "heaptap/engine.h"

/* Tells those whose allocation has been told to the tracker, in no order: with the metadata that it gave them.  What another thread
 * was just putting in or taking out when the process was copied may be left out. */
void engine_each(const struct heaptap_engine *engine,
                 void (*tell)(void *context, uint64_t address, void *metadata), void *context);

#endif
