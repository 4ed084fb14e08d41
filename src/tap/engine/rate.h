/* A rate that is halved while a profile runs (tap/record/budget.h).
 *
 * A thread goes over to the new rate where it next leaves the engine: the sample that brought it
 * there was drawn at the old one, and what remains of a gap may be drawn anew (engine.c, 2).  So each
 * sample was drawn at the rate of its thread at that moment, which engine_halvings tells the
 * tracker. */
#ifndef TAP_ENGINE_RATE_H
#define TAP_ENGINE_RATE_H

#include <stdbool.h>
#include <stdint.h>

#include "heaptap/engine.h"

/* From now on the rate is that with which sampling was started, halved `times` times. */
void engine_set_halvings(struct heaptap_engine *engine, uint32_t times);

/* In an allocation callback: those at which the block was sampled. */
uint32_t engine_halvings(const struct heaptap_thread *thread);

struct engine_pruning {
    bool (*is_over)(const void *context, const void *metadata); /* may be asked of any word */
    void *(*renew)(void *context,
                   void *metadata); /* gives other metadata, or NULL; NULL: gives NULL */
    void *context;
};

/* Gives all blocks whose metadata are over what `renew` says; with NULL their tracking ends, without a callback.  An end that another
 * thread tells while a block is in between is not noticed.  Not in a callback. */
void engine_prune(struct heaptap_engine *engine, struct heaptap_thread *thread,
                  const struct engine_pruning *pruning);

#endif
