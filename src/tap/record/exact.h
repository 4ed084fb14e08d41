/* Recording every block: nothing is drawn and nothing is counted down, so the engine is left out.
 * A block's id stands beside it (shadow.h), and its events go straight into the thread's stream. */
#ifndef TAP_RECORD_EXACT_H
#define TAP_RECORD_EXACT_H

#include <stdbool.h>
#include <stdint.h>

#include "tap/record/shadow.h"
#include "tap/unwind/unwind.h"

/* To be called once, before the others; false if there is no memory.  `sparse` as in shadow.h. */
bool exact_init(bool sparse);

/* Forgets all blocks, in a process with one thread. */
void exact_clear(void);

/* A block was allocated, which nobody else knows yet.  The quick one returns false where it can't
 * do it: the recording may not even be an exact one. */
bool exact_allocated_quickly(uint64_t address, uint64_t size, const struct unwind_start *start);
void exact_allocated_slowly(uint64_t address, uint64_t size, const struct unwind_start *start);

/* The word of the block at `address`, as unwind_modules_watch wants it: a block that is freed has
 * none any more, and in a trace no two blocks have the same one. */
const uint64_t *exact_word(const void *address);

/* For realloc: what was taken out with shadow_take comes back, as the old block stays. */
void exact_restore(uint64_t address, uint64_t word);

/* Tells the end of a block that was taken out of the shadow.  False if that can't be done now. */
bool exact_ended(uint64_t word);

/* Its end will be told when the address is used again. */
void exact_unended(uint64_t address, uint64_t word);

/* The block at `address` ends; it may be one that was never recorded. */
static inline void exact_freed(uint64_t address)
{
    uint64_t word = shadow_take(address);
    if (word && !exact_ended(word))
        exact_unended(address, word);
}

#endif
