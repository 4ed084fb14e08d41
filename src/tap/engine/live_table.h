/* The tracked blocks by address: exact, lock-free, growing without a pause.
 *
 * Shape.  A cascade of hash tables, each sixteen times the one before, if memory is not limited.  A bucket is a cache
 * line of three keys and their values.  A key goes into its bucket in the first
 * level that has room there; each bucket that it had to pass over counts it in `overflow`.  A
 * search starts at the first level and ends at the first bucket that no search has passed over.  So there
 * are no tombstones, nothing is ever moved, and levels are mapped when first needed.  In the first
 * level neighbours in memory are neighbours in the table, so that it is no worse to the processor's
 * caches than the program is; in the others they are scattered.
 *
 * Who may do what.  The engine rests on what every correct program does: one block has an address
 * at a time, and the thread that ends a block got it from the thread that made it.  So an insertion of an
 * address never races with its removal, and a search for a block that is in the table sees its key
 * and every overflow that it caused.  A program that frees twice at once is not correct, but
 * harmless: one of both gets the key.
 *
 * A slot passes through:  empty -> reserved (a compare-and-swap of the key) -> address (value
 * first, then key)
 * -> reserved by the thread that claims the block -> empty.  No thread waits for a reserved slot.
 *
 * The value belongs to the thread that swaps it out.  That settles the one true race: the thread that runs
 * a callback which ends the tracking (live_table_vacate) against the thread that ends the block
 * (live_table_claim).  The former only takes the value; the key of an address that is no longer
 * tracked stays until the block itself ends, because taking the key could hit the next block at the
 * same address. */
#ifndef TAP_ENGINE_LIVE_TABLE_H
#define TAP_ENGINE_LIVE_TABLE_H

#include <stdbool.h>
#include <stdint.h>

struct heaptap_tracked;

enum { BUCKET_SLOTS = 3, TABLE_LEVELS = 4, TABLE_FIRST_BITS = 12, TABLE_GROWTH_BITS = 4 };

struct bucket {
    uint64_t keys[BUCKET_SLOTS];                  /* KEY_EMPTY, KEY_RESERVED or an address */
    uint64_t overflow;                            /* keys that would be here had there been room */
    struct heaptap_tracked *values[BUCKET_SLOTS]; /* NULL: no longer tracked */
    uint64_t unused;
};

enum { KEY_EMPTY = 0, KEY_RESERVED = 1 };

/* Zeroed is empty. */
struct live_table {
    uint32_t more_bits;                  /* by which each level is larger than it need be */
    uint32_t end_bits;                   /* each level has fewer; 0: as many as it needs */
    struct bucket *levels[TABLE_LEVELS]; /* NULL: not yet needed */
};

/* A reserved slot; the holder of this struct owns it. */
struct slot {
    uint64_t *key; /* NULL: none */
    struct heaptap_tracked **value;
    uint64_t address; /* that was or will be in it */
    uint32_t level;
};

/* Prepares the table for this many blocks.  Call it before the first insertion. */
void live_table_expect(struct live_table *table, uint64_t blocks);

/* Levels become no larger than the limits of the program's memory bear; to be called before the first is inserted, after
 * live_table_expect. */
void live_table_limit(struct live_table *table);

/* Slots in use.  Goes over the whole table. */
uint64_t live_table_count(const struct live_table *table);

/* Tells all tracked blocks, in no order.  Nobody else may be using the table. */
void live_table_each(const struct live_table *table,
                     void (*tell)(void *context, uint64_t address,
                                  const struct heaptap_tracked *value),
                     void *context);

/* False if there is no memory.  `address` is above KEY_RESERVED and not in the table. */
bool live_table_insert(struct live_table *table, uint64_t address, struct heaptap_tracked *value);

/* Takes the block at `address` out of the sight of others: reserves its slot and swaps the value
 * out, which is NULL if the block is no longer tracked.  False if the address is not in the table.
 */
bool live_table_claim(struct live_table *table, uint64_t address, struct slot *slot,
                      struct heaptap_tracked **value);

/* Whether `value` stands there at this moment. */
bool live_table_holds(const struct live_table *table, uint64_t address,
                      const struct heaptap_tracked *value);

/* Ends a claim: the slot is free, or holds `address` with `value` again. */
void live_table_release(struct live_table *table, const struct slot *slot);
void live_table_restore(const struct slot *slot, uint64_t address, struct heaptap_tracked *value);

/* The slot that a pointer pair from live_table_claim stands for, after it was kept elsewhere. */
struct slot live_table_slot(const struct live_table *table, uint64_t *key, uint64_t address);

/* Swaps `value` out from under `address`.  False if it is not there: somebody else has it, or it
 * has moved. */
bool live_table_vacate(struct live_table *table, uint64_t address, struct heaptap_tracked *value);

/* Goes over all claims that succeed for addresses in [low, high), one a call; false at the end. */
struct live_table_walk {
    uint64_t low, high;
    uint64_t bucket;
    uint32_t level, index;
};
bool live_table_claim_next(struct live_table *table, struct live_table_walk *walk,
                           struct slot *slot, uint64_t *address, struct heaptap_tracked **value);

/* Unmaps all levels.  No other thread may be using the table. */
void live_table_unmap(struct live_table *table);

#endif
