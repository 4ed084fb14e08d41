/* A process of which heaps of interpreters were watched: a model of values (profile/model.h), and what is known of the process
 * and its heaps besides.
 *
 * A stack of the model is the places of the calls and, at its end, the type of the blocks, as in traces of guest languages; a
 * place of which nothing is known is frame 0.  Labels tell the heap.  So clauses choose among its samples as among any others.
 * Of each stack and heap there are the values of enum guest_value. */
#ifndef PROFILE_GUEST_PROFILE_H
#define PROFILE_GUEST_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"
#include "profile/matcher.h"
#include "profile/model.h"

/* A place in the guest program; equal names are one pointer. */
struct guest_site {
    const char *file;     /* NULL: not known */
    const char *function; /* NULL: none, or not known */
    uint32_t line;        /* 0: none */
};

enum guest_value {
    GUEST_LIVE,       /* blocks that are left */
    GUEST_LIVE_BYTES, /* of these */
    GUEST_COUNT,      /* blocks allocated */
    GUEST_BYTES,      /* of these, and of those that were resized here */
    GUEST_SAMPLES, /* drawn, on which the others rest; all bytes where every block was recorded */
    GUEST_START_COUNT,    /* of GUEST_COUNT, those of the interpreter's start */
    GUEST_START_BYTES,    /* the same of GUEST_BYTES */
    GUEST_RESIZED,        /* blocks that came by being resized here */
    GUEST_LEFT,           /* blocks that were resized away */
    GUEST_FREED,          /* blocks that ended */
    GUEST_PEAK_BYTES,     /* the most that were live at a time; of several stacks, their sum */
    GUEST_PROMOTED,       /* blocks that left the nursery */
    GUEST_PROMOTED_BYTES, /* of these */
    GUEST_TEMPORARY,      /* of those that ended, the short-lived ones */
    GUEST_AGE_SUM,        /* of ended blocks: bytes allocated during their lives */
    GUEST_LIVE_AGE_SUM,   /* of live blocks: the same so far */
    GUEST_VALUES
};

/* In the model a block is so much: one that was drawn stands for several, or for a part.  Elsewhere numbers of blocks are
 * doubles: whole below 2^53 where every block was recorded. */
enum { GUEST_BLOCK = 65536 };

/* Of several rows. */
struct guest_tally {
    double of[GUEST_VALUES]; /* in blocks and bytes */
};

/* A row of the model. */
struct guest_profile_row {
    uint32_t node; /* of its trie: the place where the blocks come from */
    uint32_t type; /* in its types; 0: not known */
    uint32_t heap; /* in heaps */
    struct guest_tally tally;
};

/* One heap; a process has one or more. */
struct guest_heap {
    const char *language;
    double rate;      /* samples a byte; 1: every block */
    double allocated; /* blocks, counted apart from the rows */
    double clock;     /* bytes allocated */
    double live_bytes, peak_bytes;
    double start_live_bytes; /* alive when the interpreter had started, and the program began */
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
    struct model *model;
    const char *main;       /* what code outside of functions is called in it: "(main)" */
    struct matcher matcher; /* which of its rows pass; all at first */
    uint32_t *type_frames;  /* of the model's types */
    size_t type_frame_capacity;
    const char **notes;
    size_t note_count, note_capacity;
    struct map by_site; /* hash -> frame; see guest_profile_site */
};

/* Zeroed storage is to be initialised; false when there is no memory. */
bool guest_profile_init(struct guest_profile *profile);
void guest_profile_release(struct guest_profile *profile);

/* Numbers, made where there are none yet; UINT32_MAX when there is no memory.  Names that are
 * empty are not known.  A site is a frame of the model, 0 where nothing is known of it. */
uint32_t guest_profile_site(struct guest_profile *profile, const char *file, const char *function,
                            uint32_t line);
uint32_t guest_profile_type(struct guest_profile *profile, const char *name);

/* The node of a place that is called at the node `parent`; likewise. */
static inline uint32_t guest_profile_node(struct guest_profile *profile, uint32_t parent,
                                          uint32_t site)
{
    return stack_trie_child(&profile->model->trie, parent, site);
}

/* Adds a row; false when there is no memory. */
bool guest_profile_add_row(struct guest_profile *profile, uint32_t node, uint32_t type,
                           uint32_t heap, const int64_t values[GUEST_VALUES]);

/* A heap of which rows are to be added, the next in number, or false when there is no memory. */
bool guest_profile_add_heap(struct guest_profile *profile, const struct guest_heap *heap);

/* The one copy of a text; NULL for an empty one, or without memory. */
const char *guest_profile_name(struct guest_profile *profile, const char *text);

/* ---- What the numbers stand for ------------------------------------------------------ */

struct guest_site guest_profile_place(const struct guest_profile *profile, uint32_t site);

/* NULL: not known. */
static inline const char *guest_profile_type_name(const struct guest_profile *profile,
                                                  uint32_t type)
{
    return type > 0 ? profile->model->types[type] : NULL;
}

static inline uint32_t guest_profile_site_at(const struct guest_profile *profile, uint32_t node)
{
    return profile->model->trie.nodes[node].frame;
}

/* The node of the caller; STACK_ROOT for none. */
static inline uint32_t guest_profile_caller(const struct guest_profile *profile, uint32_t node)
{
    return profile->model->trie.nodes[node].parent;
}

static inline size_t guest_profile_rows(const struct guest_profile *profile)
{
    return profile->model->samples.count;
}

struct guest_profile_row guest_profile_row(const struct guest_profile *profile, size_t row);

void guest_tally_add(struct guest_tally *to, const struct guest_tally *from);

#endif
