/* What an interpreter's heaps allocated, by stack and type: the model behind `heaptap memtracer`.
 *
 * Numbers of blocks are doubles: whole below 2^53 where every block was recorded, estimates where
 * blocks were drawn. */
#ifndef PROFILE_GUEST_PROFILE_H
#define PROFILE_GUEST_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "base/names.h"

/* A place in the guest program; equal names are one pointer (guest_profile.names). */
struct guest_site {
    const char *file;     /* NULL: not known */
    const char *function; /* NULL: none, or not known */
    uint32_t line;        /* 0: none */
};

/* A stack: the one of its caller and a place; node 0 is the empty stack. */
struct guest_stack {
    uint32_t parent;
    uint32_t site;
};

struct guest_tally {
    double allocated; /* blocks */
    double bytes;     /* of these, and of those that were resized here */
    double samples; /* drawn, on which the others rest; all bytes where every block was recorded */
    double start_allocated, start_bytes; /* of these two, those of the interpreter's start */
    double resized;                      /* blocks that came by being resized here */
    double left;                         /* blocks that were resized away */
    double freed;                        /* blocks that ended */
    double live;                         /* blocks that are left */
    double live_bytes;                   /* of these */
    double peak_bytes;     /* the most that were live at a time; of several tallies, their sum */
    double promoted;       /* blocks that left the nursery */
    double promoted_bytes; /* of these */
    double temporary;      /* of those that ended, the short-lived ones */
    double age_sum;        /* of ended blocks: bytes allocated during their lives */
    double live_age_sum;   /* of live blocks: the same so far */
};

void guest_tally_add(struct guest_tally *to, const struct guest_tally *from);

struct guest_profile_row {
    uint32_t stack; /* its last site is where the blocks come from */
    uint32_t type;  /* in types; 0: not known */
    uint32_t heap;  /* in heaps */
    struct guest_tally tally;
};

/* One heap; a process has one or more. */
struct guest_heap {
    const char *language;
    double rate;      /* samples a byte; 1: every block */
    double allocated; /* blocks, counted apart from the rows */
    double clock;     /* bytes allocated */
    double live_bytes, peak_bytes;
    double unknown_frees;
    double collections;
    double before_blocks, before_bytes;
    double lost_samples;
    bool stopped;
};

/* One process. */
struct guest_profile {
    uint64_t pid, parent_pid;
    int64_t start_us;
    bool forked; /* it began as a copy of its parent */
    bool stacks; /* whole stacks are known, and not only their last sites */
    bool fast;   /* lines may be approximate */
    const char *script, *executable, *trace; /* NULL: not known, none */

    struct guest_heap *heaps;
    size_t heap_count, heap_capacity;
    struct guest_site *sites; /* 0: not known */
    size_t site_count, site_capacity;
    struct guest_stack *nodes;
    size_t node_count, node_capacity;
    const char **types; /* 0: NULL */
    size_t type_count, type_capacity;
    struct guest_profile_row *rows;
    size_t row_count, row_capacity;
    const char **notes;
    size_t note_count, note_capacity;
    struct names names;
    struct map by_node; /* parent and site -> node */
    struct map by_site; /* hash -> site; see guest_profile_site */
};

/* Zeroed storage is to be initialised; false when there is no memory. */
bool guest_profile_init(struct guest_profile *profile);
void guest_profile_release(struct guest_profile *profile);

/* Numbers, made where there are none yet; UINT32_MAX when there is no memory.  Names that are
 * empty are not known. */
uint32_t guest_profile_site(struct guest_profile *profile, const char *file, const char *function,
                            uint32_t line);
uint32_t guest_profile_type(struct guest_profile *profile, const char *name);
uint32_t guest_profile_stack(struct guest_profile *profile, uint32_t parent, uint32_t site);

/* The one copy of a text; NULL for an empty one, or without memory. */
const char *guest_profile_name(struct guest_profile *profile, const char *text);

#endif
